// Values that make it hard to get a scan right by luck.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "cumulo/operator.hpp"

namespace cumulo::test {

// Of 64 random bits. Integers over their whole range, odd for mul: a product of others would soon
// be 0 for ever. Floats of both signs and many sizes, so that another order gives other bits, and
// away from subnormal numbers, which a GPU may flush; near 1 for mul, to stay finite.
template <Element T>
T random_value(Operator op, std::uint64_t bits) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(op == Operator::mul ? bits | 1 : bits);
  } else {
    using Real = std::conditional_t<std::is_same_v<T, Half>, float, T>;
    constexpr int sizes = std::is_same_v<T, Half> ? 7 : 31;  // sums of halves stay below 65504
    constexpr int middle = std::is_same_v<T, Half> ? 4 : 16;
    const Real fraction = static_cast<Real>(bits >> 40) / Real{1 << 24};
    const Real sign = (bits & 1) != 0 ? Real{-1} : Real{1};
    const int size = static_cast<int>(bits >> 1 & sizes) - middle;
    return op == Operator::mul ? sign * (Real{1} + (fraction - Real{0.5}) / Real{512})
                               : sign * std::ldexp(Real{1} + fraction, size);
  }
}

}  // namespace cumulo::test
