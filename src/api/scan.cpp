// The public scan over the two backends.
#include "cumulo/scan.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "api/impl.hpp"
#include "api/monoid.hpp"
#include "cpu/scan.hpp"
#include "cumulo/webgpu.hpp"

namespace cumulo {
namespace {

Error bad_argument(std::string message) { return {ErrorKind::bad_argument, std::move(message)}; }

template <class F>
Result<double> median_wall_ms(std::uint32_t runs, F&& run) {
  std::vector<double> times;
  for (std::uint32_t i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (auto ok = run(); !ok) return std::unexpected{std::move(ok.error())};
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    times.push_back(time.count());
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

template <class T>
T value_of(const std::vector<std::byte>& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

// The total as a scalar, where the elements are scalars.
Scalar total_of(const ScanDescription& d, const std::vector<std::byte>& bytes) {
  if (d.monoid) return {};
  if (d.wide) {
    if (d.type == Type::u32) return value_of<std::uint64_t>(bytes);
    if (d.type == Type::i32) return value_of<std::int64_t>(bytes);
    const auto sum = value_of<WideFloat>(bytes);
    return static_cast<double>(sum.high) + static_cast<double>(sum.low);
  }
  return with_type(d.type, [&]<class T>() -> Scalar { return value_of<T>(bytes); });
}

Result<std::vector<std::byte>> scan_on_host(const ScanDescription& d, const void* in, void* out) {
  if (d.monoid) return cpu::scan_monoid(d, in, out);
  if (d.wide) return cpu::scan_wide(d, in, out);
  auto total = cpu::scan(d, in, out);
  if (!total) return std::unexpected{std::move(total.error())};
  return std::visit(
      [](const auto& value) {
        const auto bytes = std::as_bytes(std::span{&value, 1});
        return std::vector<std::byte>(bytes.begin(), bytes.end());
      },
      *total);
}

Result<void> without_total(Result<std::vector<std::byte>> scanned) {
  if (!scanned) return std::unexpected{std::move(scanned.error())};
  return {};
}

std::string cpu_algorithm(const ScanDescription& d) {
  return std::string(
      name(d.algorithm == Algorithm::serial ? Algorithm::serial : Algorithm::blocked));
}

Result<ScanReport> scan_on_cpu(const ScanDescription& d, std::span<const std::byte> in,
                               std::span<std::byte> out, const RunOptions& run) {
  // In place, a second run would scan the first one's result.
  std::vector<std::byte> copy;
  if (run.timed_runs > 0 && in.data() == out.data()) copy.assign(in.begin(), in.end());
  const void* const source = copy.empty() ? in.data() : copy.data();
  auto total = scan_on_host(d, source, out.data());
  if (!total) return std::unexpected{std::move(total.error())};
  ScanReport report{.total = total_of(d, *total),
                    .total_bytes = std::move(*total),
                    .algorithm = cpu_algorithm(d)};
  if (run.timed_runs > 0) {
    auto median = median_wall_ms(run.timed_runs, [&]() -> Result<void> {
      return without_total(scan_on_host(d, source, out.data()));
    });
    if (!median) return std::unexpected{std::move(median.error())};
    report.timing = Timing{*median, run.timed_runs, ClockKind::wall};
  }
  return report;
}

// The caller's part of a buffer, bound from the last offset that the device allows.
struct Placement {
  gpu::BoundBuffer bound;
  std::uint32_t misalignment;  // elements from there to the caller's first
};

Placement place(WGPUBuffer buffer, std::uint64_t bytes, std::uint64_t offset,
                std::uint64_t element_bytes, const Limits& limits) {
  const auto misalignment =
      static_cast<std::uint32_t>(offset % binding_period(element_bytes, limits));
  return {{buffer, (offset - misalignment) * element_bytes, bytes}, misalignment};
}

// Whether one buffer can hold both ranges, and how the kernels must bind it then.
Result<Aliasing> aliasing_of(const ScanDescription& d, const Placement& in, const Placement& out) {
  if (in.bound.buffer != out.bound.buffer) return Aliasing::none;
  const std::uint64_t bytes = element_bytes(d);
  const std::uint64_t in_begin = in.bound.offset + in.misalignment * input_bytes(d);
  const std::uint64_t out_begin = out.bound.offset + out.misalignment * bytes;
  if (in_begin == out_begin && !d.include_initial && !d.wide) return Aliasing::in_place;
  const std::uint64_t in_end = in_begin + d.n * input_bytes(d);
  const std::uint64_t out_end = out_begin + result_count(d) * bytes;
  if (in_begin < out_end && out_begin < in_end) {
    return std::unexpected{bad_argument(
        "input and output overlap in one buffer: give the same range, or ranges apart")};
  }
  if (in.bound.offset < out_end && out.bound.offset < in_end) {
    return std::unexpected{bad_argument(
        "input and output lie so close in one buffer that their aligned ranges overlap: keep "
        "the later one's start, rounded down to the device's storage offset alignment, past the "
        "earlier one's end")};
  }
  return Aliasing::same_buffer;
}

Result<void> record_placed(PreparedScan::Impl& scan, WGPUCommandEncoder encoder,
                           const Placement& in, const Placement& out) {
  auto aliasing = aliasing_of(scan.description, in, out);
  if (!aliasing) return std::unexpected{std::move(aliasing.error())};
  auto plan = scan.variant({.aliasing = *aliasing,
                            .in_misalignment = in.misalignment,
                            .out_misalignment = out.misalignment});
  if (!plan) return std::unexpected{std::move(plan.error())};
  return (*plan)->record(encoder, std::array{in.bound, out.bound});
}

Result<ScanReport> scan_on_gpu(Device& device, const ScanDescription& d,
                               std::span<const std::byte> in, std::span<std::byte> out,
                               const RunOptions& run) {
  gpu::Context& context = *device.impl().gpu;
  auto prepared = prepare_scan(device, d);
  if (!prepared) return std::unexpected{std::move(prepared.error())};
  auto input = device.upload(in, "input");
  if (!input) return std::unexpected{std::move(input.error())};
  auto output = device.allocate(out.size(), "output");
  if (!output) return std::unexpected{std::move(output.error())};
  if (auto ok = prepared->run(*input, *output); !ok) return std::unexpected{std::move(ok.error())};

  gpu::PreparedPlan& plan = prepared->impl().variants.front().plan;
  ScanReport report{.total = {},
                    .total_bytes = {},
                    .algorithm = plan.plan().algorithm,
                    .counts = plan.plan().counts};
  if (run.timed_runs > 0) {
    const bool stamps = context.traits().timestamps;
    auto median =
        stamps ? context.time_on_device(run.timed_runs,
                                        [&](WGPUCommandEncoder encoder) {
                                          return record(*prepared, encoder, native_buffer(*input),
                                                        native_buffer(*output));
                                        })
               : median_wall_ms(run.timed_runs, [&]() -> Result<void> {
                   if (auto ok = prepared->run(*input, *output); !ok) return ok;
                   return device.wait();
                 });
    if (!median) return std::unexpected{std::move(median.error())};
    report.timing = Timing{*median, run.timed_runs, stamps ? ClockKind::device : ClockKind::wall};
  }
  if (auto ok = prepared->finish(); !ok) {
    if (ok.error().kind != ErrorKind::stalled || d.algorithm != Algorithm::automatic) {
      return std::unexpected{std::move(ok.error())};
    }
    ScanDescription safe = d;
    safe.algorithm = Algorithm::reduce_then_scan;
    return scan_on_gpu(device, safe, in, out, run);
  }
  if (auto ok = device.read(*output, 0, out); !ok) return std::unexpected{std::move(ok.error())};
  report.total_bytes.resize(element_bytes(d));
  if (auto ok = context.read(plan.buffer(2), 0, report.total_bytes); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  report.total = total_of(d, report.total_bytes);
  return report;
}

}  // namespace

Result<ScanReport> scan_bytes(Device& device, const ScanDescription& d,
                              std::span<const std::byte> in, std::span<std::byte> out,
                              const RunOptions& run) {
  if (auto ok = validate(d); !ok) return std::unexpected{std::move(ok.error())};
  const std::uint64_t in_bytes = input_bytes(d);
  const std::uint64_t out_bytes = element_bytes(d);
  if (d.n > in.size() / in_bytes || in.size() != d.n * in_bytes ||
      out.size() != result_count(d) * out_bytes) {
    return std::unexpected{
        bad_argument("a scan of " + std::to_string(d.n) + " elements of " +
                     std::to_string(in_bytes) + " bytes takes " + std::to_string(d.n * in_bytes) +
                     " bytes and gives " + std::to_string(result_count(d) * out_bytes) + ", not " +
                     std::to_string(in.size()) + " and " + std::to_string(out.size()))};
  }
  if (d.wide && d.n > 0 && in.data() == out.data()) {
    return std::unexpected{
        bad_argument("wide sums cannot be in place: a result is larger than an element")};
  }
  return device.impl().gpu ? scan_on_gpu(device, d, in, out, run) : scan_on_cpu(d, in, out, run);
}

PreparedScan::PreparedScan(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PreparedScan::PreparedScan(PreparedScan&&) noexcept = default;
PreparedScan& PreparedScan::operator=(PreparedScan&&) noexcept = default;
PreparedScan::~PreparedScan() = default;

const ScanDescription& PreparedScan::description() const { return impl_->description; }

const Plan* PreparedScan::plan() const {
  return impl_->variants.empty() ? nullptr : &impl_->variants.front().plan.plan();
}

Result<gpu::PreparedPlan*> PreparedScan::Impl::variant(const PlanOptions& options) {
  for (Variant& known : variants) {
    if (known.options.aliasing == options.aliasing &&
        known.options.in_misalignment == options.in_misalignment &&
        known.options.out_misalignment == options.out_misalignment) {
      return &known.plan;
    }
  }
  auto plan = plan_scan(description, device->gpu->traits(), options);
  if (!plan) return std::unexpected{std::move(plan.error())};
  auto prepared = gpu::PreparedPlan::create(*device->gpu, std::move(*plan), 2);
  if (!prepared) return std::unexpected{std::move(prepared.error())};
  return &variants.emplace_back(Variant{options, std::move(*prepared)}).plan;
}

Result<PreparedScan> prepare_scan(Device& device, const ScanDescription& description) {
  if (auto ok = validate(description); !ok) return std::unexpected{std::move(ok.error())};
  auto impl = std::make_unique<PreparedScan::Impl>();
  impl->device = &device.impl();
  impl->description = description;
  if (device.impl().gpu == nullptr) {
    if (auto ok = cpu::check(description); !ok) return std::unexpected{std::move(ok.error())};
  }
  if (device.impl().gpu) {
    if (description.monoid) {
      if (auto ok = check_monoid(*device.impl().gpu, description); !ok) {
        return std::unexpected{std::move(ok.error())};
      }
    }
    // The usual case, aligned and apart, is made now: what cannot be done is said here.
    if (auto plan = impl->variant({}); !plan) return std::unexpected{std::move(plan.error())};
  }
  return PreparedScan(std::move(impl));
}

Result<void> PreparedScan::run(const Buffer& in, const Buffer& out, std::uint64_t in_offset,
                               std::uint64_t out_offset) {
  const ScanDescription& d = impl_->description;
  const std::uint64_t in_bytes = input_bytes(d);
  const std::uint64_t out_bytes = element_bytes(d);
  if (in.impl().owner != impl_->device || out.impl().owner != impl_->device) {
    return std::unexpected{bad_argument("a buffer belongs to another device than the scan")};
  }
  const auto holds = [](const Buffer& buffer, std::uint64_t bytes, std::uint64_t offset,
                        std::uint64_t count) {
    const std::uint64_t elements = buffer.bytes() / bytes;
    return offset <= elements && count <= elements - offset;
  };
  if (!holds(in, in_bytes, in_offset, d.n) || !holds(out, out_bytes, out_offset, result_count(d))) {
    return std::unexpected{bad_argument("a scan of " + std::to_string(d.n) +
                                        " elements does not fit its buffers at their offsets")};
  }
  if (impl_->device->gpu == nullptr) {
    const std::byte* from = in.impl().host.get() + in_offset * in_bytes;
    std::byte* to = out.impl().host.get() + out_offset * out_bytes;
    const bool overlap = from < to + result_count(d) * out_bytes && to < from + d.n * in_bytes;
    if (overlap && (from != to || d.wide)) {
      return std::unexpected{bad_argument(
          "input and output overlap in one buffer: give the same range, or ranges apart")};
    }
    return without_total(scan_on_host(d, from, to));
  }
  gpu::Context& context = *impl_->device->gpu;
  auto encoder = context.create_encoder("scan");
  if (!encoder) return std::unexpected{std::move(encoder.error())};
  if (auto ok = record(*this, encoder->get(), native_buffer(in), native_buffer(out), in_offset,
                       out_offset);
      !ok) {
    return ok;
  }
  return context.submit(*encoder);
}

Result<void> PreparedScan::finish() {
  if (impl_->device->gpu == nullptr) return {};
  if (auto ok = impl_->device->gpu->wait(); !ok) return ok;
  for (Impl::Variant& variant : impl_->variants) {
    auto finished = variant.plan.finished();
    if (!finished) return std::unexpected{std::move(finished.error())};
    if (!*finished) {
      return std::unexpected{
          Error{ErrorKind::stalled, variant.plan.plan().algorithm +
                                        " stalled: a workgroup waited too long for another one, or "
                                        "runs another subgroup width; use reduce-then-scan"}};
    }
  }
  return {};
}

Result<void> record(PreparedScan& scan, WGPUCommandEncoder encoder, WGPUBuffer in, WGPUBuffer out,
                    std::uint64_t in_offset, std::uint64_t out_offset) {
  PreparedScan::Impl& impl = scan.impl();
  if (impl.device->gpu == nullptr) {
    return std::unexpected{bad_argument("a scan prepared for the CPU backend records no commands")};
  }
  const Limits& limits = impl.device->gpu->traits().limits;
  return record_placed(
      impl, encoder,
      place(in, wgpuBufferGetSize(in), in_offset, input_bytes(impl.description), limits),
      place(out, wgpuBufferGetSize(out), out_offset, element_bytes(impl.description), limits));
}

}  // namespace cumulo
