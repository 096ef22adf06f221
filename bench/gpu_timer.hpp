// Times cases on a GPU: all cases in every round, each on a poisoned output and checked after.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bench/gpu_kernels.hpp"

namespace cumulo::bench {

struct TimedCase {
  std::function<Result<void>(WGPUCommandEncoder)> record;
  Dispatches check = {};              // none where there is no result
  Dispatches before = {};             // in place of the poison
  std::vector<double> times_ms = {};  // of the timed rounds
  std::uint32_t runs = 0;             // all of them, warming up included
};

// Of dispatches that live as long as the case.
inline std::function<Result<void>(WGPUCommandEncoder)> recorder(const Dispatches& kept) {
  return [&kept](WGPUCommandEncoder encoder) -> Result<void> {
    record(encoder, kept);
    return {};
  };
}

struct Rounds {
  std::uint32_t timed = 11;
  double heat_seconds = 0;
  bool wall_clock = false;  // even where the device has timestamps
};

// With the device's clock a round is one command buffer, each case between two timestamps, behind
// copies that keep the device's clock up; no round waits for the one before. Without it every case
// is submitted and waited for alone, by the wall clock.
class GpuTimer {
 public:
  // poison overwrites the output that all cases share.
  static Result<GpuTimer> create(gpu::Context& context, Dispatches poison, std::size_t cases);

  // Two rounds that warm up, then the timed ones.
  Result<void> run(std::span<TimedCase> cases, const Rounds& rounds);

 private:
  GpuTimer(gpu::Context& context, Dispatches poison)
      : context_(&context), poison_(std::move(poison)) {}
  Result<void> prepare_heat();
  Result<void> heat(double seconds);
  Result<void> record_round(std::span<TimedCase> cases, std::uint32_t round);
  Result<void> read_stamps(std::span<TimedCase> cases, std::uint32_t rounds);
  Result<void> run_by_wall_clock(std::span<TimedCase> cases, const Rounds& rounds);
  const Dispatches& before(const TimedCase& c) const {
    return c.before.empty() ? poison_ : c.before;
  }

  gpu::Context* context_;
  Dispatches poison_;
  std::optional<gpu::NativeBuffer> heat_from_;
  std::optional<gpu::NativeBuffer> heat_to_;
  Dispatches heat_copy_;
  gpu::QuerySet stamps_;
  std::optional<gpu::NativeBuffer> stamp_words_;
  std::uint64_t round_bytes_ = 0;  // of the stamps of one round
};

}  // namespace cumulo::bench
