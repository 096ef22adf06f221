#include "bench/compact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <execution>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/data.hpp"
#include "bench/host_timing.hpp"
#include "cumulo/predicate_language.hpp"
#include "cumulo/selection.hpp"

namespace cumulo::bench {
namespace {

struct Arrays {
  std::vector<std::uint32_t> values;  // those below `limit` are kept
  std::vector<std::uint8_t> flags;
  std::vector<std::uint32_t> runs;  // a new value in that share of the places
  std::uint32_t limit = 0;
};

Arrays make_arrays(std::uint64_t n, double share) {
  Arrays a{.values = std::vector<std::uint32_t>(n),
           .flags = std::vector<std::uint8_t>(n),
           .runs = std::vector<std::uint32_t>(n),
           .limit = static_cast<std::uint32_t>(share * 0xffffffffU)};
  std::uint32_t run = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    a.values[i] = hash(static_cast<std::uint32_t>(i));
    a.flags[i] = a.values[i] < a.limit ? 1 : 0;
    run += a.flags[i];
    a.runs[i] = run;
  }
  return a;
}

// How many results a run wrote.
using Run = std::function<Result<std::uint64_t>(std::vector<std::uint32_t>& out)>;

struct Case {
  CompactRow row;
  Run run;
  const std::vector<std::uint32_t>* expected;
  std::vector<double> times = {};
};

class Group {
 public:
  Group(Device& device, std::uint64_t n, double share)
      : device_(device), n_(n), share_(share), a_(make_arrays(n, share)), out_(n) {
    const auto kept = [this](std::uint32_t x) { return x < a_.limit; };
    std::ranges::copy_if(a_.values, std::back_inserter(kept_), kept);
    partitioned_ = a_.values;
    std::ranges::stable_partition(partitioned_, kept);
    std::ranges::unique_copy(a_.runs, std::back_inserter(unique_));
    add_ours();
    if (device.info().backend == Backend::cpu) add_rivals();
  }

  Result<void> measure(std::uint32_t runs, std::vector<CompactRow>& rows) {
    if (device_.info().backend == Backend::webgpu) timed_runs_ = runs;
    const std::uint32_t rounds = timed_runs_ > 0 ? 1 : runs + 1;
    for (std::uint32_t k = 0; k < rounds; ++k) {
      for (Case& c : cases_) {
        if (auto ok = run_once(c); !ok) return ok;
        if (k == 0 && rounds > 1) c.times.clear();  // that one warmed up
      }
    }
    for (Case& c : cases_) {
      if (timed_runs_ == 0 && c.row.failure.empty()) {
        std::ranges::sort(c.times);
        c.row.median_ms = c.times[c.times.size() / 2];
        c.row.least_ms = c.times.front();
      }
      rows.push_back(std::move(c.row));
    }
    return {};
  }

 private:
  void add(std::string task, std::string method, const std::vector<std::uint32_t>& expected,
           Run run) {
    cases_.push_back({.row = {.task = std::move(task),
                              .method = std::move(method),
                              .n = n_,
                              .share = share_,
                              .failure = {}},
                      .run = std::move(run),
                      .expected = &expected});
  }

  Run selection(SelectionDescription d, const std::vector<std::uint32_t>& values) {
    d.n = n_;
    d.arrays = {{.element_bytes = 4, .is_kept = true}};
    return [this, d, &values](std::vector<std::uint32_t>& out) -> Result<std::uint64_t> {
      SelectionInput in{.arrays = {std::as_bytes(std::span{values})}};
      if (d.flags) in.flags = std::as_bytes(std::span{a_.flags});
      auto done = select_bytes(device_, d, in, {.kept = {std::as_writable_bytes(std::span{out})}},
                               {.timed_runs = timed_runs_});
      if (!done) return std::unexpected{std::move(done.error())};
      timing_ = done->timing;
      return d.rest == Rest::dropped ? done->count : n_;
    };
  }

  void add_ours() {
    const auto below = parse_predicate("x < " + std::to_string(a_.limit), Type::u32);
    add("compact by flags", "cumulo", kept_, selection({.flags = FlagType::u8}, a_.values));
    add("compact by predicate", "cumulo", kept_, selection({.predicate = *below}, a_.values));
    add("partition by flags", "cumulo", partitioned_,
        selection({.flags = FlagType::u8, .rest = Rest::follows}, a_.values));
    add("unique", "cumulo", unique_, selection({.heads = true}, a_.runs));
  }

  template <class F>
  void add_rival(std::string task, std::string method, const std::vector<std::uint32_t>& expected,
                 F&& f) {
    add(std::move(task), std::move(method), expected,
        [f](std::vector<std::uint32_t>& out) -> Result<std::uint64_t> {
          return static_cast<std::uint64_t>(f(out.begin()) - out.begin());
        });
  }

  void add_rivals() {
    const auto kept = [limit = a_.limit](std::uint32_t x) { return x < limit; };
    const std::vector<std::uint32_t>& x = a_.values;
    add_rival("compact by flags", "a loop", kept_, [this](auto out) {
      for (std::size_t i = 0; i < n_; ++i) {
        if (a_.flags[i] != 0) *out++ = a_.values[i];
      }
      return out;
    });
    add_rival("compact by predicate", "std::copy_if", kept_,
              [&x, kept](auto out) { return std::copy_if(x.begin(), x.end(), out, kept); });
    add_rival("compact by predicate", "std::copy_if, par", kept_, [&x, kept](auto out) {
      return std::copy_if(std::execution::par, x.begin(), x.end(), out, kept);
    });
    add_rival("partition by flags", "std::stable_partition, par", partitioned_,
              [&x, kept](auto out) {
                std::copy(std::execution::par, x.begin(), x.end(), out);
                const auto end = out + static_cast<std::ptrdiff_t>(x.size());
                std::stable_partition(std::execution::par, out, end, kept);
                return end;
              });
    const std::vector<std::uint32_t>& r = a_.runs;
    add_rival("unique", "std::unique_copy", unique_,
              [&r](auto out) { return std::unique_copy(r.begin(), r.end(), out); });
    add_rival("unique", "std::unique_copy, par", unique_, [&r](auto out) {
      return std::unique_copy(std::execution::par, r.begin(), r.end(), out);
    });
  }

  Result<void> run_once(Case& c) {
    if (!c.row.failure.empty()) return {};
    std::ranges::fill(out_, 0xCDCDCDCDU);
    push_out_of_caches(std::as_bytes(std::span{*c.expected}));
    wake_threads();
    const auto start = std::chrono::steady_clock::now();
    auto written = c.run(out_);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    if (!written) return std::unexpected{std::move(written.error())};
    if (*written != c.expected->size() ||
        !std::equal(c.expected->begin(), c.expected->end(), out_.begin())) {
      c.row.failure = "its result is wrong";
    }
    c.times.push_back(time.count());
    if (timed_runs_ > 0 && timing_) {
      c.row.median_ms = timing_->median_ms;
      c.row.clock = timing_->clock;
    }
    return {};
  }

  Device& device_;
  const std::uint64_t n_;
  const double share_;
  const Arrays a_;
  std::vector<std::uint32_t> out_;
  std::vector<std::uint32_t> kept_;
  std::vector<std::uint32_t> partitioned_;
  std::vector<std::uint32_t> unique_;
  std::uint32_t timed_runs_ = 0;  // by the library itself
  std::optional<Timing> timing_;
  std::vector<Case> cases_;
};

}  // namespace

Result<std::vector<CompactRow>> measure_compact(Device& device,
                                                const CompactBenchOptions& options) {
  std::vector<CompactRow> rows;
  for (const std::uint64_t n : options.sizes) {
    if (n == 0 || n > 0xffffffffU) {
      return std::unexpected{
          Error{ErrorKind::bad_argument, "bench compact takes sizes from 1 to 2^32 - 1"}};
    }
    for (const double share : options.shares) {
      if (auto ok = Group(device, n, share).measure(options.runs, rows); !ok) {
        return std::unexpected{std::move(ok.error())};
      }
    }
  }
  return rows;
}

std::string to_text(const std::vector<CompactRow>& rows, const DeviceInfo& device) {
  std::string text =
      fmt::format("u32 on {}, every result checked\n{:>12} {:>6}  {:<22}{:<28}{:>12}{:>12}\n",
                  device.name, "n", "kept", "what", "method", "median ms", "least ms");
  for (const CompactRow& row : rows) {
    text += fmt::format("{:>12} {:>6}  {:<22}{:<28}", row.n, row.share, row.task, row.method);
    text += row.failure.empty() ? fmt::format("{:>12.4f}{:>12.4f}\n", row.median_ms, row.least_ms)
                                : "  " + row.failure + "\n";
  }
  return text;
}

std::string to_json(const std::vector<CompactRow>& rows, const DeviceInfo& device) {
  using Json = nlohmann::ordered_json;
  Json root{{"schema", "cumulo-compact/1"}, {"device", device.name}, {"rows", Json::array()}};
  for (const CompactRow& row : rows) {
    Json object{{"task", row.task},     {"method", row.method}, {"n", row.n},
                {"share", row.share},   {"type", "u32"},        {"clock", name(row.clock)},
                {"median_ms", nullptr}, {"least_ms", nullptr},  {"failure", nullptr}};
    if (row.failure.empty()) {
      object["median_ms"] = row.median_ms;
      if (row.least_ms > 0) object["least_ms"] = row.least_ms;
    } else {
      object["failure"] = row.failure;
    }
    root["rows"].push_back(std::move(object));
  }
  return root.dump(2);
}

}  // namespace cumulo::bench
