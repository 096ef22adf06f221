#include "picture/scene.hpp"

namespace cumulo::picture {
namespace {

Formula in_pixels(const Formula& formula, double offset, double scale) {
  return {.constant = offset + scale * formula.constant,
          .per_item = scale * formula.per_item,
          .per_copy = scale * formula.per_copy,
          .per_value = scale * formula.per_value,
          .array = formula.array};
}

}  // namespace

PixelFormulas pixel_formulas(const Boxes& boxes) {
  const Frame& f = boxes.frame;
  return {.x0 = in_pixels(boxes.x0, f.x_offset, f.x_scale),
          .x1 = in_pixels(boxes.x1, f.x_offset, f.x_scale),
          .y0 = in_pixels(boxes.y0, f.y_offset, f.y_scale),
          .y1 = in_pixels(boxes.y1, f.y_offset, f.y_scale)};
}

}  // namespace cumulo::picture
