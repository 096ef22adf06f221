// The built-in operators as algebras of a blocked scan.
#pragma once

#include "cpu/strip_kernels.hpp"

namespace cumulo::cpu {

// A built-in operator, by vector code.
template <Element T>
struct BuiltIn {
  using Value = T;
  using Input = T;
  static constexpr bool streams = true;

  explicit BuiltIn(Operator operation) : op(operation), kernels(strip_kernels<T>(operation)) {}

  T absent() const { return cumulo::absent<T>(op); }
  T lift(T x) const { return x; }
  T combine(T older, T newer) const { return cumulo::combine(op, older, newer); }
  void totals(const T* in, std::size_t strips, T* out) const { kernels.totals(in, strips, out); }
  void scan(const T* in, T* out, T base, ScanKind kind, const T* ahead) const {
    kernels.scan(in, out, base, kind, ahead);
  }
  void stream(const T* in, T* out, T base, ScanKind kind, const T* ahead) const {
    kernels.stream(in, out, base, kind, ahead);
  }

  Operator op;
  StripKernels<T> kernels;
};

// A plain loop needs no vector code.
template <Element T>
struct PlainOperator {
  using Value = T;
  using Input = T;
  T lift(T x) const { return x; }
  T combine(T older, T newer) const { return cumulo::combine(op, older, newer); }
  Operator op;
};

}  // namespace cumulo::cpu
