// Groups of quads in vectors, for one vector target; included once for each by foreach_target.h.
#if defined(CUMULO_CPU_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CUMULO_CPU_LANES_INL
#undef CUMULO_CPU_LANES_INL
#else
#define CUMULO_CPU_LANES_INL
#endif

#include <hwy/highway.h>

#include <array>
#include <bit>
#include <cstddef>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace cumulo::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

enum class Stores { cached, streaming };  // streaming: past the caches, to whole aligned vectors

template <class T>
struct Blocks;

// A group is 4 vectors that hold as many quads as a vector has lanes. Transposed, vector j holds
// element j of every quad, so that a scan inside the quads is 3 combines of whole vectors.
template <class T>
struct Lanes {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr D d{};
  static constexpr std::size_t count = HWY_LANES(T);
  static constexpr int bits = std::countr_zero(count);

  // 32-bit lanes are transposed inside each block of 128 bits: cheap, but the quads then lie in an
  // order of their own. Other lanes hold the quads in their order.
  static constexpr bool blockwise = sizeof(T) == 4 && count >= 4;

  static constexpr std::size_t quad_of(std::size_t lane) {
    return blockwise ? lane % 4 * (count / 4) + lane / 4 : lane;
  }
  static constexpr std::size_t lane_of(std::size_t quad) {
    return blockwise ? quad % (count / 4) * 4 + quad / (count / 4) : quad;
  }

  // What a lane reads from in a permutation, as a function of the lane's quad.
  using Index = hwy::MakeSigned<T>;
  template <class SourceOf>
  static constexpr std::array<Index, count> table(SourceOf source_of) {
    std::array<Index, count> lanes{};
    for (std::size_t lane = 0; lane < count; ++lane) {
      lanes[lane] = static_cast<Index>(lane_of(source_of(quad_of(lane)) % count));
    }
    return lanes;
  }
  static HWY_INLINE V permute(V v, const std::array<Index, count>& lanes) {
    if constexpr (count == 1) return v;
    return hn::TableLookupLanes(v, hn::SetTableIndices(d, lanes.data()));
  }

  // Every lane gets the last quad of the lower half of its aligned block of 2^(bit + 1) quads.
  template <int bit>
  static HWY_INLINE V last_of_lower_half(V v) {
    static constexpr auto lanes =
        table([](std::size_t quad) { return (quad >> (bit + 1) << (bit + 1)) + (1u << bit) - 1; });
    return permute(v, lanes);
  }
  // Every lane gets the quad whose number differs in `bit`.
  template <int bit>
  static HWY_INLINE V partner(V v) {
    static constexpr auto lanes = table([](std::size_t quad) { return quad ^ (1u << bit); });
    return permute(v, lanes);
  }
  // Every lane gets the quad before; the first gets the last.
  static HWY_INLINE V quad_before(V v) {
    static constexpr auto lanes = table([](std::size_t quad) { return quad + count - 1; });
    return permute(v, lanes);
  }
  // Every lane gets the last quad.
  static HWY_INLINE V last_quad(V v) {
    static constexpr auto lanes = table([](std::size_t) { return count - 1; });
    return permute(v, lanes);
  }

  // `yes` in the lanes whose quad's number has `bit` set, else `no`.
  template <int bit>
  static HWY_INLINE V if_bit(V yes, V no) {
    static constexpr auto ones = flags([](std::size_t quad) { return (quad >> bit & 1) != 0; });
    return select(ones, yes, no);
  }
  static HWY_INLINE V if_first(V yes, V no) {
    static constexpr auto ones = flags([](std::size_t quad) { return quad == 0; });
    return select(ones, yes, no);
  }

#if HWY_TARGET == HWY_SCALAR
  static HWY_INLINE void load_group(const T* in, V& v0, V& v1, V& v2, V& v3) {
    v0 = hn::LoadU(d, in);
    v1 = hn::LoadU(d, in + 1);
    v2 = hn::LoadU(d, in + 2);
    v3 = hn::LoadU(d, in + 3);
  }
  template <Stores>
  static HWY_INLINE void store_group(V v0, V v1, V v2, V v3, T* out) {
    hn::StoreU(v0, d, out);
    hn::StoreU(v1, d, out + 1);
    hn::StoreU(v2, d, out + 2);
    hn::StoreU(v3, d, out + 3);
  }
#else
  static HWY_INLINE void load_group(const T* in, V& v0, V& v1, V& v2, V& v3) {
    if constexpr (blockwise) {
      v0 = hn::LoadU(d, in);
      v1 = hn::LoadU(d, in + count);
      v2 = hn::LoadU(d, in + 2 * count);
      v3 = hn::LoadU(d, in + 3 * count);
      transpose_blocks(v0, v1, v2, v3);
    } else {
      hn::LoadInterleaved4(d, in, v0, v1, v2, v3);
    }
  }
  template <Stores stores>
  static HWY_INLINE void store_group(V v0, V v1, V v2, V v3, T* out) {
    if constexpr (blockwise) {
      transpose_blocks(v0, v1, v2, v3);
      store<stores>(v0, out);
      store<stores>(v1, out + count);
      store<stores>(v2, out + 2 * count);
      store<stores>(v3, out + 3 * count);
    } else if constexpr (stores == Stores::streaming) {
      alignas(64) T group[4 * count];
      hn::StoreInterleaved4(v0, v1, v2, v3, d, group);
      for (std::size_t i = 0; i < 4; ++i)
        store<stores>(hn::Load(d, group + i * count), out + i * count);
    } else {
      hn::StoreInterleaved4(v0, v1, v2, v3, d, out);
    }
  }
#endif

 private:
  template <class Test>
  static constexpr std::array<Index, count> flags(Test test) {
    std::array<Index, count> lanes{};
    for (std::size_t lane = 0; lane < count; ++lane) lanes[lane] = test(quad_of(lane)) ? -1 : 0;
    return lanes;
  }
  static HWY_INLINE V select(const std::array<Index, count>& ones, V yes, V no) {
    const hn::Rebind<Index, D> di;
    return hn::IfThenElse(hn::MaskFromVec(hn::BitCast(d, hn::LoadU(di, ones.data()))), yes, no);
  }

#if HWY_TARGET != HWY_SCALAR
  friend struct Blocks<T>;

  template <Stores stores>
  static HWY_INLINE void store(V v, T* out) {
    if constexpr (stores == Stores::streaming) {
      hn::Stream(v, d, out);
    } else {
      hn::StoreU(v, d, out);
    }
  }

  // Transposes the 4 x 4 elements in each block of 128 bits; its own inverse.
  static HWY_INLINE void transpose_blocks(V& v0, V& v1, V& v2, V& v3) {
    const hn::RepartitionToWide<D> wide;
    const auto low01 = hn::BitCast(wide, hn::InterleaveLower(d, v0, v1));
    const auto low23 = hn::BitCast(wide, hn::InterleaveLower(d, v2, v3));
    const auto high01 = hn::BitCast(wide, hn::InterleaveUpper(d, v0, v1));
    const auto high23 = hn::BitCast(wide, hn::InterleaveUpper(d, v2, v3));
    v0 = hn::BitCast(d, hn::InterleaveLower(wide, low01, low23));
    v1 = hn::BitCast(d, hn::InterleaveUpper(wide, low01, low23));
    v2 = hn::BitCast(d, hn::InterleaveLower(wide, high01, high23));
    v3 = hn::BitCast(d, hn::InterleaveUpper(wide, high01, high23));
  }
#endif
};

// Vectors of 32-bit lanes as blocks of 128 bits.
template <class T>
struct Blocks {
  using L = Lanes<T>;
  using V = typename L::V;
  static constexpr std::size_t count = L::count / 4;

#if HWY_TARGET != HWY_SCALAR
  // Of 4 vectors `apart` elements from one another.
  static HWY_INLINE void load_group(const T* in, std::size_t apart, V& v0, V& v1, V& v2, V& v3) {
    v0 = hn::LoadU(L::d, in);
    v1 = hn::LoadU(L::d, in + apart);
    v2 = hn::LoadU(L::d, in + 2 * apart);
    v3 = hn::LoadU(L::d, in + 3 * apart);
    L::transpose_blocks(v0, v1, v2, v3);
  }

  // Every block gets the last one.
  static HWY_INLINE V last_block(V v) {
    if constexpr (count == 1) return v;
    if constexpr (count == 2) return hn::ConcatUpperUpper(L::d, v, v);
    return blocks(v, [](std::size_t) { return count - 1; });
  }
  // Every block gets the last one of the lower half of its aligned 2^(bit + 1) blocks.
  template <int bit>
  static HWY_INLINE V last_of_lower_half(V v) {
    if constexpr (count == 2) return hn::ConcatLowerLower(L::d, v, v);
    return blocks(
        v, [](std::size_t block) { return (block >> (bit + 1) << (bit + 1)) + (1u << bit) - 1; });
  }
  // Every block gets the one before it; the first gets the last one of `before`.
  static HWY_INLINE V block_before(V v, V before) {
    if constexpr (count == 1) return before;
    if constexpr (count == 2) return hn::ConcatLowerUpper(L::d, v, before);
    const auto previous = [](std::size_t block) { return (block + count - 1) % count; };
    return if_lane([](std::size_t lane) { return lane < 4; }, blocks(before, previous),
                   blocks(v, previous));
  }
  // In every block each lane gets the one that is `distance`, 1 or 2, before it, the first ones
  // `first`.
  template <int distance, T first>
  static HWY_INLINE V lanes_before(V v) {
    if constexpr (std::is_integral_v<T> && first == 0) {
      return hn::ShiftLeftLanes<distance>(L::d, v);
    } else {
      const V turned = distance == 1 ? hn::Shuffle2103(v) : hn::Shuffle1032(v);
      return if_lane([](std::size_t lane) { return lane % 4 < distance; }, hn::Set(L::d, first),
                     turned);
    }
  }

  template <int bit>
  static HWY_INLINE V if_block_bit(V yes, V no) {
    return if_lane([](std::size_t lane) { return (lane / 4 >> bit & 1) != 0; }, yes, no);
  }
  static HWY_INLINE V if_lane_bit_0(V yes, V no) {
    return if_lane([](std::size_t lane) { return (lane & 1) != 0; }, yes, no);
  }
  static HWY_INLINE V if_lane_bit_1(V yes, V no) {
    return if_lane([](std::size_t lane) { return (lane & 2) != 0; }, yes, no);
  }

  // From groups of vectors that lie a quarter of a row apart to groups of adjacent ones.
  template <std::size_t groups>
  static HWY_INLINE void order_groups(V (&v)[groups]) {
    if constexpr (groups == 2) {
      const V lower = hn::InterleaveLower(L::d, v[0], v[1]);
      v[1] = hn::InterleaveUpper(L::d, v[0], v[1]);
      v[0] = lower;
    } else if constexpr (groups == 4) {
      L::transpose_blocks(v[0], v[1], v[2], v[3]);
    } else {
      static_assert(groups == 8);
      L::transpose_blocks(v[0], v[1], v[2], v[3]);
      L::transpose_blocks(v[4], v[5], v[6], v[7]);
      const V odd[4] = {v[1], v[2], v[3], v[0]};
      (void)odd;
      const V lower[4] = {v[0], v[1], v[2], v[3]};
      const V upper[4] = {v[4], v[5], v[6], v[7]};
      for (std::size_t l = 0; l < 4; ++l) {
        v[2 * l] = lower[l];
        v[2 * l + 1] = upper[l];
      }
    }
  }

 private:
  template <class SourceOf>
  static HWY_INLINE V blocks(V v, SourceOf) {
    static constexpr auto lanes = [] {
      std::array<typename L::Index, L::count> all{};
      for (std::size_t lane = 0; lane < L::count; ++lane) {
        all[lane] = static_cast<typename L::Index>(SourceOf{}(lane / 4) * 4 + lane % 4);
      }
      return all;
    }();
    return L::permute(v, lanes);
  }
  template <class Test>
  static HWY_INLINE V if_lane(Test, V yes, V no) {
    static constexpr auto ones = [] {
      std::array<typename L::Index, L::count> all{};
      for (std::size_t lane = 0; lane < L::count; ++lane) all[lane] = Test{}(lane) ? -1 : 0;
      return all;
    }();
    return L::select(ones, yes, no);
  }
#endif
};

}  // namespace cumulo::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
