// A prepared scan meets the caller's buffers.
#include <array>

#include "api/prepared_scan.hpp"
#include "plan/scan_plans.hpp"

namespace cumulo {

Result<std::vector<BufferRange>> PreparedScan::Impl::caller_ranges(const BufferRange& in,
                                                                   const BufferRange& out,
                                                                   const BufferRange& count) const {
  const auto refuse = [](std::string message) {
    return std::unexpected{Error{ErrorKind::bad_argument, std::move(message)}};
  };
  if (!plans) return refuse("a scan prepared for the CPU backend records no commands");
  if ((count.buffer != nullptr) != counted) {
    return refuse(
        counted ? "a scan counted on the device needs the buffer with the count"
                : "a count was given to a scan that was not prepared as counted on the device");
  }
  std::vector<BufferRange> ranges{in, out};
  if (counted) ranges.push_back(count);
  return ranges;
}

BoundScan::BoundScan(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BoundScan::BoundScan(BoundScan&&) noexcept = default;
BoundScan& BoundScan::operator=(BoundScan&&) noexcept = default;
BoundScan::~BoundScan() = default;

const Plan& BoundScan::plan() const { return impl_->plan.plan(); }

BufferRange BoundScan::total() const {
  const gpu::BoundBuffer& total = impl_->plan.buffer(plan::total_buffer);
  return {total.buffer, total.offset};
}

BufferRange BoundScan::status() const { return status_of(impl_->plan); }

std::uint64_t scratch_size(const PreparedScan& scan) {
  const auto& plans = scan.impl().plans;
  if (!plans) return 0;
  // How the buffers lie is not known yet: enough for every way.
  const std::array<CallerLayout, 5> ways{{{},
                                          {.misalignments = {1}},
                                          {.misalignments = {0, 1}},
                                          {.aliasing = Aliasing::in_place},
                                          {.aliasing = Aliasing::same_buffer}}};
  return plans->scratch_size(ways);
}

Result<BoundScan> bind(PreparedScan& scan, const BufferRange& in, const BufferRange& out,
                       const BindOptions& options) {
  auto ranges = scan.impl().caller_ranges(in, out, options.count);
  if (!ranges) return std::unexpected{std::move(ranges.error())};
  auto& plans = scan.impl().plans;
  auto plan = plans->bind(at_ranges(plans->slots(), *ranges), options.scratch);
  if (!plan) return std::unexpected{std::move(plan.error())};
  return BoundScan(std::make_unique<BoundScan::Impl>(std::move(*plan)));
}

Result<void> record(BoundScan& scan, WGPUCommandEncoder encoder) {
  return scan.impl().plan.record(encoder);
}

Result<void> record(BoundScan& scan, WGPUComputePassEncoder pass) {
  return scan.impl().plan.record(pass);
}

Result<void> record(PreparedScan& scan, WGPUCommandEncoder encoder, WGPUBuffer in, WGPUBuffer out,
                    std::uint64_t in_offset, std::uint64_t out_offset) {
  auto from = range_of(in, in_offset, input_bytes(scan.description()));
  if (!from) return std::unexpected{std::move(from.error())};
  auto to = range_of(out, out_offset, element_bytes(scan.description()));
  if (!to) return std::unexpected{std::move(to.error())};
  auto ranges = scan.impl().caller_ranges(*from, *to);
  if (!ranges) return std::unexpected{std::move(ranges.error())};
  auto& plans = scan.impl().plans;
  auto plan = plans->bind_again(at_ranges(plans->slots(), *ranges));
  if (!plan) return std::unexpected{std::move(plan.error())};
  return (*plan)->record(encoder);
}

}  // namespace cumulo
