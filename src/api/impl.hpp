// What the public handles hold.
#pragma once

#include <memory>
#include <new>
#include <optional>
#include <vector>

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

// Whether so many bytes from an aligned offset end within 16 that belong together.
constexpr bool ends_in_a_vector(std::uint64_t bytes) { return bytes % 16 != 0; }

// The caller's buffers of one run; `count` with a scan counted on the device.
struct ScanBuffers {
  BufferRange in;
  BufferRange out;
  BufferRange count = {};
  bool operator==(const ScanBuffers&) const = default;
};

struct PreparedScan::Impl {
  // The plan differs with how the caller's buffers lie: one prepared plan for each way seen.
  struct Variant {
    PlanOptions options;
    std::shared_ptr<const gpu::PreparedPlan> plan;
  };
  // Plans whose scratch looks the same share it, whatever else they differ in: each leaves it as
  // the next one wants it.
  struct OwnScratch {
    std::vector<PlanBuffer> layout;
    std::shared_ptr<gpu::Scratch> memory;
    std::optional<std::uint64_t> status;  // where a stalled run says so, in bytes
  };
  struct DeviceBuffers {
    const Buffer& in;
    const Buffer& out;
    std::uint64_t in_offset;  // in elements
    std::uint64_t out_offset;
  };
  struct Recent {
    ScanBuffers buffers;
    gpu::BoundPlan plan;
  };

  Device::Impl* device = nullptr;
  ScanDescription description;
  bool counted = false;
  std::vector<Variant>
      variants;  // the first, aligned and apart, stays; others make room for new ones
  std::vector<OwnScratch> scratch;
  std::vector<Recent> recent;  // bound by record() and run(), newest last

  // What run() and run_counted() do; count null with the former.
  Result<void> run(const DeviceBuffers& buffers, const Buffer* count, std::uint64_t count_at);
  Result<gpu::BoundPlan> bind(const ScanBuffers& buffers, const BufferRange& lent_scratch = {});
  // The same, remembered: valid until the next call.
  Result<gpu::BoundPlan*> bind_again(const ScanBuffers& buffers);
  Result<std::shared_ptr<const gpu::PreparedPlan>> variant(const PlanOptions& options);

 private:
  Result<std::shared_ptr<gpu::Scratch>> own_scratch(const gpu::PreparedPlan& plan);
  Result<std::shared_ptr<gpu::Scratch>> borrow_scratch(const gpu::PreparedPlan& plan,
                                                       const ScanBuffers& buffers,
                                                       const BufferRange& lent) const;
};

struct BoundScan::Impl {
  gpu::BoundPlan plan;
};

}  // namespace cumulo
