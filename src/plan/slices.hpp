// Cutting a primitive's elements into slices: each within one binding and one grid.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "cumulo/plan.hpp"
#include "plan/scan_plans.hpp"

namespace cumulo::plan {

// Elements [begin, end), in scan order.
struct Slice {
  std::uint64_t begin;
  std::uint64_t end;
};

struct BoundRange {
  PlanBinding binding;
  std::uint32_t first;  // where the range asked for begins in the binding, in elements
};

// Binds elements [begin, end) of a buffer, from the last offset before them that the device allows.
BoundRange bind_range(const Limits& limits, std::uint32_t buffer, std::uint64_t element_bytes,
                      std::uint64_t begin, std::uint64_t end);

// The same for elements of the input or output.
BoundRange bind_elements(const ScanRequest& request, std::uint32_t buffer, std::uint64_t begin,
                         std::uint64_t end);

// Where a slice lies in the caller's buffers: what to bind, and its places there, in elements.
struct BoundSlice {
  PlanBinding in;
  PlanBinding out;  // its results; with holds_initial, the initial value too
  std::uint32_t in_offset;
  std::uint32_t out_offset;
  std::uint32_t initial_at;
  bool holds_initial;
};
BoundSlice bind_slice(const ScanRequest& request, const Slice& slice);

// What kernels are told of a slice, which begins where a tile of `tile` elements does.
SliceParams slice_params(const ScanRequest& request, const Slice& slice, const BoundSlice& bound,
                         std::uint64_t tile);

// The note in a plan of so many slices.
std::string slices_note(std::size_t slices);

// Bindings are of whole words, and halves may end in the middle of one.
constexpr std::uint64_t whole_words(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }

constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

// A grid of at least `groups` workgroups with as few surplus ones as rounding allows.
std::array<std::uint32_t, 3> fold_grid(std::uint64_t groups, std::uint64_t limit);

// Each slice takes up to two dispatches and a buffer: more would be slow to plan and slower to run.
inline constexpr std::uint64_t most_slices = std::uint64_t{1} << 16;

// How many elements a binding holds wherever they begin, with room for one more: a whole number of
// tiles.
std::uint64_t binding_capacity(const Limits& limits, std::uint64_t element_bytes,
                               std::uint64_t tile);

// How many elements one dispatch can take, with a workgroup for each tile: no more than a binding
// holds or a grid has workgroups for; a whole number of tiles.
std::uint64_t slice_capacity(const Limits& limits, std::uint64_t element_bytes, std::uint64_t tile);

}  // namespace cumulo::plan
