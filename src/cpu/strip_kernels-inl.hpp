// The strip kernels, for one vector target; included once for each by foreach_target.h.
#if defined(CUMULO_CPU_STRIP_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CUMULO_CPU_STRIP_KERNELS_INL
#undef CUMULO_CPU_STRIP_KERNELS_INL
#else
#define CUMULO_CPU_STRIP_KERNELS_INL
#endif

#include <cstddef>
#include <type_traits>

#include "cpu/combine-inl.hpp"
#include "cpu/lanes-inl.hpp"
#include "cpu/quad_prefixes.hpp"
#include "cpu/strip_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace cumulo::cpu::HWY_NAMESPACE {

// The quads of a row, a quad in each lane of each of its groups.
template <class T>
struct RowOfQuads {
  using V = typename Lanes<T>::V;
  static constexpr std::size_t group = order::quad * Lanes<T>::count;
  static constexpr std::size_t groups = order::row / group;

  V before[groups];  // what stands before the quad in the row
  V total;           // of the row, in every lane
};

template <Operator op, class V>
HWY_INLINE V fold(V v0, V v1, V v2, V v3) {
  return combine<op>(combine<op>(combine<op>(v0, v1), v2), v3);
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

// Sklansky's inclusive prefixes over the blocks, lane by lane.
template <Operator op, class T, int bit = 0, class V>
HWY_INLINE V block_prefixes(V v) {
  using B = Blocks<T>;
  if constexpr (std::size_t{1} << bit == B::count) {
    return v;
  } else {
    const V lower = B::template last_of_lower_half<bit>(v);
    return block_prefixes<op, T, bit + 1>(B::template if_block_bit<bit>(combine<op>(lower, v), v));
  }
}

// Sklansky's levels over `groups` groups: q[g] holds inclusive prefixes inside group g, and `last`
// gives every lane the last one of a group. By recursion, as compilers do not unroll the loops.
template <Operator op, std::size_t groups, class V, class Last>
HWY_INLINE void group_prefixes(V* q, const Last& last) {
  if constexpr (groups > 1) {
    constexpr std::size_t half = groups / 2;
    group_prefixes<op, half>(q, last);
    group_prefixes<op, half>(q + half, last);
    const V lower = last(q[half - 1]);
    for (std::size_t g = half; g < groups; ++g) q[g] = combine<op>(lower, q[g]);
  }
}

template <Operator op, class T>
HWY_INLINE RowOfQuads<T> row_of_quads_in_order(const T* in) {
  using L = Lanes<T>;
  using R = RowOfQuads<T>;
  using V = typename L::V;
  V q[R::groups];
  for (std::size_t g = 0; g < R::groups; ++g) {
    V v0, v1, v2, v3;
    L::load_group(in + g * R::group, v0, v1, v2, v3);
    q[g] = lane_prefixes<op, 0, T>(fold<op>(v0, v1, v2, v3));
  }
  group_prefixes<op, R::groups>(q, L::last_quad);
  R row;
  V last = hn::Set(L::d, absent<T>(op));
  for (std::size_t g = 0; g < R::groups; ++g) {
    row.before[g] = L::if_first(last, L::quad_before(q[g]));
    last = L::last_quad(q[g]);
  }
  row.total = last;
  return row;
}

// As row_of_quads_in_order. Groups of vectors that lie a quarter of the row apart have most levels
// combine whole vectors, or whole blocks of 128 bits: quad = block + blocks * (g + groups * lane).
template <Operator op, class T>
HWY_INLINE RowOfQuads<T> row_of_quads_by_blocks(const T* in) {
  using L = Lanes<T>;
  using R = RowOfQuads<T>;
  using B = Blocks<T>;
  using V = typename L::V;
  V q[R::groups];
  for (std::size_t g = 0; g < R::groups; ++g) {
    V v0, v1, v2, v3;
    B::load_group(in + g * L::count, R::groups * L::count, v0, v1, v2, v3);
    q[g] = block_prefixes<op, T>(fold<op>(v0, v1, v2, v3));
  }
  group_prefixes<op, R::groups>(q, B::last_block);
  V& last = q[R::groups - 1];
  const V first_pairs = hn::DupEven(B::last_block(last));
  for (V& v : q) v = B::if_lane_bit_0(combine<op>(first_pairs, v), v);
  const V first_half = hn::Broadcast<1>(B::last_block(last));
  for (V& v : q) v = B::if_lane_bit_1(combine<op>(first_half, v), v);
  R row;
  row.total = hn::Broadcast<3>(B::last_block(last));
  V before = B::template lanes_before<1, absent<T>(op)>(last);
  for (std::size_t g = 0; g < R::groups; ++g) {
    row.before[g] = B::block_before(q[g], before);
    before = q[g];
  }
  return row;
}

// Of the quads whose totals are the lanes of v; integers in any order.
template <class T>
struct GroupOfQuads {
  typename Lanes<T>::V before;  // what stands before the quad in the group
  typename Lanes<T>::V total;   // of the group, in every lane
};

template <Operator op, class T, class V>
HWY_INLINE GroupOfQuads<T> group_of_quads(V v) {
  using L = Lanes<T>;
  if constexpr (L::blockwise) {
    using B = Blocks<T>;
    constexpr T none = absent<T>(op);
    v = block_prefixes<op, T>(v);
    V pairs = B::last_block(v);  // of what stands in the same lane of each block
    pairs = combine<op>(B::template lanes_before<1, none>(pairs), pairs);
    pairs = combine<op>(B::template lanes_before<2, none>(pairs), pairs);
    const V in_lane = B::block_before(v, hn::Set(L::d, none));
    return {combine<op>(B::template lanes_before<1, none>(pairs), in_lane),
            hn::Broadcast<3>(pairs)};
  } else {
    const V prefixes = lane_prefixes<op, 0, T>(v);
    return {L::if_first(hn::Set(L::d, absent<T>(op)), L::quad_before(prefixes)),
            L::last_quad(prefixes)};
  }
}

// The first pass over a strip, row by row. Of integers it leaves the total alone: as any order
// gives the same, the second pass finds what stands before a quad on its way.
template <Operator op, class T>
class FirstPass {
  using L = Lanes<T>;
  using R = RowOfQuads<T>;
  using V = typename L::V;
  static constexpr std::size_t rows = order::rows_per_strip;

 public:
  HWY_INLINE FirstPass() {
    for (V& sum : sums_) sum = hn::Set(L::d, absent<T>(op));
  }
  HWY_INLINE void row(std::size_t r, const T* in, QuadPrefixes<T>& before) {
    if constexpr (std::is_integral_v<T>) {
      for (std::size_t at = 0; at < order::row; at += 4 * L::count) {
        for (std::size_t k = 0; k < 4; ++k) {
          sums_[k] = combine<op>(sums_[k], hn::LoadU(L::d, in + at + k * L::count));
        }
      }
    } else {
      R row;
      if constexpr (L::blockwise) {
        row = row_of_quads_by_blocks<op>(in);
        Blocks<T>::order_groups(row.before);
      } else {
        row = row_of_quads_in_order<op>(in);
      }
      T* const to = before.quads + r * order::quads_per_row;
      for (std::size_t g = 0; g < R::groups; ++g) {
        hn::StoreU(row.before[g], L::d, to + g * L::count);
      }
      sums_[r] = row.total;
    }
  }
  // After all rows; returns the strip's total.
  HWY_INLINE T finish(QuadPrefixes<T>& before) {
    if constexpr (std::is_integral_v<T>) {
      const V sum = fold<op>(sums_[0], sums_[1], sums_[2], sums_[3]);
      return hn::GetLane(group_of_quads<op, T>(sum).total);
    } else {
      group_prefixes<op, rows>(sums_, [](V sum) { return sum; });
      before.rows[0] = absent<T>(op);
      for (std::size_t r = 1; r < rows; ++r) before.rows[r] = hn::GetLane(sums_[r - 1]);
      return hn::GetLane(sums_[rows - 1]);
    }
  }

 private:
  // Of integers: of every fourth vector. Of floats: of the rows, in every lane.
  V sums_[std::is_integral_v<T> ? 4 : rows];
};

template <Operator op, class T>
T prefix_strip(const T* in, QuadPrefixes<T>& before) {
  FirstPass<op, T> pass;
  for (std::size_t r = 0; r < order::rows_per_strip; ++r) {
    pass.row(r, in + r * order::row, before);
  }
  return pass.finish(before);
}

HWY_INLINE void prefetch(const void* from, std::size_t bytes) {
  constexpr std::size_t line = 64;
  constexpr int second_level = 2;
  const char* const lines = static_cast<const char*>(from);
  for (std::size_t at = 0; at < bytes; at += line) __builtin_prefetch(lines + at, 0, second_level);
}

template <Operator op, Stores stores, class T>
T scan_strip(const T* in, QuadPrefixes<T>& before, T* out, T base, ScanKind kind, const T* next,
             const T* ahead) {
  using L = Lanes<T>;
  using V = typename L::V;
  constexpr std::size_t group = order::quad * L::count;
  const T* const fetched = ahead == nullptr ? in : ahead;  // it is here, and costs no branch
  FirstPass<op, T> next_pass;
  const V start = hn::Set(L::d, base);
  V before_group = start;  // of integers, from the base on
  const auto from_base = [&](V in_strip) {
    if constexpr (std::is_integral_v<T>) return in_strip;
    return combine<op>(start, in_strip);
  };
  for (std::size_t r = 0; r < order::rows_per_strip; ++r) {
    const V before_row = hn::Set(L::d, before.rows[r]);
    for (std::size_t first = r * order::row; first < (r + 1) * order::row; first += group) {
      V v0, v1, v2, v3;
      L::load_group(in + first, v0, v1, v2, v3);
      prefetch(fetched + first, group * sizeof(T));
      v1 = combine<op>(v0, v1);
      v2 = combine<op>(v1, v2);
      v3 = combine<op>(v2, v3);
      V c;
      if constexpr (std::is_integral_v<T>) {
        const GroupOfQuads<T> quads = group_of_quads<op, T>(v3);
        c = combine<op>(before_group, quads.before);
        before_group = combine<op>(before_group, quads.total);
      } else {
        c = combine<op>(before_row, hn::LoadU(L::d, before.quads + first / order::quad));
      }
      const V q0 = from_base(combine<op>(c, v0));
      const V q1 = from_base(combine<op>(c, v1));
      const V q2 = from_base(combine<op>(c, v2));
      if (kind == ScanKind::inclusive) {
        L::template store_group<stores>(q0, q1, q2, from_base(combine<op>(c, v3)), out + first);
      } else {
        L::template store_group<stores>(from_base(c), q0, q1, q2, out + first);
      }
    }
    if (next != nullptr) next_pass.row(r, next + r * order::row, before);
  }
  return next == nullptr ? absent<T>(op) : next_pass.finish(before);
}

template <Operator op, class T>
constexpr StripKernels<T> kernels_for() {
  return {prefix_strip<op, T>, scan_strip<op, Stores::cached, T>,
          scan_strip<op, Stores::streaming, T>};
}

}  // namespace cumulo::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
