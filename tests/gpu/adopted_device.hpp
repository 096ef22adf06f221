// Tests in a program with a device and buffers of its own, which cumulo has adopted.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gpu/own_device.hpp"
#include "scan/devices.hpp"

namespace cumulo::test {

class AdoptedDeviceTest : public DeviceTest {
 protected:
  using Words = std::vector<std::uint32_t>;

  void SetUp() override {
    own_ = std::make_unique<OwnDevice>(GetParam(), true);
    device_.emplace(value_of(adopt(own_->device(), own_->queue(), own_->adapter())));
  }
  void TearDown() override {
    for (WGPUBuffer buffer : buffers_) wgpuBufferRelease(buffer);
    device_.reset();
    own_.reset();
  }

  OwnDevice& own() { return *own_; }
  Device& adopted() { return *device_; }
  WGPUBuffer buffer_of(const Words& words) { return buffers_.emplace_back(own_->buffer_of(words)); }

 private:
  std::unique_ptr<OwnDevice> own_;
  std::optional<Device> device_;
  std::vector<WGPUBuffer> buffers_;
};

}  // namespace cumulo::test
