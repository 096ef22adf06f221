// Turns a plan into WebGPU objects once, then records it as often as wanted. Knows plans, not
// scans.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cumulo/plan.hpp"
#include "gpu/context.hpp"

namespace cumulo::gpu {

// A caller's buffer for one of the plan's, from an offset that is a multiple of the device's
// alignment.
struct BoundBuffer {
  WGPUBuffer buffer = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  // of the whole buffer
  bool operator==(const BoundBuffer&) const = default;
};

class PreparedPlan {
 public:
  // `external` of the plan's first buffers are the caller's; all others are created here.
  static Result<PreparedPlan> create(Context& context, Plan plan, std::uint32_t external);

  const Plan& plan() const { return plan_; }
  // The buffer created for a plan's buffer that is not external.
  WGPUBuffer buffer(std::uint32_t index) const { return owned_[index - external_].get(); }

  Result<void> record(WGPUCommandEncoder encoder, std::span<const BoundBuffer> external);

  // Waits, then tells whether all runs submitted so far could finish (see Plan::status).
  Result<bool> finished();

 private:
  // Bind groups for one set of the caller's buffers, one for each dispatch step.
  struct Bound {
    std::vector<BoundBuffer> external;
    std::vector<NativeBuffer> references;  // keep the handles in `external` from being reused
    std::vector<BindGroup> groups;
  };

  PreparedPlan() = default;
  Result<void> check_external(std::span<const BoundBuffer> external) const;
  BoundBuffer resolve(std::uint32_t index, std::span<const BoundBuffer> external) const;
  Result<const Bound*> bind(std::span<const BoundBuffer> external);

  Context* context_ = nullptr;
  Plan plan_;
  std::uint32_t external_ = 0;
  std::vector<NativeBuffer> owned_;
  std::vector<const Pipeline*> pipelines_;
  std::vector<Bound> bound_;    // the last few, newest last
  std::uint32_t recorded_ = 0;  // runs recorded since the plan's scratch was last renewed
};

}  // namespace cumulo::gpu
