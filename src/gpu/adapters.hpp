// Finding adapters and saying what each one is.
#pragma once

#include <vector>

#include "cumulo/device.hpp"
#include "gpu/handle.hpp"

namespace cumulo::gpu {

struct FoundAdapter {
  Adapter handle;
  AdapterReport report;  // without what only an open device tells (subgroup_width)
};

struct Adapters {
  Instance instance;
  std::vector<FoundAdapter> found;
};

Adapters find_adapters();

// The features that cumulo asks of a device where the adapter has them.
std::vector<WGPUFeatureName> wanted_features(WGPUAdapter adapter);

}  // namespace cumulo::gpu
