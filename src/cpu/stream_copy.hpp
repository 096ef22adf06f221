// Stores that go past the caches, for results that will not be read again soon.
#pragma once

#include <cstddef>

namespace cumulo::cpu {

inline constexpr std::size_t cache_line = 64;

// Copies whole cache lines: `to` and `bytes` are multiples of cache_line. Call
// finish_streaming() before another thread may read the result.
void stream_lines(const void* from, void* to, std::size_t bytes);
void finish_streaming();

}  // namespace cumulo::cpu
