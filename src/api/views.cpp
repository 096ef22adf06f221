#include "api/views.hpp"

#include <string>

namespace cumulo {
namespace {

std::unexpected<Error> refused(std::string message) {
  return std::unexpected{Error{ErrorKind::bad_argument, std::move(message)}};
}

}  // namespace

Result<void> check_views(const Device::Impl& device, std::span<const ViewNeed> needs) {
  for (const ViewNeed& need : needs) {
    const std::string what(need.what);
    const BufferView& view = need.view;
    if (view.buffer == nullptr) return refused("no buffer was given for the " + what);
    if (view.buffer->impl().owner != &device) {
      return refused("the buffer of the " + what + " belongs to another device");
    }
    if (view.offset % need.alignment != 0) {
      return refused("the offset of the " + what + ", " + std::to_string(view.offset) +
                     " bytes, is no multiple of " + std::to_string(need.alignment));
    }
    const std::uint64_t bytes = view.buffer->bytes();
    if (view.offset > bytes || need.bytes > bytes - view.offset) {
      return refused("the " + what + " take " + std::to_string(need.bytes) + " bytes from offset " +
                     std::to_string(view.offset) + ", and the buffer has " + std::to_string(bytes));
    }
  }
  return {};
}

BufferRange range_of(const BufferView& view) {
  if (view.buffer == nullptr) return {};
  return {native_buffer(*view.buffer), view.offset};
}

Result<void> check_apart(std::span<const HostExtent> extents) {
  for (std::size_t a = 0; a < extents.size(); ++a) {
    for (std::size_t b = a + 1; b < extents.size(); ++b) {
      const auto& x = extents[a];
      const auto& y = extents[b];
      if (!x.is_written && !y.is_written) continue;
      if (x.bytes == 0 || y.bytes == 0) continue;
      const auto* const xs = static_cast<const std::byte*>(x.data);
      const auto* const ys = static_cast<const std::byte*>(y.data);
      if (xs < ys + y.bytes && ys < xs + x.bytes) {
        return refused(std::string(x.what) + " and " + std::string(y.what) +
                       " overlap in one buffer: give ranges apart");
      }
    }
  }
  return {};
}

Result<HostRun> run_and_finish(Device::Impl& device, PreparedPlans& plans,
                               std::span<const CallerBuffer> buffers, const RunOptions& run) {
  auto plan = plans.bind(buffers);
  if (!plan) return std::unexpected{std::move(plan.error())};
  if (auto ok = submit_recorded(*device.gpu, *plan); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  std::string algorithm = plan->plan().algorithm;
  HostRun done{.bound = std::move(*plan), .algorithm = std::move(algorithm)};
  if (run.timed_runs > 0) {
    auto timing = time_runs(*device.gpu, done.bound, run.timed_runs);
    if (!timing) return std::unexpected{std::move(timing.error())};
    done.timing = *timing;
  }
  if (auto ok = plans.finish(); !ok) return std::unexpected{std::move(ok.error())};
  return done;
}

}  // namespace cumulo
