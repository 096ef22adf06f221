// The buffers that a program names for a run, as places on their device.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "api/impl.hpp"
#include "api/prepared_plans.hpp"
#include "cumulo/run.hpp"

namespace cumulo {

// The bytes that a run uses of a buffer, from the view's offset on.
struct ViewNeed {
  std::string_view what;  // for messages: "counts"
  const BufferView& view;
  std::uint64_t bytes;
  std::uint64_t alignment = 4;
};

// bad_argument: no buffer, one of another device, one that is too small, an offset that is no
// multiple of the alignment.
Result<void> check_views(const Device::Impl& device, std::span<const ViewNeed> needs);

// The place in WebGPU's buffer; null where the view names none.
BufferRange range_of(const BufferView& view);

// On the CPU backend; null where the view names none.
template <class T>
T* host_data(const BufferView& view) {
  if (view.buffer == nullptr) return nullptr;
  return reinterpret_cast<T*>(view.buffer->impl().host.get() + view.offset);
}

// bad_argument where any output of a run on the CPU backend lies over another of its buffers.
struct HostExtent {
  std::string_view what;
  const void* data;
  std::uint64_t bytes;
  bool is_written;
};
Result<void> check_apart(std::span<const HostExtent> extents);

// Uploads, runs and waits, where all buffers are ours: what a host call was, beside its results.
struct HostRun {
  gpu::BoundPlan bound;
  std::string algorithm;
  std::optional<Timing> timing = std::nullopt;
};
Result<HostRun> run_and_finish(Device::Impl& device, PreparedPlans& plans,
                               std::span<const CallerBuffer> buffers, const RunOptions& run);

}  // namespace cumulo
