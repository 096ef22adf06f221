// Items and outputs together are cut into chunks of equal size, which threads take as they come:
// one item of ten million outputs is as much work as ten million empty ones.
#include "cpu/expand.hpp"

#include <algorithm>
#include <vector>

#include "cpu/allocate.hpp"
#include "cpu/blocked_scan.hpp"
#include "cpu/fill_items.hpp"
#include "cpu/thread_errors.hpp"
#include "cpu/threads.hpp"

namespace cumulo::cpu {
namespace {

constexpr std::uint64_t block_items = 2048;                    // that a first look sums up
constexpr std::uint64_t chunk_words = std::uint64_t{1} << 16;  // of a chunk's items and outputs
constexpr std::size_t staged_words = 4096;  // expanded in cache before they are streamed

template <class Work>
void for_each(std::uint64_t count, const Work& work) {
  over_ranges(count, 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) work(i);
  });
}

class Expansion {
 public:
  Expansion(const ExpandDescription& d, const ExpandArrays& arrays)
      : d_(d),
        arrays_(arrays),
        words_(output_bytes(d) / 4),
        blocks_((d.n + block_items - 1) / block_items) {}

  ExpansionReport run() {
    find_starts();
    const std::uint64_t total = starts_.back();
    const std::uint64_t written = std::min(total, d_.capacity);
    // A chunk's items and outputs, weighed alike.
    const std::uint64_t chunk = std::max<std::uint64_t>(chunk_words / words_, 1);
    const std::uint64_t path = d_.n + written;
    const bool streams = written * words_ * 4 >= streaming_bytes;
    for_each((path + chunk - 1) / chunk, [&](std::uint64_t k) {
      const Place begin = place_of(k * chunk, written);
      const Place end = place_of(std::min((k + 1) * chunk, path), written);
      write(begin, end.output, streams);
    });
    return {.total = total,
            .written = static_cast<std::uint32_t>(written),
            .exceeds = total > d_.capacity ? 1U : 0U};
  }

 private:
  // Where items and outputs are cut: the first item that has not ended, and its outputs before.
  struct Place {
    std::uint64_t item;
    std::uint64_t output;
    std::uint64_t start;  // of the item
  };

  std::uint32_t count_of(std::uint64_t i) const {
    return d_.from_offsets ? arrays_.counts[i + 1] - arrays_.counts[i] : arrays_.counts[i];
  }

  // What stands before each block of items; the last entry is the total.
  void find_starts() {
    starts_.assign(blocks_ + 1, 0);
    if (d_.from_offsets) {
      for (std::uint64_t b = 0; b <= blocks_; ++b) {
        starts_[b] = arrays_.counts[std::min(b * block_items, d_.n)];
      }
      return;
    }
    constexpr std::uint64_t together = 16;
    for_each((blocks_ + together - 1) / together, [&](std::uint64_t group) {
      const std::uint64_t last = std::min((group + 1) * together, blocks_);
      for (std::uint64_t b = group * together; b < last; ++b) {
        const std::uint64_t end = std::min((b + 1) * block_items, d_.n);
        std::uint64_t sum = 0;
        for (std::uint64_t i = b * block_items; i < end; ++i) sum += arrays_.counts[i];
        starts_[b + 1] = sum;
      }
    });
    for (std::uint64_t b = 0; b < blocks_; ++b) starts_[b + 1] += starts_[b];
  }

  // `at` items and outputs from the beginning, where an item's end follows its outputs.
  Place place_of(std::uint64_t at, std::uint64_t written) const {
    const auto path_to = [&](std::uint64_t block) {
      return std::min(block * block_items, d_.n) + std::min(starts_[block], written);
    };
    // The last block that begins there or before.
    std::uint64_t low = 0;
    std::uint64_t high = blocks_;
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (path_to(middle) <= at ? low : high) = middle;
    }
    std::uint64_t item = low * block_items;
    std::uint64_t start = starts_[low];
    while (item < d_.n) {
      const std::uint64_t end = start + count_of(item);
      if (item + std::min(end, written) >= at) break;
      start = end;
      ++item;
    }
    return {item, at - item, start};
  }

  void write(const Place& begin, std::uint64_t end, bool streams) const {
    if (begin.output >= end) return;
    // The item may have begun in a chunk before; it may also end just here.
    ItemCursor cursor{.counts = arrays_.counts,
                      .from_offsets = d_.from_offsets,
                      .values = arrays_.values,
                      .words = words_,
                      .item = begin.item,
                      .done = static_cast<std::uint32_t>(begin.output - begin.start),
                      .items = d_.n};
    auto* out = reinterpret_cast<std::uint32_t*>(arrays_.output) + begin.output * words_;
    if (!streams) {
      fill_items(cursor, out, end - begin.output);
      return;
    }
    alignas(cache_line) std::array<std::uint32_t, staged_words> staged;
    LineWriter<std::uint32_t> writer;
    writer.begin(out);
    const std::uint64_t most = staged_words / words_;
    for (std::uint64_t at = begin.output; at < end;) {
      const std::uint64_t outputs = std::min(most, end - at);
      fill_items(cursor, staged.data(), outputs);
      writer.add(staged.data(), outputs * words_);
      at += outputs;
    }
    writer.finish();
    finish_streaming();
  }

  const ExpandDescription& d_;
  const ExpandArrays& arrays_;
  const std::uint32_t words_;
  const std::uint64_t blocks_;
  std::vector<std::uint64_t> starts_;
};

}  // namespace

Result<ExpansionReport> expand(const ExpandDescription& d, const ExpandArrays& arrays) {
  return without_exceptions(
      [&]() -> Result<ExpansionReport> { return Expansion(d, arrays).run(); });
}

}  // namespace cumulo::cpu
