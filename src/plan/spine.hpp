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

  // Room for so many blocks of 32 groups of 32 tiles.
  static constexpr SpineLayout of_blocks(std::uint32_t blocks) {
    return {spine::line, spine::line * (1 + blocks), spine::line * (1 + blocks + 32 * blocks)};
  }
  // By its blocks.
  constexpr std::uint64_t most_tiles() const {
    return std::uint64_t{first_group - first_block} / spine::line * 1024;
  }
};

// One tile holds the blocks' totals in a subgroup's lanes; and, where a block's descriptor has all
// before it, as many as tickets number.
inline constexpr SpineLayout large_spine = SpineLayout::of_blocks(32);
inline constexpr SpineLayout largest_spine = SpineLayout::of_blocks(128);
// Of tiles that read all descriptors before them.
inline constexpr SpineLayout small_spine{spine::line, spine::line, spine::line};
// Of lib/look_back_count.wgsl: two words a block, two sets of groups.
inline constexpr std::uint32_t most_count_tiles = 65535;
inline constexpr SpineLayout count_spine{2 * spine::line, 10 * spine::line,
                                         10 * spine::line + 2 * 2048 * spine::line};

// What its atomics are: words of 64 bits hold a value of 32 beside its tag.
enum class SpineWord : std::uint8_t { u32, u64 };

void add_spine_values(Values& values, const Traits& traits, std::uint32_t withhold,
                      const SpineLayout& layout, SpineWord word);

// Runs until a tag of so many bits, the highest of them always set, comes again.
constexpr std::uint32_t runs_of_tag(std::uint32_t bits) { return 1U << (bits - 1); }

// Adds the spine, with its status and renewal; returns its number.
std::uint32_t add_spine(Plan& plan, const SpineLayout& layout, std::uint64_t tiles, SpineWord word,
                        std::uint32_t tag_bits = 16);

}  // namespace cumulo::plan
