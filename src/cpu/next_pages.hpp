// The first touch of a page waits for its address to be looked up in tables, which takes long in
// memory of ordinary pages (4 KiB), longer still in a virtual machine; the processor's own fetching
// ahead stops where a page ends. One line fetched from each page some pages ahead has the address
// looked up in time. It pays for pages that are written past the caches as well.
#pragma once

#include <algorithm>
#include <cstddef>

#include "cumulo/order.hpp"

namespace cumulo::cpu {

inline constexpr std::size_t page_bytes = 4096;
// 2 to 8 pages made no difference; fetching whole pages so far ahead was slower.
inline constexpr std::size_t pages_ahead = 4;

// As strips.
template <class T>
inline constexpr std::size_t strips_of_pages_ahead =
    std::max<std::size_t>(1, pages_ahead* page_bytes / (order::strip * sizeof(T)));

// Of the strip that starts here, which is used strips_of_pages_ahead later.
template <class T>
void look_up_pages(const T* strip) {
  constexpr std::size_t step = std::max<std::size_t>(1, page_bytes / sizeof(T));
  for (std::size_t at = 0; at < order::strip; at += step) __builtin_prefetch(strip + at);
  // g++ 12 sees no effect in a function that only fetches ahead, and drops the calls to it.
  asm volatile("");
}

}  // namespace cumulo::cpu
