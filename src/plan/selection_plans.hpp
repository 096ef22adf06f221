// The algorithms of a selection, as plans; plan_selection() chooses among them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cumulo/selection.hpp"
#include "plan/preprocess.hpp"
#include "plan/slices.hpp"

namespace cumulo::plan {

// One of the caller's buffers.
struct SelectionSlot {
  enum class What : std::uint8_t { array, flags, kept, indices, lengths, counts, n };

  What what;
  std::uint32_t array = 0;  // of arrays and kept ones: the array's number
  std::string name;
  std::uint32_t element_bytes = 4;
  std::uint64_t elements = 1;  // flags count in words

  bool is_written() const { return what != What::array && what != What::flags && what != What::n; }
};

// In the order of SelectionLayout and of the plan's first buffers.
std::vector<SelectionSlot> selection_slots(const SelectionDescription& description, bool counted);

// What every plan needs to know, worked out once.
struct SelectionRequest {
  const SelectionDescription& description;
  const Traits& traits;
  const SelectionLayout& layout;
  std::vector<SelectionSlot> slots;

  std::uint32_t masks() const { return description.rest == Rest::three_way ? 2 : 1; }
  std::uint32_t misalignment(std::uint32_t slot) const {
    return slot < layout.misalignments.size() ? layout.misalignments[slot] : 0;
  }
  // The number of the slot of that kind; there is one.
  std::uint32_t slot(SelectionSlot::What what, std::uint32_t array = 0) const;
  // Those that say what is selected: the predicate's columns, the flags, or the keys.
  std::vector<std::uint32_t> sources() const;
};

// A plan with the caller's buffers and nothing else.
Plan empty_selection_plan(const SelectionRequest& request, std::string_view algorithm);

// Binds what elements [begin, end) take of a source; `first` counts in words.
BoundRange bind_source(const SelectionRequest& request, std::uint32_t slot, std::uint64_t begin,
                       std::uint64_t end);
// Binds elements [begin, end) of any other slot; `first` counts in words.
BoundRange bind_slot(const SelectionRequest& request, std::uint32_t slot, std::uint64_t begin,
                     std::uint64_t end);

// The bindings of the sources, from number `binding` on, whose offsets are params.offsets, and
//   fn class_of(i: u32) -> u32     0 where element i is selected, 1 and 2 as Rest says
Result<std::string> source_text(const SelectionRequest& request, std::uint32_t binding);

// The words of struct Params of lib/select_params.wgsl.
struct SelectParams {
  std::uint64_t first_tile = 0;
  std::uint64_t first_index = 0;
  std::uint64_t all_tiles = 0;
  std::uint64_t mask_words = 0;
  std::uint64_t window_first = 0;
  std::uint64_t window = 0;
  std::uint32_t output_offset = 0;
  std::uint32_t counts_at = 0;
  std::uint64_t capacity = 0;
  std::vector<std::uint32_t> offsets = {};  // up to 12
};
std::vector<std::uint32_t> parameter_words(const SelectParams& params);

Result<Plan> plan_mask_then_scatter(const SelectionRequest& request);

}  // namespace cumulo::plan
