// Vector code for one strip (order.hpp), compiled for several processors and chosen at run time.
#pragma once

#include <cstddef>

#include "cumulo/operator.hpp"
#include "cumulo/order.hpp"
#include "cumulo/scan_description.hpp"

namespace cumulo::cpu {

// The kernels of one element type and operator. `in` and `out` need the alignment of T only, and
// may be the same memory.
template <Element T>
struct StripKernels {
  // One strip from what is before it, `base`. Brings the strip at `ahead` into the second-level
  // cache on the way, a line for a line, so that memory is read all the time; null: nothing.
  using Scan = void (*)(const T* in, T* out, T base, ScanKind kind, const T* ahead);

  // totals[s] = total of the s-th of `strips` strips, one after the other from `in`.
  void (*totals)(const T* in, std::size_t strips, T* totals);
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
