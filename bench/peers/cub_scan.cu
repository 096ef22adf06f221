// CUB's scans and CUDA copies, measured as `cumulo bench scan` measures ours: same sizes, same
// data, all cases of a size interleaved, behind copies that keep the clock up, every timed result
// compared.
//   nvcc -O3 -std=c++17 -arch=native -o cub_scan cub_scan.cu
//   ./cub_scan [SMALLEST LARGEST STEP [RUNS]]
// (-I NEWER/include before that measures a newer CUB than the toolkit's.)
// Sizes are 2^SMALLEST ... 2^LARGEST elements (10 28 2, 11 runs). Prints a report of schema
// "cumulo-bench/2"; of_copy is CUDA's own fastest copy kernel of the same bytes.
#include <cub/cub.cuh>

#include <cstdint>
#include <ctime>
#include <string>
#include <type_traits>
#include <vector>

#include "cub_bench.cuh"

// The environment form of the scans, and with it the run-to-run deterministic sum, is in CUB 3.4.
#if CUB_VERSION >= 300400
#include <cuda/execution>
#define WITH_DETERMINISM 1
#else
#define WITH_DETERMINISM 0
#endif

namespace {

// ---- data: the same formulas as bench/data.hpp

__host__ __device__ std::uint32_t hash(std::uint32_t i) {
  std::uint32_t x = i * 747796405U + 2891336453U;
  x = ((x >> ((x >> 28U) + 4U)) ^ x) * 277803737U;
  return (x >> 22U) ^ x;
}

enum class Op { add, max };

template <class T>
__host__ __device__ T sample(Op op, std::uint64_t i) {
  const std::uint32_t h = hash(static_cast<std::uint32_t>(i));
  if (op == Op::max) return static_cast<T>(i >> 5) + static_cast<T>(h % 64);
  if (std::is_floating_point<T>::value) return static_cast<T>(static_cast<int>(h % 3) - 1);
  const std::uint64_t wide = std::uint64_t{h} << 32 | hash(~static_cast<std::uint32_t>(i));
  return static_cast<T>(sizeof(T) == 4 ? h : wide);
}

template <class T>
__host__ __device__ T combine(Op op, T older, T newer) {
  return op == Op::max ? (older < newer ? newer : older) : older + newer;
}

struct Larger {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

template <class T>
void add_scans(std::vector<Case>& cases, Op op, const T* in, T* out, const T* prefixes,
               std::size_t n, Scratch scratch) {
  const std::size_t bytes = 2 * n * sizeof(T);
  const auto items = static_cast<std::uint32_t>(n);
  const auto compare_with = [=](const T* expected) {
    return [=](Verdict* v) { compare<<<2048, 256>>>(expected, out, n, v); };
  };
  if (op == Op::max) {
    cases.push_back({"CUB InclusiveScan", "scan", "inclusive",
                     [=] {
                       std::size_t size = scratch.bytes;
                       return cub::DeviceScan::InclusiveScan(scratch.data, size, in, out, Larger{},
                                                             items);
                     },
                     compare_with(prefixes + 1), n, bytes});
    return;
  }
  cases.push_back({"CUB InclusiveSum", "scan", "inclusive",
                   [=] {
                     std::size_t size = scratch.bytes;
                     return cub::DeviceScan::InclusiveSum(scratch.data, size, in, out, items);
                   },
                   compare_with(prefixes + 1), n, bytes});
  cases.push_back({"CUB ExclusiveSum", "scan", "exclusive",
                   [=] {
                     std::size_t size = scratch.bytes;
                     return cub::DeviceScan::ExclusiveSum(scratch.data, size, in, out, items);
                   },
                   compare_with(prefixes), n, bytes});
#if WITH_DETERMINISM
  if constexpr (std::is_floating_point<T>::value) {
    cases.push_back({"CUB InclusiveSum, run-to-run", "scan", "inclusive",
                     [=] {
                       return cub::DeviceScan::InclusiveSum(
                           in, out, items,
                           cuda::execution::require(cuda::execution::determinism::run_to_run));
                     },
                     compare_with(prefixes + 1), n, bytes});
  }
#endif
  // Reads alone; its one result goes to the output's first element.
  cases.push_back({"CUB Sum (reduce)", "reduce", "",
                   [=] {
                     std::size_t size = scratch.bytes;
                     return cub::DeviceReduce::Sum(scratch.data, size, in, out, items);
                   },
                   [=](Verdict* v) { compare<<<1, 1>>>(prefixes + n, out, 1, v); }, 1,
                   n * sizeof(T)});
}

// ---- the report

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

class Report {
 public:
  void add(std::vector<Case>& cases, std::size_t n, const char* type, const char* op) {
    double best_copy = 0;
    double empty = 0;
    for (Case& c : cases) {
      refuse_impossible(c);
      if (!c.failure.empty()) continue;
      const double ms = median(c.times);
      if (c.role == "empty") empty = ms;
      if (c.role == "copy" && (best_copy == 0 || ms < best_copy)) best_copy = ms;
    }
    for (const Case& c : cases) {
      std::string entry =
          "{\"name\": " + quoted(c.name) + ", \"role\": " + quoted(c.role) +
          format(", \"n\": %zu, \"type\": \"%s\", \"op\": \"%s\", \"kind\": ", n, type, op) +
          (c.kind.empty() ? "null" : quoted(c.kind));
      if (!c.failure.empty()) {
        ok_ = false;
        entry += ", \"failure\": " + quoted(c.failure);
      } else {
        entry += times_of(c, best_copy, empty);
      }
      entries_ += (entries_.empty() ? "\n    " : ",\n    ") + entry + "}";
    }
  }

  bool ok() const { return ok_; }

  void print(int runs) const {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
    int driver = 0;
    int runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    char date[16];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    std::printf(
        "{\n  \"schema\": \"cumulo-bench/2\",\n  \"program\": \"CUB\",\n  \"ok\": %s,\n"
        "  \"device\": {\"name\": %s, \"backend\": \"cuda\", \"kind\": \"discrete\", \"api\": "
        "\"CUDA\", \"driver\": \"CUDA driver %d.%d\"},\n  \"versions\": \"CUB %d.%d.%d, CUDA "
        "runtime %d.%d\",\n  \"date\": \"%s\",\n  \"runs\": %d,\n  \"clock\": \"device\",\n"
        "  \"measurements\": [%s\n  ]\n}\n",
        ok_ ? "true" : "false", quoted(device.name).c_str(), driver / 1000, driver % 1000 / 10,
        CUB_VERSION / 100000, CUB_VERSION / 100 % 1000, CUB_VERSION % 100, runtime / 1000,
        runtime % 1000 / 10, date, runs, entries_.c_str());
  }

 private:
  static std::string times_of(const Case& c, double best_copy, double empty) {
    const double ms = median(c.times);
    const bool is_empty = c.role == "empty";
    std::string text =
        format(", \"median_ms\": %.6g, \"least_ms\": %.6g", ms,
               static_cast<double>(*std::min_element(c.times.begin(), c.times.end())));
    text += c.bytes == 0 ? ", \"gb_per_s\": null"
                         : format(", \"gb_per_s\": %.6g", static_cast<double>(c.bytes) / ms / 1e6);
    text += is_empty || best_copy == 0 ? ", \"of_copy\": null"
                                       : format(", \"of_copy\": %.6g", best_copy / ms);
    text += is_empty || empty == 0 ? ", \"above_empty_us\": null"
                                   : format(", \"above_empty_us\": %.6g", 1000 * (ms - empty));
    return text + ", \"clock\": \"device\"";
  }

  std::string entries_;
  bool ok_ = true;
};

template <class T>
void measure(Timer& timer, Report& report, const char* type, Op op, std::size_t n, int runs) {
  std::vector<T> in(n);
  std::vector<T> prefixes(n + 1);
  prefixes[0] = T{};
  T running = sample<T>(op, 0);
  for (std::size_t i = 0; i < n; ++i) {
    in[i] = sample<T>(op, i);
    running = i == 0 ? in[0] : combine(op, running, in[i]);
    prefixes[i + 1] = running;
  }
  Memory<T> device_in(n);
  Memory<T> device_out(n);
  Memory<T> device_prefixes(n + 1);
  const std::size_t scratch_bytes = (std::size_t{64} << 20) + n;
  Memory<char> scratch(scratch_bytes);
  check(cudaMemcpy(device_in.data, in.data(), n * sizeof(T), cudaMemcpyHostToDevice), "upload");
  check(cudaMemcpy(device_prefixes.data, prefixes.data(), (n + 1) * sizeof(T),
                   cudaMemcpyHostToDevice),
        "upload");

  std::vector<Case> cases;
  cases.push_back({"empty kernel", "empty", "", [] {
                     do_nothing<<<1, 1>>>();
                     return cudaGetLastError();
                   }});
  add_copies(cases, device_in.data, device_out.data, n);
  add_scans(cases, op, device_in.data, device_out.data, device_prefixes.data, n,
            {scratch.data, scratch_bytes});
  timer.run(cases, runs,
            [&] { launch_copy<4, true>(device_in.data, device_out.data, n * sizeof(T), 256); });
  report.add(cases, n, type, op == Op::max ? "max" : "add");
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, int otherwise) {
    return argc > i ? std::atoi(argv[i]) : otherwise;
  };
  const int smallest = argument(1, 10);
  const int largest = argument(2, 28);
  const int step = argument(3, 2);
  const int runs = argument(4, 11);
  if (smallest < 0 || largest > 30 || smallest > largest || step < 1 || runs < 1 || runs > 1000) {
    std::fprintf(stderr,
                 "usage: cub_scan [SMALLEST LARGEST STEP [RUNS]], powers of two up to 30\n");
    return 2;
  }
  Timer timer;
  Report report;
  for (int k = smallest; k <= largest; k += step) {
    const std::size_t n = std::size_t{1} << k;
    measure<std::uint32_t>(timer, report, "u32", Op::add, n, runs);
    measure<std::uint32_t>(timer, report, "u32", Op::max, n, runs);
    measure<float>(timer, report, "f32", Op::add, n, runs);
    measure<std::uint64_t>(timer, report, "u64", Op::add, n, runs);
  }
  report.print(runs);
  return report.ok() ? 0 : 1;
}
