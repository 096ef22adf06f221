// Finding adapters and saying what each one is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cumulo/device.hpp"
#include "gpu/handle.hpp"

namespace cumulo::gpu {

struct FoundAdapter {
  Adapter handle;
  AdapterReport report;
};

struct Adapters {
  Instance instance;
  std::vector<FoundAdapter> found;
};

Adapters find_adapters();

// Why a device with these limits is refused, if it is. What every adapter must have: the limits
// that WebGPU promises, so far as the kernels lean on them.
std::optional<std::string> refusal(const Limits& limits);

// What the adapter offers; without what only an open device tells (subgroup_width).
AdapterReport describe(WGPUAdapter adapter);
// What a program's own device has been given. Its name, its kind and whether its workgroups make
// progress are the adapter's to say: null leaves them unknown.
AdapterReport describe(WGPUDevice device, WGPUAdapter adapter);

// The features that cumulo asks of a device where the adapter has them.
std::vector<WGPUFeatureName> wanted_features(WGPUAdapter adapter);

}  // namespace cumulo::gpu
