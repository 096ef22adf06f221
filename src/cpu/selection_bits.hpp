// Which elements are selected, as bits.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "cpu/select.hpp"
#include "cpu/select_kernels.hpp"
#include "cpu/thread_errors.hpp"

namespace cumulo::cpu {

inline constexpr std::size_t word_bits = 64;

constexpr std::size_t words_of(std::size_t elements) {
  return (elements + word_bits - 1) / word_bits;
}

// Of a few words; many are counted by SelectionBits::count().
inline std::size_t count_bits(std::span<const std::uint64_t> bits) {
  std::size_t count = 0;
  for (const std::uint64_t word : bits) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

// f(k) for every set bit k, in order.
template <class F>
void each_bit(std::span<const std::uint64_t> bits, F&& f) {
  for (std::size_t w = 0; w < bits.size(); ++w) {
    for (std::uint64_t word = bits[w]; word != 0; word &= word - 1) {
      f(w * word_bits + static_cast<std::size_t>(std::countr_zero(word)));
    }
  }
}

// Leaves the first `most` set bits.
inline void keep_first_bits(std::span<std::uint64_t> bits, std::size_t most) {
  for (std::uint64_t& word : bits) {
    const auto here = static_cast<std::size_t>(std::popcount(word));
    if (here <= most) {
      most -= here;
      continue;
    }
    std::uint64_t rest = word;
    for (; most > 0; --most) rest &= rest - 1;
    word ^= rest;
  }
}

class SelectionBits {
 public:
  SelectionBits(const SelectionDescription& d, const SelectArrays& a) : d_(d), a_(a) {}

  // Bits of the elements from `first`, a multiple of 64, on; behind the last one zeros. With a
  // second predicate `second` has the bits of those that it selects and the first does not.
  void read(std::uint64_t first, std::size_t count, std::span<std::uint64_t> bits,
            std::span<std::uint64_t> second) const {
    if (d_.flags) {
      of_flags(first, count, bits);
    } else if (d_.heads) {
      of_heads(first, count, bits);
    } else {
      decide(*d_.predicate, first, count, bits);
    }
    if (!d_.second) return;
    decide(*d_.second, first, count, second);
    for (std::size_t w = 0; w < words_of(count); ++w) second[w] &= ~bits[w];
  }

  std::size_t count(std::span<const std::uint64_t> bits) const {
    return kernels_.count(bits.data(), bits.size());
  }

 private:
  static void clear_behind(std::size_t count, std::span<std::uint64_t> bits) {
    if (count % word_bits != 0) {
      bits[count / word_bits] &= (std::uint64_t{1} << (count % word_bits)) - 1;
    }
  }

  // Whole words by `kernel`, what is left one by one.
  template <class Kernel, class Test>
  static void fill(std::size_t count, std::span<std::uint64_t> bits, Kernel&& kernel, Test&& test) {
    const std::size_t whole = count / word_bits;
    kernel(whole);
    if (whole == words_of(count)) return;
    std::uint64_t word = 0;
    for (std::size_t k = whole * word_bits; k < count; ++k) {
      word |= std::uint64_t{test(k)} << (k % word_bits);
    }
    bits[whole] = word;
  }

  void of_flags(std::uint64_t first, std::size_t count, std::span<std::uint64_t> bits) const {
    if (*d_.flags == FlagType::u8) {
      const auto* const flags = reinterpret_cast<const std::uint8_t*>(a_.flags) + first;
      of_bytes(flags, count, bits);
    } else if (*d_.flags == FlagType::u32) {
      const auto* const flags = reinterpret_cast<const std::uint32_t*>(a_.flags) + first;
      fill(
          count, bits,
          [&](std::size_t words) { kernels_.bits_of_words(flags, words, bits.data()); },
          [&](std::size_t k) { return flags[k] != 0; });
    } else {
      bits[words_of(count) - 1] = 0;
      std::memcpy(bits.data(), a_.flags + first / 8, (count + 31) / 32 * 4);
      clear_behind(count, bits);
    }
  }

  void of_bytes(const std::uint8_t* flags, std::size_t count, std::span<std::uint64_t> bits) const {
    fill(
        count, bits, [&](std::size_t words) { kernels_.bits_of_bytes(flags, words, bits.data()); },
        [&](std::size_t k) { return flags[k] != 0; });
  }

  void of_heads(std::uint64_t first, std::size_t count, std::span<std::uint64_t> bits) const {
    const std::size_t bytes = d_.arrays[0].element_bytes;
    const std::byte* const x = a_.arrays[0] + first * bytes;
    const auto differs = [&](std::size_t k) {
      return std::memcmp(x + k * bytes, x + k * bytes - bytes, bytes) != 0;
    };
    // The very first element has none before it.
    if (first == 0) {
      std::uint64_t word = 1;
      for (std::size_t k = 1; k < std::min(count, word_bits); ++k) {
        word |= std::uint64_t{differs(k)} << k;
      }
      bits[0] = word;
      if (count <= word_bits) return;
      return heads_from(x + word_bits * bytes, bytes, count - word_bits, bits.subspan(1));
    }
    heads_from(x, bytes, count, bits);
  }

  void heads_from(const std::byte* x, std::size_t bytes, std::size_t count,
                  std::span<std::uint64_t> bits) const {
    const auto differs = [&](std::size_t k) {
      return std::memcmp(x + k * bytes, x + k * bytes - bytes, bytes) != 0;
    };
    fill(
        count, bits,
        [&](std::size_t words) {
          if (bytes == 4) return kernels_.heads_4(x, words, bits.data());
          if (bytes == 8) return kernels_.heads_8(x, words, bits.data());
          for (std::size_t w = 0; w < words; ++w) {
            std::uint64_t word = 0;
            for (std::size_t k = 0; k < word_bits; ++k) {
              word |= std::uint64_t{differs(w * word_bits + k)} << k;
            }
            bits[w] = word;
          }
        },
        differs);
  }

  void decide(const Predicate& predicate, std::uint64_t first, std::size_t count,
              std::span<std::uint64_t> bits) const {
    constexpr std::size_t piece = 4096;  // answers stay in the first-level cache
    std::array<std::uint8_t, piece> keep;
    std::array<const std::byte*, 8> columns{};
    for (std::size_t done = 0; done < count; done += piece) {
      const std::size_t here = std::min(piece, count - done);
      for (std::size_t c = 0; c < predicate.columns.size(); ++c) {
        columns[c] = a_.arrays[c] + (first + done) * d_.arrays[c].element_bytes;
      }
      call_callers([&] {
        predicate.function(columns.data(), first + done, static_cast<std::uint32_t>(here),
                           keep.data());
      });
      of_bytes(keep.data(), here, bits.subspan(done / word_bits));
    }
  }

  const SelectionDescription& d_;
  const SelectArrays& a_;
  const SelectKernels kernels_ = select_kernels();
};

}  // namespace cumulo::cpu
