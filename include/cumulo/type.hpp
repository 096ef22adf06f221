// Element types, and one value of any of them.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "cumulo/half.hpp"

namespace cumulo {

enum class Type : std::uint8_t { u32, i32, f32, u64, i64, f64, f16 };

inline constexpr std::array all_types{Type::u32, Type::i32, Type::f32, Type::u64,
                                      Type::i64, Type::f64, Type::f16};

template <class T>
concept Element = std::same_as<T, std::uint32_t> || std::same_as<T, std::int32_t> ||
                  std::same_as<T, float> || std::same_as<T, std::uint64_t> ||
                  std::same_as<T, std::int64_t> || std::same_as<T, double> || std::same_as<T, Half>;

// One value of any element type. The alternatives stand in the order of Type.
using Scalar =
    std::variant<std::uint32_t, std::int32_t, float, std::uint64_t, std::int64_t, double, Half>;

template <Element T>
inline constexpr Type type_of = std::same_as<T, std::uint32_t>   ? Type::u32
                                : std::same_as<T, std::int32_t>  ? Type::i32
                                : std::same_as<T, float>         ? Type::f32
                                : std::same_as<T, std::uint64_t> ? Type::u64
                                : std::same_as<T, std::int64_t>  ? Type::i64
                                : std::same_as<T, double>        ? Type::f64
                                                                 : Type::f16;

// The type in which elements are combined: f32 for halves, else their own.
template <Element T>
using CombinedAs = std::conditional_t<std::same_as<T, Half>, float, T>;

inline Type type_of_scalar(const Scalar& value) { return static_cast<Type>(value.index()); }

// Bytes of one element.
constexpr std::size_t size_of(Type type) {
  if (type == Type::f16) return 2;
  return type == Type::u64 || type == Type::i64 || type == Type::f64 ? 8 : 4;
}

constexpr bool is_float(Type type) {
  return type == Type::f32 || type == Type::f64 || type == Type::f16;
}

std::string_view name(Type type);
std::optional<Type> parse_type(std::string_view name);

// The shortest text that reads back as the same value.
std::string to_string(const Scalar& value);

// Calls f.template operator()<T>() with the C++ type of `type`.
template <class F>
decltype(auto) with_type(Type type, F&& f) {
  switch (type) {
    case Type::u32: return f.template operator()<std::uint32_t>();
    case Type::i32: return f.template operator()<std::int32_t>();
    case Type::f32: return f.template operator()<float>();
    case Type::u64: return f.template operator()<std::uint64_t>();
    case Type::i64: return f.template operator()<std::int64_t>();
    case Type::f64: return f.template operator()<double>();
    case Type::f16: break;
  }
  return f.template operator()<Half>();
}

}  // namespace cumulo
