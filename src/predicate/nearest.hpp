// The word that was probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cumulo::predicate {

// Of the known names the one that fewest edits lead to, whatever their case; "" where all of them
// would be other words.
std::string nearest(std::string_view name, std::span<const std::string> known);

}  // namespace cumulo::predicate
