// What to scan; says nothing about a device.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cumulo/error.hpp"
#include "cumulo/monoid.hpp"
#include "cumulo/operator.hpp"
#include "cumulo/type.hpp"
#include "cumulo/wide.hpp"

namespace cumulo {

enum class ScanKind : std::uint8_t { inclusive, exclusive };

enum class Algorithm : std::uint8_t {
  automatic,         // chosen from the description and the device's traits
  serial,            // CPU: one loop from first to last
  hillis_steele,     // teaching: Hillis and Steele 1986, one workgroup
  blelloch,          // teaching: Blelloch 1990, one workgroup
  subgroup,          // teaching: the subgroup scan builtin, one workgroup
  reduce_then_scan,  // totals of tiles, their scan, scan of tiles: any n, any device
  single_pass,       // every tile read once, totals handed from tile to tile
  blocked,           // CPU: blocks summed and scanned while in cache, by all threads
};
inline constexpr std::array all_algorithms{Algorithm::automatic,     Algorithm::serial,
                                           Algorithm::hillis_steele, Algorithm::blelloch,
                                           Algorithm::subgroup,      Algorithm::reduce_then_scan,
                                           Algorithm::single_pass,   Algorithm::blocked};

std::string_view name(ScanKind kind);
std::string_view name(Algorithm algorithm);  // "auto", "reduce-then-scan", ...
std::optional<Algorithm> parse_algorithm(std::string_view name);

struct ScanDescription {
  std::uint64_t n = 0;
  Type type = Type::u32;
  Operator op = Operator::add;
  ScanKind kind = ScanKind::inclusive;
  bool reverse = false;
  std::optional<Scalar> init = std::nullopt;  // of `type`
  bool include_initial = false;               // n + 1 results
  Algorithm algorithm = Algorithm::automatic;

  // Scans elements of a monoid by its combine; `type`, `op` and `init` are then ignored.
  std::optional<Monoid> monoid = std::nullopt;
  std::vector<std::byte> monoid_init = {};  // the bytes of an initial value; empty: none

  // Sums (add) of u32 as u64, of i32 as i64, of f32 as WideFloat, of f16 as f32. `type` is that of
  // the input; `init` is a u64 for u32, an i64 for i32, an f32 for f32 and f16.
  bool wide = false;
};

// Bytes of one element of the input.
inline std::size_t input_bytes(const ScanDescription& d) {
  return d.monoid ? d.monoid->element_bytes() : size_of(d.type);
}
// Bytes of one result.
inline std::size_t element_bytes(const ScanDescription& d) {
  return d.wide ? 2 * input_bytes(d) : input_bytes(d);
}
inline bool has_init(const ScanDescription& d) {
  return d.monoid ? !d.monoid_init.empty() : d.init.has_value();
}
// The type of an initial value of numbers.
Type init_type(const ScanDescription& d);
std::string operator_name(const ScanDescription& d);  // "add"; of a monoid its name
std::string element_name(const ScanDescription& d);   // "u32"; "(a: f32, b: f32)"

// n, or n + 1 with include_initial: then the first result (the last in reverse) is the initial
// value or the identity, and the inclusive prefixes follow. Those are the exclusive scan and the
// total.
constexpr std::uint64_t result_count(const ScanDescription& d) {
  return d.n + (d.include_initial ? 1 : 0);
}

// bad_argument where the description contradicts itself: operator not defined for the type, init
// of another type, a monoid that is none.
Result<void> validate(const ScanDescription& description);

}  // namespace cumulo
