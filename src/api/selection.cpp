// Compact, partition, unique and runs over the two backends.
#include "cumulo/selection.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "api/impl.hpp"
#include "cpu/select.hpp"
#include "plan/selection_plans.hpp"

namespace cumulo {
namespace {

using What = plan::SelectionSlot::What;

std::unexpected<Error> refuse(std::string message) {
  return std::unexpected{Error{ErrorKind::bad_argument, std::move(message)}};
}

// Which of a run's places belongs to the next slot: each kind is taken in its order.
template <class Place>
std::vector<Place> in_order(const std::vector<plan::SelectionSlot>& slots,
                            const SelectionPlaces<Place>& places) {
  std::vector<Place> ordered;
  std::size_t kept = 0;
  for (const plan::SelectionSlot& slot : slots) {
    switch (slot.what) {
      case What::array: ordered.push_back(places.arrays[slot.array]); break;
      case What::flags: ordered.push_back(places.flags); break;
      case What::kept: ordered.push_back(places.kept[kept++]); break;
      case What::indices: ordered.push_back(places.indices); break;
      case What::lengths: ordered.push_back(places.lengths); break;
      case What::counts: ordered.push_back(places.counts); break;
      case What::n: ordered.push_back(places.n); break;
    }
  }
  return ordered;
}

std::size_t kept_arrays(const SelectionDescription& d) {
  return static_cast<std::size_t>(std::ranges::count_if(d.arrays, &SelectionArray::is_kept));
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

// An output that shares bytes with anything else of the call, if there is one.
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
        return refuse(slots[a].name + " and " + slots[b].name + " overlap: give ranges apart");
      }
    }
  }
  return {};
}

struct HostCall {
  const SelectionDescription& d;
  const SelectionInput& in;
  const SelectionOutput& out;
};

Result<void> check_sizes(const HostCall& call) {
  const auto& [d, in, out] = call;
  const auto holds = [&](const std::string& what, std::uint64_t bytes, std::uint64_t elements,
                         std::uint64_t element_bytes) -> Result<void> {
    if (bytes == elements * element_bytes) return {};
    return refuse("the " + what + " must hold " + std::to_string(elements) + " elements of " +
                  std::to_string(element_bytes) + " bytes but has " + std::to_string(bytes) +
                  " bytes");
  };
  if (in.arrays.size() != d.arrays.size() || out.kept.size() != kept_arrays(d)) {
    return refuse("the description has " + std::to_string(d.arrays.size()) + " arrays, of which " +
                  std::to_string(kept_arrays(d)) + " are kept, but the call has " +
                  std::to_string(in.arrays.size()) + " and " + std::to_string(out.kept.size()));
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < d.arrays.size(); ++k) {
    const std::uint64_t bytes = d.arrays[k].element_bytes;
    if (auto ok = holds("input " + std::to_string(k), in.arrays[k].size(), d.n, bytes); !ok) {
      return ok;
    }
    if (!d.arrays[k].is_kept) continue;
    const std::uint64_t given = out.kept[kept++].size();
    if (auto ok = holds("output " + std::to_string(k), given, result_count(d), bytes); !ok) {
      return ok;
    }
  }
  const bool flags_fit = !d.flags ? in.flags.empty()
                                  : in.flags.size() == flag_bytes(*d.flags, d.n) ||
                                        (*d.flags == FlagType::u8 && in.flags.size() == d.n);
  if (!flags_fit) {
    return refuse("flags of " + std::to_string(in.flags.size()) + " bytes for " +
                  std::to_string(d.n) + " elements");
  }
  const std::uint64_t results = result_count(d);
  if (auto ok = holds("indices", out.indices.size_bytes(), d.indices ? results : 0, 4); !ok) {
    return ok;
  }
  return holds("lengths", out.lengths.size_bytes(), d.lengths ? results : 0, 4);
}

// The call's memory in the order of the slots; of the counts nothing.
std::vector<const std::byte*> places_of(const HostCall& call,
                                        const std::vector<plan::SelectionSlot>& slots) {
  SelectionPlaces<const std::byte*> places;
  for (const auto& array : call.in.arrays) places.arrays.push_back(array.data());
  places.flags = call.in.flags.data();
  for (const auto& array : call.out.kept) places.kept.push_back(array.data());
  places.indices = reinterpret_cast<const std::byte*>(call.out.indices.data());
  places.lengths = reinterpret_cast<const std::byte*>(call.out.lengths.data());
  places.counts = nullptr;
  return in_order(slots, places);
}

std::vector<plan::SelectionSlot> slots_without_counts(const SelectionDescription& d) {
  auto slots = plan::selection_slots(d, false);
  std::erase_if(slots, [](const auto& slot) { return slot.what == What::counts; });
  return slots;
}

Result<SelectionReport> select_on_cpu(const HostCall& call, const RunOptions& run) {
  const SelectionDescription& d = call.d;
  if (auto ok = cpu::check(d); !ok) return std::unexpected{std::move(ok.error())};
  const auto slots = slots_without_counts(d);
  const cpu::SelectArrays arrays = host_arrays(places_of(call, slots), slots);
  auto counts = cpu::select(d, arrays);
  if (!counts) return std::unexpected{std::move(counts.error())};
  SelectionReport report{counts->count, counts->second, "blocked"};
  if (run.timed_runs > 0) {
    auto median = median_wall_ms(run.timed_runs, [&]() -> Result<void> {
      if (auto again = cpu::select(d, arrays); !again) return std::unexpected{again.error()};
      return {};
    });
    if (!median) return std::unexpected{std::move(median.error())};
    report.timing = Timing{*median, run.timed_runs, ClockKind::wall};
  }
  return report;
}

PlanFamily plans_of(const Device::Impl& device, const SelectionDescription& description,
                    bool counted) {
  const auto plan = [&device, description, counted](const CallerLayout& layout,
                                                    const Traits& traits) -> Result<CallerPlan> {
    auto made = plan_selection(description, traits,
                               {.same_buffer = layout.aliasing == Aliasing::same_buffer,
                                .misalignments = layout.misalignments,
                                .counted = counted,
                                .withhold = device.withhold});
    if (!made) return std::unexpected{std::move(made.error())};
    const std::size_t callers = plan::selection_slots(description, counted).size();
    std::vector<std::uint32_t> external(callers);
    for (std::uint32_t k = 0; k < callers; ++k) external[k] = k;
    return CallerPlan{std::move(*made), std::move(external)};
  };
  return {.plan = plan,
          .fallback = std::string(name(SelectionAlgorithm::mask_then_scatter)),
          .can_be_in_place = false};
}

// The buffers of one call on the host's memory.
struct Uploaded {
  std::vector<Buffer> buffers;  // one for each slot
  std::vector<CallerBuffer> callers;
};

Result<Uploaded> upload(Device& device, const HostCall& call,
                        const std::vector<plan::SelectionSlot>& slots) {
  const std::vector<const std::byte*> places = places_of(call, slots);
  Uploaded up;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    const std::uint64_t bytes = slots[k].elements * slots[k].element_bytes;
    // Flags of bytes may end within a word.
    const std::uint64_t given = slots[k].what == What::flags ? call.in.flags.size() : bytes;
    auto buffer = slots[k].is_written()
                      ? device.allocate(std::max<std::uint64_t>(bytes, 4), slots[k].name)
                      : device.upload({places[k], given}, slots[k].name);
    if (!buffer) return std::unexpected{std::move(buffer.error())};
    up.buffers.push_back(std::move(*buffer));
    up.callers.push_back({.what = slots[k].name,
                          .range = {native_buffer(up.buffers.back())},
                          .element_bytes = slots[k].element_bytes,
                          .elements = slots[k].elements,
                          .is_written = slots[k].is_written()});
  }
  return up;
}

Result<SelectionReport> select_on_gpu(Device& device, const HostCall& call, const RunOptions& run) {
  const SelectionDescription& d = call.d;
  gpu::Context& context = *device.impl().gpu;
  auto prepared = prepare_selection(device, d);
  if (!prepared) return std::unexpected{std::move(prepared.error())};
  const auto slots = plan::selection_slots(d, false);
  auto up = upload(device, call, slots);
  if (!up) return std::unexpected{std::move(up.error())};
  auto plan = prepared->impl().plans->bind(up->callers);
  if (!plan) return std::unexpected{std::move(plan.error())};
  if (auto ok = submit_recorded(context, *plan); !ok) return std::unexpected{std::move(ok.error())};

  SelectionReport report{0, 0, plan->plan().algorithm};
  if (run.timed_runs > 0) {
    auto timing = time_runs(context, *plan, run.timed_runs);
    if (!timing) return std::unexpected{std::move(timing.error())};
    report.timing = *timing;
  }
  if (auto ok = prepared->finish(); !ok) {
    if (ok.error().kind != ErrorKind::stalled || d.algorithm != SelectionAlgorithm::automatic) {
      return std::unexpected{std::move(ok.error())};
    }
    SelectionDescription safe = d;
    safe.algorithm = SelectionAlgorithm::mask_then_scatter;
    return select_on_gpu(device, {safe, call.in, call.out}, run);
  }
  std::array<std::uint32_t, 2> counts{};
  const auto words = std::as_writable_bytes(std::span{counts}.first(count_words(d)));
  if (auto ok = device.read(up->buffers.back(), 0, words); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  report.count = counts[0];
  report.second = counts[1];
  // Only what was written: the caller's memory behind it stays as it is.
  const std::uint64_t written =
      d.rest == Rest::dropped ? std::min<std::uint64_t>(report.count, result_count(d)) : d.n;
  const std::vector<const std::byte*> places = places_of(call, slots);
  for (std::size_t k = 0; k < slots.size(); ++k) {
    if (!slots[k].is_written() || slots[k].what == What::counts) continue;
    const std::span out{const_cast<std::byte*>(places[k]), written * slots[k].element_bytes};
    if (auto ok = device.read(up->buffers[k], 0, out); !ok) {
      return std::unexpected{std::move(ok.error())};
    }
  }
  return report;
}

}  // namespace

Result<SelectionReport> select_bytes(Device& device, const SelectionDescription& d,
                                     const SelectionInput& in, const SelectionOutput& out,
                                     const RunOptions& run) {
  if (auto ok = validate(d); !ok) return std::unexpected{std::move(ok.error())};
  const HostCall call{d, in, out};
  if (auto ok = check_sizes(call); !ok) return std::unexpected{std::move(ok.error())};
  const auto slots = slots_without_counts(d);
  if (auto ok = check_apart(places_of(call, slots), slots); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  return device.impl().gpu ? select_on_gpu(device, call, run) : select_on_cpu(call, run);
}

PreparedSelection::PreparedSelection(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PreparedSelection::PreparedSelection(PreparedSelection&&) noexcept = default;
PreparedSelection& PreparedSelection::operator=(PreparedSelection&&) noexcept = default;
PreparedSelection::~PreparedSelection() = default;

const SelectionDescription& PreparedSelection::description() const { return impl_->description; }

const Plan* PreparedSelection::plan() const {
  return impl_->plans ? impl_->plans->first_plan() : nullptr;
}

Result<PreparedSelection> prepare_selection(Device& device, const SelectionDescription& description,
                                            const PrepareOptions& options) {
  if (auto ok = validate(description); !ok) return std::unexpected{std::move(ok.error())};
  auto impl = std::make_unique<PreparedSelection::Impl>();
  impl->device = &device.impl();
  impl->description = description;
  impl->counted = options.counted;
  if (device.impl().gpu == nullptr) {
    if (auto ok = cpu::check(description); !ok) return std::unexpected{std::move(ok.error())};
    return PreparedSelection(std::move(impl));
  }
  impl->plans.emplace(device.impl(), plans_of(device.impl(), description, options.counted));
  // The usual case, aligned and apart, is made now: what cannot be done is said here.
  if (auto plan = impl->plans->variant({}); !plan) {
    Error error = std::move(plan.error());
    if (error.kind == ErrorKind::validation && description.predicate) {
      error = {ErrorKind::bad_argument, "predicate '" + description.predicate->name +
                                            "' does not compile: " + error.message};
    }
    return std::unexpected{std::move(error)};
  }
  return PreparedSelection(std::move(impl));
}

Result<void> PreparedSelection::finish() {
  return impl_->plans ? impl_->plans->finish() : Result<void>{};
}

Result<std::vector<CallerBuffer>> PreparedSelection::Impl::caller_buffers(
    const SelectionRanges& ranges) const {
  if (!plans) return refuse("a selection prepared for the CPU backend records no commands");
  const auto given = [](const BufferRange& range) { return range.buffer != nullptr; };
  if (auto ok = check_places(description, ranges, counted, given); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  const auto slots = plan::selection_slots(description, counted);
  const std::vector<BufferRange> ordered = in_order(slots, ranges);
  static constexpr std::array<std::string_view, 7> names{"input",   "flags",  "output", "indices",
                                                         "lengths", "counts", "count"};
  std::vector<CallerBuffer> buffers;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    buffers.push_back({.what = names[static_cast<std::size_t>(slots[k].what)],
                       .range = ordered[k],
                       .element_bytes = slots[k].element_bytes,
                       .elements = slots[k].elements,
                       .is_written = slots[k].is_written(),
                       .is_bound_alone = slots[k].what == What::n});
  }
  return buffers;
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
    const auto range = [](const BufferView& view) {
      return view.buffer == nullptr ? BufferRange{}
                                    : BufferRange{native_buffer(*view.buffer), view.offset};
    };
    SelectionRanges ranges{.arrays = {},
                           .flags = range(buffers.flags),
                           .kept = {},
                           .indices = range(buffers.indices),
                           .lengths = range(buffers.lengths),
                           .counts = range(buffers.counts),
                           .n = range(buffers.n)};
    for (const BufferView& view : buffers.arrays) ranges.arrays.push_back(range(view));
    for (const BufferView& view : buffers.kept) ranges.kept.push_back(range(view));
    auto callers = impl_->caller_buffers(ranges);
    if (!callers) return std::unexpected{std::move(callers.error())};
    auto plan = impl_->plans->bind_again(*callers);
    if (!plan) return std::unexpected{std::move(plan.error())};
    return submit_recorded(*impl_->device->gpu, **plan);
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

// Into the caller's own encoder.

BoundSelection::BoundSelection(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BoundSelection::BoundSelection(BoundSelection&&) noexcept = default;
BoundSelection& BoundSelection::operator=(BoundSelection&&) noexcept = default;
BoundSelection::~BoundSelection() = default;

const Plan& BoundSelection::plan() const { return impl_->plan.plan(); }
BufferRange BoundSelection::status() const { return status_of(impl_->plan); }

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

Result<BoundSelection> bind(PreparedSelection& selection, const SelectionRanges& ranges,
                            const BufferRange& scratch) {
  auto buffers = selection.impl().caller_buffers(ranges);
  if (!buffers) return std::unexpected{std::move(buffers.error())};
  auto plan = selection.impl().plans->bind(*buffers, scratch);
  if (!plan) return std::unexpected{std::move(plan.error())};
  return BoundSelection(std::make_unique<BoundSelection::Impl>(std::move(*plan)));
}

Result<void> record(BoundSelection& selection, WGPUCommandEncoder encoder) {
  return selection.impl().plan.record(encoder);
}

Result<void> record(BoundSelection& selection, WGPUComputePassEncoder pass) {
  return selection.impl().plan.record(pass);
}

}  // namespace cumulo
