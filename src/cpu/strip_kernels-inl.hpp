// The strip kernels, for one vector target; included once for each by foreach_target.h.
#if defined(CUMULO_CPU_STRIP_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CUMULO_CPU_STRIP_KERNELS_INL
#undef CUMULO_CPU_STRIP_KERNELS_INL
#else
#define CUMULO_CPU_STRIP_KERNELS_INL
#endif

#include <cstddef>
#include <type_traits>

#include "cpu/lanes-inl.hpp"
#include "cpu/strip_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace cumulo::cpu::HWY_NAMESPACE {

template <Operator op, class V>
HWY_INLINE V combine(V older, V newer) {
  using T = hn::TFromV<V>;
  if constexpr (op == Operator::add) {
    return hn::Add(older, newer);
  } else if constexpr (op == Operator::mul && sizeof(T) == 8 && HWY_TARGET == HWY_SCALAR) {
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
    // Processors' own min and max lose NaN, and which zero is the older.
    const auto ahead = op == Operator::min ? hn::Lt(newer, older) : hn::Lt(older, newer);
    return hn::IfThenElse(hn::Or(ahead, hn::IsNaN(newer)), newer, older);
  }
}

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

// The order of order.hpp, for floats.
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

// Of whole strips in any order, for integers: it makes no difference to them.
template <Operator op, class T>
HWY_INLINE T unordered_total(const T* in, std::size_t elements) {
  using L = Lanes<T>;
  typename L::V total[4];
  for (std::size_t k = 0; k < 4; ++k) total[k] = hn::LoadU(L::d, in + k * L::count);
  for (std::size_t at = 4 * L::count; at < elements; at += 4 * L::count) {
    for (std::size_t k = 0; k < 4; ++k) {
      total[k] = combine<op>(total[k], hn::LoadU(L::d, in + at + k * L::count));
    }
  }
  const auto all = combine<op>(combine<op>(total[0], total[1]), combine<op>(total[2], total[3]));
  return hn::GetLane(lane_tree<op, 0, T>(all));
}

template <Operator op, class T>
void strip_totals(const T* in, std::size_t strips, T* totals) {
  for (std::size_t s = 0; s < strips; ++s) {
    const T* const strip = in + s * order::strip;
    if constexpr (std::is_integral_v<T>) {
      totals[s] = unordered_total<op>(strip, order::strip);
    } else {
      totals[s] = ordered_total<op>(strip);
    }
  }
}

// Sklansky's inclusive prefixes over the lanes.
template <Operator op, int bit, class T>
HWY_INLINE hn::Vec<hn::ScalableTag<T>> lane_prefixes(hn::Vec<hn::ScalableTag<T>> v) {
  using L = Lanes<T>;
  if constexpr (bit == L::bits) {
    return v;
  } else {
    const auto lower = L::template last_of_lower_half<bit>(v);
    return lane_prefixes<op, bit + 1, T>(L::template if_bit<bit>(combine<op>(lower, v), v));
  }
}

HWY_INLINE void prefetch(const void* from, std::size_t bytes) {
  constexpr std::size_t line = 64;
  constexpr int second_level = 2;
  const char* const lines = static_cast<const char*>(from);
  for (std::size_t at = 0; at < bytes; at += line) __builtin_prefetch(lines + at, 0, second_level);
}

// A row of a strip, before it is known what stands before it.
template <class T>
struct Row {
  static constexpr std::size_t group = order::quad * Lanes<T>::count;
  static constexpr std::size_t groups = order::row / group;

  typename Lanes<T>::V in_quads[groups][order::quad];  // prefixes inside the quads
  typename Lanes<T>::V quads[groups];  // Sklansky's inclusive prefixes of the quad totals
};

template <Operator op, class T>
HWY_INLINE Row<T> begin_row(const T* in, const T* ahead) {
  using L = Lanes<T>;
  using R = Row<T>;
  R row;
  for (std::size_t g = 0; g < R::groups; ++g) {
    auto& p = row.in_quads[g];
    L::load_group(in + g * R::group, p[0], p[1], p[2], p[3]);
    if (ahead != nullptr) prefetch(ahead + g * R::group, R::group * sizeof(T));
    p[1] = combine<op>(p[0], p[1]);
    p[2] = combine<op>(p[1], p[2]);
    p[3] = combine<op>(p[2], p[3]);
    row.quads[g] = lane_prefixes<op, 0, T>(p[3]);
  }
  for (std::size_t half = 1; half < R::groups; half *= 2) {
    for (std::size_t block = half; block < R::groups; block += 2 * half) {
      const auto lower = L::last_quad(row.quads[block - 1]);
      for (std::size_t g = block; g < block + half; ++g) {
        row.quads[g] = combine<op>(lower, row.quads[g]);
      }
    }
  }
  return row;
}

// Writes a row's results and returns its own total in every lane. `base` is what stands before the
// strip, `before_row` what stands before the row in it; every lane holds them.
template <Operator op, Stores stores, class T, class V>
HWY_INLINE V finish_row(const Row<T>& row, T* out, V base, V before_row, ScanKind kind) {
  using L = Lanes<T>;
  using R = Row<T>;
  // Integers give the same in any order: one combine instead of one an element.
  if constexpr (std::is_integral_v<T>) before_row = combine<op>(base, before_row);
  const auto from_base = [&](V in_strip) {
    if constexpr (std::is_integral_v<T>) return in_strip;
    return combine<op>(base, in_strip);
  };
  V last = hn::Set(L::d, absent<T>(op));
  for (std::size_t g = 0; g < R::groups; ++g) {
    const auto& p = row.in_quads[g];
    const V c = combine<op>(before_row, L::if_first(last, L::quad_before(row.quads[g])));
    last = L::last_quad(row.quads[g]);
    const V q0 = from_base(combine<op>(c, p[0]));
    const V q1 = from_base(combine<op>(c, p[1]));
    const V q2 = from_base(combine<op>(c, p[2]));
    T* const to = out + g * R::group;
    if (kind == ScanKind::inclusive) {
      L::template store_group<stores>(q0, q1, q2, from_base(combine<op>(c, p[3])), to);
    } else {
      L::template store_group<stores>(from_base(c), q0, q1, q2, to);
    }
  }
  return last;
}

template <Operator op, Stores stores, class T>
void scan_strip(const T* in, T* out, T base, ScanKind kind, const T* ahead) {
  using L = Lanes<T>;
  const auto start = hn::Set(L::d, base);
  const auto begin = [&](std::size_t r) {
    const std::size_t at = r * order::row;
    return begin_row<op>(in + at, ahead == nullptr ? nullptr : ahead + at);
  };
  // The rows done so far, as a binary counter of aligned blocks: block[b] holds the total of 2^b
  // rows for each bit b that is set in their number.
  typename L::V block[3];
  // A row's steps wait for one another. Those of the next row fill the gaps, where the processor
  // has registers for two rows.
  constexpr bool overlaps = Row<T>::groups <= 2;
  Row<T> next = begin(0);
  for (std::size_t r = 0; r < order::rows_per_strip; ++r) {
    const Row<T> row = overlaps || r == 0 ? next : begin(r);
    if (overlaps && r + 1 < order::rows_per_strip) next = begin(r + 1);
    // Sklansky's prefix: those blocks, the largest first, folded from the right.
    auto before = hn::Set(L::d, absent<T>(op));
    bool empty = true;
    for (std::size_t b = 0; b < 3; ++b) {
      if ((r >> b & 1) == 0) continue;
      before = empty ? block[b] : combine<op>(block[b], before);
      empty = false;
    }
    auto total = finish_row<op, stores>(row, out + r * order::row, start, before, kind);
    for (std::size_t b = 0; b < 3; ++b) {
      if ((r >> b & 1) == 0) {
        block[b] = total;
        break;
      }
      total = combine<op>(block[b], total);
    }
  }
}

template <Operator op, class T>
constexpr StripKernels<T> kernels_for() {
  return {strip_totals<op, T>, scan_strip<op, Stores::cached, T>,
          scan_strip<op, Stores::streaming, T>};
}

}  // namespace cumulo::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
