// The places of a selection's run in the order of its slots, for host memory and for buffers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "cpu/select.hpp"
#include "cumulo/selection.hpp"
#include "plan/selection_plans.hpp"

namespace cumulo {

// Each kind of place is taken in its order.
template <class Place>
std::vector<Place> in_order(const std::vector<plan::SelectionSlot>& slots,
                            const SelectionPlaces<Place>& places) {
  std::vector<Place> ordered;
  std::size_t kept = 0;
  for (const plan::SelectionSlot& slot : slots) {
    switch (slot.what) {
      case plan::SelectionSlot::What::array: ordered.push_back(places.arrays[slot.array]); break;
      case plan::SelectionSlot::What::flags: ordered.push_back(places.flags); break;
      case plan::SelectionSlot::What::kept: ordered.push_back(places.kept[kept++]); break;
      case plan::SelectionSlot::What::indices: ordered.push_back(places.indices); break;
      case plan::SelectionSlot::What::lengths: ordered.push_back(places.lengths); break;
      case plan::SelectionSlot::What::counts: ordered.push_back(places.counts); break;
      case plan::SelectionSlot::What::n: ordered.push_back(places.n); break;
    }
  }
  return ordered;
}

// How many of its arrays a description keeps.
std::size_t kept_arrays(const SelectionDescription& d);

// What the CPU backend takes. The outputs among the places may be written.
cpu::SelectArrays host_arrays(const std::vector<const std::byte*>& places,
                              const std::vector<plan::SelectionSlot>& slots);

// bad_argument: an output shares bytes with anything else of the call.
Result<void> check_apart(const std::vector<const std::byte*>& places,
                         const std::vector<plan::SelectionSlot>& slots);

}  // namespace cumulo
