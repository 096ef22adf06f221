// Handles, errors and waiting of the GPU painter.
#pragma once

#include <webgpu/webgpu.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "cumulo/error.hpp"

namespace cumulo::picture {

// Owns one WebGPU object.
template <class T, void (*release)(T)>
class Handle {
 public:
  explicit Handle(T object = nullptr) : object_{object} {}
  Handle(Handle&& other) noexcept : object_{std::exchange(other.object_, nullptr)} {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Handle() {
    if (object_ != nullptr) release(object_);
  }
  T get() const { return object_; }

 private:
  T object_;
};

inline WGPUStringView view(std::string_view text) { return {text.data(), text.size()}; }

// Between its making and finish(), errors of the calls on the device are held, not reported.
class ErrorScope {
 public:
  explicit ErrorScope(WGPUDevice device);
  ~ErrorScope();
  ErrorScope(const ErrorScope&) = delete;
  ErrorScope& operator=(const ErrorScope&) = delete;

  // The first error of them, if any.
  Result<void> finish();

 private:
  WGPUDevice device_;
  bool open_ = true;
};

// Maps `bytes` of the buffer for reading, hands them to `read`, and unmaps. Waits at most some
// seconds for the work before it.
Result<void> read_mapped(WGPUDevice device, WGPUBuffer buffer, std::size_t bytes,
                         const std::function<void(std::span<const std::uint8_t>)>& read);

}  // namespace cumulo::picture
