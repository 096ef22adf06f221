#include "cpu/select_kernels.hpp"

#include "cpu/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/select_kernels.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <bit>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace cumulo::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t word_bits = 64;

template <class D, class M>
HWY_INLINE std::uint64_t bits_of(D d, M mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

// The word whose bits are test(d, k) for the lanes from element k on.
template <class T, class Test>
HWY_INLINE std::uint64_t word_of(Test&& test) {
  const hn::CappedTag<T, word_bits> d;
  const std::size_t lanes = hn::Lanes(d);
  std::uint64_t word = 0;
  for (std::size_t k = 0; k < word_bits; k += lanes) word |= bits_of(d, test(d, k)) << k;
  return word;
}

template <class T>
HWY_INLINE void nonzero(const T* flags, std::size_t words, std::uint64_t* bits) {
  for (std::size_t w = 0; w < words; ++w, flags += word_bits) {
    bits[w] = word_of<T>([flags](auto d, std::size_t k)
                             HWY_ATTR { return hn::Ne(hn::LoadU(d, flags + k), hn::Zero(d)); });
  }
}

void bits_of_bytes(const std::uint8_t* flags, std::size_t words, std::uint64_t* bits) {
  nonzero(flags, words, bits);
}
void bits_of_words(const std::uint32_t* flags, std::size_t words, std::uint64_t* bits) {
  nonzero(flags, words, bits);
}

template <class T>
HWY_INLINE void heads(const std::byte* elements, std::size_t words, std::uint64_t* bits) {
  const T* x = reinterpret_cast<const T*>(elements);
  for (std::size_t w = 0; w < words; ++w, x += word_bits) {
    bits[w] = word_of<T>([x](auto d, std::size_t k) HWY_ATTR {
      return hn::Ne(hn::LoadU(d, x + k), hn::LoadU(d, x + k - 1));
    });
  }
}

void heads_4(const std::byte* elements, std::size_t words, std::uint64_t* bits) {
  heads<std::uint32_t>(elements, words, bits);
}
void heads_8(const std::byte* elements, std::size_t words, std::uint64_t* bits) {
  heads<std::uint64_t>(elements, words, bits);
}

std::size_t count_bits(const std::uint64_t* bits, std::size_t words) {
  std::size_t count = 0;
  for (std::size_t w = 0; w < words; ++w) count += static_cast<std::size_t>(std::popcount(bits[w]));
  return count;
}

// load(d, k) gives the lanes from element k on.
template <class T, class Load>
HWY_INLINE std::size_t compact(const std::uint64_t* bits, std::size_t words, T* out,
                               std::size_t room, Load&& load) {
  const hn::CappedTag<T, word_bits> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::uint64_t all_lanes = lanes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1;
  const T* const begin = out;
  const T* const end = out + room;
  for (std::size_t w = 0; w < words; ++w) {
    std::uint64_t word = bits[w];
    if (word == 0) continue;
    for (std::size_t k = 0; k < word_bits; k += lanes, word >>= lanes) {
      const std::uint64_t chosen = word & all_lanes;
      if (chosen == 0) continue;
      const std::size_t kept = static_cast<std::size_t>(std::popcount(chosen));
      const auto values = load(d, w * word_bits + k);
      std::uint8_t bytes[8];
      std::memcpy(bytes, &chosen, sizeof bytes);
      // A processor's own compressing store is slow on some: compressed in a register, stored whole
      // where the lanes behind have not been written yet.
      const auto packed = hn::Compress(values, hn::LoadMaskBits(d, bytes));
      if (static_cast<std::size_t>(end - out) >= lanes) {
        hn::StoreU(packed, d, out);
      } else {
        HWY_ALIGN T lane[HWY_MAX_BYTES / sizeof(T)];
        hn::Store(packed, d, lane);
        std::memcpy(out, lane, kept * sizeof(T));
      }
      out += kept;
    }
  }
  return static_cast<std::size_t>(out - begin);
}

template <class T>
HWY_INLINE std::size_t compact_elements(const std::byte* elements, const std::uint64_t* bits,
                                        std::size_t words, std::byte* out, std::size_t room) {
  const T* const x = reinterpret_cast<const T*>(elements);
  return compact(bits, words, reinterpret_cast<T*>(out), room,
                 [x](auto d, std::size_t k) HWY_ATTR { return hn::LoadU(d, x + k); });
}

std::size_t compact_4(const std::byte* elements, const std::uint64_t* bits, std::size_t words,
                      std::byte* out, std::size_t room) {
  return compact_elements<std::uint32_t>(elements, bits, words, out, room);
}
std::size_t compact_8(const std::byte* elements, const std::uint64_t* bits, std::size_t words,
                      std::byte* out, std::size_t room) {
  return compact_elements<std::uint64_t>(elements, bits, words, out, room);
}

std::size_t compact_indices(std::uint32_t first, const std::uint64_t* bits, std::size_t words,
                            std::byte* out, std::size_t room) {
  return compact(bits, words, reinterpret_cast<std::uint32_t*>(out), room,
                 [first](auto d, std::size_t k)
                     HWY_ATTR { return hn::Iota(d, first + static_cast<std::uint32_t>(k)); });
}

SelectKernels all_kernels() {
  return {bits_of_bytes, bits_of_words, heads_4,   heads_8,
          count_bits,    compact_4,     compact_8, compact_indices};
}

}  // namespace cumulo::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cumulo::cpu {

HWY_EXPORT(all_kernels);

SelectKernels select_kernels() { return HWY_DYNAMIC_DISPATCH(all_kernels)(); }

}  // namespace cumulo::cpu
#endif
