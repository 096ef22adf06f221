// The names in a predicate.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "predicate/fault.hpp"
#include "predicate/syntax.hpp"

namespace cumulo::predicate {

// Which of the names stand in the text, in the order of the names. A name that is none of them and
// not i is a fault.
Checked<std::vector<std::size_t>> names_read(std::string_view text,
                                             std::span<const std::string> known);

// The fault of a name that is none of the known ones.
Fault unknown_name(const Branch& branch, std::span<const std::string> known);

}  // namespace cumulo::predicate
