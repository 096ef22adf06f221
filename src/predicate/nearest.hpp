// The word that was probably meant.
#pragma once

#include <span>
#include <string>

namespace cumulo::predicate {

// Of the known names the one that differs from this one in its case alone, else the one that fewest
// edits lead to; "" where all of them would be other words.
std::string nearest(const std::string& name, std::span<const std::string> known);

}  // namespace cumulo::predicate
