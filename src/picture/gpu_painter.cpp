#include <webgpu/webgpu.h>

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "cumulo/webgpu.hpp"
#include "picture/boxes_wgsl.hpp"
#include "picture/cairo_painter.hpp"
#include "picture/gpu_scene.hpp"
#include "picture/gpu_wait.hpp"
#include "picture/picture.hpp"

namespace cumulo::picture {
namespace {

using OwnedBuffer = Handle<WGPUBuffer, wgpuBufferRelease>;
using Texture = Handle<WGPUTexture, wgpuTextureRelease>;
using TextureView = Handle<WGPUTextureView, wgpuTextureViewRelease>;
using ShaderModule = Handle<WGPUShaderModule, wgpuShaderModuleRelease>;
using BindGroupLayout = Handle<WGPUBindGroupLayout, wgpuBindGroupLayoutRelease>;
using BindGroup = Handle<WGPUBindGroup, wgpuBindGroupRelease>;
using PipelineLayout = Handle<WGPUPipelineLayout, wgpuPipelineLayoutRelease>;
using Pipeline = Handle<WGPURenderPipeline, wgpuRenderPipelineRelease>;
using Encoder = Handle<WGPUCommandEncoder, wgpuCommandEncoderRelease>;
using Pass = Handle<WGPURenderPassEncoder, wgpuRenderPassEncoderRelease>;
using CommandBuffer = Handle<WGPUCommandBuffer, wgpuCommandBufferRelease>;

// Not srgb: colours go into the file as they are, as Cairo writes them.
constexpr WGPUTextureFormat format = WGPUTextureFormat_RGBA8Unorm;
constexpr std::uint32_t row_alignment = 256;  // of a copy from a texture, in bytes
constexpr std::uint32_t bindings = 1 + max_arrays;

// The range of a buffer that is bound for one array.
struct Binding {
  WGPUBuffer buffer = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct BoundArrays {
  std::array<Binding, max_arrays> bindings;
  std::array<ArrayPlace, max_arrays> places;
};

Result<Binding> bind(const Array& array, const ArrayBuffer& from, const Limits& limits,
                     ArrayPlace& place) {
  if (size_of(from.type) != 4) {
    return std::unexpected{Error{ErrorKind::unsupported,
                                 fmt::format("the GPU draws from u32, i32 and f32, and '{}' is {}",
                                             array.name, name(from.type))}};
  }
  const std::uint64_t first = from.offset * 4;
  const std::uint64_t end = first + array.values.size() * 4;
  if (from.offset > from.buffer.bytes() || end > from.buffer.bytes()) {
    return std::unexpected{bad_argument(fmt::format(
        "'{}' needs {} bytes of its buffer, which has {}", array.name, end, from.buffer.bytes()))};
  }
  const std::uint64_t aligned =
      first / limits.min_storage_offset_alignment * limits.min_storage_offset_alignment;
  if (end - aligned > limits.max_storage_binding_size) {
    return std::unexpected{
        Error{ErrorKind::unsupported,
              fmt::format("'{}' has {} bytes, and the device binds at most {}", array.name,
                          end - aligned, limits.max_storage_binding_size)}};
  }
  place = {.first = static_cast<std::uint32_t>((first - aligned) / 4), .type = from.type};
  return Binding{native_buffer(from.buffer), aligned, end - aligned};
}

Result<BoundArrays> bind_all(const Scene& scene, std::span<const ArrayBuffer> buffers,
                             const Limits& limits) {
  for (const ArrayBuffer& buffer : buffers) {
    const auto times = std::ranges::count(buffers, buffer.array, &ArrayBuffer::array);
    if (times > 1 ||
        std::ranges::find(scene.arrays, buffer.array, &Array::name) == scene.arrays.end()) {
      return std::unexpected{bad_argument(
          fmt::format("the scene has {} array '{}'", times > 1 ? "one" : "no", buffer.array))};
    }
  }
  BoundArrays bound{};
  for (std::size_t a = 0; a < scene.arrays.size(); ++a) {
    const Array& array = scene.arrays[a];
    const auto from = std::ranges::find(buffers, array.name, &ArrayBuffer::array);
    if (from == buffers.end()) {
      return std::unexpected{
          bad_argument(fmt::format("no buffer is given for array '{}'", array.name))};
    }
    if (array.values.empty()) continue;
    auto binding = bind(array, *from, limits, bound.places[a]);
    if (!binding) return std::unexpected{std::move(binding.error())};
    bound.bindings[a] = *binding;
  }
  return bound;
}

OwnedBuffer create_buffer(WGPUDevice device, std::uint64_t bytes, WGPUBufferUsage usage,
                          std::string_view label) {
  WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
  descriptor.label = view(label);
  descriptor.size = bytes;
  descriptor.usage = usage;
  return OwnedBuffer{wgpuDeviceCreateBuffer(device, &descriptor)};
}

Texture create_canvas(WGPUDevice device, const Scene& scene) {
  WGPUTextureDescriptor descriptor = WGPU_TEXTURE_DESCRIPTOR_INIT;
  descriptor.label = view("picture");
  descriptor.usage = WGPUTextureUsage_RenderAttachment | WGPUTextureUsage_CopySrc;
  descriptor.dimension = WGPUTextureDimension_2D;
  descriptor.size = {scene.width, scene.height, 1};
  descriptor.format = format;
  return Texture{wgpuDeviceCreateTexture(device, &descriptor)};
}

BindGroupLayout create_layout(WGPUDevice device) {
  std::array<WGPUBindGroupLayoutEntry, bindings> entries;
  for (std::uint32_t i = 0; i < bindings; ++i) {
    entries[i] = WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
    entries[i].binding = i;
    entries[i].visibility = WGPUShaderStage_Vertex;
    entries[i].buffer.type = WGPUBufferBindingType_ReadOnlyStorage;
  }
  WGPUBindGroupLayoutDescriptor descriptor = WGPU_BIND_GROUP_LAYOUT_DESCRIPTOR_INIT;
  descriptor.entryCount = entries.size();
  descriptor.entries = entries.data();
  return BindGroupLayout{wgpuDeviceCreateBindGroupLayout(device, &descriptor)};
}

BindGroup create_bind_group(WGPUDevice device, const BindGroupLayout& layout,
                            const OwnedBuffer& table, std::uint64_t table_bytes,
                            const BoundArrays& arrays) {
  std::array<WGPUBindGroupEntry, bindings> entries;
  for (std::uint32_t i = 0; i < bindings; ++i) {
    entries[i] = WGPU_BIND_GROUP_ENTRY_INIT;
    entries[i].binding = i;
    // A scene of fewer arrays binds the table in their places; no formula reads it there.
    Binding binding{table.get(), 0, table_bytes};
    if (i > 0 && arrays.bindings[i - 1].buffer != nullptr) binding = arrays.bindings[i - 1];
    entries[i].buffer = binding.buffer;
    entries[i].offset = binding.offset;
    entries[i].size = binding.bytes;
  }
  WGPUBindGroupDescriptor descriptor = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
  descriptor.layout = layout.get();
  descriptor.entryCount = entries.size();
  descriptor.entries = entries.data();
  return BindGroup{wgpuDeviceCreateBindGroup(device, &descriptor)};
}

Pipeline create_pipeline(WGPUDevice device, const BindGroupLayout& layout) {
  WGPUShaderSourceWGSL source = WGPU_SHADER_SOURCE_WGSL_INIT;
  source.code = view(boxes_wgsl);
  WGPUShaderModuleDescriptor module_descriptor = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
  module_descriptor.nextInChain = &source.chain;
  module_descriptor.label = view("boxes");
  const ShaderModule shader{wgpuDeviceCreateShaderModule(device, &module_descriptor)};

  const WGPUBindGroupLayout group = layout.get();
  WGPUPipelineLayoutDescriptor layout_descriptor = WGPU_PIPELINE_LAYOUT_DESCRIPTOR_INIT;
  layout_descriptor.bindGroupLayoutCount = 1;
  layout_descriptor.bindGroupLayouts = &group;
  const PipelineLayout pipeline_layout{wgpuDeviceCreatePipelineLayout(device, &layout_descriptor)};

  WGPUBlendState blend = WGPU_BLEND_STATE_INIT;  // premultiplied "over"
  for (WGPUBlendComponent* component : {&blend.color, &blend.alpha}) {
    component->operation = WGPUBlendOperation_Add;
    component->srcFactor = WGPUBlendFactor_One;
    component->dstFactor = WGPUBlendFactor_OneMinusSrcAlpha;
  }
  WGPUColorTargetState target = WGPU_COLOR_TARGET_STATE_INIT;
  target.format = format;
  target.blend = &blend;
  WGPUFragmentState fragment = WGPU_FRAGMENT_STATE_INIT;
  fragment.module = shader.get();
  fragment.entryPoint = view("shade");
  fragment.targetCount = 1;
  fragment.targets = &target;

  WGPURenderPipelineDescriptor descriptor = WGPU_RENDER_PIPELINE_DESCRIPTOR_INIT;
  descriptor.label = view("boxes");
  descriptor.layout = pipeline_layout.get();
  descriptor.vertex.module = shader.get();
  descriptor.vertex.entryPoint = view("place");
  descriptor.primitive.topology = WGPUPrimitiveTopology_TriangleStrip;
  descriptor.fragment = &fragment;
  return Pipeline{wgpuDeviceCreateRenderPipeline(device, &descriptor)};
}

void draw(WGPUCommandEncoder encoder, const Scene& scene, const Texture& canvas,
          const Pipeline& pipeline, const BindGroup& group, std::uint32_t instances) {
  const TextureView target{wgpuTextureCreateView(canvas.get(), nullptr)};
  WGPURenderPassColorAttachment attachment = WGPU_RENDER_PASS_COLOR_ATTACHMENT_INIT;
  attachment.view = target.get();
  attachment.loadOp = WGPULoadOp_Clear;
  attachment.storeOp = WGPUStoreOp_Store;
  attachment.clearValue = {scene.background.red, scene.background.green, scene.background.blue, 1};
  WGPURenderPassDescriptor descriptor = WGPU_RENDER_PASS_DESCRIPTOR_INIT;
  descriptor.label = view("picture");
  descriptor.colorAttachmentCount = 1;
  descriptor.colorAttachments = &attachment;
  const Pass pass{wgpuCommandEncoderBeginRenderPass(encoder, &descriptor)};
  if (instances > 0) {
    wgpuRenderPassEncoderSetPipeline(pass.get(), pipeline.get());
    wgpuRenderPassEncoderSetBindGroup(pass.get(), 0, group.get(), 0, nullptr);
    wgpuRenderPassEncoderDraw(pass.get(), 4, instances, 0, 0);
  }
  wgpuRenderPassEncoderEnd(pass.get());
}

void copy_out(WGPUCommandEncoder encoder, const Scene& scene, const Texture& canvas,
              const OwnedBuffer& pixels, std::uint32_t row_bytes) {
  WGPUTexelCopyTextureInfo from = WGPU_TEXEL_COPY_TEXTURE_INFO_INIT;
  from.texture = canvas.get();
  WGPUTexelCopyBufferInfo to = WGPU_TEXEL_COPY_BUFFER_INFO_INIT;
  to.buffer = pixels.get();
  to.layout.bytesPerRow = row_bytes;
  to.layout.rowsPerImage = scene.height;
  const WGPUExtent3D size{scene.width, scene.height, 1};
  wgpuCommandEncoderCopyTextureToBuffer(encoder, &from, &to, &size);
}

Result<Image> draw_boxes(WGPUDevice device, WGPUQueue queue, const Scene& scene,
                         const BoundArrays& arrays) {
  const GpuScene packed = to_gpu_scene(scene, arrays.places);
  const std::uint32_t row_bytes =
      (scene.width * 4 + row_alignment - 1) / row_alignment * row_alignment;
  const std::size_t image_bytes = std::size_t{row_bytes} * scene.height;

  ErrorScope scope{device};
  const Texture canvas = create_canvas(device, scene);
  const OwnedBuffer pixels = create_buffer(
      device, image_bytes, WGPUBufferUsage_CopyDst | WGPUBufferUsage_MapRead, "pixels");
  const OwnedBuffer table = create_buffer(
      device, packed.bytes.size(), WGPUBufferUsage_CopyDst | WGPUBufferUsage_Storage, "layers");
  wgpuQueueWriteBuffer(queue, table.get(), 0, packed.bytes.data(), packed.bytes.size());
  const BindGroupLayout layout = create_layout(device);
  const Pipeline pipeline = create_pipeline(device, layout);
  const BindGroup group = create_bind_group(device, layout, table, packed.bytes.size(), arrays);

  const Encoder encoder{wgpuDeviceCreateCommandEncoder(device, nullptr)};
  draw(encoder.get(), scene, canvas, pipeline, group, packed.instances);
  copy_out(encoder.get(), scene, canvas, pixels, row_bytes);
  const CommandBuffer commands{wgpuCommandEncoderFinish(encoder.get(), nullptr)};
  const WGPUCommandBuffer submitted = commands.get();
  wgpuQueueSubmit(queue, 1, &submitted);
  if (auto finished = scope.finish(); !finished)
    return std::unexpected{std::move(finished.error())};

  Image image{scene.width, scene.height,
              std::vector<std::uint8_t>(std::size_t{scene.width} * scene.height * 4)};
  auto read =
      read_mapped(device, pixels.get(), image_bytes, [&](std::span<const std::uint8_t> mapped) {
        for (std::size_t y = 0; y < scene.height; ++y) {
          std::memcpy(&image.rgba[y * scene.width * 4], &mapped[y * row_bytes],
                      std::size_t{scene.width} * 4);
        }
      });
  if (!read) return std::unexpected{std::move(read.error())};
  return image;
}

}  // namespace

Result<Image> paint_on_gpu(Device& device, const Scene& scene,
                           std::span<const ArrayBuffer> buffers) {
  if (auto valid = validate(scene); !valid) return std::unexpected{std::move(valid.error())};
  if (device.info().backend != Backend::webgpu) {
    return std::unexpected{Error{ErrorKind::unsupported, "the CPU backend has no GPU to draw on"}};
  }
  auto arrays = bind_all(scene, buffers, device.traits().limits);
  if (!arrays) return std::unexpected{std::move(arrays.error())};
  auto image = draw_boxes(native_device(device), native_queue(device), scene, *arrays);
  if (!image) return image;
  if (auto labelled = add_overlay(*image, scene); !labelled) {
    return std::unexpected{std::move(labelled.error())};
  }
  return image;
}

}  // namespace cumulo::picture
