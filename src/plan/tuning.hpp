// The one table of tile shapes, keyed by limits and features, never by product names.
#pragma once

#include <cstdint>
#include <optional>

#include "cumulo/traits.hpp"

namespace cumulo::plan {

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

// Which limit keeps out even the smallest of the shapes that `shape`, one of those two, chooses
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
  std::uint32_t rows;            // of the order, for each subgroup: 8, a strip, or 4
  std::uint32_t direct_groups;   // groups before the own one that are read tile by tile
};

struct SmallPassShape {
  std::uint32_t rows_each;  // rows of the order, of 32 in a tile, for each subgroup
};

SinglePassShape single_pass_shape(std::uint64_t n, std::uint64_t element_bytes);
SmallPassShape small_pass_shape(const Limits& limits, std::uint64_t n);
std::uint64_t small_pass_tile();  // elements
// Elements up to which the small pass is the faster one.
std::uint64_t small_pass_limit();

// Invocations of a teaching kernel for n elements: the next power of two, or nothing above the
// limit.
std::optional<std::uint32_t> teaching_workgroup(const Limits& limits, std::uint64_t element_bytes,
                                                std::uint64_t n, std::uint32_t at_least);
std::uint32_t largest_teaching_workgroup(const Limits& limits, std::uint64_t element_bytes);

}  // namespace cumulo::plan
