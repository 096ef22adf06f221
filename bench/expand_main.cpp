// cumulo_bench_expand [DEVICE] [N ...]: times allocations of N counts beside the scan that they
// hold, and expansions to N outputs of 4 bytes beside the writing of them, on a GPU; each on a
// poisoned output that is checked after every run. Prints one JSON object a line.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <string>

#include "api/impl.hpp"
#include "bench/gpu_timer.hpp"
#include "cumulo/cumulo.hpp"
#include "cumulo/webgpu.hpp"
#include "gpu/executor.hpp"

namespace cumulo::bench {
namespace {

constexpr std::uint32_t timed_rounds = 11;
constexpr double heat_seconds = 0.5;

using Words = std::vector<std::uint32_t>;

template <class T>
T value_or_exit(Result<T> result) {
  if (!result) {
    fmt::print(stderr, "cumulo_bench_expand: {}\n", describe(result.error()));
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// Stores `vectors` of 16 bytes an invocation, and reads nothing.
PlanKernel writing_kernel(std::uint32_t vectors) {
  std::string stores;
  for (std::uint32_t k = 0; k < vectors; ++k) {
    stores += fmt::format("  output[first + {}u] = vec4<u32>(first);\n", k * 256);
  }
  return {"write",
          fmt::format("@group(0) @binding(0) var<storage, read_write> output: array<vec4<u32>>;\n"
                      "@compute @workgroup_size(256)\n"
                      "fn main(@builtin(workgroup_id) group: vec3<u32>,\n"
                      "        @builtin(num_workgroups) groups: vec3<u32>,\n"
                      "        @builtin(local_invocation_index) lane: u32) {{\n"
                      "  let first = (group.y * groups.x + group.x) * {}u + lane;\n{}}}\n",
                      vectors * 256, stores),
          256};
}

class Bench {
 public:
  Bench(Device& device, std::uint64_t n) : device_(device), context_(*device.impl().gpu), n_(n) {
    out_.emplace(value_or_exit(device.allocate((n + 4) * 4, "output")));
    report_.emplace(value_or_exit(device.allocate(sizeof(AllocationReport), "report")));
    verdicts_.emplace(value_or_exit(device.allocate(most_cases * sizeof(Verdict), "verdicts")));
  }

  void add_yardsticks() {
    const Buffer& from = upload(Words(n_, 1));
    Dispatches& empty = dispatches_.emplace_back();
    empty.push_back(value_or_exit(make_empty(context_, whole(*verdicts_))));
    add("empty dispatch", 0, recorder(empty));
    const BufferRange to{native_buffer(*out_), n_ * 4};
    for (const CopyShape& shape : copy_shapes) {
      if (shape.workgroup > device_.traits().limits.max_invocations_per_workgroup) continue;
      auto& copy =
          dispatches_.emplace_back(value_or_exit(make_copy(context_, shape, whole(from), to)));
      add("copy", 8 * n_, recorder(copy));
    }
    for (const std::uint32_t vectors : {1U, 2U, 4U, 8U}) {
      Plan plan{.primitive = "write",
                .algorithm = "",
                .n = n_,
                .buffers = {},
                .kernels = {},
                .steps = {}};
      plan.buffers.push_back({"output", n_ * 4, BufferRole::output});
      plan.kernels.push_back(writing_kernel(vectors));
      const auto groups = static_cast<std::uint32_t>(n_ / 4 / 256 / vectors);
      std::uint32_t rows = 1;
      while (groups / rows > 65'535) rows *= 2;
      plan.steps.push_back(DispatchStep{"", 0, {{0, 0, n_ * 4}}, {groups / rows, rows, 1}});
      auto prepared = value_or_exit(gpu::PreparedPlan::create(context_, std::move(plan), {0}));
      const gpu::BoundBuffer output{to.buffer, 0, out_->bytes()};
      auto& bound = plans_.emplace_back(
          value_or_exit(gpu::BoundPlan::create(std::move(prepared), {&output, 1}, nullptr)));
      add("write", 4 * n_, [&bound](WGPUCommandEncoder encoder) { return bound.record(encoder); });
    }
  }

  // Small counts, so that there is no overflow.
  void add_allocations() {
    Words counts(n_);
    Words offsets(n_ + 1);
    for (std::size_t i = 0; i < n_; ++i) {
      counts[i] = static_cast<std::uint32_t>(i * 2654435761U >> 16) % 15;
      offsets[i + 1] = offsets[i] + counts[i];
    }
    const Buffer& in = upload(counts);
    const Buffer& expected = upload(offsets);
    auto& scan = scans_.emplace_back(
        value_or_exit(prepare_scan(device_, {.n = n_, .include_initial = true})));
    auto& bound = bound_scans_.emplace_back(value_or_exit(bind(scan, at(in), at(*out_))));
    add(
        "scan with n + 1 results, " + scan.plan()->algorithm, 8 * n_,
        [&bound](WGPUCommandEncoder encoder) { return record(bound, encoder); },
        check(expected, n_ + 1));
    auto& allocation =
        allocations_.emplace_back(value_or_exit(prepare_allocation(device_, {.n = n_})));
    add_call("allocate, " + allocation.plan()->algorithm, 8 * n_,
             bind(allocation, {.counts = at(in), .offsets = at(*out_), .report = at(*report_)}),
             check(expected, n_ + 1));
  }

  // One of `spread` items has the outputs of all of them, and the others none.
  void add_expansion(const std::string& name, std::uint64_t items, std::uint64_t spread) {
    Words counts(items);
    for (std::size_t i = 0; i < items; i += spread) {
      counts[i] = static_cast<std::uint32_t>(n_ * spread / items);
    }
    Words values(items);
    Words expected;
    expected.reserve(n_);
    for (std::size_t i = 0; i < items; ++i) {
      values[i] = static_cast<std::uint32_t>(i) * 2654435761U;
      expected.insert(expected.end(), counts[i], values[i]);
    }
    const Buffer& in = upload(counts);
    const Buffer& from = upload(values);
    const Buffer& right = upload(expected);
    auto& expansion = expansions_.emplace_back(
        value_or_exit(prepare_expansion(device_, {.n = items, .capacity = n_})));
    add_call(
        "expand, " + name, 4 * n_,
        bind(expansion,
             {.counts = at(in), .values = at(from), .output = at(*out_), .report = at(*report_)}),
        check(right, expected.size()));
  }

  void run() {
    const BufferRange to{native_buffer(*out_), (n_ + 4) * 4};
    const Buffer& from = upload(Words(n_ + 4, 1));
    auto poison = value_or_exit(
        make_copy(context_, {.vectors = 4, .workgroup = 256, .inverted = true}, whole(from), to));
    auto timer = value_or_exit(GpuTimer::create(context_, std::move(poison), cases_.size()));
    value_or_exit(timer.run(cases_, {.timed = timed_rounds, .heat_seconds = heat_seconds}));
    std::vector<Verdict> verdicts(most_cases);
    value_or_exit(device_.read(*verdicts_, 0, std::as_writable_bytes(std::span{verdicts})));
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      std::ranges::sort(cases_[i].times_ms);
      rows_[i].ms = cases_[i].times_ms[cases_[i].times_ms.size() / 2];
      const auto& check = cases_[i].check;
      if (check.empty()) continue;
      rows_[i].is_right = verdicts[i].from_end == 0 &&
                          verdicts[i].workgroups == cases_[i].runs * workgroups_of(check);
    }
    const double copy = best("copy");
    const double write = best("write");
    for (const Row& row : rows_) {
      if (row.name == "copy" && row.ms != copy) continue;
      if (row.name == "write" && row.ms != write) continue;
      // Of a copy of 8 bytes an element, of the writing of 4.
      const double share = row.bytes == 0        ? 0
                           : row.bytes == 8 * n_ ? copy / row.ms
                                                 : write / row.ms;
      fmt::print(
          "{{\"n\": {}, \"name\": \"{}\", \"ms\": {:.4f}, \"percent\": {:.1f}, \"of\": \"{}\", "
          "\"right\": {}}}\n",
          n_, row.name, row.is_right ? row.ms : 0, row.is_right ? 100 * share : 0,
          row.bytes == 8 * n_ ? "copy" : "write", row.is_right);
    }
    std::fflush(stdout);
  }

 private:
  static constexpr std::size_t most_cases = 64;
  struct Row {
    std::string name;
    std::uint64_t bytes = 0;
    double ms = 0;
    bool is_right = true;
  };

  cumulo::BufferRange at(const Buffer& buffer) const { return {native_buffer(buffer)}; }
  BufferRange whole(const Buffer& buffer) const { return {native_buffer(buffer), buffer.bytes()}; }

  const Buffer& upload(const Words& words) {
    auto& buffer = buffers_.emplace_back(
        value_or_exit(device_.allocate((words.size() * 4 + 15) / 16 * 16, "data")));
    value_or_exit(device_.write(buffer, 0, std::as_bytes(std::span{words})));
    return buffer;
  }

  double best(const std::string& name) const {
    double ms = 0;
    for (const Row& row : rows_) {
      if (row.name == name && (ms == 0 || row.ms < ms)) ms = row.ms;
    }
    return ms;
  }

  Dispatches check(const Buffer& expected, std::uint64_t words) {
    return value_or_exit(
        make_comparison(context_, {.expected = whole(expected),
                                   .found = whole(*out_),
                                   .verdicts = whole(*verdicts_),
                                   .words = static_cast<std::uint32_t>(words),
                                   .verdict = static_cast<std::uint32_t>(cases_.size())}));
  }

  void add(std::string name, std::uint64_t bytes,
           std::function<Result<void>(WGPUCommandEncoder)> recorded, Dispatches checked = {}) {
    rows_.push_back({std::move(name), bytes});
    cases_.push_back({std::move(recorded), std::move(checked)});
  }

  void add_call(std::string name, std::uint64_t bytes, Result<BoundCall> bound,
                Dispatches checked) {
    auto& call = calls_.emplace_back(value_or_exit(std::move(bound)));
    add(
        std::move(name), bytes,
        [&call](WGPUCommandEncoder encoder) { return cumulo::record(call, encoder); },
        std::move(checked));
  }

  Device& device_;
  gpu::Context& context_;
  const std::uint64_t n_;
  std::optional<Buffer> out_, report_, verdicts_;
  // What the cases point into.
  std::deque<Buffer> buffers_;
  std::deque<Dispatches> dispatches_;
  std::deque<gpu::BoundPlan> plans_;
  std::deque<PreparedScan> scans_;
  std::deque<BoundScan> bound_scans_;
  std::deque<PreparedAllocation> allocations_;
  std::deque<PreparedExpansion> expansions_;
  std::deque<BoundCall> calls_;
  std::vector<Row> rows_;
  std::vector<TimedCase> cases_;
};

int run(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "gpu";
  std::vector<std::uint64_t> sizes;
  for (int k = 2; k < argc; ++k) sizes.push_back(std::stoull(argv[k]));
  if (sizes.empty()) sizes = {1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 28};
  Device device = value_or_exit(Device::open(name));
  if (device.info().backend == Backend::cpu) {
    fmt::print(stderr, "cumulo_bench_expand: times GPUs only\n");
    return 3;
  }
  for (std::uint64_t n : sizes) {
    n = std::max<std::uint64_t>(n / 8192 * 8192, 8192);  // whole workgroups of the yardsticks
    Bench bench(device, n);
    bench.add_yardsticks();
    bench.add_allocations();
    for (const std::uint64_t each : {1U, 4U, 16U, 64U, 256U}) {
      bench.add_expansion(fmt::format("{} each", each), n / each, 1);
    }
    bench.add_expansion("one of 64 has all", n / 4, 64);
    bench.add_expansion("one has all", n / 4, n / 4);
    bench.run();
  }
  return 0;
}

}  // namespace
}  // namespace cumulo::bench

int main(int argc, char** argv) { return cumulo::bench::run(argc, argv); }
