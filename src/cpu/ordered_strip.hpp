// One strip of any elements in the order of order.hpp, by plain code: for what has no vector code.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "cpu/quad_prefixes.hpp"
#include "cumulo/order.hpp"
#include "cumulo/scan_description.hpp"

namespace cumulo::cpu {

// `combine(older, newer)`, and `absent`, which it leaves out.
template <class T, class Combine>
T strip_total(const T* in, const Combine& combine) {
  std::array<T, order::strip / order::quad> sums;
  for (std::size_t q = 0; q < sums.size(); ++q) {
    const T* const x = in + q * order::quad;
    sums[q] = combine(combine(combine(x[0], x[1]), x[2]), x[3]);
  }
  for (std::size_t count = sums.size() / 2; count > 0; count /= 2) {
    for (std::size_t i = 0; i < count; ++i) sums[i] = combine(sums[2 * i], sums[2 * i + 1]);
  }
  return sums[0];
}

// Sklansky's prefixes of `sums`: leaves what stands before each of them, and returns their total.
template <class T, std::size_t count, class Combine>
T sklansky(T (&sums)[count], const T& absent, const Combine& combine) {
  for (std::size_t half = 1; half < count; half *= 2) {
    for (std::size_t i = half; i < count; ++i) {
      if ((i & half) != 0) sums[i] = combine(sums[(i & ~(2 * half - 1)) + half - 1], sums[i]);
    }
  }
  const T total = sums[count - 1];
  std::copy_backward(sums, sums + count - 1, sums + count);
  sums[0] = absent;
  return total;
}

// The first pass of a blocked scan, and its second one; out may be in.
template <class T, class Combine>
T prefix_strip(const T* in, QuadPrefixes<T>& before, const T& absent, const Combine& combine) {
  for (std::size_t r = 0; r < order::rows_per_strip; ++r) {
    T sums[order::quads_per_row];
    for (std::size_t q = 0; q < order::quads_per_row; ++q) {
      const T* const x = in + r * order::row + q * order::quad;
      sums[q] = combine(combine(combine(x[0], x[1]), x[2]), x[3]);
    }
    before.rows[r] = sklansky(sums, absent, combine);
    std::copy(std::begin(sums), std::end(sums), before.quads + r * order::quads_per_row);
  }
  return sklansky(before.rows, absent, combine);
}

template <class T, class Combine>
void scan_strip(const T* in, const QuadPrefixes<T>& before, T* out, const T& base, ScanKind kind,
                const Combine& combine) {
  for (std::size_t q = 0; q < order::strip / order::quad; ++q) {
    const T start = combine(before.rows[q / order::quads_per_row], before.quads[q]);
    T previous = combine(base, start);
    T in_quad;
    for (std::size_t i = q * order::quad; i < (q + 1) * order::quad; ++i) {
      in_quad = i % order::quad == 0 ? in[i] : combine(in_quad, in[i]);
      const T inclusive = combine(base, combine(start, in_quad));
      out[i] = kind == ScanKind::inclusive ? inclusive : previous;
      previous = inclusive;
    }
  }
}

// Elements without vector code as an algebra of a blocked scan (blocked_scan.hpp).
template <class Elements>
struct PlainStrips : Elements {
  using Value = typename Elements::Value;
  using Elements::Elements;
  static constexpr bool streams = false;

  Value prefix(const Value* in, QuadPrefixes<Value>& before) const {
    return prefix_strip(in, before, this->absent(), *this);
  }
  Value scan(const Value* in, QuadPrefixes<Value>& before, Value* out, const Value& base,
             ScanKind kind, const Value* next, const Value*) const {
    scan_strip(in, before, out, base, kind, *this);
    return next == nullptr ? this->absent() : prefix(next, before);
  }
  Value stream(const Value* in, QuadPrefixes<Value>& before, Value* out, const Value& base,
               ScanKind kind, const Value* next, const Value* ahead) const {
    return scan(in, before, out, base, kind, next, ahead);
  }
  Value operator()(const Value& older, const Value& newer) const {
    return this->combine(older, newer);
  }
};

}  // namespace cumulo::cpu
