// One result, as bytes and as a scalar.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "cumulo/scan_description.hpp"

namespace cumulo {

template <class T>
T value_of(const std::vector<std::byte>& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

// The bytes of a result as a scalar: of a wide sum of f32 its value in f64; not set for a monoid.
inline Scalar scalar_of(const ScanDescription& d, const std::vector<std::byte>& bytes) {
  if (d.monoid) return {};
  if (d.wide) {
    if (d.type == Type::u32) return value_of<std::uint64_t>(bytes);
    if (d.type == Type::i32) return value_of<std::int64_t>(bytes);
    if (d.type == Type::f16) return value_of<float>(bytes);
    const auto sum = value_of<WideFloat>(bytes);
    return static_cast<double>(sum.high) + static_cast<double>(sum.low);
  }
  return with_type(d.type, [&]<class T>() -> Scalar { return value_of<T>(bytes); });
}

}  // namespace cumulo
