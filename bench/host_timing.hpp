// What makes times on the host comparable.
#pragma once

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <chrono>
#include <cstddef>
#include <span>

namespace cumulo::bench {

// Reads what no case reads: what was written before goes from the caches to memory, at no case's
// cost.
inline void push_out_of_caches(std::span<const std::byte> others) {
  constexpr std::size_t line = 64;
  volatile unsigned sum = 0;
  for (std::size_t at = 0; at < others.size(); at += line) {
    sum = sum + static_cast<unsigned>(others[at]);
  }
}

// Has all threads running: a thread that slept while the last result was compared takes long to
// wake, and no case is to pay for that.
inline void wake_threads() {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  tbb::parallel_for(
      0, tbb::this_task_arena::max_concurrency(),
      [&](int) {
        while (std::chrono::steady_clock::now() < until) {
        }
      },
      tbb::simple_partitioner());
}

}  // namespace cumulo::bench
