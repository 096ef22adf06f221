#include "bench/gpu_kernels.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "bench/kernels.hpp"
#include "plan/preprocess.hpp"

namespace cumulo::bench {
namespace {

constexpr std::uint32_t read_workgroup = 256;
constexpr std::uint32_t words_each = 16;         // at least, for an invocation that reads a result
constexpr std::uint32_t read_workgroups = 4096;  // at most

Result<PlanKernel> make_kernel(const char* name, const char* text, const plan::Values& values,
                               std::uint32_t workgroup) {
  auto wgsl = plan::preprocess(
      name, values, [&](std::string_view) -> std::optional<std::string_view> { return text; });
  if (!wgsl) return std::unexpected{std::move(wgsl.error())};
  return PlanKernel{name, std::move(*wgsl), workgroup};
}

Result<Dispatch> make_dispatch(gpu::Context& context, const Result<PlanKernel>& kernel,
                               std::span<const BufferRange> bindings) {
  if (!kernel) return std::unexpected{kernel.error()};
  auto pipeline = context.pipeline(*kernel);
  if (!pipeline) return std::unexpected{std::move(pipeline.error())};
  Dispatch dispatch{.pipeline = *pipeline, .group = {}};

  std::vector<WGPUBindGroupEntry> entries;
  for (const BufferRange& range : bindings) {
    WGPUBindGroupEntry entry = WGPU_BIND_GROUP_ENTRY_INIT;
    entry.binding = static_cast<std::uint32_t>(entries.size());
    entry.buffer = range.buffer;
    entry.size = range.bytes;
    entries.push_back(entry);
  }
  dispatch.group =
      context.create_bind_group(dispatch.pipeline->layout.get(), entries, kernel->name);
  if (auto ok = context.check(); !ok) return std::unexpected{std::move(ok.error())};
  return dispatch;
}

// A kernel that reads words[0] words of a result. Its parameters come before the other bindings.
Result<Dispatch> make_reader(gpu::Context& context, const char* name, const char* text,
                             const std::array<std::uint32_t, 4>& words,
                             std::vector<BufferRange> bindings) {
  auto parameters = context.create_buffer(16, name, WGPUBufferUsage_Uniform);
  if (!parameters) return std::unexpected{std::move(parameters.error())};
  if (auto ok = context.write(parameters->get(), 0, std::as_bytes(std::span{words})); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  bindings.insert(bindings.begin(), BufferRange{parameters->get(), 16});
  const auto kernel = make_kernel(name, text, {{"WORKGROUP", read_workgroup}}, read_workgroup);
  auto dispatch = make_dispatch(context, kernel, bindings);
  if (!dispatch) return dispatch;
  dispatch->parameters = std::move(*parameters);
  dispatch->workgroups[0] =
      std::clamp(words[0] / (read_workgroup * words_each), 1U, read_workgroups);
  return dispatch;
}

}  // namespace

void record(WGPUCommandEncoder encoder, const Dispatch& dispatch) {
  const gpu::ComputePass pass(wgpuCommandEncoderBeginComputePass(encoder, nullptr));
  wgpuComputePassEncoderSetPipeline(pass.get(), dispatch.pipeline->pipeline.get());
  wgpuComputePassEncoderSetBindGroup(pass.get(), 0, dispatch.group.get(), 0, nullptr);
  wgpuComputePassEncoderDispatchWorkgroups(pass.get(), dispatch.workgroups[0],
                                           dispatch.workgroups[1], 1);
  wgpuComputePassEncoderEnd(pass.get());
}

Result<Dispatch> make_copy(gpu::Context& context, const CopyShape& shape, const BufferRange& from,
                           const BufferRange& to) {
  const auto kernel = make_kernel(shape.inverted ? "poison" : "copy", copy_wgsl,
                                  {{"PER", shape.vectors},
                                   {"WORKGROUP", shape.workgroup},
                                   {"INVERTED", shape.inverted ? 1 : 0}},
                                  shape.workgroup);
  auto dispatch = make_dispatch(context, kernel, std::array{from, to});
  if (!dispatch) return dispatch;
  const std::uint64_t tile = std::uint64_t{16} * shape.vectors * shape.workgroup;
  const std::uint64_t tiles = (from.bytes + tile - 1) / tile;
  const std::uint64_t widest = context.traits().limits.max_workgroups_per_dimension;
  const std::uint64_t rows = (tiles + widest - 1) / widest;
  dispatch->workgroups = {static_cast<std::uint32_t>((tiles + rows - 1) / rows),
                          static_cast<std::uint32_t>(rows)};
  return dispatch;
}

Result<Dispatch> make_empty(gpu::Context& context, const BufferRange& unused) {
  // An empty pipeline has no bind group whose layout could be asked for: this one binds a buffer.
  constexpr const char* wgsl =
      "@group(0) @binding(0) var<storage, read_write> unused: array<u32>;\n"
      "@compute @workgroup_size(1) fn main() { _ = &unused; }\n";
  return make_dispatch(context, PlanKernel{"empty", wgsl, 1}, std::array{unused});
}

Result<Dispatch> make_comparison(gpu::Context& context, const Comparison& c) {
  return make_reader(context, "compare", compare_wgsl, {c.words, c.shift, c.verdict, 0},
                     {c.expected, c.found, c.verdicts});
}

Result<Dispatch> make_digest(gpu::Context& context, const BufferRange& found, std::uint32_t words,
                             const BufferRange& digest) {
  return make_reader(context, "digest", digest_wgsl, {words, 0, 0, 0}, {found, digest});
}

}  // namespace cumulo::bench
