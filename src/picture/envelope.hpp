// The smallest and largest element of every column of a chart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cumulo/type.hpp"

namespace cumulo::picture {

// Elements of larger size are left out, as NaN and the infinities are.
inline constexpr double largest_drawable = 1e300;

// Slot i of a chart holds element i; a column holds the slots [c * slots / columns, (c + 1) * slots
// / columns). With joined columns each also takes the first element of the next, so that a steep
// curve has no holes between columns.
struct ColumnLayout {
  std::uint64_t slots = 0;
  std::uint32_t columns = 0;
  bool joined = false;
};

struct Envelope {
  std::vector<double> low;  // of each column; low > high where all of a column is left out
  std::vector<double> high;
  double smallest = 0;  // of all elements drawn, and 0
  double largest = 0;
  std::uint64_t left_out = 0;
};

// One pass over the elements, of which there are at most layout.slots.
Envelope envelope(Type type, std::span<const std::byte> elements, const ColumnLayout& layout);

}  // namespace cumulo::picture
