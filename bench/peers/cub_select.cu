// CUB's selections, measured as cumulo_bench_selection measures ours: same data, all cases of a
// size interleaved, every timed result and count compared.
//   nvcc -O3 -std=c++17 -arch=native -o cub_select cub_select.cu
//   ./cub_select [--sizes N,...] [--kept PERCENT] [--runs R]
// Prints the same JSON lines as cumulo_bench_selection. CUB's partition has the rejected elements
// in reverse order; its runs come with their lengths, where ours come with their starts.
#include <cub/cub.cuh>

#include <cstdint>
#include <string>
#include <vector>

#include "../selection_data.hpp"
#include "cub_bench.cuh"

namespace {

using cumulo::bench::SelectionData;
using Word = std::uint32_t;

struct Odd {
  __host__ __device__ bool operator()(Word x) const { return (x & 1) != 0; }
};

template <class T>
class Uploaded {
 public:
  explicit Uploaded(const std::vector<T>& values) : memory_(values.size()) {
    check(
        cudaMemcpy(memory_.data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
        "upload");
  }
  const T* data() const { return memory_.data; }

 private:
  Memory<T> memory_;
};

class Selections {
 public:
  Selections(std::size_t n, double kept)
      : n_(n),
        kept_(kept),
        data_(n, kept),
        in_(data_.values),
        runs_(data_.runs),
        flags_(data_.flags),
        out_(n),
        lengths_(n),
        count_(1),
        scratch_bytes_((std::size_t{64} << 20) + n),
        scratch_(scratch_bytes_) {}

  void measure(Timer& timer, int rounds) {
    std::vector<Word> partitioned = data_.flagged;  // with the rest behind it
    const std::size_t flagged = n_ - data_.rest.size();
    std::reverse(partitioned.begin() + static_cast<std::ptrdiff_t>(flagged), partitioned.end());
    std::vector<Word> lengths = data_.starts;
    for (std::size_t r = 0; r < lengths.size(); ++r) {
      lengths[r] =
          (r + 1 < lengths.size() ? data_.starts[r + 1] : static_cast<Word>(n_)) - data_.starts[r];
    }
    const std::vector<Word> counts{static_cast<Word>(flagged), static_cast<Word>(data_.odd.size()),
                                   static_cast<Word>(data_.heads.size())};
    const Uploaded<Word> right_partition(partitioned), right_odd(data_.odd),
        right_heads(data_.heads), right_lengths(lengths), right_counts(counts);

    const Word* in = in_.data();
    const Word* runs = runs_.data();
    const std::uint8_t* flags = flags_.data();
    Word* out = out_.data;
    Word* run_lengths = lengths_.data;
    Word* count = count_.data;
    void* scratch = scratch_.data;
    const std::size_t scratch_bytes = scratch_bytes_;
    const int n = static_cast<int>(n_);

    std::vector<Case> cases;
    cases.push_back({"empty kernel", "empty", "", [] {
                       do_nothing<<<1, 1>>>();
                       return cudaGetLastError();
                     }});
    add_copies(cases, in, out, n_);
    // A result, its count, and what moves.
    const auto add = [&](const char* name, std::size_t bytes, std::function<cudaError_t()> launch,
                         const Word* expected, std::size_t results, const Word* right_count) {
      cases.push_back({name, "select", "", std::move(launch),
                       [=](Verdict* v) {
                         compare<<<2048, 256>>>(expected, out, results, v);
                         compare<<<1, 1>>>(right_count, count, 1, v);
                       },
                       results + 1, bytes});
    };
    add(
        "compact by flags", 5 * n_ + 4 * flagged,
        [=] {
          std::size_t size = scratch_bytes;
          return cub::DeviceSelect::Flagged(scratch, size, in, flags, out, count, n);
        },
        right_partition.data(), flagged, right_counts.data());
    add(
        "compact by predicate", 4 * (n_ + data_.odd.size()),
        [=] {
          std::size_t size = scratch_bytes;
          return cub::DeviceSelect::If(scratch, size, in, out, count, n, Odd{});
        },
        right_odd.data(), data_.odd.size(), right_counts.data() + 1);
    add(
        "partition", 9 * n_,
        [=] {
          std::size_t size = scratch_bytes;
          return cub::DevicePartition::Flagged(scratch, size, in, flags, out, count, n);
        },
        right_partition.data(), n_, right_counts.data());
    add(
        "unique", 4 * (n_ + data_.heads.size()),
        [=] {
          std::size_t size = scratch_bytes;
          return cub::DeviceSelect::Unique(scratch, size, runs, out, count, n);
        },
        right_heads.data(), data_.heads.size(), right_counts.data() + 2);
    const Word* expected_lengths = right_lengths.data();
    const std::size_t found = data_.heads.size();
    const Word* expected_heads = right_heads.data();
    const Word* expected_count = right_counts.data() + 2;
    cases.push_back({"runs", "select", "",
                     [=] {
                       std::size_t size = scratch_bytes;
                       return cub::DeviceRunLengthEncode::Encode(scratch, size, runs, out,
                                                                 run_lengths, count, n);
                     },
                     [=](Verdict* v) {
                       compare<<<2048, 256>>>(expected_heads, out, found, v);
                       compare<<<2048, 256>>>(expected_lengths, run_lengths, found, v);
                       compare<<<1, 1>>>(expected_count, count, 1, v);
                     },
                     2 * found + 1, 4 * n_ + 8 * found});
    timer.run(cases, rounds, [&] {
      launch_copy<4, true>(in, out, n_ * sizeof(Word), 256);
      launch_copy<4, true>(in, run_lengths, n_ * sizeof(Word), 256);
    });
    print(cases);
  }

  bool ok() const { return ok_; }

 private:
  void print(std::vector<Case>& cases) {
    double copy = 0;
    for (Case& c : cases) {
      refuse_impossible(c);
      if (!c.failure.empty()) ok_ = false;
      if (c.role != "copy" || !c.failure.empty()) continue;
      const double ms = median(c.times);
      if (copy == 0 || ms < copy) copy = ms;
    }
    const std::string version =
        format("CUB %d.%d.%d", CUB_VERSION / 100000, CUB_VERSION / 100 % 1000, CUB_VERSION % 100);
    const auto line = [&](const std::string& name, double ms, double percent,
                          const std::string& failure) {
      std::printf(
          "{\"n\": %zu, \"kept_percent\": %g, \"name\": \"%s\", \"ms\": %.4f, \"percent_of_copy\": "
          "%.1f, \"algorithm\": \"%s\", \"failure\": \"%s\"}\n",
          n_, kept_, name.c_str(), ms, percent, version.c_str(), failure.c_str());
    };
    for (const Case& c : cases) {
      if (c.role == "copy") continue;
      const double ms = c.failure.empty() ? median(c.times) : 0;
      const double share = c.bytes == 0 || ms == 0 ? 0
                                                   : 100 * (static_cast<double>(c.bytes) / ms) /
                                                         (8.0 * static_cast<double>(n_) / copy);
      line(c.name, ms, share, c.failure);
    }
    line("copy", copy, 100, "");
    std::fflush(stdout);
  }

  const std::size_t n_;
  const double kept_;
  const SelectionData data_;
  const Uploaded<Word> in_, runs_;
  const Uploaded<std::uint8_t> flags_;
  Memory<Word> out_, lengths_, count_;
  const std::size_t scratch_bytes_;
  Memory<char> scratch_;
  bool ok_ = true;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::size_t> sizes{1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28};
  double kept = 50;
  int runs = 11;
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string option = argv[k];
    const std::string value = argv[k + 1];
    if (option == "--sizes") {
      sizes.clear();
      for (std::size_t at = 0; at < value.size();
           at = std::min(value.find(',', at), value.size()) + 1) {
        sizes.push_back(std::stoull(value.substr(at)));
      }
    } else if (option == "--kept") {
      kept = std::stod(value);
    } else if (option == "--runs") {
      runs = std::stoi(value);
    } else {
      std::fprintf(stderr, "usage: cub_select [--sizes N,...] [--kept PERCENT] [--runs R]\n");
      return 2;
    }
  }
  Timer timer;
  bool ok = true;
  for (const std::size_t n : sizes) {
    Selections selections(n, kept);
    selections.measure(timer, runs);
    ok = ok && selections.ok();
  }
  return ok ? 0 : 1;
}
