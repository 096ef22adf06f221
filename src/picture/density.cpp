#include "picture/density.hpp"

#include <algorithm>
#include <utility>

#include "picture/palette.hpp"

namespace cumulo::picture {
namespace {

// In pixels.
constexpr std::uint32_t width = 960;
constexpr std::uint32_t height = 260;
constexpr double left = 24;
constexpr double strip_width = 912;
constexpr double strip_top = 76;
constexpr double strip_height = 90;
constexpr double row_top = 196;
constexpr double row_height = 26;
constexpr double widest_box = 28;

enum ArrayIndex : std::uint32_t { all_array, green_array };

// A slot's bar from the floor of the strip.
Boxes bars(std::size_t slots, double pitch, Colour colour, ArrayIndex shares) {
  const double gap = pitch >= 6 ? 2 : 0;
  return {.items = static_cast<std::uint32_t>(slots),
          .filter = shares,
          .x0 = {.constant = left, .per_item = pitch},
          .x1 = {.constant = left + pitch - gap, .per_item = pitch},
          .y0 = {.constant = strip_top + strip_height},
          .y1 = {.constant = strip_top + strip_height, .per_value = -strip_height, .array = shares},
          .radius = gap > 0 ? 3.0 : 0.0,
          .colour = colour};
}

Boxes part(double x0, double x1, Colour colour) {
  return {.items = x1 > x0 ? 1U : 0U,
          .x0 = {.constant = x0},
          .x1 = {.constant = x1},
          .y0 = {.constant = row_top},
          .y1 = {.constant = row_top + row_height},
          .colour = colour};
}

Label text_line(double baseline, std::string text, Colour colour, Weight weight = Weight::regular) {
  return {.x = left,
          .baseline = baseline,
          .size = weight == Weight::bold ? 15.0 : 12.5,
          .colour = colour,
          .text = std::move(text),
          .weight = weight,
          .room = strip_width};
}

}  // namespace

std::size_t density_slots(std::size_t elements) {
  return std::min(elements, static_cast<std::size_t>(strip_width));
}

Scene density_scene(Density data) {
  Scene scene{.title = data.title, .width = width, .height = height, .background = palette::paper};
  const std::size_t slots = data.all.size();
  const double pitch =
      slots == 0 ? 0 : std::min(widest_box, strip_width / static_cast<double>(slots));
  scene.arrays = {{"all", std::move(data.all)}, {"green", std::move(data.green)}};
  scene.layers = {bars(slots, pitch, palette::pale_grey, all_array),
                  bars(slots, pitch, palette::green, green_array)};
  double from = left;
  for (const auto& [share, colour] : data.row) {
    const double to = from + share * pitch * static_cast<double>(slots);
    scene.layers.push_back(part(from, to, colour));
    from = to;
  }
  scene.labels = {text_line(30, std::move(data.title), palette::ink, Weight::bold),
                  text_line(54, std::move(data.facts), palette::ink),
                  text_line(row_top - 10, std::move(data.caption), palette::right)};
  return scene;
}

}  // namespace cumulo::picture
