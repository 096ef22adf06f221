#include "predicate/nearest.hpp"

#include <algorithm>

#include "predicate/edit_distance.hpp"

namespace cumulo::predicate {
namespace {

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
    const std::size_t edits = edit_distance(name, candidate);
    if (edits >= least || edits >= name.size()) continue;
    least = edits;
    best = candidate;
  }
  return best;
}

}  // namespace cumulo::predicate
