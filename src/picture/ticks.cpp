#include "picture/ticks.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

namespace cumulo::picture {

Ticks ticks(double low, double high, int wanted) {
  constexpr double smallest_range = 1e-290;  // below it powers of ten become subnormal
  if (high - low < smallest_range) high = low == 0 ? 1 : low + smallest_range;
  const double rough = (high - low) / wanted;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) {
      step = factor * power;
      break;
    }
  }
  // A hair of slack: 0.3 / 0.1 is not quite 3.
  const double from = std::floor(low / step + 1e-9);
  const double to = std::ceil(high / step - 1e-9);
  return {.first = from * step, .step = step, .count = static_cast<int>(to - from) + 1};
}

std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size >= 1e6 && size < 1e15) {
    constexpr std::array<std::pair<double, char>, 3> units{{{1e12, 'T'}, {1e9, 'G'}, {1e6, 'M'}}};
    for (const auto& [unit, letter] : units) {
      if (size >= unit) return fmt::format("{:.6g}{}", value / unit, letter);
    }
  }
  return fmt::format("{:.6g}", value);
}

std::string grouped(std::uint64_t number) {
  std::string text = fmt::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

}  // namespace cumulo::picture
