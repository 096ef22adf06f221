// The reduction by blocks: all threads total blocks of strips; their totals and what is left at the
// end are then combined in the order of order.hpp.
//
// What is reduced is said by an Algebra:
//   using Value                      an element
//   using Input, lift(x)             an element of the input, and what it is as Value
//   lift_all(in, count, out)         of many, where vector code does it; may be left out
//   absent(), combine(older, newer)
//   block_total(in, strips)          of elements, strips a power of two
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "cpu/blocked_scan.hpp"
#include "cpu/threads.hpp"
#include "cumulo/order.hpp"

namespace cumulo::cpu {

// The prefix inside a strip of the last of its first `count` elements, count > 0.
template <class Algebra, class T = typename Algebra::Value>
class StripPrefix {
 public:
  StripPrefix(const Algebra& algebra, const T* in, std::size_t count)
      : algebra_(algebra), quads_((count - 1) / order::quad) {
    for (std::size_t q = 0; q <= quads_; ++q) {
      const std::size_t first = q * order::quad;
      totals_[q] = in[first];
      for (std::size_t i = first + 1; i < std::min<std::size_t>(first + order::quad, count); ++i) {
        totals_[q] = algebra.combine(totals_[q], in[i]);
      }
    }
  }

  T value() const {
    const std::size_t in_row = quads_ % order::quads_per_row;
    const T before = algebra_.combine(folded(0, quads_ - in_row), folded(quads_ - in_row, in_row));
    return algebra_.combine(before, totals_[quads_]);
  }

 private:
  // The aligned power-of-two blocks that make up `count` quads from `first` on, the largest first,
  // folded from the right.
  T folded(std::size_t first, std::size_t count) const {
    if (count == 0) return algebra_.absent();
    const std::size_t block = std::bit_floor(count);
    return algebra_.combine(total(first, block), folded(first + block, count - block));
  }

  T total(std::size_t first, std::size_t count) const {
    if (count == 1) return totals_[first];
    return algebra_.combine(total(first, count / 2), total(first + count / 2, count / 2));
  }

  const Algebra& algebra_;
  std::size_t quads_;  // whole ones before that of the last element
  std::array<T, order::strip / order::quad> totals_;
};

template <class Algebra>
class BlockedReduce {
  using T = typename Algebra::Value;
  using Input = typename Algebra::Input;

 public:
  // n > 0 elements.
  BlockedReduce(const Algebra& algebra, const Input* in, std::size_t n)
      : algebra_(algebra), in_(in), n_(n) {}

  T run() const {
    const std::size_t before_last = (n_ - 1) / order::strip;  // strips
    std::vector<T> totals(before_last / strips);
    total_blocks(totals);
    BlockCounter<Algebra> blocks(algebra_, algebra_.absent());
    for (const T& total : totals) blocks.add(total);
    BlockCounter<Algebra> single(algebra_, blocks.before());
    for (std::size_t s = totals.size() * strips; s < before_last; ++s) {
      single.add(total_strips(s, 1));
    }
    Strip strip;
    const std::size_t first = before_last * order::strip;
    lift_all(algebra_, in_ + first, n_ - first, strip.data());
    return algebra_.combine(single.before(),
                            StripPrefix<Algebra>(algebra_, strip.data(), n_ - first).value());
  }

 private:
  static constexpr std::size_t strips =
      std::bit_floor(std::max<std::size_t>(1, block_bytes / sizeof(Input) / order::strip));
  using Strip = std::array<T, order::strip>;

  void total_blocks(std::vector<T>& totals) const {
    over_ranges(totals.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) totals[b] = total_strips(b * strips, strips);
    });
  }

  // Of `count` strips, a power of two, from number `first` on.
  T total_strips(std::size_t first, std::size_t count) const {
    const Input* const from = in_ + first * order::strip;
    if constexpr (std::is_same_v<Input, T>) {
      return algebra_.block_total(from, count);
    } else {
      BlockCounter<Algebra> counter(algebra_, algebra_.absent());
      for (std::size_t s = 0; s < count; ++s) {
        Strip strip;
        lift_all(algebra_, from + s * order::strip, order::strip, strip.data());
        counter.add(algebra_.block_total(strip.data(), 1));
      }
      return counter.before();
    }
  }

  const Algebra& algebra_;
  const Input* const in_;
  const std::size_t n_;
};

}  // namespace cumulo::cpu
