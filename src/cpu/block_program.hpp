// A predicate's program as loops over blocks of values, compiled for several processors and chosen
// at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "predicate/program.hpp"

namespace cumulo::cpu {

// Values that a step handles at once: they stay in the first-level cache.
inline constexpr std::size_t block_values = 512;

// out[k] = step of a[k] and b[k], for k < block_values.
using BlockLoop = void (*)(const std::byte* a, const std::byte* b, std::byte* out);

// What a place holds: block_values values of one type.
enum class Carrier : std::uint8_t { truth, u32, i32, u64, i64, wide, f32, f64 };
std::size_t bytes_of(Carrier carrier);

struct BlockPlace {
  enum class Source : std::uint8_t { loop, column, index, constant };
  Source source = Source::loop;
  Carrier carrier = Carrier::truth;
  std::uint32_t column = 0;
  predicate::Step value = {};  // of a constant
};

struct BlockStep {
  BlockLoop loop = nullptr;
  std::uint32_t a = 0;  // places
  std::uint32_t b = 0;
  std::uint32_t out = 0;
};

struct BlockProgram {
  std::vector<BlockPlace> places;
  std::vector<BlockStep> steps;
  std::uint32_t result = 0;  // the place with the answers
};

BlockProgram block_program(const predicate::Program& program,
                           const std::vector<Carrier>& column_carriers);

}  // namespace cumulo::cpu
