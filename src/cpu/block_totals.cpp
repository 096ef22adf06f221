#include "cpu/block_totals.hpp"

#include "cpu/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/block_totals.cpp"
#include <hwy/foreach_target.h>
//
#include <array>
#include <bit>
#include <type_traits>

#include "cpu/combine-inl.hpp"
#include "cpu/lanes-inl.hpp"
#include "cpu/next_pages.hpp"
#include "cumulo/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace cumulo::cpu::HWY_NAMESPACE {

// Totals of the quads of 2^level groups, merged level by level of the balanced tree: in the lanes
// of quads q, bit b < level of q is bit b of a group's number, and the bits above are those of the
// blocks of 2^level quads in that group.
template <Operator op, int level, class T>
HWY_INLINE hn::Vec<hn::ScalableTag<T>> merged_totals(const T* in) {
  using L = Lanes<T>;
  if constexpr (level == 0) {
    typename L::V v0, v1, v2, v3;
    L::load_group(in, v0, v1, v2, v3);
    return combine<op>(combine<op>(combine<op>(v0, v1), v2), v3);
  } else {
    constexpr int bit = level - 1;
    const auto even = merged_totals<op, level - 1>(in);
    const auto odd = merged_totals<op, level - 1>(in + (order::quad * L::count << bit));
    return combine<op>(L::template if_bit<bit>(L::template partner<bit>(odd), even),
                       L::template if_bit<bit>(odd, L::template partner<bit>(even)));
  }
}

// The balanced tree over the lanes; its root is in lane 0.
template <Operator op, int bit, class T>
HWY_INLINE hn::Vec<hn::ScalableTag<T>> lane_tree(hn::Vec<hn::ScalableTag<T>> v) {
  using L = Lanes<T>;
  if constexpr (bit == L::bits) {
    return v;
  } else {
    return lane_tree<op, bit + 1, T>(combine<op>(v, L::template partner<bit>(v)));
  }
}

// Of one strip.
template <Operator op, class T>
HWY_INLINE T ordered_total(const T* in) {
  using L = Lanes<T>;
  // A vector of group totals stands for `piece` elements.
  constexpr std::size_t piece = order::quad * L::count * L::count;
  constexpr std::size_t pieces = order::strip / piece;
  T total[pieces];
  for (std::size_t i = 0; i < pieces; ++i) {
    total[i] = hn::GetLane(lane_tree<op, 0, T>(merged_totals<op, L::bits>(in + i * piece)));
  }
  for (std::size_t size = 1; size < pieces; size *= 2) {
    for (std::size_t i = 0; i < pieces; i += 2 * size) {
      total[i] = cumulo::combine(op, total[i], total[i + size]);
    }
  }
  return total[0];
}

// The order of order.hpp, for floats.
template <Operator op, class T>
T ordered_block_total(const T* in, std::size_t strips) {
  // Totals of aligned runs of 2^b strips, for each bit b that is set in the number of strips done.
  std::array<T, 64> pending;
  for (std::size_t s = 0; s < strips; ++s) {
    const std::size_t ahead = s + strips_of_pages_ahead<T>;
    if (ahead < strips) look_up_pages(in + ahead * order::strip);
    T total = ordered_total<op>(in + s * order::strip);
    std::size_t bit = 0;
    for (; (s >> bit & 1) != 0; ++bit) total = cumulo::combine(op, pending[bit], total);
    pending[bit] = total;
  }
  return pending[static_cast<std::size_t>(std::countr_zero(strips))];
}

// In any order, for integers and for min and max: from four places at once, so that memory has more
// to do.
template <Operator op, class T>
T unordered_block_total(const T* in, std::size_t strips) {
  using L = Lanes<T>;
  const std::size_t quarter = strips * order::strip / 4;
  typename L::V total[4];
  for (auto& t : total) t = hn::Set(L::d, absent<T>(op));
  for (std::size_t at = 0; at < quarter; at += L::count) {
    for (std::size_t k = 0; k < 4; ++k) {
      total[k] = combine<op>(total[k], hn::LoadU(L::d, in + at + k * quarter));
    }
  }
  const auto all = combine<op>(combine<op>(total[0], total[1]), combine<op>(total[2], total[3]));
  return hn::GetLane(lane_tree<op, 0, T>(all));
}

template <Operator op, class T>
T total_of_block(const T* in, std::size_t strips) {
  if constexpr (std::is_integral_v<T> || op == Operator::min || op == Operator::max) {
    return unordered_block_total<op>(in, strips);
  } else {
    return ordered_block_total<op>(in, strips);
  }
}

template <class T>
BlockTotal<T> block_total_for(Operator op) {
  if (op == Operator::min) return total_of_block<Operator::min, T>;
  if (op == Operator::max) return total_of_block<Operator::max, T>;
  if constexpr (std::is_unsigned_v<T>) {
    if (op == Operator::add_saturated) return total_of_block<Operator::add_saturated, T>;
    if (op == Operator::bit_and) return total_of_block<Operator::bit_and, T>;
    if (op == Operator::bit_or) return total_of_block<Operator::bit_or, T>;
    if (op == Operator::bit_xor) return total_of_block<Operator::bit_xor, T>;
  }
  if constexpr (std::is_unsigned_v<T> || std::is_floating_point_v<T>) {
    return op == Operator::mul ? total_of_block<Operator::mul, T>
                               : total_of_block<Operator::add, T>;
  }
  return nullptr;
}

BlockTotal<std::uint32_t> block_total_u32(Operator op) {
  return block_total_for<std::uint32_t>(op);
}
BlockTotal<std::int32_t> block_total_i32(Operator op) { return block_total_for<std::int32_t>(op); }
BlockTotal<float> block_total_f32(Operator op) { return block_total_for<float>(op); }
BlockTotal<std::uint64_t> block_total_u64(Operator op) {
  return block_total_for<std::uint64_t>(op);
}
BlockTotal<std::int64_t> block_total_i64(Operator op) { return block_total_for<std::int64_t>(op); }
BlockTotal<double> block_total_f64(Operator op) { return block_total_for<double>(op); }

}  // namespace cumulo::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cumulo::cpu {

HWY_EXPORT(block_total_u32);
HWY_EXPORT(block_total_i32);
HWY_EXPORT(block_total_f32);
HWY_EXPORT(block_total_u64);
HWY_EXPORT(block_total_i64);
HWY_EXPORT(block_total_f64);

template <>
BlockTotal<std::uint32_t> block_total<std::uint32_t>(Operator op) {
  return HWY_DYNAMIC_DISPATCH(block_total_u32)(op);
}
template <>
BlockTotal<std::int32_t> block_total<std::int32_t>(Operator op) {
  return HWY_DYNAMIC_DISPATCH(block_total_i32)(op);
}
template <>
BlockTotal<float> block_total<float>(Operator op) {
  return HWY_DYNAMIC_DISPATCH(block_total_f32)(op);
}
template <>
BlockTotal<std::uint64_t> block_total<std::uint64_t>(Operator op) {
  return HWY_DYNAMIC_DISPATCH(block_total_u64)(op);
}
template <>
BlockTotal<std::int64_t> block_total<std::int64_t>(Operator op) {
  return HWY_DYNAMIC_DISPATCH(block_total_i64)(op);
}
template <>
BlockTotal<double> block_total<double>(Operator op) {
  return HWY_DYNAMIC_DISPATCH(block_total_f64)(op);
}

}  // namespace cumulo::cpu
#endif
