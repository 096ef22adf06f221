// Round numbers for an axis, and how they are written.
#pragma once

#include <cstdint>
#include <string>

namespace cumulo::picture {

// first, first + step ... last, which enclose the asked range.
struct Ticks {
  double first = 0;
  double step = 1;
  int count = 2;
  double at(int i) const { return first + step * i; }
  double last() const { return at(count - 1); }
};

// About `wanted` steps of 1, 2 or 5 times a power of ten, from low to high (low <= high, finite).
Ticks ticks(double low, double high, int wanted);

std::string tick_text(double value);        // 0.25, 1500, 20M, 4G, 1e+30
std::string grouped(std::uint64_t number);  // 67,108,864

}  // namespace cumulo::picture
