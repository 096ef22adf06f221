// Predicates from text: "price < 25 and stock > 0". docs/predicates.md tells the language.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cumulo/error.hpp"
#include "cumulo/predicate.hpp"

namespace cumulo {

// The predicate that the text describes, over columns by their names and the index i: as WGSL,
// which gives the same answers on every device, and as a C++ function, which gives them too. The
// predicate's columns are those given, read or not; they hold numbers.
// bad_argument: the text is wrong; the message names the column of the fault, and the reasons are
// the text and a line with a caret below the place.
Result<Predicate> parse_predicate(std::string_view text, std::span<const PredicateColumn> columns);

// The same over elements x of one type.
Result<Predicate> parse_predicate(std::string_view text, Type type);

// Which of the names the text reads, by their places in the list: the columns worth loading. The
// errors of names and signs are found here, those of types by parse_predicate().
Result<std::vector<std::size_t>> columns_read(std::string_view text,
                                              std::span<const std::string> names);

}  // namespace cumulo
