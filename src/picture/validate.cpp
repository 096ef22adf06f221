#include <fmt/format.h>

#include "picture/picture.hpp"

namespace cumulo::picture {
namespace {

constexpr std::uint32_t largest_side = 8192;  // what every WebGPU device can draw on
constexpr std::uint64_t most_boxes = 1u << 26;

Result<void> refuse(std::string message) {
  return std::unexpected{Error{ErrorKind::bad_argument, std::move(message)}};
}

Result<void> check_layer(const Scene& scene, const Boxes& boxes) {
  const auto reads_inside = [&](std::uint32_t array) {
    return array == no_array ||
           (array < scene.arrays.size() && scene.arrays[array].values.size() >= boxes.items);
  };
  for (const std::uint32_t array : {boxes.copy_count, boxes.filter, boxes.x0.array, boxes.x1.array,
                                    boxes.y0.array, boxes.y1.array}) {
    if (!reads_inside(array)) {
      return refuse(
          fmt::format("a layer of {} boxes reads past array {} of the scene", boxes.items, array));
    }
  }
  return {};
}

}  // namespace

Result<void> validate(const Scene& scene) {
  if (scene.width == 0 || scene.height == 0 || scene.width > largest_side ||
      scene.height > largest_side) {
    return refuse(fmt::format("a picture has 1 to {} pixels a side, not {} x {}", largest_side,
                              scene.width, scene.height));
  }
  if (scene.arrays.size() > max_arrays) {
    return refuse(
        fmt::format("a scene has at most {} arrays, not {}", max_arrays, scene.arrays.size()));
  }
  std::uint64_t boxes = 0;
  for (const Boxes& layer : scene.layers) {
    if (auto checked = check_layer(scene, layer); !checked) return checked;
    boxes += std::uint64_t{layer.items} * layer.copies;
  }
  if (boxes > most_boxes) {
    return refuse(fmt::format("a scene has at most {} boxes, not {}", most_boxes, boxes));
  }
  return {};
}

}  // namespace cumulo::picture
