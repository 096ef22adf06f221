// What a renderer would have anyway: instances drawn by an indirect call, and the picture as a file.
#pragma once

#include "own_device.hpp"

namespace example {

constexpr std::uint32_t picture_side = 256;

struct Drawing {
  WGPURenderPipeline pipeline;
  WGPUBindGroup group;
  WGPUTexture canvas;
};

// A shader with entry points "place" and "shade"; `instances` is at @binding(0).
inline Drawing drawing(const Gpu& gpu, std::string_view wgsl, WGPUBuffer instances) {
  WGPUShaderSourceWGSL source = WGPU_SHADER_SOURCE_WGSL_INIT;
  source.code = {wgsl.data(), wgsl.size()};
  WGPUShaderModuleDescriptor module = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
  module.nextInChain = &source.chain;
  WGPUShaderModule shader = wgpuDeviceCreateShaderModule(gpu.device, &module);
  WGPUColorTargetState target = WGPU_COLOR_TARGET_STATE_INIT;
  target.format = WGPUTextureFormat_RGBA8Unorm;
  WGPUFragmentState fragment = WGPU_FRAGMENT_STATE_INIT;
  fragment.module = shader;
  fragment.entryPoint = {"shade", 5};
  fragment.targetCount = 1;
  fragment.targets = &target;
  WGPURenderPipelineDescriptor descriptor = WGPU_RENDER_PIPELINE_DESCRIPTOR_INIT;
  descriptor.vertex.module = shader;
  descriptor.vertex.entryPoint = {"place", 5};
  descriptor.primitive.topology = WGPUPrimitiveTopology_TriangleStrip;
  descriptor.fragment = &fragment;
  Drawing made{wgpuDeviceCreateRenderPipeline(gpu.device, &descriptor), nullptr, nullptr};

  WGPUBindGroupEntry entry = WGPU_BIND_GROUP_ENTRY_INIT;
  entry.buffer = instances;
  entry.size = wgpuBufferGetSize(instances);
  WGPUBindGroupDescriptor group = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
  group.layout = wgpuRenderPipelineGetBindGroupLayout(made.pipeline, 0);
  group.entries = &entry;
  group.entryCount = 1;
  made.group = wgpuDeviceCreateBindGroup(gpu.device, &group);

  WGPUTextureDescriptor canvas = WGPU_TEXTURE_DESCRIPTOR_INIT;
  canvas.usage = WGPUTextureUsage_RenderAttachment | WGPUTextureUsage_CopySrc;
  canvas.size = {picture_side, picture_side, 1};
  canvas.format = target.format;
  made.canvas = wgpuDeviceCreateTexture(gpu.device, &canvas);
  return made;
}

// On black; `pixels` gets the picture, a word each.
inline void draw_indirect(WGPUCommandEncoder encoder, const Drawing& drawing, WGPUBuffer arguments,
                          WGPUBuffer pixels) {
  WGPURenderPassColorAttachment attachment = WGPU_RENDER_PASS_COLOR_ATTACHMENT_INIT;
  attachment.view = wgpuTextureCreateView(drawing.canvas, nullptr);
  attachment.loadOp = WGPULoadOp_Clear;
  attachment.storeOp = WGPUStoreOp_Store;
  attachment.clearValue = {0, 0, 0, 1};
  WGPURenderPassDescriptor descriptor = WGPU_RENDER_PASS_DESCRIPTOR_INIT;
  descriptor.colorAttachmentCount = 1;
  descriptor.colorAttachments = &attachment;
  WGPURenderPassEncoder pass = wgpuCommandEncoderBeginRenderPass(encoder, &descriptor);
  wgpuRenderPassEncoderSetPipeline(pass, drawing.pipeline);
  wgpuRenderPassEncoderSetBindGroup(pass, 0, drawing.group, 0, nullptr);
  wgpuRenderPassEncoderDrawIndirect(pass, arguments, 0);
  wgpuRenderPassEncoderEnd(pass);
  wgpuRenderPassEncoderRelease(pass);
  WGPUTexelCopyTextureInfo from = WGPU_TEXEL_COPY_TEXTURE_INFO_INIT;
  from.texture = drawing.canvas;
  WGPUTexelCopyBufferInfo to = WGPU_TEXEL_COPY_BUFFER_INFO_INIT;
  to.buffer = pixels;
  to.layout.bytesPerRow = picture_side * 4;
  to.layout.rowsPerImage = picture_side;
  const WGPUExtent3D size{picture_side, picture_side, 1};
  wgpuCommandEncoderCopyTextureToBuffer(encoder, &from, &to, &size);
}

inline void write_ppm(const char* path, const std::vector<std::uint32_t>& pixels) {
  std::FILE* file = std::fopen(path, "wb");
  if (file == nullptr) return;
  std::fprintf(file, "P6\n%u %u\n255\n", picture_side, picture_side);
  for (const std::uint32_t pixel : pixels) std::fwrite(&pixel, 1, 3, file);
  std::fclose(file);
}

}  // namespace example
