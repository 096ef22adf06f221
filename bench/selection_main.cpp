// cumulo_bench_selection [DEVICE] [--sizes N,...] [--kept PERCENT] [--shapes]: times compact,
// partition, unique and runs of u32 on a GPU beside copies of the same data, each on a poisoned
// output whose result and count are checked after every run. Prints one JSON object a line.
// --shapes: the single pass in several shapes, for the table of tile shapes.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <random>
#include <string>

#include "api/impl.hpp"
#include "bench/gpu_timer.hpp"
#include "bench/selection_data.hpp"
#include "cumulo/webgpu.hpp"
#include "gpu/executor.hpp"
#include "plan/selection_plans.hpp"

namespace cumulo::bench {
namespace {

constexpr std::uint32_t timed_rounds = 11;
constexpr double heat_seconds = 0.5;

Predicate odd() {
  return {.name = "x & 1",
          .columns = {{}},
          .wgsl = "return (x & 1u) != 0u;",
          .function = predicate_function<std::uint32_t>(
              [](std::uint32_t x, std::uint64_t) { return (x & 1) != 0; })};
}

template <class T>
T value_or_exit(Result<T> result) {
  if (!result) {
    fmt::print(stderr, "cumulo_bench_selection: {}\n", describe(result.error()));
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

struct Row {
  std::string name;
  std::uint64_t bytes = 0;  // moved
  std::string algorithm = {};
  std::optional<std::uint32_t> count = std::nullopt;  // expected
  std::string failure = {};
};

class Bench {
 public:
  Bench(Device& device, std::uint64_t n, double kept)
      : device_(device), context_(*device.impl().gpu), n_(n), kept_(kept), data_(n, kept) {
    in_.emplace(upload(data_.values));
    runs_.emplace(upload(data_.runs));
    flags_.emplace(upload(data_.flags));
    out_.emplace(value_or_exit(device.allocate((n + 3) / 4 * 16, "output")));
    indices_.emplace(value_or_exit(device.allocate((n + 3) / 4 * 16, "indices")));
    counts_.emplace(value_or_exit(device.allocate(most_cases * 256, "counts")));
    verdicts_.emplace(value_or_exit(device.allocate(most_cases * sizeof(Verdict), "verdicts")));
    flagged_.emplace(upload(data_.flagged));
    odd_.emplace(upload(data_.odd));
    heads_.emplace(upload(data_.heads));
    starts_.emplace(upload(data_.starts));
  }

  void add_copies() {
    rows_.push_back({.name = "empty dispatch"});
    Dispatches& empty = dispatches_.emplace_back();
    empty.push_back(value_or_exit(make_empty(context_, whole(*verdicts_))));
    cases_.push_back({recorder(empty)});
    if (n_ % 4 != 0) return;
    for (const CopyShape& shape : copy_shapes) {
      if (shape.workgroup > device_.traits().limits.max_invocations_per_workgroup) continue;
      rows_.push_back({.name = "copy", .bytes = 8 * n_});
      auto& copy = dispatches_.emplace_back(
          value_or_exit(make_copy(context_, shape, whole(*in_), whole(*out_))));
      cases_.push_back({recorder(copy), check(*in_, n_)});
    }
  }

  enum class What { flags, predicate, partition, unique, runs };

  void add(What what, SelectionAlgorithm algorithm,
           std::optional<plan::SelectionPassShape> shape = std::nullopt) {
    SelectionDescription d{.n = n_, .arrays = {{4}}, .algorithm = algorithm};
    Row row{.name = {}};
    const Buffer* expected = &*flagged_;
    const std::uint64_t flagged = n_ - data_.rest.size();
    std::uint64_t results = flagged;
    std::uint64_t moved = 0;
    switch (what) {
      case What::flags:
        d.flags = FlagType::u8;
        row.name = "compact by flags";
        moved = 5 * n_ + 4 * results;
        break;
      case What::predicate:
        d.predicate = odd();
        row.name = "compact by predicate";
        expected = &*odd_;
        results = data_.odd.size();
        moved = 4 * n_ + 4 * results;
        break;
      case What::partition:
        d.flags = FlagType::u8;
        d.rest = Rest::follows;
        row.name = "partition";
        moved = 9 * n_;
        break;
      case What::unique:
      case What::runs:
        d.heads = true;
        d.indices = what == What::runs;
        row.name = d.indices ? "runs" : "unique";
        expected = &*heads_;
        results = data_.heads.size();
        moved = 4 * n_ + (d.indices ? 8 : 4) * results;
        break;
    }
    row.bytes = moved;
    row.count = static_cast<std::uint32_t>(results);
    const SelectionLayout layout;
    const plan::SelectionRequest request = plan::make_request(d, device_.traits(), layout);
    auto made = shape ? plan::plan_selection_pass(request, *shape)
                      : plan_selection(d, device_.traits(), layout);
    if (!made) {
      fmt::print(stderr, "{}: {}\n", row.name, made.error().message);
      return;
    }
    row.algorithm = made->algorithm + ", " + made->notes.front();
    if (shape && shape->gate != 0) row.algorithm += ", gate";
    if (shape) row.algorithm += fmt::format(", {} rows at once", shape->chunk);
    const bool is_heads = what == What::unique || what == What::runs;
    std::vector<gpu::BoundBuffer> bound{all(is_heads ? *runs_ : *in_)};
    if (d.flags) bound.push_back(all(*flags_));
    bound.push_back(all(*out_));
    if (d.indices) bound.push_back(all(*indices_));
    bound.push_back({native_buffer(*counts_), cases_.size() * 256, counts_->bytes()});
    std::vector<std::uint32_t> external(bound.size());
    for (std::uint32_t k = 0; k < external.size(); ++k) external[k] = k;
    auto prepared = value_or_exit(gpu::PreparedPlan::create(context_, std::move(*made), external));
    std::shared_ptr<gpu::Scratch> scratch;
    if (prepared->scratch_bytes() > 0) {
      scratch = value_or_exit(gpu::Scratch::create(context_, prepared->scratch_bytes()));
    }
    auto& plan = plans_.emplace_back(
        value_or_exit(gpu::BoundPlan::create(std::move(prepared), bound, std::move(scratch))));
    rows_.push_back(std::move(row));
    cases_.push_back({[&plan](WGPUCommandEncoder encoder) { return plan.record(encoder); },
                      check(*expected, what == What::partition ? n_ : results)});
    if (what == What::runs) {
      // The same once more for the other output.
      rows_.push_back(rows_.back());
      rows_.back().name = "runs (starts checked)";
      auto& again = plans_.back();
      rows_.back().count.reset();
      cases_.push_back({[&again](WGPUCommandEncoder encoder) { return again.record(encoder); },
                        check(*starts_, results, &*indices_)});
    }
  }

  void run() {
    auto poison =
        value_or_exit(make_copy(context_, {.vectors = 4, .workgroup = 256, .inverted = true},
                                whole(*poison_from()), whole(*out_)));
    auto timer = value_or_exit(GpuTimer::create(context_, std::move(poison), cases_.size()));
    value_or_exit(timer.run(cases_, {.timed = timed_rounds, .heat_seconds = heat_seconds}));
    judge();
    double best_copy = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      std::ranges::sort(cases_[i].times_ms);
      const auto& times = cases_[i].times_ms;
      const double ms = times.empty() ? 0 : times[times.size() / 2];
      if (rows_[i].name == "copy") {
        best_copy = best_copy == 0 ? ms : std::min(best_copy, ms);
        continue;
      }
      const double speed = rows_[i].bytes == 0 || best_copy == 0
                               ? 0
                               : 100 * (static_cast<double>(rows_[i].bytes) / ms) /
                                     (8.0 * static_cast<double>(n_) / best_copy);
      print(rows_[i], ms, speed);
    }
    if (best_copy > 0) print({.name = "copy", .bytes = 8 * n_}, best_copy, 100);
  }

 private:
  static constexpr std::size_t most_cases = 128;

  template <class T>
  Buffer upload(const std::vector<T>& values) {
    auto buffer = value_or_exit(
        device_.allocate(std::max<std::uint64_t>((values.size() * sizeof(T) + 15) / 16 * 16, 16)));
    value_or_exit(device_.write(buffer, 0, std::as_bytes(std::span{values})));
    return buffer;
  }

  const Buffer* poison_from() const { return &*in_; }
  BufferRange whole(const Buffer& buffer) const { return {native_buffer(buffer), buffer.bytes()}; }
  gpu::BoundBuffer all(const Buffer& buffer) const {
    return {native_buffer(buffer), 0, buffer.bytes()};
  }

  Dispatches check(const Buffer& expected, std::uint64_t words, const Buffer* found = nullptr) {
    return value_or_exit(
        make_comparison(context_, {.expected = whole(expected),
                                   .found = whole(found == nullptr ? *out_ : *found),
                                   .verdicts = whole(*verdicts_),
                                   .words = static_cast<std::uint32_t>(words),
                                   .verdict = static_cast<std::uint32_t>(cases_.size())}));
  }

  void judge() {
    std::vector<Verdict> verdicts(most_cases);
    value_or_exit(device_.read(*verdicts_, 0, std::as_writable_bytes(std::span{verdicts})));
    std::vector<std::uint32_t> counts(most_cases * 64);
    value_or_exit(device_.read(*counts_, 0, std::as_writable_bytes(std::span{counts})));
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto& c = cases_[i];
      if (c.check.empty()) continue;
      if (verdicts[i].from_end != 0) {
        rows_[i].failure = fmt::format("wrong, {} words before the end", verdicts[i].from_end);
      } else if (verdicts[i].workgroups != c.runs * workgroups_of(c.check)) {
        rows_[i].failure = "not all checked";
      } else if (rows_[i].count && counts[i * 64] != *rows_[i].count) {
        rows_[i].failure = fmt::format("counted {}, not {}", counts[i * 64], *rows_[i].count);
      }
    }
  }

  void print(const Row& row, double ms, double percent) const {
    fmt::print(
        "{{\"n\": {}, \"kept_percent\": {}, \"name\": \"{}\", \"ms\": {:.4f}, "
        "\"percent_of_copy\": {:.1f}, \"algorithm\": \"{}\", \"failure\": \"{}\"}}\n",
        n_, kept_, row.name, row.failure.empty() ? ms : 0, row.failure.empty() ? percent : 0,
        row.algorithm, row.failure);
    std::fflush(stdout);
  }

  Device& device_;
  gpu::Context& context_;
  const std::uint64_t n_;
  const double kept_;
  SelectionData data_;
  std::optional<Buffer> in_, runs_, flags_, out_, indices_, counts_, verdicts_, flagged_, odd_,
      heads_, starts_;
  std::deque<Dispatches> dispatches_;  // which the cases point into,
  std::deque<gpu::BoundPlan> plans_;   // and into these
  std::vector<Row> rows_;
  std::vector<TimedCase> cases_;
};

void add_shapes(Bench& bench) {
  using Shape = plan::SelectionPassShape;
  using What = Bench::What;
  const auto one_pass = SelectionAlgorithm::single_pass;
  for (const Shape& shape :
       {Shape{512, 32, 0, 0}, Shape{512, 32, 0, 0, 8}, Shape{512, 32, 0, 0, 4},
        Shape{512, 32, 264, 1024, 8}, Shape{256, 32, 0, 0, 8}, Shape{256, 32, 0, 0, 4},
        Shape{512, 16, 0, 0, 8}, Shape{512, 8, 0, 0}, Shape{512, 8, 0, 0, 4}}) {
    bench.add(What::flags, one_pass, shape);
  }
  for (const Shape& shape : {Shape{512, 8, 0, 0}, Shape{512, 16, 0, 0}, Shape{512, 16, 264, 1024},
                             Shape{256, 16, 0, 0}, Shape{256, 32, 0, 0}, Shape{256, 32, 528, 1024},
                             Shape{512, 31, 264, 1024}, Shape{512, 28, 264, 1024}}) {
    bench.add(What::predicate, one_pass, shape);
  }
  for (const Shape& shape : {Shape{512, 8, 0, 0}, Shape{512, 16, 0, 0}, Shape{512, 28, 0, 0},
                             Shape{256, 16, 0, 0}, Shape{256, 32, 0, 0}}) {
    bench.add(What::unique, one_pass, shape);
    bench.add(What::runs, one_pass, shape);
  }
  for (const Shape& shape : {Shape{128, 32, 0, 0}, Shape{256, 32, 0, 0}, Shape{512, 32, 0, 0}}) {
    bench.add(What::partition, one_pass, shape);
  }
}

int run(int argc, char** argv) {
  std::string device_name = "gpu";
  std::vector<std::uint64_t> sizes{1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28};
  double kept = 50;
  bool shapes = false;
  for (int k = 1; k < argc; ++k) {
    const std::string argument = argv[k];
    if (argument == "--shapes") {
      shapes = true;
    } else if (argument == "--kept" && k + 1 < argc) {
      kept = std::stod(argv[++k]);
    } else if (argument == "--sizes" && k + 1 < argc) {
      sizes.clear();
      const std::string list = argv[++k];
      for (std::size_t at = 0; at < list.size();
           at = std::min(list.find(',', at), list.size()) + 1) {
        sizes.push_back(std::stoull(list.substr(at)));
      }
    } else {
      device_name = argument;
    }
  }
  Device device = value_or_exit(Device::open(device_name));
  if (device.info().backend == Backend::cpu) {
    fmt::print(stderr, "cumulo_bench_selection: times GPUs only\n");
    return 3;
  }
  for (const std::uint64_t n : sizes) {
    Bench bench(device, n, kept);
    bench.add_copies();
    for (const auto what : {Bench::What::flags, Bench::What::predicate, Bench::What::partition,
                            Bench::What::unique, Bench::What::runs}) {
      if (shapes) break;
      bench.add(what, SelectionAlgorithm::automatic);
      bench.add(what, SelectionAlgorithm::mask_then_scatter);
    }
    if (shapes) add_shapes(bench);
    bench.run();
  }
  return 0;
}

}  // namespace
}  // namespace cumulo::bench

int main(int argc, char** argv) { return cumulo::bench::run(argc, argv); }
