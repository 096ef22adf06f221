// Errors are values: every call that can fail returns Result<T>.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cumulo {

enum class ErrorKind : std::uint8_t {
  bad_argument,   // the request contradicts itself or its data
  unsupported,    // a valid request that this device or backend cannot do
  no_device,      // no adapter as asked for
  out_of_memory,  // host or device memory
  device_lost,    // the device vanished while working
  validation,     // the WebGPU implementation refused a call: a fault of ours
  stalled,        // the device stopped making progress within the allowed time
  file,           // reading or writing a file
};

// One failure: its kind, a sentence that names what was asked and what was possible, and, where
// several candidates were tried, one reason for each.
struct Error {
  ErrorKind kind;
  std::string message;
  std::vector<std::string> reasons = {};
};

template <class T>
using Result = std::expected<T, Error>;

inline Error bad_argument(std::string message) {
  return {ErrorKind::bad_argument, std::move(message)};
}

std::string_view name(ErrorKind kind);

// The message followed by its reasons, one a line.
std::string describe(const Error& error);

}  // namespace cumulo
