// The public reduction over the two backends.
#include "cumulo/reduce.hpp"

#include <algorithm>
#include <cstring>

#include "api/calls.hpp"
#include "api/monoid.hpp"
#include "api/scalar.hpp"
#include "api/views.hpp"
#include "cpu/reduce.hpp"
#include "plan/scan_plans.hpp"

namespace cumulo {
namespace {

Result<ReduceReport> reduce_on_cpu(const ReduceDescription& d, std::span<const std::byte> in,
                                   const RunOptions& run) {
  const auto once = [&] { return cpu::reduce(d, in.data()); };
  auto value = once();
  if (!value) return std::unexpected{std::move(value.error())};
  ReduceReport report{.value = scalar_of(as_scan(d), *value),
                      .value_bytes = std::move(*value),
                      .algorithm = std::string(name(Algorithm::blocked))};
  if (auto timed = time_on_host(run, once, report.timing); !timed) {
    return std::unexpected{std::move(timed.error())};
  }
  return report;
}

}  // namespace

struct PreparedReduce::Impl : PreparedCall {
  ReduceDescription description;

  // count null where it is not counted.
  Result<void> run(const Buffer& in, const Buffer& out, std::uint64_t in_offset,
                   std::uint64_t out_offset, const BufferView& count) const;
  Result<void> run_on_cpu(const std::byte* in, std::byte* out, const BufferView& count) const;
  // As the plans want them; bad_argument on the CPU backend, and where there should be a count and
  // is none, or the reverse.
  Result<std::vector<BufferRange>> caller_ranges(const BufferRange& in, const BufferRange& out,
                                                 const BufferRange& count = {}) const;
};

namespace {

Result<ReduceReport> reduce_on_gpu(Device& device, const ReduceDescription& d,
                                   std::span<const std::byte> in, const RunOptions& run) {
  auto prepared = prepare_reduce(device, d);
  if (!prepared) return std::unexpected{std::move(prepared.error())};
  auto input = device.upload(in, "input");
  if (!input) return std::unexpected{std::move(input.error())};
  auto output = device.allocate(element_bytes(d), "value");
  if (!output) return std::unexpected{std::move(output.error())};
  const PreparedReduce::Impl& impl = prepared->impl();
  auto ranges = impl.caller_ranges({native_buffer(*input)}, {native_buffer(*output)});
  if (!ranges) return std::unexpected{std::move(ranges.error())};
  auto ran =
      run_and_finish(device.impl(), *impl.plans, at_ranges(impl.plans->slots(), *ranges), run);
  if (!ran) return std::unexpected{std::move(ran.error())};
  ReduceReport report{.value = {},
                      .value_bytes = std::vector<std::byte>(element_bytes(d)),
                      .algorithm = std::move(ran->algorithm),
                      .timing = ran->timing};
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

Result<PreparedReduce> prepare_reduce(Device& device, const ReduceDescription& description,
                                      const PrepareOptions& options) {
  if (auto ok = validate(description); !ok) return std::unexpected{std::move(ok.error())};
  auto impl = std::make_unique<PreparedReduce::Impl>();
  impl->description = description;
  if (device.impl().gpu == nullptr) {
    if (auto ok = cpu::check(description); !ok) return std::unexpected{std::move(ok.error())};
  } else if (description.monoid) {
    if (auto ok = check_monoid(*device.impl().gpu, as_scan(description)); !ok) {
      return std::unexpected{std::move(ok.error())};
    }
  }
  if (auto ok =
          impl->prepare(device, options, plans_of(description, options.counted), description.n);
      !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  return PreparedReduce(std::move(impl));
}

PreparedReduce::PreparedReduce(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PreparedReduce::PreparedReduce(PreparedReduce&&) noexcept = default;
PreparedReduce& PreparedReduce::operator=(PreparedReduce&&) noexcept = default;
PreparedReduce::~PreparedReduce() = default;

const ReduceDescription& PreparedReduce::description() const { return impl_->description; }
const Plan* PreparedReduce::plan() const { return impl_->first_plan(); }

Result<void> PreparedReduce::run(const Buffer& in, const Buffer& out, std::uint64_t in_offset,
                                 std::uint64_t out_offset) {
  if (impl_->counted) {
    return std::unexpected{
        bad_argument("a reduction counted on the device is run by run_counted()")};
  }
  return impl_->run(in, out, in_offset, out_offset, {});
}

Result<void> PreparedReduce::run_counted(const Buffer& in, const Buffer& out, const Buffer& count,
                                         std::uint64_t count_at, std::uint64_t in_offset,
                                         std::uint64_t out_offset) {
  if (!impl_->counted) {
    return std::unexpected{bad_argument("the reduction was not prepared as counted on the device")};
  }
  if (count.impl().owner != impl_->device || count_at >= count.bytes() / 4) {
    return std::unexpected{bad_argument("the count lies outside its buffer, or on another device")};
  }
  return impl_->run(in, out, in_offset, out_offset, {&count, count_at * 4});
}

Result<void> PreparedReduce::Impl::run(const Buffer& in, const Buffer& out, std::uint64_t in_offset,
                                       std::uint64_t out_offset, const BufferView& count) const {
  const ReduceDescription& d = description;
  if (in.impl().owner != device || out.impl().owner != device) {
    return std::unexpected{bad_argument("a buffer belongs to another device than the reduction")};
  }
  const std::uint64_t elements = in.bytes() / input_bytes(d);
  if (in_offset > elements || d.n > elements - in_offset ||
      out_offset >= out.bytes() / element_bytes(d)) {
    return std::unexpected{bad_argument("a reduction of " + std::to_string(d.n) +
                                        " elements does not fit its buffers at their offsets")};
  }
  const BufferView from{&in, in_offset * input_bytes(d)};
  const BufferView to{&out, out_offset * element_bytes(d)};
  if (!plans) return run_on_cpu(host_data<std::byte>(from), host_data<std::byte>(to), count);
  auto ranges = caller_ranges(range_of(from), range_of(to), range_of(count));
  if (!ranges) return std::unexpected{std::move(ranges.error())};
  return PreparedCall::run(*ranges);
}

Result<void> PreparedReduce::Impl::run_on_cpu(const std::byte* in, std::byte* out,
                                              const BufferView& count) const {
  ReduceDescription d = description;
  if (counted) d.n = std::min<std::uint64_t>(d.n, *host_data<std::uint32_t>(count));
  auto value = cpu::reduce(d, in);
  if (!value) return std::unexpected{std::move(value.error())};
  std::memcpy(out, value->data(), value->size());
  return {};
}

Result<std::vector<BufferRange>> PreparedReduce::Impl::caller_ranges(
    const BufferRange& in, const BufferRange& out, const BufferRange& count) const {
  if (!plans) {
    return std::unexpected{
        bad_argument("a reduction prepared for the CPU backend records no commands")};
  }
  if ((count.buffer != nullptr) != counted) {
    return std::unexpected{bad_argument(
        counted
            ? "a reduction counted on the device needs the buffer with the count"
            : "a count was given to a reduction that was not prepared as counted on the device")};
  }
  std::vector<BufferRange> ranges{in, out};
  if (counted) ranges.push_back(count);
  return ranges;
}

std::uint64_t scratch_size(const PreparedReduce& reduce) { return reduce.impl().scratch_size(); }

Result<BoundCall> bind(PreparedReduce& reduce, const BufferRange& in, const BufferRange& out,
                       const BindOptions& options) {
  auto ranges = reduce.impl().caller_ranges(in, out, options.count);
  if (!ranges) return std::unexpected{std::move(ranges.error())};
  return reduce.impl().bind(*ranges, options.scratch);
}

Result<void> record(PreparedReduce& reduce, WGPUCommandEncoder encoder, WGPUBuffer in,
                    WGPUBuffer out, std::uint64_t in_offset, std::uint64_t out_offset) {
  auto from = range_of(in, in_offset, input_bytes(reduce.description()));
  if (!from) return std::unexpected{std::move(from.error())};
  auto to = range_of(out, out_offset, element_bytes(reduce.description()));
  if (!to) return std::unexpected{std::move(to.error())};
  auto ranges = reduce.impl().caller_ranges(*from, *to);
  if (!ranges) return std::unexpected{std::move(ranges.error())};
  auto& plans = reduce.impl().plans;
  auto plan = plans->bind_again(at_ranges(plans->slots(), *ranges));
  if (!plan) return std::unexpected{std::move(plan.error())};
  return (*plan)->record(encoder);
}

}  // namespace cumulo
