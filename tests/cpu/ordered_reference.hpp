// The scan of floats from the text of order.hpp, one step after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "cumulo/operator.hpp"
#include "cumulo/order.hpp"
#include "cumulo/scan_description.hpp"

namespace cumulo::test {

template <Element T>
class OrderedReference {
 public:
  // `front` stands before all elements.
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
    return combine(op_, *older, *newer);
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

}  // namespace cumulo::test
