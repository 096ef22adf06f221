#include "bench/repeat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <span>
#include <thread>

#include "api/impl.hpp"
#include "bench/data.hpp"
#include "bench/digest.hpp"
#include "bench/gpu_kernels.hpp"
#include "cumulo/scan.hpp"
#include "cumulo/webgpu.hpp"

namespace cumulo::bench {
namespace {

constexpr std::uint32_t runs_between_waits = 16;  // what a queue holds at a time

// A float in [-1, 1).
float signed_noise(std::uint64_t i) {
  return static_cast<float>(hash(static_cast<std::uint32_t>(i)) >> 8) * 0x1p-23F - 1;
}

// Near 1, so that products of very many stay within range.
float factor(std::uint64_t i) { return 1 + signed_noise(i) * 0x1p-12F; }

struct Scan {
  std::string name;
  ScanDescription description;
};

std::vector<Scan> scans_of(const Device& device) {
  std::vector<Scan> scans;
  for (const Operator op : {Operator::add, Operator::mul, Operator::min, Operator::max}) {
    scans.push_back({.name = {}, .description = {.type = Type::f32, .op = op}});
  }
  scans.push_back({.name = {}, .description = {.type = Type::u64}});
  scans.push_back({.name = {}, .description = {.type = Type::f16}});
  scans.push_back({.name = {}, .description = {.type = Type::f32, .wide = true}});
  scans.push_back({.name = {}, .description = {.monoid = affine_monoid()}});
  scans.push_back({.name = {}, .description = {.monoid = matrix_monoid()}});
  if (device.info().backend == Backend::cpu) {
    scans.push_back({.name = {}, .description = {.type = Type::f64}});
  }
  for (Scan& scan : scans) {
    const ScanDescription& d = scan.description;
    scan.name = (d.monoid ? "" : element_name(d) + " ") + operator_name(d);
  }
  return scans;
}

template <class T, class F>
std::vector<std::byte> array_of(std::uint64_t n, F&& value) {
  std::vector<std::byte> bytes(n * sizeof(T));
  for (std::uint64_t i = 0; i < n; ++i) {
    const T x = value(i);
    std::memcpy(&bytes[i * sizeof(T)], &x, sizeof(T));
  }
  return bytes;
}

// Values whose sums and products show in which order they were combined.
std::vector<std::byte> input_of(const ScanDescription& d) {
  if (d.monoid && d.monoid->element_bytes() == sizeof(Affine)) {
    return array_of<Affine>(
        d.n, [](std::uint64_t i) { return Affine{factor(i), signed_noise(i ^ 0x5555)}; });
  }
  if (d.monoid) {
    // Turned a little and stretched a little: the products neither vanish nor overflow.
    return array_of<Matrix2x2>(d.n, [](std::uint64_t i) {
      const float turn = signed_noise(i) * 0x1p-9F;
      return Matrix2x2{{factor(i), turn, -turn, factor(i)}};
    });
  }
  return with_type(d.type, [&]<class T>() {
    return array_of<T>(d.n, [&](std::uint64_t i) -> T {
      if constexpr (!std::is_integral_v<T>) {
        if (d.op == Operator::add) return static_cast<T>(signed_noise(i));
        if (d.op == Operator::mul) return static_cast<T>(factor(i));
      }
      return sample<T>(d.op, i, d.n);
    });
  });
}

std::string text_of(const Digest& results, const Digest& total) {
  return fmt::format("{:08x}{:08x}-{:08x}{:08x}", results[0], results[1], total[0], total[1]);
}

// What one run left: all its results, and its total.
struct Outcome {
  Digest results{};
  Digest total{};
  bool stalled = false;  // then the others mean nothing
  bool operator==(const Outcome&) const = default;
};

// Another thread that scans and copies, on a device of its own and on the CPU, until it goes.
class OtherWork {
 public:
  explicit OtherWork(Device& device)
      : thread_([this, &device](const std::stop_token& stop) { work(device, stop); }) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return scans_ > 0 || error_; });  // it runs before the first run does
  }

  // How many scans it did; what stopped it, if anything did.
  Result<std::uint64_t> finish() {
    thread_.request_stop();
    thread_.join();
    if (error_) return std::unexpected{std::move(*error_)};
    return scans_;
  }

 private:
  void work(Device& device, const std::stop_token& stop) {
    Device cpu = Device::cpu();
    const bool hardware =
        device.info().backend == Backend::webgpu && device.info().kind != DeviceKind::software;
    const std::uint64_t most = hardware ? std::uint64_t{1} << 22 : 20'000;
    std::vector<std::uint32_t> in(most);
    std::vector<std::uint32_t> out(most);
    std::vector<std::uint32_t> copy(std::size_t{1} << 20);
    for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = hash(i);
    for (std::uint64_t i = 0; !stop.stop_requested(); ++i) {
      const std::uint64_t n = most >> (i % 5);
      Device& chosen = i % 3 == 2 ? cpu : device;
      auto scanned = scan_bytes(chosen, {.n = n}, std::as_bytes(std::span{in}.first(n)),
                                std::as_writable_bytes(std::span{out}.first(n)));
      std::ranges::fill(copy, static_cast<std::uint32_t>(i));
      const std::lock_guard lock(mutex_);
      if (!scanned) {
        error_ = std::move(scanned.error());
        changed_.notify_all();
        return;
      }
      ++scans_;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t scans_ = 0;
  std::optional<Error> error_;
  std::jthread thread_;
};

// Digests are of whole words: the last of an odd number of halves is seen as the total, which has a
// word of its own.
std::uint64_t digested_bytes(const ScanDescription& d) {
  return result_count(d) * element_bytes(d) / 4 * 4;
}
std::uint64_t total_bytes(const ScanDescription& d) {
  return std::max<std::uint64_t>(element_bytes(d), 4);
}

Result<std::vector<Outcome>> run_on_cpu(Device& device, const ScanDescription& d,
                                        std::span<const std::byte> in, std::uint32_t runs) {
  std::vector<Outcome> outcomes;
  std::vector<std::byte> out(result_count(d) * element_bytes(d));
  for (std::uint32_t run = 0; run < runs; ++run) {
    std::ranges::fill(out, static_cast<std::byte>(0xCD));
    auto scanned = scan_bytes(device, d, in, out);
    if (!scanned) return std::unexpected{std::move(scanned.error())};
    scanned->total_bytes.resize(total_bytes(d));
    outcomes.push_back({.results = digest_of(std::span{out}.first(digested_bytes(d))),
                        .total = digest_of(scanned->total_bytes)});
  }
  return outcomes;
}

// The runs of one scan on a GPU, in a queue that holds other work as well.
class GpuRepeats {
 public:
  GpuRepeats(Device& device, const ScanDescription& d)
      : device_(device), context_(*device.impl().gpu), d_(d) {}

  Result<void> prepare(std::span<const std::byte> input) {
    auto in = device_.upload(input, "input");
    if (!in) return std::unexpected{std::move(in.error())};
    in_.emplace(std::move(*in));
    const std::uint64_t bytes = (result_count(d_) * element_bytes(d_) + 15) / 16 * 16;
    for (auto* buffer : {&out_, &noise_, &copied_, &other_out_}) {
      auto allocated = device_.allocate(bytes, "repeats");
      if (!allocated) return std::unexpected{std::move(allocated.error())};
      buffer->emplace(std::move(*allocated));
    }
    auto digest = device_.allocate(sizeof(Digest), "digest");
    if (!digest) return std::unexpected{std::move(digest.error())};
    digest_.emplace(std::move(*digest));
    if (auto ok = prepare_kernels(); !ok) return ok;
    return prepare_scans();
  }

  const std::string& algorithm() const { return bound_->plan().algorithm; }

  Result<std::vector<Outcome>> run(std::uint32_t runs) {
    // A digest, the status, the total.
    const std::uint64_t stride = total_at + total_bytes(d_);
    auto kept = device_.allocate(runs * stride, "outcomes");
    if (!kept) return std::unexpected{std::move(kept.error())};
    for (std::uint32_t run = 0; run < runs; ++run) {
      auto encoder = context_.create_encoder("repeats");
      if (!encoder) return std::unexpected{std::move(encoder.error())};
      auto ok = record_run(encoder->get(), run, native_buffer(*kept), run * stride);
      if (ok) ok = context_.submit(*encoder);
      if (ok && run % runs_between_waits == runs_between_waits - 1) ok = finish();
      if (!ok) return std::unexpected{std::move(ok.error())};
    }
    if (auto ok = finish(); !ok) return std::unexpected{std::move(ok.error())};
    std::vector<std::byte> bytes(runs * stride);
    if (auto ok = device_.read(*kept, 0, bytes); !ok) return std::unexpected{std::move(ok.error())};
    std::vector<Outcome> outcomes(runs);
    for (std::uint32_t run = 0; run < runs; ++run) {
      const auto one = std::span{bytes}.subspan(run * stride, stride);
      std::memcpy(&outcomes[run].results, one.data(), sizeof(Digest));
      std::uint32_t status = 0;
      std::memcpy(&status, &one[sizeof(Digest)], sizeof status);
      outcomes[run].stalled = (status & status_stalled) != 0;
      outcomes[run].total = digest_of(one.subspan(total_at));
    }
    return outcomes;
  }

 private:
  static constexpr std::uint64_t total_at = sizeof(Digest) + 4;

  // Each run says for itself whether it stalled; here it is seen to that the next ones start anew.
  Result<void> finish() {
    auto ok = prepared_->finish();
    if (!ok && ok.error().kind == ErrorKind::stalled && !context_.traits().forward_progress)
      return {};
    return ok;
  }

  BufferRange whole(const Buffer& buffer) const { return {native_buffer(buffer), buffer.bytes()}; }

  Result<void> prepare_kernels() {
    auto poison = make_copy(context_, {.vectors = 4, .workgroup = 256, .inverted = true},
                            whole(*noise_), whole(*out_));
    if (!poison) return std::unexpected{std::move(poison.error())};
    poison_ = std::move(*poison);
    const std::uint32_t widest = context_.traits().limits.max_invocations_per_workgroup;
    for (const CopyShape& shape : copy_shapes) {
      if (shape.workgroup > widest) continue;
      auto copy = make_copy(context_, shape, whole(*noise_), whole(*copied_));
      if (!copy) return std::unexpected{std::move(copy.error())};
      copies_.push_back(std::move(*copy));
    }
    const auto words = static_cast<std::uint32_t>(digested_bytes(d_) / 4);
    auto digest = make_digest(context_, whole(*out_), words, whole(*digest_));
    if (!digest) return std::unexpected{std::move(digest.error())};
    digest_kernel_ = std::move(*digest);
    return {};
  }

  Result<void> prepare_scans() {
    auto prepared = prepare_scan(device_, d_);
    if (!prepared) return std::unexpected{std::move(prepared.error())};
    prepared_.emplace(std::move(*prepared));
    auto bound = bind(*prepared_, {native_buffer(*in_), 0}, {native_buffer(*out_), 0});
    if (!bound) return std::unexpected{std::move(bound.error())};
    bound_.emplace(std::move(*bound));
    // Of what the copies copy: u32, as many as there are.
    auto other = prepare_scan(device_, {.n = noise_->bytes() / 4});
    if (!other) return std::unexpected{std::move(other.error())};
    other_.emplace(std::move(*other));
    return {};
  }

  // Beside the run: now this, now that, so that no two neighbouring runs have the same company.
  Result<void> record_other_work(WGPUCommandEncoder encoder, std::uint32_t turn) {
    if (turn % 2 == 0) record(encoder, copies_[turn / 2 % copies_.size()]);
    if (turn % 3 != 0) return {};
    return cumulo::record(*other_, encoder, native_buffer(*noise_), native_buffer(*other_out_));
  }

  Result<void> record_run(WGPUCommandEncoder encoder, std::uint32_t run, WGPUBuffer kept,
                          std::uint64_t at) {
    record(encoder, poison_);
    if (auto ok = record_other_work(encoder, run); !ok) return ok;
    if (auto ok = cumulo::record(*bound_, encoder); !ok) return ok;
    if (auto ok = record_other_work(encoder, run + 1); !ok) return ok;
    wgpuCommandEncoderClearBuffer(encoder, native_buffer(*digest_), 0, sizeof(Digest));
    record(encoder, *digest_kernel_);
    wgpuCommandEncoderCopyBufferToBuffer(encoder, native_buffer(*digest_), 0, kept, at,
                                         sizeof(Digest));
    if (const cumulo::BufferRange status = bound_->status(); status.buffer != nullptr) {
      wgpuCommandEncoderCopyBufferToBuffer(encoder, status.buffer, status.offset, kept,
                                           at + sizeof(Digest), 4);
    }
    const cumulo::BufferRange total = bound_->total();
    wgpuCommandEncoderCopyBufferToBuffer(encoder, total.buffer, total.offset, kept, at + total_at,
                                         total_bytes(d_));
    return {};
  }

  Device& device_;
  gpu::Context& context_;
  const ScanDescription& d_;
  std::optional<Buffer> in_;
  std::optional<Buffer> out_;
  std::optional<Buffer> noise_;
  std::optional<Buffer> copied_;
  std::optional<Buffer> other_out_;
  std::optional<Buffer> digest_;
  Dispatches poison_;
  std::optional<Dispatch> digest_kernel_;
  std::vector<Dispatches> copies_;
  std::optional<PreparedScan> prepared_;
  std::optional<BoundScan> bound_;
  std::optional<PreparedScan> other_;
};

void judge(const std::vector<Outcome>& outcomes, const Outcome& expected, RepeatRow& row) {
  const auto first = std::ranges::find(outcomes, false, &Outcome::stalled);
  row.stalled = static_cast<std::uint32_t>(std::ranges::count(outcomes, true, &Outcome::stalled));
  if (first == outcomes.end()) {
    row.failure = "every run stalled";
    row.refused = true;
    return;
  }
  row.digest = text_of(first->results, first->total);
  row.as_on_cpu = *first == expected;
  for (std::uint32_t run = 0; run < outcomes.size(); ++run) {
    if (outcomes[run].stalled || outcomes[run] == *first) continue;
    if (!row.first_other) row.first_other = run;
    ++row.others;
  }
}

// Fills the row; an error is one that ends it all.
Result<void> repeat(Device& device, const ScanDescription& d, std::span<const std::byte> in,
                    const Outcome& expected, RepeatRow& row) {
  const auto outcomes = [&]() -> Result<std::vector<Outcome>> {
    if (device.info().backend == Backend::cpu) return run_on_cpu(device, d, in, row.runs);
    GpuRepeats repeats(device, d);
    if (auto ok = repeats.prepare(in); !ok) return std::unexpected{std::move(ok.error())};
    row.algorithm = repeats.algorithm();
    return repeats.run(row.runs);
  }();
  if (outcomes) {
    judge(*outcomes, expected, row);
    return {};
  }
  row.refused = outcomes.error().kind == ErrorKind::unsupported;
  if (!row.refused && outcomes.error().kind != ErrorKind::stalled) {
    return std::unexpected{outcomes.error()};
  }
  row.failure = outcomes.error().message;
  return {};
}

// Few elements and many, neither a multiple of anything.
std::vector<std::uint64_t> usual_sizes(const DeviceInfo& device) {
  if (device.backend == Backend::cpu) return {4'099, 600'011};
  if (device.kind == DeviceKind::software) return {1'027, 9'001};
  return {60'013, 10'000'019};
}

}  // namespace

Result<RepeatReport> measure_repeats(Device& device, Device& other, const RepeatOptions& options) {
  const auto sizes = options.sizes.empty() ? usual_sizes(device.info()) : options.sizes;
  if (std::ranges::find(sizes, 0U) != sizes.end()) {
    return std::unexpected{Error{ErrorKind::bad_argument, "bench repeat takes sizes above 0"}};
  }
  const bool on_cpu = device.info().backend == Backend::cpu;
  const std::vector<Algorithm> algorithms =
      on_cpu ? std::vector{Algorithm::blocked}
             : std::vector{Algorithm::reduce_then_scan, Algorithm::single_pass};
  RepeatReport report{.device = device.info(), .rows = {}};
  Device cpu = Device::cpu();
  OtherWork others(other);
  for (const Scan& scan : scans_of(device)) {
    for (const std::uint64_t n : sizes) {
      ScanDescription d = scan.description;
      d.n = n;
      const std::vector<std::byte> in = input_of(d);
      auto expected = run_on_cpu(cpu, d, in, 1);
      if (!expected) return std::unexpected{std::move(expected.error())};
      for (const Algorithm algorithm : algorithms) {
        d.algorithm = algorithm;
        RepeatRow& row =
            report.rows.emplace_back(RepeatRow{.scan = scan.name,
                                               .n = n,
                                               .algorithm = std::string(name(algorithm)),
                                               .runs = options.runs,
                                               .digest = {}});
        if (auto ok = repeat(device, d, in, expected->front(), row); !ok) {
          return std::unexpected{std::move(ok.error())};
        }
      }
    }
  }
  auto scans = others.finish();
  if (!scans) return std::unexpected{std::move(scans.error())};
  report.other_scans = *scans;
  return report;
}

}  // namespace cumulo::bench
