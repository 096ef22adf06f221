// The public allocation over the two backends.
#include "cumulo/allocate.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "api/calls.hpp"
#include "api/views.hpp"
#include "cpu/allocate.hpp"

namespace cumulo {
namespace {

constexpr std::uint64_t largest = 0xFFFFFFFF;

// In the order of the slots, as far as there are any.
std::vector<BufferRange> in_order(const AllocateDescription& d, const AllocationRanges& ranges) {
  std::vector<BufferRange> ordered{ranges.counts, ranges.offsets, ranges.report};
  if (!d.arguments.empty()) ordered.push_back(ranges.arguments);
  if (d.capacity_on_device) ordered.push_back(ranges.capacity);
  ordered.push_back(ranges.n);
  return ordered;
}

Result<AllocationRun> allocate_on_cpu(const AllocateDescription& d,
                                      std::span<const std::uint32_t> counts,
                                      std::span<std::byte> offsets, const RunOptions& run) {
  const auto once = [&] { return cpu::allocate(d, counts.data(), offsets.data()); };
  auto report = once();
  if (!report) return std::unexpected{std::move(report.error())};
  AllocationRun done{.report = *report, .algorithm = host_algorithm(d.algorithm)};
  if (auto timed = time_on_host(run, once, done.timing); !timed) {
    return std::unexpected{std::move(timed.error())};
  }
  return done;
}

Result<AllocationRun> allocate_on_gpu(Device& device, const AllocateDescription& d,
                                      std::span<const std::uint32_t> counts,
                                      std::span<std::byte> offsets, const RunOptions& run) {
  auto in = device.upload(std::as_bytes(counts), "counts");
  if (!in) return std::unexpected{std::move(in.error())};
  auto out = device.allocate(offsets.size(), "offsets");
  if (!out) return std::unexpected{std::move(out.error())};
  auto said = device.allocate(sizeof(AllocationReport), "report");
  if (!said) return std::unexpected{std::move(said.error())};
  PreparedPlans plans(device.impl(), plans_of(d));
  const auto buffers = at_ranges(plans.slots(), in_order(d, {.counts = {native_buffer(*in)},
                                                             .offsets = {native_buffer(*out)},
                                                             .report = {native_buffer(*said)}}));
  auto ran = run_and_finish(device.impl(), plans, buffers, run);
  if (!ran) {
    if (!should_fall_back(ran.error(), d.algorithm)) return std::unexpected{std::move(ran.error())};
    AllocateDescription safe = d;
    safe.algorithm = Algorithm::reduce_then_scan;
    return allocate_on_gpu(device, safe, counts, offsets, run);
  }
  AllocationRun done{.report = {}, .algorithm = std::move(ran->algorithm), .timing = ran->timing};
  if (auto ok = device.read(*out, 0, offsets); !ok) return std::unexpected{std::move(ok.error())};
  if (auto ok = device.read(*said, 0, std::as_writable_bytes(std::span{&done.report, 1})); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  if (done.report.overflowed()) done.report.total = cpu::sum_of_counts(counts);
  return done;
}

}  // namespace

struct PreparedAllocation::Impl : PreparedCall {
  AllocateDescription description;

  Result<void> run_on_cpu(const AllocationBuffers& b) const;
};

Result<AllocationRun> allocate_bytes(Device& device, const AllocateDescription& d,
                                     std::span<const std::uint32_t> counts,
                                     std::span<std::byte> offsets, const RunOptions& run) {
  if (auto ok = validate(d); !ok) return std::unexpected{std::move(ok.error())};
  if (d.capacity_on_device || !d.arguments.empty()) {
    return std::unexpected{
        bad_argument("a capacity on the device and indirect arguments are for prepared "
                     "allocations; the counts are in host memory")};
  }
  const std::uint64_t bytes = (d.n + 1) * offset_bytes(d);
  if (counts.size() != d.n || offsets.size() != bytes) {
    return std::unexpected{
        bad_argument("an allocation of " + std::to_string(d.n) + " counts gives " +
                     std::to_string(bytes) + " bytes of offsets, not of " +
                     std::to_string(counts.size()) + " counts " + std::to_string(offsets.size()))};
  }
  const std::array<HostExtent, 2> extents{{{"counts", counts.data(), counts.size_bytes(), false},
                                           {"offsets", offsets.data(), offsets.size(), true}}};
  if (auto ok = check_apart(extents); !ok) return std::unexpected{std::move(ok.error())};
  return device.impl().gpu ? allocate_on_gpu(device, d, counts, offsets, run)
                           : allocate_on_cpu(d, counts, offsets, run);
}

PreparedAllocation::PreparedAllocation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PreparedAllocation::PreparedAllocation(PreparedAllocation&&) noexcept = default;
PreparedAllocation& PreparedAllocation::operator=(PreparedAllocation&&) noexcept = default;
PreparedAllocation::~PreparedAllocation() = default;

const AllocateDescription& PreparedAllocation::description() const { return impl_->description; }
const Plan* PreparedAllocation::plan() const { return impl_->first_plan(); }
Result<void> PreparedAllocation::finish() { return impl_->finish(); }

Result<PreparedAllocation> prepare_allocation(Device& device,
                                              const AllocateDescription& description,
                                              const PrepareOptions& options) {
  if (auto ok = validate(description); !ok) return std::unexpected{std::move(ok.error())};
  auto impl = std::make_unique<PreparedAllocation::Impl>();
  impl->description = description;
  auto ok = impl->prepare(device, options, plans_of(description, options.counted), description.n);
  if (!ok) return std::unexpected{std::move(ok.error())};
  return PreparedAllocation(std::move(impl));
}

Result<void> PreparedAllocation::run(const AllocationBuffers& b) {
  const AllocateDescription& d = impl_->description;
  std::vector<ViewNeed> needs{{"counts", b.counts, d.n * 4},
                              {"offsets", b.offsets, (d.n + 1) * offset_bytes(d), offset_bytes(d)},
                              {"report", b.report, sizeof(AllocationReport)}};
  if (!d.arguments.empty())
    needs.push_back({"arguments", b.arguments, argument_bytes(d.arguments)});
  if (d.capacity_on_device) needs.push_back({"capacity", b.capacity, 4});
  if (impl_->counted) needs.push_back({"number of counts", b.n, 4});
  if (auto ok = check_views(*impl_->device, needs); !ok) return ok;
  if (!impl_->plans) return impl_->run_on_cpu(b);
  return impl_->run(in_order(d, {range_of(b.counts), range_of(b.offsets), range_of(b.report),
                                 range_of(b.arguments), range_of(b.capacity), range_of(b.n)}));
}

Result<void> PreparedAllocation::Impl::run_on_cpu(const AllocationBuffers& b) const {
  AllocateDescription d = description;
  if (counted) d.n = std::min<std::uint64_t>(d.n, *host_data<std::uint32_t>(b.n));
  if (d.capacity_on_device) {
    d.capacity = *host_data<std::uint32_t>(b.capacity);
    d.capacity_on_device = false;
  }
  auto* const counts = host_data<std::uint32_t>(b.counts);
  auto* const offsets = host_data<std::byte>(b.offsets);
  auto* const said = host_data<std::byte>(b.report);
  auto* const arguments = host_data<std::byte>(b.arguments);
  const std::array<HostExtent, 4> extents{
      {{"counts", counts, d.n * 4, false},
       {"offsets", offsets, (d.n + 1) * offset_bytes(d), true},
       {"report", said, sizeof(AllocationReport), true},
       {"arguments", arguments, argument_bytes(d.arguments), true}}};
  if (auto ok = check_apart(extents); !ok) return ok;
  auto report = cpu::allocate(d, counts, offsets);
  if (!report) return std::unexpected{std::move(report.error())};
  // As a device, which has no more than the offsets.
  if (report->overflowed()) report->total = largest;
  std::memcpy(said, &*report, sizeof *report);
  std::vector<std::uint32_t> words;
  for (const IndirectForm& form : d.arguments) {
    const auto of_form =
        indirect_arguments({.forms = {form}}, form.of_items ? report->fitting : report->used);
    words.insert(words.end(), of_form.begin(), of_form.end());
  }
  if (!words.empty()) std::memcpy(arguments, words.data(), words.size() * 4);
  return {};
}

std::uint64_t scratch_size(const PreparedAllocation& allocation) {
  return allocation.impl().scratch_size();
}

Result<BoundCall> bind(PreparedAllocation& allocation, const AllocationRanges& ranges,
                       const BufferRange& scratch) {
  const auto& impl = allocation.impl();
  return impl.bind(in_order(impl.description, ranges), scratch);
}

}  // namespace cumulo
