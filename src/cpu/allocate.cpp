#include "cpu/allocate.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "cpu/scan.hpp"
#include "cpu/thread_errors.hpp"
#include "cpu/threads.hpp"

namespace cumulo::cpu {
namespace {

constexpr std::uint32_t largest = std::numeric_limits<std::uint32_t>::max();

std::uint64_t sum(const std::uint32_t* counts, std::size_t begin, std::size_t end) {
  std::uint64_t sums[4] = {};
  for (; begin + 4 <= end; begin += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += counts[begin + k];
  }
  for (; begin < end; ++begin) sums[0] += counts[begin];
  return sums[0] + sums[1] + (sums[2] + sums[3]);
}

// The first item that ends past `capacity`; n where none does.
template <class Offset>
std::uint64_t first_misfit(const Offset* offsets, std::uint64_t n, std::uint64_t capacity) {
  const auto* const ends = offsets + 1;
  return static_cast<std::uint64_t>(
      std::upper_bound(ends, ends + n, capacity,
                       [](std::uint64_t limit, Offset end) { return limit < end; }) -
      ends);
}

// The first item that goes past 2^32 - 1, where the sum of counts does.
std::uint64_t first_past(const std::uint32_t* counts, const std::uint32_t* offsets,
                         std::uint64_t n) {
  const std::uint64_t reaches = first_misfit(offsets, n, largest - 1);
  if (counts[reaches] > largest - offsets[reaches]) return reaches;
  const auto* const next = counts + reaches + 1;
  return static_cast<std::uint64_t>(
      std::find_if(next, counts + n, [](std::uint32_t count) { return count > 0; }) - counts);
}

AllocationReport settle(const AllocateDescription& d, const std::uint32_t* counts,
                        const std::uint32_t* offsets) {
  AllocationReport report{.total = offsets[d.n]};
  if (report.total == largest)
    report.total = sum_of_counts(std::span(counts, static_cast<std::size_t>(d.n)));
  const std::uint64_t capacity = std::min<std::uint64_t>(d.capacity.value_or(largest), largest);
  report.fitting = first_misfit(offsets, d.n, capacity);
  if (report.total > largest) {
    report.fitting = std::min(report.fitting, first_past(counts, offsets, d.n));
    report.flags = allocation_overflowed;
  }
  report.used = offsets[report.fitting];
  if (report.fitting < d.n) report.flags |= allocation_exceeds;
  return report;
}

AllocationReport settle(const AllocateDescription& d, const std::uint32_t*,
                        const std::uint64_t* offsets) {
  AllocationReport report{.total = offsets[d.n]};
  report.fitting =
      first_misfit(offsets, d.n, d.capacity.value_or(std::numeric_limits<std::uint64_t>::max()));
  report.used = offsets[report.fitting];
  if (report.fitting < d.n) report.flags = allocation_exceeds;
  return report;
}

template <class Offset>
Result<AllocationReport> allocate_to(const AllocateDescription& d, const std::uint32_t* counts,
                                     Offset* offsets) {
  constexpr bool wide = sizeof(Offset) == 8;
  const ScanDescription scanned{.n = d.n,
                                .op = wide ? Operator::add : Operator::add_saturated,
                                .include_initial = true,
                                .algorithm = d.algorithm,
                                .wide = wide};
  if constexpr (wide) {
    if (auto done = scan_wide(scanned, counts, offsets); !done) {
      return std::unexpected{std::move(done.error())};
    }
  } else if (auto done = scan(scanned, counts, offsets); !done) {
    return std::unexpected{std::move(done.error())};
  }
  return without_exceptions(
      [&]() -> Result<AllocationReport> { return settle(d, counts, offsets); });
}

}  // namespace

std::uint64_t sum_of_counts(std::span<const std::uint32_t> counts) {
  constexpr std::size_t grain = std::size_t{1} << 16;
  std::atomic<std::uint64_t> total{0};
  over_ranges(counts.size(), grain, [&](std::size_t begin, std::size_t end) {
    total.fetch_add(sum(counts.data(), begin, end), std::memory_order_relaxed);
  });
  return total;
}

Result<AllocationReport> allocate(const AllocateDescription& d, const std::uint32_t* counts,
                                  void* offsets) {
  return d.wide ? allocate_to(d, counts, static_cast<std::uint64_t*>(offsets))
                : allocate_to(d, counts, static_cast<std::uint32_t*>(offsets));
}

}  // namespace cumulo::cpu
