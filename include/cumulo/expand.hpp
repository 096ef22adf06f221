// Expansion: item i counts[i] times, one after the other (NumPy's repeat), by value or by index.
//   output[j] = values[i]    for the item i with offsets[i] <= j < offsets[i + 1]
// with the offsets of allocate.hpp. The inverse of runs: values and lengths give the array back.
//
// Work is shared out by items and outputs together, so that one count of ten million among zeros is
// as fast as even counts. It is a scan of the counts, a dispatch that shares the work out, and one
// that does it: 8 n bytes and the values are read, and the output is written once. Every run gives
// the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cumulo/compact.hpp"
#include "cumulo/device.hpp"
#include "cumulo/error.hpp"
#include "cumulo/host_array.hpp"
#include "cumulo/indirect.hpp"
#include "cumulo/plan.hpp"
#include "cumulo/run.hpp"
#include "cumulo/scan_description.hpp"

namespace cumulo {

struct ExpandDescription {
  std::uint64_t n = 0;  // items; on a GPU at most 2^30
  // Bytes of a value: a multiple of 4, up to 64. 0: the outputs are the items' indices, each a u32.
  std::uint32_t element_bytes = 4;
  // Outputs written at most, below 2^32 - 1. The report still tells how many there were.
  std::uint64_t capacity = 0;
  // The input is not n counts but their n + 1 offsets, as an allocation of 32 bits gives them.
  bool from_offsets = false;
  std::vector<IndirectForm> arguments = {};    // of the outputs written; prepared expansions only
  Algorithm algorithm = Algorithm::automatic;  // of the scan
};

// Bytes of one output.
constexpr std::uint32_t output_bytes(const ExpandDescription& d) {
  return d.element_bytes == 0 ? 4 : d.element_bytes;
}

// What became of an expansion. These 16 bytes are what a run leaves on the device, so that the u32
// at `written` can count the elements of a call that follows.
struct ExpansionReport {
  // Outputs asked for. Where they are more than 2^32 - 1: 2^32 - 1 on the device, the sum in host
  // calls.
  std::uint64_t total = 0;
  std::uint32_t written = 0;  // total, or the capacity where that is less
  std::uint32_t exceeds = 0;  // 1 where total is above the capacity

  bool operator==(const ExpansionReport&) const = default;
};

// What a host call was, beside its output.
struct ExpansionRun {
  ExpansionReport report;
  std::string algorithm;
  std::optional<Timing> timing = std::nullopt;  // when asked for
};

// bad_argument: an element's size, a capacity or n too large, arguments that prepare_arguments()
// would refuse.
Result<void> validate(const ExpandDescription& description);

// The sum of counts: what an expansion of them needs as output.
std::uint64_t expanded_count(std::span<const std::uint32_t> counts);

// Expands host memory: counts.size() == n (n + 1 with from_offsets), values.size() == n *
// element_bytes, out.size() == capacity * output_bytes(). What `out` holds past the outputs written
// stays as it was. The description has no arguments. Errors: bad_argument, unsupported (named
// limit), out_of_memory, device_lost, validation.
Result<ExpansionRun> expand_bytes(Device& device, const ExpandDescription& description,
                                  std::span<const std::uint32_t> counts,
                                  std::span<const std::byte> values, std::span<std::byte> out,
                                  const RunOptions& run = {});

namespace detail {

template <class T>
Result<std::vector<T>> expand(Device& device, std::span<const std::uint32_t> counts,
                              std::uint32_t element_bytes, std::span<const std::byte> values,
                              std::optional<std::uint64_t> capacity) {
  const std::uint64_t total = expanded_count(counts);
  auto out = host_array<T>(capacity && *capacity < total ? *capacity : total);
  if (!out) return out;
  auto run = expand_bytes(
      device, {.n = counts.size(), .element_bytes = element_bytes, .capacity = out->size()}, counts,
      values, std::as_writable_bytes(std::span{*out}));
  if (!run) return std::unexpected{std::move(run.error())};
  return out;
}

}  // namespace detail

// Each values[i], counts[i] times; the two have one length. Stops at `capacity` outputs.
template <Movable T>
Result<std::vector<T>> expand(Device& device, std::span<const T> values,
                              std::span<const std::uint32_t> counts,
                              std::optional<std::uint64_t> capacity = std::nullopt) {
  return detail::expand<T>(device, counts, sizeof(T), std::as_bytes(values), capacity);
}

// Each index i, counts[i] times.
inline Result<std::vector<std::uint32_t>> expand_indices(
    Device& device, std::span<const std::uint32_t> counts,
    std::optional<std::uint64_t> capacity = std::nullopt) {
  return detail::expand<std::uint32_t>(device, counts, 0, {}, capacity);
}

// The array that runs() has taken apart.
template <Movable T>
Result<std::vector<T>> decode_runs(Device& device, std::span<const T> values,
                                   std::span<const std::uint32_t> lengths) {
  return expand(device, values, lengths);
}

// Where the arrays of a run lie on the device, from multiples of 4 bytes on; values and output,
// which lie in two buffers, from multiples of their elements' sizes.
template <class Place>
struct ExpansionPlaces {
  Place counts = {};     // n of them; with from_offsets n + 1 offsets
  Place values = {};     // n of them, where element_bytes is not 0
  Place output = {};     // `capacity` of them
  Place report = {};     // an ExpansionReport, which every run writes
  Place arguments = {};  // argument_bytes(arguments); for the calls themselves, with usage indirect
  Place n = {};          // with PrepareOptions::counted: a u32, the number of items
};
using ExpansionBuffers = ExpansionPlaces<BufferView>;

// An expansion of one description, prepared once and run as often as wanted over buffers of its
// device. Owns its pipelines, parameters and scratch. Move-only; one run at a time.
class PreparedExpansion {
 public:
  PreparedExpansion(PreparedExpansion&&) noexcept;
  PreparedExpansion& operator=(PreparedExpansion&&) noexcept;
  ~PreparedExpansion();

  const ExpandDescription& description() const;
  const Plan* plan() const;  // null on the CPU backend, which interprets no plans

  // Submits; does not wait. Where counted, more than description().n items are taken as so many.
  // The CPU backend has done all at the return.
  Result<void> run(const ExpansionBuffers& buffers);

  // Waits for the runs submitted so far. stalled as PreparedScan::finish().
  Result<void> finish();

  struct Impl;
  explicit PreparedExpansion(std::unique_ptr<Impl> impl);
  Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// Compiles for the usual case, aligned buffers; for others their first run does. Allocates; submits
// nothing.
Result<PreparedExpansion> prepare_expansion(Device& device, const ExpandDescription& description,
                                            const PrepareOptions& options = {});

// How the caller's buffers lie, in the order of the plan's first buffers: counts, values, output,
// report, arguments, n, as far as there are any.
struct ExpandLayout {
  // How far after an offset that can be bound the first element lies, in elements; missing ones: 0.
  std::vector<std::uint32_t> misalignments = {};
  bool counted = false;
  std::uint32_t withhold = 0;  // for tests: see PlanOptions
};

// unsupported where a limit of the device stands in the way (the sentence names it).
Result<Plan> plan_expand(const ExpandDescription& description, const Traits& traits,
                         const ExpandLayout& layout = {});

}  // namespace cumulo
