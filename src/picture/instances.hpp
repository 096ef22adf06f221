// The boxes of a layer as the painters on the CPU draw them.
#pragma once

#include <cmath>

#include "picture/scene.hpp"

namespace cumulo::picture {

struct Rectangle {
  double x0, y0, x1, y1;  // pixels; x0 <= x1, y0 <= y1
};

inline double evaluate(const Formula& f, const Scene& scene, std::size_t i, std::size_t k) {
  const double value = f.array == no_array ? 0 : f.per_value * scene.arrays[f.array].values[i];
  return f.constant + f.per_item * static_cast<double>(i) + f.per_copy * static_cast<double>(k) +
         value;
}

// Calls draw(rectangle, colour) for every box of the layer that has a finite place.
template <class Draw>
void for_each_box(const Scene& scene, const Boxes& boxes, Draw&& draw) {
  const PixelFormulas pixels = pixel_formulas(boxes);
  for (std::size_t i = 0; i < boxes.items; ++i) {
    if (boxes.filter != no_array &&
        (scene.arrays[boxes.filter].values[i] != 0) == boxes.filter_inverted) {
      continue;
    }
    const Colour& colour = boxes.odd_colour && i % 2 == 1 ? *boxes.odd_colour : boxes.colour;
    for (std::size_t k = 0; k < boxes.copies; ++k) {
      if (boxes.copy_count != no_array &&
          !(static_cast<double>(k) < scene.arrays[boxes.copy_count].values[i])) {
        break;
      }
      const double x0 = evaluate(pixels.x0, scene, i, k);
      const double x1 = evaluate(pixels.x1, scene, i, k);
      const double y0 = evaluate(pixels.y0, scene, i, k);
      const double y1 = evaluate(pixels.y1, scene, i, k);
      if (!std::isfinite(x0 + x1 + y0 + y1)) continue;
      draw(Rectangle{std::fmin(x0, x1), std::fmin(y0, y1), std::fmax(x0, x1), std::fmax(y0, y1)},
           colour);
    }
  }
}

}  // namespace cumulo::picture
