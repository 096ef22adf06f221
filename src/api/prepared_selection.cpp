// Prepared selections: between buffers of a device, and in a program's own encoder.
#include <algorithm>
#include <array>
#include <cstring>

#include "api/prepared_selection.hpp"
#include "api/selection_places.hpp"
#include "api/views.hpp"

namespace cumulo {
namespace {

using What = plan::SelectionSlot::What;

std::unexpected<Error> refuse(std::string message) {
  return std::unexpected{Error{ErrorKind::bad_argument, std::move(message)}};
}

// The lists have the description's lengths; single places are told by `given`.
template <class Places, class Given>
Result<void> check_places(const SelectionDescription& d, const Places& places, bool counted,
                          Given&& given) {
  if (places.arrays.size() != d.arrays.size() || places.kept.size() != kept_arrays(d)) {
    return refuse("the description has " + std::to_string(d.arrays.size()) + " arrays, of which " +
                  std::to_string(kept_arrays(d)) + " are kept, but the run has " +
                  std::to_string(places.arrays.size()) + " and " +
                  std::to_string(places.kept.size()));
  }
  const auto asked = [&](const char* what, const auto& place, bool wanted) -> Result<void> {
    if (given(place) == wanted) return {};
    return refuse(
        std::string("the run ") + (wanted ? "lacks" : "has") + " a place of the " + what +
        (wanted ? ", which the description asks for" : ", which the description does not ask for"));
  };
  if (auto ok = asked("flags", places.flags, d.flags.has_value()); !ok) return ok;
  if (auto ok = asked("indices", places.indices, d.indices); !ok) return ok;
  if (auto ok = asked("lengths", places.lengths, d.lengths); !ok) return ok;
  if (auto ok = asked("counts", places.counts, true); !ok) return ok;
  return asked("number of elements", places.n, counted);
}

}  // namespace

PreparedSelection::PreparedSelection(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PreparedSelection::PreparedSelection(PreparedSelection&&) noexcept = default;
PreparedSelection& PreparedSelection::operator=(PreparedSelection&&) noexcept = default;
PreparedSelection::~PreparedSelection() = default;

const SelectionDescription& PreparedSelection::description() const { return impl_->description; }

const Plan* PreparedSelection::plan() const { return impl_->first_plan(); }

Result<PreparedSelection> prepare_selection(Device& device, const SelectionDescription& description,
                                            const PrepareOptions& options) {
  if (auto ok = validate(description); !ok) return std::unexpected{std::move(ok.error())};
  auto impl = std::make_unique<PreparedSelection::Impl>();
  impl->description = description;
  if (device.impl().gpu == nullptr) {
    if (auto ok = cpu::check(description); !ok) return std::unexpected{std::move(ok.error())};
  }
  auto ready =
      impl->prepare(device, options, plans_of(description, options.counted), description.n);
  if (!ready) {
    Error error = std::move(ready.error());
    if (error.kind == ErrorKind::validation && description.predicate) {
      error = {ErrorKind::bad_argument, "predicate '" + description.predicate->name +
                                            "' does not compile: " + error.message};
    }
    return std::unexpected{std::move(error)};
  }
  return PreparedSelection(std::move(impl));
}

Result<void> PreparedSelection::finish() { return impl_->finish(); }

Result<std::vector<BufferRange>> PreparedSelection::Impl::caller_ranges(
    const SelectionRanges& ranges) const {
  if (!plans) return refuse("a selection prepared for the CPU backend records no commands");
  const auto given = [](const BufferRange& range) { return range.buffer != nullptr; };
  if (auto ok = check_places(description, ranges, counted, given); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  return in_order(plan::selection_slots(description, counted), ranges);
}

Result<void> PreparedSelection::run(const SelectionBuffers& buffers) {
  const SelectionDescription& d = impl_->description;
  const auto given = [](const BufferView& view) { return view.buffer != nullptr; };
  if (auto ok = check_places(d, buffers, impl_->counted, given); !ok) return ok;
  const auto slots = plan::selection_slots(d, impl_->counted);
  const std::vector<BufferView> ordered = in_order(slots, buffers);
  for (std::size_t k = 0; k < slots.size(); ++k) {
    const auto& [buffer, offset] = ordered[k];
    if (buffer == nullptr) return refuse("the buffer of " + slots[k].name + " is null");
    if (buffer->impl().owner != impl_->device) {
      return refuse("a buffer belongs to another device than the selection");
    }
    const std::uint64_t bytes = slots[k].elements * slots[k].element_bytes;
    if (offset > buffer->bytes() || bytes > buffer->bytes() - offset ||
        offset % slots[k].element_bytes != 0) {
      return refuse(slots[k].name + " takes " + std::to_string(bytes) +
                    " bytes from a multiple of " + std::to_string(slots[k].element_bytes) +
                    " bytes on; its buffer has " + std::to_string(buffer->bytes()) +
                    " and the offset is " + std::to_string(offset));
    }
  }
  if (impl_->plans) {
    SelectionRanges ranges{.arrays = {},
                           .flags = range_of(buffers.flags),
                           .kept = {},
                           .indices = range_of(buffers.indices),
                           .lengths = range_of(buffers.lengths),
                           .counts = range_of(buffers.counts),
                           .n = range_of(buffers.n)};
    for (const BufferView& view : buffers.arrays) ranges.arrays.push_back(range_of(view));
    for (const BufferView& view : buffers.kept) ranges.kept.push_back(range_of(view));
    auto callers = impl_->caller_ranges(ranges);
    if (!callers) return std::unexpected{std::move(callers.error())};
    return impl_->PreparedCall::run(*callers);
  }
  std::vector<const std::byte*> places;
  for (const BufferView& view : ordered) {
    places.push_back(view.buffer->impl().host.get() + view.offset);
  }
  if (auto ok = check_apart(places, slots); !ok) return ok;
  SelectionDescription counted = d;
  if (impl_->counted) {
    std::uint32_t n = 0;
    std::memcpy(&n, places.back(), sizeof n);
    counted.capacity = result_count(d);
    counted.n = std::min<std::uint64_t>(d.n, n);
  }
  auto counts = cpu::select(counted, host_arrays(places, slots));
  if (!counts) return std::unexpected{std::move(counts.error())};
  const std::array<std::uint32_t, 2> words{static_cast<std::uint32_t>(counts->count),
                                           static_cast<std::uint32_t>(counts->second)};
  const auto at = std::ranges::find(slots, What::counts, &plan::SelectionSlot::what);
  std::memcpy(const_cast<std::byte*>(places[static_cast<std::size_t>(at - slots.begin())]),
              words.data(), count_words(d) * sizeof(std::uint32_t));
  return {};
}

std::uint64_t scratch_size(const PreparedSelection& selection) {
  const auto& plans = selection.impl().plans;
  if (!plans) return 0;
  // How the buffers lie is not known yet: enough for every way.
  std::vector<CallerLayout> ways{{}, {.aliasing = Aliasing::same_buffer}};
  const std::size_t slots =
      plan::selection_slots(selection.description(), selection.impl().counted).size();
  for (std::size_t k = 0; k < slots; ++k) {
    std::vector<std::uint32_t> misalignments(slots, 0);
    misalignments[k] = 1;
    ways.push_back({.misalignments = std::move(misalignments)});
  }
  return plans->scratch_size(ways);
}

Result<BoundCall> bind(PreparedSelection& selection, const SelectionRanges& ranges,
                       const BufferRange& scratch) {
  auto buffers = selection.impl().caller_ranges(ranges);
  if (!buffers) return std::unexpected{std::move(buffers.error())};
  return selection.impl().bind(*buffers, scratch);
}

}  // namespace cumulo
