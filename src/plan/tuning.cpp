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

// Bytes of scan_tiles.wgsl; reduce_tiles.wgsl needs less.
std::uint64_t scan_tiles_memory(const TileShape& s, std::uint64_t element) {
  const std::uint64_t quad_sums = s.tile / order::quad * element;
  const std::uint64_t row_sums = s.tile / order::row * element;
  const std::uint64_t sums = s.tile / order::strip * element;  // lib/upsweep.wgsl
  return workgroup_memory({quad_sums, row_sums, sums});
}

std::uint64_t scan_totals_memory(const TileShape& s, std::uint64_t element) {
  const std::uint64_t sums = s.tree * element;  // lib/upsweep.wgsl
  const std::uint64_t pending = 32 * element;   // lib/block_counter.wgsl
  return workgroup_memory({sums, pending});
}

// The largest shape that needs no more bytes of workgroup memory than there are.
template <class F>
std::optional<TileShape> largest_shape(const Limits& limits, std::uint64_t element_bytes,
                                       F&& memory) {
  for (const TileShape& shape :
       {TileShape{256, 4096, 1024}, TileShape{128, 4096, 512}, TileShape{128, 2048, 256},
        TileShape{64, 1024, 128}, TileShape{32, 1024, 64}, TileShape{16, 1024, 64}}) {
    if (shape.workgroup_size <= largest_workgroup(limits) &&
        memory(shape, element_bytes) <= limits.max_workgroup_memory) {
      return shape;
    }
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t workgroup_memory(std::initializer_list<std::uint64_t> variables) {
  std::uint64_t bytes = 0;
  for (const std::uint64_t variable : variables) bytes += (variable + 15) / 16 * 16;
  return bytes;
}

std::optional<TileShape> reduce_then_scan_shape(const Limits& limits, std::uint64_t element_bytes) {
  return largest_shape(limits, element_bytes, [](const TileShape& shape, std::uint64_t element) {
    return std::max(scan_tiles_memory(shape, element), scan_totals_memory(shape, element));
  });
}

std::optional<TileShape> memory_pass_shape(const Limits& limits, std::uint64_t element_bytes) {
  return largest_shape(limits, element_bytes, [](const TileShape& shape, std::uint64_t element) {
    const std::uint64_t totals_before = 96 * element;   // lib/look_back_memory.wgsl
    const std::uint64_t drawn = sizeof(std::uint32_t);  // lib/spine.wgsl
    return scan_tiles_memory(shape, element) + workgroup_memory({totals_before, drawn});
  });
}

std::optional<TileShape> reduce_shape(const Limits& limits, std::uint64_t element_bytes) {
  // 8 vectors of 16 bytes are what an invocation asks for at once; a tile has at least one strip.
  constexpr std::uint32_t strip_quads = order::strip / order::quad;
  const std::uint64_t words = element_bytes / 4;
  for (const std::uint32_t workgroup : {256U, 128U, 64U, 32U, 16U}) {
    const std::uint32_t quads_each = std::max<std::uint32_t>(
        std::bit_floor(static_cast<std::uint32_t>(8 / words)), strip_quads / workgroup);
    const std::uint32_t quads = workgroup * quads_each;
    const std::uint64_t sums = (quads + quads / 8) * element_bytes;  // lib/block_tree.wgsl
    const std::uint64_t pending = 32 * element_bytes;                // lib/block_counter.wgsl
    const std::uint64_t kept = 32 * element_bytes;                   // reduce_rest.wgsl
    const TileShape shape{workgroup, quads * order::quad, quads};
    if (workgroup <= largest_workgroup(limits) &&
        workgroup_memory({sums, pending, kept}) <= limits.max_workgroup_memory) {
      return shape;
    }
  }
  return std::nullopt;
}

std::optional<TileShape> selection_shape(const Limits& limits, std::uint64_t masks) {
  for (const std::uint32_t workgroup : {256U, 128U, 64U, 32U, 16U}) {
    const TileShape shape{workgroup, workgroup * 16, workgroup};
    const std::uint64_t tile_bits = masks * shape.tile / 8;
    // `bits` and `sums` of select_scatter.wgsl, `sums` of select_counts.wgsl; select_mask.wgsl
    // needs less.
    const std::uint64_t scatter = workgroup_memory({tile_bits, tile_bits});
    const std::uint64_t counts = workgroup_memory({std::uint64_t{shape.tree} * 4});
    if (workgroup <= largest_workgroup(limits) &&
        std::max(scatter, counts) <= limits.max_workgroup_memory) {
      return shape;
    }
  }
  return std::nullopt;
}

namespace {

// What an item weighs bounds the items of a tile, and so its workgroup memory. The least is for as
// many items as there can be: a path is counted in 32 bits.
constexpr std::uint32_t expand_weight = 4;
constexpr std::uint32_t expand_least_weight = 2;
// Where items have at least so many outputs, few are in a tile.
constexpr std::uint32_t expand_weight_of_large = 16;

// A row for each invocation, but two as outputs need not begin or end a row.
std::uint32_t expand_tile(std::uint32_t workgroup) { return workgroup * 32 - 64; }

}  // namespace

std::optional<TileShape> expand_shape(const Limits& limits, std::uint64_t element_bytes) {
  for (const std::uint32_t workgroup : {256U, 128U, 64U, 32U, 16U}) {
    const std::uint32_t tile = expand_tile(workgroup);
    // Of expand.wgsl, the start_pairs and row_items; expand_share.wgsl needs less.
    const std::uint64_t words = (tile / expand_least_weight + 4) / 2 + workgroup + 1;
    constexpr std::uint64_t rounding = 64;  // more than workgroup_memory() adds
    if (workgroup <= largest_workgroup(limits) &&
        words * element_bytes + rounding <= limits.max_workgroup_memory) {
      return TileShape{workgroup, tile, 0};
    }
  }
  return std::nullopt;
}

ExpandShape expand_tile_shape(const TileShape& largest, const Limits& limits, std::uint64_t n,
                              std::uint64_t outputs) {
  const std::uint64_t side = std::min<std::uint64_t>(limits.max_workgroups_per_dimension, 1U << 20);
  const std::uint64_t most_tiles = side * side * side;
  const auto path = [&](std::uint32_t weight) { return n * weight + outputs; };
  const auto fits = [&](std::uint32_t weight) {
    return path(weight) + largest.tile < std::uint64_t{1} << 32 &&
           path(weight) / largest.tile < most_tiles;
  };
  ExpandShape shape{largest.workgroup_size, largest.tile, expand_least_weight, false};
  if (fits(expand_weight)) shape.weight = expand_weight;
  if (outputs / expand_weight_of_large >= n && fits(expand_weight_of_large)) {
    shape.weight = expand_weight_of_large;
    shape.keeps_values = true;
  }
  // Few tiles would leave most of the device idle.
  const std::uint64_t enough_tiles = std::min<std::uint64_t>(1024, most_tiles);
  const std::uint32_t least_tile = shape.workgroup_size * 4;  // a vector for each invocation
  while (shape.tile / 2 >= least_tile && path(shape.weight) / (shape.tile / 2) < enough_tiles) {
    shape.tile /= 2;
  }
  return shape;
}

std::uint32_t settling_workgroup(const Limits& limits) {
  constexpr std::uint32_t most = 256;
  return std::bit_floor(std::min(largest_workgroup(limits), most));
}
std::uint64_t reduce_totals_limit() { return 4096; }

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

namespace {

// Small tiles fill the device at few elements; large ones wait less often for each other, as far as
// a lane has registers for them.
SinglePassShape shape_in_order(bool takes_512, std::uint64_t n, std::uint64_t element_bytes) {
  const bool in_pairs = element_bytes > 4;
  SinglePassShape shape{.workgroup_size = 256, .rows = 4, .direct_groups = 4};
  if (!in_pairs && n <= std::uint64_t{1} << 23) return shape;
  shape.gate = 220;
  shape.gate_end = 1024;
  if (in_pairs) return shape;
  if (takes_512 && n <= std::uint64_t{1} << 24) {
    shape.workgroup_size = 512;
  } else {
    shape.rows = 8;
    shape.after_previous = true;
  }
  return shape;
}

SinglePassShape shape_in_any_order(bool takes_512, std::uint64_t n, std::uint64_t element_bytes) {
  SinglePassShape shape{.workgroup_size = 256,
                        .rows = element_bytes > 4 ? 5U : 11U,
                        .direct_groups = 5,
                        .gate = 264,
                        .gate_end = 1024,
                        .any_order = true};
  if (element_bytes > 4) return shape;
  if (takes_512 && n <= std::uint64_t{1} << 25) {
    shape.workgroup_size = 512;
    shape.rows = 6;
    shape.gate = n <= std::uint64_t{1} << 23 ? 0 : 220;
  } else {
    shape.after_previous = true;
  }
  return shape;
}

}  // namespace

SinglePassShape single_pass_shape(const Limits& limits, std::uint64_t n,
                                  std::uint64_t element_bytes, bool any_order) {
  constexpr std::uint64_t most_tiles = std::uint64_t{1} << 15;
  const bool takes_512 = largest_workgroup(limits) >= 512;
  SinglePassShape shape = any_order ? shape_in_any_order(takes_512, n, element_bytes)
                                    : shape_in_order(takes_512, n, element_bytes);
  // Beyond so many tiles they have to be larger.
  const std::uint64_t tile =
      std::uint64_t{shape.workgroup_size} / order::quads_per_row * shape.rows * order::row;
  if (n > tile * most_tiles) shape.workgroup_size = 512;
  return shape;
}

SmallPassShape small_pass_shape(const Limits& limits, std::uint64_t n) {
  // One tile is done soonest by all invocations there are; more of them crowd each other.
  return {.rows_each = n <= small_pass_tile() && largest_workgroup(limits) >= 1024 ? 1U : 2U};
}

SelectionPassShape selection_pass_shape(SelectionMask mask, std::uint64_t n) {
  // Small tiles fill the device at few elements; large ones wait less often for each other.
  const bool is_small = n <= std::uint64_t{1} << 21;
  const bool is_large = n > std::uint64_t{1} << 25;
  const bool is_largest = n > std::uint64_t{1} << 28;
  if (mask == SelectionMask::partition) return {is_largest ? 512U : 256U, 32, 0, 0};
  if (is_small) return {512, 8, 0, 0};
  switch (mask) {
    case SelectionMask::flags: return {512, 32, 0, 0};
    case SelectionMask::predicate:
      if (is_largest) return {512, 28, 264, 1024};
      return is_large ? SelectionPassShape{512, 24, 264, 1024}
                      : SelectionPassShape{512, 16, 264, 1024};
    case SelectionMask::runs:
      if (is_large) return {512, 26, 0, 0};
      break;
    default: break;
  }
  return is_large ? SelectionPassShape{512, 28, 0, 0} : SelectionPassShape{512, 16, 0, 0};
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
