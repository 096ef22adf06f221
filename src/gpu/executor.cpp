#include "gpu/executor.hpp"

#include <algorithm>

namespace cumulo::gpu {
namespace {

constexpr std::size_t remembered_bindings = 4;

}  // namespace

Result<PreparedPlan> PreparedPlan::create(Context& context, Plan plan, std::uint32_t external) {
  PreparedPlan prepared;
  prepared.context_ = &context;
  prepared.external_ = external;
  for (std::size_t i = external; i < plan.buffers.size(); ++i) {
    const PlanBuffer& wanted = plan.buffers[i];
    const WGPUBufferUsage uniform =
        wanted.role == BufferRole::parameters ? WGPUBufferUsage_Uniform : WGPUBufferUsage_None;
    auto buffer = context.create_buffer(wanted.bytes, wanted.name, uniform);
    if (!buffer) return std::unexpected{std::move(buffer.error())};
    if (!wanted.contents.empty()) {
      if (auto ok = context.write(buffer->get(), 0, std::as_bytes(std::span{wanted.contents}));
          !ok) {
        return std::unexpected{std::move(ok.error())};
      }
    }
    prepared.owned_.push_back(std::move(*buffer));
  }
  for (const PlanKernel& kernel : plan.kernels) {
    auto pipeline = context.pipeline(kernel);
    if (!pipeline) return std::unexpected{std::move(pipeline.error())};
    prepared.pipelines_.push_back(*pipeline);
  }
  prepared.plan_ = std::move(plan);
  return prepared;
}

Result<void> PreparedPlan::check_external(std::span<const BoundBuffer> external) const {
  for (std::size_t i = 0; i < external.size(); ++i) {
    const std::uint64_t needed = external[i].offset + plan_.buffers[i].bytes;
    if (needed > external[i].bytes) {
      return std::unexpected{
          Error{ErrorKind::bad_argument, "buffer '" + plan_.buffers[i].name + "' must hold " +
                                             std::to_string(needed) + " bytes but has " +
                                             std::to_string(external[i].bytes)}};
    }
  }
  return {};
}

BoundBuffer PreparedPlan::resolve(std::uint32_t index,
                                  std::span<const BoundBuffer> external) const {
  if (index < external_) return external[index];
  return {owned_[index - external_].get(), 0, plan_.buffers[index].bytes};
}

Result<const PreparedPlan::Bound*> PreparedPlan::bind(std::span<const BoundBuffer> external) {
  for (const Bound& bound : bound_) {
    if (std::ranges::equal(bound.external, external)) return &bound;
  }
  Bound bound{{external.begin(), external.end()}, {}, {}};
  for (const BoundBuffer& buffer : external) {
    wgpuBufferAddRef(buffer.buffer);
    bound.references.emplace_back(buffer.buffer);
  }
  for (const PlanStep& step : plan_.steps) {
    const auto* dispatch = std::get_if<DispatchStep>(&step);
    if (dispatch == nullptr) continue;
    std::vector<WGPUBindGroupEntry> entries;
    for (const PlanBinding& binding : dispatch->bindings) {
      const BoundBuffer buffer = resolve(binding.buffer, external);
      WGPUBindGroupEntry entry = WGPU_BIND_GROUP_ENTRY_INIT;
      entry.binding = static_cast<std::uint32_t>(entries.size());
      entry.buffer = buffer.buffer;
      entry.offset = buffer.offset + binding.offset;
      entry.size = binding.bytes;
      entries.push_back(entry);
    }
    const std::string& name = plan_.kernels[dispatch->kernel].name;
    WGPUBindGroupDescriptor descriptor = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
    descriptor.label = view(name);
    descriptor.layout = pipelines_[dispatch->kernel]->layout.get();
    descriptor.entryCount = entries.size();
    descriptor.entries = entries.data();
    bound.groups.emplace_back(wgpuDeviceCreateBindGroup(context_->device(), &descriptor));
  }
  if (auto ok = context_->check(); !ok) return std::unexpected{std::move(ok.error())};
  if (bound_.size() == remembered_bindings) bound_.erase(bound_.begin());
  return &bound_.emplace_back(std::move(bound));
}

Result<void> PreparedPlan::record(WGPUCommandEncoder encoder,
                                  std::span<const BoundBuffer> external) {
  if (auto ok = check_external(external); !ok) return ok;
  auto bound = bind(external);
  if (!bound) return std::unexpected{std::move(bound.error())};

  if (plan_.renewal && recorded_++ == plan_.renewal->runs) {
    const BoundBuffer stale = resolve(plan_.renewal->buffer, external);
    wgpuCommandEncoderClearBuffer(encoder, stale.buffer, 0, stale.bytes);
    recorded_ = 1;
  }
  // Consecutive dispatches share a pass: WebGPU orders them, each sees what the one before wrote.
  ComputePass pass;
  const auto end_pass = [&] {
    if (pass) wgpuComputePassEncoderEnd(pass.get());
    pass = {};
  };
  std::size_t group = 0;
  for (const PlanStep& step : plan_.steps) {
    if (const auto* dispatch = std::get_if<DispatchStep>(&step)) {
      if (!pass) pass = ComputePass(wgpuCommandEncoderBeginComputePass(encoder, nullptr));
      wgpuComputePassEncoderSetPipeline(pass.get(), pipelines_[dispatch->kernel]->pipeline.get());
      wgpuComputePassEncoderSetBindGroup(pass.get(), 0, (*bound)->groups[group++].get(), 0,
                                         nullptr);
      const auto& grid = dispatch->workgroups;
      wgpuComputePassEncoderDispatchWorkgroups(pass.get(), grid[0], grid[1], grid[2]);
    } else if (const auto* clear = std::get_if<ClearStep>(&step)) {
      end_pass();
      const BoundBuffer buffer = resolve(clear->buffer, external);
      wgpuCommandEncoderClearBuffer(encoder, buffer.buffer, buffer.offset + clear->offset,
                                    clear->bytes);
    } else {
      end_pass();
      const auto& copy = std::get<CopyStep>(step);
      const BoundBuffer from = resolve(copy.from, external);
      const BoundBuffer to = resolve(copy.to, external);
      wgpuCommandEncoderCopyBufferToBuffer(encoder, from.buffer, from.offset + copy.from_offset,
                                           to.buffer, to.offset + copy.to_offset, copy.bytes);
    }
  }
  end_pass();
  return context_->check();
}

Result<bool> PreparedPlan::finished() {
  if (!plan_.status) return true;
  std::uint32_t stalled = 0;
  if (auto ok = context_->read(buffer(plan_.status->buffer), plan_.status->offset,
                               std::as_writable_bytes(std::span{&stalled, 1}));
      !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  // What a stalled run left behind must not be taken for the next one's.
  if (stalled != 0 && plan_.renewal) recorded_ = plan_.renewal->runs;
  return stalled == 0;
}

}  // namespace cumulo::gpu
