// The built-in associative operators: a combine function and its identity.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

#include "cumulo/type.hpp"

namespace cumulo {

enum class Operator : std::uint8_t {
  add,
  mul,
  min,
  max,
  bit_and,
  bit_or,
  bit_xor,
  add_saturated,  // of unsigned integers: a sum beyond the type's largest value is that value
};

inline constexpr std::array all_operators{
    Operator::add,     Operator::mul,    Operator::min,     Operator::max,
    Operator::bit_and, Operator::bit_or, Operator::bit_xor, Operator::add_saturated};

// "add", "mul", "min", "max", "and", "or", "xor", "add-saturated"
std::string_view name(Operator op);
std::optional<Operator> parse_operator(std::string_view name);

// and, or and xor are for integers only, add-saturated for unsigned ones.
constexpr bool is_defined(Operator op, Type type) {
  if (op == Operator::add_saturated) return type == Type::u32 || type == Type::u64;
  return !is_float(type) || op == Operator::add || op == Operator::mul || op == Operator::min ||
         op == Operator::max;
}

// The first value of an exclusive scan without an initial value.
template <Element T>
constexpr T identity(Operator op) {
  using limits = std::numeric_limits<T>;
  switch (op) {
    case Operator::mul: return T{1};
    case Operator::min: return limits::has_infinity ? limits::infinity() : limits::max();
    case Operator::max:
      return limits::has_infinity ? static_cast<T>(-limits::infinity()) : limits::lowest();
    case Operator::bit_and:
      if constexpr (std::is_integral_v<T>) return static_cast<T>(~T{0});
      break;
    default: break;
  }
  return T{0};
}

// Stands in for elements that are absent: combined with it, any value keeps its bits. It differs
// from identity() only for sums of floats, where adding +0 would turn -0 into +0.
template <Element T>
constexpr T absent(Operator op) {
  if constexpr (!std::is_integral_v<T>) {
    if (op == Operator::add) return -T{0};
  }
  return identity<T>(op);
}

// a < b, where -0 < +0. Also true of two equal negative numbers, which min and max may exchange.
template <class T>
constexpr bool is_less_with_signed_zero(T a, T b) {
  return a < b || (a == b && std::bit_cast<std::uint32_t>(static_cast<float>(a)) >> 31 != 0);
}

// older combined with newer. Integer sums and products wrap modulo 2^bits. min and max of floats
// are minimum and maximum of IEEE 754-2019: NaN when either is NaN, and -0 is less than +0.
template <Element T>
constexpr T combine(Operator op, T older, T newer) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    const U a = static_cast<U>(older);
    const U b = static_cast<U>(newer);
    switch (op) {
      case Operator::add: return static_cast<T>(a + b);
      case Operator::mul: return static_cast<T>(a * b);
      case Operator::bit_and: return static_cast<T>(a & b);
      case Operator::bit_or: return static_cast<T>(a | b);
      case Operator::bit_xor: return static_cast<T>(a ^ b);
      case Operator::min: return newer < older ? newer : older;
      case Operator::max: return older < newer ? newer : older;
      case Operator::add_saturated:
        return static_cast<T>(a + b < a ? std::numeric_limits<U>::max() : a + b);
    }
    return older;
  } else {
    switch (op) {
      case Operator::mul: return older * newer;
      case Operator::min:
        if (older != older) return older;
        return is_less_with_signed_zero(newer, older) || newer != newer ? newer : older;
      case Operator::max:
        if (older != older) return older;
        return is_less_with_signed_zero(older, newer) || newer != newer ? newer : older;
      default: return older + newer;
    }
  }
}

}  // namespace cumulo
