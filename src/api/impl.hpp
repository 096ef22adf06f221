// What the public handles hold.
#pragma once

#include <deque>
#include <memory>
#include <new>
#include <optional>

#include "cumulo/device.hpp"
#include "cumulo/scan.hpp"
#include "gpu/context.hpp"
#include "gpu/executor.hpp"

namespace cumulo {

struct Device::Impl {
  std::unique_ptr<gpu::Context> gpu;  // null on the CPU backend
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
  gpu::NativeBuffer native;                      // on a GPU
  std::unique_ptr<std::byte[], FreeAligned> host;  // on the CPU backend
};

struct PreparedScan::Impl {
  // The plan differs with how the caller's buffers lie: one prepared plan for each way seen.
  struct Variant {
    PlanOptions options;
    gpu::PreparedPlan plan;
  };

  Device::Impl* device = nullptr;
  ScanDescription description;
  std::deque<Variant> variants;  // which plan() points into: it must not move

  Result<gpu::PreparedPlan*> variant(const PlanOptions& options);
};

}  // namespace cumulo
