// How the caller's buffers lie, and what a plan must know of it.
#include "plan/caller.hpp"

#include <string>

namespace cumulo {
namespace {

// One of the caller's buffers, bound from the last offset that the device allows.
struct Placed {
  const CallerSlot& slot;
  const CallerPlace& place;
  std::uint64_t bound;         // bytes
  std::uint32_t misalignment;  // elements from there to the caller's first

  std::uint64_t begin() const { return place.offset; }
  std::uint64_t end() const { return place.offset + slot.elements * slot.element_bytes; }
};

Result<Placed> placed(const CallerSlot& slot, const CallerPlace& place, const Limits& limits) {
  if (place.offset % slot.element_bytes != 0) {
    return std::unexpected{bad_argument(
        "the offset of the " + slot.what + ", " + std::to_string(place.offset) +
        " bytes, is no multiple of its elements' " + std::to_string(slot.element_bytes))};
  }
  const auto misalignment = static_cast<std::uint32_t>(place.offset / slot.element_bytes %
                                                       binding_period(slot.element_bytes, limits));
  return Placed{slot, place, place.offset - misalignment * slot.element_bytes, misalignment};
}

// Whether the last elements lie in a vector of 16 bytes that the buffer holds to its end.
bool is_padded(const Placed& buffer) {
  if (!buffer.slot.moves_in_vectors) return false;
  const std::uint64_t bytes = buffer.end() - buffer.bound;
  const std::uint64_t held = buffer.place.buffer_bytes - buffer.bound;
  return ends_in_a_vector(bytes) && bytes <= held && (bytes + 15) / 16 * 16 <= held;
}

// Whether one buffer can hold both ranges, of which one is written, and how the kernels must bind
// it then.
Result<Aliasing> aliasing_of(const Placed& a, const Placed& b, bool can_be_in_place) {
  if (a.place.buffer != b.place.buffer) return Aliasing::none;
  if (can_be_in_place && a.begin() == b.begin()) return Aliasing::in_place;
  const std::string both = a.slot.what + " and " + b.slot.what;
  if (a.begin() < b.end() && b.begin() < a.end()) {
    return std::unexpected{bad_argument(both + " overlap in one buffer: give " +
                                        (can_be_in_place ? "the same range, or " : "") +
                                        "ranges apart")};
  }
  if (a.bound < b.end() && b.bound < a.end()) {
    return std::unexpected{bad_argument(
        both +
        " lie so close in one buffer that their aligned ranges overlap: keep the later "
        "one's start, rounded down to the device's storage offset alignment, past the "
        "earlier one's end")};
  }
  return a.slot.is_written && b.slot.is_written ? Aliasing::none : Aliasing::same_buffer;
}

}  // namespace

void CallerLayout::trim() {
  while (!misalignments.empty() && misalignments.back() == 0) misalignments.pop_back();
  while (!padded.empty() && !padded.back()) padded.pop_back();
}

Result<Arrangement> arrange(std::span<const CallerSlot> slots, std::span<const CallerPlace> places,
                            const Limits& limits, bool can_be_in_place) {
  Arrangement arrangement;
  CallerLayout& layout = arrangement.layout;
  std::vector<Placed> buffers;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    auto at = placed(slots[k], places[k], limits);
    if (!at) return std::unexpected{std::move(at.error())};
    layout.misalignments.push_back(at->misalignment);
    layout.padded.push_back(is_padded(*at));
    arrangement.bound_offsets.push_back(at->bound);
    buffers.push_back(*at);
  }
  for (std::size_t a = 0; a < buffers.size(); ++a) {
    for (std::size_t b = a + 1; b < buffers.size(); ++b) {
      const CallerSlot& one = buffers[a].slot;
      const CallerSlot& other = buffers[b].slot;
      if (!one.is_written && !other.is_written) continue;
      if (one.is_bound_alone || other.is_bound_alone) continue;
      auto aliasing = aliasing_of(buffers[a], buffers[b], can_be_in_place && a == 0 && b == 1);
      if (!aliasing) return std::unexpected{std::move(aliasing.error())};
      if (layout.aliasing == Aliasing::none) layout.aliasing = *aliasing;
    }
  }
  if (layout.aliasing == Aliasing::same_buffer) layout.padded.clear();
  layout.trim();
  return arrangement;
}

}  // namespace cumulo
