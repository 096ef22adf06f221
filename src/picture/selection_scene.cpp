#include <fmt/format.h>

#include <algorithm>

#include "picture/palette.hpp"
#include "picture/scenes.hpp"

namespace cumulo::picture {
namespace {

// In pixels.
constexpr std::uint32_t width = 960;
constexpr std::uint32_t height = 260;
constexpr double left = 24;
constexpr double strip_width = 912;
constexpr double strip_top = 76;
constexpr double strip_height = 90;
constexpr double packed_top = 196;
constexpr double packed_height = 26;
constexpr double widest_box = 28;

// Of each slot the share of its elements that are kept.
std::vector<double> shares_of(std::span<const std::uint8_t> keep, std::size_t slots) {
  std::vector<double> shares(slots);
  for (std::size_t s = 0; s < slots; ++s) {
    const std::size_t begin = keep.size() * s / slots;
    const std::size_t end = keep.size() * (s + 1) / slots;
    const auto kept = std::count_if(keep.begin() + static_cast<std::ptrdiff_t>(begin),
                                    keep.begin() + static_cast<std::ptrdiff_t>(end),
                                    [](std::uint8_t flag) { return flag != 0; });
    shares[s] = static_cast<double>(kept) / static_cast<double>(end - begin);
  }
  return shares;
}

// A slot's bar from the floor of the strip: all of it, or its array's share.
Boxes bars(std::size_t slots, double pitch, Colour colour, std::optional<std::uint32_t> shares) {
  const double gap = pitch >= 6 ? 2 : 0;
  Boxes boxes{.items = static_cast<std::uint32_t>(slots),
              .x0 = {.constant = left, .per_item = pitch},
              .x1 = {.constant = left + pitch - gap, .per_item = pitch},
              .y0 = {.constant = strip_top + strip_height},
              .y1 = {.constant = strip_top},
              .radius = gap > 0 ? 3.0 : 0.0,
              .colour = colour};
  if (shares) {
    boxes.filter = *shares;
    boxes.y1 = {.constant = strip_top + strip_height, .per_value = -strip_height, .array = *shares};
  }
  return boxes;
}

Boxes packed(double x0, double x1, Colour colour) {
  return {.items = x1 > x0 ? 1U : 0U,
          .x0 = {.constant = x0},
          .x1 = {.constant = x1},
          .y0 = {.constant = packed_top},
          .y1 = {.constant = packed_top + packed_height},
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

Scene selection_scene(const SelectionPicture& data) {
  Scene scene{.title = data.title, .width = width, .height = height, .background = palette::paper};
  const std::size_t n = data.keep.size();
  const auto slots = std::min(n, static_cast<std::size_t>(strip_width));
  const double pitch = n == 0 ? 0 : std::min(widest_box, strip_width / static_cast<double>(slots));
  scene.arrays = {{"keep", shares_of(data.keep, slots)}};
  const auto kept = static_cast<std::uint64_t>(
      std::ranges::count_if(data.keep, [](std::uint8_t flag) { return flag != 0; }));
  const double whole = pitch * static_cast<double>(slots);
  const double part = n == 0 ? 0 : whole * static_cast<double>(kept) / static_cast<double>(n);
  scene.layers = {bars(slots, pitch, palette::pale_grey, std::nullopt),
                  bars(slots, pitch, palette::green, 0U),
                  packed(left, left + part, palette::green)};
  if (data.rest_follows) {
    scene.layers.push_back(packed(left + part, left + whole, palette::pale_grey));
  }
  const std::string each = n <= slots ? "each box is an element, green where it is kept"
                                      : fmt::format(
                                            "each column stands for about {} elements, "
                                            "green is the share that is kept",
                                            n / slots);
  scene.labels = {
      text_line(30, data.title, palette::ink, Weight::bold),
      text_line(54,
                fmt::format("{} of {} are kept{}; {}", kept, n,
                            data.device.empty() ? "" : " on " + data.device, each),
                palette::ink),
      text_line(packed_top - 10,
                data.rest_follows ? "the kept ones first, the others after, both in their order"
                                  : "packed, in their order",
                palette::right)};
  return scene;
}

}  // namespace cumulo::picture
