// Results that go past the caches, a whole cache line at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "cpu/stream_copy.hpp"

namespace cumulo::cpu {

// Results larger than this would only push other data out of the caches.
inline constexpr std::size_t streaming_bytes = std::size_t{16} << 20;

// Passes results on to memory in whole cache lines: a line that is streamed only in part would have
// to be fetched first. What does not fill a line waits for the results that follow.
template <class T>
class LineWriter {
 public:
  // The next results go to `out` and on.
  void begin(T* out) {
    begin_ = reinterpret_cast<std::uintptr_t>(out) % cache_line / sizeof(T);
    end_ = begin_;
    line_ = out - begin_;
  }

  void add(const T* results, std::size_t count) {
    const std::size_t fill = std::min(count, end_ == 0 ? 0 : per_line - end_);
    std::copy_n(results, fill, waiting_.data() + end_);
    end_ += fill;
    if (end_ == per_line) {
      if (begin_ == 0) {
        stream_lines(waiting_.data(), line_, cache_line);
      } else {
        std::copy(waiting_.begin() + static_cast<std::ptrdiff_t>(begin_), waiting_.end(),
                  line_ + begin_);
      }
      line_ += per_line;
      begin_ = end_ = 0;
    }
    if (fill == count) return;
    const std::size_t whole = (count - fill) / per_line * per_line;
    stream_lines(results + fill, line_, whole * sizeof(T));
    line_ += whole;
    end_ = count - fill - whole;
    std::copy_n(results + fill + whole, end_, waiting_.data());
  }

  // Writes what is left, part of a line.
  void finish() { std::copy_n(waiting_.data() + begin_, end_ - begin_, line_ + begin_); }

 private:
  static constexpr std::size_t per_line = cache_line / sizeof(T);

  alignas(cache_line) std::array<T, per_line> waiting_;
  T* line_ = nullptr;      // where waiting_[0] goes
  std::size_t begin_ = 0;  // waiting_[begin_ .. end_) are results not yet written
  std::size_t end_ = 0;
};

}  // namespace cumulo::cpu
