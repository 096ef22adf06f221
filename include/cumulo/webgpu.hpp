// The meeting point with a program's own WebGPU code; the only public header that sees webgpu.h.
//
// Of the program's device, cumulo uses what it was given and replaces nothing: the callbacks for
// errors and for the loss of the device stay the program's. Errors of cumulo's own WebGPU calls are
// caught by error scopes, which it opens inside each of its functions and closes before the
// function returns, and come back as that function's Error. So the program's callback, and a scope
// that the program has open, see the program's own errors and no others. wgpu-native has one stack
// of scopes a device, not one a thread: while a function of cumulo runs, no other thread should
// call into the same device, or its error may be taken for ours.
#pragma once

#include <webgpu/webgpu.h>

#include <vector>

#include "cumulo/device.hpp"
#include "cumulo/scan.hpp"

namespace cumulo {

// Null on the CPU backend. The handles stay owned by cumulo.
WGPUDevice native_device(const Device& device);
WGPUQueue native_queue(const Device& device);
WGPUBuffer native_buffer(const Buffer& buffer);

// What to ask for in a program's own device request, beside its own wishes.
struct Requirements {
  // All that cumulo can use and the adapter has; none of them is needed for a right result.
  std::vector<WGPUFeatureName> features;
  // The adapter's own for those limits that cumulo looks at; the rest is left undefined, which asks
  // for WebGPU's defaults. Smaller limits serve as well: plans are made for what the device has.
  WGPULimits limits;
};

// unsupported: the adapter has less than cumulo needs; the sentence names the limit.
Result<Requirements> requirements(WGPUAdapter adapter);

// The stricter of two requests, limit by limit.
WGPULimits merged(const WGPULimits& a, const WGPULimits& b);

// A Device over the program's own. References to device and queue are held until the Device goes;
// the program may release its own. queue null: the device's queue. adapter, the one that the device
// came from, is only looked at: it tells the name, the kind and whether workgroups make progress;
// null: none of that is known, and no scan will wait for another workgroup.
// Where the device has subgroups, runs one tiny kernel and waits for it: their width is found by
// trying. Buffers and prepared scans must not outlive the Device.
// Errors: bad_argument (device null), unsupported (a limit is too small), device_lost, validation.
Result<Device> adopt(WGPUDevice device, WGPUQueue queue = nullptr, WGPUAdapter adapter = nullptr);

// Records a prepared scan into the caller's encoder, over the caller's buffers (usage: storage, and
// for n = 0 copy destination). Offsets in elements. Never submits, waits or maps.
Result<void> record(PreparedScan& scan, WGPUCommandEncoder encoder, WGPUBuffer in, WGPUBuffer out,
                    std::uint64_t in_offset = 0, std::uint64_t out_offset = 0);

}  // namespace cumulo
