// The one table of tile shapes, keyed by limits and features, never by product names.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "cumulo/traits.hpp"

namespace cumulo::plan {

// Bytes of workgroup memory as WebGPU counts them: each variable takes a multiple of 16.
std::uint64_t workgroup_memory(std::initializer_list<std::uint64_t> variables);

// Each is a power of two. A tile is a whole number of strips; no result depends on its size.
struct TileShape {
  std::uint32_t workgroup_size;  // invocations
  std::uint32_t tile;            // elements
  std::uint32_t tree;            // totals scanned at once by the scan of totals
};

// The largest shape that fits the limits, or nothing.
std::optional<TileShape> reduce_then_scan_shape(const Limits& limits, std::uint64_t element_bytes);

// Likewise for the single pass by workgroup memory.
std::optional<TileShape> memory_pass_shape(const Limits& limits, std::uint64_t element_bytes);
// Elements up to which it is the faster one: its tiles wait long, but three dispatches wait longer.
std::uint64_t memory_pass_limit();

// The largest of expand.wgsl; `tree` is not used.
std::optional<TileShape> expand_shape(const Limits& limits, std::uint64_t element_bytes = 4);
// Of a tile of items and outputs together: an item weighs as much as `weight` outputs.
struct ExpandShape {
  std::uint32_t workgroup_size;  // invocations
  std::uint32_t tile;            // outputs
  std::uint32_t weight;
  bool keeps_values;  // of all items, in workgroup memory
};
// What does n items and so many outputs soonest; no larger than `largest`.
ExpandShape expand_tile_shape(const TileShape& largest, const Limits& limits, std::uint64_t n,
                              std::uint64_t outputs);
// Invocations of settle_allocation.wgsl, which is one workgroup; 0 where none is allowed.
std::uint32_t settling_workgroup(const Limits& limits);

// Likewise for a reduction; `tree` entries are what a workgroup holds at once.
std::optional<TileShape> reduce_shape(const Limits& limits, std::uint64_t element_bytes);
// Totals that one workgroup folds in no time beside the rest: above them tiles are totalled in
// batches, each by one workgroup.
std::uint64_t reduce_totals_limit();

// Of mask-then-scatter with so many masks: a workgroup holds the bits of its tile and their ranks.
std::optional<TileShape> selection_shape(const Limits& limits, std::uint64_t masks);

// Which limit keeps out even the smallest of the shapes that `shape`, one of those, chooses
// from.
struct LimitTooSmall {
  const char* needs;  // "more ..."
  const char* limit;
  std::uint64_t value;
};
LimitTooSmall limit_too_small(const Limits& limits, std::uint64_t element_bytes,
                              std::optional<TileShape> (*shape)(const Limits&, std::uint64_t));

// single_pass.wgsl and small_pass.wgsl, for subgroups of 32 lanes.
struct SinglePassShape {
  std::uint32_t workgroup_size;  // invocations
  std::uint32_t rows;            // of the order, for each subgroup: 8, a strip, or 4; see any_order
  std::uint32_t direct_groups;   // groups before the own one that are read tile by tile
  std::uint32_t gate = 0;        // tiles that may start before the first have published; 0: all
  std::uint32_t gate_end = 0;    // tiles from this one on start as they like
  bool after_previous = false;   // a tile looks back once the one before has published
  bool any_order = false;        // for operators to which the order makes no difference: any rows
};

struct SmallPassShape {
  std::uint32_t rows_each;  // rows of the order, of 32 in a tile, for each subgroup
};

SinglePassShape single_pass_shape(const Limits& limits, std::uint64_t n,
                                  std::uint64_t element_bytes, bool any_order);
SmallPassShape small_pass_shape(const Limits& limits, std::uint64_t n);
std::uint64_t small_pass_tile();  // elements
// Elements up to which the small pass is the faster one.
std::uint64_t small_pass_limit();

// select_pass.wgsl, for subgroups of 32 lanes: by what keeps its registers busy.
enum class SelectionMask : std::uint8_t { flags, predicate, heads, runs, partition };
struct SelectionPassShape {
  std::uint32_t workgroup_size;  // invocations
  std::uint32_t rows;            // of 32 elements, for each subgroup: up to 32; of a partition 32
  std::uint32_t gate;            // tiles that may start before the first have published; 0: all
  std::uint32_t gate_end;        // tiles from this one on start as they like
  std::uint32_t chunk = 16;      // rows that are loaded at once after the look-back
};
SelectionPassShape selection_pass_shape(SelectionMask mask, std::uint64_t n);

// Invocations of a teaching kernel for n elements: the next power of two, or nothing above the
// limit.
std::optional<std::uint32_t> teaching_workgroup(const Limits& limits, std::uint64_t element_bytes,
                                                std::uint64_t n, std::uint32_t at_least);
std::uint32_t largest_teaching_workgroup(const Limits& limits, std::uint64_t element_bytes);

}  // namespace cumulo::plan
