#include "cpu/strip_kernels.hpp"

#include "cpu/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/strip_kernels_int64.cpp"
#include <hwy/foreach_target.h>
//
#include "cpu/strip_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cumulo::cpu::HWY_NAMESPACE {

StripKernels<std::uint64_t> kernels_u64(Operator op) {
  switch (op) {
    case Operator::add: return kernels_for<Operator::add, std::uint64_t>();
    case Operator::mul: return kernels_for<Operator::mul, std::uint64_t>();
    case Operator::min: return kernels_for<Operator::min, std::uint64_t>();
    case Operator::max: return kernels_for<Operator::max, std::uint64_t>();
    case Operator::bit_and: return kernels_for<Operator::bit_and, std::uint64_t>();
    case Operator::bit_or: return kernels_for<Operator::bit_or, std::uint64_t>();
    case Operator::bit_xor: return kernels_for<Operator::bit_xor, std::uint64_t>();
    case Operator::add_saturated: return kernels_for<Operator::add_saturated, std::uint64_t>();
  }
  return {};
}

StripKernels<std::int64_t> kernels_i64(Operator op) {
  return op == Operator::min ? kernels_for<Operator::min, std::int64_t>()
                             : kernels_for<Operator::max, std::int64_t>();
}
}  // namespace cumulo::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cumulo::cpu {

HWY_EXPORT(kernels_u64);
template <>
StripKernels<std::uint64_t> strip_kernels<std::uint64_t>(Operator op) {
  return HWY_DYNAMIC_DISPATCH(kernels_u64)(op);
}

HWY_EXPORT(kernels_i64);
template <>
StripKernels<std::int64_t> strip_kernels<std::int64_t>(Operator op) {
  return HWY_DYNAMIC_DISPATCH(kernels_i64)(op);
}
}  // namespace cumulo::cpu
#endif
