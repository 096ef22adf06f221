// What a scan must give, written plainly from the definitions. Integers: the algorithms of the
// standard library. Floats: the order of order.hpp, one block after the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "cumulo/operator.hpp"
#include "cumulo/order.hpp"
#include "cumulo/scan_description.hpp"

namespace cumulo::test {

template <class T>
struct Expected {
  std::vector<T> values;
  T total;
};

// older combined with newer, by the words of the documentation and not by the library's combine().
template <Element T>
T plain_combine(Operator op, T older, T newer) {
  if constexpr (std::is_floating_point_v<T>) {
    if (op == Operator::add) return older + newer;
    if (op == Operator::mul) return older * newer;
    if (std::isnan(older) || std::isnan(newer)) return std::numeric_limits<T>::quiet_NaN();
    if (op == Operator::min) return std::min(older, newer);
    return std::max(older, newer);
  } else {
    using U = std::make_unsigned_t<T>;
    const U a = static_cast<U>(older);
    const U b = static_cast<U>(newer);
    switch (op) {
      case Operator::add: return static_cast<T>(a + b);
      case Operator::mul: return static_cast<T>(a * b);
      case Operator::min: return std::min(older, newer);
      case Operator::max: return std::max(older, newer);
      case Operator::bit_and: return static_cast<T>(a & b);
      case Operator::bit_or: return static_cast<T>(a | b);
      case Operator::bit_xor: return static_cast<T>(a ^ b);
      case Operator::add_saturated:
        return b > std::numeric_limits<U>::max() - a ? std::numeric_limits<T>::max()
                                                     : static_cast<T>(a + b);
    }
    return older;
  }
}

template <Element T>
T plain_identity(Operator op) {
  using limits = std::numeric_limits<T>;
  switch (op) {
    case Operator::mul: return T{1};
    case Operator::min: return std::is_floating_point_v<T> ? limits::infinity() : limits::max();
    case Operator::max: return std::is_floating_point_v<T> ? -limits::infinity() : limits::min();
    case Operator::bit_and:
      if constexpr (std::is_integral_v<T>) return static_cast<T>(-1);
      break;
    default: break;
  }
  return T{0};
}

// The prefixes of one sequence in the fixed order. An absent value combines to the other one.
template <class T, class Combine>
class OrderedPrefixes {
 public:
  // front stands before all elements; absent in an inclusive scan without an initial value.
  OrderedPrefixes(Combine combine, std::span<const T> values, std::optional<T> front)
      : combine_(combine), values_(values), front_(front) {
    const std::uint64_t quads = (values.size() + order::quad - 1) / order::quad;
    totals_.emplace_back(quads);
    for (std::uint64_t i = 0; i < values.size(); ++i) {
      auto& total = totals_[0][i / order::quad];
      total = joined(total, values[i]);
    }
    while (totals_.back().size() > 1) {
      const auto& halves = totals_.back();
      std::vector<std::optional<T>> blocks((halves.size() + 1) / 2);
      for (std::uint64_t block = 0; block < blocks.size(); ++block) {
        const bool has_right = 2 * block + 1 < halves.size();
        blocks[block] = joined(halves[2 * block], has_right ? halves[2 * block + 1] : std::nullopt);
      }
      totals_.push_back(std::move(blocks));
    }
  }

  std::optional<T> base(std::uint64_t element) const {
    return folded_from_left(element / order::strip);
  }

  // Everything before the element's quad in its strip: before(row) + before(quad).
  std::optional<T> before_quad(std::uint64_t element) const {
    const std::uint64_t quad = element / order::quad;
    const std::uint64_t row = element / order::row;
    const std::uint64_t strip = element / order::strip;
    const auto rows = folded_from_right(row_level, strip * order::rows_per_strip, row);
    const auto quads = folded_from_right(0, row * order::quads_per_row, quad);
    return joined(rows, quads);
  }

  // The elements of its quad up to and with this one, one after the other.
  T prefix_in_quad(std::uint64_t element) const {
    T prefix = values_[element / order::quad * order::quad];
    for (std::uint64_t i = element / order::quad * order::quad + 1; i <= element; ++i) {
      prefix = combine_(prefix, values_[i]);
    }
    return prefix;
  }

  T inclusive(std::uint64_t element) const {
    return *joined(base(element), joined(before_quad(element), prefix_in_quad(element)));
  }

  T exclusive(std::uint64_t element) const {
    if (element % order::quad == 0) return *joined(base(element), before_quad(element));
    return inclusive(element - 1);
  }

 private:
  static constexpr unsigned row_level = 5;    // 2^5 quads are a row
  static constexpr unsigned strip_level = 8;  // 2^8 quads are a strip
  static_assert(order::quads_per_row == 1 << row_level);
  static_assert(order::quads_per_row * order::rows_per_strip == 1 << strip_level);

  std::optional<T> joined(std::optional<T> older, std::optional<T> newer) const {
    if (!older) return newer;
    if (!newer) return older;
    return combine_(*older, *newer);
  }

  // The aligned power-of-two blocks of strips before `strip`, largest first, after front.
  std::optional<T> folded_from_left(std::uint64_t strip) const {
    std::optional<T> base = front_;
    std::uint64_t position = 0;
    for (unsigned bit = 63; bit-- > 0;) {
      if ((strip >> bit & 1) == 0) continue;
      base = joined(base, totals_[strip_level + bit][position >> bit]);
      position += std::uint64_t{1} << bit;
    }
    return base;
  }

  // The aligned power-of-two blocks between the units `first` and `end` of 2^level quads each:
  // largest + (second + (third + ...)).
  std::optional<T> folded_from_right(unsigned level, std::uint64_t first, std::uint64_t end) const {
    if (first == end) return std::nullopt;
    unsigned bit = 0;
    while (first + (std::uint64_t{2} << bit) <= end) ++bit;
    const std::uint64_t next = first + (std::uint64_t{1} << bit);
    return joined(totals_[level + bit][first >> bit], folded_from_right(level, next, end));
  }

  Combine combine_;
  std::span<const T> values_;
  std::optional<T> front_;
  std::vector<std::vector<std::optional<T>>> totals_;  // [k]: of aligned blocks of 2^k quads
};

// front: the initial value, if any; identity: what an exclusive scan starts with else. By the
// algorithms of the standard library where any order gives the same, else in the fixed order.
template <class T, class Combine>
Expected<T> expected_forward(const ScanDescription& d, std::span<const T> values,
                             std::optional<T> front, T identity, bool any_order, Combine combine) {
  const bool exclusive_kind = d.kind == ScanKind::exclusive && !d.include_initial;
  const T nothing = front.value_or(identity);
  if (exclusive_kind || d.include_initial) front = nothing;
  std::vector<T> inclusive(values.size());
  std::vector<T> exclusive(exclusive_kind ? values.size() : 0);
  if (any_order) {
    std::inclusive_scan(values.begin(), values.end(), inclusive.begin(), combine, nothing);
    if (exclusive_kind) {
      std::exclusive_scan(values.begin(), values.end(), exclusive.begin(), nothing, combine);
    }
  } else {
    const OrderedPrefixes<T, Combine> prefixes{combine, values, front};
    for (std::uint64_t i = 0; i < values.size(); ++i) inclusive[i] = prefixes.inclusive(i);
    for (std::uint64_t i = 0; i < exclusive.size(); ++i) exclusive[i] = prefixes.exclusive(i);
  }
  const T total = values.empty() ? nothing : inclusive.back();
  if (d.include_initial) inclusive.insert(inclusive.begin(), nothing);
  return {exclusive_kind ? std::move(exclusive) : std::move(inclusive), total};
}

// All that a description asks for. forward(values) scans from the first to the last.
template <class T, class Forward>
Expected<T> expected_either_way(const ScanDescription& d, std::span<const T> values,
                                Forward forward) {
  if (!d.reverse) return forward(values);
  const std::vector<T> backward(values.rbegin(), values.rend());
  Expected<T> expected = forward(backward);
  std::reverse(expected.values.begin(), expected.values.end());
  return expected;
}

// Of what is combined in its own type.
template <Element T>
Expected<T> expected_by_order(const ScanDescription& d, std::span<const T> values) {
  return expected_either_way<T>(d, values, [&](std::span<const T> forward) {
    std::optional<T> front;
    if (d.init) front = std::get<T>(*d.init);
    return expected_forward<T>(d, forward, front, plain_identity<T>(d.op), std::is_integral_v<T>,
                               [&](T older, T newer) { return plain_combine(d.op, older, newer); });
  });
}

template <Element T>
Expected<T> expected_scan(const ScanDescription& d, std::span<const T> values) {
  if constexpr (std::is_same_v<T, Half>) {
    // That of f32, each result rounded once.
    const std::vector<float> floats(values.begin(), values.end());
    ScanDescription as_float = d;
    if (d.init) as_float.init = Scalar{static_cast<float>(std::get<Half>(*d.init))};
    const Expected<float> expected = expected_scan<float>(as_float, floats);
    return {{expected.values.begin(), expected.values.end()}, expected.total};
  } else {
    return expected_by_order<T>(d, values);
  }
}

// The total of an inclusive scan without an initial value; of no values the identity.
template <Element T>
T expected_total(Operator op, std::span<const T> values) {
  if constexpr (std::is_same_v<T, Half>) {
    return expected_total<float>(op, std::vector<float>(values.begin(), values.end()));
  } else {
    const auto combine = [op](T older, T newer) { return plain_combine(op, older, newer); };
    if (values.empty()) return plain_identity<T>(op);
    if constexpr (std::is_integral_v<T>) {
      return std::accumulate(values.begin() + 1, values.end(), values[0], combine);
    }
    return OrderedPrefixes<T, decltype(combine)>{combine, values, std::nullopt}.inclusive(
        values.size() - 1);
  }
}

}  // namespace cumulo::test
