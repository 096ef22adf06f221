#include "api/selection_places.hpp"

namespace cumulo {
namespace {

using What = plan::SelectionSlot::What;

}  // namespace

std::size_t kept_arrays(const SelectionDescription& d) {
  return static_cast<std::size_t>(std::ranges::count_if(d.arrays, &SelectionArray::is_kept));
}

cpu::SelectArrays host_arrays(const std::vector<const std::byte*>& places,
                              const std::vector<plan::SelectionSlot>& slots) {
  const auto words = [](const std::byte* p) {
    return reinterpret_cast<std::uint32_t*>(const_cast<std::byte*>(p));
  };
  cpu::SelectArrays arrays;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    switch (slots[k].what) {
      case What::array: arrays.arrays.push_back(places[k]); break;
      case What::flags: arrays.flags = places[k]; break;
      case What::kept: arrays.kept.push_back(const_cast<std::byte*>(places[k])); break;
      case What::indices: arrays.indices = words(places[k]); break;
      case What::lengths: arrays.lengths = words(places[k]); break;
      case What::counts:
      case What::n: break;
    }
  }
  return arrays;
}

Result<void> check_apart(const std::vector<const std::byte*>& places,
                         const std::vector<plan::SelectionSlot>& slots) {
  const auto end = [&](std::size_t k) {
    return places[k] + slots[k].elements * slots[k].element_bytes;
  };
  for (std::size_t a = 0; a < slots.size(); ++a) {
    for (std::size_t b = a + 1; b < slots.size(); ++b) {
      if (!slots[a].is_written() && !slots[b].is_written()) continue;
      if (slots[a].what == What::n || slots[b].what == What::n) continue;
      if (places[a] < end(b) && places[b] < end(a)) {
        return std::unexpected{
            Error{ErrorKind::bad_argument,
                  slots[a].name + " and " + slots[b].name + " overlap: give ranges apart"}};
      }
    }
  }
  return {};
}

}  // namespace cumulo
