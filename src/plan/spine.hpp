// The spine of a single pass, in the plan: its layout, the values that lib/spine.wgsl asks for,
// what the device must offer.
#pragma once

#include <cstdint>

#include "cumulo/plan.hpp"
#include "plan/preprocess.hpp"

namespace cumulo::plan {

namespace spine {
inline constexpr std::uint32_t line = 32;  // words: one descriptor for each 128 bytes
}  // namespace spine

// In words; lib/spine.wgsl says what they are for.
struct SpineLayout {
  std::uint32_t first_block;
  std::uint32_t first_group;
  std::uint32_t first_tile;

  // With room for so many blocks, each of 32 groups of 32 tiles.
  static constexpr SpineLayout of_blocks(std::uint32_t blocks) {
    return {spine::line, spine::line * (1 + blocks), spine::line * (1 + blocks + 32 * blocks)};
  }
  // As many as the blocks hold.
  constexpr std::uint64_t most_tiles() const {
    return std::uint64_t{first_group - first_block} / spine::line * 1024;
  }
};

// A subgroup holds the totals of all blocks, one a lane: at most 32.
inline constexpr SpineLayout large_spine = SpineLayout::of_blocks(32);
// Scans in any order read one block's descriptor, which has all before it. So only the bits of a
// ticket limit the tiles: 128 blocks have 2^17.
inline constexpr SpineLayout largest_spine = SpineLayout::of_blocks(128);
// Every tile reads the descriptors of all tiles before it: no groups or blocks.
inline constexpr SpineLayout small_spine{spine::line, spine::line, spine::line};
// For lib/look_back_count.wgsl: two words a block, two sets of groups.
inline constexpr std::uint32_t most_count_tiles = 65535;
inline constexpr SpineLayout count_spine{2 * spine::line, 10 * spine::line,
                                         10 * spine::line + 2 * 2048 * spine::line};

// The type of its atomics. In 64 bits a word of a value stands beside its tag.
enum class SpineWord : std::uint8_t { u32, u64 };

void add_spine_values(Values& values, const Traits& traits, std::uint32_t withhold,
                      const SpineLayout& layout, SpineWord word);

// After how many runs a tag of so many bits recurs; its highest bit is always set.
constexpr std::uint32_t runs_of_tag(std::uint32_t bits) { return 1U << (bits - 1); }

// Adds the spine, with its status and renewal; returns its number.
std::uint32_t add_spine(Plan& plan, const SpineLayout& layout, std::uint64_t tiles, SpineWord word,
                        std::uint32_t tag_bits = 16);

}  // namespace cumulo::plan
