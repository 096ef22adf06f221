// An operator of the user's own, from a small text file (docs/operators.md).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cumulo/error.hpp"
#include "cumulo/monoid.hpp"

namespace cumulo::app {

// The monoid that a file describes. Faults name the file and the line.
Result<Monoid> read_operator(const std::string& path);
Result<Monoid> parse_operator_file(std::string_view text, const std::string& path);

// The bytes of one element, from its fields' values apart by commas: "1, 0". `what` begins a fault.
Result<std::vector<std::byte>> parse_element(std::span<const MonoidField> fields,
                                             std::string_view words, const std::string& what);

}  // namespace cumulo::app
