#include "bench/scan.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_scan.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <execution>
#include <functional>
#include <memory>
#include <new>
#include <numeric>

#include "bench/stream_copy.hpp"

namespace cumulo::bench {
namespace {

// More than any memory moves: a case that seems to has not done its work.
constexpr double impossible_gb_per_s = 20'000;

struct FreeLines {
  void operator()(void* p) const { ::operator delete[](p, std::align_val_t{64}); }
};

template <class T>
using Lines = std::unique_ptr<T[], FreeLines>;

template <class T>
Lines<T> allocate(std::size_t n) {
  if (n > (std::size_t{1} << 60) / sizeof(T)) return nullptr;  // the bytes would not fit 64 bits
  const std::size_t bytes = (n * sizeof(T) + 63) / 64 * 64;
  return Lines<T>(
      static_cast<T*>(::operator new[](bytes, std::align_val_t{64}, std::nothrow)));
}

template <class T>
struct Arrays {
  Lines<T> in;
  Lines<T> out;
  Lines<T> expected;  // of the scan
  std::size_t n;
};

// One case: what to run, and what its output must be.
template <class T>
struct Case {
  std::string name;
  std::function<Result<std::optional<double>>()> run;  // ms by another clock than the wall's
  bool is_copy = false;
  std::vector<double> times = {};
  ClockKind clock = ClockKind::wall;
  std::optional<std::string> failure = std::nullopt;
};

// Small whole numbers: every sum below 2^24 is exact in every order, and wraps at no type.
template <class T>
Result<Arrays<T>> make_arrays(std::size_t n) {
  Arrays<T> a{allocate<T>(n), allocate<T>(n), allocate<T>(n), n};
  if (!a.in || !a.out || !a.expected) {
    return std::unexpected{
        Error{ErrorKind::out_of_memory, "no memory for three arrays of " + std::to_string(n)}};
  }
  T sum{};
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < n; ++i) {
    state = state * 1664525U + 1013904223U;
    a.in[i] = static_cast<T>(static_cast<std::int64_t>(state >> 30) - (sum > T{1000} ? 3 : 0));
    sum = static_cast<T>(sum + a.in[i]);
    a.expected[i] = sum;
  }
  return a;
}

template <class T>
void by_all_threads(std::size_t n, const std::function<void(std::size_t, std::size_t)>& part) {
  constexpr std::size_t step = 64 / sizeof(T);
  const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  const std::size_t share = (n / threads + step) / step * step;
  tbb::parallel_for(
      std::size_t{0}, threads,
      [&](std::size_t t) {
        const std::size_t begin = std::min(n, t * share);
        const std::size_t end = std::min(n, begin + share);
        if (begin < end) part(begin, end);
      },
      tbb::simple_partitioner());
}

template <class T>
void scan_by_tbb(const Arrays<T>& a) {
  tbb::parallel_scan(
      tbb::blocked_range<std::size_t>(0, a.n), T{},
      [&](const tbb::blocked_range<std::size_t>& range, T sum, bool is_final) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
          sum = static_cast<T>(sum + a.in[i]);
          if (is_final) a.out[i] = sum;
        }
        return sum;
      },
      std::plus<T>());
}

// What there is to compare with on the host's own memory.
template <class T>
void add_host_cases(const Arrays<T>& a, std::vector<Case<T>>& cases) {
  const auto simple = [](auto work) {
    return [work]() -> Result<std::optional<double>> {
      work();
      return std::nullopt;
    };
  };
  cases.push_back({"copy, memcpy, all threads", simple([&a] {
                     by_all_threads<T>(a.n, [&](std::size_t begin, std::size_t end) {
                       std::memcpy(&a.out[begin], &a.in[begin], (end - begin) * sizeof(T));
                     });
                   }),
                   true});
  cases.push_back({"copy, streaming, all threads", simple([&a] {
                     by_all_threads<T>(a.n, [&](std::size_t begin, std::size_t end) {
                       const std::size_t bytes = (end - begin) * sizeof(T);
                       copy_streaming(&a.in[begin], &a.out[begin], bytes / 64 * 64);
                       std::memcpy(&a.out[end - bytes % 64 / sizeof(T)],
                                   &a.in[end - bytes % 64 / sizeof(T)], bytes % 64);
                     });
                   }),
                   true});
  cases.push_back({"std::inclusive_scan",
                   simple([&a] { std::inclusive_scan(&a.in[0], &a.in[a.n], &a.out[0]); })});
  cases.push_back({"std::inclusive_scan, par", simple([&a] {
                     std::inclusive_scan(std::execution::par, &a.in[0], &a.in[a.n], &a.out[0]);
                   })});
  cases.push_back({"tbb::parallel_scan", simple([&a] { scan_by_tbb(a); })});
}

template <class T>
std::vector<Case<T>> make_cases(Device& device, const Arrays<T>& a) {
  const bool on_gpu = device.info().backend == Backend::webgpu;
  std::vector<Case<T>> cases;
  if (!on_gpu) add_host_cases(a, cases);
  cases.push_back({"cumulo on " + device.info().name,
                   [&device, &a, on_gpu]() -> Result<std::optional<double>> {
                     auto report = scan_bytes(device, {.n = a.n, .type = type_of<T>},
                                              std::as_bytes(std::span{&a.in[0], a.n}),
                                              std::as_writable_bytes(std::span{&a.out[0], a.n}),
                                              {.timed_runs = on_gpu ? 5U : 0U});
                     if (!report) return std::unexpected{std::move(report.error())};
                     if (!report->timing) return std::nullopt;
                     return report->timing->median_ms;
                   },
                   false,
                   {},
                   on_gpu && device.traits().timestamps ? ClockKind::device : ClockKind::wall});
  return cases;
}
template <class T>
void run_once(Case<T>& c, const Arrays<T>& a) {
  std::memset(&a.out[0], 0xCD, a.n * sizeof(T));
  const auto start = std::chrono::steady_clock::now();
  auto ran = c.run();
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
  const Lines<T>& expected = c.is_copy ? a.in : a.expected;
  if (!ran) {
    c.failure = ran.error().message;
  } else if (!std::equal(&a.out[0], &a.out[a.n], &expected[0])) {
    c.failure = "its result is wrong";
  } else {
    c.times.push_back(ran->value_or(wall.count()));
  }
}

template <class T>
Result<void> measure(Device& device, std::uint64_t n, Report& report) {
  auto arrays = make_arrays<T>(n);
  if (!arrays) return std::unexpected{std::move(arrays.error())};
  std::vector<Case<T>> cases = make_cases(device, *arrays);
  for (Case<T>& c : cases) run_once(c, *arrays);  // warms up
  for (Case<T>& c : cases) c.times.clear();
  for (std::uint32_t run = 0; run < report.runs; ++run) {
    for (Case<T>& c : cases) {
      if (!c.failure) run_once(c, *arrays);
    }
  }
  for (Case<T>& c : cases) {
    Measurement m{.name = c.name, .n = n, .type = type_of<T>, .bytes = 2 * n * sizeof(T),
                  .clock = c.clock, .is_copy = c.is_copy, .failure = c.failure};
    if (!c.failure) {
      std::ranges::sort(c.times);
      m.median_ms = c.times[c.times.size() / 2];
      if (static_cast<double>(m.bytes) / m.median_ms / 1e6 > impossible_gb_per_s) {
        m.failure = "it would have moved more bytes a second than any memory can";
      }
    }
    report.measurements.push_back(std::move(m));
  }
  return {};
}

}  // namespace

Result<Report> run_scan(Device& device, const ScanBenchOptions& options) {
  Report report = make_report(device, std::max(1U, options.runs));
  for (const std::uint64_t n : options.sizes) {
    for (const Type type : options.types) {
      if (n == 0 || (type != Type::u32 && type != Type::f32)) {
        return std::unexpected{
            Error{ErrorKind::bad_argument, "bench scan takes sizes above 0, of u32 and f32"}};
      }
      auto ok = type == Type::u32 ? measure<std::uint32_t>(device, n, report)
                                  : measure<float>(device, n, report);
      if (!ok) return std::unexpected{std::move(ok.error())};
    }
  }
  return report;
}

}  // namespace cumulo::bench
