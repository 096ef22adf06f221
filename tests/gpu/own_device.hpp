// A program's own device, as a renderer would make it: its own instance, request and callbacks.
#pragma once

#include <webgpu/webgpu.h>
#include <webgpu/wgpu.h>

#include <string>
#include <string_view>
#include <vector>

#include "cumulo/webgpu.hpp"

namespace cumulo::test {

class OwnDevice {
 public:
  // The adapter with `name` in its name. With cumulo's requirements, or as WebGPU's defaults have
  // it.
  OwnDevice(std::string_view name, bool with_requirements);
  ~OwnDevice();
  OwnDevice(const OwnDevice&) = delete;
  OwnDevice& operator=(const OwnDevice&) = delete;

  WGPUAdapter adapter() const { return adapter_; }
  WGPUDevice device() const { return device_; }
  WGPUQueue queue() const { return queue_; }

  // Messages that reached this program's own error callback.
  std::vector<std::string> errors;

  // A fault of the program's own: a buffer of a usage that cannot be.
  void make_an_error() const;
  WGPUBuffer buffer(std::uint64_t bytes, WGPUBufferUsage more = WGPUBufferUsage_None) const;
  WGPUBuffer buffer_of(const std::vector<std::uint32_t>& words,
                       WGPUBufferUsage more = WGPUBufferUsage_None) const;
  std::vector<std::uint32_t> words_of(WGPUBuffer buffer, std::uint64_t count) const;
  WGPUCommandEncoder encoder() const;
  // Finishes, submits and releases the encoder; does not wait.
  void submit(WGPUCommandEncoder encoder) const;

 private:
  WGPUInstance instance_ = nullptr;
  WGPUAdapter adapter_ = nullptr;
  WGPUDevice device_ = nullptr;
  WGPUQueue queue_ = nullptr;
};

}  // namespace cumulo::test
