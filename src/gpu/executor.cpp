#include "gpu/executor.hpp"

#include <algorithm>

namespace cumulo::gpu {
namespace {

constexpr std::uint32_t clear_workgroup = 64;

// A dispatch rather than a command of the encoder: so it fits a compute pass.
PlanKernel clear_kernel() {
  return {"clear",
          "@group(0) @binding(0) var<storage, read_write> words: array<u32>;\n"
          "@compute @workgroup_size(64)\n"
          "fn main(@builtin(global_invocation_id) id: vec3<u32>,\n"
          "        @builtin(num_workgroups) groups: vec3<u32>) {\n"
          "  for (var i = id.x; i < arrayLength(&words); i += groups.x * 64u) { words[i] = 0u; }\n"
          "}\n",
          clear_workgroup};
}

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// What a buffer of the plan's own must be good for beside storage and copies.
WGPUBufferUsage usage_of(const Plan& plan, std::uint32_t index) {
  const bool is_grid = std::ranges::any_of(plan.steps, [&](const PlanStep& step) {
    const auto* dispatch = std::get_if<DispatchStep>(&step);
    return dispatch != nullptr && dispatch->indirect && dispatch->indirect->buffer == index;
  });
  WGPUBufferUsage usage = is_grid ? WGPUBufferUsage_Indirect : WGPUBufferUsage_None;
  if (plan.buffers[index].role == BufferRole::parameters) usage |= WGPUBufferUsage_Uniform;
  return usage;
}

}  // namespace

std::uint64_t scratch_offset(const Plan& plan, std::size_t buffer, std::uint64_t alignment) {
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < buffer; ++i) {
    if (plan.buffers[i].role == BufferRole::scratch) {
      offset += round_up(plan.buffers[i].bytes, alignment);
    }
  }
  return offset;
}

NativeBuffer shared(WGPUBuffer buffer) {
  wgpuBufferAddRef(buffer);
  return NativeBuffer(buffer);
}

Scratch::Scratch(NativeBuffer reference, const BoundBuffer& memory, bool is_own)
    : reference_(std::move(reference)), memory_(memory), is_own_(is_own) {}

Result<std::shared_ptr<Scratch>> Scratch::create(Context& context, std::uint64_t bytes) {
  auto buffer = context.create_buffer(bytes, "scratch");
  if (!buffer) return std::unexpected{std::move(buffer.error())};
  const BoundBuffer memory{buffer->get(), 0, bytes};
  return std::shared_ptr<Scratch>(new Scratch(std::move(*buffer), memory, true));
}

std::shared_ptr<Scratch> Scratch::borrow(const BoundBuffer& memory) {
  return std::shared_ptr<Scratch>(new Scratch(shared(memory.buffer), memory, false));
}

bool Scratch::renewal_is_due(const PlanRenewal& renewal) {
  const bool due = !is_own_ || is_stale_ || runs_ == renewal.runs;
  is_stale_ = false;
  runs_ = due ? 1 : runs_ + 1;
  return due;
}

Result<std::shared_ptr<const PreparedPlan>> PreparedPlan::create(
    Context& context, Plan plan, std::vector<std::uint32_t> external) {
  std::shared_ptr<PreparedPlan> prepared(new PreparedPlan);
  prepared->context_ = &context;
  prepared->external_ = std::move(external);
  for (const PlanKernel& kernel : plan.kernels) {
    auto pipeline = context.pipeline(kernel);
    if (!pipeline) return std::unexpected{std::move(pipeline.error())};
    prepared->pipelines_.push_back(*pipeline);
  }
  if (plan.renewal) {
    auto pipeline = context.pipeline(clear_kernel());
    if (!pipeline) return std::unexpected{std::move(pipeline.error())};
    prepared->clear_ = *pipeline;
  }
  prepared->plan_ = std::move(plan);
  return prepared;
}

std::uint64_t PreparedPlan::scratch_offset(std::size_t buffer) const {
  return gpu::scratch_offset(plan_, buffer, context_->traits().limits.min_storage_offset_alignment);
}

Result<BoundPlan> BoundPlan::create(std::shared_ptr<const PreparedPlan> prepared,
                                    std::span<const BoundBuffer> external,
                                    std::shared_ptr<Scratch> scratch) {
  Context& context = *prepared->context_;
  const Context::Watch watch(context);
  BoundPlan bound;
  bound.prepared_ = std::move(prepared);
  bound.scratch_ = std::move(scratch);
  const Plan& plan = bound.plan();
  if (auto made = bound.make_buffers(external); !made) {
    return std::unexpected{std::move(made.error())};
  }
  for (const PlanStep& step : plan.steps) {
    const auto* dispatch = std::get_if<DispatchStep>(&step);
    if (dispatch == nullptr) continue;
    bound.groups_.push_back(bound.make_group(*bound.prepared_->pipelines_[dispatch->kernel],
                                             dispatch->bindings,
                                             plan.kernels[dispatch->kernel].name));
  }
  if (plan.renewal) {
    const std::uint32_t stale = plan.renewal->buffer;
    const PlanBinding whole{stale, 0, plan.buffers[stale].bytes};
    bound.clear_group_ = bound.make_group(*bound.prepared_->clear_, {&whole, 1}, "clear");
  }
  if (auto ok = context.check(); !ok) return std::unexpected{std::move(ok.error())};
  return bound;
}

Result<void> BoundPlan::make_buffers(std::span<const BoundBuffer> external) {
  const Plan& plan = prepared_->plan_;
  Context& context = *prepared_->context_;
  buffers_.resize(plan.buffers.size());
  for (std::size_t i = 0; i < external.size(); ++i) {
    const PlanBuffer& wanted = plan.buffers[prepared_->external_[i]];
    const std::uint64_t needed = external[i].offset + wanted.bytes;
    if (needed > external[i].bytes) {
      return std::unexpected{bad_argument("buffer '" + wanted.name + "' must hold " +
                                          std::to_string(needed) + " bytes but has " +
                                          std::to_string(external[i].bytes))};
    }
    references_.push_back(shared(external[i].buffer));
    buffers_[prepared_->external_[i]] = external[i];
  }
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i) {
    if (buffers_[i].buffer != nullptr) continue;
    const PlanBuffer& wanted = plan.buffers[i];
    if (wanted.role == BufferRole::scratch) {
      const BoundBuffer& memory = scratch_->memory();
      buffers_[i] = {memory.buffer, memory.offset + prepared_->scratch_offset(i), memory.bytes};
      continue;
    }
    auto buffer = context.create_buffer(wanted.bytes, wanted.name, usage_of(plan, i));
    if (!buffer) return std::unexpected{std::move(buffer.error())};
    if (!wanted.contents.empty()) {
      if (auto ok = context.write(buffer->get(), 0, std::as_bytes(std::span{wanted.contents}));
          !ok) {
        return ok;
      }
    }
    buffers_[i] = {buffer->get(), 0, wanted.bytes};
    references_.push_back(std::move(*buffer));
  }
  return {};
}

BindGroup BoundPlan::make_group(const Pipeline& pipeline, std::span<const PlanBinding> bindings,
                                std::string_view label) {
  std::vector<WGPUBindGroupEntry> entries;
  for (const PlanBinding& binding : bindings) {
    const BoundBuffer& buffer = buffers_[binding.buffer];
    WGPUBindGroupEntry entry = WGPU_BIND_GROUP_ENTRY_INIT;
    entry.binding = static_cast<std::uint32_t>(entries.size());
    entry.buffer = buffer.buffer;
    entry.offset = buffer.offset + binding.offset;
    entry.size = binding.bytes;
    entries.push_back(entry);
  }
  return prepared_->context_->create_bind_group(pipeline.layout.get(), entries, label);
}

void BoundPlan::renew(WGPUComputePassEncoder pass) {
  const Plan& plan = prepared_->plan_;
  if (!plan.renewal || !scratch_->renewal_is_due(*plan.renewal)) return;
  const std::uint64_t words = plan.buffers[plan.renewal->buffer].bytes / 4;
  const std::uint64_t most = prepared_->context_->traits().limits.max_workgroups_per_dimension;
  const std::uint64_t groups = std::min(round_up(words, clear_workgroup) / clear_workgroup, most);
  wgpuComputePassEncoderSetPipeline(pass, prepared_->clear_->pipeline.get());
  wgpuComputePassEncoderSetBindGroup(pass, 0, clear_group_.get(), 0, nullptr);
  wgpuComputePassEncoderDispatchWorkgroups(pass, static_cast<std::uint32_t>(groups), 1, 1);
}

void BoundPlan::dispatch(WGPUComputePassEncoder pass, const DispatchStep& step, std::size_t group) {
  wgpuComputePassEncoderSetPipeline(pass, prepared_->pipelines_[step.kernel]->pipeline.get());
  wgpuComputePassEncoderSetBindGroup(pass, 0, groups_[group].get(), 0, nullptr);
  if (step.indirect) {
    const BoundBuffer& grid = buffers_[step.indirect->buffer];
    wgpuComputePassEncoderDispatchWorkgroupsIndirect(pass, grid.buffer,
                                                     grid.offset + step.indirect->offset);
  } else {
    const auto& grid = step.workgroups;
    wgpuComputePassEncoderDispatchWorkgroups(pass, grid[0], grid[1], grid[2]);
  }
}

Result<void> BoundPlan::record(WGPUCommandEncoder encoder) {
  const Context::Watch watch(*prepared_->context_);
  // Consecutive dispatches share a pass: WebGPU orders them, each sees what the one before wrote.
  ComputePass pass;
  const auto end_pass = [&] {
    if (pass) wgpuComputePassEncoderEnd(pass.get());
    pass = {};
  };
  const auto open_pass = [&] {
    if (!pass) pass = ComputePass(wgpuCommandEncoderBeginComputePass(encoder, nullptr));
    return pass.get();
  };
  if (plan().renewal) renew(open_pass());
  std::size_t group = 0;
  for (const PlanStep& step : plan().steps) {
    if (const auto* work = std::get_if<DispatchStep>(&step)) {
      dispatch(open_pass(), *work, group++);
    } else if (const auto* clear = std::get_if<ClearStep>(&step)) {
      end_pass();
      const BoundBuffer& buffer = buffers_[clear->buffer];
      wgpuCommandEncoderClearBuffer(encoder, buffer.buffer, buffer.offset + clear->offset,
                                    clear->bytes);
    } else {
      end_pass();
      const auto& copy = std::get<CopyStep>(step);
      const BoundBuffer& from = buffers_[copy.from];
      const BoundBuffer& to = buffers_[copy.to];
      wgpuCommandEncoderCopyBufferToBuffer(encoder, from.buffer, from.offset + copy.from_offset,
                                           to.buffer, to.offset + copy.to_offset, copy.bytes);
    }
  }
  end_pass();
  return prepared_->context_->check();
}

Result<void> BoundPlan::record(WGPUComputePassEncoder pass) {
  if (!dispatches_alone(plan())) {
    return std::unexpected{
        bad_argument("a compute pass holds dispatches only, and this plan (" + plan().algorithm +
                     " of " + std::to_string(plan().n) +
                     " elements) has copies beside them: record it into the encoder")};
  }
  const Context::Watch watch(*prepared_->context_);
  renew(pass);
  std::size_t group = 0;
  for (const PlanStep& step : plan().steps) dispatch(pass, std::get<DispatchStep>(step), group++);
  return prepared_->context_->check();
}

}  // namespace cumulo::gpu
