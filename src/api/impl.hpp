// What the public handles hold.
#pragma once

#include <memory>
#include <new>

#include "cumulo/device.hpp"
#include "cumulo/webgpu.hpp"
#include "gpu/context.hpp"

namespace cumulo {

struct Device::Impl {
  std::unique_ptr<gpu::Context> gpu;  // null on the CPU backend
  // For tests: plan as if the device were known to keep waiting workgroups running, and hold the
  // totals of tiles back as PlanOptions::withhold says.
  bool assumes_progress = false;
  std::uint32_t withhold = 0;
  DeviceInfo cpu_info;
  Traits cpu_traits;
};

// Vectors stream best from whole cache lines.
struct FreeAligned {
  void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
};

struct Buffer::Impl {
  const Device::Impl* owner = nullptr;
  std::uint64_t bytes = 0;
  gpu::NativeBuffer native;                        // on a GPU
  std::unique_ptr<std::byte[], FreeAligned> host;  // on the CPU backend
};

}  // namespace cumulo
