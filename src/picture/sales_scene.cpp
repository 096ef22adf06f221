#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "picture/palette.hpp"
#include "picture/scenes.hpp"
#include "picture/verdict.hpp"

namespace cumulo::picture {
namespace {

constexpr std::uint32_t width = 600;
constexpr std::uint32_t height = 330;
constexpr double margin = 12;  // of the text

// In clip space.
constexpr double left = -0.95;
constexpr double span_of_bars = 1.9;
constexpr double bar_width_times_n = 0.0068 * 256;
constexpr double sales_floor = -0.9;
constexpr double tallest_sale = 0.2;
constexpr double totals_floor = -0.6;
constexpr double tallest_total = 1.1;
constexpr double headroom = 520.0 / 510.0;  // of the totals: 1.1 stands for 520 when 510 is reached

enum ArrayIndex : std::uint32_t { sales_array, totals_array };

Boxes bars(std::size_t n, std::uint32_t array, double floor, double height_of_one, Colour colour) {
  const double count = static_cast<double>(std::max<std::size_t>(n, 1));
  const double pitch = span_of_bars / count;
  return {.items = static_cast<std::uint32_t>(n),
          .frame = clip_space(width, height),
          .x0 = {.constant = left, .per_item = pitch},
          .x1 = {.constant = left + bar_width_times_n / count, .per_item = pitch},
          .y0 = {.constant = floor},
          .y1 = {.constant = floor, .per_value = height_of_one, .array = array},
          .colour = colour};
}

Array array_of(std::string name, std::span<const std::uint32_t> values) {
  return {std::move(name), {values.begin(), values.end()}};
}

// The height of one, where `largest` of them are as tall as `tallest`.
double unit_height(double tallest, double largest) { return tallest / std::max(largest, 1.0); }

std::string barriers_text(const Counts& counts) {
  if (counts.barriers == 2 * counts.steps) return "two barriers each";
  return fmt::format("{} barriers", counts.barriers);
}

// Only what is known of the scan that made the totals.
std::string title_text(std::size_t n, std::uint32_t total, const SalesFacts& facts) {
  if (!facts.counts) return fmt::format("{} days of sales by {}; total {}", n, facts.scan, total);
  return fmt::format("{} days of sales, {} steps, {}; total {}", n, facts.counts->steps,
                     barriers_text(*facts.counts), total);
}

// What Hillis and Steele's scan adds: at each distance every element that has one so far before it.
std::uint64_t hillis_steele_additions(std::uint64_t n) {
  std::uint64_t additions = 0;
  for (std::uint64_t distance = 1; distance < n; distance *= 2) additions += n - distance;
  return additions;
}

std::string additions_text(std::uint64_t n, const SalesFacts& facts) {
  const std::string others = "Blelloch: about 2n; subgroup builtin: one call";
  const std::uint64_t by_hillis_steele = hillis_steele_additions(n);
  if (!facts.counts) {
    return fmt::format("Additions by a loop: {}; Hillis-Steele: {} (n log2 n); {}",
                       n == 0 ? 0 : n - 1, by_hillis_steele, others);
  }
  return fmt::format("{}: {} additions{}; {}", facts.scan, facts.counts->additions,
                     facts.counts->additions == by_hillis_steele ? " (n log2 n)" : "", others);
}

}  // namespace

Result<Scene> sales_scene(std::span<const std::uint32_t> sales,
                          std::span<const std::uint32_t> totals, const SalesFacts& facts) {
  if (sales.size() != totals.size()) {
    return std::unexpected{
        Error{ErrorKind::bad_argument,
              fmt::format("a picture of sales needs a total for each day: {} days, {} totals",
                          sales.size(), totals.size())}};
  }
  const std::size_t n = sales.size();
  const std::vector<std::uint32_t> expected = running_sum(sales, ScanKind::inclusive);
  const std::optional<Difference> difference = first_difference("total", expected, totals);
  // Scaled by what is right, so that a wrong bar looks wrong.
  const double largest_sale = n == 0 ? 0 : *std::ranges::max_element(sales);
  const double largest_total = n == 0 ? 0 : *std::ranges::max_element(expected);

  Scene scene{.title = "Running totals of sales",
              .width = width,
              .height = height,
              .background = palette::paper};
  scene.arrays = {array_of("sales", sales), array_of("totals", totals)};
  scene.layers = {
      bars(n, sales_array, sales_floor, unit_height(tallest_sale, largest_sale), palette::orange),
      bars(n, totals_array, totals_floor, unit_height(tallest_total, largest_total * headroom),
           palette::blue)};
  scene.labels = {{.x = margin,
                   .baseline = 24,
                   .size = 13,
                   .colour = palette::ink,
                   .text = title_text(n, n == 0 ? 0 : totals.back(), facts),
                   .weight = Weight::bold,
                   .room = width - 2 * margin},
                  {.x = margin,
                   .baseline = 44,
                   .size = 11.5,
                   .colour = palette::dark_blue,
                   .text = "\u25a0 running totals"},
                  {.x = 140,
                   .baseline = 44,
                   .size = 11.5,
                   .colour = palette::dark_yellow,
                   .text = "\u25a0 sales of each day"},
                  verdict(320, 44, width - 320 - margin, difference,
                          fmt::format("all {} totals match a sequential sum", n)),
                  {.x = margin,
                   .baseline = 62,
                   .size = 11,
                   .colour = palette::grey,
                   .text = additions_text(n, facts),
                   .room = width - 2 * margin}};
  return scene;
}

}  // namespace cumulo::picture
