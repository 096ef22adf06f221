// The built-in operators as algebras of a blocked scan.
#pragma once

#include <cstdint>

#include "cpu/strip_kernels.hpp"

namespace cumulo::cpu {

// By plain code, which is enough for a loop.
template <Element T>
struct PlainOperator {
  using Value = T;
  using Input = T;

  T absent() const { return cumulo::absent<T>(op); }
  T lift(T x) const { return x; }
  T combine(T older, T newer) const { return cumulo::combine(op, older, newer); }

  Operator op;
};

// By vector code.
template <Element T>
struct BuiltIn : PlainOperator<T> {
  static constexpr bool streams = true;

  explicit BuiltIn(Operator operation)
      : PlainOperator<T>{operation}, kernels(strip_kernels<T>(operation)) {}

  void totals(const T* in, std::size_t strips, T* out) const { kernels.totals(in, strips, out); }
  void scan(const T* in, T* out, T base, ScanKind kind, const T* ahead) const {
    kernels.scan(in, out, base, kind, ahead);
  }
  void stream(const T* in, T* out, T base, ScanKind kind, const T* ahead) const {
    kernels.stream(in, out, base, kind, ahead);
  }

  StripKernels<T> kernels;
};

// Sums of 32-bit integers T by an algebra of u64, which wraps as i64 does.
template <class Sums, Element T>
struct WideIntegers : Sums {
  using Input = T;
  WideIntegers() : Sums(Operator::add) {}
  std::uint64_t lift(T x) const { return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)); }
};

}  // namespace cumulo::cpu
