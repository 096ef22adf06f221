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

template <Operator op, class T>
void strip_totals(const T* in, std::size_t strips, T* totals) {
  using L = Lanes<T>;
  // A vector of group totals stands for `piece` elements.
  constexpr std::size_t piece = order::quad * L::count * L::count;
  constexpr std::size_t pieces = order::strip / piece;
  for (std::size_t s = 0; s < strips; ++s) {
    T total[pieces];
    for (std::size_t i = 0; i < pieces; ++i) {
      const auto groups = merged_totals<op, L::bits>(in + s * order::strip + i * piece);
      total[i] = hn::GetLane(lane_tree<op, 0, T>(groups));
    }
    for (std::size_t size = 1; size < pieces; size *= 2) {
      for (std::size_t i = 0; i < pieces; i += 2 * size) {
        total[i] = cumulo::combine(op, total[i], total[i + size]);
      }
    }
    totals[s] = total[0];
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

// Scans one row of a strip and returns the row's own total in every lane. `base` is what stands
// before the strip, `before_row` what stands before the row in it; every lane holds them.
template <Operator op, class T, class V>
HWY_INLINE V scan_row(const T* in, T* out, V base, V before_row, ScanKind kind) {
  using L = Lanes<T>;
  constexpr std::size_t groups = order::quads_per_row / L::count;
  constexpr std::size_t group = order::quad * L::count;
  V p[groups][order::quad];  // prefixes inside the quads
  V prefix[groups];          // Sklansky's inclusive prefixes of the quad totals
  for (std::size_t g = 0; g < groups; ++g) {
    L::load_group(in + g * group, p[g][0], p[g][1], p[g][2], p[g][3]);
    p[g][1] = combine<op>(p[g][0], p[g][1]);
    p[g][2] = combine<op>(p[g][1], p[g][2]);
    p[g][3] = combine<op>(p[g][2], p[g][3]);
    prefix[g] = lane_prefixes<op, 0, T>(p[g][3]);
  }
  for (std::size_t half = 1; half < groups; half *= 2) {
    for (std::size_t block = half; block < groups; block += 2 * half) {
      const V lower = L::last_quad(prefix[block - 1]);
      for (std::size_t g = block; g < block + half; ++g) prefix[g] = combine<op>(lower, prefix[g]);
    }
  }
  V last = hn::Set(L::d, absent<T>(op));
  for (std::size_t g = 0; g < groups; ++g) {
    const V c = combine<op>(before_row, L::if_first(last, L::quad_before(prefix[g])));
    last = L::last_quad(prefix[g]);
    const V q0 = combine<op>(base, combine<op>(c, p[g][0]));
    const V q1 = combine<op>(base, combine<op>(c, p[g][1]));
    const V q2 = combine<op>(base, combine<op>(c, p[g][2]));
    if (kind == ScanKind::inclusive) {
      L::store_group(q0, q1, q2, combine<op>(base, combine<op>(c, p[g][3])), out + g * group);
    } else {
      L::store_group(combine<op>(base, c), q0, q1, q2, out + g * group);
    }
  }
  return last;
}

template <Operator op, class T>
void scan_strip(const T* in, T* out, T base, ScanKind kind) {
  using L = Lanes<T>;
  const auto start = hn::Set(L::d, base);
  // The rows done so far, as a binary counter of aligned blocks: block[b] holds the total of 2^b
  // rows for each bit b that is set in their number.
  typename L::V block[3];
  for (std::size_t r = 0; r < order::rows_per_strip; ++r) {
    // Sklansky's prefix: those blocks, the largest first, folded from the right.
    auto before = hn::Set(L::d, absent<T>(op));
    bool empty = true;
    for (std::size_t b = 0; b < 3; ++b) {
      if ((r >> b & 1) == 0) continue;
      before = empty ? block[b] : combine<op>(block[b], before);
      empty = false;
    }
    auto total = scan_row<op>(in + r * order::row, out + r * order::row, start, before, kind);
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
  return {strip_totals<op, T>, scan_strip<op, T>};
}

}  // namespace cumulo::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
