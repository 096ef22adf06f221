#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <vector>

#include "picture/density.hpp"
#include "picture/palette.hpp"
#include "picture/scenes.hpp"
#include "picture/verdict.hpp"

namespace cumulo::picture {
namespace {

// What fits beside the text, and in the row of the output.
constexpr std::size_t most_items = 8;
constexpr std::uint64_t most_places = 40;

// In pixels.
constexpr double left = 40;
constexpr double item_pitch = 34;
constexpr double block_width = 28;
constexpr double columns_floor = 190;
constexpr double columns_height = 160;
constexpr double highest_block = 12;
constexpr double offsets_baseline = 208;
constexpr double items_baseline = 258;
constexpr double output_top = 266;
constexpr double output_height = 26;
constexpr double output_width = 520;
constexpr double widest_place = 32;
constexpr double text_left = 350;
constexpr double text_room = 226;

enum ArrayIndex : std::uint32_t { counts_array, offsets_array, written_array };

std::vector<double> as_doubles(std::span<const std::uint64_t> values) {
  return {values.begin(), values.end()};
}

// What a plain loop gives: n + 1 offsets, none of them past the largest that 64 bits hold.
std::vector<std::uint64_t> running_offsets(std::span<const std::uint32_t> counts) {
  std::vector<std::uint64_t> offsets{0};
  for (const std::uint32_t count : counts) offsets.push_back(offsets.back() + count);
  return offsets;
}

std::uint64_t total_of(const AllocationPicture& data) {
  return std::accumulate(data.counts.begin(), data.counts.end(), std::uint64_t{0});
}

// How many of each item's places are there.
std::vector<std::uint64_t> written_of(const AllocationPicture& data,
                                      std::span<const std::uint64_t> offsets) {
  std::vector<std::uint64_t> written(data.counts.size());
  const std::uint64_t capacity = data.capacity.value_or(offsets.back());
  for (std::size_t i = 0; i < written.size(); ++i) {
    const std::uint64_t room = capacity - std::min(capacity, offsets[i]);
    const bool fits = data.counts[i] <= room;
    written[i] = fits ? data.counts[i] : data.whole_items ? 0 : room;
    // Behind the first item that does not fit, none does.
    if (!fits && data.whole_items) break;
  }
  return written;
}

Label number(double x, double baseline, std::uint64_t value, Colour colour) {
  return {.x = x,
          .baseline = baseline,
          .size = 12,
          .colour = colour,
          .text = fmt::format("{}", value),
          .family = Family::mono,
          .align = Align::centre,
          .room = item_pitch - 2};
}

Label text_line(double baseline, std::string text) {
  return {.x = text_left,
          .baseline = baseline,
          .size = 11.5,
          .colour = palette::ink,
          .text = std::move(text),
          .room = text_room};
}

// The small picture: a column of blocks for each item, standing on the total of those before it.
class Blocks {
 public:
  explicit Blocks(const AllocationPicture& data)
      : data_(data),
        n_(static_cast<std::uint32_t>(data.counts.size())),
        offsets_(running_offsets(data.counts)),
        written_(written_of(data, offsets_)),
        total_(offsets_.back()),
        capacity_(data.capacity.value_or(total_)),
        places_(std::max(total_, std::min(capacity_, most_places))),
        block_(std::min(highest_block,
                        columns_height / static_cast<double>(std::max<std::uint64_t>(1, total_)))),
        place_(std::min(widest_place,
                        output_width / static_cast<double>(std::max<std::uint64_t>(1, places_)))) {}

  Scene scene() const {
    Scene scene{.title = data_.title, .width = 600, .height = 360, .background = palette::paper};
    scene.arrays = {{"counts", {data_.counts.begin(), data_.counts.end()}},
                    {"offsets", as_doubles(std::span{offsets_}.first(n_))},
                    {"written", as_doubles(written_)}};
    scene.layers = {columns(), empty_places(), output(counts_array, palette::pale_orange, {}),
                    output(written_array, palette::green, palette::right)};
    add_rows(scene.labels);
    add_output(scene);
    add_text(scene.labels);
    return scene;
  }

 private:
  std::uint32_t most_copies() const {
    return n_ == 0 ? 0 : *std::ranges::max_element(data_.counts);
  }

  Boxes columns() const {
    const double gap = block_ > 3 ? 1 : 0;
    const Formula bottom{.constant = columns_floor,
                         .per_copy = -block_,
                         .per_value = -block_,
                         .array = offsets_array};
    Formula top = bottom;
    top.constant -= block_ - gap;
    return {.items = n_,
            .copies = most_copies(),
            .copy_count = counts_array,
            .x0 = {.constant = left, .per_item = item_pitch},
            .x1 = {.constant = left + block_width, .per_item = item_pitch},
            .y0 = top,
            .y1 = bottom,
            .radius = 1,
            .colour = palette::light_blue,
            .odd_colour = palette::blue};
  }

  // Places that no item has asked for.
  Boxes empty_places() const {
    return {.items = static_cast<std::uint32_t>(places_),
            .x0 = {.constant = left, .per_item = place_},
            .x1 = {.constant = left + place_ - 1, .per_item = place_},
            .y0 = {.constant = output_top},
            .y1 = {.constant = output_top + output_height},
            .radius = 2,
            .colour = palette::pale_grey};
  }

  Boxes output(ArrayIndex how_many, Colour colour, std::optional<Colour> odd_colour) const {
    const Formula x0{
        .constant = left, .per_copy = place_, .per_value = place_, .array = offsets_array};
    Formula x1 = x0;
    x1.constant += place_ - 1;
    return {.items = n_,
            .copies = most_copies(),
            .copy_count = how_many,
            .x0 = x0,
            .x1 = x1,
            .y0 = {.constant = output_top},
            .y1 = {.constant = output_top + output_height},
            .radius = 2,
            .colour = colour,
            .odd_colour = odd_colour};
  }

  // The offsets stand under the columns; the last one, the total, beside them.
  void add_rows(std::vector<Label>& labels) const {
    const double centre = left + block_width / 2;
    for (std::size_t i = 0; i <= n_; ++i) {
      labels.push_back(number(centre + item_pitch * static_cast<double>(i), offsets_baseline,
                              i < data_.offsets.size() ? data_.offsets[i] : offsets_[i],
                              i < n_ ? palette::dark_blue : palette::ink));
    }
    labels.push_back({.x = left,
                      .baseline = offsets_baseline + 17,
                      .size = 11.5,
                      .colour = palette::dark_blue,
                      .text = "offsets: where each column starts, and the total"});
  }

  void add_output(Scene& scene) const {
    for (std::size_t i = 0; i < n_; ++i) {
      const double wide = place_ * static_cast<double>(data_.counts[i]);
      if (wide < 20) continue;
      scene.labels.push_back({.x = left + place_ * static_cast<double>(offsets_[i]) + wide / 2,
                              .baseline = items_baseline,
                              .size = 11.5,
                              .colour = palette::ink,
                              .text = fmt::format("#{}", i),
                              .weight = Weight::bold,
                              .align = Align::centre});
    }
    constexpr double readable = 18;
    for (std::size_t j = 0; j < data_.outputs.size() && place_ >= readable; ++j) {
      scene.labels.push_back({.x = left + place_ * (static_cast<double>(j) + 0.5) - 0.5,
                              .baseline = output_top + 17,
                              .size = 11.5,
                              .colour = palette::white,
                              .text = data_.outputs[j],
                              .weight = Weight::bold,
                              .align = Align::centre,
                              .room = place_ - 3});
    }
    if (capacity_ < total_) {
      const double x = left + place_ * static_cast<double>(capacity_) - 0.5;
      scene.lines.push_back({.points = {{x, output_top - 4}, {x, output_top + output_height + 4}},
                             .width = 2,
                             .colour = palette::wrong});
    }
  }

  std::string places_text() const {
    if (!data_.capacity) {
      return fmt::format("output: {} place{}", total_, total_ == 1 ? "" : "s");
    }
    if (capacity_ >= total_)
      return fmt::format("output: {} of {} places filled", total_, capacity_);
    return fmt::format(
        "output: {} places asked for, {} there (red line); {}", total_, capacity_,
        data_.whole_items ? "items that do not fit are pale" : "what does not fit is pale");
  }

  void add_text(std::vector<Label>& labels) const {
    const int steps = n_ < 2 ? 0 : std::bit_width(n_ - 1);
    labels.push_back({.x = text_left,
                      .baseline = 48,
                      .size = 15,
                      .colour = palette::ink,
                      .text = data_.title,
                      .weight = Weight::bold,
                      .room = text_room});
    std::string counts = "counts ";
    for (const std::uint32_t count : data_.counts) counts += fmt::format(" {}", count);
    labels.push_back({.x = text_left,
                      .baseline = 74,
                      .size = 12.5,
                      .colour = palette::ink,
                      .text = std::move(counts),
                      .family = Family::mono,
                      .room = text_room});
    labels.push_back(text_line(100, "Item i gets the places from its offset"));
    labels.push_back(text_line(118, "to the next one: no two items meet."));
    labels.push_back(text_line(136, fmt::format("One scan says it, log2 n = {} steps.", steps)));
    labels.push_back(verdict(text_left, 166, text_room, fault(), good()));
    labels.push_back({.x = left,
                      .baseline = output_top + output_height + 20,
                      .size = 11.5,
                      .colour = palette::ink,
                      .text = places_text(),
                      .room = output_width});
    if (data_.device.empty()) return;
    labels.push_back({.x = left,
                      .baseline = output_top + output_height + 40,
                      .size = 11.5,
                      .colour = palette::grey,
                      .text = "on " + data_.device,
                      .room = output_width});
  }

  std::string good() const {
    return data_.items.empty() ? "all offsets match a plain loop"
                               : "all outputs match a plain loop";
  }

  std::optional<std::string> fault() const {
    for (std::size_t i = 0; i < data_.offsets.size(); ++i) {
      if (data_.offsets[i] == offsets_[i]) continue;
      return fmt::format("wrong: offset[{}] is {}, not {}", i, data_.offsets[i], offsets_[i]);
    }
    std::size_t item = 0;
    for (std::size_t j = 0; j < data_.outputs.size(); ++j) {
      while (item < n_ && offsets_[item + 1] <= j) ++item;
      if (item == n_) return fmt::format("wrong: {} outputs, not {}", data_.outputs.size(), j);
      if (data_.outputs[j] == data_.items[item]) continue;
      return fmt::format("wrong: output[{}] is {}, not {}", j, data_.outputs[j], data_.items[item]);
    }
    return std::nullopt;
  }

  const AllocationPicture& data_;
  const std::uint32_t n_;
  const std::vector<std::uint64_t> offsets_;
  const std::vector<std::uint64_t> written_;
  const std::uint64_t total_;
  const std::uint64_t capacity_;
  const std::uint64_t places_;  // drawn
  const double block_;          // pixels of a block, and of a place
  const double place_;
};

// The large one: how much each part of the items asks for, and how much of it there is.
Scene strip(const AllocationPicture& data) {
  const std::uint64_t total = total_of(data);
  const std::vector<std::uint64_t> offsets = running_offsets(data.counts);
  const std::vector<std::uint64_t> written = written_of(data, offsets);
  const std::size_t n = data.counts.size();
  const std::size_t slots = density_slots(n);
  std::vector<double> all(slots);
  std::vector<double> green(slots);
  for (std::size_t s = 0; s < slots; ++s) {
    const auto begin = static_cast<std::ptrdiff_t>(n * s / slots);
    const auto end = static_cast<std::ptrdiff_t>(n * (s + 1) / slots);
    const auto sum = [&](const auto& values) {
      return static_cast<double>(
          std::accumulate(values.begin() + begin, values.begin() + end, std::uint64_t{0}));
    };
    all[s] = sum(data.counts);
    green[s] = sum(written);
  }
  const double most = std::max(1.0, all.empty() ? 0.0 : *std::ranges::max_element(all));
  for (std::size_t s = 0; s < slots; ++s) {
    all[s] /= most;
    green[s] /= most;
  }
  const std::uint64_t used = std::accumulate(written.begin(), written.end(), std::uint64_t{0});
  const bool is_short = data.capacity.value_or(total) < total;
  const double whole = static_cast<double>(std::max<std::uint64_t>(1, total));
  const double part = static_cast<double>(used) / whole;
  return density_scene(
      {.title = data.title,
       .facts =
           fmt::format("{} items ask for {} places; {}{}", n, total,
                       n <= slots ? "each bar is an item's count"
                                  : fmt::format("each bar stands for about {} items", n / slots),
                       data.device.empty() ? "" : "; on " + data.device),
       .caption = is_short ? fmt::format("{} places are there: {} are filled (green), the rest "
                                         "is asked for in vain (pale)",
                                         *data.capacity, used)
                           : fmt::format("the output: {} places, one after the other", total),
       .all = std::move(all),
       .green = std::move(green),
       .row = {{part, palette::green}, {1 - part, palette::pale_orange}}});
}

}  // namespace

bool draws_each_place(const AllocationPicture& data) {
  return data.counts.size() <= most_items && total_of(data) <= most_places;
}

Scene allocation_scene(const AllocationPicture& data) {
  return draws_each_place(data) ? Blocks(data).scene() : strip(data);
}

}  // namespace cumulo::picture
