// The yardstick: a copy by all threads whose stores go past the caches.
#pragma once

#include <cstddef>

namespace cumulo::bench {

// Both addresses are multiples of 64 bytes, and so is `bytes`.
void copy_streaming(const void* from, void* to, std::size_t bytes);

}  // namespace cumulo::bench
