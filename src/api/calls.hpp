// What the prepared forms of primitives share, and the public handle of those that are bound.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/impl.hpp"
#include "api/prepared_plans.hpp"
#include "cumulo/run.hpp"
#include "cumulo/scan_description.hpp"

namespace cumulo {

struct PreparedCall {
  Device::Impl* device = nullptr;
  bool counted = false;
  // On a GPU. Mutable as what is prepared stays the same, however many plans it has made.
  mutable std::optional<PreparedPlans> plans;

  // Compiles the usual case, aligned and apart: what cannot be done is said here.
  // bad_argument: counted, and room for no element.
  Result<void> prepare(Device& owner, const PrepareOptions& options, PlanFamily family,
                       std::uint64_t n, const CallerLayout& usual = {});

  const Plan* first_plan() const { return plans ? plans->first_plan() : nullptr; }
  Result<void> finish() const { return plans ? plans->finish() : Result<void>{}; }
  // Submits a run over the slots' buffers, in their order; on a GPU.
  Result<void> run(std::span<const BufferRange> ranges) const;
  // Enough for every way that buffers can lie.
  std::uint64_t scratch_size() const;
  Result<BoundCall> bind(std::span<const BufferRange> ranges, const BufferRange& scratch) const;
};

struct BoundCall::Impl {
  gpu::BoundPlan plan;
};

// Whether a host call may try the algorithm that cannot stall.
inline bool should_fall_back(const Error& error, Algorithm asked) {
  return error.kind == ErrorKind::stalled && asked == Algorithm::automatic;
}

// "blocked" or "serial".
std::string host_algorithm(Algorithm asked);

// Where asked for, the median time of once(), which gives a Result.
template <class Once>
Result<void> time_on_host(const RunOptions& run, Once&& once, std::optional<Timing>& timing) {
  if (run.timed_runs == 0) return {};
  auto median = median_wall_ms(run.timed_runs, [&]() -> Result<void> {
    if (auto done = once(); !done) return std::unexpected{std::move(done.error())};
    return {};
  });
  if (!median) return std::unexpected{std::move(median.error())};
  timing = Timing{*median, run.timed_runs, ClockKind::wall};
  return {};
}

}  // namespace cumulo
