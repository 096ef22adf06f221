// Compact, partition, unique and runs of host memory over the two backends.
#include "cumulo/selection.hpp"

#include <algorithm>
#include <array>

#include "api/prepared_selection.hpp"
#include "api/selection_places.hpp"
#include "api/views.hpp"

namespace cumulo {
namespace {

using What = plan::SelectionSlot::What;

std::unexpected<Error> refuse(std::string message) {
  return std::unexpected{Error{ErrorKind::bad_argument, std::move(message)}};
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
  const auto once = [&] { return cpu::select(d, arrays); };
  auto counts = once();
  if (!counts) return std::unexpected{std::move(counts.error())};
  SelectionReport report{counts->count, counts->second, "blocked"};
  if (auto timed = time_on_host(run, once, report.timing); !timed) {
    return std::unexpected{std::move(timed.error())};
  }
  return report;
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
  std::vector<BufferRange> ranges;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    const std::uint64_t bytes = slots[k].elements * slots[k].element_bytes;
    // Flags of bytes may end within a word.
    const std::uint64_t given = slots[k].what == What::flags ? call.in.flags.size() : bytes;
    auto buffer = slots[k].is_written()
                      ? device.allocate(std::max<std::uint64_t>(bytes, 4), slots[k].name)
                      : device.upload({places[k], given}, slots[k].name);
    if (!buffer) return std::unexpected{std::move(buffer.error())};
    up.buffers.push_back(std::move(*buffer));
    ranges.push_back({native_buffer(up.buffers.back())});
  }
  up.callers = at_ranges(plans_of(call.d).slots, ranges);
  return up;
}

Result<SelectionReport> select_on_gpu(Device& device, const HostCall& call, const RunOptions& run) {
  const SelectionDescription& d = call.d;
  auto prepared = prepare_selection(device, d);
  if (!prepared) return std::unexpected{std::move(prepared.error())};
  const auto slots = plan::selection_slots(d, false);
  auto up = upload(device, call, slots);
  if (!up) return std::unexpected{std::move(up.error())};
  auto ran = run_and_finish(device.impl(), *prepared->impl().plans, up->callers, run);
  if (!ran) {
    if (ran.error().kind != ErrorKind::stalled || d.algorithm != SelectionAlgorithm::automatic) {
      return std::unexpected{std::move(ran.error())};
    }
    SelectionDescription safe = d;
    safe.algorithm = SelectionAlgorithm::mask_then_scatter;
    return select_on_gpu(device, {safe, call.in, call.out}, run);
  }
  SelectionReport report{0, 0, std::move(ran->algorithm), ran->timing};
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

}  // namespace cumulo
