// Vector code for the total of a block of strips (order.hpp), compiled for several processors and
// chosen at run time.
#pragma once

#include <cstddef>

#include "cumulo/operator.hpp"

namespace cumulo::cpu {

// The total of `strips` strips, a power of two, from `in` on, which needs the alignment of T only.
template <Element T>
using BlockTotal = T (*)(const T* in, std::size_t strips);

// T is a type that needs code of its own for `op`: signed integers have only min and max, as every
// other operator gives the bits of the unsigned type.
template <Element T>
BlockTotal<T> block_total(Operator op);

template <>
BlockTotal<std::uint32_t> block_total<std::uint32_t>(Operator op);
template <>
BlockTotal<std::int32_t> block_total<std::int32_t>(Operator op);
template <>
BlockTotal<float> block_total<float>(Operator op);
template <>
BlockTotal<std::uint64_t> block_total<std::uint64_t>(Operator op);
template <>
BlockTotal<std::int64_t> block_total<std::int64_t>(Operator op);
template <>
BlockTotal<double> block_total<double>(Operator op);

}  // namespace cumulo::cpu
