#include "picture/gpu_scene.hpp"

#include <cstring>

namespace cumulo::picture {
namespace {

using Vec4f = std::array<float, 4>;
using Vec4u = std::array<std::uint32_t, 4>;

// struct Layer of boxes.wgsl.
struct GpuLayer {
  Vec4f x0, x1, y0, y1;
  Vec4f colour, odd_colour;
  Vec4u arrays;
  std::uint32_t last;
  std::uint32_t copies;
  std::uint32_t copy_count;
  std::uint32_t keep;
  std::uint32_t keep_zeros;
  float radius;
  std::array<std::uint32_t, 2> padding;
};
static_assert(sizeof(GpuLayer) == 144);

// struct Scene of boxes.wgsl, before its layers.
struct GpuHeader {
  std::array<float, 2> size;
  std::array<std::uint32_t, 2> padding;
  Vec4u firsts;
  Vec4u types;
};
static_assert(sizeof(GpuHeader) == 48);

Vec4f packed(const Formula& f) {
  return {static_cast<float>(f.constant), static_cast<float>(f.per_item),
          static_cast<float>(f.per_copy), static_cast<float>(f.per_value)};
}

Vec4f packed(const Colour& c) {
  return {static_cast<float>(c.red), static_cast<float>(c.green), static_cast<float>(c.blue), 1};
}

std::uint32_t type_code(Type type) { return type == Type::u32 ? 0 : type == Type::i32 ? 1 : 2; }

GpuLayer packed(const Boxes& boxes, std::uint32_t last) {
  const PixelFormulas pixels = pixel_formulas(boxes);
  return {.x0 = packed(pixels.x0),
          .x1 = packed(pixels.x1),
          .y0 = packed(pixels.y0),
          .y1 = packed(pixels.y1),
          .colour = packed(boxes.colour),
          .odd_colour = packed(boxes.odd_colour.value_or(boxes.colour)),
          .arrays = {pixels.x0.array, pixels.x1.array, pixels.y0.array, pixels.y1.array},
          .last = last,
          .copies = boxes.copies,
          .copy_count = boxes.copy_count,
          .keep = boxes.filter,
          .keep_zeros = boxes.filter_inverted ? 1u : 0u,
          .radius = static_cast<float>(boxes.radius),
          .padding = {}};
}

}  // namespace

GpuScene to_gpu_scene(const Scene& scene, const std::array<ArrayPlace, max_arrays>& places) {
  GpuHeader header{.size = {static_cast<float>(scene.width), static_cast<float>(scene.height)},
                   .padding = {},
                   .firsts = {},
                   .types = {}};
  for (std::size_t a = 0; a < max_arrays; ++a) {
    header.firsts[a] = places[a].first;
    header.types[a] = type_code(places[a].type);
  }
  GpuScene packed_scene;
  std::vector<GpuLayer> layers;
  for (const Boxes& boxes : scene.layers) {
    packed_scene.instances += boxes.items * boxes.copies;
    layers.push_back(packed(boxes, packed_scene.instances));
  }
  // A runtime-sized array in WGSL has at least one element.
  if (layers.empty()) layers.push_back(packed(Boxes{}, 0));
  packed_scene.bytes.resize(sizeof header + layers.size() * sizeof(GpuLayer));
  std::memcpy(packed_scene.bytes.data(), &header, sizeof header);
  std::memcpy(packed_scene.bytes.data() + sizeof header, layers.data(),
              layers.size() * sizeof(GpuLayer));
  return packed_scene;
}

}  // namespace cumulo::picture
