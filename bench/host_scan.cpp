#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <execution>
#include <functional>
#include <numeric>

#include "bench/data.hpp"
#include "bench/groups.hpp"
#include "bench/host_timing.hpp"
#include "bench/stream_copy.hpp"
#include "cumulo/reduce.hpp"
#include "cumulo/scan.hpp"

namespace cumulo::bench {
namespace {

template <class T>
struct Arrays {
  const T* in;
  T* out;
  std::size_t n;
};

// One case: what to run, and what the first `results` elements of its output must be.
template <class T>
struct Case {
  Measurement measurement;
  std::function<Result<void>()> run;
  const T* expected;
  std::size_t results;
  std::vector<double> times = {};
};

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
void copy_by_memcpy(const Arrays<T>& a) {
  by_all_threads<T>(a.n, [&](std::size_t begin, std::size_t end) {
    std::memcpy(&a.out[begin], &a.in[begin], (end - begin) * sizeof(T));
  });
}

template <class T, void (*copy)(const void*, void*, std::size_t)>
void copy_past_caches(const Arrays<T>& a) {
  by_all_threads<T>(a.n, [&](std::size_t begin, std::size_t end) {
    const std::size_t bytes = (end - begin) * sizeof(T);
    copy(&a.in[begin], &a.out[begin], bytes / 64 * 64);
    const std::size_t rest = end - bytes % 64 / sizeof(T);
    std::memcpy(&a.out[rest], &a.in[rest], bytes % 64);
  });
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

template <class T>
void reduce_by_tbb(const Arrays<T>& a) {
  a.out[0] = tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, a.n), T{},
      [&](const tbb::blocked_range<std::size_t>& range, T sum) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
          sum = static_cast<T>(sum + a.in[i]);
        }
        return sum;
      },
      std::plus<T>());
}

template <class T>
class HostGroup {
 public:
  HostGroup(Device& device, const Group& group, const Data<T>& data, T* out)
      : device_(device), group_(group), data_(data), arrays_{data.in.get(), out, data.n} {
    add("copy, memcpy, all threads", Role::copy, copy_by_memcpy<T>);
    add("copy, streaming, all threads", Role::copy, copy_past_caches<T, copy_streaming>);
    add("copy, streaming, pages looked up ahead", Role::tuned_copy,
        copy_past_caches<T, copy_streaming_pages>);
    add_rivals();
    for (const GroupScan& scan : group.scans) add_scan(scan);
    if (group.reduces) add_reduce();
  }

  void run(std::uint32_t runs) {
    for (Case<T>& c : cases_) run_once(c);  // warms up
    for (Case<T>& c : cases_) c.times.clear();
    for (std::uint32_t i = 0; i < runs; ++i) {
      for (Case<T>& c : cases_) {
        if (!c.measurement.failure) run_once(c);
      }
    }
  }

  void report_to(Report& report) {
    for (Case<T>& c : cases_) {
      set_times(c.measurement, std::move(c.times));
      report.measurements.push_back(std::move(c.measurement));
    }
  }

 private:
  Measurement measurement(std::string name, Role role) const {
    return {.name = std::move(name),
            .role = role,
            .n = group_.n,
            .type = std::string(cumulo::name(group_.type)),
            .op = std::string(cumulo::name(group_.op)),
            .bytes = (role == Role::reduce ? 1 : 2) * group_.n * sizeof(T)};
  }

  void add(std::string name, Role role, void (*work)(const Arrays<T>&)) {
    Measurement m = measurement(std::move(name), role);
    if (role == Role::scan) m.kind = ScanKind::inclusive;
    cases_.push_back({std::move(m),
                      [this, work]() -> Result<void> {
                        work(arrays_);
                        return {};
                      },
                      expected_of(role), role == Role::reduce ? 1 : group_.n});
  }

  const T* expected_of(Role role) const {
    switch (role) {
      case Role::copy:
      case Role::tuned_copy: return data_.in.get();
      case Role::reduce: return &data_.prefixes[group_.n];
      default: return &data_.prefixes[1];
    }
  }

  // Sums alone: the others' operators are no fairer test, and signed sums may not overflow there.
  void add_rivals() {
    if constexpr (std::is_floating_point_v<T> || std::is_unsigned_v<T>) {
      if (group_.op != Operator::add) return;
      if (group_.reduces) {
        add("std::reduce", Role::reduce,
            [](const Arrays<T>& a) { a.out[0] = std::reduce(a.in, a.in + a.n); });
        add("std::reduce, par", Role::reduce, [](const Arrays<T>& a) {
          a.out[0] = std::reduce(std::execution::par, a.in, a.in + a.n);
        });
        add("tbb::parallel_reduce", Role::reduce, reduce_by_tbb<T>);
      }
      if (group_.scans.empty()) return;
      add("std::inclusive_scan", Role::scan,
          [](const Arrays<T>& a) { std::inclusive_scan(a.in, a.in + a.n, a.out); });
      add("std::inclusive_scan, par", Role::scan, [](const Arrays<T>& a) {
        std::inclusive_scan(std::execution::par, a.in, a.in + a.n, a.out);
      });
      add("tbb::parallel_scan", Role::scan, scan_by_tbb<T>);
    }
  }

  void add_scan(const GroupScan& ours) {
    const ScanDescription& scan = ours.description;
    Measurement m = measurement(our_name(ours), Role::scan);
    m.kind = scan.kind;
    const bool serial = scan.algorithm == Algorithm::serial;
    m.algorithm = name(serial ? Algorithm::serial : Algorithm::blocked);
    if (group_.with_work) {
      m.work = Work{.bytes = m.bytes};  // what is totalled first is in a cache when it is scanned
      if (serial) {
        m.work->steps = 1;
        m.work->additions = group_.n - 1;
      }
    }
    cases_.push_back({std::move(m),
                      [this, scan]() -> Result<void> {
                        auto scanned =
                            scan_bytes(device_, scan, bytes_of(arrays_.in),
                                       std::as_writable_bytes(std::span{arrays_.out, arrays_.n}));
                        if (!scanned) return std::unexpected{std::move(scanned.error())};
                        return {};
                      },
                      &data_.prefixes[scan.kind == ScanKind::exclusive ? 0 : 1], group_.n});
  }

  void add_reduce() {
    Measurement m = measurement("cumulo, reduce", Role::reduce);
    m.algorithm = name(Algorithm::blocked);
    cases_.push_back({std::move(m),
                      [this]() -> Result<void> {
                        auto value =
                            reduce<T>(device_, std::span{arrays_.in, arrays_.n}, group_.op);
                        if (!value) return std::unexpected{std::move(value.error())};
                        arrays_.out[0] = *value;
                        return {};
                      },
                      &data_.prefixes[group_.n], 1});
  }

  std::span<const std::byte> bytes_of(const T* values) const {
    return std::as_bytes(std::span{values, arrays_.n});
  }

  void run_once(Case<T>& c) {
    std::memset(static_cast<void*>(arrays_.out), 0xCD, arrays_.n * sizeof(T));
    push_out_of_caches(bytes_of(c.results == 1 ? &data_.prefixes[1] : c.expected));
    wake_threads();
    const auto start = std::chrono::steady_clock::now();
    auto ran = c.run();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    if (!ran) {
      c.measurement.failure = ran.error().message;
    } else if (std::memcmp(arrays_.out, c.expected, c.results * sizeof(T)) != 0) {
      c.measurement.failure = "its result is wrong";
    } else {
      c.times.push_back(time.count());
    }
  }

  Device& device_;
  const Group& group_;
  const Data<T>& data_;
  const Arrays<T> arrays_;
  std::vector<Case<T>> cases_;
};

}  // namespace

Result<void> measure_on_host(Device& device, const Group& group, Pages pages, Report& report) {
  return with_type(group.type, [&]<class T>() -> Result<void> {
    auto data = make_data<T>(group.op, group.n, pages);
    if (!data) return std::unexpected{std::move(data.error())};
    const Lines<T> out = allocate_lines<T>(group.n, pages);
    if (!out) return std::unexpected{Error{ErrorKind::out_of_memory, "no memory for the results"}};
    HostGroup<T> cases(device, group, *data, out.get());
    cases.run(report.runs);
    cases.report_to(report);
    return {};
  });
}

}  // namespace cumulo::bench
