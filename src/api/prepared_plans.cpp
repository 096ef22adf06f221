#include "api/prepared_plans.hpp"

#include <algorithm>
#include <chrono>

#include "api/impl.hpp"

namespace cumulo {
namespace {

constexpr std::size_t remembered_bindings = 4;
constexpr std::size_t remembered_variants = 16;

// bad_argument where kernels cannot bind it.
Result<void> check_usable(std::string_view what, const BufferRange& range) {
  if (range.buffer == nullptr) {
    return std::unexpected{bad_argument("the buffer of the " + std::string(what) + " is null")};
  }
  if ((wgpuBufferGetUsage(range.buffer) & WGPUBufferUsage_Storage) == 0) {
    return std::unexpected{
        bad_argument("the buffer of the " + std::string(what) + " lacks the usage storage")};
  }
  return {};
}

bool copies_to(const Plan& plan, std::uint32_t buffer) {
  return std::ranges::any_of(plan.steps, [&](const PlanStep& step) {
    const auto* copy = std::get_if<CopyStep>(&step);
    return copy != nullptr && copy->to == buffer;
  });
}

std::vector<PlanBuffer> scratch_layout(const Plan& plan) {
  std::vector<PlanBuffer> layout;
  std::ranges::copy_if(plan.buffers, std::back_inserter(layout),
                       [](const PlanBuffer& buffer) { return buffer.role == BufferRole::scratch; });
  return layout;
}

bool same_layout(const std::vector<PlanBuffer>& a, const std::vector<PlanBuffer>& b) {
  return std::ranges::equal(a, b, [](const PlanBuffer& x, const PlanBuffer& y) {
    return x.name == y.name && x.bytes == y.bytes;
  });
}

}  // namespace

std::vector<CallerBuffer> at_ranges(std::span<const CallerSlot> slots,
                                    std::span<const BufferRange> ranges) {
  std::vector<CallerBuffer> buffers;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    CallerBuffer buffer{slots[k], {}};
    if (k < ranges.size()) buffer.range = ranges[k];
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

PreparedPlans::PreparedPlans(Device::Impl& device, PlanFamily family)
    : device_(&device), family_(std::move(family)) {}

Traits PreparedPlans::traits() const {
  Traits traits = device_->gpu->traits();
  traits.forward_progress = traits.forward_progress || device_->assumes_progress;
  return traits;
}

Result<std::shared_ptr<const gpu::PreparedPlan>> PreparedPlans::variant(
    const CallerLayout& layout) {
  for (const Variant& known : variants_) {
    if (known.layout == layout) return known.plan;
  }
  auto planned = family_.plan(layout, traits(), device_->withhold);
  if (!planned) return std::unexpected{std::move(planned.error())};
  auto prepared = gpu::PreparedPlan::create(*device_->gpu, std::move(planned->plan),
                                            std::move(planned->external));
  if (!prepared) return std::unexpected{std::move(prepared.error())};
  if (variants_.size() == remembered_variants) variants_.erase(variants_.begin() + 1);
  return variants_.emplace_back(Variant{layout, std::move(*prepared)}).plan;
}

Result<gpu::BoundPlan> PreparedPlans::bind(std::span<const CallerBuffer> buffers,
                                           const BufferRange& lent_scratch) {
  std::vector<CallerSlot> slots;
  std::vector<CallerPlace> places;
  for (const CallerBuffer& buffer : buffers) {
    if (auto ok = check_usable(buffer.what, buffer.range); !ok) {
      return std::unexpected{std::move(ok.error())};
    }
    slots.push_back(buffer);
    places.push_back(
        {buffer.range.buffer, buffer.range.offset, wgpuBufferGetSize(buffer.range.buffer)});
  }
  auto arranged = arrange(slots, places, device_->gpu->traits().limits, family_.can_be_in_place);
  if (!arranged) return std::unexpected{std::move(arranged.error())};
  std::vector<gpu::BoundBuffer> external;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    external.push_back(
        {buffers[i].range.buffer, arranged->bound_offsets[i], places[i].buffer_bytes});
  }
  auto plan = variant(arranged->layout);
  if (!plan) return std::unexpected{std::move(plan.error())};
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (copies_to((*plan)->plan(), (*plan)->external()[i]) &&
        (wgpuBufferGetUsage(buffers[i].range.buffer) & WGPUBufferUsage_CopyDst) == 0) {
      return std::unexpected{bad_argument("the buffer of the " + buffers[i].what +
                                          " lacks the usage copy destination")};
    }
  }
  auto memory = lent_scratch.buffer != nullptr ? borrow_scratch(**plan, buffers, lent_scratch)
                                               : own_scratch(**plan);
  if (!memory) return std::unexpected{std::move(memory.error())};
  return gpu::BoundPlan::create(std::move(*plan), external, std::move(*memory));
}

Result<gpu::BoundPlan*> PreparedPlans::bind_again(std::span<const CallerBuffer> buffers) {
  for (Recent& known : recent_) {
    if (std::ranges::equal(known.buffers, buffers, {}, {}, &CallerBuffer::range)) {
      return &known.plan;
    }
  }
  auto plan = bind(buffers);
  if (!plan) return std::unexpected{std::move(plan.error())};
  if (recent_.size() == remembered_bindings) recent_.erase(recent_.begin());
  Recent& bound = recent_.emplace_back(Recent{{}, std::move(*plan)});
  for (const CallerBuffer& buffer : buffers) bound.buffers.push_back(buffer.range);
  return &bound.plan;
}

Result<std::shared_ptr<gpu::Scratch>> PreparedPlans::own_scratch(
    const gpu::PreparedPlan& prepared) {
  if (prepared.scratch_bytes() == 0) return nullptr;
  const Plan& plan = prepared.plan();
  std::vector<PlanBuffer> layout = scratch_layout(plan);
  for (const OwnScratch& known : scratch_) {
    if (same_layout(known.layout, layout)) return known.memory;
  }
  auto memory = gpu::Scratch::create(*device_->gpu, prepared.scratch_bytes());
  if (!memory) return std::unexpected{std::move(memory.error())};
  std::optional<std::uint64_t> status;
  if (plan.status && plan.buffers[plan.status->buffer].role == BufferRole::scratch) {
    status = prepared.scratch_offset(plan.status->buffer) + plan.status->offset;
  }
  scratch_.push_back({std::move(layout), *memory, status});
  return *memory;
}

Result<std::shared_ptr<gpu::Scratch>> PreparedPlans::borrow_scratch(
    const gpu::PreparedPlan& prepared, std::span<const CallerBuffer> buffers,
    const BufferRange& lent) const {
  for (const CallerBuffer& buffer : buffers) {
    if (lent.buffer == buffer.range.buffer) {
      return std::unexpected{bad_argument(
          "the scratch lies in the buffer of the " + buffer.what +
          ": WebGPU lets no kernel write one part of a buffer that it reads another part of")};
    }
  }
  const std::uint64_t alignment = device_->gpu->traits().limits.min_storage_offset_alignment;
  if (auto ok = check_usable("scratch", lent); !ok) return std::unexpected{std::move(ok.error())};
  // From an offset that can be bound: scratch_size() has room for that.
  const std::uint64_t offset = (lent.offset + alignment - 1) / alignment * alignment;
  const std::uint64_t held = wgpuBufferGetSize(lent.buffer);
  const std::uint64_t needed = offset + prepared.scratch_bytes();
  if (needed > held) {
    return std::unexpected{bad_argument("the scratch must hold " + std::to_string(needed) +
                                        " bytes but has " + std::to_string(held))};
  }
  return gpu::Scratch::borrow({lent.buffer, offset, held});
}

std::uint64_t PreparedPlans::scratch_size(std::span<const CallerLayout> layouts) const {
  const std::uint64_t alignment = device_->gpu->traits().limits.min_storage_offset_alignment;
  std::uint64_t most = 0;
  // Not every algorithm takes every layout.
  for (const CallerLayout& layout : layouts) {
    if (const auto planned = family_.plan(layout, traits(), device_->withhold)) {
      const Plan& plan = planned->plan;
      most = std::max(most, gpu::scratch_offset(plan, plan.buffers.size(), alignment));
    }
  }
  return most == 0 ? 0 : most + alignment - 4;  // from any multiple of 4 to one that can be bound
}

Result<void> PreparedPlans::finish() {
  gpu::Context& context = *device_->gpu;
  if (auto ok = context.wait(); !ok) return ok;
  for (const OwnScratch& scratch : scratch_) {
    if (!scratch.status) continue;
    std::uint32_t status = 0;
    if (auto ok = context.read(scratch.memory->memory().buffer, *scratch.status,
                               std::as_writable_bytes(std::span{&status, 1}));
        !ok) {
      return ok;
    }
    if ((status & status_stalled) != 0) {
      scratch.memory->distrust();
      return std::unexpected{
          Error{ErrorKind::stalled, first_plan()->algorithm +
                                        " stalled: a workgroup waited too long for another one, or "
                                        "runs another subgroup width; use " +
                                        family_.fallback}};
    }
  }
  return {};
}

Result<BufferRange> range_of(WGPUBuffer buffer, std::uint64_t offset, std::uint64_t element_bytes) {
  const std::uint64_t elements =
      buffer == nullptr ? offset : wgpuBufferGetSize(buffer) / element_bytes;
  if (offset > elements) {
    return std::unexpected{bad_argument("offset " + std::to_string(offset) +
                                        " is outside a buffer of " + std::to_string(elements) +
                                        " elements")};
  }
  return BufferRange{buffer, offset * element_bytes};
}

BufferRange status_of(const gpu::BoundPlan& plan) {
  const auto& status = plan.plan().status;
  if (!status) return {};
  const gpu::BoundBuffer& buffer = plan.buffer(status->buffer);
  return {buffer.buffer, buffer.offset + status->offset};
}

Result<void> submit_recorded(gpu::Context& context, gpu::BoundPlan& plan) {
  auto encoder = context.create_encoder(plan.plan().primitive);
  if (!encoder) return std::unexpected{std::move(encoder.error())};
  if (auto ok = plan.record(encoder->get()); !ok) return ok;
  return context.submit(*encoder);
}

Result<Timing> time_runs(gpu::Context& context, gpu::BoundPlan& plan, std::uint32_t runs) {
  const bool stamps = context.traits().timestamps;
  auto median = stamps ? context.time_on_device(
                             runs, [&](WGPUCommandEncoder encoder) { return plan.record(encoder); })
                       : median_wall_ms(runs, [&]() -> Result<void> {
                           if (auto ok = submit_recorded(context, plan); !ok) return ok;
                           return context.wait();
                         });
  if (!median) return std::unexpected{std::move(median.error())};
  return Timing{*median, runs, stamps ? ClockKind::device : ClockKind::wall};
}

Result<double> median_wall_ms(std::uint32_t runs, const std::function<Result<void>()>& run) {
  std::vector<double> times;
  for (std::uint32_t i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (auto ok = run(); !ok) return std::unexpected{std::move(ok.error())};
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    times.push_back(time.count());
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

}  // namespace cumulo
