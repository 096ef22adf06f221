// The operators on vectors, for one vector target; included once for each by foreach_target.h.
#if defined(CUMULO_CPU_COMBINE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CUMULO_CPU_COMBINE_INL
#undef CUMULO_CPU_COMBINE_INL
#else
#define CUMULO_CPU_COMBINE_INL
#endif

#include <hwy/highway.h>

#include <type_traits>

#include "cumulo/operator.hpp"

HWY_BEFORE_NAMESPACE();
namespace cumulo::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// What a single lane does without vector instructions: those of its products are too narrow, and
// choices by mask make wrong code there (g++ 12).
template <Operator op, class T>
inline constexpr bool one_by_one =
    (op == Operator::mul && sizeof(T) == 8) ||
    ((op == Operator::min || op == Operator::max) && std::is_floating_point_v<T>);

template <Operator op, class V>
HWY_INLINE V combine(V older, V newer) {
  using T = hn::TFromV<V>;
  if constexpr (op == Operator::add) {
    return hn::Add(older, newer);
  } else if constexpr (HWY_TARGET == HWY_SCALAR && one_by_one<op, T>) {
    return hn::Set(hn::DFromV<V>(), cumulo::combine(op, hn::GetLane(older), hn::GetLane(newer)));
  } else if constexpr (op == Operator::mul) {
    return hn::Mul(older, newer);
  } else if constexpr (op == Operator::bit_and) {
    return hn::And(older, newer);
  } else if constexpr (op == Operator::bit_or) {
    return hn::Or(older, newer);
  } else if constexpr (op == Operator::bit_xor) {
    return hn::Xor(older, newer);
  } else if constexpr (op == Operator::add_saturated && sizeof(T) == 8) {
    // Where there is no minimum of 64-bit lanes, comparing and choosing is cheaper.
    const V sum = hn::Add(older, newer);
    return hn::IfThenElse(hn::Lt(sum, older), hn::Set(hn::DFromV<V>(), static_cast<T>(~T{0})), sum);
  } else if constexpr (op == Operator::add_saturated) {
    return hn::Add(older, hn::Min(newer, hn::Not(older)));
  } else if constexpr (std::is_integral_v<T>) {
    return op == Operator::min ? hn::Min(older, newer) : hn::Max(older, newer);
  } else {
    // Processors' own min and max lose NaN, and which zero is the lesser. Equal values that differ
    // are zeros: -0 has one bit, +0 none.
    const auto ahead = op == Operator::min ? hn::Lt(newer, older) : hn::Lt(older, newer);
    const V chosen = hn::IfThenElse(hn::Or(ahead, hn::IsNaN(newer)), newer, older);
    const V zero = op == Operator::min ? hn::Or(older, newer) : hn::And(older, newer);
    return hn::IfThenElse(hn::Eq(older, newer), zero, chosen);
  }
}

}  // namespace cumulo::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
