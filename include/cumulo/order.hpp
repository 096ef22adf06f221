// The one order in which every scan combines its elements (docs/ordering.md): a function of an
// element's index alone, the same for every algorithm, tile shape, subgroup width and backend.
//
//   quad   4 elements, combined one after the other
//   row    32 quads = 128 elements
//   strip  8 rows = 1,024 elements
//
// total(block) of an aligned power-of-two number of quads is the balanced tree
// total(left half) + total(right half).
// before(quad) in its row, and before(row) in its strip, are Sklansky prefixes: the aligned
// power-of-two blocks before it (largest first), folded from the right.
// base(strip) is Blelloch's downsweep: the aligned power-of-two blocks of strips before it
// (largest first), after the initial value, folded from the left.
//
//   inclusive[i] = base(strip) + ((before(row) + before(quad)) + prefix of i inside its quad)
//
// exclusive[i] is base(strip) + (before(row) + before(quad)) where i is first in its quad, else
// inclusive[i - 1].
//
// What is absent (past the end, or nothing before) is not combined at all.
#pragma once

#include <cstdint>

namespace cumulo::order {

inline constexpr std::uint32_t quad = 4;
inline constexpr std::uint32_t quads_per_row = 32;
inline constexpr std::uint32_t row = quad * quads_per_row;
inline constexpr std::uint32_t rows_per_strip = 8;
inline constexpr std::uint32_t strip = row * rows_per_strip;

}  // namespace cumulo::order
