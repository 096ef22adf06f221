// The scenes: running totals of sales, what a scan is for, what a selection keeps, where items'
// places lie, and running totals of anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cumulo/error.hpp"
#include "cumulo/plan.hpp"
#include "cumulo/scan_description.hpp"
#include "cumulo/type.hpp"
#include "picture/scene.hpp"

namespace cumulo::picture {

// How the totals of the sales came about.
struct SalesFacts {
  std::string scan;              // "Hillis-Steele"
  std::optional<Counts> counts;  // of its steps, additions and barriers, where they are known
};

// Bars of `sales` below and of `totals` above, 600 x 330 pixels, from the arrays "sales" and
// "totals". Says what scan it was and what that took, and compares every total with a sequential
// sum of the sales: the verdict names the first index that differs. bad_argument unless both have
// the same size.
Result<Scene> sales_scene(std::span<const std::uint32_t> sales,
                          std::span<const std::uint32_t> totals, const SalesFacts& facts);

// All of the same size n, at most 8. keep holds flags, 1 or 0.
struct Compaction {
  std::span<const std::uint32_t> values;
  std::span<const std::uint32_t> keep;
  std::span<const std::uint32_t> inclusive;  // scan of values
  std::span<const std::uint32_t> exclusive;  // scan of values
  std::span<const std::uint32_t> slots;      // exclusive scan of keep
};

// Unit blocks of the values stacked from their exclusive scan, the flags, and the kept items in
// their slots, 600 x 360 pixels, from the arrays "values", "exclusive", "keep" and "slots".
// Compares every scan with a sequential one. bad_argument where sizes differ or n > 8.
Result<Scene> compaction_scene(const Compaction& compaction);

struct SelectionPicture {
  std::string title;                   // "compact: x > 3"
  std::span<const std::uint8_t> keep;  // a flag an element, any but 0 is set
  std::string selected = "are kept";   // what they do whose flag is set
  bool rest_follows = false;           // a partition: the others come after the kept ones
  std::uint64_t second = 0;    // of a three-way one: as many of the others come before the rest
  std::uint64_t left_out = 0;  // of what is selected, for want of room: their flags are not set
  std::string device = {};
};

// Which elements are kept, and how much of the row they fill when they are packed, for any n, 960 x
// 260 pixels. One box an element where there is room, else the share of each pixel column.
Scene selection_scene(const SelectionPicture& data);

struct AllocationPicture {
  std::string title;
  std::span<const std::uint32_t> counts;
  std::optional<std::uint64_t> capacity = std::nullopt;  // places that there are
  bool whole_items = true;  // an item has all its places or none; else the first of them
  // What is shown to be right or wrong, where it is given: n + 1 offsets; or texts of the items and
  // of each output, which is one of them.
  std::vector<std::uint64_t> offsets = {};
  std::vector<std::string> items = {};
  std::vector<std::string> outputs = {};
  std::string device = {};
};

// The places that items ask for, one after the other. Up to 8 items and 40 places: blocks of the
// counts stacked from their offsets, the offsets, and the row of places, 600 x 360 pixels. More:
// how much each part of the items asks for, and how much of the row that is, 960 x 260 pixels.
Scene allocation_scene(const AllocationPicture& data);
// Whether it is of the former kind.
bool draws_each_place(const AllocationPicture& data);

struct RunningTotals {
  ScanDescription description = {};
  std::span<const std::byte> values = {};      // n elements of description.type, aligned for it
  std::span<const std::byte> totals = {};      // result_count(description) elements
  std::optional<Scalar> total = std::nullopt;  // of all elements; shown in the title
  std::string device = {};
};

// Running totals over values, for any n and type, 960 x 540 pixels. One bar an element where there
// is room, else the smallest and largest of each pixel column (one pass over the data). NaN,
// infinities and doubles past 1e300 leave gaps, and their count is shown.
// bad_argument where a size does not fit the description.
Result<Scene> running_totals_scene(const RunningTotals& data);

}  // namespace cumulo::picture
