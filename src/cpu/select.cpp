#include "cpu/select.hpp"

#include <atomic>
#include <vector>

#include "cpu/line_writer.hpp"
#include "cpu/selection_bits.hpp"
#include "cpu/thread_errors.hpp"
#include "cpu/threads.hpp"
#include "cpu/turns.hpp"

namespace cumulo::cpu {
namespace {

// A block's elements stay in the second-level cache between the deciding and the writing.
constexpr std::size_t block_bytes = std::size_t{256} << 10;
constexpr std::size_t least_block = 1024;
constexpr std::size_t most_block = 32768;

std::size_t block_elements(const SelectionDescription& d) {
  std::size_t bytes = 4;
  for (const SelectionArray& array : d.arrays) bytes += array.element_bytes;
  return std::clamp(std::bit_floor(block_bytes / bytes), least_block, most_block);
}

template <std::size_t bytes>
void copy_selected(const std::byte* from, std::span<const std::uint64_t> bits, std::byte* to) {
  each_bit(bits, [&](std::size_t k) {
    std::memcpy(to, from + k * bytes, bytes);
    to += bytes;
  });
}

template <std::size_t words = 1>
void copy_elements(std::size_t bytes, const std::byte* from, std::span<const std::uint64_t> bits,
                   std::byte* to) {
  if constexpr (words <= 16) {
    if (bytes == 4 * words) return copy_selected<4 * words>(from, bits, to);
    copy_elements<words + 1>(bytes, from, bits, to);
  }
}

// Writes the selected ones of a block behind those of the blocks before it.
class BlockWriter {
 public:
  BlockWriter(const SelectionDescription& d, const SelectArrays& a)
      : d_(d), a_(a), capacity_(result_count(d)) {}

  // The elements from `first` on whose bits are set, `selected` of them, become results number `to`
  // and on, as far as the capacity goes; bits past it are cleared.
  void write(std::uint64_t first, std::size_t count, std::span<std::uint64_t> bits,
             std::uint64_t to, std::size_t selected) const {
    if (to >= capacity_) return;
    if (selected > capacity_ - to) {
      selected = static_cast<std::size_t>(capacity_ - to);
      keep_first_bits(bits, selected);
    }
    std::size_t kept = 0;
    for (std::size_t k = 0; k < d_.arrays.size(); ++k) {
      if (!d_.arrays[k].is_kept) continue;
      const std::size_t bytes = d_.arrays[k].element_bytes;
      write_array(bytes, a_.arrays[k] + first * bytes, count, bits, a_.kept[kept++] + to * bytes,
                  selected);
    }
    if (a_.indices != nullptr) write_indices(first, count, bits, a_.indices + to, selected);
  }

  // Run number `to` begins at each set bit; the one before began at `start`.
  void write_lengths(std::uint64_t first, std::span<const std::uint64_t> bits, std::uint64_t to,
                     std::uint64_t start) const {
    each_bit(bits, [&](std::size_t k) {
      write_length(to++, first + k - start);
      start = first + k;
    });
  }

  // Of the run before number `to`.
  void write_length(std::uint64_t to, std::uint64_t length) const {
    if (to > 0 && to <= capacity_) a_.lengths[to - 1] = static_cast<std::uint32_t>(length);
  }

 private:
  // Vectors for the words that are whole, the elements left over one by one.
  void write_array(std::size_t bytes, const std::byte* from, std::size_t count,
                   std::span<const std::uint64_t> bits, std::byte* to, std::size_t selected) const {
    if (bytes > 8) return copy_elements(bytes, from, bits, to);
    const auto kernel = bytes == 4 ? kernels_.compact_4 : kernels_.compact_8;
    const std::size_t whole = count / word_bits;
    write_words(bytes, bits.first(whole), to, selected,
                [&](std::size_t word, std::size_t words, std::byte* out, std::size_t room) {
                  return kernel(from + word * word_bits * bytes, bits.data() + word, words, out,
                                room);
                });
    const std::size_t rest = count_bits(bits.subspan(whole));
    copy_elements(bytes, from + whole * word_bits * bytes, bits.subspan(whole),
                  to + (selected - rest) * bytes);
  }

  void write_indices(std::uint64_t first, std::size_t count, std::span<const std::uint64_t> bits,
                     std::uint32_t* to, std::size_t selected) const {
    const std::size_t whole = count / word_bits;
    write_words(sizeof *to, bits.first(whole), reinterpret_cast<std::byte*>(to), selected,
                [&](std::size_t word, std::size_t words, std::byte* out, std::size_t room) {
                  return kernels_.indices(static_cast<std::uint32_t>(first + word * word_bits),
                                          bits.data() + word, words, out, room);
                });
    to += selected - count_bits(bits.subspan(whole));
    each_bit(bits.subspan(whole), [&](std::size_t k) {
      *to++ = static_cast<std::uint32_t>(first + whole * word_bits + k);
    });
  }

  // kernel(word, words, out, room) writes what words of bits select and returns how many that are.
  // Large results are made in a place that stays in the first-level cache and go to memory from
  // there, so that memory is not read where it is only written.
  template <class Kernel>
  void write_words(std::size_t bytes, std::span<const std::uint64_t> bits, std::byte* to,
                   std::size_t room, Kernel&& kernel) const {
    if (!streams(bytes)) {
      kernel(0, bits.size(), to, room);
      return;
    }
    constexpr std::size_t piece = 32;  // words of bits
    constexpr std::size_t longest_vector = 256;
    constexpr std::size_t most_bytes = piece * word_bits * 8 + longest_vector;
    alignas(cache_line) std::array<std::uint32_t, most_bytes / 4> results;
    LineWriter<std::uint32_t> writer;
    writer.begin(reinterpret_cast<std::uint32_t*>(to));
    for (std::size_t word = 0; word < bits.size(); word += piece) {
      const std::size_t made =
          kernel(word, std::min(piece, bits.size() - word),
                 reinterpret_cast<std::byte*>(results.data()), most_bytes / bytes);
      writer.add(results.data(), made * (bytes / 4));
    }
    writer.finish();
  }

  bool streams(std::size_t bytes) const { return d_.n * bytes >= streaming_bytes; }

  const SelectionDescription& d_;
  const SelectArrays& a_;
  const std::uint64_t capacity_;
  const SelectKernels kernels_ = select_kernels();
};

class Selection {
 public:
  Selection(const SelectionDescription& d, const SelectArrays& a)
      : d_(d),
        bits_(d, a),
        writer_(d, a),
        has_lengths_(a.lengths != nullptr),
        block_(block_elements(d)),
        blocks_((d.n + block_ - 1) / block_) {}

  SelectCounts run() {
    if (d_.n == 0) return {};
    const std::size_t workers = std::min<std::size_t>(blocks_, max_threads());
    if (d_.rest == Rest::dropped) {
      on_threads(workers, [this] { compact(); });
      if (has_lengths_) writer_.write_length(selected_, d_.n - last_start_);
      return {selected_, 0};
    }
    return partition(workers);
  }

 private:
  std::uint64_t first_of(std::uint64_t block) const { return block * block_; }
  std::size_t count_of(std::uint64_t block) const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(block_, d_.n - first_of(block)));
  }

  // ---- one pass: blocks are decided as they are drawn, counted in order, and written

  void compact() {
    Turns::Worker worker(turns_);
    std::vector<std::uint64_t> bits(words_of(block_));
    for (std::uint64_t k = draw(); k < blocks_; k = draw()) {
      const std::size_t count = count_of(k);
      const std::span<std::uint64_t> here = std::span{bits}.first(words_of(count));
      bits_.read(first_of(k), count, here, {});
      const std::size_t selected = bits_.count(here);
      const std::optional<Turn> turn = take_turn(k, here, selected);
      if (!turn) return;
      const auto [to, start] = *turn;
      // Lengths first: the writer clears bits past the capacity.
      if (has_lengths_) writer_.write_lengths(first_of(k), here, to, start);
      writer_.write(first_of(k), count, here, to, selected);
    }
    finish_streaming();
    worker.done();
  }

  std::uint64_t draw() { return ticket_.fetch_add(1, std::memory_order_relaxed); }

  struct Turn {
    std::uint64_t to;     // selected before this block
    std::uint64_t start;  // the last one of them
  };

  // Blocks pass here in order. Nothing where a worker gave up.
  std::optional<Turn> take_turn(std::uint64_t k, std::span<const std::uint64_t> bits,
                                std::size_t selected) {
    if (!turns_.wait_for(k)) return std::nullopt;
    const Turn before{selected_, last_start_};
    selected_ += selected;
    if (selected > 0) last_start_ = first_of(k) + last_bit(bits);
    turns_.pass(k);
    return before;
  }

  static std::size_t last_bit(std::span<const std::uint64_t> bits) {
    std::size_t w = bits.size() - 1;
    while (bits[w] == 0) --w;
    return w * word_bits + static_cast<std::size_t>(std::bit_width(bits[w])) - 1;
  }

  // ---- two passes: where the others begin is known when all are decided

  struct Places {
    std::array<std::uint64_t, 3> to{};  // first the counts of the block's three kinds
  };

  SelectCounts partition(std::size_t workers) {
    const bool three = d_.rest == Rest::three_way;
    const std::size_t words = words_of(block_);
    std::vector<std::uint64_t> first(blocks_ * words);
    std::vector<std::uint64_t> second(three ? first.size() : 0);
    std::vector<Places> places(blocks_);
    const auto bits_at = [&](std::vector<std::uint64_t>& bits, std::uint64_t k) {
      return bits.empty() ? std::span<std::uint64_t>{}
                          : std::span{bits}.subspan(k * words, words_of(count_of(k)));
    };
    on_threads(workers, [&] {
      for (std::uint64_t k = draw(); k < blocks_; k = draw()) {
        bits_.read(first_of(k), count_of(k), bits_at(first, k), bits_at(second, k));
        const std::size_t one = bits_.count(bits_at(first, k));
        const std::size_t two = bits_.count(bits_at(second, k));
        places[k].to = {one, two, count_of(k) - one - two};
      }
    });
    const std::array<std::uint64_t, 3> all = link(places);
    ticket_.store(0, std::memory_order_relaxed);
    on_threads(workers, [&] {
      std::vector<std::uint64_t> rest(words);
      for (std::uint64_t k = draw(); k < blocks_; k = draw()) {
        write_block(k, bits_at(first, k), bits_at(second, k), rest, places[k]);
      }
      finish_streaming();
    });
    return {all[0], all[1]};
  }

  // Counts of blocks become the places where their elements go; returns the counts of all.
  static std::array<std::uint64_t, 3> link(std::vector<Places>& places) {
    std::array<std::uint64_t, 3> all{};
    for (const Places& block : places) {
      for (std::size_t c = 0; c < 3; ++c) all[c] += block.to[c];
    }
    std::array<std::uint64_t, 3> next{0, all[0], all[0] + all[1]};
    for (Places& block : places) {
      for (std::size_t c = 0; c < 3; ++c) {
        const std::uint64_t count = block.to[c];
        block.to[c] = next[c];
        next[c] += count;
      }
    }
    return all;
  }

  void write_block(std::uint64_t k, std::span<std::uint64_t> one, std::span<std::uint64_t> two,
                   std::span<std::uint64_t> all_others, const Places& places) const {
    const std::size_t count = count_of(k);
    const std::span<std::uint64_t> rest = all_others.first(words_of(count));
    for (std::size_t w = 0; w < rest.size(); ++w) rest[w] = ~(one[w] | (two.empty() ? 0 : two[w]));
    if (count % word_bits != 0) rest.back() &= (std::uint64_t{1} << (count % word_bits)) - 1;
    const std::uint64_t at = first_of(k);
    writer_.write(at, count, one, places.to[0], bits_.count(one));
    if (!two.empty()) writer_.write(at, count, two, places.to[1], bits_.count(two));
    writer_.write(at, count, rest, places.to[2], bits_.count(rest));
  }

  const SelectionDescription& d_;
  const SelectionBits bits_;
  const BlockWriter writer_;
  const bool has_lengths_;
  const std::size_t block_;
  const std::uint64_t blocks_;
  std::uint64_t selected_ = 0;    // by the blocks whose turn has been
  std::uint64_t last_start_ = 0;  // the last element that they selected
  alignas(64) std::atomic<std::uint64_t> ticket_{0};
  Turns turns_;
};

}  // namespace

Result<void> check(const SelectionDescription& d) {
  if (d.algorithm != SelectionAlgorithm::automatic && d.algorithm != SelectionAlgorithm::blocked) {
    return std::unexpected{
        Error{ErrorKind::unsupported, "algorithm " + std::string(name(d.algorithm)) +
                                          " runs on a GPU; the CPU backend has blocked"}};
  }
  for (const auto* predicate : {&d.predicate, &d.second}) {
    if (*predicate && !(*predicate)->function) {
      return std::unexpected{
          Error{ErrorKind::unsupported, "predicate '" + (*predicate)->name +
                                            "' has no C++ function, which the CPU backend needs"}};
    }
  }
  return {};
}

Result<SelectCounts> select(const SelectionDescription& d, const SelectArrays& a) {
  return without_exceptions([&]() -> Result<SelectCounts> { return Selection(d, a).run(); });
}

}  // namespace cumulo::cpu
