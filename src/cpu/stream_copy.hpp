// A copy whose stores go past the caches, for results that will not be read again soon.
#pragma once

#include <cstddef>

namespace cumulo::cpu {

// Copies; call finish_streaming() before another thread may read the result.
void stream_copy(const void* from, void* to, std::size_t bytes);
void finish_streaming();

}  // namespace cumulo::cpu
