// Owners of WebGPU objects: move-only, released once.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <webgpu/webgpu.h>
#include <webgpu/wgpu.h>

namespace cumulo::gpu {

template <class T, void (*release)(T)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T object) : object_(object) {}
  Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      object_ = std::exchange(other.object_, nullptr);
    }
    return *this;
  }
  ~Handle() { reset(); }

  T get() const { return object_; }
  // Never releases it.
  void leak() { object_ = nullptr; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  void reset() {
    if (object_ != nullptr) release(object_);
    object_ = nullptr;
  }

  T object_ = nullptr;
};

using Instance = Handle<WGPUInstance, wgpuInstanceRelease>;
using Adapter = Handle<WGPUAdapter, wgpuAdapterRelease>;
using NativeDevice = Handle<WGPUDevice, wgpuDeviceRelease>;
using Queue = Handle<WGPUQueue, wgpuQueueRelease>;
using NativeBuffer = Handle<WGPUBuffer, wgpuBufferRelease>;
using ShaderModule = Handle<WGPUShaderModule, wgpuShaderModuleRelease>;
using ComputePipeline = Handle<WGPUComputePipeline, wgpuComputePipelineRelease>;
using BindGroupLayout = Handle<WGPUBindGroupLayout, wgpuBindGroupLayoutRelease>;
using BindGroup = Handle<WGPUBindGroup, wgpuBindGroupRelease>;
using CommandEncoder = Handle<WGPUCommandEncoder, wgpuCommandEncoderRelease>;
using CommandBuffer = Handle<WGPUCommandBuffer, wgpuCommandBufferRelease>;
using ComputePass = Handle<WGPUComputePassEncoder, wgpuComputePassEncoderRelease>;
using QuerySet = Handle<WGPUQuerySet, wgpuQuerySetRelease>;

inline WGPUStringView view(std::string_view text) { return {text.data(), text.size()}; }

inline std::string text_of(WGPUStringView v) {
  if (v.data == nullptr) return {};
  return v.length == WGPU_STRLEN ? std::string(v.data) : std::string(v.data, v.length);
}

}  // namespace cumulo::gpu
