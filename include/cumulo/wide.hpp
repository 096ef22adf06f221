// Wide sums: of u32 in u64, of i32 in i64, of f32 in a pair of f32, of f16 in f32.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "cumulo/half.hpp"

namespace cumulo {

// A sum of f32 in about twice the precision. Its value is high + low, where high is that value
// rounded to f32. After adding n numbers x in the order of order.hpp,
//   |high + low - exact sum| <= 2^-46 (2 log2 n + 14) (|x[0]| + ... + |x[n-1]|)
// as long as no partial sum is subnormal or infinite. Infinity and NaN stand in high; low is then
// 0.
struct WideFloat {
  float high = 0;
  float low = 0;
  bool operator==(const WideFloat&) const = default;
};

template <class T>
  requires std::same_as<T, std::uint32_t> || std::same_as<T, std::int32_t> ||
               std::same_as<T, float> || std::same_as<T, Half>
using WideOf = std::conditional_t<
    std::same_as<T, std::uint32_t>, std::uint64_t,
    std::conditional_t<std::same_as<T, std::int32_t>, std::int64_t,
                       std::conditional_t<std::same_as<T, float>, WideFloat, float>>>;

// Stands for an element that is absent; no f32 widens to it.
inline constexpr WideFloat absent_wide{-0.0F, -0.0F};

// a + b, and what its rounding lost (Knuth 1969).
constexpr WideFloat two_sum(float a, float b) {
  const float sum = a + b;
  if ((std::bit_cast<std::uint32_t>(sum) & 0x7f800000U) == 0x7f800000U) return {sum, 0.0F};
  const float b_part = sum - a;
  const float a_part = sum - b_part;
  return {sum, (a - a_part) + (b - b_part)};
}

// The sum of two wide floats, step by step as every device computes it.
constexpr WideFloat add_wide(WideFloat older, WideFloat newer) {
  const WideFloat high = two_sum(older.high, newer.high);
  return two_sum(high.high, (older.low + newer.low) + high.low);
}

}  // namespace cumulo
