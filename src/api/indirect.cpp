// Indirect arguments over the two backends.
#include "cumulo/indirect.hpp"

#include <array>
#include <cstring>

#include "api/calls.hpp"
#include "api/views.hpp"

namespace cumulo {
struct PreparedArguments::Impl : PreparedCall {
  ArgumentsDescription description;
};

PreparedArguments::PreparedArguments(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PreparedArguments::PreparedArguments(PreparedArguments&&) noexcept = default;
PreparedArguments& PreparedArguments::operator=(PreparedArguments&&) noexcept = default;
PreparedArguments::~PreparedArguments() = default;

const ArgumentsDescription& PreparedArguments::description() const { return impl_->description; }
const Plan* PreparedArguments::plan() const { return impl_->first_plan(); }

Result<PreparedArguments> prepare_arguments(Device& device,
                                            const ArgumentsDescription& description) {
  if (auto plan = plan_arguments(description, device.traits()); !plan) {
    return std::unexpected{std::move(plan.error())};
  }
  auto impl = std::make_unique<PreparedArguments::Impl>();
  impl->description = description;
  if (auto ok = impl->prepare(device, {}, plans_of(description), 1); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  return PreparedArguments(std::move(impl));
}

Result<void> PreparedArguments::run(const ArgumentsBuffers& b) {
  const ArgumentsDescription& d = impl_->description;
  const std::array<ViewNeed, 2> needs{
      {{"count", b.count, 4}, {"arguments", b.arguments, argument_bytes(d.forms)}}};
  if (auto ok = check_views(*impl_->device, needs); !ok) return ok;
  if (impl_->plans) {
    return impl_->run(std::array{range_of(b.count), range_of(b.arguments)});
  }
  const auto words = indirect_arguments(d, *host_data<std::uint32_t>(b.count));
  std::memcpy(host_data<std::byte>(b.arguments), words.data(), words.size() * 4);
  return {};
}

Result<BoundCall> bind(PreparedArguments& arguments, const ArgumentsRanges& ranges) {
  return arguments.impl().bind(std::array{ranges.count, ranges.arguments}, {});
}

}  // namespace cumulo
