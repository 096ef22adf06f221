// The names in a predicate.
#pragma once

#include <cstddef>
#include <optional>
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

// Where the name of a branch stands among the known ones; nothing where it is i, the index, and
// none of them has that name. A fault where it is none of them, or several.
Checked<std::optional<std::size_t>> find_name(const Branch& branch,
                                              std::span<const std::string> known);

}  // namespace cumulo::predicate
