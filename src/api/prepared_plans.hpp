// A primitive meets the caller's buffers: how they lie chooses the plan. Knows plans and buffers,
// not what they are for.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cumulo/webgpu.hpp"
#include "gpu/context.hpp"
#include "gpu/executor.hpp"
#include "plan/caller.hpp"

namespace cumulo {

// One of the caller's buffers in a run.
struct CallerBuffer : CallerSlot {
  BufferRange range;
};

// A family's slots where these ranges are, in their order.
std::vector<CallerBuffer> at_ranges(std::span<const CallerSlot> slots,
                                    std::span<const BufferRange> ranges);

// All plans of one description on one device, by how the caller's buffers lie; the scratch that
// they share; and the buffers that they were last bound to. One run at a time.
class PreparedPlans {
 public:
  PreparedPlans(Device::Impl& device, PlanFamily family);

  // The plan for a layout, compiled. The first one asked for is kept for ever.
  Result<std::shared_ptr<const gpu::PreparedPlan>> variant(const CallerLayout& layout);
  const std::vector<CallerSlot>& slots() const { return family_.slots; }
  const Plan* first_plan() const {
    return variants_.empty() ? nullptr : &variants_.front().plan->plan();
  }

  // lent_scratch null: own scratch. Errors as bind() in webgpu.hpp tells.
  Result<gpu::BoundPlan> bind(std::span<const CallerBuffer> buffers,
                              const BufferRange& lent_scratch = {});
  // With own scratch, and remembered: valid until the next call.
  Result<gpu::BoundPlan*> bind_again(std::span<const CallerBuffer> buffers);

  // Bytes of scratch that are enough for each of these layouts, from any multiple of 4 bytes on.
  std::uint64_t scratch_size(std::span<const CallerLayout> layouts) const;

  // Waits for what was submitted; stalled where a run said so in our own scratch.
  Result<void> finish();

 private:
  struct Variant {
    CallerLayout layout;
    std::shared_ptr<const gpu::PreparedPlan> plan;
  };
  // Plans whose scratch looks the same share it, whatever else they differ in: each leaves it as
  // the next one wants it.
  struct OwnScratch {
    std::vector<PlanBuffer> layout;
    std::shared_ptr<gpu::Scratch> memory;
    std::optional<std::uint64_t> status;  // where a stalled run says so, in bytes
  };
  struct Recent {
    std::vector<BufferRange> buffers;
    gpu::BoundPlan plan;
  };

  Traits traits() const;
  Result<std::shared_ptr<gpu::Scratch>> own_scratch(const gpu::PreparedPlan& plan);
  Result<std::shared_ptr<gpu::Scratch>> borrow_scratch(const gpu::PreparedPlan& plan,
                                                       std::span<const CallerBuffer> buffers,
                                                       const BufferRange& lent) const;

  Device::Impl* device_;
  PlanFamily family_;
  std::vector<Variant> variants_;  // the first stays; others make room for new ones
  std::vector<OwnScratch> scratch_;
  std::vector<Recent> recent_;  // newest last
};

// `offset` elements into a buffer. Only offsets within their buffers: beyond 2^64 bytes others
// would come out small again.
Result<BufferRange> range_of(WGPUBuffer buffer, std::uint64_t offset, std::uint64_t element_bytes);

// Where a bound plan says what went wrong; null where nothing can.
BufferRange status_of(const gpu::BoundPlan& plan);

// Records a run into an encoder of its own and submits that.
Result<void> submit_recorded(gpu::Context& context, gpu::BoundPlan& plan);

// The median time of `runs`, by the device's clock where there is one.
Result<Timing> time_runs(gpu::Context& context, gpu::BoundPlan& plan, std::uint32_t runs);

// The median of the host's clock.
Result<double> median_wall_ms(std::uint32_t runs, const std::function<Result<void>()>& run);

}  // namespace cumulo
