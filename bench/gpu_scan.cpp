#include <fmt/format.h>

#include <deque>

#include "api/impl.hpp"
#include "bench/data.hpp"
#include "bench/gpu_timer.hpp"
#include "bench/groups.hpp"
#include "bench/work.hpp"
#include "cumulo/webgpu.hpp"

namespace cumulo::bench {
namespace {

constexpr std::uint64_t round_up_16(std::uint64_t bytes) { return (bytes + 15) / 16 * 16; }

struct OurScan {
  PreparedScan prepared;
  std::size_t number;  // of its case
};

class GpuGroup {
 public:
  GpuGroup(Device& device, const Group& group, ClockKind clock)
      : device_(device), context_(*device.impl().gpu), group_(group), clock_(clock) {}

  Result<void> run(const Rounds& rounds) {
    const std::uint64_t bytes = round_up_16((group_.n + 1) * element_bytes());
    if (const auto most = context_.traits().limits.max_storage_binding_size; bytes > most) {
      const std::string why = fmt::format(
          "{} bytes of results do not fit one binding (max_storage_binding_size {})", bytes, most);
      for (const ScanDescription& scan : group_.scans) add_refused(scan, why);
      if (group_.reduces) add_refused_reduce(why);
      return {};
    }
    if (auto ok = upload(); !ok) return ok;
    if (auto ok = add_empty(); !ok) return ok;
    const Limits& limits = context_.traits().limits;
    for (const CopyShape& shape : copy_shapes) {
      if (shape.workgroup > limits.max_invocations_per_workgroup) continue;
      if (auto ok = add_copy(shape); !ok) return ok;
    }
    for (const ScanDescription& scan : group_.scans) {
      if (auto ok = add_scan(scan); !ok) return ok;
    }
    if (group_.reduces) {
      if (auto ok = add_reduce(); !ok) return ok;
    }
    auto poison = make_copy(context_, {.vectors = 4, .workgroup = 256, .inverted = true},
                            whole(*in_), whole(*out_));
    if (!poison) return std::unexpected{std::move(poison.error())};
    auto timer = GpuTimer::create(context_, std::move(*poison), cases_.size());
    if (!timer) return std::unexpected{std::move(timer.error())};
    if (auto ok = timer->run(cases_, rounds); !ok) return ok;
    return judge();
  }

  void report_to(Report& report) {
    for (std::size_t i = 0; i < cases_.size(); ++i) set_times(measurements_[i], cases_[i].times_ms);
    for (Measurement& m : measurements_) report.measurements.push_back(std::move(m));
    for (Measurement& m : refused_) report.measurements.push_back(std::move(m));
  }

 private:
  std::uint64_t element_bytes() const { return size_of(group_.type); }

  BufferRange whole(const Buffer& buffer) const { return {native_buffer(buffer), buffer.bytes()}; }

  Measurement measurement(std::string name, Role role) const {
    const std::uint64_t array = group_.n * element_bytes();
    const std::uint64_t bytes = role == Role::empty ? 0 : role == Role::reduce ? array : 2 * array;
    return {.name = std::move(name),
            .role = role,
            .n = group_.n,
            .type = group_.type,
            .op = group_.op,
            .bytes = bytes,
            .clock = clock_};
  }

  Measurement scan_measurement(const ScanDescription& scan, std::string_view algorithm) const {
    Measurement m = measurement(our_name(scan), Role::scan);
    m.kind = scan.kind;
    m.algorithm = algorithm;
    return m;
  }

  void add_refused(const ScanDescription& scan, const std::string& why) {
    Measurement m = scan_measurement(scan, name(scan.algorithm));
    m.failure = why;
    m.refused = true;
    refused_.push_back(std::move(m));
  }

  void add_refused_reduce(const std::string& why) {
    Measurement m = measurement("cumulo, reduce", Role::reduce);
    m.failure = why;
    m.refused = true;
    refused_.push_back(std::move(m));
  }

  // The arrays are a whole number of vectors long, for the copies' sake.
  Result<void> upload() {
    const std::uint64_t bytes = group_.n * element_bytes();
    const std::uint64_t most_cases = 2 + copy_shapes.size() + group_.scans.size();
    const auto allocate = [&](std::uint64_t size, const char* label,
                              std::optional<Buffer>& to) -> Result<void> {
      auto buffer = device_.allocate(round_up_16(size), label);
      if (!buffer) return std::unexpected{std::move(buffer.error())};
      to.emplace(std::move(*buffer));
      return {};
    };
    if (auto ok = allocate(bytes, "input", in_); !ok) return ok;
    if (auto ok = allocate(bytes, "output", out_); !ok) return ok;
    if (auto ok = allocate(bytes + element_bytes(), "prefixes", prefixes_); !ok) return ok;
    if (auto ok = allocate(most_cases * sizeof(Verdict), "verdicts", verdicts_); !ok) return ok;
    return with_type(group_.type, [&]<class T>() -> Result<void> {
      auto data = make_data<T>(group_.op, group_.n);
      if (!data) return std::unexpected{std::move(data.error())};
      const auto bytes_of = [](const Lines<T>& lines, std::uint64_t n) {
        return std::as_bytes(std::span{lines.get(), n});
      };
      auto ok = device_.write(*in_, 0, bytes_of(data->in, group_.n));
      return ok ? device_.write(*prefixes_, 0, bytes_of(data->prefixes, group_.n + 1)) : ok;
    });
  }

  // shift: where in `expected` the `results` elements of the result begin, in elements.
  Result<void> add(Measurement m, std::function<Result<void>(WGPUCommandEncoder)> record_case,
                   const Buffer& expected, std::uint64_t shift, std::uint64_t results) {
    const std::uint64_t words = element_bytes() / 4;
    auto check = make_comparison(context_, {.expected = whole(expected),
                                            .found = whole(*out_),
                                            .verdicts = whole(*verdicts_),
                                            .words = static_cast<std::uint32_t>(results * words),
                                            .shift = static_cast<std::uint32_t>(shift * words),
                                            .verdict = static_cast<std::uint32_t>(cases_.size())});
    if (!check) return std::unexpected{std::move(check.error())};
    measurements_.push_back(std::move(m));
    cases_.push_back({std::move(record_case), std::move(*check)});
    results_.push_back(results);
    return {};
  }

  Result<void> add_empty() {
    auto empty = make_empty(context_, whole(*verdicts_));
    if (!empty) return std::unexpected{std::move(empty.error())};
    measurements_.push_back(measurement("empty dispatch", Role::empty));
    cases_.push_back({recorder(std::move(*empty))});
    results_.push_back(0);
    return {};
  }

  Result<void> add_copy(const CopyShape& shape) {
    auto copy = make_copy(context_, shape, whole(*in_), whole(*out_));
    if (!copy) return std::unexpected{std::move(copy.error())};
    return add(measurement(fmt::format("copy, vec4 x {} by {}", shape.vectors, shape.workgroup),
                           Role::copy),
               recorder(std::move(*copy)), *in_, 0, group_.n);
  }

  Result<void> add_scan(const ScanDescription& description) {
    auto scan = prepare_scan(device_, description);
    if (!scan) {
      if (scan.error().kind != ErrorKind::unsupported) {
        return std::unexpected{std::move(scan.error())};
      }
      add_refused(description, scan.error().message);
      return {};
    }
    PreparedScan& prepared = scans_.emplace_back(std::move(*scan), cases_.size()).prepared;
    Measurement m = scan_measurement(description, prepared.plan()->algorithm);
    if (group_.with_work) {
      m.work = work_of(*prepared.plan());
      auto additions = count_additions(device_, *prepared.plan());
      if (!additions) return std::unexpected{std::move(additions.error())};
      m.work->additions = *additions;
    }
    return add(
        std::move(m),
        [this, &prepared](WGPUCommandEncoder encoder) {
          return cumulo::record(prepared, encoder, native_buffer(*in_), native_buffer(*out_));
        },
        *prefixes_, description.kind == ScanKind::exclusive ? 0 : 1, group_.n);
  }

  Result<void> add_reduce() {
    auto reduce = prepare_reduce(device_, {.n = group_.n, .type = group_.type, .op = group_.op});
    if (!reduce) {
      if (reduce.error().kind != ErrorKind::unsupported) {
        return std::unexpected{std::move(reduce.error())};
      }
      add_refused_reduce(reduce.error().message);
      return {};
    }
    PreparedReduce& prepared = reduce_.emplace(std::move(*reduce));
    Measurement m = measurement("cumulo, reduce", Role::reduce);
    m.algorithm = prepared.plan()->algorithm;
    return add(
        std::move(m),
        [this, &prepared](WGPUCommandEncoder encoder) {
          return cumulo::record(prepared, encoder, native_buffer(*in_), native_buffer(*out_));
        },
        *prefixes_, group_.n, 1);
  }

  std::function<Result<void>(WGPUCommandEncoder)> recorder(Dispatch dispatch) {
    const Dispatch& kept = dispatches_.emplace_back(std::move(dispatch));
    return [&kept](WGPUCommandEncoder encoder) -> Result<void> {
      record(encoder, kept);
      return {};
    };
  }

  // No time is believed whose result was wrong, or was not looked at.
  Result<void> judge() {
    std::vector<Verdict> verdicts(cases_.size());
    if (auto ok = device_.read(*verdicts_, 0, std::as_writable_bytes(std::span{verdicts})); !ok) {
      return ok;
    }
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const TimedCase& c = cases_[i];
      if (!c.check) continue;
      const std::uint64_t words = results_[i] * (element_bytes() / 4);
      if (verdicts[i].from_end != 0) {
        measurements_[i].failure =
            fmt::format("its result is wrong at element {}",
                        (words - verdicts[i].from_end) / (element_bytes() / 4));
      } else if (verdicts[i].workgroups != c.runs * c.check->workgroups[0]) {
        measurements_[i].failure = "its results could not all be checked";
      }
    }
    for (OurScan& scan : scans_) {
      if (auto ok = scan.prepared.finish(); !ok) {
        if (ok.error().kind != ErrorKind::stalled) return ok;
        measurements_[scan.number].failure = ok.error().message;
      }
    }
    return {};
  }

  Device& device_;
  gpu::Context& context_;
  const Group& group_;
  const ClockKind clock_;
  std::optional<Buffer> in_;
  std::optional<Buffer> out_;
  std::optional<Buffer> prefixes_;
  std::optional<Buffer> verdicts_;
  std::deque<OurScan> scans_;  // which the cases point into,
  std::optional<PreparedReduce> reduce_;
  std::deque<Dispatch> dispatches_;  // and into these
  std::vector<TimedCase> cases_;
  std::vector<std::uint64_t> results_;     // of the cases: elements that are compared
  std::vector<Measurement> measurements_;  // of the cases, in their order
  std::vector<Measurement> refused_;
};

}  // namespace

Result<void> measure_on_gpu(Device& device, const Group& group, const GpuTiming& timing,
                            Report& report) {
  const bool stamps = device.traits().timestamps && !timing.wall_clock;
  GpuGroup measured(device, group, stamps ? ClockKind::device : ClockKind::wall);
  auto ok = measured.run(
      {.timed = report.runs, .heat_seconds = timing.heat_seconds, .wall_clock = timing.wall_clock});
  if (ok) measured.report_to(report);
  return ok;
}

}  // namespace cumulo::bench
