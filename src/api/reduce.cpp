// The public reduction over the two backends.
#include "cumulo/reduce.hpp"

#include <array>
#include <cstring>

#include "api/impl.hpp"
#include "api/monoid.hpp"
#include "api/scalar.hpp"
#include "cpu/reduce.hpp"
#include "plan/scan_plans.hpp"

namespace cumulo {
namespace {

Error bad_argument(std::string message) { return {ErrorKind::bad_argument, std::move(message)}; }

Result<ReduceReport> reduce_on_cpu(const ReduceDescription& d, std::span<const std::byte> in,
                                   const RunOptions& run) {
  auto value = cpu::reduce(d, in.data());
  if (!value) return std::unexpected{std::move(value.error())};
  ReduceReport report{.value = scalar_of(as_scan(d), *value),
                      .value_bytes = std::move(*value),
                      .algorithm = std::string(name(Algorithm::blocked))};
  if (run.timed_runs > 0) {
    auto median = median_wall_ms(run.timed_runs, [&]() -> Result<void> {
      auto again = cpu::reduce(d, in.data());
      if (!again) return std::unexpected{std::move(again.error())};
      return {};
    });
    if (!median) return std::unexpected{std::move(median.error())};
    report.timing = Timing{*median, run.timed_runs, ClockKind::wall};
  }
  return report;
}

Result<ReduceReport> reduce_on_gpu(Device& device, const ReduceDescription& d,
                                   std::span<const std::byte> in, const RunOptions& run) {
  gpu::Context& context = *device.impl().gpu;
  auto prepared = prepare_reduce(device, d);
  if (!prepared) return std::unexpected{std::move(prepared.error())};
  auto input = device.upload(in, "input");
  if (!input) return std::unexpected{std::move(input.error())};
  auto output = device.allocate(element_bytes(d), "value");
  if (!output) return std::unexpected{std::move(output.error())};
  auto buffers = prepared->impl().caller_buffers({native_buffer(*input)}, {native_buffer(*output)});
  if (!buffers) return std::unexpected{std::move(buffers.error())};
  auto plan = prepared->impl().plans->bind(*buffers);
  if (!plan) return std::unexpected{std::move(plan.error())};
  if (auto ok = submit_recorded(context, *plan); !ok) return std::unexpected{std::move(ok.error())};
  ReduceReport report{.value = {},
                      .value_bytes = std::vector<std::byte>(element_bytes(d)),
                      .algorithm = plan->plan().algorithm};
  if (run.timed_runs > 0) {
    auto timing = time_runs(context, *plan, run.timed_runs);
    if (!timing) return std::unexpected{std::move(timing.error())};
    report.timing = *timing;
  }
  if (auto ok = device.read(*output, 0, report.value_bytes); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  report.value = scalar_of(as_scan(d), report.value_bytes);
  return report;
}

}  // namespace

Result<ReduceReport> reduce_bytes(Device& device, const ReduceDescription& d,
                                  std::span<const std::byte> in, const RunOptions& run) {
  if (auto ok = validate(d); !ok) return std::unexpected{std::move(ok.error())};
  const std::uint64_t bytes = input_bytes(d);
  if (d.n > in.size() / bytes || in.size() != d.n * bytes) {
    return std::unexpected{bad_argument("a reduction of " + std::to_string(d.n) + " elements of " +
                                        std::to_string(bytes) + " bytes takes " +
                                        std::to_string(d.n * bytes) + " bytes, not " +
                                        std::to_string(in.size()))};
  }
  return device.impl().gpu ? reduce_on_gpu(device, d, in, run) : reduce_on_cpu(d, in, run);
}

Result<PreparedReduce> prepare_reduce(Device& device, const ReduceDescription& description) {
  if (auto ok = validate(description); !ok) return std::unexpected{std::move(ok.error())};
  auto impl = std::make_unique<PreparedReduce::Impl>();
  impl->device = &device.impl();
  impl->description = description;
  if (device.impl().gpu == nullptr) {
    if (auto ok = cpu::check(description); !ok) return std::unexpected{std::move(ok.error())};
    return PreparedReduce(std::move(impl));
  }
  if (description.monoid) {
    if (auto ok = check_monoid(*device.impl().gpu, as_scan(description)); !ok) {
      return std::unexpected{std::move(ok.error())};
    }
  }
  impl->plans.emplace(device.impl(), plans_of(description));
  // The usual case, aligned and apart, is made now: what cannot be done is said here.
  if (auto plan = impl->plans->variant({}); !plan) return std::unexpected{std::move(plan.error())};
  return PreparedReduce(std::move(impl));
}

PreparedReduce::PreparedReduce(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PreparedReduce::PreparedReduce(PreparedReduce&&) noexcept = default;
PreparedReduce& PreparedReduce::operator=(PreparedReduce&&) noexcept = default;
PreparedReduce::~PreparedReduce() = default;

const ReduceDescription& PreparedReduce::description() const { return impl_->description; }

const Plan* PreparedReduce::plan() const {
  return impl_->plans ? impl_->plans->first_plan() : nullptr;
}

Result<void> PreparedReduce::run(const Buffer& in, const Buffer& out, std::uint64_t in_offset,
                                 std::uint64_t out_offset) {
  const ReduceDescription& d = impl_->description;
  if (in.impl().owner != impl_->device || out.impl().owner != impl_->device) {
    return std::unexpected{bad_argument("a buffer belongs to another device than the reduction")};
  }
  const std::uint64_t elements = in.bytes() / input_bytes(d);
  if (in_offset > elements || d.n > elements - in_offset ||
      out_offset >= out.bytes() / element_bytes(d)) {
    return std::unexpected{bad_argument("a reduction of " + std::to_string(d.n) +
                                        " elements does not fit its buffers at their offsets")};
  }
  const std::uint64_t in_at = in_offset * input_bytes(d);
  const std::uint64_t out_at = out_offset * element_bytes(d);
  if (impl_->device->gpu == nullptr) {
    auto value = cpu::reduce(d, in.impl().host.get() + in_at);
    if (!value) return std::unexpected{std::move(value.error())};
    std::memcpy(out.impl().host.get() + out_at, value->data(), value->size());
    return {};
  }
  auto buffers = impl_->caller_buffers({native_buffer(in), in_at}, {native_buffer(out), out_at});
  if (!buffers) return std::unexpected{std::move(buffers.error())};
  auto plan = impl_->plans->bind_again(*buffers);
  if (!plan) return std::unexpected{std::move(plan.error())};
  return submit_recorded(*impl_->device->gpu, **plan);
}

Result<std::vector<CallerBuffer>> PreparedReduce::Impl::caller_buffers(
    const BufferRange& in, const BufferRange& out) const {
  if (!plans) {
    return std::unexpected{
        bad_argument("a reduction prepared for the CPU backend records no commands")};
  }
  return at_ranges(plans->slots(), std::array{in, out});
}

BoundReduce::BoundReduce(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BoundReduce::BoundReduce(BoundReduce&&) noexcept = default;
BoundReduce& BoundReduce::operator=(BoundReduce&&) noexcept = default;
BoundReduce::~BoundReduce() = default;

const Plan& BoundReduce::plan() const { return impl_->plan.plan(); }

std::uint64_t scratch_size(const PreparedReduce& reduce) {
  const auto& plans = reduce.impl().plans;
  if (!plans) return 0;
  // The same wherever the buffers lie.
  const CallerLayout aligned;
  return plans->scratch_size({&aligned, 1});
}

Result<BoundReduce> bind(PreparedReduce& reduce, const BufferRange& in, const BufferRange& out,
                         const BufferRange& scratch) {
  auto buffers = reduce.impl().caller_buffers(in, out);
  if (!buffers) return std::unexpected{std::move(buffers.error())};
  auto plan = reduce.impl().plans->bind(*buffers, scratch);
  if (!plan) return std::unexpected{std::move(plan.error())};
  return BoundReduce(std::make_unique<BoundReduce::Impl>(std::move(*plan)));
}

Result<void> record(BoundReduce& reduce, WGPUCommandEncoder encoder) {
  return reduce.impl().plan.record(encoder);
}

Result<void> record(BoundReduce& reduce, WGPUComputePassEncoder pass) {
  return reduce.impl().plan.record(pass);
}

Result<void> record(PreparedReduce& reduce, WGPUCommandEncoder encoder, WGPUBuffer in,
                    WGPUBuffer out, std::uint64_t in_offset, std::uint64_t out_offset) {
  auto from = range_of(in, in_offset, input_bytes(reduce.description()));
  if (!from) return std::unexpected{std::move(from.error())};
  auto to = range_of(out, out_offset, element_bytes(reduce.description()));
  if (!to) return std::unexpected{std::move(to.error())};
  auto buffers = reduce.impl().caller_buffers(*from, *to);
  if (!buffers) return std::unexpected{std::move(buffers.error())};
  auto plan = reduce.impl().plans->bind_again(*buffers);
  if (!plan) return std::unexpected{std::move(plan.error())};
  return (*plan)->record(encoder);
}

}  // namespace cumulo
