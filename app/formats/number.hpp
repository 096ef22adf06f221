// One number from text, and what can be wrong with it.
#pragma once

#include <fast_float/fast_float.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "cumulo/type.hpp"

namespace cumulo::app {

enum class NumberFault : std::uint8_t {
  none,
  not_a_number,  // no number at all
  not_integer,   // a number with a fraction or an exponent, NaN or infinity, for an integer type
  out_of_range,
  negative,  // for an unsigned type
};

// "'-3' is negative, which u32 cannot hold"
std::string describe(NumberFault fault, std::string_view token, Type type);

// A token as a message may show it: shortened, control characters made visible.
std::string shown(std::string_view token);

// The fault of a token that is no integer of the type in plain digits.
NumberFault integer_fault(std::string_view token, bool is_unsigned);

// value is written only when the answer is `none`.
template <Element T>
NumberFault parse_number(std::string_view token, T& value) {
  const char* first = token.data();
  const char* const last = first + token.size();
  if (first != last && *first == '+' && last - first > 1 && first[1] != '-') ++first;
  if constexpr (std::is_integral_v<T>) {
    T parsed{};
    const auto [end, error] = std::from_chars(first, last, parsed);
    if (end == last && error == std::errc{}) {
      value = parsed;
      return NumberFault::none;
    }
    return integer_fault({first, last}, std::is_unsigned_v<T>);
  } else {
    std::conditional_t<std::is_same_v<T, Half>, double, T> read{};
    const auto [end, error] = fast_float::from_chars(first, last, read);
    const T parsed = read;
    if (end != last || error == std::errc::invalid_argument) return NumberFault::not_a_number;
    // Infinity written out is a value; digits that come out infinite were too large.
    if (std::isinf(parsed)) {
      const char letter = *first == '-' ? first[1] : *first;
      if (letter != 'i' && letter != 'I') return NumberFault::out_of_range;
    }
    value = parsed;
    return NumberFault::none;
  }
}

// Any number at all, as a header's first row must not be.
bool is_number(std::string_view token);

}  // namespace cumulo::app
