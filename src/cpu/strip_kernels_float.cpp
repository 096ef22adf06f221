#include "cpu/strip_kernels.hpp"

#include "cpu/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/strip_kernels_float.cpp"
#include <hwy/foreach_target.h>
//
#include "cpu/strip_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cumulo::cpu::HWY_NAMESPACE {

StripKernels<float> kernels_f32(Operator op) {
  switch (op) {
    case Operator::mul: return kernels_for<Operator::mul, float>();
    case Operator::min: return kernels_for<Operator::min, float>();
    case Operator::max: return kernels_for<Operator::max, float>();
    default: return kernels_for<Operator::add, float>();
  }
}

StripKernels<double> kernels_f64(Operator op) {
  switch (op) {
    case Operator::mul: return kernels_for<Operator::mul, double>();
    case Operator::min: return kernels_for<Operator::min, double>();
    case Operator::max: return kernels_for<Operator::max, double>();
    default: return kernels_for<Operator::add, double>();
  }
}
}  // namespace cumulo::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cumulo::cpu {

HWY_EXPORT(kernels_f32);
template <>
StripKernels<float> strip_kernels<float>(Operator op) {
  return HWY_DYNAMIC_DISPATCH(kernels_f32)(op);
}

HWY_EXPORT(kernels_f64);
template <>
StripKernels<double> strip_kernels<double>(Operator op) {
  return HWY_DYNAMIC_DISPATCH(kernels_f64)(op);
}
}  // namespace cumulo::cpu
#endif
