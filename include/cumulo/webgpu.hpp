// The meeting point with a program's own WebGPU code; the only public header that sees webgpu.h.
#pragma once

#include <webgpu/webgpu.h>

#include "cumulo/device.hpp"
#include "cumulo/scan.hpp"

namespace cumulo {

// Null on the CPU backend. The handles stay owned by cumulo.
WGPUDevice native_device(const Device& device);
WGPUQueue native_queue(const Device& device);
WGPUBuffer native_buffer(const Buffer& buffer);

// Records a prepared scan into the caller's encoder, over the caller's buffers (usage: storage, and
// for n = 0 copy destination). Offsets in elements. Never submits, waits or maps.
Result<void> record(PreparedScan& scan, WGPUCommandEncoder encoder, WGPUBuffer in, WGPUBuffer out,
                    std::uint64_t in_offset = 0, std::uint64_t out_offset = 0);

}  // namespace cumulo
