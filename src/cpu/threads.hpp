// Work on several threads: those of oneTBB. A thread sanitizer does not see into that library; in a
// build for it (CUMULO_PLAIN_THREADS) the same work goes to plain threads, which it sees whole. In
// WebAssembly (CUMULO_ONE_THREAD) there is the caller's thread alone.
//
// A task group context of its own keeps a caller's cancelled task group from leaving work out;
// isolation keeps this thread from the caller's other tasks.
#pragma once

#include <cstddef>

#ifdef CUMULO_ONE_THREAD

namespace cumulo::cpu {

inline std::size_t max_threads() { return 1; }

template <class Work>
void on_threads(std::size_t workers, const Work& work) {
  work();
  for (std::size_t i = 1; i < workers; ++i) work();
}

template <class Work>
void over_ranges(std::size_t count, std::size_t, const Work& work) {
  if (count > 0) work(std::size_t{0}, count);
}

}  // namespace cumulo::cpu

#else

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#ifdef CUMULO_PLAIN_THREADS
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#endif

namespace cumulo::cpu {

#ifdef CUMULO_PLAIN_THREADS
inline thread_local std::size_t plain_threads =
    std::max<std::size_t>(1, std::thread::hardware_concurrency());
inline std::size_t max_threads() { return plain_threads; }
#else
// As many as the caller's arena has.
inline std::size_t max_threads() {
  return static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
}
#endif

// Calls work() so many times, at once if there are threads for it. They may start late or one after
// the other: none may wait for one that has not started. Throws what one of them throws.
template <class Work>
void on_threads(std::size_t workers, const Work& work) {
  if (workers <= 1) return work();
#ifdef CUMULO_PLAIN_THREADS
  std::exception_ptr thrown;
  std::once_flag first;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < workers; ++i) {
      threads.emplace_back([&] {
        try {
          work();
        } catch (...) {
          std::call_once(first, [&] { thrown = std::current_exception(); });
        }
      });
    }
  }
  if (thrown) std::rethrow_exception(thrown);
#else
  tbb::task_group_context context(tbb::task_group_context::isolated);
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(
        std::size_t{0}, workers, [&](std::size_t) { work(); }, tbb::simple_partitioner(), context);
  });
#endif
}

// Calls work(begin, end) for ranges that make up [0, count), none of them cut below `grain`.
template <class Work>
void over_ranges(std::size_t count, std::size_t grain, const Work& work) {
  if (count == 0) return;
  if (count <= grain || max_threads() <= 1) return work(std::size_t{0}, count);
#ifdef CUMULO_PLAIN_THREADS
  const std::size_t step = std::max(grain, count / (max_threads() * 4));
  std::atomic<std::size_t> next{0};
  on_threads(max_threads(), [&] {
    for (std::size_t begin; (begin = next.fetch_add(step)) < count;) {
      work(begin, std::min(count, begin + step));
    }
  });
#else
  tbb::task_group_context context(tbb::task_group_context::isolated);
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count, grain),
        [&](const tbb::blocked_range<std::size_t>& r) { work(r.begin(), r.end()); },
        tbb::auto_partitioner(), context);
  });
#endif
}

}  // namespace cumulo::cpu

#endif
