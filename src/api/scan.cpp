// The public scan over the two backends.
#include "cumulo/scan.hpp"

#include <algorithm>
#include <cstring>

#include "api/monoid.hpp"
#include "api/prepared_scan.hpp"
#include "api/scalar.hpp"
#include "cpu/scan.hpp"
#include "plan/scan_plans.hpp"

namespace cumulo {
namespace {

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

Result<ScanReport> scan_on_cpu(const ScanDescription& d, std::span<const std::byte> in,
                               std::span<std::byte> out, const RunOptions& run) {
  // In place, a second run would scan the first one's result.
  const bool keeps = run.timed_runs > 0 && in.data() == out.data();
  auto copy = host_array<std::byte>(keeps ? in.size() : 0);
  if (!copy) return std::unexpected{std::move(copy.error())};
  if (keeps) std::ranges::copy(in, copy->begin());
  const void* const source = keeps ? copy->data() : in.data();
  const auto once = [&] { return scan_on_host(d, source, out.data()); };
  auto total = once();
  if (!total) return std::unexpected{std::move(total.error())};
  ScanReport report{.total = scalar_of(d, *total),
                    .total_bytes = std::move(*total),
                    .algorithm = host_algorithm(d.algorithm)};
  if (auto timed = time_on_host(run, once, report.timing); !timed) {
    return std::unexpected{std::move(timed.error())};
  }
  return report;
}

Result<ScanReport> scan_on_gpu(Device& device, const ScanDescription& d,
                               std::span<const std::byte> in, std::span<std::byte> out,
                               const RunOptions& run) {
  auto prepared = prepare_scan(device, d);
  if (!prepared) return std::unexpected{std::move(prepared.error())};
  auto input = device.upload(in, "input");
  if (!input) return std::unexpected{std::move(input.error())};
  auto output = device.allocate(out.size(), "output");
  if (!output) return std::unexpected{std::move(output.error())};
  const PreparedScan::Impl& impl = prepared->impl();
  auto ranges = impl.caller_ranges({native_buffer(*input)}, {native_buffer(*output)});
  if (!ranges) return std::unexpected{std::move(ranges.error())};
  auto ran =
      run_and_finish(device.impl(), *impl.plans, at_ranges(impl.plans->slots(), *ranges), run);
  if (!ran) {
    if (!should_fall_back(ran.error(), d.algorithm)) return std::unexpected{std::move(ran.error())};
    ScanDescription safe = d;
    safe.algorithm = Algorithm::reduce_then_scan;
    return scan_on_gpu(device, safe, in, out, run);
  }
  ScanReport report{.total = {},
                    .total_bytes = std::vector<std::byte>(element_bytes(d)),
                    .algorithm = std::move(ran->algorithm),
                    .counts = ran->bound.plan().counts,
                    .timing = ran->timing};
  if (auto ok = device.read(*output, 0, out); !ok) return std::unexpected{std::move(ok.error())};
  const gpu::BoundBuffer& total = ran->bound.buffer(plan::total_buffer);
  if (auto ok = device.impl().gpu->read(total.buffer, total.offset, report.total_bytes); !ok) {
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

const Plan* PreparedScan::plan() const { return impl_->first_plan(); }

Result<PreparedScan> prepare_scan(Device& device, const ScanDescription& description,
                                  const PrepareOptions& options) {
  if (auto ok = validate(description); !ok) return std::unexpected{std::move(ok.error())};
  auto impl = std::make_unique<PreparedScan::Impl>();
  impl->description = description;
  if (device.impl().gpu == nullptr) {
    if (auto ok = cpu::check(description); !ok) return std::unexpected{std::move(ok.error())};
  } else if (description.monoid) {
    if (auto ok = check_monoid(*device.impl().gpu, description); !ok) {
      return std::unexpected{std::move(ok.error())};
    }
  }
  CallerLayout usual;
  if (!options.counted) {
    usual.padded = {ends_in_a_vector(description.n * input_bytes(description)),
                    ends_in_a_vector(result_count(description) * element_bytes(description))};
    usual.trim();
  }
  if (auto ok = impl->prepare(device, options, plans_of(description, options.counted),
                              description.n, usual);
      !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  return PreparedScan(std::move(impl));
}

Result<void> PreparedScan::run(const Buffer& in, const Buffer& out, std::uint64_t in_offset,
                               std::uint64_t out_offset) {
  if (impl_->counted) {
    return std::unexpected{bad_argument("a scan counted on the device is run by run_counted()")};
  }
  return impl_->run(in, out, in_offset, out_offset, {});
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
  return impl_->run(in, out, in_offset, out_offset, {&count, count_at * 4});
}

Result<void> PreparedScan::Impl::run(const Buffer& in, const Buffer& out, std::uint64_t in_offset,
                                     std::uint64_t out_offset, const BufferView& count) const {
  const ScanDescription& d = description;
  if (in.impl().owner != device || out.impl().owner != device) {
    return std::unexpected{bad_argument("a buffer belongs to another device than the scan")};
  }
  const auto holds = [](const Buffer& buffer, std::uint64_t bytes, std::uint64_t offset,
                        std::uint64_t elements) {
    const std::uint64_t all = buffer.bytes() / bytes;
    return offset <= all && elements <= all - offset;
  };
  if (!holds(in, input_bytes(d), in_offset, d.n) ||
      !holds(out, element_bytes(d), out_offset, result_count(d))) {
    return std::unexpected{bad_argument("a scan of " + std::to_string(d.n) +
                                        " elements does not fit its buffers at their offsets")};
  }
  const BufferView from{&in, in_offset * input_bytes(d)};
  const BufferView to{&out, out_offset * element_bytes(d)};
  if (!plans) return run_on_cpu(host_data<std::byte>(from), host_data<std::byte>(to), count);
  auto ranges = caller_ranges(range_of(from), range_of(to), range_of(count));
  if (!ranges) return std::unexpected{std::move(ranges.error())};
  return PreparedCall::run(*ranges);
}

Result<void> PreparedScan::Impl::run_on_cpu(const std::byte* in, std::byte* out,
                                            const BufferView& count) const {
  ScanDescription d = description;
  if (counted) d.n = std::min<std::uint64_t>(d.n, *host_data<std::uint32_t>(count));
  const bool overlap =
      in < out + result_count(d) * element_bytes(d) && out < in + d.n * input_bytes(d);
  if (overlap && (in != out || d.wide)) {
    return std::unexpected{bad_argument(
        "input and output overlap in one buffer: give the same range, or ranges apart")};
  }
  auto scanned = scan_on_host(d, in, out);
  if (!scanned) return std::unexpected{std::move(scanned.error())};
  return {};
}

Result<void> PreparedScan::finish() { return impl_->finish(); }

}  // namespace cumulo
