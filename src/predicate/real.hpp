// Numbers from text, where the standard library may not read floats.
#pragma once

#include <optional>
#include <string>

namespace cumulo::predicate {

// The f64 nearest to a number's text; nothing where that is infinite, or 0 for a number that is
// not.
std::optional<double> real_of(const std::string& text);

}  // namespace cumulo::predicate
