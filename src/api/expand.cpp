// The public expansion over the two backends.
#include "cumulo/expand.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "api/calls.hpp"
#include "api/views.hpp"
#include "cpu/allocate.hpp"
#include "cpu/expand.hpp"

namespace cumulo {
namespace {

constexpr std::uint64_t largest = 0xFFFFFFFF;

std::string_view input_name(const ExpandDescription& d) {
  return d.from_offsets ? "offsets" : "counts";
}

// Counts, or one offset more.
std::uint64_t input_count(const ExpandDescription& d) { return d.n + (d.from_offsets ? 1 : 0); }

// In the order of the slots, as far as there are any.
std::vector<BufferRange> in_order(const ExpandDescription& d, const ExpansionRanges& ranges) {
  std::vector<BufferRange> ordered{ranges.counts};
  if (d.element_bytes > 0) ordered.push_back(ranges.values);
  ordered.push_back(ranges.output);
  ordered.push_back(ranges.report);
  if (!d.arguments.empty()) ordered.push_back(ranges.arguments);
  ordered.push_back(ranges.n);
  return ordered;
}

std::uint64_t total_of(const ExpandDescription& d, std::span<const std::uint32_t> counts) {
  return d.from_offsets ? counts.back() : cpu::sum_of_counts(counts);
}

ExpansionReport report_of(const ExpandDescription& d, std::uint64_t total) {
  return {.total = total,
          .written = static_cast<std::uint32_t>(std::min(total, d.capacity)),
          .exceeds = total > d.capacity ? 1U : 0U};
}

Result<ExpansionRun> expand_on_cpu(const ExpandDescription& d,
                                   std::span<const std::uint32_t> counts,
                                   std::span<const std::byte> values, std::span<std::byte> out,
                                   const RunOptions& run) {
  const auto once = [&] {
    return cpu::expand(d,
                       {counts.data(), d.element_bytes > 0 ? values.data() : nullptr, out.data()});
  };
  auto report = once();
  if (!report) return std::unexpected{std::move(report.error())};
  ExpansionRun done{.report = *report, .algorithm = host_algorithm(d.algorithm)};
  if (auto timed = time_on_host(run, once, done.timing); !timed) {
    return std::unexpected{std::move(timed.error())};
  }
  return done;
}

Result<ExpansionRun> expand_on_gpu(Device& device, const ExpandDescription& d,
                                   std::span<const std::uint32_t> counts,
                                   std::span<const std::byte> values, std::span<std::byte> out,
                                   const RunOptions& run) {
  const ExpansionReport report = report_of(d, total_of(d, counts));
  // No more memory on the device than there are outputs.
  ExpandDescription fitting = d;
  fitting.capacity = report.written;
  const std::uint64_t bytes = fitting.capacity * output_bytes(d);
  auto in = device.upload(std::as_bytes(counts), "counts");
  if (!in) return std::unexpected{std::move(in.error())};
  auto given = device.upload(values, "values");
  if (!given) return std::unexpected{std::move(given.error())};
  auto made = device.allocate(bytes, "output");
  if (!made) return std::unexpected{std::move(made.error())};
  auto said = device.allocate(sizeof(ExpansionReport), "report");
  if (!said) return std::unexpected{std::move(said.error())};
  PreparedPlans plans(device.impl(), plans_of(fitting));
  const auto buffers =
      at_ranges(plans.slots(), in_order(fitting, {.counts = {native_buffer(*in)},
                                                  .values = {native_buffer(*given)},
                                                  .output = {native_buffer(*made)},
                                                  .report = {native_buffer(*said)}}));
  auto ran = run_and_finish(device.impl(), plans, buffers, run);
  if (!ran) {
    if (!should_fall_back(ran.error(), d.algorithm)) return std::unexpected{std::move(ran.error())};
    ExpandDescription safe = d;
    safe.algorithm = Algorithm::reduce_then_scan;
    return expand_on_gpu(device, safe, counts, values, out, run);
  }
  if (auto ok = device.read(*made, 0, out.first(bytes)); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  return ExpansionRun{
      .report = report, .algorithm = std::move(ran->algorithm), .timing = ran->timing};
}

}  // namespace

struct PreparedExpansion::Impl : PreparedCall {
  ExpandDescription description;

  Result<void> run_on_cpu(const ExpansionBuffers& b) const;
};

std::uint64_t expanded_count(std::span<const std::uint32_t> counts) {
  return cpu::sum_of_counts(counts);
}

Result<ExpansionRun> expand_bytes(Device& device, const ExpandDescription& d,
                                  std::span<const std::uint32_t> counts,
                                  std::span<const std::byte> values, std::span<std::byte> out,
                                  const RunOptions& run) {
  if (auto ok = validate(d); !ok) return std::unexpected{std::move(ok.error())};
  if (!d.arguments.empty()) {
    return std::unexpected{
        bad_argument("indirect arguments are for prepared expansions; the output is in host "
                     "memory")};
  }
  if (counts.size() != input_count(d) || values.size() != d.n * d.element_bytes ||
      out.size() != d.capacity * output_bytes(d)) {
    return std::unexpected{
        bad_argument("an expansion of " + std::to_string(d.n) + " items takes " +
                     std::to_string(input_count(d)) + " " + std::string(input_name(d)) + ", " +
                     std::to_string(d.n * d.element_bytes) + " bytes of values and " +
                     std::to_string(d.capacity * output_bytes(d)) + " of output, not " +
                     std::to_string(counts.size()) + ", " + std::to_string(values.size()) +
                     " and " + std::to_string(out.size()))};
  }
  if (d.from_offsets && !(std::ranges::is_sorted(counts) && counts.front() == 0)) {
    return std::unexpected{bad_argument("the offsets of an expansion begin with 0 and never fall")};
  }
  const std::array<HostExtent, 3> extents{
      {{input_name(d), counts.data(), counts.size_bytes(), false},
       {"values", values.data(), values.size(), false},
       {"output", out.data(), out.size(), true}}};
  if (auto ok = check_apart(extents); !ok) return std::unexpected{std::move(ok.error())};
  return device.impl().gpu ? expand_on_gpu(device, d, counts, values, out, run)
                           : expand_on_cpu(d, counts, values, out, run);
}

PreparedExpansion::PreparedExpansion(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PreparedExpansion::PreparedExpansion(PreparedExpansion&&) noexcept = default;
PreparedExpansion& PreparedExpansion::operator=(PreparedExpansion&&) noexcept = default;
PreparedExpansion::~PreparedExpansion() = default;

const ExpandDescription& PreparedExpansion::description() const { return impl_->description; }
const Plan* PreparedExpansion::plan() const { return impl_->first_plan(); }
Result<void> PreparedExpansion::finish() { return impl_->finish(); }

Result<PreparedExpansion> prepare_expansion(Device& device, const ExpandDescription& description,
                                            const PrepareOptions& options) {
  if (auto ok = validate(description); !ok) return std::unexpected{std::move(ok.error())};
  auto impl = std::make_unique<PreparedExpansion::Impl>();
  impl->description = description;
  auto ok = impl->prepare(device, options, plans_of(description, options.counted), description.n);
  if (!ok) return std::unexpected{std::move(ok.error())};
  return PreparedExpansion(std::move(impl));
}

Result<void> PreparedExpansion::run(const ExpansionBuffers& b) {
  const ExpandDescription& d = impl_->description;
  std::vector<ViewNeed> needs{{input_name(d), b.counts, input_count(d) * 4},
                              {"output", b.output, d.capacity * output_bytes(d), output_bytes(d)},
                              {"report", b.report, sizeof(ExpansionReport)}};
  if (d.element_bytes > 0) {
    needs.push_back({"values", b.values, d.n * d.element_bytes, d.element_bytes});
  }
  if (!d.arguments.empty())
    needs.push_back({"arguments", b.arguments, argument_bytes(d.arguments)});
  if (impl_->counted) needs.push_back({"number of items", b.n, 4});
  if (auto ok = check_views(*impl_->device, needs); !ok) return ok;
  if (!impl_->plans) return impl_->run_on_cpu(b);
  return impl_->run(in_order(d, {range_of(b.counts), range_of(b.values), range_of(b.output),
                                 range_of(b.report), range_of(b.arguments), range_of(b.n)}));
}

Result<void> PreparedExpansion::Impl::run_on_cpu(const ExpansionBuffers& b) const {
  ExpandDescription d = description;
  if (counted) d.n = std::min<std::uint64_t>(d.n, *host_data<std::uint32_t>(b.n));
  const cpu::ExpandArrays arrays{host_data<std::uint32_t>(b.counts),
                                 d.element_bytes > 0 ? host_data<std::byte>(b.values) : nullptr,
                                 host_data<std::byte>(b.output)};
  auto* const said = host_data<std::byte>(b.report);
  auto* const arguments = host_data<std::byte>(b.arguments);
  const std::array<HostExtent, 5> extents{
      {{input_name(d), arrays.counts, input_count(d) * 4, false},
       {"values", arrays.values, d.n * d.element_bytes, false},
       {"output", arrays.output, d.capacity * output_bytes(d), true},
       {"report", said, sizeof(ExpansionReport), true},
       {"arguments", arguments, argument_bytes(d.arguments), true}}};
  if (auto ok = check_apart(extents); !ok) return ok;
  auto report = cpu::expand(d, arrays);
  if (!report) return std::unexpected{std::move(report.error())};
  // As a device, which has no more than the offsets.
  report->total = std::min(report->total, largest);
  std::memcpy(said, &*report, sizeof *report);
  const auto words = indirect_arguments({.forms = d.arguments}, report->written);
  if (!words.empty()) std::memcpy(arguments, words.data(), words.size() * 4);
  return {};
}

std::uint64_t scratch_size(const PreparedExpansion& expansion) {
  return expansion.impl().scratch_size();
}

Result<BoundCall> bind(PreparedExpansion& expansion, const ExpansionRanges& ranges,
                       const BufferRange& scratch) {
  const auto& impl = expansion.impl();
  return impl.bind(in_order(impl.description, ranges), scratch);
}

}  // namespace cumulo
