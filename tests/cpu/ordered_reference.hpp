// The scan of floats straight from the text of order.hpp, by recursion. Slow, and nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "cumulo/operator.hpp"
#include "cumulo/order.hpp"
#include "cumulo/scan_description.hpp"

namespace cumulo::test {

template <Element T>
class OrderedReference {
 public:
  // `front` stands before all elements.
  OrderedReference(Operator op, std::vector<T> elements, std::optional<T> front)
      : op_(op), elements_(std::move(elements)), front_(front) {}

  T inclusive(std::uint64_t i) {
    return *join(base(i / order::strip), join(before_quad(i), prefix_in_quad(i)));
  }

  T exclusive(std::uint64_t i) {
    const bool first = i % order::quad == 0;
    return *join(base(i / order::strip),
                 first ? before_quad(i) : join(before_quad(i), prefix_in_quad(i - 1)));
  }

 private:
  using Maybe = std::optional<T>;  // what is absent is not combined at all

  Maybe join(Maybe older, Maybe newer) const {
    if (!older) return newer;
    if (!newer) return older;
    return combine(op_, *older, *newer);
  }

  T prefix_in_quad(std::uint64_t i) const {
    T sum = elements_[i - i % order::quad];
    for (std::uint64_t k = i - i % order::quad + 1; k <= i; ++k)
      sum = combine(op_, sum, elements_[k]);
    return sum;
  }

  // The balanced tree over `size` elements, a power of two of quads.
  Maybe total(std::uint64_t first, std::uint64_t size) {
    if (first >= elements_.size()) return std::nullopt;
    if (size == order::quad) {
      return prefix_in_quad(std::min<std::uint64_t>(first + order::quad, elements_.size()) - 1);
    }
    const auto known = totals_.find({first, size});
    if (known != totals_.end()) return known->second;
    const Maybe sum = join(total(first, size / 2), total(first + size / 2, size / 2));
    if (size >= order::strip) totals_[{first, size}] = sum;
    return sum;
  }

  // The units [0, index) of `unit` elements from `origin`, as aligned power-of-two blocks, the
  // largest first, folded from the right.
  Maybe from_right(std::uint64_t origin, std::uint64_t unit, std::uint64_t index) {
    if (index == 0) return std::nullopt;
    std::uint64_t largest = 1;
    while (2 * largest <= index) largest *= 2;
    const std::uint64_t next = origin + largest * unit;
    return join(total(origin, largest * unit), from_right(next, unit, index - largest));
  }

  Maybe before_quad(std::uint64_t i) {
    const std::uint64_t strip = i - i % order::strip;
    const std::uint64_t row = i - i % order::row;
    const Maybe rows = from_right(strip, order::row, (row - strip) / order::row);
    return join(rows, from_right(row, order::quad, (i - row) / order::quad));
  }

  // The aligned power-of-two blocks of strips, the largest first, folded from the left.
  Maybe base(std::uint64_t strips) {
    Maybe sum = front_;
    std::uint64_t first = 0;
    while (strips > 0) {
      std::uint64_t largest = 1;
      while (2 * largest <= strips) largest *= 2;
      sum = join(sum, total(first, largest * order::strip));
      first += largest * order::strip;
      strips -= largest;
    }
    return sum;
  }

  Operator op_;
  std::vector<T> elements_;
  Maybe front_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Maybe> totals_;  // of whole strips
};

}  // namespace cumulo::test
