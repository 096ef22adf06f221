// An expansion: offsets by the scan of an allocation, then two dispatches for each window of
// outputs that a binding can hold: one shares the outputs out to tiles, one writes them.
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
constexpr std::uint64_t most_items = std::uint64_t{1} << 30;
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
  CallerBuffers callers(plan, layout.misalignments);
  b.counts = d.from_offsets ? callers.add("offsets", 4, d.n + 1, BufferRole::input, b.counts_at)
                            : callers.add("counts", 4, d.n, BufferRole::input, b.counts_at);
  if (d.element_bytes > 0) {
    b.values = callers.add("values", d.element_bytes, d.n, BufferRole::input, b.values_at);
  }
  b.output = callers.add("output", output_bytes(d), d.capacity, BufferRole::output, b.output_at);
  b.report = callers.add("report", 4, sizeof(ExpansionReport) / 4, BufferRole::output, b.report_at);
  if (!d.arguments.empty()) {
    b.arguments = callers.add("arguments", 4, argument_bytes(d.arguments) / 4, BufferRole::output,
                              b.arguments_at);
  }
  if (layout.counted) b.n = callers.add("n", 4, 1, BufferRole::count, b.n_at);
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
  std::vector<std::pair<std::uint32_t, std::uint32_t>> known{{input_buffer, b.counts},
                                                             {output_buffer, offsets}};
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

// Storage buffers that one of the dispatches binds at most.
std::uint32_t storage_buffers(const Plan& plan, const ExpandDescription& d, bool by_vectors) {
  const std::uint32_t has_values = d.element_bytes > 0 ? 1 : 0;
  const std::uint32_t to_share = 3 + (by_vectors ? 1 + has_values : 0) + (plan.counted ? 1U : 0U) +
                                 (d.arguments.empty() ? 0U : 1U);
  return std::max(to_share, 3 + has_values);
}

// Single words are written as vectors of four where all windows have some.
bool writes_vectors(const Plan& plan, const ExpandDescription& d, const Limits& limits) {
  constexpr std::uint64_t vector = 4;
  if (output_bytes(d) != 4 || d.capacity < vector) return false;
  const std::uint64_t rest = d.capacity % window_outputs(d, limits);
  return (rest == 0 || rest >= vector) &&
         storage_buffers(plan, d, true) <= limits.max_storage_buffers_per_stage;
}

Result<void> check_limits(const Plan& plan, const ExpandDescription& d, const Limits& limits,
                          const ExpandBuffers& b) {
  const std::uint32_t bound = storage_buffers(plan, d, false);
  if (bound > limits.max_storage_buffers_per_stage) {
    return refused("it binds " + std::to_string(bound) + " storage buffers at once",
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

// The dispatches of every window.
class Windows {
 public:
  Windows(Plan& plan, const ExpandDescription& d, const Limits& limits, const ExpandBuffers& b,
          std::uint32_t offsets, const ExpandShape& shape)
      : plan_(plan),
        d_(d),
        limits_(limits),
        b_(b),
        offsets_(offsets),
        shape_(shape),
        window_(window_outputs(d, limits)),
        by_vectors_(writes_vectors(plan, d, limits)),
        sharing_workgroup_(std::min(shape.workgroup_size, 64U)) {}

  Result<void> add() {
    const std::uint64_t most_tiles = tiles_of(std::min(window_, d_.capacity));
    const std::uint64_t begin_bytes = by_vectors_ ? 24 : 12;
    begins_ = add_buffer(plan_, "tile begins", (most_tiles + 1) * begin_bytes, BufferRole::scratch);
    if (plan_.buffers[begins_].bytes > limits_.max_storage_binding_size) {
      return refused(
          "what is known of " + std::to_string(most_tiles) + " tiles does not fit one binding",
          "max_storage_binding_size", limits_.max_storage_binding_size);
    }
    if (auto ok = add_share_kernel(); !ok) return ok;
    if (auto ok = add_write_kernel(); !ok) return ok;
    plan_.notes.push_back("tiles of " + std::to_string(shape_.tile) + " outputs, or items of " +
                          std::to_string(shape_.weight) + ", by " +
                          std::to_string(shape_.workgroup_size) + " invocations");
    for (std::uint64_t first = 0; first == 0 || first < d_.capacity; first += window_) {
      if (auto ok = add_window(first, std::min(first + window_, d_.capacity)); !ok) return ok;
    }
    return {};
  }

 private:
  std::uint64_t tiles_of(std::uint64_t outputs) const {
    return std::max<std::uint64_t>(ceil_div(d_.n * shape_.weight + outputs, shape_.tile), 1);
  }

  Values values() const {  // of both kernels
    return {{"TILE", shape_.tile}, {"WEIGHT", shape_.weight}, {"VECTORS", by_vectors_ ? 1 : 0}};
  }

  Result<void> add_share_kernel() {
    std::int64_t next = 4;
    Values given = values();
    given["OUTPUT"] = by_vectors_ ? next++ : 0;
    given["VALUES"] = by_vectors_ && d_.element_bytes > 0 ? next++ : 0;
    given["COUNT"] = plan_.counted ? next++ : 0;
    given.insert({{"WORKGROUP", sharing_workgroup_},
                  {"SEARCHES", sharing_searches},
                  {"SCANNED", offsets_ == b_.counts ? 0 : 1},
                  {"ARGUMENTS", next},
                  {"FORMS", static_cast<std::int64_t>(d_.arguments.size())}});
    const auto kernel =
        add_kernel(plan_, "expand_share", "expand_share.wgsl", given, sharing_workgroup_);
    if (!kernel) return std::unexpected{kernel.error()};
    share_ = *kernel;
    return {};
  }

  Result<void> add_write_kernel() {
    const std::uint32_t items = shape_.tile / shape_.weight;
    const auto each = [&](std::uint64_t count) {
      return static_cast<std::int64_t>(ceil_div(count, shape_.workgroup_size));
    };
    Values given = values();
    given.insert({{"WORKGROUP", shape_.workgroup_size},
                  {"FORMS", 0},
                  {"KEPT", by_vectors_ && shape_.keeps_values ? 1 : 0},
                  {"WORDS", output_bytes(d_) / 4},
                  {"VALUES", d_.element_bytes > 0 ? 4 : 0},
                  {"UNROLL", 2},
                  {"ITEMS", items},
                  {"ITEMS_EACH", each(items + 3)},
                  {"PAIRS_EACH", each((items + 4) / 2)}});
    const auto kernel = add_kernel(plan_, "expand", "expand.wgsl", given, shape_.workgroup_size);
    if (!kernel) return std::unexpected{kernel.error()};
    write_ = *kernel;
    return {};
  }

  Result<void> add_window(std::uint64_t first, std::uint64_t end) {
    const BoundRange output = d_.capacity == 0
                                  ? BoundRange{whole(plan_, b_.output), b_.output_at}
                                  : bind_range(limits_, b_.output, output_bytes(d_),
                                               b_.output_at + first, b_.output_at + end);
    const std::uint64_t tiles = tiles_of(end - first);
    std::vector<std::uint32_t> settings{static_cast<std::uint32_t>(d_.n),
                                        static_cast<std::uint32_t>(first),
                                        static_cast<std::uint32_t>(end),
                                        end == d_.capacity ? 1U : 0U,
                                        static_cast<std::uint32_t>(d_.capacity),
                                        offsets_ == b_.counts ? b_.counts_at : 0U,
                                        b_.values_at,
                                        output.first,
                                        b_.report_at,
                                        b_.n_at,
                                        static_cast<std::uint32_t>(tiles),
                                        limits_.max_workgroups_per_dimension,
                                        search_rounds(d_.n, sharing_workgroup_ / sharing_searches),
                                        0,
                                        0,
                                        0};
    append_forms(settings, d_.arguments, b_.arguments_at);
    const std::uint32_t given =
        add_parameters(plan_, "parameters from " + std::to_string(first), std::move(settings));
    std::vector<PlanBinding> to_share{whole(plan_, given), whole(plan_, offsets_),
                                      whole(plan_, begins_), whole(plan_, b_.report)};
    if (by_vectors_) to_share.push_back(output.binding);
    if (by_vectors_ && d_.element_bytes > 0) to_share.push_back(whole(plan_, b_.values));
    if (plan_.counted) to_share.push_back(whole(plan_, b_.n));
    if (!d_.arguments.empty()) to_share.push_back(whole(plan_, b_.arguments));
    std::vector<PlanBinding> to_write{whole(plan_, given), whole(plan_, offsets_), output.binding,
                                      whole(plan_, begins_)};
    if (d_.element_bytes > 0) to_write.push_back(whole(plan_, b_.values));
    const std::string outputs = "outputs " + std::to_string(first) + " to " + std::to_string(end);
    auto ok = add_dispatch("tiles of " + outputs, share_, std::move(to_share),
                           ceil_div(tiles + 1, sharing_workgroup_));
    return ok ? add_dispatch(outputs, write_, std::move(to_write), tiles) : ok;
  }

  Result<void> add_dispatch(std::string label, std::uint32_t kernel,
                            std::vector<PlanBinding> bindings, std::uint64_t groups) {
    const std::uint64_t limit = limits_.max_workgroups_per_dimension;
    const auto grid = fold_grid(groups, limit);
    if (grid[2] > limit) {
      return refused(std::to_string(groups) + " workgroups do not fit a grid",
                     "max_workgroups_per_dimension", limit);
    }
    plan_.steps.push_back(DispatchStep{std::move(label), kernel, std::move(bindings), grid});
    return {};
  }

  static constexpr std::uint32_t sharing_searches = 2;

  Plan& plan_;
  const ExpandDescription& d_;
  const Limits& limits_;
  const ExpandBuffers& b_;
  const std::uint32_t offsets_;
  const ExpandShape shape_;
  const std::uint64_t window_;
  const bool by_vectors_;
  const std::uint32_t sharing_workgroup_;
  std::uint32_t begins_ = 0;
  std::uint32_t share_ = 0;
  std::uint32_t write_ = 0;
};

Result<void> add_windows(Plan& plan, const ExpandDescription& d, const Limits& limits,
                         const ExpandBuffers& b, std::uint32_t offsets) {
  if (auto ok = check_limits(plan, d, limits, b); !ok) return ok;
  const auto largest = expand_shape(limits);
  if (!largest) {
    const LimitTooSmall cause = limit_too_small(limits, 4, expand_shape);
    return refused("the smallest tile needs " + std::string(cause.needs), cause.limit, cause.value);
  }
  const std::uint64_t outputs = std::min(window_outputs(d, limits), d.capacity);
  return Windows(plan, d, limits, b, offsets, expand_tile_shape(*largest, limits, d.n, outputs))
      .add();
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
              "on a GPU an expansion takes at most 2^30 items, not " + std::to_string(d.n)}};
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
  if (auto ok = plan::add_windows(plan, d, traits.limits, buffers, offsets); !ok) {
    return std::unexpected{std::move(ok.error())};
  }
  return plan;
}

}  // namespace cumulo
