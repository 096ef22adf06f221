// The CPU backend's expansion.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cumulo/expand.hpp"

namespace cumulo::cpu {

// The arrays of a call, aligned to 4 bytes. `output` overlaps no other.
struct ExpandArrays {
  const std::uint32_t* counts;  // n of them, or n + 1 offsets
  const std::byte* values;      // n of them; null where the description has none
  std::byte* output;            // `capacity` of them
};

// description is valid. The report's total is the sum of the counts. Writes nothing past
// min(total, capacity) outputs. Errors: out_of_memory.
Result<ExpansionReport> expand(const ExpandDescription& description, const ExpandArrays& arrays);

}  // namespace cumulo::cpu
