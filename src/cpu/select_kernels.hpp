// Vector code of the select family, compiled for several processors and chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cumulo::cpu {

// Selected elements are bits: element k's is bit k % 64 of word k / 64. All take whole words only,
// that is multiples of 64 elements; what is left over is for the caller. Elements need the
// alignment of 4 bytes.
struct SelectKernels {
  // Any flag but 0 is set.
  void (*bits_of_bytes)(const std::uint8_t* flags, std::size_t words, std::uint64_t* bits);
  void (*bits_of_words)(const std::uint32_t* flags, std::size_t words, std::uint64_t* bits);
  // Elements that differ from the one before them, which is there for the first one too.
  void (*heads_4)(const std::byte* elements, std::size_t words, std::uint64_t* bits);
  void (*heads_8)(const std::byte* elements, std::size_t words, std::uint64_t* bits);
  std::size_t (*count)(const std::uint64_t* bits, std::size_t words);
  // Writes the selected elements one after the other and returns how many they are. `room`:
  // elements that `out` has space for, at least as many as are selected; what lies behind the
  // selected ones stays as it is only where it is outside of them.
  std::size_t (*compact_4)(const std::byte* elements, const std::uint64_t* bits, std::size_t words,
                           std::byte* out, std::size_t room);
  std::size_t (*compact_8)(const std::byte* elements, const std::uint64_t* bits, std::size_t words,
                           std::byte* out, std::size_t room);
  // The same of the numbers first, first + 1 ...
  std::size_t (*indices)(std::uint32_t first, const std::uint64_t* bits, std::size_t words,
                         std::byte* out, std::size_t room);
};

// For this processor.
SelectKernels select_kernels();

}  // namespace cumulo::cpu
