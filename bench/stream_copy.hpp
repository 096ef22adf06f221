// The yardsticks: copies whose stores go past the caches.
#pragma once

#include <cstddef>

namespace cumulo::bench {

// Both addresses are multiples of 64 bytes, and so is `bytes`.
void copy_streaming(const void* from, void* to, std::size_t bytes);

// The same with the addresses of the pages ahead looked up in time, as the CPU backend does. In
// ordinary pages no copy that we tried was faster.
void copy_streaming_pages(const void* from, void* to, std::size_t bytes);

}  // namespace cumulo::bench
