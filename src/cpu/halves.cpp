#include "cpu/halves.hpp"

#include "cpu/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/halves.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace cumulo::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Words = hn::RebindToUnsigned<Floats>;
using Shorts = hn::Rebind<std::uint16_t, Floats>;

// Highway's own conversions, where they are not instructions of the processor, do not round.
#if HWY_ARCH_X86 && HWY_TARGET < HWY_SSE4 && !defined(HWY_DISABLE_F16C)

using Halves = hn::Rebind<hwy::float16_t, Floats>;

HWY_INLINE hn::Vec<Floats> load_widened(const std::uint16_t* from) {
  return hn::PromoteTo(Floats(), hn::BitCast(Halves(), hn::LoadU(Shorts(), from)));
}

HWY_INLINE void store_narrowed(hn::Vec<Floats> x, std::uint16_t* to) {
  hn::StoreU(hn::BitCast(Shorts(), hn::DemoteTo(Halves(), x)), Shorts(), to);
}

#else

// The bits of halves, one in each word, as floats.
HWY_INLINE hn::Vec<Floats> widened(hn::Vec<Words> bits) {
  const Floats df;
  const Words du;
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7fffU));
  const auto sign = hn::ShiftLeft<16>(hn::Xor(bits, magnitude));
  // The exponent of a normal number moves by 112, that of infinity and NaN by twice as much.
  const auto moved = hn::Add(hn::ShiftLeft<13>(magnitude), hn::Set(du, 112U << 23));
  const auto special = hn::Gt(magnitude, hn::Set(du, 0x7bffU));
  const auto large = hn::IfThenElse(special, hn::Add(moved, hn::Set(du, 112U << 23)), moved);
  // Below the normal ones it counts units of 2^-24.
  const hn::RebindToSigned<Words> di;
  const auto units = hn::Mul(hn::ConvertTo(df, hn::BitCast(di, magnitude)), hn::Set(df, 0x1p-24F));
  const auto small = hn::Lt(magnitude, hn::Set(du, 0x0400U));
  return hn::BitCast(df, hn::Or(sign, hn::IfThenElse(small, hn::BitCast(du, units), large)));
}

// The bits of the nearest halves, one in each word.
HWY_INLINE hn::Vec<Words> narrowed(hn::Vec<Floats> x) {
  const Floats df;
  const Words du;
  const auto bits = hn::BitCast(du, x);
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7fffffffU));
  const auto sign = hn::ShiftRight<16>(hn::Xor(bits, magnitude));
  // Half a unit of the last place, less one where the place is even: the carry rounds.
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 1U));
  const auto carried = hn::Add(hn::Add(magnitude, odd), hn::Set(du, 0xfffU));
  const auto infinite = hn::Set(du, 0x7c00U);
  const auto large =
      hn::Min(hn::ShiftRight<13>(hn::Sub(carried, hn::Set(du, 112U << 23))), infinite);
  // Beside 0.5 the last place is 2^-24, that of the halves below the normal ones.
  const auto shifted = hn::Add(hn::BitCast(df, magnitude), hn::Set(df, 0.5F));
  const auto small = hn::Sub(hn::BitCast(du, shifted), hn::Set(du, 0x3f000000U));
  const auto is_small = hn::Lt(magnitude, hn::Set(du, 0x38800000U));
  const auto is_nan = hn::Gt(magnitude, hn::Set(du, 0x7f800000U));
  const auto number = hn::IfThenElse(is_small, small, large);
  return hn::Or(sign, hn::IfThenElse(is_nan, hn::Set(du, 0x7e00U), number));
}

HWY_INLINE hn::Vec<Floats> load_widened(const std::uint16_t* from) {
  return widened(hn::PromoteTo(Words(), hn::LoadU(Shorts(), from)));
}

HWY_INLINE void store_narrowed(hn::Vec<Floats> x, std::uint16_t* to) {
  const hn::RebindToSigned<Words> di;
  hn::StoreU(hn::DemoteTo(Shorts(), hn::BitCast(di, narrowed(x))), Shorts(), to);
}

#endif

void widen_all(const Half* in, std::size_t count, float* out) {
  const Floats df;
  const std::size_t lanes = hn::Lanes(df);
  const auto* const bits = reinterpret_cast<const std::uint16_t*>(in);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(load_widened(bits + i), df, out + i);
  for (; i < count; ++i) out[i] = in[i];
}

void narrow_all(const float* in, std::size_t count, Half* out) {
  const Floats df;
  const std::size_t lanes = hn::Lanes(df);
  auto* const bits = reinterpret_cast<std::uint16_t*>(out);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) store_narrowed(hn::LoadU(df, in + i), bits + i);
  for (; i < count; ++i) out[i] = in[i];
}

}  // namespace cumulo::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cumulo::cpu {

// What the vector code reads and writes.
static_assert(sizeof(Half) == sizeof(std::uint16_t));

HWY_EXPORT(widen_all);
void widen(const Half* in, std::size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(widen_all)(in, count, out);
}

HWY_EXPORT(narrow_all);
void narrow(const float* in, std::size_t count, Half* out) {
  HWY_DYNAMIC_DISPATCH(narrow_all)(in, count, out);
}

}  // namespace cumulo::cpu
#endif
