// The word that was probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cumulo::app {

// The known word nearest to `word` by edit distance; empty where none is near.
std::string_view nearest(std::string_view word, std::span<const std::string> known);

}  // namespace cumulo::app
