// An allocation: the scan of its counts, then one dispatch a window that settles what fits.
#include "cumulo/allocate.hpp"

#include <algorithm>
#include <array>

#include "plan/indirect.hpp"
#include "plan/parts.hpp"
#include "plan/tuning.hpp"

namespace cumulo {
namespace plan {
namespace {

constexpr std::uint64_t most_items = 0xFFFFFFFE;
constexpr std::uint32_t least_workgroup = 8;  // four probes a search

Error unsupported(std::string message) { return {ErrorKind::unsupported, std::move(message)}; }

// The caller's buffers by their numbers in the plan, and how they lie.
struct AllocateBuffers {
  std::uint32_t counts, offsets, report, arguments, capacity, n;  // those that are not there: 0
  std::uint32_t counts_at, offsets_at, report_at, arguments_at, capacity_at, n_at;
};

AllocateBuffers add_buffers(Plan& plan, const AllocateDescription& d,
                            const AllocateLayout& layout) {
  AllocateBuffers b{};
  CallerBuffers callers(plan, layout.misalignments);
  b.counts = callers.add("counts", 4, d.n, BufferRole::input, b.counts_at);
  b.offsets = callers.add("offsets", offset_bytes(d), d.n + 1, BufferRole::output, b.offsets_at);
  b.report =
      callers.add("report", 4, sizeof(AllocationReport) / 4, BufferRole::output, b.report_at);
  if (!d.arguments.empty()) {
    b.arguments = callers.add("arguments", 4, argument_bytes(d.arguments) / 4, BufferRole::output,
                              b.arguments_at);
  }
  if (d.capacity_on_device)
    b.capacity = callers.add("capacity", 4, 1, BufferRole::count, b.capacity_at);
  if (layout.counted) b.n = callers.add("n", 4, 1, BufferRole::count, b.n_at);
  return b;
}

ScanDescription scan_of(const AllocateDescription& d) {
  return {.n = d.n,
          .op = d.wide ? Operator::add : Operator::add_saturated,
          .include_initial = true,
          .algorithm = d.algorithm,
          .wide = d.wide};
}

Result<void> add_scan(Plan& plan, const AllocateDescription& d, const Traits& traits,
                      const AllocateLayout& layout, const AllocateBuffers& b) {
  auto scan = plan_scan(scan_of(d), traits,
                        {.aliasing = layout.same_buffer ? Aliasing::same_buffer : Aliasing::none,
                         .in_misalignment = b.counts_at,
                         .out_misalignment = b.offsets_at,
                         .withhold = layout.withhold,
                         .counted = layout.counted,
                         .count_misalignment = b.n_at});
  if (!scan) return std::unexpected{std::move(scan.error())};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> known{{input_buffer, b.counts},
                                                             {output_buffer, b.offsets}};
  for (std::uint32_t i = 0; i < scan->buffers.size(); ++i) {
    if (scan->buffers[i].role == BufferRole::count) known.emplace_back(i, b.n);
  }
  plan.algorithm = scan->algorithm;
  plan.counted = scan->counted;
  embed(plan, std::move(*scan), known);
  return {};
}

// Items whose offsets, one more than they are, fit one binding wherever they begin.
std::uint64_t window_items(const AllocateDescription& d, const Limits& limits) {
  const std::uint64_t bytes = offset_bytes(d);
  const std::uint64_t padding = binding_period(bytes, limits) * bytes;
  constexpr std::uint64_t most = std::uint64_t{1} << 31;
  if (limits.max_storage_binding_size < padding + 2 * bytes) return 0;
  return std::min((limits.max_storage_binding_size - padding) / bytes - 1, most);
}

Result<void> add_settling(Plan& plan, const AllocateDescription& d, const Traits& traits,
                          const AllocateLayout& layout, const AllocateBuffers& b) {
  const Limits& limits = traits.limits;
  const std::uint32_t workgroup = settling_workgroup(limits);
  const std::uint32_t searches = d.wide ? 1 : 2;
  std::int64_t next = d.wide ? 3 : 4;
  const std::int64_t capacity = d.capacity_on_device ? next++ : 0;
  const std::int64_t count = layout.counted ? next++ : 0;
  const std::int64_t arguments = d.arguments.empty() ? 0 : next++;
  if (next - 1 > limits.max_storage_buffers_per_stage) {
    return std::unexpected{
        unsupported("this allocation binds " + std::to_string(next - 1) +
                    " storage buffers at once (max_storage_buffers_per_stage is " +
                    std::to_string(limits.max_storage_buffers_per_stage) + ")")};
  }
  const std::uint64_t window = window_items(d, limits);
  if (workgroup < least_workgroup || window == 0) {
    return std::unexpected{
        unsupported(workgroup < least_workgroup
                        ? "an allocation needs 8 invocations a workgroup "
                          "(max_invocations_per_workgroup is " +
                              std::to_string(limits.max_invocations_per_workgroup) + ")"
                        : "two offsets are larger than a binding (max_storage_binding_size is " +
                              std::to_string(limits.max_storage_binding_size) + ")")};
  }
  const auto kernel = add_kernel(plan, "settle_allocation", "settle_allocation.wgsl",
                                 {{"WORKGROUP", workgroup},
                                  {"SEARCHES", searches},
                                  {"WIDE", d.wide ? 1 : 0},
                                  {"SAME_BUFFER", layout.same_buffer ? 1 : 0},
                                  {"COUNTS", 3},
                                  {"CAPACITY", capacity},
                                  {"COUNT", count},
                                  {"ARGUMENTS", arguments},
                                  {"FORMS", static_cast<std::int64_t>(d.arguments.size())},
                                  {"OVERFLOWED", allocation_overflowed},
                                  {"EXCEEDS", allocation_exceeds}},
                                 workgroup);
  if (!kernel) return std::unexpected{kernel.error()};

  const std::uint64_t most = d.wide ? ~std::uint64_t{0} : 0xFFFFFFFF;
  const std::uint64_t units = std::min(d.capacity.value_or(most), most);
  for (std::uint64_t first = 0; first == 0 || first < d.n; first += window) {
    const std::uint64_t items = std::min(window, d.n - first);
    const bool is_last = first + items == d.n;
    const BoundRange offsets = bind_range(limits, b.offsets, offset_bytes(d), b.offsets_at + first,
                                          b.offsets_at + first + items + 1);
    const BoundRange counts = bind_range(limits, b.counts, 4, b.counts_at + first,
                                         b.counts_at + first + std::max<std::uint64_t>(items, 1));
    std::vector<std::uint32_t> settings{static_cast<std::uint32_t>(items),
                                        static_cast<std::uint32_t>(first),
                                        first == 0 ? 1U : 0U,
                                        is_last ? 1U : 0U,
                                        offsets.first,
                                        b.report_at,
                                        counts.first,
                                        b.capacity_at,
                                        b.n_at,
                                        search_rounds(items, workgroup / searches),
                                        limits.max_workgroups_per_dimension,
                                        0,
                                        static_cast<std::uint32_t>(units),
                                        static_cast<std::uint32_t>(units >> 32),
                                        0,
                                        0};
    append_forms(settings, d.arguments, b.arguments_at);
    const std::uint32_t given =
        add_parameters(plan, "settings from " + std::to_string(first), std::move(settings));
    std::vector<PlanBinding> bindings{whole(plan, given), offsets.binding, whole(plan, b.report)};
    if (!d.wide) bindings.push_back(counts.binding);
    if (capacity > 0) bindings.push_back(whole(plan, b.capacity));
    if (count > 0) bindings.push_back(whole(plan, b.n));
    if (arguments > 0) bindings.push_back(whole(plan, b.arguments));
    plan.steps.push_back(DispatchStep{"what fits", *kernel, std::move(bindings)});
  }
  return {};
}

}  // namespace
}  // namespace plan

Result<void> validate(const AllocateDescription& d) {
  const auto refuse = [](std::string message) {
    return std::unexpected{Error{ErrorKind::bad_argument, std::move(message)}};
  };
  if (d.n > plan::most_items) {
    return refuse("an allocation takes at most " + std::to_string(plan::most_items) +
                  " counts, not " + std::to_string(d.n));
  }
  if (d.capacity && d.capacity_on_device) {
    return refuse("the capacity is given, and said to be on the device: one of the two");
  }
  return plan::validate(d.arguments);
}

Result<Plan> plan_allocate(const AllocateDescription& d, const Traits& traits,
                           const AllocateLayout& layout) {
  if (auto ok = validate(d); !ok) return std::unexpected{std::move(ok.error())};
  Plan plan{.primitive = d.wide ? "allocate (offsets of 64 bits)" : "allocate (offsets of 32 bits)",
            .algorithm = {},
            .n = d.n,
            .buffers = {},
            .kernels = {},
            .steps = {}};
  const plan::AllocateBuffers buffers = plan::add_buffers(plan, d, layout);
  if (auto ok = plan::add_scan(plan, d, traits, layout, buffers); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  if (auto ok = plan::add_settling(plan, d, traits, layout, buffers); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  return plan;
}

}  // namespace cumulo
