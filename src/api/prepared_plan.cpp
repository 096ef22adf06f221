#include "api/prepared_plan.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>

#include "api/impl.hpp"

namespace cumulo {
namespace {

constexpr std::size_t remembered_bindings = 4;
constexpr std::size_t remembered_variants = 16;

Error bad_argument(std::string message) { return {ErrorKind::bad_argument, std::move(message)}; }

// The caller's part of a buffer, bound from the last offset that the device allows.
struct Placement {
  gpu::BoundBuffer bound;
  std::uint32_t misalignment;  // elements from there to the caller's first
};

Result<Placement> place(const CallerBuffer& buffer, const Limits& limits) {
  const auto& [what, range, element_bytes] =
      std::tie(buffer.what, buffer.range, buffer.element_bytes);
  if (range.buffer == nullptr) {
    return std::unexpected{bad_argument("the buffer of the " + std::string(what) + " is null")};
  }
  if (range.offset % element_bytes != 0) {
    return std::unexpected{bad_argument(
        "the offset of the " + std::string(what) + ", " + std::to_string(range.offset) +
        " bytes, is no multiple of its elements' " + std::to_string(element_bytes))};
  }
  if ((wgpuBufferGetUsage(range.buffer) & WGPUBufferUsage_Storage) == 0) {
    return std::unexpected{
        bad_argument("the buffer of the " + std::string(what) + " lacks the usage storage")};
  }
  const auto misalignment = static_cast<std::uint32_t>(range.offset / element_bytes %
                                                       binding_period(element_bytes, limits));
  return Placement{
      {range.buffer, range.offset - misalignment * element_bytes, wgpuBufferGetSize(range.buffer)},
      misalignment};
}

// Whether the last elements lie in a vector of 16 bytes that the buffer holds to its end.
bool is_padded(const CallerBuffer& buffer, const Placement& placed) {
  if (!buffer.moves_in_vectors) return false;
  const std::uint64_t bytes = (placed.misalignment + buffer.elements) * buffer.element_bytes;
  const std::uint64_t held = placed.bound.bytes - placed.bound.offset;
  return ends_in_a_vector(bytes) && bytes <= held && (bytes + 15) / 16 * 16 <= held;
}

struct Extent {
  std::uint64_t bound;  // where the binding begins
  std::uint64_t begin;
  std::uint64_t end;
};

Extent extent_of(const CallerBuffer& buffer, const Placement& placed) {
  return {placed.bound.offset, buffer.range.offset,
          buffer.range.offset + buffer.elements * buffer.element_bytes};
}

// Whether one buffer can hold both ranges, of which one is written, and how the kernels must bind
// it then.
Result<Aliasing> aliasing_of(const CallerBuffer& a, const Placement& at_a, const CallerBuffer& b,
                             const Placement& at_b, bool can_be_in_place) {
  if (a.range.buffer != b.range.buffer) return Aliasing::none;
  if (can_be_in_place && a.range == b.range) return Aliasing::in_place;
  const Extent in = extent_of(a, at_a);
  const Extent out = extent_of(b, at_b);
  const std::string both = std::string(a.what) + " and " + std::string(b.what);
  if (in.begin < out.end && out.begin < in.end) {
    return std::unexpected{bad_argument(both + " overlap in one buffer: give " +
                                        (can_be_in_place ? "the same range, or " : "") +
                                        "ranges apart")};
  }
  if (in.bound < out.end && out.bound < in.end) {
    return std::unexpected{bad_argument(
        both +
        " lie so close in one buffer that their aligned ranges overlap: keep the later "
        "one's start, rounded down to the device's storage offset alignment, past the "
        "earlier one's end")};
  }
  return a.is_written && b.is_written ? Aliasing::none : Aliasing::same_buffer;
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

void CallerLayout::trim() {
  while (!misalignments.empty() && misalignments.back() == 0) misalignments.pop_back();
  while (!padded.empty() && !padded.back()) padded.pop_back();
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
  auto planned = family_.plan(layout, traits());
  if (!planned) return std::unexpected{std::move(planned.error())};
  auto prepared = gpu::PreparedPlan::create(*device_->gpu, std::move(planned->plan),
                                            std::move(planned->external));
  if (!prepared) return std::unexpected{std::move(prepared.error())};
  if (variants_.size() == remembered_variants) variants_.erase(variants_.begin() + 1);
  return variants_.emplace_back(Variant{layout, std::move(*prepared)}).plan;
}

Result<gpu::BoundPlan> PreparedPlans::bind(std::span<const CallerBuffer> buffers,
                                           const BufferRange& lent_scratch) {
  std::vector<Placement> placed;
  CallerLayout layout;
  std::vector<gpu::BoundBuffer> external;
  for (const CallerBuffer& buffer : buffers) {
    auto at = place(buffer, device_->gpu->traits().limits);
    if (!at) return std::unexpected{std::move(at.error())};
    layout.misalignments.push_back(at->misalignment);
    layout.padded.push_back(is_padded(buffer, *at));
    external.push_back(at->bound);
    placed.push_back(std::move(*at));
  }
  for (std::size_t a = 0; a < buffers.size(); ++a) {
    for (std::size_t b = a + 1; b < buffers.size(); ++b) {
      if (!buffers[a].is_written && !buffers[b].is_written) continue;
      if (buffers[a].is_bound_alone || buffers[b].is_bound_alone) continue;
      auto aliasing = aliasing_of(buffers[a], placed[a], buffers[b], placed[b],
                                  family_.can_be_in_place && a == 0 && b == 1);
      if (!aliasing) return std::unexpected{std::move(aliasing.error())};
      if (layout.aliasing == Aliasing::none) layout.aliasing = *aliasing;
    }
  }
  if (layout.aliasing == Aliasing::same_buffer) layout.padded.clear();
  layout.trim();
  auto plan = variant(layout);
  if (!plan) return std::unexpected{std::move(plan.error())};
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (copies_to((*plan)->plan(), (*plan)->external()[i]) &&
        (wgpuBufferGetUsage(buffers[i].range.buffer) & WGPUBufferUsage_CopyDst) == 0) {
      return std::unexpected{bad_argument("the buffer of the " + std::string(buffers[i].what) +
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
          "the scratch lies in the buffer of the " + std::string(buffer.what) +
          ": WebGPU lets no kernel write one part of a buffer that it reads another part of")};
    }
  }
  const std::uint64_t alignment = device_->gpu->traits().limits.min_storage_offset_alignment;
  // From an offset that can be bound: scratch_size() has room for that.
  auto placed =
      place({"scratch", {lent.buffer, (lent.offset + alignment - 1) / alignment * alignment}},
            device_->gpu->traits().limits);
  if (!placed) return std::unexpected{std::move(placed.error())};
  const std::uint64_t needed = placed->bound.offset + prepared.scratch_bytes();
  if (needed > placed->bound.bytes) {
    return std::unexpected{bad_argument("the scratch must hold " + std::to_string(needed) +
                                        " bytes but has " + std::to_string(placed->bound.bytes))};
  }
  return gpu::Scratch::borrow(placed->bound);
}

std::uint64_t PreparedPlans::scratch_size(std::span<const CallerLayout> layouts) const {
  const std::uint64_t alignment = device_->gpu->traits().limits.min_storage_offset_alignment;
  std::uint64_t most = 0;
  // Not every algorithm takes every layout.
  for (const CallerLayout& layout : layouts) {
    if (const auto planned = family_.plan(layout, traits())) {
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
