// An expansion: offsets by the scan of an allocation, then one dispatch for each window of outputs
// that a binding can hold.
#include "cumulo/expand.hpp"

#include <algorithm>
#include <optional>

#include "plan/indirect.hpp"
#include "plan/parts.hpp"
#include "plan/tuning.hpp"

namespace cumulo {
namespace plan {
namespace {

// Items, and outputs of a window: a tile's place among both is counted in 32 bits.
constexpr std::uint64_t most_items = std::uint64_t{1} << 31;
constexpr std::uint64_t most_window = std::uint64_t{1} << 30;
constexpr std::uint64_t most_windows = 1024;

std::unexpected<Error> refused(const std::string& why, const std::string& limit,
                               std::uint64_t value) {
  return std::unexpected{Error{ErrorKind::unsupported, "expansion: " + why + " (" + limit + " is " +
                                                           std::to_string(value) + ")"}};
}

// The caller's buffers by their numbers in the plan, and how they lie.
struct ExpandBuffers {
  std::uint32_t counts, values, output, report, arguments, n;  // those that are not there: 0
  std::uint32_t counts_at, values_at, output_at, report_at, arguments_at, n_at;
};

ExpandBuffers add_buffers(Plan& plan, const ExpandDescription& d, const ExpandLayout& layout) {
  ExpandBuffers b{};
  const auto add = [&](std::string name, std::uint64_t element_bytes, std::uint64_t elements,
                       BufferRole role, std::uint32_t& at) {
    const std::size_t number = plan.buffers.size();
    at = number < layout.misalignments.size() ? layout.misalignments[number] : 0;
    // Without elements, something has to be bound still.
    const std::uint64_t bytes =
        at * element_bytes + std::max<std::uint64_t>(elements * element_bytes, 4);
    return add_buffer(plan, std::move(name), bytes, role);
  };
  b.counts = d.from_offsets ? add("offsets", 4, d.n + 1, BufferRole::input, b.counts_at)
                            : add("counts", 4, d.n, BufferRole::input, b.counts_at);
  if (d.element_bytes > 0) {
    b.values = add("values", d.element_bytes, d.n, BufferRole::input, b.values_at);
  }
  b.output = add("output", output_bytes(d), d.capacity, BufferRole::output, b.output_at);
  b.report = add("report", 4, sizeof(ExpansionReport) / 4, BufferRole::output, b.report_at);
  if (!d.arguments.empty()) {
    b.arguments =
        add("arguments", 4, argument_bytes(d.arguments) / 4, BufferRole::output, b.arguments_at);
  }
  if (layout.counted) b.n = add("n", 4, 1, BufferRole::count, b.n_at);
  return b;
}

// Adds the scan; returns the buffer of its offsets.
Result<std::uint32_t> add_scan(Plan& plan, const ExpandDescription& d, const Traits& traits,
                               const ExpandLayout& layout, const ExpandBuffers& b) {
  auto scan = plan_scan(
      {.n = d.n, .op = Operator::add_saturated, .include_initial = true, .algorithm = d.algorithm},
      traits,
      {.in_misalignment = b.counts_at,
       .withhold = layout.withhold,
       .counted = layout.counted,
       .count_misalignment = b.n_at});
  if (!scan) return std::unexpected{std::move(scan.error())};
  const std::uint32_t offsets = add_buffer(plan, "offsets", (d.n + 1) * 4, BufferRole::scratch);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> known{{0, b.counts}, {1, offsets}};
  for (std::uint32_t i = 0; i < scan->buffers.size(); ++i) {
    if (scan->buffers[i].role == BufferRole::count) known.emplace_back(i, b.n);
  }
  plan.algorithm = scan->algorithm;
  plan.counted = scan->counted;
  embed(plan, std::move(*scan), known);
  return offsets;
}

// Outputs that a binding can hold wherever they begin.
std::uint64_t window_outputs(const ExpandDescription& d, const Limits& limits) {
  const std::uint64_t bytes = output_bytes(d);
  const std::uint64_t padding = binding_period(bytes, limits) * bytes;
  if (limits.max_storage_binding_size < padding + bytes) return 0;
  return std::min((limits.max_storage_binding_size - padding) / bytes, most_window);
}

Result<void> check_limits(const Plan& plan, const ExpandDescription& d, const Limits& limits,
                          const ExpandBuffers& b, std::uint32_t storage_buffers) {
  if (storage_buffers > limits.max_storage_buffers_per_stage) {
    return refused("it binds " + std::to_string(storage_buffers) + " storage buffers at once",
                   "max_storage_buffers_per_stage", limits.max_storage_buffers_per_stage);
  }
  if (limits.max_workgroups_per_dimension == 0) {
    return refused("it dispatches workgroups", "max_workgroups_per_dimension", 0);
  }
  const auto too_large = [&](std::uint64_t bytes) {
    return bytes > limits.max_storage_binding_size;
  };
  if (too_large((b.counts_at + d.n + 1) * 4) || too_large(plan.buffers[b.values].bytes)) {
    return refused(
        "the offsets or values of " + std::to_string(d.n) + " items do not fit one binding",
        "max_storage_binding_size", limits.max_storage_binding_size);
  }
  const std::uint64_t window = window_outputs(d, limits);
  if (window == 0 || ceil_div(d.capacity, window) > most_windows) {
    return refused(std::to_string(d.capacity) + " outputs take too many bindings",
                   "max_storage_binding_size", limits.max_storage_binding_size);
  }
  if (plan.buffers[b.output].bytes > limits.max_buffer_size) {
    return refused(std::to_string(d.capacity) + " outputs do not fit one buffer", "max_buffer_size",
                   limits.max_buffer_size);
  }
  return {};
}

Result<void> add_windows(Plan& plan, const ExpandDescription& d, const Traits& traits,
                         const ExpandLayout& layout, const ExpandBuffers& b,
                         std::uint32_t offsets) {
  const Limits& limits = traits.limits;
  std::int64_t next = 4;
  const std::int64_t values = d.element_bytes > 0 ? next++ : 0;
  const std::int64_t count = layout.counted ? next++ : 0;
  const std::int64_t arguments = d.arguments.empty() ? 0 : next++;
  if (auto ok = check_limits(plan, d, limits, b, static_cast<std::uint32_t>(next - 1)); !ok) {
    return ok;
  }
  const auto shape = expand_shape(limits);
  if (!shape) {
    const LimitTooSmall cause = limit_too_small(limits, 4, expand_shape);
    return refused("the smallest tile needs " + std::string(cause.needs), cause.limit, cause.value);
  }
  const auto kernel = add_kernel(plan, "expand", "expand.wgsl",
                                 {{"WORKGROUP", shape->workgroup_size},
                                  {"TILE", shape->tile},
                                  {"MASKS", shape->tile / 32},
                                  {"SEARCHES", 2},
                                  {"UNROLL", 8},
                                  {"WORDS", output_bytes(d) / 4},
                                  {"VALUES", values},
                                  {"COUNT", count},
                                  {"ARGUMENTS", arguments},
                                  {"FORMS", static_cast<std::int64_t>(d.arguments.size())}},
                                 shape->workgroup_size);
  if (!kernel) return std::unexpected{kernel.error()};
  plan.notes.push_back("tiles of " + std::to_string(shape->tile) + " items and outputs by " +
                       std::to_string(shape->workgroup_size) + " invocations");

  const std::uint64_t window = window_outputs(d, limits);
  for (std::uint64_t first = 0; first == 0 || first < d.capacity; first += window) {
    const std::uint64_t end = std::min(first + window, d.capacity);
    const BoundRange output = d.capacity == 0 ? BoundRange{whole(plan, b.output), b.output_at}
                                              : bind_range(limits, b.output, output_bytes(d),
                                                           b.output_at + first, b.output_at + end);
    std::vector<std::uint32_t> settings{static_cast<std::uint32_t>(d.n),
                                        static_cast<std::uint32_t>(first),
                                        static_cast<std::uint32_t>(end),
                                        end == d.capacity ? 1U : 0U,
                                        static_cast<std::uint32_t>(d.capacity),
                                        offsets == b.counts ? b.counts_at : 0U,
                                        b.values_at,
                                        output.first,
                                        b.report_at,
                                        b.n_at,
                                        search_rounds(d.n, shape->workgroup_size / 2),
                                        limits.max_workgroups_per_dimension};
    append_forms(settings, d.arguments, b.arguments_at);
    const std::uint64_t bytes = settings.size() * 4;
    const std::uint32_t given = add_buffer(plan, "parameters from " + std::to_string(first), bytes,
                                           BufferRole::parameters, std::move(settings));
    std::vector<PlanBinding> bindings{whole(plan, given), whole(plan, offsets), output.binding,
                                      whole(plan, b.report)};
    if (values > 0) bindings.push_back(whole(plan, b.values));
    if (count > 0) bindings.push_back(whole(plan, b.n));
    if (arguments > 0) bindings.push_back(whole(plan, b.arguments));
    const std::uint64_t tiles =
        std::max<std::uint64_t>(ceil_div(d.n + end - first, shape->tile), 1);
    const std::uint64_t limit = limits.max_workgroups_per_dimension;
    const auto grid = fold_grid(tiles, limit);
    if (grid[2] > limit) {
      return refused(std::to_string(tiles) + " tiles do not fit a grid",
                     "max_workgroups_per_dimension", limit);
    }
    plan.steps.push_back(
        DispatchStep{"outputs " + std::to_string(first) + " to " + std::to_string(end), *kernel,
                     std::move(bindings), grid});
  }
  return {};
}

}  // namespace
}  // namespace plan

Result<void> validate(const ExpandDescription& d) {
  const auto refuse = [](std::string message) {
    return std::unexpected{Error{ErrorKind::bad_argument, std::move(message)}};
  };
  constexpr std::uint32_t largest = 64;
  if (d.element_bytes % 4 != 0 || d.element_bytes > largest) {
    return refuse("values have a multiple of 4 bytes, up to 64, not " +
                  std::to_string(d.element_bytes));
  }
  constexpr std::uint64_t most = 0xFFFFFFFE;
  if (d.n > most || d.capacity > most) {
    return refuse("an expansion takes at most " + std::to_string(most) +
                  " items and outputs, not " + std::to_string(d.n) + " and " +
                  std::to_string(d.capacity));
  }
  return plan::validate(d.arguments);
}

Result<Plan> plan_expand(const ExpandDescription& d, const Traits& traits,
                         const ExpandLayout& layout) {
  if (auto ok = validate(d); !ok) return std::unexpected{std::move(ok.error())};
  if (d.n > plan::most_items) {
    return std::unexpected{
        Error{ErrorKind::unsupported,
              "on a GPU an expansion takes at most 2^31 items, not " + std::to_string(d.n)}};
  }
  Plan plan{.primitive = d.element_bytes == 0
                             ? "expand (to indices)"
                             : "expand (" + std::to_string(d.element_bytes) + " bytes)",
            .algorithm = "from offsets",
            .n = d.n,
            .counted = layout.counted,
            .buffers = {},
            .kernels = {},
            .steps = {}};
  const plan::ExpandBuffers buffers = plan::add_buffers(plan, d, layout);
  std::uint32_t offsets = buffers.counts;
  if (!d.from_offsets) {
    auto made = plan::add_scan(plan, d, traits, layout, buffers);
    if (!made) return std::unexpected{std::move(made.error())};
    offsets = *made;
  }
  if (auto ok = plan::add_windows(plan, d, traits, layout, buffers, offsets); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  return plan;
}

}  // namespace cumulo
