#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>

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
    const std::uint64_t words = (group_.n + slack) * words_each();
    if (words > std::numeric_limits<std::uint32_t>::max()) {
      refuse_all(fmt::format("{} elements have more words than 32 bits count", group_.n));
      return {};
    }
    if (auto ok = upload(); !ok) {
      if (ok.error().kind != ErrorKind::unsupported) return ok;
      refuse_all(ok.error().message);
      return {};
    }
    if (auto ok = add_empty(); !ok) return ok;
    const Limits& limits = context_.traits().limits;
    for (const CopyShape& shape : copy_shapes) {
      if (shape.workgroup > limits.max_invocations_per_workgroup) continue;
      if (auto ok = add_copy(shape); !ok) return ok;
    }
    for (const GroupScan& scan : group_.scans) {
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
  // Elements beside the n: of include_initial, and of what lies at odd offsets.
  static constexpr std::uint64_t slack = 4;
  static constexpr std::uint64_t odd_input = 1;
  static constexpr std::uint64_t odd_output = 3;
  static constexpr const char* reduce_name = "cumulo, reduce";

  std::uint64_t element_bytes() const {
    return group_.monoid ? group_.monoid->element_bytes() : size_of(group_.type);
  }

  bool has_halves() const { return !group_.monoid && group_.type == Type::f16; }
  // Words of an element, or halves, that are compared.
  std::uint64_t words_each() const { return has_halves() ? 1 : element_bytes() / 4; }

  BufferRange whole(const Buffer& buffer) const { return {native_buffer(buffer), buffer.bytes()}; }

  // The n elements from its beginning, as whole vectors.
  BufferRange elements(const Buffer& buffer) const {
    return {native_buffer(buffer), round_up_16(group_.n * element_bytes())};
  }

  bool has(Layout layout) const {
    return std::ranges::any_of(group_.scans,
                               [&](const GroupScan& scan) { return scan.layout == layout; });
  }

  Measurement measurement(std::string name, Role role) const {
    const std::uint64_t array = group_.n * element_bytes();
    const std::uint64_t bytes = role == Role::empty ? 0 : role == Role::reduce ? array : 2 * array;
    return {.name = std::move(name),
            .role = role,
            .n = group_.n,
            .type = group_.monoid ? element_name(*group_.monoid)
                                  : std::string(cumulo::name(group_.type)),
            .op = group_.monoid ? group_.monoid->name : std::string(cumulo::name(group_.op)),
            .bytes = bytes,
            .clock = clock_};
  }

  Measurement scan_measurement(const GroupScan& scan, std::string_view algorithm) const {
    Measurement m = measurement(our_name(scan), Role::scan);
    m.kind = scan.description.kind;
    m.algorithm = algorithm;
    return m;
  }

  void refuse_all(const std::string& why) {
    for (const GroupScan& scan : group_.scans) add_refused(scan, why);
    if (group_.reduces) add_refused_reduce(why);
  }

  void add_refused(const GroupScan& scan, const std::string& why) {
    Measurement m = scan_measurement(scan, cumulo::name(scan.description.algorithm));
    m.failure = why;
    m.refused = true;
    refused_.push_back(std::move(m));
  }

  void add_refused_reduce(const std::string& why) {
    Measurement m = measurement(reduce_name, Role::reduce);
    m.failure = why;
    m.refused = true;
    refused_.push_back(std::move(m));
  }

  Result<void> allocate(std::uint64_t bytes, const char* label, std::optional<Buffer>& to) {
    auto buffer = device_.allocate(round_up_16(bytes), label);
    if (!buffer) return std::unexpected{std::move(buffer.error())};
    to.emplace(std::move(*buffer));
    return {};
  }

  Result<void> upload() {
    const std::uint64_t bytes = (group_.n + slack) * element_bytes();
    const std::uint64_t most_cases = 2 + copy_shapes.size() + group_.scans.size();
    if (auto ok = allocate(bytes, "input", in_); !ok) return ok;
    if (auto ok = allocate(bytes, "output", out_); !ok) return ok;
    if (auto ok = allocate(bytes, "prefixes", prefixes_); !ok) return ok;
    if (auto ok = allocate(most_cases * sizeof(Verdict), "verdicts", verdicts_); !ok) return ok;
    if (has(Layout::odd_offsets)) {
      if (auto ok = allocate(bytes, "input at an odd offset", odd_in_); !ok) return ok;
    }
    if (has(Layout::reverse)) {
      if (auto ok = allocate(bytes, "suffixes", suffixes_); !ok) return ok;
    }
    if (group_.monoid) {
      const auto combined = [](const Affine& older, const Affine& newer) {
        return Affine{older.a * newer.a, newer.a * older.b + newer.b};
      };
      return upload_data(make_data<Affine>(group_.n, Affine{}, affine_sample, combined), combined);
    }
    return with_type(group_.type, [&]<class T>() {
      return upload_data(make_data<T>(group_.op, group_.n),
                         [&](CombinedAs<T> older, CombinedAs<T> newer) {
                           return combine(group_.op, older, newer);
                         });
    });
  }

  template <class T, class Combine>
  Result<void> upload_data(Result<Data<T>> data, const Combine& combined) {
    if (!data) return std::unexpected{std::move(data.error())};
    const auto write = [&](const Buffer& to, std::uint64_t at, const Lines<T>& lines,
                           std::uint64_t n) {
      return context_.write(native_buffer(to), at * sizeof(T),
                            std::as_bytes(std::span{lines.get(), n}));
    };
    if (auto ok = write(*in_, 0, data->in, group_.n); !ok) return ok;
    if (auto ok = write(*prefixes_, 0, data->prefixes, group_.n + 1); !ok) return ok;
    if (odd_in_) {
      if (auto ok = write_odd(*data); !ok) return ok;
    }
    if (!suffixes_) return {};
    turn_round(*data, combined);
    return write(*suffixes_, 0, data->prefixes, group_.n + 1);
  }

  template <class T>
  Result<void> write_odd(const Data<T>& data) {
    const std::span in{data.in.get(), group_.n};
    if constexpr (sizeof(T) % 4 == 0) {
      return device_.write(*odd_in_, odd_input * sizeof(T), std::as_bytes(in));
    } else {
      // From the word on in which they begin.
      std::vector<T> shifted(odd_input);
      shifted.insert(shifted.end(), in.begin(), in.end());
      return context_.write(native_buffer(*odd_in_), 0, std::as_bytes(std::span{shifted}));
    }
  }

  // What a result must be, in elements: `count` of them from `at` in `values`, found from
  // `found_at`.
  struct Expected {
    const Buffer& values;
    std::uint64_t at;
    std::uint64_t count;
    std::uint64_t found_at = 0;
  };

  Result<void> add(Measurement m, std::function<Result<void>(WGPUCommandEncoder)> record_case,
                   const Expected& expected, Dispatches before = {}) {
    const std::uint64_t words = words_each();
    auto check = make_comparison(context_,
                                 {.expected = whole(expected.values),
                                  .found = whole(*out_),
                                  .verdicts = whole(*verdicts_),
                                  .words = static_cast<std::uint32_t>(expected.count * words),
                                  .expected_at = static_cast<std::uint32_t>(expected.at * words),
                                  .found_at = static_cast<std::uint32_t>(expected.found_at * words),
                                  .verdict = static_cast<std::uint32_t>(cases_.size()),
                                  .halves = has_halves()});
    if (!check) return std::unexpected{std::move(check.error())};
    measurements_.push_back(std::move(m));
    counts_.push_back(expected.count);
    cases_.push_back({std::move(record_case), std::move(*check), std::move(before)});
    return {};
  }

  Result<void> add_empty() {
    auto empty = make_empty(context_, whole(*verdicts_));
    if (!empty) return std::unexpected{std::move(empty.error())};
    measurements_.push_back(measurement("empty dispatch", Role::empty));
    counts_.push_back(0);
    Dispatches alone;
    alone.push_back(std::move(*empty));
    cases_.push_back({kept_recorder(std::move(alone))});
    return {};
  }

  Result<void> add_copy(const CopyShape& shape) {
    auto copy = make_copy(context_, shape, elements(*in_), elements(*out_));
    if (!copy) return std::unexpected{std::move(copy.error())};
    return add(measurement(fmt::format("copy, vec4 x {} by {}", shape.vectors, shape.workgroup),
                           Role::copy),
               kept_recorder(std::move(*copy)), {*in_, 0, group_.n});
  }

  Result<void> add_scan(const GroupScan& ours) {
    const ScanDescription& description = ours.description;
    auto scan = prepare_scan(device_, description);
    if (!scan) {
      if (scan.error().kind != ErrorKind::unsupported) {
        return std::unexpected{std::move(scan.error())};
      }
      add_refused(ours, scan.error().message);
      return {};
    }
    PreparedScan& prepared = scans_.emplace_back(std::move(*scan), cases_.size()).prepared;
    const cumulo::BufferRange in = input_of(ours.layout);
    const std::uint64_t found_at = ours.layout == Layout::odd_offsets ? odd_output : 0;
    auto bound = bind(prepared, in, {native_buffer(*out_), found_at * element_bytes()});
    if (!bound) return std::unexpected{std::move(bound.error())};
    BoundScan& kept = bound_.emplace_back(std::move(*bound));
    Measurement m = scan_measurement(ours, kept.plan().algorithm);
    if (group_.with_work && ours.layout == Layout::plain) {
      m.work = work_of(kept.plan());
      auto additions = count_additions(device_, kept.plan());
      if (!additions) return std::unexpected{std::move(additions.error())};
      m.work->additions = *additions;
    }
    Dispatches before;
    if (ours.layout == Layout::in_place) {
      auto restore =
          make_copy(context_, {.vectors = 4, .workgroup = 256}, whole(*in_), whole(*out_));
      if (!restore) return std::unexpected{std::move(restore.error())};
      before = std::move(*restore);
    }
    const bool exclusive = description.kind == ScanKind::exclusive;
    const bool reverse = description.reverse;
    const std::uint64_t at = description.include_initial || exclusive != reverse ? 0 : 1;
    return add(
        std::move(m), [&kept](WGPUCommandEncoder encoder) { return cumulo::record(kept, encoder); },
        {reverse ? *suffixes_ : *prefixes_, at, result_count(description), found_at},
        std::move(before));
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
    Measurement m = measurement(reduce_name, Role::reduce);
    m.algorithm = prepared.plan()->algorithm;
    return add(std::move(m),
               [this, &prepared](WGPUCommandEncoder encoder) {
                 return cumulo::record(prepared, encoder, native_buffer(*in_),
                                       native_buffer(*out_));
               },
               {*prefixes_, group_.n, 1});
  }

  cumulo::BufferRange input_of(Layout layout) const {
    if (layout == Layout::in_place) return {native_buffer(*out_), 0};
    if (layout == Layout::odd_offsets) {
      return {native_buffer(*odd_in_), odd_input * element_bytes()};
    }
    return {native_buffer(*in_), 0};
  }

  std::function<Result<void>(WGPUCommandEncoder)> kept_recorder(Dispatches dispatches) {
    return recorder(dispatches_.emplace_back(std::move(dispatches)));
  }

  // No time is believed whose result was wrong, or was not looked at.
  Result<void> judge() {
    std::vector<Verdict> verdicts(cases_.size());
    if (auto ok = device_.read(*verdicts_, 0, std::as_writable_bytes(std::span{verdicts})); !ok) {
      return ok;
    }
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const TimedCase& c = cases_[i];
      if (c.check.empty()) continue;
      const std::uint64_t words = counts_[i] * words_each();
      if (verdicts[i].from_end != 0) {
        measurements_[i].failure = fmt::format("its result is wrong at element {}",
                                               (words - verdicts[i].from_end) / words_each());
      } else if (verdicts[i].workgroups != c.runs * workgroups_of(c.check)) {
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
  std::optional<Buffer> suffixes_;  // where a scan is in reverse
  std::optional<Buffer> odd_in_;    // the input from element odd_input on
  std::optional<Buffer> verdicts_;
  std::deque<OurScan> scans_;
  std::deque<BoundScan> bound_;  // which the cases point into,
  std::optional<PreparedReduce> reduce_;
  std::deque<Dispatches> dispatches_;  // and into these
  std::vector<std::uint64_t> counts_;  // results of the cases, in elements
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
