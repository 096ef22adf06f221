// One strip of any elements in the order of order.hpp, by plain code: for what has no vector code.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

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

// Sklansky's inclusive prefixes, in place.
template <class T, std::size_t count, class Combine>
void sklansky(std::array<T, count>& sums, const Combine& combine) {
  for (std::size_t half = 1; half < count; half *= 2) {
    for (std::size_t i = half; i < count; ++i) {
      if ((i & half) != 0) sums[i] = combine(sums[(i & ~(2 * half - 1)) + half - 1], sums[i]);
    }
  }
}

// out may be in.
template <class T, class Combine>
void ordered_scan_strip(const T* in, T* out, const T& base, ScanKind kind, const T& absent,
                        const Combine& combine) {
  std::array<T, order::strip> prefixes;  // inside the quads
  std::array<std::array<T, order::quads_per_row>, order::rows_per_strip> quads;
  std::array<T, order::rows_per_strip> rows;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t q = 0; q < quads[r].size(); ++q) {
      const std::size_t first = r * order::row + q * order::quad;
      prefixes[first] = in[first];
      for (std::size_t j = 1; j < order::quad; ++j) {
        prefixes[first + j] = combine(prefixes[first + j - 1], in[first + j]);
      }
      quads[r][q] = prefixes[first + order::quad - 1];
    }
    sklansky(quads[r], combine);
    rows[r] = quads[r].back();
  }
  sklansky(rows, combine);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t q = 0; q < quads[r].size(); ++q) {
      const std::size_t first = r * order::row + q * order::quad;
      T before = r > 0 ? rows[r - 1] : absent;
      if (q > 0) before = combine(before, quads[r][q - 1]);
      T previous = combine(base, before);
      for (std::size_t j = 0; j < order::quad; ++j) {
        const T inclusive = combine(base, combine(before, prefixes[first + j]));
        out[first + j] = kind == ScanKind::inclusive ? inclusive : previous;
        previous = inclusive;
      }
    }
  }
}

// Elements without vector code as an algebra of a blocked scan (blocked_scan.hpp).
template <class Elements>
struct PlainStrips : Elements {
  using Value = typename Elements::Value;
  using Elements::Elements;
  static constexpr bool streams = false;

  void totals(const Value* in, std::size_t strips, Value* totals) const {
    for (std::size_t s = 0; s < strips; ++s) totals[s] = strip_total(in + s * order::strip, *this);
  }
  void scan(const Value* in, Value* out, const Value& base, ScanKind kind, const Value*) const {
    ordered_scan_strip(in, out, base, kind, this->absent(), *this);
  }
  void stream(const Value* in, Value* out, const Value& base, ScanKind kind,
              const Value* ahead) const {
    scan(in, out, base, kind, ahead);
  }
  Value operator()(const Value& older, const Value& newer) const {
    return this->combine(older, newer);
  }
};

}  // namespace cumulo::cpu
