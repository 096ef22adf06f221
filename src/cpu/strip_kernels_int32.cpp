#include "cpu/strip_kernels.hpp"

#include "cpu/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/strip_kernels_int32.cpp"
#include <hwy/foreach_target.h>
//
#include "cpu/strip_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cumulo::cpu::HWY_NAMESPACE {

StripKernels<std::uint32_t> kernels_u32(Operator op) {
  switch (op) {
    case Operator::add: return kernels_for<Operator::add, std::uint32_t>();
    case Operator::mul: return kernels_for<Operator::mul, std::uint32_t>();
    case Operator::min: return kernels_for<Operator::min, std::uint32_t>();
    case Operator::max: return kernels_for<Operator::max, std::uint32_t>();
    case Operator::bit_and: return kernels_for<Operator::bit_and, std::uint32_t>();
    case Operator::bit_or: return kernels_for<Operator::bit_or, std::uint32_t>();
    case Operator::bit_xor: return kernels_for<Operator::bit_xor, std::uint32_t>();
    case Operator::add_saturated: return kernels_for<Operator::add_saturated, std::uint32_t>();
  }
  return {};
}

StripKernels<std::int32_t> kernels_i32(Operator op) {
  return op == Operator::min ? kernels_for<Operator::min, std::int32_t>()
                             : kernels_for<Operator::max, std::int32_t>();
}
}  // namespace cumulo::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cumulo::cpu {

HWY_EXPORT(kernels_u32);
template <>
StripKernels<std::uint32_t> strip_kernels<std::uint32_t>(Operator op) {
  return HWY_DYNAMIC_DISPATCH(kernels_u32)(op);
}

HWY_EXPORT(kernels_i32);
template <>
StripKernels<std::int32_t> strip_kernels<std::int32_t>(Operator op) {
  return HWY_DYNAMIC_DISPATCH(kernels_i32)(op);
}
}  // namespace cumulo::cpu
#endif
