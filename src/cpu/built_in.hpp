// The built-in operators as algebras of a blocked scan.
#pragma once

#include <cstdint>

#include "cpu/halves.hpp"
#include "cpu/strip_kernels.hpp"

namespace cumulo::cpu {

// By plain code, which is enough for a loop.
template <Element T>
struct PlainOperator {
  using Value = CombinedAs<T>;
  using Input = T;
  using Output = T;

  Value absent() const { return cumulo::absent<Value>(op); }
  Value lift(T x) const { return x; }
  T lower(Value x) const { return x; }
  Value combine(Value older, Value newer) const { return cumulo::combine(op, older, newer); }

  Operator op;
};

// By vector code.
template <Element T>
struct BuiltIn : PlainOperator<T> {
  static constexpr bool streams = true;

  explicit BuiltIn(Operator operation)
      : PlainOperator<T>{operation}, kernels(strip_kernels<T>(operation)) {}

  T prefix(const T* in, QuadPrefixes<T>& before) const { return kernels.prefix(in, before); }
  T scan(const T* in, QuadPrefixes<T>& before, T* out, T base, ScanKind kind, const T* next,
         const T* ahead) const {
    return kernels.scan(in, before, out, base, kind, next, ahead);
  }
  T stream(const T* in, QuadPrefixes<T>& before, T* out, T base, ScanKind kind, const T* next,
           const T* ahead) const {
    return kernels.stream(in, before, out, base, kind, next, ahead);
  }

  StripKernels<T> kernels;
};

// Halves: by the vector code of f32, in which they are combined and carried.
struct BuiltInHalves : BuiltIn<float> {
  using Input = Half;
  using Output = Half;
  using BuiltIn<float>::BuiltIn;
  float lift(Half x) const { return x; }
  Half lower(float x) const { return x; }
  void lift_all(const Half* in, std::size_t count, float* out) const { widen(in, count, out); }
  void lower_all(const float* in, std::size_t count, Half* out) const { narrow(in, count, out); }
};

// Wide sums of halves, whose results stay in f32.
struct WideHalves : BuiltInHalves {
  using Output = float;
  WideHalves() : BuiltInHalves(Operator::add) {}
  float lower(float x) const { return x; }
};

// Sums of 32-bit integers T by an algebra of u64, which wraps as i64 does.
template <class Sums, Element T>
struct WideIntegers : Sums {
  using Input = T;
  WideIntegers() : Sums(Operator::add) {}
  std::uint64_t lift(T x) const { return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)); }
};

}  // namespace cumulo::cpu
