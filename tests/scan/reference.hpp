// What a scan must give, written plainly from the definitions. Integers: the algorithms of the
// standard library. Floats: the order of order.hpp, one block after the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
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

template <Element T>
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

// The scan of floats from the text of order.hpp, one step after the other.
template <Element T>
class OrderedReference {
 public:
  // `front` stands before all elements; absent in an inclusive scan without an initial value.
  OrderedReference(Operator op, std::span<const T> elements, std::optional<T> front)
      : op_(op), elements_(elements), front_(front) {
    std::vector<Maybe> quads;
    for (std::size_t i = 0; i < elements.size(); i += order::quad) quads.push_back(fold(i));
    totals_.push_back(std::move(quads));
    while (totals_.back().size() > 1) totals_.push_back(pairs(totals_.back()));
  }

  // The inclusive results, and with them what the first of each quad has in an exclusive scan.
  std::vector<T> scan(ScanKind kind) const {
    std::vector<T> results(elements_.size());
    Maybe base;
    for (std::size_t i = 0; i < elements_.size(); i += order::quad) {
      if (i % order::strip == 0) base = base_of(i / order::strip);
      const Maybe before = before_quad(i / order::quad);
      Maybe prefix;
      const std::size_t end = std::min(i + order::quad, elements_.size());
      for (std::size_t k = i; k < end; ++k) {
        if (kind == ScanKind::exclusive) results[k] = *join(base, join(before, prefix));
        prefix = join(prefix, elements_[k]);
        if (kind == ScanKind::inclusive) results[k] = *join(base, join(before, prefix));
      }
    }
    return results;
  }

 private:
  using Maybe = std::optional<T>;  // what is absent is not combined at all

  static constexpr unsigned row_level = 5;    // a row is 2^5 quads
  static constexpr unsigned strip_level = 8;  // a strip is 2^8 quads
  static_assert(order::row == order::quad << row_level);
  static_assert(order::strip == order::quad << strip_level);

  Maybe join(Maybe older, Maybe newer) const {
    if (!older) return newer;
    if (!newer) return older;
    return plain_combine(op_, *older, *newer);
  }

  Maybe fold(std::size_t first) const {
    Maybe sum;
    const std::size_t end = std::min(first + order::quad, elements_.size());
    for (std::size_t k = first; k < end; ++k) sum = join(sum, elements_[k]);
    return sum;
  }

  std::vector<Maybe> pairs(const std::vector<Maybe>& halves) const {
    std::vector<Maybe> blocks;
    for (std::size_t i = 0; i < halves.size(); i += 2) {
      blocks.push_back(join(halves[i], i + 1 < halves.size() ? halves[i + 1] : Maybe{}));
    }
    return blocks;
  }

  // Total of 2^level quads from `quad`, a multiple of that.
  Maybe total(std::size_t quad, unsigned level) const { return totals_[level][quad >> level]; }

  // The units [first, last) of 2^level quads: the largest aligned block, joined with the rest.
  Maybe from_right(std::size_t first, std::size_t last, unsigned level) const {
    if (first == last) return std::nullopt;
    unsigned largest = 0;
    while (first + (std::size_t{2} << largest) <= last) ++largest;
    return join(total(first << level, level + largest),
                from_right(first + (std::size_t{1} << largest), last, level));
  }

  Maybe before_quad(std::size_t quad) const {
    const std::size_t row = quad >> row_level;
    const std::size_t first_row = row / order::rows_per_strip * order::rows_per_strip;
    return join(from_right(first_row, row, row_level), from_right(row << row_level, quad, 0));
  }

  // The front, then the strips before this one as aligned blocks, the largest first.
  Maybe base_of(std::size_t strip) const {
    Maybe sum = front_;
    std::size_t first = 0;
    for (unsigned bit = 63; bit-- > 0;) {
      if ((strip >> bit & 1) == 0) continue;
      sum = join(sum, total(first << strip_level, strip_level + bit));
      first += std::size_t{1} << bit;
    }
    return sum;
  }

  Operator op_;
  std::span<const T> elements_;
  Maybe front_;
  std::vector<std::vector<Maybe>> totals_;  // [level]: of aligned blocks of 2^level quads
};

template <Element T>
Expected<T> expected_forward(const ScanDescription& d, std::span<const T> values) {
  std::optional<T> front;
  if (d.init) front = std::get<T>(*d.init);
  if (!front && (d.kind == ScanKind::exclusive || d.include_initial)) {
    front = plain_identity<T>(d.op);
  }
  std::vector<T> inclusive(values.size());
  std::vector<T> exclusive(d.kind == ScanKind::exclusive ? values.size() : 0);
  if constexpr (std::is_integral_v<T>) {
    const auto combine = [&](T older, T newer) { return plain_combine(d.op, older, newer); };
    const T first = front.value_or(plain_identity<T>(d.op));
    std::inclusive_scan(values.begin(), values.end(), inclusive.begin(), combine, first);
    if (!exclusive.empty()) {
      std::exclusive_scan(values.begin(), values.end(), exclusive.begin(), first, combine);
    }
  } else {
    const OrderedReference<T> reference{d.op, values, front};
    inclusive = reference.scan(ScanKind::inclusive);
    if (!exclusive.empty()) exclusive = reference.scan(ScanKind::exclusive);
  }
  const T nothing = front.value_or(plain_identity<T>(d.op));
  const T total = values.empty() ? nothing : inclusive.back();
  if (d.include_initial) {
    inclusive.insert(inclusive.begin(), nothing);
    return {std::move(inclusive), total};
  }
  return {d.kind == ScanKind::exclusive ? std::move(exclusive) : std::move(inclusive), total};
}

// All that a description asks for.
template <Element T>
Expected<T> expected_scan(const ScanDescription& d, std::span<const T> values) {
  if (!d.reverse) return expected_forward<T>(d, values);
  const std::vector<T> backward(values.rbegin(), values.rend());
  Expected<T> expected = expected_forward<T>(d, backward);
  std::reverse(expected.values.begin(), expected.values.end());
  return expected;
}

}  // namespace cumulo::test
