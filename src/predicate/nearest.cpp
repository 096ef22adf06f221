#include "predicate/nearest.hpp"

#include <algorithm>

#include "predicate/edit_distance.hpp"

namespace cumulo::predicate {
namespace {

std::string in_small_letters(std::string_view word) {
  std::string text(word);
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string> known) {
  constexpr std::size_t longest = 100;  // a longer name is no slip of the fingers
  if (name.size() > longest) return "";
  // Two edits, which is what a swap takes, of any word but of no more than half of it.
  const std::size_t most = std::max(std::min<std::size_t>(2, name.size() / 2), name.size() / 3);
  std::size_t least = most + 1;
  std::string best;
  const std::string small = in_small_letters(name);
  for (const std::string& candidate : known) {
    if (candidate.size() > longest) continue;
    const std::size_t edits = edit_distance(small, in_small_letters(candidate));
    if (edits >= least) continue;
    least = edits;
    best = candidate;
  }
  return best;
}

}  // namespace cumulo::predicate
