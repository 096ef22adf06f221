#include "picture/gpu_wait.hpp"

#include <webgpu/wgpu.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

namespace cumulo::picture {
namespace {

constexpr std::chrono::seconds patience{30};

// What a callback leaves behind. Lives on the heap: a callback may come after we stopped waiting.
struct Outcome {
  bool ok = false;
  WGPUErrorType type = WGPUErrorType_NoError;
  std::string message;
  std::atomic<bool> done = false;
};

std::string text_of(WGPUStringView text) {
  if (text.data == nullptr) return {};
  return text.length == WGPU_STRLEN ? std::string{text.data} : std::string{text.data, text.length};
}

bool wait_for(WGPUDevice device, const Outcome& outcome) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!outcome.done.load(std::memory_order_acquire)) {
    wgpuDevicePoll(device, WGPU_FALSE, nullptr);
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds{100});
  }
  return true;
}

// Waits for the outcome; where it never comes, its callback keeps it.
Result<void> settle(WGPUDevice device, std::unique_ptr<Outcome>& outcome) {
  if (wait_for(device, *outcome)) return {};
  static_cast<void>(outcome.release());
  return std::unexpected{
      Error{ErrorKind::stalled, "the device did not finish drawing the picture in 30 s"}};
}

std::unique_ptr<Outcome> pop_scope(WGPUDevice device) {
  auto outcome = std::make_unique<Outcome>();
  WGPUPopErrorScopeCallbackInfo callback = WGPU_POP_ERROR_SCOPE_CALLBACK_INFO_INIT;
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.userdata1 = outcome.get();
  callback.callback = [](WGPUPopErrorScopeStatus status, WGPUErrorType type, WGPUStringView message,
                         void* userdata, void*) {
    auto& popped = *static_cast<Outcome*>(userdata);
    popped.ok = status == WGPUPopErrorScopeStatus_Success;
    popped.type = type;
    popped.message = text_of(message);
    popped.done.store(true, std::memory_order_release);
  };
  wgpuDevicePopErrorScope(device, callback);
  return outcome;
}

}  // namespace

ErrorScope::ErrorScope(WGPUDevice device) : device_{device} {
  wgpuDevicePushErrorScope(device, WGPUErrorFilter_OutOfMemory);
  wgpuDevicePushErrorScope(device, WGPUErrorFilter_Validation);
}

ErrorScope::~ErrorScope() {
  if (open_) static_cast<void>(finish());
}

Result<void> ErrorScope::finish() {
  open_ = false;
  std::unique_ptr<Outcome> scopes[] = {pop_scope(device_), pop_scope(device_)};
  Result<void> result;
  for (auto& scope : scopes) {
    if (auto settled = settle(device_, scope); !settled) return settled;
    if (!result || (scope->ok && scope->type == WGPUErrorType_NoError)) continue;
    const ErrorKind kind = !scope->ok                                 ? ErrorKind::device_lost
                           : scope->type == WGPUErrorType_OutOfMemory ? ErrorKind::out_of_memory
                                                                      : ErrorKind::validation;
    result =
        std::unexpected{Error{kind, "drawing the picture on the device failed", {scope->message}}};
  }
  return result;
}

Result<void> read_mapped(WGPUDevice device, WGPUBuffer buffer, std::size_t bytes,
                         const std::function<void(std::span<const std::uint8_t>)>& read) {
  auto outcome = std::make_unique<Outcome>();
  WGPUBufferMapCallbackInfo callback = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.userdata1 = outcome.get();
  callback.callback = [](WGPUMapAsyncStatus status, WGPUStringView message, void* userdata, void*) {
    auto& mapped = *static_cast<Outcome*>(userdata);
    mapped.ok = status == WGPUMapAsyncStatus_Success;
    mapped.message = text_of(message);
    mapped.done.store(true, std::memory_order_release);
  };
  wgpuBufferMapAsync(buffer, WGPUMapMode_Read, 0, bytes, callback);
  if (auto settled = settle(device, outcome); !settled) return settled;
  if (!outcome->ok) {
    return std::unexpected{Error{ErrorKind::device_lost,
                                 "the picture could not be read from the device",
                                 {outcome->message}}};
  }
  const auto* pixels =
      static_cast<const std::uint8_t*>(wgpuBufferGetConstMappedRange(buffer, 0, bytes));
  if (pixels == nullptr) {
    return std::unexpected{Error{ErrorKind::out_of_memory, "the picture could not be mapped"}};
  }
  read({pixels, bytes});
  wgpuBufferUnmap(buffer);
  return {};
}

}  // namespace cumulo::picture
