// The scan by blocks: blocks of strips are drawn from a ticket, totalled while they come into
// cache, linked in order, and scanned while still in cache, so that memory is read once.
//
// What it scans is said by an Algebra:
//   using Value                              an element as it is combined
//   using Input, lift(x)                     an element of the input, and what it is as Value
//   using Output, lower(x)                   a result, and which one a Value becomes
//   lift_all(in, count, out), lower_all(...) of many, where vector code does it; may be left out
//   static constexpr bool streams            whether stream() is there
//   absent(), combine(older, newer)
//   prefix(in, before), scan(in, before, out, base, kind, next, ahead), stream(...)
//                                            of a whole strip, as StripKernels has them
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>

#include "cpu/line_writer.hpp"
#include "cpu/next_pages.hpp"
#include "cpu/quad_prefixes.hpp"
#include "cpu/stream_copy.hpp"
#include "cpu/threads.hpp"
#include "cpu/turns.hpp"
#include "cumulo/order.hpp"
#include "cumulo/scan_description.hpp"

namespace cumulo::cpu {

// A block stays in the second-level cache between its two passes.
inline constexpr std::size_t block_bytes = std::size_t{256} << 10;
// How far ahead of its use a strip is fetched. Two and more strips were slower.
inline constexpr std::size_t strips_ahead = 1;

template <class Algebra>
void lift_all(const Algebra& algebra, const typename Algebra::Input* in, std::size_t count,
              typename Algebra::Value* out) {
  if constexpr (requires { algebra.lift_all(in, count, out); }) {
    algebra.lift_all(in, count, out);
  } else {
    for (std::size_t i = 0; i < count; ++i) out[i] = algebra.lift(in[i]);
  }
}

template <class Algebra>
void lower_all(const Algebra& algebra, const typename Algebra::Value* in, std::size_t count,
               typename Algebra::Output* out) {
  if constexpr (requires { algebra.lower_all(in, count, out); }) {
    algebra.lower_all(in, count, out);
  } else {
    for (std::size_t i = 0; i < count; ++i) out[i] = algebra.lower(in[i]);
  }
}

// Sums in index order of equal-sized blocks, as a binary counter: one total for each bit that is
// set in their number. Gives what stands before the next block by Blelloch's downsweep (order.hpp).
template <class Algebra>
class BlockCounter {
  using T = typename Algebra::Value;

 public:
  BlockCounter(const Algebra& algebra, T start) : algebra_(algebra), start_(start) {}

  // What stands before the block that comes next.
  T before() const {
    T base = start_;
    for (std::size_t bit = 64; bit-- > 0;) {
      if ((count_ >> bit & 1) != 0) base = algebra_.combine(base, totals_[bit]);
    }
    return base;
  }

  void add(T total) {
    std::size_t bit = 0;
    for (; (count_ >> bit & 1) != 0; ++bit) total = algebra_.combine(totals_[bit], total);
    totals_[bit] = total;
    ++count_;
  }

 private:
  const Algebra& algebra_;
  T start_;
  std::uint64_t count_ = 0;
  std::array<T, 64> totals_{};
};

template <class Algebra>
class BlockedScan {
  using T = typename Algebra::Value;
  using Input = typename Algebra::Input;
  using Output = typename Algebra::Output;

 public:
  BlockedScan(const Algebra& algebra, const ScanDescription& d, T start, const Input* in,
              Output* out)
      : algebra_(algebra),
        n_(d.n),
        kind_(d.include_initial ? ScanKind::inclusive : d.kind),
        reverse_(d.reverse),
        streams_(Algebra::streams && !d.reverse && d.n * sizeof(Output) >= streaming_bytes),
        by_lines_(!lowers && reinterpret_cast<std::uintptr_t>(out) % cache_line == 0),
        in_(in),
        out_(out),
        counter_(algebra, start) {}

  T run() {
    const std::size_t blocks = (n_ + block - 1) / block;
    // A worker waits only for blocks of lower tickets, which other workers are at: no block waits
    // for a worker that has not started.
    on_threads(std::min(blocks, max_threads()), [&] { work(blocks); });
    return total_;
  }

 private:
  static constexpr std::size_t strips = std::bit_floor(block_bytes / sizeof(T) / order::strip);
  static constexpr std::size_t block = strips * order::strip;
  // Strips of the input can be scanned where they lie.
  static constexpr bool direct = std::is_same_v<Input, T>;
  // Results are made from scanned strips.
  static constexpr bool lowers = !std::is_same_v<Output, T>;

  using Sums = std::array<T, strips>;
  using Strip = std::array<T, order::strip>;

  // While a worker scans one block it makes the first pass over its next one, which is then in the
  // second-level cache: memory is being read and written all the time.
  void work(std::size_t blocks) {
    Turns::Worker worker(turns_);
    alignas(cache_line) Strip strip;
    LineWriter<Output> writer;
    Sums sums;
    const auto prefixes = std::make_unique_for_overwrite<QuadPrefixes<T>[]>(strips);
    std::size_t k = draw();
    for (std::size_t s = 0; s < strips; ++s) sums[s] = prefix_strip(k, s, strip, prefixes[s]);
    while (k < blocks) {
      upsweep(sums);
      const std::optional<T> base = take_turn(k, sums.back());
      if (!base) return;
      const std::size_t next = draw();
      Sums next_sums;
      if (streams_ && !by_lines_) writer.begin(out_ + k * block);
      for (std::size_t s = 0; s < strips; ++s) {
        look_up_pages_ahead(k, next, s);
        const T* const next_strip = strip_at(next, s);
        next_sums[s] =
            scan_strip(first_of(k, s), before(*base, sums, s), prefixes[s], next_strip,
                       streams_ ? strip_at(next, s + strips_ahead) : nullptr, strip, writer);
        if (next_strip == nullptr) next_sums[s] = prefix_strip(next, s, strip, prefixes[s]);
      }
      if (streams_ && !by_lines_) writer.finish();
      k = next;
      sums = next_sums;
    }
    if (streams_) finish_streaming();
    worker.done();
  }

  std::size_t draw() { return ticket_.fetch_add(1, std::memory_order_relaxed); }

  // A strip that can be scanned where it lies, or null. `s` may reach past the block.
  const T* strip_at(std::size_t k, std::size_t s) const {
    const std::size_t first = first_of(k, s);
    if constexpr (direct) {
      if (!reverse_ && s < strips && first + order::strip <= n_) return in_ + first;
    }
    return nullptr;
  }

  // Of the strips that are read and written some pages after strip `s` of blocks `next` and `k`.
  // Which block is read after `next` is not known yet.
  void look_up_pages_ahead(std::size_t k, std::size_t next, std::size_t s) const {
    if (!streams_) return;
    const std::size_t read = s + strips_of_pages_ahead<Input>;
    if (read < strips) look_up_strip(in_, first_of(next, read));
    const std::size_t written = s + strips_of_pages_ahead<Output>;
    look_up_strip(out_, written < strips ? first_of(k, written) : first_of(next, written - strips));
  }

  template <class Element>
  void look_up_strip(const Element* elements, std::size_t first) const {
    if (first + order::strip <= n_) look_up_pages(elements + first);
  }

  static constexpr std::size_t first_of(std::size_t k, std::size_t s) {
    return k * block + s * order::strip;
  }

  // Returns the strip's total.
  T prefix_strip(std::size_t k, std::size_t s, Strip& strip, QuadPrefixes<T>& prefixes) const {
    const std::size_t first = first_of(k, s);
    if (first >= n_) return algebra_.absent();
    if (const T* const there = strip_at(k, s)) return algebra_.prefix(there, prefixes);
    load(first, std::min<std::size_t>(order::strip, n_ - first), strip);
    return algebra_.prefix(strip.data(), prefixes);
  }

  // Leaves the block's total in the last entry, and in every entry that ends a left half its total.
  void upsweep(Sums& sums) const {
    for (std::size_t size = 1; size < strips; size *= 2) {
      for (std::size_t right = 2 * size - 1; right < strips; right += 2 * size) {
        sums[right] = algebra_.combine(sums[right - size], sums[right]);
      }
    }
  }

  T before(T base, const Sums& sums, std::size_t s) const {
    for (std::size_t size = strips / 2; size > 0; size /= 2) {
      if ((s & size) != 0) base = algebra_.combine(base, sums[(s & ~(2 * size - 1)) + size - 1]);
    }
    return base;
  }

  // Blocks pass here in order: each takes what stands before it and leaves its total. Nothing where
  // a worker gave up.
  std::optional<T> take_turn(std::size_t k, T total) {
    if (!turns_.wait_for(k)) return std::nullopt;
    const T base = counter_.before();
    counter_.add(total);
    turns_.pass(k);
    return base;
  }

  // Elements [first, first + count) in scan order, absent ones after them.
  void load(std::size_t first, std::size_t count, Strip& strip) const {
    const auto end = strip.begin() + static_cast<std::ptrdiff_t>(count);
    lift_all(algebra_, in_ + (reverse_ ? n_ - first - count : first), count, strip.data());
    if (reverse_) std::reverse(strip.begin(), end);
    std::fill(end, strip.end(), algebra_.absent());
  }

  // And makes the first pass over the strip at `next`, unless it is null; returns its total.
  T scan_strip(std::size_t first, T base, QuadPrefixes<T>& prefixes, const T* next, const T* ahead,
               Strip& strip, LineWriter<Output>& writer) {
    if (first >= n_) return algebra_.absent();
    const std::size_t count = std::min<std::size_t>(order::strip, n_ - first);
    const T* from = strip.data();
    if constexpr (direct) {
      if (!reverse_ && count == order::strip) from = in_ + first;
    }
    if (from == strip.data()) load(first, count, strip);
    if (first + count == n_) {
      alignas(cache_line) Strip inclusive;
      algebra_.scan(from, prefixes, inclusive.data(), base, ScanKind::inclusive, nullptr, nullptr);
      total_ = inclusive[count - 1];
    }
    T next_total;
    if constexpr (lowers) {
      alignas(cache_line) std::array<Output, order::strip> results;
      next_total = algebra_.scan(from, prefixes, strip.data(), base, kind_, next, ahead);
      lower_all(algebra_, strip.data(), count, results.data());
      write(results.data(), first, count, writer);
    } else if (from != strip.data() && !streams_) {
      next_total = algebra_.scan(from, prefixes, out_ + first, base, kind_, next, nullptr);
    } else if (from != strip.data() && by_lines_) {
      next_total = algebra_.stream(from, prefixes, out_ + first, base, kind_, next, ahead);
    } else {
      next_total = algebra_.scan(from, prefixes, strip.data(), base, kind_, next, ahead);
      write(strip.data(), first, count, writer);
    }
    return next_total;
  }

  void write(const Output* results, std::size_t first, std::size_t count,
             LineWriter<Output>& writer) {
    if (reverse_) {
      std::reverse_copy(results, results + count, out_ + (n_ - first - count));
    } else if (streams_ && !by_lines_) {
      writer.add(results, count);
    } else {
      std::copy_n(results, count, out_ + first);
    }
  }

  const Algebra& algebra_;
  const std::size_t n_;
  const ScanKind kind_;
  const bool reverse_;
  const bool streams_;
  const bool by_lines_;  // the results start with a cache line: every strip is whole lines
  const Input* const in_;
  Output* const out_;
  BlockCounter<Algebra> counter_;
  T total_{};
  alignas(64) std::atomic<std::size_t> ticket_{0};
  Turns turns_;
};

// One loop from first to last; `start` stands before all elements.
template <class Algebra, class T = typename Algebra::Value>
T scan_serially(const Algebra& algebra, const ScanDescription& d, const std::optional<T>& start,
                const typename Algebra::Input* in, typename Algebra::Output* out) {
  const bool inclusive = d.include_initial || d.kind == ScanKind::inclusive;
  std::optional<T> sum = start;
  for (std::size_t i = 0; i < d.n; ++i) {
    const std::size_t at = d.reverse ? d.n - 1 - i : i;
    const T x = algebra.lift(in[at]);
    const T next = sum ? algebra.combine(*sum, x) : x;
    out[at] = algebra.lower(inclusive ? next : *sum);
    sum = next;
  }
  return *sum;
}

// All that a description asks for, where scan_elements(start, in, out) scans its n > 0 elements and
// returns the total. start is `first`, or nothing where no value stands before the elements.
template <class Input, class T, class Output, class ScanElements>
T scan_described(const ScanDescription& d, const T& first, const Input* in, Output* out,
                 ScanElements&& scan_elements) {
  const bool has_identity = d.kind == ScanKind::exclusive || d.include_initial;
  std::optional<T> start;
  if (has_init(d) || has_identity) start = first;
  // The results of include_initial lie one place further on than their elements. In place they are
  // moved there afterwards: written at once, they would overwrite elements not yet read.
  const bool shifted = d.include_initial && !d.reverse;
  const bool moves = shifted && static_cast<const void*>(in) == out;
  Output* const results = shifted && !moves ? out + 1 : out;
  const T total = d.n == 0 ? first : scan_elements(start, in, results);
  if (moves && d.n > 0) std::memmove(out + 1, out, d.n * sizeof(Output));
  if (d.include_initial) out[d.reverse ? d.n : 0] = Output(first);
  return total;
}

}  // namespace cumulo::cpu
