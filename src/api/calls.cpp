#include "api/calls.hpp"

#include <array>

namespace cumulo {

Result<void> PreparedCall::prepare(Device& owner, const PrepareOptions& options, PlanFamily family,
                                   std::uint64_t n, const CallerLayout& usual) {
  device = &owner.impl();
  counted = options.counted;
  if (counted && n == 0) {
    return std::unexpected{
        Error{ErrorKind::bad_argument, "counted on the device, there must be room for 1 element"}};
  }
  if (device->gpu == nullptr) return {};
  plans.emplace(*device, std::move(family));
  if (auto plan = plans->variant(usual); !plan) return std::unexpected{std::move(plan.error())};
  return {};
}

Result<void> PreparedCall::run(std::span<const BufferRange> ranges) const {
  auto plan = plans->bind_again(at_ranges(plans->slots(), ranges));
  if (!plan) return std::unexpected{std::move(plan.error())};
  return submit_recorded(*device->gpu, **plan);
}

std::uint64_t PreparedCall::scratch_size() const {
  if (!plans) return 0;
  const std::array<CallerLayout, 4> ways{
      {{}, {.misalignments = {1}}, {.misalignments = {0, 1}}, {.aliasing = Aliasing::same_buffer}}};
  return plans->scratch_size(ways);
}

Result<BoundCall> PreparedCall::bind(std::span<const BufferRange> ranges,
                                     const BufferRange& scratch) const {
  if (!plans) {
    return std::unexpected{
        Error{ErrorKind::bad_argument, "what is prepared for the CPU backend records no commands"}};
  }
  auto plan = plans->bind(at_ranges(plans->slots(), ranges), scratch);
  if (!plan) return std::unexpected{std::move(plan.error())};
  return BoundCall(std::make_unique<BoundCall::Impl>(std::move(*plan)));
}

std::string host_algorithm(Algorithm asked) {
  return std::string(name(asked == Algorithm::serial ? Algorithm::serial : Algorithm::blocked));
}

BoundCall::BoundCall(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BoundCall::BoundCall(BoundCall&&) noexcept = default;
BoundCall& BoundCall::operator=(BoundCall&&) noexcept = default;
BoundCall::~BoundCall() = default;

const Plan& BoundCall::plan() const { return impl_->plan.plan(); }
BufferRange BoundCall::status() const { return status_of(impl_->plan); }

Result<void> record(BoundCall& call, WGPUCommandEncoder encoder) {
  return call.impl().plan.record(encoder);
}

Result<void> record(BoundCall& call, WGPUComputePassEncoder pass) {
  return call.impl().plan.record(pass);
}

}  // namespace cumulo
