// What is wrong with the text of a predicate, and where.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "cumulo/error.hpp"

namespace cumulo::predicate {

struct Fault {
  std::size_t offset = 0;  // bytes from the start of the text
  std::string what;
};

template <class T>
using Checked = std::expected<T, Fault>;

// A bad_argument whose message names the column, counted in characters from 1, and whose reasons
// are the text's line and a line with a caret below the fault.
Error error_of(const Fault& fault, std::string_view text);

}  // namespace cumulo::predicate
