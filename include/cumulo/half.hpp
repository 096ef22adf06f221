// 16-bit floats: IEEE binary16, which C++ has no portable type for yet.
#pragma once

#include <bit>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace cumulo {

// A number to store: it becomes a float to compute with, and a float becomes the nearest Half.
struct Half {
  std::uint16_t bits;

  Half() = default;
  // Rounds to nearest, ties to even. A NaN stays one.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  constexpr Half(Number x) : bits(rounded(static_cast<double>(x))) {}

  constexpr operator float() const {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
    const std::uint32_t exponent = bits >> 10 & 31U;
    const std::uint32_t fraction = bits & 1023U;
    if (exponent == 0) {
      const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
      return sign != 0 ? -magnitude : magnitude;
    }
    const std::uint32_t wide = exponent == 31 ? 255 : exponent - 15 + 127;
    return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
  }

 private:
  static constexpr std::uint16_t rounded(double x) {
    const auto all = std::bit_cast<std::uint64_t>(x);
    const auto sign = static_cast<std::uint16_t>(all >> 48 & 0x8000U);
    const auto magnitude = std::bit_cast<double>(all & ~(std::uint64_t{1} << 63));
    if (magnitude != magnitude) return sign | 0x7e00U;
    if (magnitude >= 65520) return sign | 0x7c00U;  // half way from the largest to the next
    // A sum with a number whose last place is the result's last place is rounded there.
    const int exponent = static_cast<int>(all >> 52 & 2047U) - 1023;
    const int place = (exponent < -14 ? -14 : exponent) - 10;
    const auto shift = std::bit_cast<double>(static_cast<std::uint64_t>(place + 52 + 1023) << 52);
    const auto units = std::bit_cast<std::uint64_t>(magnitude + shift) & ((1ULL << 52) - 1);
    // Counted in units of the last place, a normal number has 1024 or more; a carry goes on into
    // the exponent.
    const auto lowest = static_cast<std::uint64_t>(place + 24) << 10;
    return static_cast<std::uint16_t>(sign + lowest + units);
  }
};

// The shortest text that reads back as the same value.
std::to_chars_result to_chars(char* first, char* last, Half value);

}  // namespace cumulo

template <>
class std::numeric_limits<cumulo::Half> : public std::numeric_limits<float> {
  static constexpr cumulo::Half of(std::uint16_t bits) {
    cumulo::Half value{0};
    value.bits = bits;
    return value;
  }

 public:
  static constexpr int digits = 11;
  static constexpr int digits10 = 3;
  static constexpr int max_digits10 = 5;
  static constexpr int min_exponent = -13;
  static constexpr int max_exponent = 16;
  static constexpr int min_exponent10 = -4;
  static constexpr int max_exponent10 = 4;
  static constexpr cumulo::Half min() { return of(0x0400); }
  static constexpr cumulo::Half max() { return of(0x7bff); }
  static constexpr cumulo::Half lowest() { return of(0xfbff); }
  static constexpr cumulo::Half epsilon() { return of(0x1400); }
  static constexpr cumulo::Half round_error() { return of(0x3800); }
  static constexpr cumulo::Half infinity() { return of(0x7c00); }
  static constexpr cumulo::Half quiet_NaN() { return of(0x7e00); }
  static constexpr cumulo::Half signaling_NaN() { return of(0x7d00); }
  static constexpr cumulo::Half denorm_min() { return of(0x0001); }
};
