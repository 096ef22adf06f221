// Allocation: items that want counts[i] units each, one after the other in one output. Item i gets
//   [offsets[i], offsets[i + 1])    offsets[0] = 0, offsets[i + 1] = offsets[i] + counts[i]
// n + 1 offsets, of which the last is the total. Offsets of 32 bits stop at 2^32 - 1 instead of
// wrapping, so an item beyond the capacity never looks as if it fitted; a larger total is flagged.
// Offsets of 64 bits hold any sum.
// A scan of the counts and one small dispatch; the same in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cumulo/device.hpp"
#include "cumulo/error.hpp"
#include "cumulo/host_array.hpp"
#include "cumulo/indirect.hpp"
#include "cumulo/plan.hpp"
#include "cumulo/run.hpp"
#include "cumulo/scan_description.hpp"

namespace cumulo {

struct AllocateDescription {
  std::uint64_t n = 0;  // counts, each a u32; fewer than 2^32 - 1
  bool wide = false;    // offsets of 64 bits
  // Units that there are; nullopt: as many as an offset can count.
  std::optional<std::uint64_t> capacity = std::nullopt;
  // The capacity is a u32 on the device, in a buffer that every run names. Not beside `capacity`.
  bool capacity_on_device = false;
  std::vector<IndirectForm> arguments = {};    // written by every run; prepared allocations only
  Algorithm algorithm = Algorithm::automatic;  // of the scan
};

constexpr std::size_t offset_bytes(const AllocateDescription& d) { return d.wide ? 8 : 4; }

// The total of 32-bit offsets is above 2^32 - 1.
inline constexpr std::uint32_t allocation_overflowed = 1;
// The total is above the capacity: not all items fit.
inline constexpr std::uint32_t allocation_exceeds = 2;

// What became of an allocation. These 32 bytes are what a run leaves on the device, so that a u32
// at used or fitting can count the elements of a call that follows.
struct AllocationReport {
  // Units asked for. Where 32-bit offsets overflow: 2^32 - 1 on the device, the sum in host calls.
  std::uint64_t total = 0;
  std::uint64_t used = 0;     // units of the items that fit
  std::uint64_t fitting = 0;  // items, from the first, that end within the capacity
  std::uint32_t flags = 0;
  std::uint32_t unused = 0;

  bool overflowed() const { return (flags & allocation_overflowed) != 0; }
  bool exceeds() const { return (flags & allocation_exceeds) != 0; }
  bool operator==(const AllocationReport&) const = default;
};

// What a host call was, beside its offsets.
struct AllocationRun {
  AllocationReport report;
  std::string algorithm;
  std::optional<Timing> timing = std::nullopt;  // when asked for
};

// bad_argument: n too large, both capacities, arguments that prepare_arguments() would refuse.
Result<void> validate(const AllocateDescription& description);

// Allocates for counts in host memory: counts.size() == n, offsets.size() == (n + 1) *
// offset_bytes(). Uploads, runs, waits and downloads. The description may have neither
// capacity_on_device nor arguments. Errors: bad_argument, unsupported (named limit), out_of_memory,
// device_lost, validation.
Result<AllocationRun> allocate_bytes(Device& device, const AllocateDescription& description,
                                     std::span<const std::uint32_t> counts,
                                     std::span<std::byte> offsets, const RunOptions& run = {});

template <class Offset>
struct Allocation {
  std::vector<Offset> offsets;
  AllocationReport report;
};

namespace detail {

template <class Offset>
Result<Allocation<Offset>> allocate(Device& device, std::span<const std::uint32_t> counts,
                                    std::optional<std::uint64_t> capacity) {
  auto offsets = host_array<Offset>(counts.size() + std::uint64_t{1});
  if (!offsets) return std::unexpected{std::move(offsets.error())};
  auto run = allocate_bytes(device,
                            {.n = counts.size(), .wide = sizeof(Offset) == 8, .capacity = capacity},
                            counts, std::as_writable_bytes(std::span{*offsets}));
  if (!run) return std::unexpected{std::move(run.error())};
  return Allocation<Offset>{std::move(*offsets), run->report};
}

}  // namespace detail

// Offsets of 32 bits; see report.overflowed().
inline Result<Allocation<std::uint32_t>> allocate(
    Device& device, std::span<const std::uint32_t> counts,
    std::optional<std::uint64_t> capacity = std::nullopt) {
  return detail::allocate<std::uint32_t>(device, counts, capacity);
}

// Offsets of 64 bits.
inline Result<Allocation<std::uint64_t>> allocate_wide(
    Device& device, std::span<const std::uint32_t> counts,
    std::optional<std::uint64_t> capacity = std::nullopt) {
  return detail::allocate<std::uint64_t>(device, counts, capacity);
}

// Where the arrays of a run lie on the device, from multiples of 4 bytes on; `offsets` of 64 bits
// from a multiple of 8.
template <class Place>
struct AllocationPlaces {
  Place counts = {};     // n of them
  Place offsets = {};    // n + 1
  Place report = {};     // an AllocationReport, which every run writes
  Place arguments = {};  // argument_bytes(arguments); for the calls themselves, with usage indirect
  Place capacity = {};   // with capacity_on_device: a u32
  Place n = {};          // with PrepareOptions::counted: a u32, the number of counts
};
using AllocationBuffers = AllocationPlaces<BufferView>;

// An allocation of one description, prepared once and run as often as wanted over buffers of its
// device. Owns its pipelines, parameters and scratch. Move-only; one run at a time.
class PreparedAllocation {
 public:
  PreparedAllocation(PreparedAllocation&&) noexcept;
  PreparedAllocation& operator=(PreparedAllocation&&) noexcept;
  ~PreparedAllocation();

  const AllocateDescription& description() const;
  const Plan* plan() const;  // null on the CPU backend, which interprets no plans

  // Submits; does not wait (the CPU backend is done when it returns). Where counted, a number above
  // description().n is taken as description().n, and offsets past the last item's stay as they are.
  Result<void> run(const AllocationBuffers& buffers);

  // Waits for the runs submitted so far. stalled as PreparedScan::finish().
  Result<void> finish();

  struct Impl;
  explicit PreparedAllocation(std::unique_ptr<Impl> impl);
  Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// Compiles for the usual case, separate and aligned buffers; for others their first run does.
// Allocates; submits nothing.
Result<PreparedAllocation> prepare_allocation(Device& device,
                                              const AllocateDescription& description,
                                              const PrepareOptions& options = {});

// How the caller's buffers lie, in the order of the plan's first buffers: counts, offsets, report,
// arguments, capacity, n, as far as there are any.
struct AllocateLayout {
  bool same_buffer = false;  // an output shares a buffer with another array, without overlap
  // How far after an offset that can be bound the first element lies, in elements; missing ones: 0.
  std::vector<std::uint32_t> misalignments = {};
  bool counted = false;
  std::uint32_t withhold = 0;  // for tests: see PlanOptions
};

// unsupported where a limit of the device stands in the way (the sentence names it).
Result<Plan> plan_allocate(const AllocateDescription& description, const Traits& traits,
                           const AllocateLayout& layout = {});

}  // namespace cumulo
