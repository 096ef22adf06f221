// The CPU backend's allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cumulo/allocate.hpp"

namespace cumulo::cpu {

// The sum of counts, by all threads.
std::uint64_t sum_of_counts(std::span<const std::uint32_t> counts);

// Writes n + 1 offsets, of 8 bytes where the description is wide; counts and offsets do not
// overlap. The report's total is the sum, also where offsets of 32 bits overflow. description is
// valid. Errors: out_of_memory; unsupported, an algorithm of a GPU.
Result<AllocationReport> allocate(const AllocateDescription& description,
                                  const std::uint32_t* counts, void* offsets);

}  // namespace cumulo::cpu
