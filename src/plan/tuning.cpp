#include "plan/tuning.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "cumulo/order.hpp"

namespace cumulo::plan {
namespace {

std::uint32_t largest_workgroup(const Limits& limits) {
  return std::min(limits.max_invocations_per_workgroup, limits.max_workgroup_size_x);
}

// Workgroup memory of scan_tiles.wgsl and scan_totals.wgsl, in elements.
std::uint64_t scan_tiles_memory(const TileShape& s) {
  return s.tile / order::quad + s.tile / order::row + s.tile / order::strip;
}

std::uint64_t scan_totals_memory(const TileShape& s) { return std::uint64_t{s.tree} + 32; }

// The largest shape whose workgroup memory, in elements, fits.
template <class F>
std::optional<TileShape> largest_shape(const Limits& limits, std::uint64_t element_bytes,
                                       F&& memory) {
  for (const TileShape& shape :
       {TileShape{256, 4096, 1024}, TileShape{128, 4096, 512}, TileShape{128, 2048, 256},
        TileShape{64, 1024, 128}, TileShape{32, 1024, 64}, TileShape{16, 1024, 64}}) {
    if (shape.workgroup_size <= largest_workgroup(limits) &&
        memory(shape) * element_bytes <= limits.max_workgroup_memory) {
      return shape;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<TileShape> reduce_then_scan_shape(const Limits& limits, std::uint64_t element_bytes) {
  return largest_shape(limits, element_bytes, [](const TileShape& shape) {
    return std::max(scan_tiles_memory(shape), scan_totals_memory(shape));
  });
}

std::optional<TileShape> memory_pass_shape(const Limits& limits, std::uint64_t element_bytes) {
  constexpr std::uint64_t look_back = 96 + 4;  // lib/look_back_memory.wgsl, and the ticket
  return largest_shape(limits, element_bytes,
                       [](const TileShape& shape) { return scan_tiles_memory(shape) + look_back; });
}

LimitTooSmall limit_too_small(const Limits& limits, std::uint64_t element_bytes,
                              std::optional<TileShape> (*shape)(const Limits&, std::uint64_t)) {
  Limits roomy = limits;
  roomy.max_workgroup_memory = std::numeric_limits<std::uint32_t>::max();
  if (shape(roomy, element_bytes)) {
    return {"more workgroup memory", "max_workgroup_memory", limits.max_workgroup_memory};
  }
  const char* const needs = "more invocations a workgroup";
  if (limits.max_workgroup_size_x < limits.max_invocations_per_workgroup) {
    return {needs, "max_workgroup_size_x", limits.max_workgroup_size_x};
  }
  return {needs, "max_invocations_per_workgroup", limits.max_invocations_per_workgroup};
}

std::uint64_t memory_pass_limit() { return std::uint64_t{1} << 20; }

SinglePassShape single_pass_shape(std::uint64_t n, std::uint64_t element_bytes) {
  // 8 rows of words, or 4 of pairs of words, are what a lane has registers for. Smaller tiles fill
  // the device at fewer elements; beyond 2^15 tiles they have to be larger.
  const std::uint32_t rows = element_bytes > 4 || n <= std::uint64_t{1} << 23 ? 4 : 8;
  const bool is_largest = n > (std::uint64_t{256} / order::quads_per_row * rows * order::row) << 15;
  return {.workgroup_size = is_largest ? 512U : 256U, .rows = rows, .direct_groups = 4};
}

SmallPassShape small_pass_shape(const Limits& limits, std::uint64_t n) {
  // One tile is done soonest by all invocations there are; more of them crowd each other.
  return {.rows_each = n <= small_pass_tile() && largest_workgroup(limits) >= 1024 ? 1U : 2U};
}

std::uint64_t small_pass_tile() { return std::uint64_t{32} * order::row; }

std::uint64_t small_pass_limit() { return std::uint64_t{1} << 21; }

std::uint32_t largest_teaching_workgroup(const Limits& limits, std::uint64_t element_bytes) {
  // One value an invocation, and a few words beside.
  const std::uint64_t by_memory =
      limits.max_workgroup_memory < 64 ? 0 : (limits.max_workgroup_memory - 64) / element_bytes;
  return static_cast<std::uint32_t>(
      std::bit_floor(std::min<std::uint64_t>(largest_workgroup(limits), by_memory)));
}

std::optional<std::uint32_t> teaching_workgroup(const Limits& limits, std::uint64_t element_bytes,
                                                std::uint64_t n, std::uint32_t at_least) {
  const std::uint64_t most = largest_teaching_workgroup(limits, element_bytes);
  const std::uint64_t wanted = std::max<std::uint64_t>(std::bit_ceil(n), at_least);
  if (n > most || wanted > most) return std::nullopt;
  return static_cast<std::uint32_t>(wanted);
}

}  // namespace cumulo::plan
