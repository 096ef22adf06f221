// Items written as often as they say, by one thread; compiled for several processors and chosen at
// run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cumulo::cpu {

// Where an expansion stands, and what it reads.
struct ItemCursor {
  const std::uint32_t* counts;  // or offsets
  bool from_offsets;
  const std::byte* values;  // null: an item's value is its number, a u32
  std::uint32_t words;      // of a value
  std::uint64_t item;       // the present one
  std::uint32_t done;       // of its outputs
  std::uint64_t items;      // in all: past them nothing is written

  std::uint32_t count() const { return count_of(item); }
  std::uint32_t count_of(std::uint64_t i) const {
    return from_offsets ? counts[i + 1] - counts[i] : counts[i];
  }
};

// Writes the next `outputs` of the items to `out` and moves the cursor; there are so many left.
void fill_items(ItemCursor& cursor, std::uint32_t* out, std::size_t outputs);

}  // namespace cumulo::cpu
