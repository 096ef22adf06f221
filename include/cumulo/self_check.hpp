// Does a device keep what docs/ordering.md promises? Small scans on it against the CPU backend, bit
// for bit, and what its compiler makes of arithmetic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cumulo/device.hpp"
#include "cumulo/error.hpp"

namespace cumulo {

struct SelfCheckDifference {
  std::uint64_t index = 0;
  float expected = 0;  // of the CPU backend
  float found = 0;
};

// One scan of f32 or f16, by one algorithm that `auto` may choose on this device.
struct SelfCheckCase {
  std::string name;  // "inclusive add of 20000 random numbers"
  std::string algorithm;
  bool promised = true;  // false: results are subnormal numbers, which a device may flush
  std::optional<SelfCheckDifference> first_difference = std::nullopt;
};

struct SelfCheck {
  // What the device's compiler does to arithmetic; WGSL allows all of it. A device that
  // reassociates gives other bits than the CPU backend; the rest matters to operators of several
  // steps.
  bool contracts = false;           // a * b + c in one rounding
  bool flushes_denormals = false;   // subnormal results or operands become zero
  bool reassociates = false;        // (a + b) + c in another order
  bool simplifies = false;          // (a + b) - a as b
  bool drops_signed_zeros = false;  // -0 + 0 as -0
  std::vector<SelfCheckCase> cases;

  // Whether every case that is promised agrees.
  bool ok() const;
};

// Takes a second or so; allocates, submits and waits. On the CPU backend nothing is compared: it is
// what the others are compared with.
// Errors: out_of_memory, device_lost, validation, stalled.
Result<SelfCheck> self_check(Device& device);

}  // namespace cumulo
