// A scene in the memory layout of boxes.wgsl.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cumulo/type.hpp"
#include "picture/scene.hpp"

namespace cumulo::picture {

// Where an array lies in its binding.
struct ArrayPlace {
  std::uint32_t first = 0;  // element
  Type type = Type::u32;
};

struct GpuScene {
  std::vector<std::byte> bytes;  // struct Scene
  std::uint32_t instances = 0;
};

GpuScene to_gpu_scene(const Scene& scene, const std::array<ArrayPlace, max_arrays>& places);

}  // namespace cumulo::picture
