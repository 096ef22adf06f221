// The one table of tile shapes, keyed by limits and features, never by product names.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "cumulo/traits.hpp"

namespace cumulo::plan {

// Bytes of workgroup memory as WebGPU counts them: each variable takes a multiple of 16.
std::uint64_t workgroup_memory(std::initializer_list<std::uint64_t> variables);

// All are powers of two. A tile is a whole number of strips; no result depends on its size.
struct TileShape {
  std::uint32_t workgroup_size;  // invocations
  std::uint32_t tile;            // elements
  std::uint32_t tree;            // totals that the scan of totals takes at once
};

// The largest shape that fits the limits, or nothing.
std::optional<TileShape> reduce_then_scan_shape(const Limits& limits, std::uint64_t element_bytes);

// The same for the single pass by workgroup memory.
std::optional<TileShape> memory_pass_shape(const Limits& limits, std::uint64_t element_bytes);
// Up to so many elements it is faster than reduce-then-scan: its tiles wait long, but three
// dispatches wait longer.
std::uint64_t memory_pass_limit();

// The largest shape for expand.wgsl that fits the limits; `tree` is not used.
std::optional<TileShape> expand_shape(const Limits& limits, std::uint64_t element_bytes = 4);
// A tile has items and outputs: an item weighs as much as `weight` outputs.
struct ExpandShape {
  std::uint32_t workgroup_size;  // invocations
  std::uint32_t tile;            // outputs
  std::uint32_t weight;
  bool keeps_values;  // workgroup memory holds the values of its items
};
// The fastest shape for n items and so many outputs; no larger than `largest`.
ExpandShape expand_tile_shape(const TileShape& largest, const Limits& limits, std::uint64_t n,
                              std::uint64_t outputs);
// Invocations of settle_allocation.wgsl, which is one workgroup; 0 where none is allowed.
std::uint32_t settling_workgroup(const Limits& limits);

// The largest shape for a reduction that fits the limits; a workgroup holds `tree` entries at once.
std::optional<TileShape> reduce_shape(const Limits& limits, std::uint64_t element_bytes);
// One workgroup folds so many totals in a time that does not matter. Where there would be more, a
// workgroup totals a batch of tiles.
std::uint64_t reduce_totals_limit();

// The largest shape for mask-then-scatter with so many masks that fits the limits: a workgroup
// holds the bits of its tile and their ranks.
std::optional<TileShape> selection_shape(const Limits& limits, std::uint64_t masks);

// Which limit is too small for the smallest shape of `shape`, one of the functions above.
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
  std::uint32_t rows;            // rows of the order in each subgroup: 4 or 8, but see any_order
  std::uint32_t direct_groups;   // groups before its own that a tile reads tile by tile
  std::uint32_t gate = 0;        // tiles that may start before the first have published; 0: all
  std::uint32_t gate_end = 0;    // tiles from this one on start as they like
  bool after_previous = false;   // a tile looks back once the one before has published
  bool any_order = false;        // the order makes no difference: any number of rows
};

struct SmallPassShape {
  std::uint32_t rows_each;  // of the 32 rows in a tile, those of one subgroup
};

SinglePassShape single_pass_shape(const Limits& limits, std::uint64_t n,
                                  std::uint64_t element_bytes, bool any_order);
SmallPassShape small_pass_shape(const Limits& limits, std::uint64_t n);
std::uint64_t small_pass_tile();  // elements
// Up to so many elements the small pass is the faster one.
std::uint64_t small_pass_limit();

// What select_pass.wgsl selects by: each needs another number of registers.
enum class SelectionMask : std::uint8_t { flags, predicate, heads, runs, partition };
struct SelectionPassShape {
  std::uint32_t workgroup_size;  // invocations
  std::uint32_t rows;            // of 32 elements, in each subgroup: up to 32; of a partition 32
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
