#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "picture/envelope.hpp"
#include "picture/palette.hpp"
#include "picture/scenes.hpp"
#include "picture/ticks.hpp"

namespace cumulo::picture {
namespace {

// In pixels.
constexpr std::uint32_t width = 960;
constexpr std::uint32_t height = 540;
constexpr double plot_left = 78;
constexpr double plot_right = 936;
constexpr double plot_width = plot_right - plot_left;
constexpr double thinnest_band = 1.5;
constexpr double widest_bar = 64;
constexpr double text_left = 24;
constexpr double note_room = 460;  // right half of a line
constexpr double gap = 12;         // between two texts of a line

// One of the two charts.
struct Panel {
  double top;
  double bottom;
  int wanted_ticks;
  std::string heading;
  Colour text;
  Colour strong;
  Colour pale;
};

struct Chart {
  Scene scene;
  std::uint64_t slots = 0;
  bool bars = false;  // one bar an element, not one band a column
};

double snapped(double pixel) { return std::floor(pixel) + 0.5; }

Boxes line(double x0, double y0, double x1, double y1, Colour colour) {
  return {.items = 1,
          .x0 = {.constant = x0 - 0.5},
          .x1 = {.constant = x1 + 0.5},
          .y0 = {.constant = y0 - 0.5},
          .y1 = {.constant = y1 + 0.5},
          .colour = colour};
}

std::uint32_t add_array(Scene& scene, std::string name, std::vector<double> values) {
  scene.arrays.push_back({std::move(name), std::move(values)});
  return static_cast<std::uint32_t>(scene.arrays.size() - 1);
}

// From data to pixels in a panel whose axis runs from ticks.first to ticks.last().
Frame frame_of(const Panel& panel, const Ticks& axis) {
  const double scale = (panel.top - panel.bottom) / (axis.last() - axis.first);
  return {.y_offset = panel.bottom - scale * axis.first, .y_scale = scale};
}

void add_grid(Scene& scene, const Ticks& axis, const Frame& frame) {
  for (int i = 0; i < axis.count; ++i) {
    const double y = snapped(frame.y_offset + frame.y_scale * axis.at(i));
    scene.layers.push_back(line(plot_left, y, plot_right, y, palette::grid));
    scene.labels.push_back({.x = plot_left - 8,
                            .baseline = y + 4,
                            .size = 11,
                            .colour = palette::grey,
                            .text = tick_text(axis.at(i)),
                            .align = Align::right});
  }
}

// Boxes between 0 and an array, or between two arrays, one a column.
Boxes column_boxes(const Chart& chart, std::size_t columns, const Frame& frame, Colour colour) {
  const double pitch = chart.bars ? plot_width / static_cast<double>(chart.slots)
                                  : plot_width / static_cast<double>(columns);
  // Gaps between bars only where they can be told from bars.
  const double bar = pitch >= 4 ? std::min(0.8 * pitch, widest_bar) : pitch;
  const double start = plot_left + (pitch - bar) / 2;
  return {.items = static_cast<std::uint32_t>(columns),
          .frame = frame,
          .x0 = {.constant = start, .per_item = pitch},
          .x1 = {.constant = start + bar, .per_item = pitch},
          .colour = colour};
}

void add_bars(Chart& chart, const Frame& frame, const std::string& name, const Envelope& data,
              Colour colour) {
  std::vector<double> values = data.high;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (data.low[i] > data.high[i]) values[i] = 0;
  }
  Boxes boxes = column_boxes(chart, values.size(), frame, colour);
  boxes.y1 = {.per_value = 1, .array = add_array(chart.scene, name, std::move(values))};
  chart.scene.layers.push_back(boxes);
}

// A band from the smallest to the largest of each column, and a pale area between it and 0.
void add_band(Chart& chart, const Frame& frame, const std::string& name, const Envelope& data,
              const Panel& panel) {
  std::vector<double> low = data.low;
  std::vector<double> high = data.high;
  const double thinnest = thinnest_band / std::abs(frame.y_scale);
  for (std::size_t c = 0; c < low.size(); ++c) {
    if (low[c] > high[c]) {
      low[c] = high[c] = 0;
      continue;
    }
    const double missing = std::max(0.0, thinnest - (high[c] - low[c]));
    low[c] -= missing / 2;
    high[c] += missing / 2;
  }
  const Boxes pale = column_boxes(chart, low.size(), frame, panel.pale);
  const Formula bottom{.per_value = 1,
                       .array = add_array(chart.scene, name + " low", std::move(low))};
  const Formula top{.per_value = 1,
                    .array = add_array(chart.scene, name + " high", std::move(high))};
  for (const Formula& edge : {bottom, top}) {
    chart.scene.layers.push_back(pale);
    chart.scene.layers.back().y1 = edge;
  }
  Boxes band = pale;
  band.colour = panel.strong;
  band.y0 = bottom;
  band.y1 = top;
  chart.scene.layers.push_back(band);
}

void add_panel(Chart& chart, const Panel& panel, const std::string& name, const Envelope& data) {
  Scene& scene = chart.scene;
  const Ticks axis = ticks(data.smallest, data.largest, panel.wanted_ticks);
  const Frame frame = frame_of(panel, axis);
  add_grid(scene, axis, frame);
  if (chart.bars) {
    add_bars(chart, frame, name, data, panel.strong);
  } else {
    add_band(chart, frame, name, data, panel);
  }
  const double zero = snapped(frame.y_offset);
  scene.layers.push_back(line(plot_left, zero, plot_right, zero, palette::axis));
  scene.labels.push_back({.x = plot_left,
                          .baseline = panel.top - 10,
                          .size = 12.5,
                          .colour = panel.text,
                          .text = panel.heading,
                          .weight = Weight::bold});
}

void add_index_axis(Chart& chart, double bottom) {
  Scene& scene = chart.scene;
  const double last = static_cast<double>(chart.slots == 0 ? 0 : chart.slots - 1);
  Ticks axis = ticks(0, std::max(last, 1.0), 8);
  axis.step = std::max(axis.step, 1.0);
  for (int i = 0; axis.at(i) <= last && chart.slots > 0; ++i) {
    const double x = plot_left + (axis.at(i) + 0.5) * plot_width / static_cast<double>(chart.slots);
    scene.layers.push_back(line(snapped(x), bottom + 3, snapped(x), bottom + 6, palette::axis));
    scene.labels.push_back({.x = x,
                            .baseline = bottom + 20,
                            .size = 11,
                            .colour = palette::grey,
                            .text = tick_text(axis.at(i)),
                            .align = Align::centre});
  }
  scene.labels.push_back({.x = plot_left + plot_width / 2,
                          .baseline = bottom + 38,
                          .size = 11.5,
                          .colour = palette::grey,
                          .text = "index",
                          .align = Align::centre});
}

std::string_view running_name(Operator op) {
  switch (op) {
    case Operator::add: return "running sum";
    case Operator::mul: return "running product";
    case Operator::min: return "running minimum";
    case Operator::max: return "running maximum";
    case Operator::bit_and: return "running and";
    case Operator::bit_or: return "running or";
    case Operator::bit_xor: return "running xor";
    case Operator::add_saturated: return "running saturated sum";
  }
  return "running totals";
}

// The second line ends at `facts_right`.
void add_title(Scene& scene, const RunningTotals& data, double facts_right) {
  const ScanDescription& d = data.description;
  std::string kind{name(d.kind)};
  if (d.reverse) kind = "reverse " + kind;
  kind[0] = static_cast<char>(kind[0] - 'a' + 'A');
  scene.title = fmt::format("{} scan ({}) of {} {} value{}", kind, name(d.op), grouped(d.n),
                            name(d.type), d.n == 1 ? "" : "s");
  scene.labels.push_back({.x = text_left,
                          .baseline = 32,
                          .size = 16,
                          .colour = palette::ink,
                          .text = scene.title,
                          .weight = Weight::bold,
                          .room = plot_right - text_left});
  std::string facts;
  if (data.total) facts = "total " + to_string(*data.total);
  if (!data.device.empty()) facts += (facts.empty() ? "" : "   \u00b7   ") + data.device;
  scene.labels.push_back({.x = text_left,
                          .baseline = 52,
                          .size = 12,
                          .colour = palette::grey,
                          .text = facts,
                          .room = facts_right - text_left});
}

// What the eye cannot see: gaps, and how many elements a column stands for.
void add_notes(Chart& chart, Type type, const Envelope& values, const Envelope& totals) {
  const Label note{.x = plot_right,
                   .baseline = 82,
                   .size = 11,
                   .colour = palette::grey,
                   .text = {},
                   .align = Align::right,
                   .room = note_room};
  if (!chart.bars) {
    Label& shown = chart.scene.labels.emplace_back(note);
    shown.text = fmt::format("smallest to largest of about {} elements in each column of pixels",
                             grouped(static_cast<std::uint64_t>(
                                 std::llround(static_cast<double>(chart.slots) / plot_width))));
  }
  if (values.left_out + totals.left_out > 0) {
    Label& shown = chart.scene.labels.emplace_back(note);
    shown.baseline = 52;
    shown.colour = palette::wrong;
    shown.text =
        fmt::format("{}, left out: {} of the values, {} of the totals",
                    type == Type::f64 ? fmt::format("NaN, infinite or past {:g}", largest_drawable)
                                      : "NaN or infinite",
                    grouped(values.left_out), grouped(totals.left_out));
  }
  if (chart.slots == 0) {
    chart.scene.labels.push_back({.x = plot_left + plot_width / 2,
                                  .baseline = 215,
                                  .size = 14,
                                  .colour = palette::grey,
                                  .text = "no values",
                                  .align = Align::centre});
  }
}

Result<void> check_bytes(std::string_view what, std::span<const std::byte> bytes,
                         std::uint64_t count, Type type) {
  if (bytes.size() == count * size_of(type)) return {};
  return std::unexpected{Error{ErrorKind::bad_argument,
                               fmt::format("a picture of {} {} of {} needs {} bytes, not {}", count,
                                           what, name(type), count * size_of(type), bytes.size())}};
}

}  // namespace

Result<Scene> running_totals_scene(const RunningTotals& data) {
  const ScanDescription& d = data.description;
  for (auto checked : {check_bytes("values", data.values, d.n, d.type),
                       check_bytes("totals", data.totals, result_count(d), d.type)}) {
    if (!checked) return std::unexpected{std::move(checked.error())};
  }
  Chart chart{
      .scene = {.title = {}, .width = width, .height = height, .background = palette::paper}};
  chart.slots = result_count(d);
  chart.bars = static_cast<double>(chart.slots) <= plot_width;
  const ColumnLayout layout{
      .slots = chart.slots,
      .columns = static_cast<std::uint32_t>(chart.bars ? chart.slots : plot_width),
      .joined = !chart.bars};
  const Envelope totals = envelope(d.type, data.totals, layout);
  const Envelope values = envelope(d.type, data.values, layout);

  const bool all_drawn = values.left_out + totals.left_out == 0;
  add_title(chart.scene, data, all_drawn ? plot_right : plot_right - note_room - gap);
  add_panel(chart,
            {92, 332, 5, std::string{running_name(d.op)}, palette::dark_blue, palette::blue,
             palette::pale_blue},
            "totals", totals);
  const double bottom = 488;
  add_panel(chart,
            {376, bottom, 3, "values", palette::dark_yellow, palette::orange, palette::pale_orange},
            "values", values);
  add_index_axis(chart, bottom);
  add_notes(chart, d.type, values, totals);
  return std::move(chart.scene);
}

}  // namespace cumulo::picture
