// The spine of a single pass, in the plan: its layout, the values that lib/spine.wgsl asks for,
// what the device must offer.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "cumulo/plan.hpp"
#include "plan/preprocess.hpp"

namespace cumulo::plan {

// In words; lib/spine.wgsl says what they are for.
struct SpineLayout {
  std::uint32_t first_block;
  std::uint32_t first_group;
  std::uint32_t first_tile;
};

namespace spine {
inline constexpr std::uint32_t line = 32;         // one descriptor for each 128 bytes
inline constexpr std::uint32_t most_blocks = 32;  // of 32 groups of 32 tiles
inline constexpr std::uint32_t most_groups = 32 * most_blocks;
inline constexpr std::uint32_t most_tiles = 32 * most_groups;
}  // namespace spine

// With blocks and groups, for most_tiles tiles; and without.
inline constexpr SpineLayout large_spine{
    spine::line, spine::line * (1 + spine::most_blocks),
    spine::line * (1 + spine::most_blocks + spine::most_groups)};
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

// Workgroup memory in bytes, each variable from a multiple of 16 on, as WebGPU counts it.
std::uint64_t workgroup_memory(std::initializer_list<std::uint64_t> variables);

}  // namespace cumulo::plan
