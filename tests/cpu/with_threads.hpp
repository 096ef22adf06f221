// Work on so many threads, as the library counts them: those of an arena of oneTBB, or, where the
// library's threads are plain ones for a sanitizer, the number that it is told.
#pragma once

#include <cstddef>

#include "cpu/threads.hpp"
#ifdef CUMULO_PLAIN_THREADS
#include <thread>
#include <utility>
#include <vector>
#else
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#endif

namespace cumulo::test {

template <class F>
void with_threads(std::size_t threads, F&& f) {
#ifdef CUMULO_PLAIN_THREADS
  const std::size_t before = std::exchange(cpu::plain_threads, threads);
  f();
  cpu::plain_threads = before;
#else
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena(static_cast<int>(threads)).execute(f);
#endif
}

// Calls f so many times in a program's own parallel work.
template <class F>
void at_the_same_time(int times, F&& f) {
#ifdef CUMULO_PLAIN_THREADS
  std::vector<std::jthread> threads;
  for (int i = 0; i < times; ++i) threads.emplace_back(f);
#else
  tbb::parallel_for(0, times, [&](int) { f(); });
#endif
}

}  // namespace cumulo::test
