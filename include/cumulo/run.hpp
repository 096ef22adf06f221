// What all primitives ask about a run, and how a program names the buffers of one.
#pragma once

#include <cstdint>

#include "cumulo/device.hpp"

namespace cumulo {

struct RunOptions {
  std::uint32_t timed_runs = 0;  // > 0: repeat so often after a warm-up and report the median
};

struct PrepareOptions {
  // The number of elements is a u32 in a buffer that every run names, not known on the host.
  // description.n, at least 1, is the most it can be.
  bool counted = false;
};

// A place in a buffer of the device, offset in bytes. The buffer must outlive the call that takes
// it.
struct BufferView {
  const Buffer* buffer = nullptr;
  std::uint64_t offset = 0;
};

}  // namespace cumulo
