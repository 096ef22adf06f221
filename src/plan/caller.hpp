// A primitive as its caller meets it: which buffers are the caller's, and the plan for how they
// lie. No device is needed: buffers are compared by their addresses, and traits stand for a device.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cumulo/allocate.hpp"
#include "cumulo/expand.hpp"
#include "cumulo/indirect.hpp"
#include "cumulo/plan.hpp"
#include "cumulo/selection.hpp"

namespace cumulo {

// One of the caller's buffers, as a run needs it.
struct CallerSlot {
  std::string what;                 // for messages: "input"
  std::uint64_t element_bytes = 4;  // the offset is a multiple of that
  std::uint64_t elements = 1;       // that the run reads or writes, from the offset on
  bool is_written = false;
  bool is_bound_alone = false;    // no dispatch binds it beside another of the caller's buffers
  bool moves_in_vectors = false;  // the plan depends on CallerLayout::padded
};

// Where the buffer of a slot lies.
struct CallerPlace {
  const void* buffer = nullptr;
  std::uint64_t offset = 0;        // bytes
  std::uint64_t buffer_bytes = 0;  // of the whole buffer
};

// Whether so many bytes, from an aligned offset on, end inside a vector of 16 bytes.
constexpr bool ends_in_a_vector(std::uint64_t bytes) { return bytes % 16 != 0; }

// How the caller's buffers lie.
struct CallerLayout {
  Aliasing aliasing = Aliasing::none;
  // Of each buffer: how far the first element lies after the last offset that the device lets one
  // bind, in elements. Missing ones are 0.
  std::vector<std::uint32_t> misalignments = {};
  // Of each buffer that moves in vectors: its elements end inside a vector of 16 bytes, and the
  // buffer holds all of that vector. Missing ones are not padded.
  std::vector<bool> padded = {};

  std::uint32_t misalignment(std::size_t buffer) const {
    return buffer < misalignments.size() ? misalignments[buffer] : 0;
  }
  bool is_padded(std::size_t buffer) const { return buffer < padded.size() && padded[buffer]; }
  // Removes trailing zeros and falses, so that equal layouts compare equal.
  void trim();
  bool operator==(const CallerLayout&) const = default;
};

// A plan, and which of its buffers are the caller's, in the order of the slots.
struct CallerPlan {
  Plan plan;
  std::vector<std::uint32_t> external;
};

// A primitive's slots, and the function that makes its plans.
struct PlanFamily {
  std::vector<CallerSlot> slots;
  // withhold: for tests, see PlanOptions.
  std::function<Result<CallerPlan>(const CallerLayout& layout, const Traits& traits,
                                   std::uint32_t withhold)>
      plan;
  std::string fallback;          // the algorithm that cannot stall; empty: none can
  bool can_be_in_place = false;  // slot 1, an output, may be the same range as slot 0
};

PlanFamily plans_of(const ScanDescription& description, bool counted = false);
PlanFamily plans_of(const ReduceDescription& description, bool counted = false);
PlanFamily plans_of(const SelectionDescription& description, bool counted = false);
PlanFamily plans_of(const AllocateDescription& description, bool counted = false);
PlanFamily plans_of(const ExpandDescription& description, bool counted = false);
PlanFamily plans_of(const ArgumentsDescription& description);

// The layout of these places, and the offsets from which they are bound: the last ones that the
// device allows.
struct Arrangement {
  CallerLayout layout;
  std::vector<std::uint64_t> bound_offsets;
};
// bad_argument: an offset that is no multiple of its elements, ranges that overlap or lie too
// close.
Result<Arrangement> arrange(std::span<const CallerSlot> slots, std::span<const CallerPlace> places,
                            const Limits& limits, bool can_be_in_place);

}  // namespace cumulo
