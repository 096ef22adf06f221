// What the public handles hold.
#pragma once

#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "api/prepared_plans.hpp"
#include "cumulo/device.hpp"
#include "cumulo/scan.hpp"
#include "cumulo/webgpu.hpp"
#include "gpu/context.hpp"
#include "gpu/executor.hpp"

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

struct PreparedScan::Impl {
  struct DeviceBuffers {
    const Buffer& in;
    const Buffer& out;
    std::uint64_t in_offset;  // in elements
    std::uint64_t out_offset;
  };

  Device::Impl* device = nullptr;
  ScanDescription description;
  bool counted = false;
  std::optional<PreparedPlans> plans;  // on a GPU

  // What run() and run_counted() do; count null with the former.
  Result<void> run(const DeviceBuffers& buffers, const Buffer* count, std::uint64_t count_at);
  // As the plans want them; bad_argument where there should be a count and is none, or the reverse.
  Result<std::vector<CallerBuffer>> caller_buffers(const BufferRange& in, const BufferRange& out,
                                                   const BufferRange& count = {}) const;
};

struct BoundScan::Impl {
  gpu::BoundPlan plan;
};

}  // namespace cumulo
