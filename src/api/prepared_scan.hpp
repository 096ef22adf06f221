// What the public handles of prepared and bound scans hold.
#pragma once

#include <vector>

#include "api/calls.hpp"
#include "api/views.hpp"
#include "cumulo/scan.hpp"
#include "cumulo/webgpu.hpp"

namespace cumulo {

struct PreparedScan::Impl : PreparedCall {
  ScanDescription description;

  // count null where it is not counted.
  Result<void> run(const Buffer& in, const Buffer& out, std::uint64_t in_offset,
                   std::uint64_t out_offset, const BufferView& count) const;
  Result<void> run_on_cpu(const std::byte* in, std::byte* out, const BufferView& count) const;
  // As the plans want them; bad_argument on the CPU backend, and where there should be a count and
  // is none, or the reverse.
  Result<std::vector<BufferRange>> caller_ranges(const BufferRange& in, const BufferRange& out,
                                                 const BufferRange& count = {}) const;
};

struct BoundScan::Impl {
  gpu::BoundPlan plan;
};

}  // namespace cumulo
