// A prepared scan meets the caller's buffers: how they lie chooses the plan.
#include <algorithm>

#include "api/impl.hpp"
#include "plan/scan_plans.hpp"

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

Result<Placement> place(std::string_view what, const BufferRange& range,
                        std::uint64_t element_bytes, const Limits& limits) {
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

// Whether a range of so many bytes ends within a vector of 16 that its buffer holds.
bool is_padded(const Placement& placement, std::uint64_t bytes) {
  return ends_in_a_vector(bytes) && bytes <= placement.bound.bytes - placement.bound.offset &&
         (bytes + 15) / 16 * 16 <= placement.bound.bytes - placement.bound.offset;
}

// Only offsets within their buffers: beyond 2^64 bytes others would come out small again.
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

// Whether one buffer can hold both ranges, and how the kernels must bind it then.
Result<Aliasing> aliasing_of(const ScanDescription& d, const Placement& in, const Placement& out) {
  if (in.bound.buffer != out.bound.buffer) return Aliasing::none;
  const std::uint64_t bytes = element_bytes(d);
  const std::uint64_t in_begin = in.bound.offset + in.misalignment * input_bytes(d);
  const std::uint64_t out_begin = out.bound.offset + out.misalignment * bytes;
  if (in_begin == out_begin && !d.include_initial && !d.wide) return Aliasing::in_place;
  const std::uint64_t in_end = in_begin + d.n * input_bytes(d);
  const std::uint64_t out_end = out_begin + result_count(d) * bytes;
  if (in_begin < out_end && out_begin < in_end) {
    return std::unexpected{bad_argument(
        "input and output overlap in one buffer: give the same range, or ranges apart")};
  }
  if (in.bound.offset < out_end && out.bound.offset < in_end) {
    return std::unexpected{bad_argument(
        "input and output lie so close in one buffer that their aligned ranges overlap: keep "
        "the later one's start, rounded down to the device's storage offset alignment, past the "
        "earlier one's end")};
  }
  return Aliasing::same_buffer;
}

bool copies_to_output(const Plan& plan) {
  return std::ranges::any_of(plan.steps, [](const PlanStep& step) {
    const auto* copy = std::get_if<CopyStep>(&step);
    return copy != nullptr && copy->to == plan::output_buffer;
  });
}

// The plan's buffers that the caller gives, in the order of ScanBuffers.
std::vector<std::uint32_t> external_buffers(const Plan& plan) {
  std::vector<std::uint32_t> external{plan::input_buffer, plan::output_buffer};
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].role == BufferRole::count) external.push_back(i);
  }
  return external;
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

Result<gpu::BoundPlan> PreparedScan::Impl::bind(const ScanBuffers& buffers,
                                                const BufferRange& lent_scratch) {
  if (device->gpu == nullptr) {
    return std::unexpected{bad_argument("a scan prepared for the CPU backend records no commands")};
  }
  if ((buffers.count.buffer != nullptr) != counted) {
    return std::unexpected{bad_argument(
        counted ? "a scan counted on the device needs the buffer with the count"
                : "a count was given to a scan that was not prepared as counted on the device")};
  }
  const Limits& limits = device->gpu->traits().limits;
  auto in = place("input", buffers.in, input_bytes(description), limits);
  if (!in) return std::unexpected{std::move(in.error())};
  auto out = place("output", buffers.out, element_bytes(description), limits);
  if (!out) return std::unexpected{std::move(out.error())};
  auto aliasing = aliasing_of(description, *in, *out);
  if (!aliasing) return std::unexpected{std::move(aliasing.error())};
  PlanOptions options{.aliasing = *aliasing,
                      .in_misalignment = in->misalignment,
                      .out_misalignment = out->misalignment,
                      .counted = counted};
  if (!counted && *aliasing != Aliasing::same_buffer) {
    const ScanDescription& d = description;
    options.in_padded = is_padded(*in, (in->misalignment + d.n) * input_bytes(d));
    options.out_padded = is_padded(*out, (out->misalignment + result_count(d)) * element_bytes(d));
  }
  std::vector<gpu::BoundBuffer> external{in->bound, out->bound};
  if (counted) {
    auto count = place("count", buffers.count, 4, limits);
    if (!count) return std::unexpected{std::move(count.error())};
    options.count_misalignment = count->misalignment;
    external.push_back(count->bound);
  }
  auto plan = variant(options);
  if (!plan) return std::unexpected{std::move(plan.error())};
  if (copies_to_output((*plan)->plan()) &&
      (wgpuBufferGetUsage(buffers.out.buffer) & WGPUBufferUsage_CopyDst) == 0) {
    return std::unexpected{
        bad_argument("the buffer of the output lacks the usage copy destination")};
  }
  auto memory = lent_scratch.buffer != nullptr ? borrow_scratch(**plan, buffers, lent_scratch)
                                               : own_scratch(**plan);
  if (!memory) return std::unexpected{std::move(memory.error())};
  return gpu::BoundPlan::create(std::move(*plan), external, std::move(*memory));
}

Result<gpu::BoundPlan*> PreparedScan::Impl::bind_again(const ScanBuffers& buffers) {
  for (Recent& known : recent) {
    if (known.buffers == buffers) return &known.plan;
  }
  auto plan = bind(buffers);
  if (!plan) return std::unexpected{std::move(plan.error())};
  if (recent.size() == remembered_bindings) recent.erase(recent.begin());
  return &recent.emplace_back(Recent{buffers, std::move(*plan)}).plan;
}

Result<std::shared_ptr<const gpu::PreparedPlan>> PreparedScan::Impl::variant(
    const PlanOptions& options) {
  for (const Variant& known : variants) {
    if (known.options == options) return known.plan;
  }
  Traits traits = device->gpu->traits();
  traits.forward_progress = traits.forward_progress || device->assumes_progress;
  PlanOptions planned = options;
  planned.withhold = device->withhold;
  auto plan = plan_scan(description, traits, planned);
  if (!plan) return std::unexpected{std::move(plan.error())};
  std::vector<std::uint32_t> external = external_buffers(*plan);
  auto prepared = gpu::PreparedPlan::create(*device->gpu, std::move(*plan), std::move(external));
  if (!prepared) return std::unexpected{std::move(prepared.error())};
  if (variants.size() == remembered_variants) variants.erase(variants.begin() + 1);
  return variants.emplace_back(Variant{options, std::move(*prepared)}).plan;
}

Result<std::shared_ptr<gpu::Scratch>> PreparedScan::Impl::own_scratch(
    const gpu::PreparedPlan& prepared) {
  if (prepared.scratch_bytes() == 0) return nullptr;
  const Plan& plan = prepared.plan();
  std::vector<PlanBuffer> layout = scratch_layout(plan);
  for (const OwnScratch& known : scratch) {
    if (same_layout(known.layout, layout)) return known.memory;
  }
  auto memory = gpu::Scratch::create(*device->gpu, prepared.scratch_bytes());
  if (!memory) return std::unexpected{std::move(memory.error())};
  std::optional<std::uint64_t> status;
  if (plan.status && plan.buffers[plan.status->buffer].role == BufferRole::scratch) {
    status = prepared.scratch_offset(plan.status->buffer) + plan.status->offset;
  }
  scratch.push_back({std::move(layout), *memory, status});
  return *memory;
}

Result<std::shared_ptr<gpu::Scratch>> PreparedScan::Impl::borrow_scratch(
    const gpu::PreparedPlan& prepared, const ScanBuffers& buffers, const BufferRange& lent) const {
  if (lent.buffer == buffers.in.buffer || lent.buffer == buffers.out.buffer) {
    return std::unexpected{
        bad_argument("the scratch lies in the buffer of the input or the output: WebGPU lets no "
                     "kernel write one part of a buffer that it reads another part of")};
  }
  const std::uint64_t alignment = device->gpu->traits().limits.min_storage_offset_alignment;
  // From an offset that can be bound: scratch_size() has room for that.
  auto placed =
      place("scratch", {lent.buffer, (lent.offset + alignment - 1) / alignment * alignment}, 4,
            device->gpu->traits().limits);
  if (!placed) return std::unexpected{std::move(placed.error())};
  const std::uint64_t needed = placed->bound.offset + prepared.scratch_bytes();
  if (needed > placed->bound.bytes) {
    return std::unexpected{bad_argument("the scratch must hold " + std::to_string(needed) +
                                        " bytes but has " + std::to_string(placed->bound.bytes))};
  }
  return gpu::Scratch::borrow(placed->bound);
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

BufferRange BoundScan::status() const {
  const auto& status = plan().status;
  if (!status) return {};
  const gpu::BoundBuffer& buffer = impl_->plan.buffer(status->buffer);
  return {buffer.buffer, buffer.offset + status->offset};
}

std::uint64_t scratch_size(const PreparedScan& scan) {
  const PreparedScan::Impl& impl = scan.impl();
  if (impl.device->gpu == nullptr) return 0;
  const Traits& traits = impl.device->gpu->traits();
  const std::uint64_t alignment = traits.limits.min_storage_offset_alignment;
  std::uint64_t most = 0;
  // How the buffers lie is not known yet: enough for every way. Not every algorithm takes every
  // one.
  for (PlanOptions way :
       {PlanOptions{}, PlanOptions{.in_misalignment = 1}, PlanOptions{.out_misalignment = 1},
        PlanOptions{.aliasing = Aliasing::in_place},
        PlanOptions{.aliasing = Aliasing::same_buffer}}) {
    way.counted = impl.counted;
    if (const auto plan = plan_scan(impl.description, traits, way)) {
      most = std::max(most, gpu::scratch_offset(*plan, plan->buffers.size(), alignment));
    }
  }
  return most == 0 ? 0 : most + alignment - 4;  // from any multiple of 4 to one that can be bound
}

Result<BoundScan> bind(PreparedScan& scan, const BufferRange& in, const BufferRange& out,
                       const BindOptions& options) {
  auto plan = scan.impl().bind({in, out, options.count}, options.scratch);
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
  auto plan = scan.impl().bind_again({*from, *to});
  if (!plan) return std::unexpected{std::move(plan.error())};
  return (*plan)->record(encoder);
}

}  // namespace cumulo
