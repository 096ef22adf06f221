// Turns a plan into WebGPU objects once, then records it as often as wanted. Knows plans, not
// scans.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cumulo/plan.hpp"
#include "gpu/context.hpp"

namespace cumulo::gpu {

// A buffer for one of the plan's, from an offset that is a multiple of the device's alignment.
struct BoundBuffer {
  WGPUBuffer buffer = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  // of the whole buffer
  bool operator==(const BoundBuffer&) const = default;
};

// Where a plan's scratch buffer number `buffer` lies in the memory for all of them, in bytes; with
// the number of buffers, the bytes of that memory. Each one begins at a multiple of `alignment`.
std::uint64_t scratch_offset(const Plan& plan, std::size_t buffer, std::uint64_t alignment);

// Another reference to a program's buffer.
NativeBuffer shared(WGPUBuffer buffer);

// Memory for the scratch buffers of plans: they lie in it one after the other.
class Scratch {
 public:
  // Zero-filled memory of our own: nobody else writes it, so what a plan left there is still there.
  static Result<std::shared_ptr<Scratch>> create(Context& context, std::uint64_t bytes);
  // A program's, from an offset that can be bound: what it holds when a run begins is not known.
  static std::shared_ptr<Scratch> borrow(const BoundBuffer& memory);

  const BoundBuffer& memory() const { return memory_; }
  // Counts a run; whether the plan's renewal is due before it.
  bool renewal_is_due(const PlanRenewal& renewal);
  // What a stalled run left here must not be taken for the next one's.
  void distrust() { is_stale_ = true; }

 private:
  Scratch(NativeBuffer reference, const BoundBuffer& memory, bool is_own);

  NativeBuffer reference_;
  BoundBuffer memory_;
  bool is_own_;
  bool is_stale_ = false;
  std::uint32_t runs_ = 0;  // recorded since the last renewal
};

// A plan and its pipelines.
class PreparedPlan {
 public:
  // `external` tells which of the plan's buffers the caller gives when binding.
  static Result<std::shared_ptr<const PreparedPlan>> create(Context& context, Plan plan,
                                                            std::vector<std::uint32_t> external);

  const Plan& plan() const { return plan_; }
  const std::vector<std::uint32_t>& external() const { return external_; }
  // Of its scratch buffers, in the memory for them: see above.
  std::uint64_t scratch_offset(std::size_t buffer) const;
  std::uint64_t scratch_bytes() const { return scratch_offset(plan_.buffers.size()); }

 private:
  friend class BoundPlan;
  PreparedPlan() = default;

  Context* context_ = nullptr;
  Plan plan_;
  std::vector<std::uint32_t> external_;
  std::vector<const Pipeline*> pipelines_;
  const Pipeline* clear_ = nullptr;  // with a renewal
};

// A plan with its buffers and bind groups: recording it makes nothing more.
class BoundPlan {
 public:
  // external: in the order given to PreparedPlan::create. scratch: scratch_bytes() of memory, or
  // null where that is 0. The buffers that are neither the caller's nor scratch are made here.
  static Result<BoundPlan> create(std::shared_ptr<const PreparedPlan> prepared,
                                  std::span<const BoundBuffer> external,
                                  std::shared_ptr<Scratch> scratch);

  const Plan& plan() const { return prepared_->plan_; }
  // Where one of the plan's buffers lies.
  const BoundBuffer& buffer(std::uint32_t index) const { return buffers_[index]; }

  Result<void> record(WGPUCommandEncoder encoder);
  // bad_argument where the plan has steps that a compute pass cannot hold.
  Result<void> record(WGPUComputePassEncoder pass);

 private:
  BoundPlan() = default;
  Result<void> make_buffers(std::span<const BoundBuffer> external);
  BindGroup make_group(const Pipeline& pipeline, std::span<const PlanBinding> bindings,
                       std::string_view label);
  void renew(WGPUComputePassEncoder pass);
  void dispatch(WGPUComputePassEncoder pass, const DispatchStep& step, std::size_t group);

  std::shared_ptr<const PreparedPlan> prepared_;
  std::shared_ptr<Scratch> scratch_;
  std::vector<BoundBuffer> buffers_;      // one for each of the plan's
  std::vector<NativeBuffer> references_;  // keep their handles alive
  std::vector<BindGroup> groups_;         // one for each dispatch step
  BindGroup clear_group_;
};

}  // namespace cumulo::gpu
