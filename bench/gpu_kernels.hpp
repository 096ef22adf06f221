// The benchmark's own kernels on a GPU: copies to compare with, poison, and the check of a result.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/context.hpp"

namespace cumulo::bench {

// One dispatch, ready to be recorded.
struct Dispatch {
  const gpu::Pipeline* pipeline = nullptr;
  std::optional<gpu::NativeBuffer> parameters = std::nullopt;
  gpu::BindGroup group;
  std::array<std::uint32_t, 2> workgroups{1, 1};
};

// What takes several dispatches where one binding does not hold all of it.
using Dispatches = std::vector<Dispatch>;

// Each in a pass of its own.
void record(WGPUCommandEncoder encoder, const Dispatch& dispatch);
void record(WGPUCommandEncoder encoder, const Dispatches& dispatches);

// In x, of all of them.
inline std::uint32_t workgroups_of(const Dispatches& dispatches) {
  std::uint32_t workgroups = 0;
  for (const Dispatch& dispatch : dispatches) workgroups += dispatch.workgroups[0];
  return workgroups;
}

struct CopyShape {
  std::uint32_t vectors = 1;  // of 16 bytes, for each invocation
  std::uint32_t workgroup = 256;
  bool inverted = false;  // stores complements: poison, by the same traffic as a copy
};

inline constexpr std::array copy_shapes{CopyShape{1, 128}, CopyShape{2, 128}, CopyShape{4, 128},
                                        CopyShape{8, 128}, CopyShape{1, 256}, CopyShape{2, 256},
                                        CopyShape{4, 256}, CopyShape{8, 256}, CopyShape{1, 512},
                                        CopyShape{2, 512}, CopyShape{4, 512}, CopyShape{8, 512}};

struct BufferRange {
  WGPUBuffer buffer = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;  // one that the device lets one bind
};

// Both ranges have the same bytes, a multiple of 16.
Result<Dispatches> make_copy(gpu::Context& context, const CopyShape& shape, const BufferRange& from,
                             const BufferRange& to);

// Does nothing with it.
Result<Dispatch> make_empty(gpu::Context& context, const BufferRange& unused);

// found[found_at + i] == expected[expected_at + i] for all `words`; the outcome goes to verdict
// number `verdict`. The buffers are of any size.
struct Comparison {
  BufferRange expected;
  BufferRange found;
  BufferRange verdicts;
  std::uint32_t words = 0;
  std::uint32_t expected_at = 0;
  std::uint32_t found_at = 0;
  std::uint32_t verdict = 0;
  bool halves = false;  // of words; words, expected_at and found_at count those then
};
Result<Dispatches> make_comparison(gpu::Context& context, const Comparison& comparison);

// Adds the digest of `words` words (bench/digest.hpp) to the two at the beginning of `digest`.
Result<Dispatch> make_digest(gpu::Context& context, const BufferRange& found, std::uint32_t words,
                             const BufferRange& digest);

// What the comparisons with one verdict found, as they leave it in the buffer.
struct Verdict {
  std::uint32_t from_end =
      0;  // words - index of the first word, or half, that differs; 0: none does
  std::uint32_t workgroups = 0;  // that have compared their part
};

}  // namespace cumulo::bench
