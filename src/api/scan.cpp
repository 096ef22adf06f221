// The public scan over the two backends.
#include "cumulo/scan.hpp"

#include <algorithm>
#include <cstring>

#include "api/impl.hpp"
#include "api/monoid.hpp"
#include "api/scalar.hpp"
#include "cpu/scan.hpp"
#include "plan/scan_plans.hpp"

namespace cumulo {
namespace {

Error bad_argument(std::string message) { return {ErrorKind::bad_argument, std::move(message)}; }

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
  const bool keeps = run.timed_runs > 0 && in.data() == out.data();
  auto copy = host_array<std::byte>(keeps ? in.size() : 0);
  if (!copy) return std::unexpected{std::move(copy.error())};
  if (keeps) std::ranges::copy(in, copy->begin());
  const void* const source = keeps ? copy->data() : in.data();
  auto total = scan_on_host(d, source, out.data());
  if (!total) return std::unexpected{std::move(total.error())};
  ScanReport report{.total = scalar_of(d, *total),
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
  auto buffers = prepared->impl().caller_buffers({native_buffer(*input)}, {native_buffer(*output)});
  if (!buffers) return std::unexpected{std::move(buffers.error())};
  auto plan = prepared->impl().plans->bind(*buffers);
  if (!plan) return std::unexpected{std::move(plan.error())};
  if (auto ok = submit_recorded(context, *plan); !ok) return std::unexpected{std::move(ok.error())};

  ScanReport report{.total = {},
                    .total_bytes = {},
                    .algorithm = plan->plan().algorithm,
                    .counts = plan->plan().counts};
  if (run.timed_runs > 0) {
    auto timing = time_runs(context, *plan, run.timed_runs);
    if (!timing) return std::unexpected{std::move(timing.error())};
    report.timing = *timing;
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
  const gpu::BoundBuffer& total = plan->buffer(plan::total_buffer);
  if (auto ok = context.read(total.buffer, total.offset, report.total_bytes); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  report.total = scalar_of(d, report.total_bytes);
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
  return impl_->plans ? impl_->plans->first_plan() : nullptr;
}

Result<PreparedScan> prepare_scan(Device& device, const ScanDescription& description,
                                  const PrepareOptions& options) {
  if (auto ok = validate(description); !ok) return std::unexpected{std::move(ok.error())};
  auto impl = std::make_unique<PreparedScan::Impl>();
  impl->device = &device.impl();
  impl->description = description;
  if (device.impl().gpu == nullptr) {
    if (auto ok = cpu::check(description); !ok) return std::unexpected{std::move(ok.error())};
  }
  impl->counted = options.counted;
  if (device.impl().gpu) {
    if (description.monoid) {
      if (auto ok = check_monoid(*device.impl().gpu, description); !ok) {
        return std::unexpected{std::move(ok.error())};
      }
    }
    impl->plans.emplace(device.impl(), plans_of(description, options.counted));
    // The usual case, aligned and apart, is made now: what cannot be done is said here.
    CallerLayout usual;
    if (!options.counted) {
      usual.padded = {ends_in_a_vector(description.n * input_bytes(description)),
                      ends_in_a_vector(result_count(description) * element_bytes(description))};
      usual.trim();
    }
    if (auto plan = impl->plans->variant(usual); !plan) {
      return std::unexpected{std::move(plan.error())};
    }
  }
  return PreparedScan(std::move(impl));
}

Result<void> PreparedScan::run(const Buffer& in, const Buffer& out, std::uint64_t in_offset,
                               std::uint64_t out_offset) {
  if (impl_->counted) {
    return std::unexpected{bad_argument("a scan counted on the device is run by run_counted()")};
  }
  return impl_->run({in, out, in_offset, out_offset}, nullptr, 0);
}

Result<void> PreparedScan::run_counted(const Buffer& in, const Buffer& out, const Buffer& count,
                                       std::uint64_t count_at, std::uint64_t in_offset,
                                       std::uint64_t out_offset) {
  if (!impl_->counted) {
    return std::unexpected{bad_argument("the scan was not prepared as counted on the device")};
  }
  if (count.impl().owner != impl_->device || count_at >= count.bytes() / 4) {
    return std::unexpected{bad_argument("the count lies outside its buffer, or on another device")};
  }
  return impl_->run({in, out, in_offset, out_offset}, &count, count_at);
}

Result<void> PreparedScan::Impl::run(const DeviceBuffers& b, const Buffer* count,
                                     std::uint64_t count_at) {
  const std::uint64_t in_bytes = input_bytes(description);
  const std::uint64_t out_bytes = element_bytes(description);
  if (b.in.impl().owner != device || b.out.impl().owner != device) {
    return std::unexpected{bad_argument("a buffer belongs to another device than the scan")};
  }
  const auto holds = [](const Buffer& buffer, std::uint64_t bytes, std::uint64_t offset,
                        std::uint64_t elements) {
    const std::uint64_t all = buffer.bytes() / bytes;
    return offset <= all && elements <= all - offset;
  };
  if (!holds(b.in, in_bytes, b.in_offset, description.n) ||
      !holds(b.out, out_bytes, b.out_offset, result_count(description))) {
    return std::unexpected{bad_argument("a scan of " + std::to_string(description.n) +
                                        " elements does not fit its buffers at their offsets")};
  }
  if (device->gpu == nullptr) {
    ScanDescription d = description;
    if (count != nullptr) {
      std::uint32_t elements = 0;
      std::memcpy(&elements, count->impl().host.get() + count_at * 4, sizeof elements);
      d.n = std::min<std::uint64_t>(d.n, elements);
    }
    const std::byte* from = b.in.impl().host.get() + b.in_offset * in_bytes;
    std::byte* to = b.out.impl().host.get() + b.out_offset * out_bytes;
    const bool overlap = from < to + result_count(d) * out_bytes && to < from + d.n * in_bytes;
    if (overlap && (from != to || d.wide)) {
      return std::unexpected{bad_argument(
          "input and output overlap in one buffer: give the same range, or ranges apart")};
    }
    return without_total(scan_on_host(d, from, to));
  }
  const BufferRange from{native_buffer(b.in), b.in_offset * in_bytes};
  const BufferRange to{native_buffer(b.out), b.out_offset * out_bytes};
  auto buffers = caller_buffers(
      from, to,
      count == nullptr ? BufferRange{} : BufferRange{native_buffer(*count), count_at * 4});
  if (!buffers) return std::unexpected{std::move(buffers.error())};
  auto plan = plans->bind_again(*buffers);
  if (!plan) return std::unexpected{std::move(plan.error())};
  return submit_recorded(*device->gpu, **plan);
}

Result<void> PreparedScan::finish() {
  return impl_->plans ? impl_->plans->finish() : Result<void>{};
}

}  // namespace cumulo
