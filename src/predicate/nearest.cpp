#include "predicate/nearest.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace cumulo::predicate {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string in_small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

}  // namespace

std::string nearest(const std::string& name, std::span<const std::string> known) {
  constexpr std::size_t longest = 100;  // a longer name is no slip of the fingers
  if (name.size() > longest) return "";
  std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::string best;
  const std::string small = in_small_letters(name);
  for (const std::string& candidate : known) {
    if (candidate.size() > longest) continue;
    if (small == in_small_letters(candidate)) return candidate;
    const std::size_t edits = distance(name, candidate);
    if (edits >= least || edits >= name.size()) continue;
    least = edits;
    best = candidate;
  }
  return best;
}

}  // namespace cumulo::predicate
