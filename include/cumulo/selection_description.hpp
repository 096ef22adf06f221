// What to select and what to write: one description for compact, partition, unique and runs. Says
// nothing about a device.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cumulo/error.hpp"
#include "cumulo/predicate.hpp"
#include "cumulo/type.hpp"

namespace cumulo {

// How flags lie in memory, from a multiple of 4 bytes on.
enum class FlagType : std::uint8_t {
  u8,    // a byte an element; any but 0 is set
  u32,   // a word an element; any but 0 is set
  bits,  // that of element i is bit i % 32 of word i / 32
};
std::string_view name(FlagType type);
// Bytes of n flags, a multiple of 4.
std::uint64_t flag_bytes(FlagType type, std::uint64_t n);

// What becomes of elements that are not selected.
enum class Rest : std::uint8_t {
  dropped,    // compact, unique, runs
  follows,    // partition: they follow the selected ones, in their order
  three_way,  // those that `second` selects follow, then those that neither does
};

enum class SelectionAlgorithm : std::uint8_t {
  automatic,          // chosen from the description and the device's traits
  mask_then_scatter,  // a bit for each element, the scan of the tiles' counts, the writing: any GPU
  single_pass,        // one pass over the elements (two for partition): subgroups of 32 lanes
  blocked,            // on the CPU backend
};
inline constexpr std::array all_selection_algorithms{
    SelectionAlgorithm::automatic, SelectionAlgorithm::mask_then_scatter,
    SelectionAlgorithm::single_pass, SelectionAlgorithm::blocked};
std::string_view name(SelectionAlgorithm algorithm);  // "auto", "mask-then-scatter", ...
std::optional<SelectionAlgorithm> parse_selection_algorithm(std::string_view name);

// An array of n elements that is read.
struct SelectionArray {
  std::uint32_t element_bytes = 4;  // a multiple of 4, up to 64
  bool is_kept = true;              // its selected elements are written
};

// Exactly one of flags, predicate and heads says which elements are selected.
struct SelectionDescription {
  std::uint64_t n = 0;  // up to 2^32 - 1 on a GPU
  // The arrays read. The first ones are the predicate's columns, in their order; `heads` looks at
  // array 0.
  std::vector<SelectionArray> arrays = {};

  std::optional<FlagType> flags = std::nullopt;
  std::optional<Predicate> predicate = std::nullopt;
  std::optional<Predicate> second = std::nullopt;  // with Rest::three_way, of the same columns
  // The first element of each run of equal ones: those whose bytes differ from the one before.
  bool heads = false;

  Rest rest = Rest::dropped;
  bool indices = false;  // writes the index of each element as a u32 (of a run: its start)
  bool lengths = false;  // with heads: writes the length of each run as a u32
  // With Rest::dropped: results written at most. The count still says how many there were.
  std::uint64_t capacity = std::numeric_limits<std::uint64_t>::max();

  SelectionAlgorithm algorithm = SelectionAlgorithm::automatic;
};

// Results that each output must have room for: n, or the capacity where that is less.
constexpr std::uint64_t result_count(const SelectionDescription& d) {
  return d.capacity < d.n ? d.capacity : d.n;
}
// Words of the counts: how many were selected and, with Rest::three_way, how many by `second`.
constexpr std::uint32_t count_words(const SelectionDescription& d) {
  return d.rest == Rest::three_way ? 2 : 1;
}
// "compact", "partition", "three-way partition", "unique" or "runs"
std::string primitive_name(const SelectionDescription& d);

// bad_argument where the description contradicts itself: no or two ways to select, an element's
// size, columns that are not the arrays', nothing to write.
Result<void> validate(const SelectionDescription& description);

}  // namespace cumulo
