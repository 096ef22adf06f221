#include "formats/nearest.hpp"

#include <algorithm>

#include "predicate/edit_distance.hpp"

namespace cumulo::app {

std::string_view nearest(std::string_view word, std::span<const std::string> known) {
  std::string_view best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;  // further is another word
  for (const std::string& candidate : known) {
    const std::size_t distance = predicate::edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace cumulo::app
