#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "picture/palette.hpp"
#include "picture/scenes.hpp"
#include "picture/verdict.hpp"

namespace cumulo::picture {
namespace {

constexpr std::size_t most_items = 8;  // what fits beside the text

// In pixels.
constexpr double left = 40;
constexpr double pitch = 34;
constexpr double box_width = 28;
constexpr double box_height = 22;
constexpr double box_radius = 5;
constexpr double columns_floor = 196;
constexpr double block_pitch = 5;
constexpr double block_height = 4;
constexpr std::uint32_t visible_blocks = 40;  // higher ones are above the picture
constexpr double flags_top = 262;
constexpr double packed_top = 318;
constexpr double number_drop = 15;  // from the top of a box to the baseline of its number
constexpr double text_left = 330;
constexpr double text_room = 264;

enum ArrayIndex : std::uint32_t { values_array, exclusive_array, keep_array, slots_array };

using Row = std::span<const std::uint32_t>;

Array array_of(std::string name, Row values) {
  return {std::move(name), {values.begin(), values.end()}};
}

Result<void> check(const Compaction& c) {
  const std::size_t n = c.values.size();
  for (const Row& row : {c.keep, c.inclusive, c.exclusive, c.slots}) {
    if (row.size() != n) {
      return std::unexpected{
          Error{ErrorKind::bad_argument,
                fmt::format("a picture of a compaction needs rows of one length, not {} and {}", n,
                            row.size())}};
    }
  }
  if (n > most_items) {
    return std::unexpected{Error{
        ErrorKind::bad_argument,
        fmt::format("a picture of a compaction shows at most {} items, not {}", most_items, n)}};
  }
  if (const auto flag = std::ranges::find_if(c.keep, [](std::uint32_t f) { return f > 1; });
      flag != c.keep.end()) {
    return std::unexpected{
        Error{ErrorKind::bad_argument, fmt::format("a keep flag is 0 or 1, not {}", *flag)}};
  }
  return {};
}

// One column an item: value unit blocks on top of all blocks of the items before it.
Boxes columns(Row values) {
  const Formula bottom{.constant = columns_floor - block_pitch + block_height,
                       .per_copy = -block_pitch,
                       .per_value = -block_pitch,
                       .array = exclusive_array};
  Formula top = bottom;
  top.constant -= block_height;
  return {
      .items = static_cast<std::uint32_t>(values.size()),
      .copies = values.empty() ? 0 : std::min(*std::ranges::max_element(values), visible_blocks),
      .copy_count = values_array,
      .x0 = {.constant = left, .per_item = pitch},
      .x1 = {.constant = left + box_width, .per_item = pitch},
      .y0 = top,
      .y1 = bottom,
      .radius = 1,
      .colour = palette::light_blue,
      .odd_colour = palette::blue};
}

// A row of boxes for the items that are kept, or for those that are not.
Boxes row_of_boxes(std::size_t n, double top, bool kept, Colour colour) {
  return {.items = static_cast<std::uint32_t>(n),
          .filter = keep_array,
          .filter_inverted = !kept,
          .x0 = {.constant = left, .per_item = pitch},
          .x1 = {.constant = left + box_width, .per_item = pitch},
          .y0 = {.constant = top},
          .y1 = {.constant = top + box_height},
          .radius = box_radius,
          .colour = colour};
}

Boxes packed_row(std::size_t n) {
  Boxes boxes = row_of_boxes(n, packed_top, true, palette::green);
  for (Formula* edge : {&boxes.x0, &boxes.x1}) {
    edge->per_item = 0;
    edge->per_value = pitch;
    edge->array = slots_array;
  }
  return boxes;
}

Label number_on_box(std::size_t item, std::uint32_t place, double top) {
  return {.x = left + box_width / 2 + pitch * place,
          .baseline = top + number_drop,
          .size = 11.5,
          .colour = palette::white,
          .text = fmt::format("#{}", item),
          .weight = Weight::bold,
          .align = Align::centre};
}

Label text_line(double baseline, std::string text) {
  return {.x = text_left,
          .baseline = baseline,
          .size = 11.5,
          .colour = palette::ink,
          .text = std::move(text)};
}

// Digits of the longest number of each column, so that all rows stand one under the other.
std::vector<std::size_t> column_digits(const std::vector<Row>& rows) {
  std::vector<std::size_t> digits;
  for (const Row& row : rows) {
    digits.resize(std::max(digits.size(), row.size()), 2);
    for (std::size_t i = 0; i < row.size(); ++i) {
      digits[i] = std::max(digits[i], fmt::formatted_size("{}", row[i]));
    }
  }
  return digits;
}

Label number_row(double baseline, const std::vector<std::size_t>& digits, std::string_view name,
                 Row values, Colour colour) {
  std::string text = fmt::format("{:<9}", name);
  std::size_t full = text.size();  // characters of a row of all columns
  for (std::size_t i = 0; i < digits.size(); ++i) {
    full += 1 + digits[i];
    if (i < values.size()) text += fmt::format(" {:>{}}", values[i], digits[i]);
  }
  // A shorter row has its part of the room: all rows shrink alike.
  const double part = static_cast<double>(text.size()) / static_cast<double>(full);
  return {.x = text_left,
          .baseline = baseline,
          .size = 12.5,
          .colour = colour,
          .text = std::move(text),
          .family = Family::mono,
          .room = text_room * part};
}

std::optional<Difference> find_difference(const Compaction& c) {
  auto difference =
      first_difference("inclusive", running_sum(c.values, ScanKind::inclusive), c.inclusive);
  if (!difference) {
    difference =
        first_difference("exclusive", running_sum(c.values, ScanKind::exclusive), c.exclusive);
  }
  if (!difference)
    difference = first_difference("slots", running_sum(c.keep, ScanKind::exclusive), c.slots);
  return difference;
}

void add_lesson(std::vector<Label>& labels, const Compaction& c) {
  const std::size_t n = c.values.size();
  const int steps = n < 2 ? 0 : std::bit_width(n - 1);
  labels.push_back(text_line(152, fmt::format("log2 n = {} steps; every run gives the", steps)));
  labels.push_back(text_line(170, "same result, and the input order is"));
  labels.push_back(text_line(188, "kept, unlike with an atomic append."));
  labels.push_back(
      verdict(text_left, 218, text_room, find_difference(c), "all three scans match a loop"));
}

void add_told(std::vector<Label>& labels, const Told& told) {
  labels.push_back({.x = text_left,
                    .baseline = 20,
                    .size = 15,
                    .colour = palette::ink,
                    .text = told.title,
                    .weight = Weight::bold,
                    .room = text_room});
  labels.push_back(text_line(152, "In the same way each kept item's slot is"));
  labels.push_back(text_line(170, "the number of items kept before it."));
  if (told.checked) {
    labels.push_back(
        verdict(text_left, 218, text_room, told.wrong, "what is kept matches a plain loop"));
  }
  if (told.device.empty()) return;
  labels.push_back({.x = left,
                    .baseline = packed_top + box_height + 15,
                    .size = 11.5,
                    .colour = palette::grey,
                    .text = "on " + told.device,
                    .room = text_left - left + text_room});
}

void add_labels(Scene& scene, const Compaction& c) {
  const std::size_t n = c.values.size();
  std::vector<std::uint32_t> packed;
  for (std::size_t i = 0; i < n; ++i) {
    if (c.keep[i] == 0) continue;
    packed.push_back(c.values[i]);
    scene.labels.push_back(number_on_box(i, static_cast<std::uint32_t>(i), flags_top));
    scene.labels.push_back(number_on_box(i, c.slots[i], packed_top));
  }
  const auto digits = column_digits({c.values, c.inclusive, c.exclusive, c.keep, c.slots, packed});
  scene.labels.push_back(number_row(40, digits, "input", c.values, palette::ink));
  scene.labels.push_back(number_row(60, digits, "inclusive", c.inclusive, palette::ink));
  scene.labels.push_back(number_row(80, digits, "exclusive", c.exclusive, palette::dark_blue));
  scene.labels.push_back(text_line(116, "Each column starts at the total of"));
  scene.labels.push_back(text_line(134, "everything before it."));
  if (c.told) {
    add_told(scene.labels, *c.told);
  } else {
    add_lesson(scene.labels, c);
  }
  scene.labels.push_back(number_row(278, digits, "keep", c.keep, palette::right));
  scene.labels.push_back(number_row(296, digits, "slot", c.slots, palette::ink));
  scene.labels.push_back(number_row(334, digits, "packed", packed, palette::right));
}

}  // namespace

Result<Scene> compaction_scene(const Compaction& compaction) {
  if (auto checked = check(compaction); !checked)
    return std::unexpected{std::move(checked.error())};
  const std::size_t n = compaction.values.size();
  Scene scene{.title = compaction.told ? compaction.told->title : "Where does my output go?",
              .width = 600,
              .height = 360,
              .background = palette::paper};
  scene.arrays = {array_of("values", compaction.values),
                  array_of("exclusive", compaction.exclusive), array_of("keep", compaction.keep),
                  array_of("slots", compaction.slots)};
  scene.layers = {columns(compaction.values), row_of_boxes(n, flags_top, true, palette::green),
                  row_of_boxes(n, flags_top, false, palette::pale_grey), packed_row(n)};
  add_labels(scene, compaction);
  return scene;
}

}  // namespace cumulo::picture
