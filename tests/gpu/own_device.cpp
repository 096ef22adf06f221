#include "gpu/own_device.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "scan/devices.hpp"

namespace cumulo::test {
namespace {

std::string lower(std::string_view text) {
  std::string out{text};
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool is_named(WGPUAdapter adapter, std::string_view name) {
  WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
  wgpuAdapterGetInfo(adapter, &info);
  const std::string_view device{info.device.data, info.device.length};
  const bool named = lower(device).contains(lower(name));
  wgpuAdapterInfoFreeMembers(info);
  return named;
}

}  // namespace

OwnDevice::OwnDevice(std::string_view name, bool with_requirements) {
  instance_ = wgpuCreateInstance(nullptr);
  std::vector<WGPUAdapter> adapters(wgpuInstanceEnumerateAdapters(instance_, nullptr, nullptr));
  wgpuInstanceEnumerateAdapters(instance_, nullptr, adapters.data());
  for (WGPUAdapter adapter : adapters) {
    if (adapter_ == nullptr && is_named(adapter, name)) {
      adapter_ = adapter;
    } else {
      wgpuAdapterRelease(adapter);
    }
  }
  if (adapter_ == nullptr) throw std::runtime_error("no adapter " + std::string{name});

  WGPUDeviceDescriptor descriptor = WGPU_DEVICE_DESCRIPTOR_INIT;
  Requirements wanted{{}, WGPU_LIMITS_INIT};
  if (with_requirements) wanted = value_of(requirements(adapter_));
  descriptor.requiredFeatures = wanted.features.data();
  descriptor.requiredFeatureCount = wanted.features.size();
  descriptor.requiredLimits = &wanted.limits;
  descriptor.uncapturedErrorCallbackInfo.userdata1 = this;
  descriptor.uncapturedErrorCallbackInfo.callback = [](WGPUDevice const*, WGPUErrorType,
                                                       WGPUStringView message, void* self, void*) {
    static_cast<OwnDevice*>(self)->errors.emplace_back(message.data, message.length);
  };
  WGPURequestDeviceCallbackInfo callback = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.userdata1 = &device_;
  callback.callback = [](WGPURequestDeviceStatus, WGPUDevice device, WGPUStringView, void* out,
                         void*) { *static_cast<WGPUDevice*>(out) = device; };
  wgpuAdapterRequestDevice(adapter_, &descriptor, callback);
  if (device_ == nullptr) throw std::runtime_error("the device request was refused");
  queue_ = wgpuDeviceGetQueue(device_);
}

OwnDevice::~OwnDevice() {
  wgpuDevicePoll(device_, 1U, nullptr);
  wgpuQueueRelease(queue_);
  wgpuDeviceRelease(device_);
  wgpuAdapterRelease(adapter_);
  wgpuInstanceRelease(instance_);
}

void OwnDevice::make_an_error() const {
  WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
  descriptor.size = 4;
  descriptor.usage = WGPUBufferUsage_MapRead | WGPUBufferUsage_Storage;
  wgpuBufferRelease(wgpuDeviceCreateBuffer(device_, &descriptor));
}

WGPUBuffer OwnDevice::buffer(std::uint64_t bytes, WGPUBufferUsage more) const {
  WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
  descriptor.size = bytes;
  descriptor.usage =
      WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst | more;
  return wgpuDeviceCreateBuffer(device_, &descriptor);
}

WGPUBuffer OwnDevice::buffer_of(const std::vector<std::uint32_t>& words,
                                WGPUBufferUsage more) const {
  WGPUBuffer made = buffer(std::max<std::uint64_t>(4, words.size() * 4), more);
  wgpuQueueWriteBuffer(queue_, made, 0, words.data(), words.size() * 4);
  return made;
}

std::vector<std::uint32_t> OwnDevice::words_of(WGPUBuffer buffer, std::uint64_t count) const {
  const std::uint64_t bytes = count * 4;
  WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
  descriptor.size = bytes;
  descriptor.usage = WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst;
  WGPUBuffer staging = wgpuDeviceCreateBuffer(device_, &descriptor);
  WGPUCommandEncoder commands = encoder();
  wgpuCommandEncoderCopyBufferToBuffer(commands, buffer, 0, staging, 0, bytes);
  submit(commands);
  WGPUBufferMapCallbackInfo callback = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.callback = [](WGPUMapAsyncStatus, WGPUStringView, void*, void*) {};
  wgpuBufferMapAsync(staging, WGPUMapMode_Read, 0, bytes, callback);
  wgpuDevicePoll(device_, 1U, nullptr);
  std::vector<std::uint32_t> words(count);
  std::memcpy(words.data(), wgpuBufferGetConstMappedRange(staging, 0, bytes), bytes);
  wgpuBufferUnmap(staging);
  wgpuBufferRelease(staging);
  return words;
}

WGPUCommandEncoder OwnDevice::encoder() const {
  return wgpuDeviceCreateCommandEncoder(device_, nullptr);
}

void OwnDevice::submit(WGPUCommandEncoder encoder) const {
  WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, nullptr);
  wgpuQueueSubmit(queue_, 1, &commands);
  wgpuCommandBufferRelease(commands);
  wgpuCommandEncoderRelease(encoder);
}

}  // namespace cumulo::test
