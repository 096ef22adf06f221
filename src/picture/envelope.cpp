#include "picture/envelope.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace cumulo::picture {
namespace {

// Past it a chart's own arithmetic would overflow.
template <class T>
constexpr T drawable_limit = std::numeric_limits<T>::max();
template <>
constexpr double drawable_limit<double> = largest_drawable;

template <class T>
struct Extent {
  T low = std::numeric_limits<T>::max();
  T high = std::numeric_limits<T>::lowest();
  std::uint64_t left_out = 0;
};

template <class T>
void take(Extent<T>& extent, T value) {
  if constexpr (!std::is_integral_v<T>) {
    const bool drawn = std::abs(value) <= drawable_limit<T>;
    extent.low = drawn && value < extent.low ? value : extent.low;
    extent.high = drawn && value > extent.high ? value : extent.high;
    extent.left_out += drawn ? 0 : 1;
  } else {
    extent.low = std::min(extent.low, value);
    extent.high = std::max(extent.high, value);
  }
}

// Several extents side by side, so that no comparison waits for the one before it.
template <class T>
Extent<T> extent_of(std::span<const T> values) {
  std::array<Extent<T>, 8> lanes;
  std::size_t i = 0;
  for (; i + lanes.size() <= values.size(); i += lanes.size()) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) take(lanes[lane], values[i + lane]);
  }
  for (; i < values.size(); ++i) take(lanes[0], values[i]);
  Extent<T> all;
  for (const Extent<T>& lane : lanes) {
    all.low = std::min(all.low, lane.low);
    all.high = std::max(all.high, lane.high);
    all.left_out += lane.left_out;
  }
  return all;
}

template <class T>
Envelope envelope_of(std::span<const T> values, const ColumnLayout& layout) {
  Envelope result{.low = {}, .high = {}};
  for (std::uint64_t c = 0; c < layout.columns; ++c) {
    // Slots stay below 2^48 and columns below 2^16: no overflow.
    const std::uint64_t begin =
        std::min<std::uint64_t>(c * layout.slots / layout.columns, values.size());
    const std::uint64_t end =
        std::min<std::uint64_t>((c + 1) * layout.slots / layout.columns, values.size());
    Extent<T> extent = extent_of(values.subspan(begin, end - begin));
    result.left_out += extent.left_out;
    if (layout.joined && end < values.size()) take(extent, values[end]);
    if (extent.low > extent.high) {
      result.low.push_back(1);
      result.high.push_back(0);
      continue;
    }
    result.low.push_back(static_cast<double>(extent.low));
    result.high.push_back(static_cast<double>(extent.high));
    result.smallest = std::min(result.smallest, result.low.back());
    result.largest = std::max(result.largest, result.high.back());
  }
  return result;
}

}  // namespace

Envelope envelope(Type type, std::span<const std::byte> elements, const ColumnLayout& layout) {
  return with_type(type, [&]<class T>() {
    return envelope_of(
        std::span{reinterpret_cast<const T*>(elements.data()), elements.size() / sizeof(T)},
        layout);
  });
}

}  // namespace cumulo::picture
