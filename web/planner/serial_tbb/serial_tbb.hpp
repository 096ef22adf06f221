// The few parts of oneTBB that the CPU backend calls, on one thread: WebAssembly in a page has no
// other one. Shared by the headers beside it, which stand for oneTBB's own.
#pragma once

#include <cstddef>

namespace tbb {

class task_group_context {
 public:
  enum kind_type { isolated };
  explicit task_group_context(kind_type) {}
};

struct simple_partitioner {};
struct auto_partitioner {};

template <class T>
class blocked_range {
 public:
  blocked_range(T begin, T end, std::size_t = 1) : begin_(begin), end_(end) {}
  T begin() const { return begin_; }
  T end() const { return end_; }

 private:
  T begin_;
  T end_;
};

namespace this_task_arena {

inline int max_concurrency() { return 1; }

template <class F>
auto isolate(F&& work) {
  return work();
}

}  // namespace this_task_arena

template <class T, class Work, class Partitioner>
void parallel_for(T first, T last, const Work& work, const Partitioner&, task_group_context&) {
  for (T k = first; k < last; ++k) work(k);
}

template <class T, class Work, class Partitioner>
void parallel_for(const blocked_range<T>& range, const Work& work, const Partitioner&,
                  task_group_context&) {
  work(range);
}

template <class T, class Value, class Work, class Join>
Value parallel_reduce(const blocked_range<T>& range, const Value& identity, const Work& work,
                      const Join&, task_group_context&) {
  return work(range, identity);
}

}  // namespace tbb
