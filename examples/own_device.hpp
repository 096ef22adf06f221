// What a program of its own would have anyway: a device, buffers, pipelines and read-back.
#pragma once

#include <webgpu/wgpu.h>
#include <cumulo/cumulo.hpp>
#include <cumulo/webgpu.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace example {

// The value, or the end of the program with the error's text.
template <class T>
T take(cumulo::Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", cumulo::describe(result.error()).c_str());
    std::exit(4);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

struct Gpu {
  WGPUAdapter adapter = nullptr;
  WGPUDevice device = nullptr;
  WGPUQueue queue = nullptr;
};

// The first adapter; ends the program with status 3 where there is none.
inline Gpu open_gpu() {
  Gpu gpu;
  WGPUInstance instance = wgpuCreateInstance(nullptr);
  std::vector<WGPUAdapter> adapters(wgpuInstanceEnumerateAdapters(instance, nullptr, nullptr));
  wgpuInstanceEnumerateAdapters(instance, nullptr, adapters.data());
  if (adapters.empty()) {
    std::fprintf(stderr, "no adapter was found\n");
    std::exit(3);
  }
  gpu.adapter = adapters.front();
  const cumulo::Requirements needs = take(cumulo::requirements(gpu.adapter));
  WGPUDeviceDescriptor descriptor = WGPU_DEVICE_DESCRIPTOR_INIT;
  descriptor.requiredFeatures = needs.features.data();
  descriptor.requiredFeatureCount = needs.features.size();
  descriptor.requiredLimits = &needs.limits;
  WGPURequestDeviceCallbackInfo callback = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.userdata1 = &gpu.device;
  callback.callback = [](WGPURequestDeviceStatus, WGPUDevice device, WGPUStringView, void* out,
                         void*) { *static_cast<WGPUDevice*>(out) = device; };
  wgpuAdapterRequestDevice(gpu.adapter, &descriptor, callback);
  if (gpu.device == nullptr) std::exit(3);
  gpu.queue = wgpuDeviceGetQueue(gpu.device);
  return gpu;
}

inline WGPUBuffer buffer_of(const Gpu& gpu, const std::vector<std::uint32_t>& words,
                            WGPUBufferUsage more = WGPUBufferUsage_None) {
  WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
  descriptor.size = words.size() * 4;
  descriptor.usage =
      WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst | more;
  WGPUBuffer buffer = wgpuDeviceCreateBuffer(gpu.device, &descriptor);
  wgpuQueueWriteBuffer(gpu.queue, buffer, 0, words.data(), descriptor.size);
  return buffer;
}

struct Kernel {
  WGPUComputePipeline pipeline;
  WGPUBindGroup group;
};

// A compute shader with an entry point "main", and its buffers at @binding(0), (1) ...
inline Kernel kernel(const Gpu& gpu, std::string_view wgsl,
                     std::initializer_list<WGPUBuffer> buffers) {
  WGPUShaderSourceWGSL source = WGPU_SHADER_SOURCE_WGSL_INIT;
  source.code = {wgsl.data(), wgsl.size()};
  WGPUShaderModuleDescriptor module = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
  module.nextInChain = &source.chain;
  WGPUComputePipelineDescriptor descriptor = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
  descriptor.compute.module = wgpuDeviceCreateShaderModule(gpu.device, &module);
  descriptor.compute.entryPoint = {"main", 4};
  Kernel made{wgpuDeviceCreateComputePipeline(gpu.device, &descriptor), nullptr};
  std::vector<WGPUBindGroupEntry> entries;
  for (WGPUBuffer buffer : buffers) {
    WGPUBindGroupEntry entry = WGPU_BIND_GROUP_ENTRY_INIT;
    entry.binding = static_cast<std::uint32_t>(entries.size());
    entry.buffer = buffer;
    entry.size = wgpuBufferGetSize(buffer);
    entries.push_back(entry);
  }
  WGPUBindGroupDescriptor group = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
  group.layout = wgpuComputePipelineGetBindGroupLayout(made.pipeline, 0);
  group.entries = entries.data();
  group.entryCount = entries.size();
  made.group = wgpuDeviceCreateBindGroup(gpu.device, &group);
  return made;
}

inline void dispatch(WGPUComputePassEncoder pass, const Kernel& kernel, std::uint32_t groups) {
  wgpuComputePassEncoderSetPipeline(pass, kernel.pipeline);
  wgpuComputePassEncoderSetBindGroup(pass, 0, kernel.group, 0, nullptr);
  wgpuComputePassEncoderDispatchWorkgroups(pass, groups, 1, 1);
}

// A dispatch in a pass of its own.
inline void run(WGPUCommandEncoder encoder, const Kernel& kernel, std::uint32_t groups) {
  WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, nullptr);
  dispatch(pass, kernel, groups);
  wgpuComputePassEncoderEnd(pass);
  wgpuComputePassEncoderRelease(pass);
}

// The same, of as many workgroups as a buffer says.
inline void run_indirect(WGPUCommandEncoder encoder, const Kernel& kernel, WGPUBuffer arguments) {
  WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, nullptr);
  wgpuComputePassEncoderSetPipeline(pass, kernel.pipeline);
  wgpuComputePassEncoderSetBindGroup(pass, 0, kernel.group, 0, nullptr);
  wgpuComputePassEncoderDispatchWorkgroupsIndirect(pass, arguments, 0);
  wgpuComputePassEncoderEnd(pass);
  wgpuComputePassEncoderRelease(pass);
}

inline void submit(const Gpu& gpu, WGPUCommandEncoder encoder) {
  WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, nullptr);
  wgpuQueueSubmit(gpu.queue, 1, &commands);
  wgpuCommandBufferRelease(commands);
  wgpuCommandEncoderRelease(encoder);
}

// Waits and reads back `count` words from a place.
inline std::vector<std::uint32_t> words_at(const Gpu& gpu, const cumulo::BufferRange& place,
                                           std::uint64_t count) {
  WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
  descriptor.size = count * 4;
  descriptor.usage = WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst;
  WGPUBuffer staging = wgpuDeviceCreateBuffer(gpu.device, &descriptor);
  WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(gpu.device, nullptr);
  wgpuCommandEncoderCopyBufferToBuffer(encoder, place.buffer, place.offset, staging, 0, count * 4);
  submit(gpu, encoder);
  WGPUBufferMapCallbackInfo callback = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.callback = [](WGPUMapAsyncStatus, WGPUStringView, void*, void*) {};
  wgpuBufferMapAsync(staging, WGPUMapMode_Read, 0, count * 4, callback);
  wgpuDevicePoll(gpu.device, 1U, nullptr);
  const auto* mapped =
      static_cast<const std::uint32_t*>(wgpuBufferGetConstMappedRange(staging, 0, count * 4));
  std::vector<std::uint32_t> words(mapped, mapped + count);
  wgpuBufferRelease(staging);
  return words;
}

}  // namespace example
