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

}  // namespace cumulo
