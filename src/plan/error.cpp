#include "cumulo/error.hpp"

namespace cumulo {

std::string_view name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::bad_argument: return "bad-argument";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::no_device: return "no-device";
    case ErrorKind::out_of_memory: return "out-of-memory";
    case ErrorKind::device_lost: return "device-lost";
    case ErrorKind::validation: return "validation";
    case ErrorKind::stalled: return "stalled";
    case ErrorKind::file: return "file";
  }
  return "unknown";
}

std::string describe(const Error& error) {
  std::string text = error.message;
  for (const std::string& reason : error.reasons) text += "\n  " + reason;
  return text;
}

}  // namespace cumulo
