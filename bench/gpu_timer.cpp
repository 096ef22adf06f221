#include "bench/gpu_timer.hpp"

#include <algorithm>
#include <chrono>

namespace cumulo::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t warming_rounds = 2;
constexpr std::uint64_t heat_bytes = std::uint64_t{256} << 20;  // more than any cache
constexpr std::uint32_t heat_copies = 12;                       // before each round
constexpr std::uint64_t resolve_alignment = 256;
constexpr std::uint64_t stamp_bytes = 8;

Result<void> submit(gpu::Context& context,
                    const std::function<Result<void>(WGPUCommandEncoder)>& record_into) {
  auto encoder = context.create_encoder("bench");
  if (!encoder) return std::unexpected{std::move(encoder.error())};
  if (auto ok = record_into(encoder->get()); !ok) return ok;
  return context.submit(*encoder);
}

Result<void> submit_and_wait(gpu::Context& context, const Dispatches& dispatches) {
  auto ok = submit(context, [&](WGPUCommandEncoder encoder) -> Result<void> {
    record(encoder, dispatches);
    return {};
  });
  return ok ? context.wait() : ok;
}

}  // namespace

Result<GpuTimer> GpuTimer::create(gpu::Context& context, Dispatches poison, std::size_t cases) {
  GpuTimer timer(context, std::move(poison));
  if (!context.traits().timestamps) return timer;
  WGPUQuerySetDescriptor descriptor = WGPU_QUERY_SET_DESCRIPTOR_INIT;
  descriptor.type = WGPUQueryType_Timestamp;
  descriptor.count = static_cast<std::uint32_t>(2 * cases);
  timer.stamps_ = gpu::QuerySet(wgpuDeviceCreateQuerySet(context.device(), &descriptor));
  if (auto ok = context.check(); !ok) return std::unexpected{std::move(ok.error())};
  timer.round_bytes_ =
      (2 * cases * stamp_bytes + resolve_alignment - 1) / resolve_alignment * resolve_alignment;
  return timer;
}

Result<void> GpuTimer::run(std::span<TimedCase> cases, const Rounds& rounds) {
  if (rounds.heat_seconds > 0) {
    if (auto ok = prepare_heat(); !ok) return ok;
    if (auto ok = heat(rounds.heat_seconds); !ok) return ok;
  }
  if (rounds.wall_clock || !context_->traits().timestamps) return run_by_wall_clock(cases, rounds);
  const std::uint32_t all = warming_rounds + rounds.timed;
  auto words =
      context_->create_buffer(all * round_bytes_, "timestamps", WGPUBufferUsage_QueryResolve);
  if (!words) return std::unexpected{std::move(words.error())};
  stamp_words_ = std::move(*words);
  for (std::uint32_t round = 0; round < all; ++round) {
    if (auto ok = record_round(cases, round); !ok) return ok;
  }
  return read_stamps(cases, all);
}

Result<void> GpuTimer::prepare_heat() {
  const Limits& limits = context_->traits().limits;
  const std::uint64_t bytes =
      std::min({heat_bytes, limits.max_storage_binding_size / 16 * 16, limits.max_buffer_size});
  auto from = context_->create_buffer(bytes, "heat from");
  if (!from) return std::unexpected{std::move(from.error())};
  auto to = context_->create_buffer(bytes, "heat to");
  if (!to) return std::unexpected{std::move(to.error())};
  auto copy = make_copy(*context_, CopyShape{4, 256}, {from->get(), bytes}, {to->get(), bytes});
  if (!copy) return std::unexpected{std::move(copy.error())};
  heat_from_ = std::move(*from);
  heat_to_ = std::move(*to);
  heat_copy_ = std::move(*copy);
  return {};
}

Result<void> GpuTimer::heat(double seconds) {
  const auto start = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
    auto ok = submit(*context_, [&](WGPUCommandEncoder encoder) -> Result<void> {
      for (std::uint32_t i = 0; i < heat_copies; ++i) record(encoder, heat_copy_);
      return {};
    });
    if (!ok) return ok;
    if (ok = context_->wait(); !ok) return ok;
  }
  return {};
}

Result<void> GpuTimer::record_round(std::span<TimedCase> cases, std::uint32_t round) {
  return submit(*context_, [&](WGPUCommandEncoder encoder) -> Result<void> {
    for (std::uint32_t i = 0; i < heat_copies; ++i) record(encoder, heat_copy_);
    std::uint32_t stamp = 0;
    for (TimedCase& c : cases) {
      record(encoder, before(c));
      wgpuCommandEncoderWriteTimestamp(encoder, stamps_.get(), stamp++);
      if (auto ok = c.record(encoder); !ok) return ok;
      wgpuCommandEncoderWriteTimestamp(encoder, stamps_.get(), stamp++);
      record(encoder, c.check);
      ++c.runs;
    }
    wgpuCommandEncoderResolveQuerySet(encoder, stamps_.get(), 0, stamp, stamp_words_->get(),
                                      round * round_bytes_);
    return {};
  });
}

Result<void> GpuTimer::read_stamps(std::span<TimedCase> cases, std::uint32_t rounds) {
  std::vector<std::uint64_t> ticks(rounds * round_bytes_ / stamp_bytes);
  if (auto ok = context_->read(stamp_words_->get(), 0, std::as_writable_bytes(std::span{ticks}));
      !ok) {
    return ok;
  }
  const double ms_per_tick = wgpuQueueGetTimestampPeriod(context_->queue()) / 1e6;
  for (std::uint32_t round = warming_rounds; round < rounds; ++round) {
    const std::uint64_t* stamp = &ticks[round * round_bytes_ / stamp_bytes];
    for (TimedCase& c : cases) {
      // A stamp that runs backwards is no time.
      if (stamp[1] > stamp[0]) {
        c.times_ms.push_back(static_cast<double>(stamp[1] - stamp[0]) * ms_per_tick);
      }
      stamp += 2;
    }
  }
  return {};
}

Result<void> GpuTimer::run_by_wall_clock(std::span<TimedCase> cases, const Rounds& rounds) {
  for (std::uint32_t round = 0; round < warming_rounds + rounds.timed; ++round) {
    for (TimedCase& c : cases) {
      if (auto ok = submit_and_wait(*context_, before(c)); !ok) return ok;
      const auto start = Clock::now();
      if (auto ok = submit(*context_, c.record); !ok) return ok;
      if (auto ok = context_->wait(); !ok) return ok;
      const std::chrono::duration<double, std::milli> time = Clock::now() - start;
      if (!c.check.empty()) {
        if (auto ok = submit_and_wait(*context_, c.check); !ok) return ok;
      }
      ++c.runs;
      if (round >= warming_rounds) c.times_ms.push_back(time.count());
    }
  }
  return {};
}

}  // namespace cumulo::bench
