// Integers wide enough for everything that predicates compute: two's complement of 128 bits.
#pragma once

#include <cmath>

namespace cumulo::predicate {

__extension__ using Wide = __int128;

// The largest magnitude that an expression may reach: as far below zero as above it, so that a
// negation never overflows.
inline constexpr Wide most = ~(Wide{1} << 127);

// `value` >= 2^127 or <= -2^127, or infinite.
inline bool beyond(double value) { return std::abs(value) >= 0x1p127; }

// Floored division and its remainder, which has the sign of the divisor; b != 0.
template <class T>
constexpr T floor_divide(T a, T b) {
  const T quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
template <class T>
constexpr T modulo(T a, T b) {
  const T rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

}  // namespace cumulo::predicate
