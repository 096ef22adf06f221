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
    entry.offset = range.offset;
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
                             const std::array<std::uint32_t, 8>& words,
                             std::vector<BufferRange> bindings) {
  auto parameters = context.create_buffer(sizeof words, name, WGPUBufferUsage_Uniform);
  if (!parameters) return std::unexpected{std::move(parameters.error())};
  if (auto ok = context.write(parameters->get(), 0, std::as_bytes(std::span{words})); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  bindings.insert(bindings.begin(), BufferRange{parameters->get(), sizeof words});
  const auto kernel = make_kernel(name, text, {{"WORKGROUP", read_workgroup}}, read_workgroup);
  auto dispatch = make_dispatch(context, kernel, bindings);
  if (!dispatch) return dispatch;
  dispatch->parameters = std::move(*parameters);
  dispatch->workgroups[0] =
      std::clamp(words[0] / (read_workgroup * words_each), 1U, read_workgroups);
  return dispatch;
}

// The most that one binding holds, from and to an offset that can be bound.
std::uint64_t piece_bytes(const gpu::Context& context) {
  const Limits& limits = context.traits().limits;
  const std::uint64_t alignment = std::max(16U, limits.min_storage_offset_alignment);
  return limits.max_storage_binding_size / alignment * alignment;
}

// Words [at, at + words) of a buffer, bound from the last offset that can be bound.
struct BoundWords {
  BufferRange range;
  std::uint32_t first;  // where they begin in it
};

BoundWords bind_words(const gpu::Context& context, const BufferRange& whole, std::uint64_t at,
                      std::uint64_t words) {
  const std::uint64_t alignment = context.traits().limits.min_storage_offset_alignment;
  const std::uint64_t offset = at * 4 / alignment * alignment;
  return {{whole.buffer, (at + words) * 4 - offset, offset},
          static_cast<std::uint32_t>(at - offset / 4)};
}

// The same of halves, two in a word.
BoundWords bind_halves(const gpu::Context& context, const BufferRange& whole, std::uint64_t at,
                       std::uint64_t halves) {
  BoundWords bound = bind_words(context, whole, at / 2, (at % 2 + halves + 1) / 2);
  bound.first = 2 * bound.first + static_cast<std::uint32_t>(at % 2);
  return bound;
}

}  // namespace

void record(WGPUCommandEncoder encoder, const Dispatches& dispatches) {
  for (const Dispatch& dispatch : dispatches) record(encoder, dispatch);
}

void record(WGPUCommandEncoder encoder, const Dispatch& dispatch) {
  const gpu::ComputePass pass(wgpuCommandEncoderBeginComputePass(encoder, nullptr));
  wgpuComputePassEncoderSetPipeline(pass.get(), dispatch.pipeline->pipeline.get());
  wgpuComputePassEncoderSetBindGroup(pass.get(), 0, dispatch.group.get(), 0, nullptr);
  wgpuComputePassEncoderDispatchWorkgroups(pass.get(), dispatch.workgroups[0],
                                           dispatch.workgroups[1], 1);
  wgpuComputePassEncoderEnd(pass.get());
}

Result<Dispatches> make_copy(gpu::Context& context, const CopyShape& shape, const BufferRange& from,
                             const BufferRange& to) {
  const auto kernel = make_kernel(shape.inverted ? "poison" : "copy", copy_wgsl,
                                  {{"PER", shape.vectors},
                                   {"WORKGROUP", shape.workgroup},
                                   {"INVERTED", shape.inverted ? 1 : 0}},
                                  shape.workgroup);
  const std::uint64_t piece = piece_bytes(context);
  Dispatches dispatches;
  for (std::uint64_t at = 0; at < from.bytes; at += piece) {
    const std::uint64_t bytes = std::min(piece, from.bytes - at);
    auto dispatch = make_dispatch(context, kernel,
                                  std::array{BufferRange{from.buffer, bytes, from.offset + at},
                                             BufferRange{to.buffer, bytes, to.offset + at}});
    if (!dispatch) return std::unexpected{std::move(dispatch.error())};
    const std::uint64_t tile = std::uint64_t{16} * shape.vectors * shape.workgroup;
    const std::uint64_t tiles = (bytes + tile - 1) / tile;
    const std::uint64_t widest = context.traits().limits.max_workgroups_per_dimension;
    const std::uint64_t rows = (tiles + widest - 1) / widest;
    dispatch->workgroups = {static_cast<std::uint32_t>((tiles + rows - 1) / rows),
                            static_cast<std::uint32_t>(rows)};
    dispatches.push_back(std::move(*dispatch));
  }
  return dispatches;
}

Result<Dispatch> make_empty(gpu::Context& context, const BufferRange& unused) {
  // An empty pipeline has no bind group whose layout could be asked for: this one binds a buffer.
  constexpr const char* wgsl =
      "@group(0) @binding(0) var<storage, read_write> unused: array<u32>;\n"
      "@compute @workgroup_size(1) fn main() { _ = &unused; }\n";
  return make_dispatch(context, PlanKernel{"empty", wgsl, 1}, std::array{unused});
}

Result<Dispatches> make_comparison(gpu::Context& context, const Comparison& c) {
  const std::uint64_t alignment = context.traits().limits.min_storage_offset_alignment;
  const std::uint64_t piece = (piece_bytes(context) - alignment) / (c.halves ? 2 : 4);
  const auto bind = c.halves ? bind_halves : bind_words;
  Dispatches dispatches;
  for (std::uint64_t at = 0; at < c.words; at += piece) {
    const auto words = static_cast<std::uint32_t>(std::min<std::uint64_t>(piece, c.words - at));
    const BoundWords expected = bind(context, c.expected, c.expected_at + at, words);
    const BoundWords found = bind(context, c.found, c.found_at + at, words);
    const auto after = static_cast<std::uint32_t>(c.words - at - words);
    auto dispatch =
        make_reader(context, "compare", compare_wgsl,
                    {words, expected.first, found.first, after, c.verdict, c.halves ? 1U : 0U},
                    {expected.range, found.range, c.verdicts});
    if (!dispatch) return std::unexpected{std::move(dispatch.error())};
    dispatches.push_back(std::move(*dispatch));
  }
  return dispatches;
}

Result<Dispatch> make_digest(gpu::Context& context, const BufferRange& found, std::uint32_t words,
                             const BufferRange& digest) {
  return make_reader(context, "digest", digest_wgsl, {words}, {found, digest});
}

}  // namespace cumulo::bench
