#include "bench/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "picture/palette.hpp"

namespace cumulo::bench {
namespace {

namespace palette = picture::palette;
using picture::Align;
using picture::Colour;
using picture::Label;
using picture::Point;
using picture::Scene;
using Json = nlohmann::json;

constexpr std::uint32_t width = 1280;
constexpr std::uint32_t height = 560;
constexpr double text_size = 13;

struct Sample {
  double ms = 0;
  std::optional<double> of_copy;
};

struct Curve {
  std::string name;
  std::string role;
  std::map<std::uint64_t, Sample> samples = {};  // by n
};

struct Results {
  std::vector<Curve> curves;
  std::string device;
  std::string date;
};

Error bad_results(const std::string& why) {
  return {ErrorKind::bad_argument, "these are no benchmark results: " + why};
}

Curve& curve_of(std::vector<Curve>& curves, const std::string& name, const std::string& role) {
  const auto found = std::ranges::find(curves, name, &Curve::name);
  return found != curves.end() ? *found : curves.emplace_back(Curve{name, role});
}

// The first program's copies make one curve, of the fastest at each size, and its empty dispatch
// one; the others' would lie beside them.
void add_measurement(Results& results, bool is_first, const Json& m, const PlotOptions& options) {
  if (m.at("type") != name(options.type) || m.at("op") != name(options.op)) return;
  if (!m.contains("median_ms")) return;
  const std::string role = m.at("role");
  if (role == "scan" && m.at("kind") != name(options.kind)) return;
  if (role == "reduce" || (role != "scan" && !is_first)) return;
  const std::string curve_name = role == "scan"   ? m.at("name").get<std::string>()
                                 : role == "copy" ? "fastest copy"
                                                  : "empty dispatch";
  Sample sample{m.at("median_ms"), std::nullopt};
  if (const Json& share = m.at("of_copy"); share.is_number()) sample.of_copy = share.get<double>();
  Curve& curve = curve_of(results.curves, curve_name, role);
  const auto [at, is_new] = curve.samples.emplace(m.at("n").get<std::uint64_t>(), sample);
  if (!is_new && sample.ms < at->second.ms) at->second = sample;
}

Result<Results> read_results(std::string_view text, const PlotOptions& options) {
  try {
    const Json root = Json::parse(text);
    const std::string schema = root.at("schema");
    if (schema != "cumulo-bench/2" && schema != "cumulo-bench-set/1") {
      return std::unexpected{bad_results("their schema is '" + schema + "'")};
    }
    const Json reports = schema == "cumulo-bench/2" ? Json::array({root}) : root.at("reports");
    Results results;
    for (const Json& report : reports) {
      const bool is_first = results.device.empty();
      if (is_first) {
        results.device = report.at("device").at("name");
        results.date = report.at("date");
      }
      for (const Json& m : report.at("measurements")) {
        add_measurement(results, is_first, m, options);
      }
    }
    return results;
  } catch (const Json::exception& fault) {
    return std::unexpected{bad_results(fault.what())};
  }
}

// A panel maps log2 n to x and a value to y.
struct Panel {
  double left;
  double right;
  double top;
  double bottom;
  double first_power;
  double last_power;
  double low;  // of the value, or of its logarithm
  double high;

  double x(double power) const {
    return left + (power - first_power) / (last_power - first_power) * (right - left);
  }
  double y(double value) const { return bottom - (value - low) / (high - low) * (bottom - top); }
};

std::string raised(int number) {
  constexpr std::array digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : fmt::to_string(number)) text += digits.at(static_cast<std::size_t>(c - '0'));
  return text;
}

std::string duration(int power_of_ms) {
  constexpr std::array units{"ns", "µs", "ms", "s"};
  const int power_of_ns = power_of_ms + 6;
  const auto unit = static_cast<std::size_t>(std::clamp(power_of_ns / 3, 0, 3));
  const double value = std::pow(10.0, power_of_ns - 3 * static_cast<int>(unit));
  return fmt::format("{:g} {}", value, units.at(unit));
}

class Plot {
 public:
  explicit Plot(Results results) : results_(std::move(results)) {}

  Scene scene(const PlotOptions& options) {
    scene_.title =
        fmt::format("Scan of {}: {}, {}", name(options.type), name(options.op), name(options.kind));
    scene_.width = width;
    scene_.height = height;
    scene_.background = palette::paper;
    add_label(40, 30, scene_.title, Align::left, palette::ink, 18, picture::Weight::bold);
    add_label(40, 50, results_.device + ", " + results_.date + "; every result checked",
              Align::left, palette::grey);
    find_ranges();
    draw_times();
    draw_shares();
    draw_legend();
    return std::move(scene_);
  }

 private:
  void add_label(double x, double baseline, std::string text, Align align,
                 const Colour& colour = palette::grey, double size = text_size,
                 picture::Weight weight = picture::Weight::regular) {
    scene_.labels.push_back({.x = x,
                             .baseline = baseline,
                             .size = size,
                             .colour = colour,
                             .text = std::move(text),
                             .weight = weight,
                             .align = align});
  }

  void find_ranges() {
    for (const Curve& curve : results_.curves) {
      for (const auto& [n, sample] : curve.samples) {
        const double power = std::log2(static_cast<double>(n));
        first_power_ = std::min(first_power_, power);
        last_power_ = std::max(last_power_, power);
        least_ms_ = std::min(least_ms_, sample.ms);
        most_ms_ = std::max(most_ms_, sample.ms);
        most_share_ = std::max(most_share_, sample.of_copy.value_or(0));
      }
    }
  }

  Panel panel(double left, double right, double low, double high) const {
    return {left, right, 100, height - 62.0, first_power_, last_power_, low, high};
  }

  void grid_line(const Point& from, const Point& to, bool strong) {
    scene_.lines.push_back({.points = {from, to},
                            .width = strong ? 1.5 : 1.0,
                            .colour = strong ? palette::axis : palette::grid});
  }

  void draw_frame(const Panel& p, const std::string& title) {
    const int step = last_power_ - first_power_ > 10 ? 2 : 1;
    for (int k = static_cast<int>(std::ceil(first_power_)); k <= last_power_; k += step) {
      grid_line({p.x(k), p.top}, {p.x(k), p.bottom}, false);
      add_label(p.x(k), p.bottom + 20, "2" + raised(k), Align::centre);
    }
    grid_line({p.left, p.bottom}, {p.right, p.bottom}, true);
    add_label((p.left + p.right) / 2, p.bottom + 44, "elements", Align::centre);
    add_label(p.left, p.top - 14, title, Align::left, palette::ink, 14, picture::Weight::bold);
  }

  void draw_times() {
    const double low = std::floor(std::log10(least_ms_) * 2) / 2;
    const double high = std::ceil(std::log10(most_ms_) * 2) / 2;
    const Panel p = panel(84, 520, low, std::max(high, low + 0.5));
    for (int power = static_cast<int>(std::floor(low)); power <= high; ++power) {
      for (const int factor : {1, 2, 5}) {
        const double value = power + std::log10(factor);
        if (value < low - 1e-9 || value > high + 1e-9) continue;
        grid_line({p.left, p.y(value)}, {p.right, p.y(value)}, false);
        if (factor == 1) add_label(p.left - 8, p.y(value) + 4, duration(power), Align::right);
      }
    }
    draw_frame(p, "time of one scan (lower is better)");
    draw_curves(p, [](const Sample& s) -> std::optional<double> { return std::log10(s.ms); });
  }

  void draw_shares() {
    const double high = std::max(100.0, 10 * std::ceil(10 * most_share_));
    const Panel p = panel(592, 1018, 0, high);
    for (int percent = 0; percent <= high; percent += 10) {
      grid_line({p.left, p.y(percent)}, {p.right, p.y(percent)}, percent == 100);
      if (percent % 20 == 0) {
        add_label(p.left - 8, p.y(percent) + 4, fmt::format("{} %", percent), Align::right);
      }
    }
    draw_frame(p, "speed, % of the fastest copy (higher is better)");
    draw_curves(p, [](const Sample& s) -> std::optional<double> {
      if (!s.of_copy) return std::nullopt;
      return 100 * *s.of_copy;
    });
  }

  template <class Value>
  void draw_curves(const Panel& p, Value&& value) {
    for (std::size_t i = results_.curves.size(); i-- > 0;) {  // the first over all others
      const Curve& curve = results_.curves[i];
      const bool is_scan = curve.role == "scan";
      picture::Line line{.points = {},
                         .width = is_scan ? 2.5 : 1.25,
                         .marker = is_scan ? 3.5 : 0,
                         .colour = colour_of(i)};
      for (const auto& [n, sample] : curve.samples) {
        const auto y = value(sample);
        if (y) line.points.push_back({p.x(std::log2(static_cast<double>(n))), p.y(*y)});
      }
      if (!line.points.empty()) scene_.lines.push_back(std::move(line));
    }
  }

  // Scans in strong colours by their order; what they are compared with in greys.
  Colour colour_of(std::size_t index) const {
    constexpr std::array strong{
        palette::blue,          palette::orange,          palette::green,
        Colour{0.72, 0.2, 0.2}, Colour{0.45, 0.28, 0.62}, palette::light_blue,
        palette::dark_yellow};
    constexpr std::array grey{palette::grey, Colour{0.68, 0.66, 0.6}};
    const bool is_scan = results_.curves[index].role == "scan";
    const auto before = std::count_if(
        results_.curves.begin(), results_.curves.begin() + static_cast<std::ptrdiff_t>(index),
        [&](const Curve& c) { return (c.role == "scan") == is_scan; });
    const auto rank = static_cast<std::size_t>(before);
    return is_scan ? strong.at(rank % strong.size()) : grey.at(rank % grey.size());
  }

  void draw_legend() {
    constexpr double left = 1042;
    double y = 112;
    for (const bool scans : {true, false}) {
      for (std::size_t i = 0; i < results_.curves.size(); ++i) {
        const Curve& curve = results_.curves[i];
        if ((curve.role == "scan") != scans) continue;
        scene_.lines.push_back({.points = {{left, y - 4}, {left + 22, y - 4}},
                                .width = scans ? 2.5 : 1.25,
                                .marker = scans ? 3.5 : 0.0,
                                .colour = colour_of(i)});
        add_label(left + 32, y, curve.name, Align::left, palette::ink);
        scene_.labels.back().room = width - left - 32 - 12;
        y += 24;
      }
      y += 12;
    }
  }

  Results results_;
  Scene scene_;
  double first_power_ = 64;
  double last_power_ = 0;
  double least_ms_ = 1e9;
  double most_ms_ = 1e-9;
  double most_share_ = 0;
};

}  // namespace

Result<Scene> plot_scene(std::string_view results, const PlotOptions& options) {
  auto read = read_results(results, options);
  if (!read) return std::unexpected{std::move(read.error())};
  const bool enough = std::ranges::any_of(read->curves, [](const Curve& curve) {
    return curve.role == "scan" && curve.samples.size() >= 2;
  });
  if (!enough) {
    return std::unexpected{
        Error{ErrorKind::bad_argument,
              fmt::format("the results have no {} scan of {} with {} in at least two sizes",
                          name(options.kind), name(options.type), name(options.op))}};
  }
  return Plot(std::move(*read)).scene(options);
}

}  // namespace cumulo::bench
