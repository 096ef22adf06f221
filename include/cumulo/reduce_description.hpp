// What to reduce to one value; says nothing about a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "cumulo/error.hpp"
#include "cumulo/monoid.hpp"
#include "cumulo/operator.hpp"
#include "cumulo/scan_description.hpp"
#include "cumulo/type.hpp"

namespace cumulo {

struct ReduceDescription {
  std::uint64_t n = 0;
  Type type = Type::u32;
  Operator op = Operator::add;

  // Combines elements of a monoid; `type` and `op` are then ignored.
  std::optional<Monoid> monoid = std::nullopt;

  // A sum (add) of u32 as u64, of i32 as i64, of f32 as WideFloat, of f16 as f32.
  bool wide = false;
};

// The inclusive scan whose total the value is, to the bit.
inline ScanDescription as_scan(ReduceDescription d) {
  return {.n = d.n, .type = d.type, .op = d.op, .monoid = std::move(d.monoid), .wide = d.wide};
}

// Bytes of one element of the input.
inline std::size_t input_bytes(const ReduceDescription& d) {
  return d.monoid ? d.monoid->element_bytes() : size_of(d.type);
}
// Bytes of the value.
inline std::size_t element_bytes(const ReduceDescription& d) {
  return d.wide ? 2 * input_bytes(d) : input_bytes(d);
}

// bad_argument where the description contradicts itself, as for a scan.
inline Result<void> validate(const ReduceDescription& d) { return validate(as_scan(d)); }

}  // namespace cumulo
