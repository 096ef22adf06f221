// The algorithms of a selection, as plans; plan_selection() chooses among them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cumulo/selection.hpp"
#include "plan/preprocess.hpp"
#include "plan/slices.hpp"
#include "plan/tuning.hpp"

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

// All of them, in the order of SelectionLayout and of the plan's first buffers.
std::vector<SelectionSlot> selection_slots(const SelectionDescription& description, bool counted);

// What the planners of all algorithms need to know.
struct SelectionRequest {
  const SelectionDescription& description;
  const Traits& traits;
  const SelectionLayout& layout;
  std::vector<SelectionSlot> slots;

  std::uint32_t masks() const { return description.rest == Rest::three_way ? 2 : 1; }
  std::uint32_t misalignment(std::uint32_t slot) const {
    return slot < layout.misalignments.size() ? layout.misalignments[slot] : 0;
  }
  // The number of the slot of that kind, which must be there.
  std::uint32_t slot(SelectionSlot::What what, std::uint32_t array = 0) const;
  // The slots that decide what is selected: the predicate's columns, the flags, or array 0.
  std::vector<std::uint32_t> sources() const;
};

// A plan with the caller's buffers and nothing else.
Plan empty_selection_plan(const SelectionRequest& request, std::string_view algorithm);

// Binds what decides about elements [begin, end) in one of the sources; `first` counts in words.
BoundRange bind_source(const SelectionRequest& request, std::uint32_t slot, std::uint64_t begin,
                       std::uint64_t end);
// Binds elements [begin, end) of any other slot; `first` counts in words.
BoundRange bind_slot(const SelectionRequest& request, std::uint32_t slot, std::uint64_t begin,
                     std::uint64_t end);

// WGSL: the bindings of the sources, from number `binding` on, with their offsets in
// params.offsets, and
//   fn class_of(i: u32) -> u32     0 where element i is selected; 1 and 2 as Rest says
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
  std::vector<std::uint32_t> offsets = {};  // up to 20
};
std::vector<std::uint32_t> parameter_words(const SelectParams& params);

// "params.offsets[k]" in WGSL, where offsets lie four in a vector.
std::string offset_text(std::size_t k);

Result<Plan> plan_mask_then_scatter(const SelectionRequest& request);
// In the shape that suits the device and n, or in one given (for measurements).
Result<Plan> plan_selection_pass(const SelectionRequest& request);
Result<Plan> plan_selection_pass(const SelectionRequest& request, const SelectionPassShape& shape);

SelectionRequest make_request(const SelectionDescription& description, const Traits& traits,
                              const SelectionLayout& layout);

}  // namespace cumulo::plan
