// The public meeting point with a program's own WebGPU code.
#include "cumulo/webgpu.hpp"

#include <algorithm>

#include "api/impl.hpp"

namespace cumulo {
namespace {

// Calls f with each limit that cumulo looks at; larger ones are better.
template <class F>
void each_limit(F&& f) {
  f(&WGPULimits::maxBufferSize);
  f(&WGPULimits::maxStorageBufferBindingSize);
  f(&WGPULimits::maxStorageBuffersPerShaderStage);
  f(&WGPULimits::maxComputeWorkgroupsPerDimension);
  f(&WGPULimits::maxComputeWorkgroupStorageSize);
  f(&WGPULimits::maxComputeInvocationsPerWorkgroup);
  f(&WGPULimits::maxComputeWorkgroupSizeX);
}

}  // namespace

WGPUDevice native_device(const Device& device) {
  return device.impl().gpu ? device.impl().gpu->device() : nullptr;
}

WGPUQueue native_queue(const Device& device) {
  return device.impl().gpu ? device.impl().gpu->queue() : nullptr;
}

WGPUBuffer native_buffer(const Buffer& buffer) { return buffer.impl().native.get(); }

Result<Requirements> requirements(WGPUAdapter adapter) {
  if (adapter == nullptr) {
    return std::unexpected{Error{ErrorKind::bad_argument, "the adapter is null"}};
  }
  if (const AdapterReport report = gpu::describe(adapter); report.refused) {
    return std::unexpected{Error{ErrorKind::unsupported, *report.refused}};
  }
  WGPULimits offered = WGPU_LIMITS_INIT;
  wgpuAdapterGetLimits(adapter, &offered);
  Requirements wanted{gpu::wanted_features(adapter), WGPU_LIMITS_INIT};
  each_limit([&](auto limit) { wanted.limits.*limit = offered.*limit; });
  wanted.limits.minStorageBufferOffsetAlignment = offered.minStorageBufferOffsetAlignment;
  return wanted;
}

WGPULimits merged(const WGPULimits& a, const WGPULimits& b) {
  WGPULimits both = a;
  const auto take = [](auto& mine, auto other, bool larger) {
    using Limit = std::remove_reference_t<decltype(mine)>;
    const Limit undefined = static_cast<Limit>(~Limit{0});
    if (other == undefined) return;
    if (mine == undefined) {
      mine = other;
    } else {
      mine = larger ? std::max<Limit>(mine, other) : std::min<Limit>(mine, other);
    }
  };
  each_limit([&](auto limit) { take(both.*limit, b.*limit, true); });
  take(both.minStorageBufferOffsetAlignment, b.minStorageBufferOffsetAlignment, false);
  return both;
}

Result<Device> adopt(WGPUDevice device, WGPUQueue queue, WGPUAdapter adapter) {
  if (device == nullptr) {
    return std::unexpected{Error{ErrorKind::bad_argument, "the device to adopt is null"}};
  }
  auto context = gpu::Context::adopt(device, queue, adapter);
  if (!context) return std::unexpected{std::move(context.error())};
  auto impl = std::make_unique<Device::Impl>();
  impl->gpu = std::move(*context);
  return Device(std::move(impl));
}

}  // namespace cumulo
