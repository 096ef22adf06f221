// Vector code for one strip (order.hpp), compiled for several processors and chosen at run time.
#pragma once

#include "cpu/quad_prefixes.hpp"
#include "cumulo/operator.hpp"
#include "cumulo/scan_description.hpp"

namespace cumulo::cpu {

// The kernels of one element type and operator. `in` and `out` need the alignment of T only, and
// may be the same memory.
template <Element T>
struct StripKernels {
  // The first pass over a strip; returns its total.
  T (*prefix)(const T* in, QuadPrefixes<T>& before);

  // The second pass, from what is before the strip, `base`, and on the way the first pass over the
  // strip at `next`, whose prefixes take the place of this one's; null: none. Returns the total of
  // `next`. So memory is read and written all the time; the strip at `ahead` is brought into the
  // second-level cache, a line for a line; null: nothing.
  using Scan = T (*)(const T* in, QuadPrefixes<T>& before, T* out, T base, ScanKind kind,
                     const T* next, const T* ahead);
  Scan scan;
  // As scan, with stores that go past the caches: `out` is a multiple of cache_line. Call
  // finish_streaming() (stream_copy.hpp) before another thread may read the results.
  Scan stream;
};

// T is a type that needs a kernel of its own for `op`: signed integers have only min and max, as
// every other operator gives the bits of the unsigned type.
template <Element T>
StripKernels<T> strip_kernels(Operator op);

template <>
StripKernels<std::uint32_t> strip_kernels<std::uint32_t>(Operator op);
template <>
StripKernels<std::int32_t> strip_kernels<std::int32_t>(Operator op);
template <>
StripKernels<float> strip_kernels<float>(Operator op);
template <>
StripKernels<std::uint64_t> strip_kernels<std::uint64_t>(Operator op);
template <>
StripKernels<std::int64_t> strip_kernels<std::int64_t>(Operator op);
template <>
StripKernels<double> strip_kernels<double>(Operator op);

}  // namespace cumulo::cpu
