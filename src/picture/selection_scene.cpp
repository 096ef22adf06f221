#include <fmt/format.h>

#include <algorithm>

#include "picture/density.hpp"
#include "picture/palette.hpp"
#include "picture/scenes.hpp"

namespace cumulo::picture {
namespace {

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

}  // namespace

Scene selection_scene(const SelectionPicture& data) {
  const std::size_t n = data.keep.size();
  const std::size_t slots = density_slots(n);
  const auto kept = static_cast<std::uint64_t>(
      std::ranges::count_if(data.keep, [](std::uint8_t flag) { return flag != 0; }));
  const double share = n == 0 ? 0 : static_cast<double>(kept) / static_cast<double>(n);
  const std::string each = n <= slots ? "each box is an element, green where it is"
                                      : fmt::format(
                                            "each column stands for about {} elements, "
                                            "green is that share of them",
                                            n / slots);
  const std::string left_out =
      data.left_out == 0 ? "" : fmt::format(", {} more had no room", data.left_out);
  Density density{.title = data.title,
                  .facts = fmt::format("{} of {} {}{}; {}{}", kept, n, data.selected, left_out,
                                       each, data.device.empty() ? "" : "; on " + data.device),
                  .caption = data.second > 0 ? "the first kind, the second, the rest, all in order"
                             : data.rest_follows ? "the kept ones first, the others after, both in "
                                                   "their order"
                                                 : "packed, in their order",
                  .all = std::vector<double>(slots, 1.0),
                  .green = shares_of(data.keep, slots),
                  .row = {{share, palette::green}}};
  if (data.rest_follows) {
    const double second = n == 0 ? 0 : static_cast<double>(data.second) / static_cast<double>(n);
    if (data.second > 0) density.row.push_back({second, palette::light_blue});
    density.row.push_back({1 - share - second, palette::pale_grey});
  }
  return density_scene(std::move(density));
}

}  // namespace cumulo::picture
