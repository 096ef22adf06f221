// Scans that read the input once: tiles drawn from a ticket, totals handed on through the spine.
#include <algorithm>

#include "cumulo/order.hpp"
#include "plan/scan_plans.hpp"

namespace cumulo::plan {
namespace {

// The spine's layout, in words; lib/spine.wgsl says what it is for.
constexpr std::uint32_t line = 32;         // one descriptor for each 128 bytes
constexpr std::uint32_t most_blocks = 32;  // of 32 groups of 32 tiles
constexpr std::uint32_t most_groups = 32 * most_blocks;
constexpr std::uint32_t most_tiles = 32 * most_groups;
constexpr std::uint32_t ticket_bits = 17;
constexpr std::uint32_t tags = 1U << (32 - ticket_bits);
constexpr std::uint32_t spins = 1U << 22;  // looks at one descriptor: some seconds
constexpr std::uint64_t stalled_offset = 4;

constexpr std::uint32_t tail_at = 8;  // word of the total buffer where a partial quad's results are

constexpr std::uint32_t small_tile = 32 * order::row;
constexpr std::uint32_t small_tiles = 1024;  // a subgroup totals 32 of them at once

struct SpineLayout {
  std::uint32_t first_block;
  std::uint32_t first_base;
  std::uint32_t first_group;
  std::uint32_t first_tile;
};

constexpr SpineLayout large_spine{line, line * (1 + most_blocks), line * (1 + 2 * most_blocks),
                                  line * (1 + 2 * most_blocks + most_groups)};
constexpr SpineLayout small_spine{line, line, line, line};

void add_spine_values(Values& values, const SpineLayout& spine) {
  values.insert({{"TICKET_BITS", ticket_bits},
                 {"TICKET_MASK", (1 << ticket_bits) - 1},
                 {"FIRST_BLOCK", spine.first_block},
                 {"FIRST_BASE", spine.first_base},
                 {"FIRST_GROUP", spine.first_group},
                 {"FIRST_TILE", spine.first_tile},
                 {"LINE", line},
                 {"SPINS", spins}});
}

// Adds the spine; returns its number.
std::uint32_t add_spine(Plan& plan, const SpineLayout& spine, std::uint64_t tiles) {
  const auto buffer = static_cast<std::uint32_t>(plan.buffers.size());
  plan.buffers.push_back({"spine", (spine.first_tile + tiles * line) * 4, BufferRole::scratch});
  plan.status = PlanStatus{buffer, stalled_offset};
  plan.renewal = PlanRenewal{buffer, tags};
  return buffer;
}

std::uint32_t add_parameters(Plan& plan, const ScanRequest& request, std::uint64_t tiles) {
  const std::uint64_t n = request.description.n;
  const SliceParams params{.count = static_cast<std::uint32_t>(n),
                           .tiles = static_cast<std::uint32_t>(tiles),
                           .all_tiles = static_cast<std::uint32_t>(tiles),
                           .last_quad = static_cast<std::uint32_t>(n / order::quad) - 1};
  std::vector<std::uint32_t> words = parameter_words(request, params);
  const std::uint64_t bytes = words.size() * 4;
  const auto buffer = static_cast<std::uint32_t>(plan.buffers.size());
  plan.buffers.push_back({"parameters", bytes, BufferRole::parameters, std::move(words)});
  return buffer;
}

std::string shape_note(std::uint64_t tile, std::uint64_t workgroup, std::uint64_t tiles) {
  return "tiles of " + std::to_string(tile) + " elements by " + std::to_string(workgroup) +
         " invocations: " + std::to_string(tiles) + " tiles";
}

Error unfit(const std::string& why) {
  return {ErrorKind::unsupported, "single-pass does not fit: " + why};
}

// What both forms need.
std::optional<Error> refusal(const ScanRequest& request, std::uint32_t workgroup) {
  const ScanDescription& d = request.description;
  const Limits& limits = request.traits.limits;
  if (!request.traits.subgroups || request.traits.subgroup_width != 32) {
    return unfit("it needs subgroups of 32 lanes");
  }
  if (d.reverse || d.include_initial) return unfit("it scans forward, without include_initial");
  if (request.options.aliasing != Aliasing::none) return unfit("it needs separate buffers");
  if (d.wide) return unfit("it makes no wide sums");
  if (request.element_bytes() > 8) {
    return unfit("it holds its tiles in registers: elements of at most 8 bytes");
  }
  if (request.options.in_misalignment != 0 || request.options.out_misalignment != 0) {
    return unfit("input and output must begin at the device's storage offset alignment");
  }
  if (workgroup > std::min(limits.max_invocations_per_workgroup, limits.max_workgroup_size_x)) {
    return unfit("it needs " + std::to_string(workgroup) + " invocations a workgroup");
  }
  if (limits.max_storage_buffers_per_stage < 5) return unfit("it binds 5 storage buffers");
  const std::uint64_t bytes = d.n * request.element_bytes();
  if (bytes > limits.max_storage_binding_size) {
    return unfit("the input is larger than one binding (max_storage_binding_size " +
                 std::to_string(limits.max_storage_binding_size) + ")");
  }
  return std::nullopt;
}

}  // namespace

Result<Plan> plan_single_pass(const ScanRequest& request) {
  const std::uint64_t n = request.description.n;
  if (n <= small_pass_limit()) return plan_small_pass(request, small_pass_shape(n));
  return plan_single_pass(request, single_pass_shape());
}

Result<Plan> plan_single_pass(const ScanRequest& request, const SinglePassShape& shape) {
  const ScanDescription& d = request.description;
  const std::uint64_t bytes = request.element_bytes();
  const std::uint32_t strips = shape.workgroup_size / order::quads_per_row;
  const std::uint64_t tile = std::uint64_t{strips} * order::strip;
  const std::uint64_t tiles = (d.n + tile - 1) / tile;
  if (auto error = refusal(request, shape.workgroup_size)) return std::unexpected{std::move(*error)};
  if (d.n < order::quad) return std::unexpected{unfit("it needs at least one whole quad")};
  if (tiles > std::min(most_tiles, request.traits.limits.max_workgroups_per_dimension)) {
    return std::unexpected{unfit(std::to_string(tiles) + " tiles are too many")};
  }

  Values values = kernel_values(request);
  add_spine_values(values, large_spine);
  values.insert({{"WORKGROUP", shape.workgroup_size},
                 {"STRIPS", strips},
                 {"QUADS", static_cast<std::int64_t>(tile / order::quad)},
                 {"DIRECT", shape.direct_groups},
                 {"JOBS", 4 + shape.direct_groups},
                 {"GATE", shape.gate},
                 {"GATE_END", shape.gate_end},
                 {"TAIL_AT", tail_at},
                 {"WAITS", 1},
                 {"VECTORS", 1},
                 {"INPUT", 1},
                 {"INPUT_WORDS", 2},
                 {"OUTPUT", 3},
                 {"TOTAL", 4},
                 {"SPINE", 5}});
  auto kernel = make_kernel(request, "single_pass", "single_pass.wgsl", values,
                            shape.workgroup_size, true);
  if (!kernel) return std::unexpected{std::move(kernel.error())};

  Plan plan = empty_scan_plan(request, name(Algorithm::single_pass));
  plan.notes.push_back(shape_note(tile, shape.workgroup_size, tiles));
  plan.kernels.push_back(std::move(*kernel));
  const std::uint64_t total_bytes = tail_at * 4 + order::quad * bytes;
  plan.buffers[total_buffer].bytes = total_bytes;
  const std::uint32_t parameters = add_parameters(plan, request, tiles);
  const std::uint32_t spine = add_spine(plan, large_spine, tiles);

  const std::uint64_t whole_quads = d.n / order::quad * order::quad * bytes;
  plan.steps.push_back(DispatchStep{"",
                                    0,
                                    {{parameters, 0, plan.buffers[parameters].bytes},
                                     {input_buffer, 0, whole_quads},
                                     {input_buffer, 0, d.n * bytes},
                                     {output_buffer, 0, whole_quads},
                                     {total_buffer, 0, total_bytes},
                                     {spine, 0, plan.buffers[spine].bytes}},
                                    {static_cast<std::uint32_t>(tiles), 1, 1}});
  if (d.n % order::quad != 0) {
    plan.steps.push_back(CopyStep{total_buffer, tail_at * 4, output_buffer, whole_quads,
                                  d.n * bytes - whole_quads});
  }
  return plan;
}

Result<Plan> plan_small_pass(const ScanRequest& request, const SmallPassShape& shape) {
  const ScanDescription& d = request.description;
  const std::uint64_t bytes = request.element_bytes();
  const std::uint64_t tiles = (d.n + small_tile - 1) / small_tile;
  const std::uint32_t workgroup = 1024 / shape.rows_each;
  if (auto error = refusal(request, workgroup)) return std::unexpected{std::move(*error)};
  if (tiles > small_tiles) return std::unexpected{unfit("too many elements for the small form")};

  Values values = kernel_values(request);
  add_spine_values(values, small_spine);
  values.insert({{"WORKGROUP", workgroup},
                 {"ROWS_EACH", shape.rows_each},
                 {"VECTORS", 0},
                 {"OUTPUT", 2},
                 {"TOTAL", 3},
                 {"SPINE", 4},
                 {"WAITS", tiles > 1 ? 1 : 0}});
  auto kernel = make_kernel(request, "small_pass", "small_pass.wgsl", values, workgroup, true);
  if (!kernel) return std::unexpected{std::move(kernel.error())};

  Plan plan = empty_scan_plan(request, name(Algorithm::single_pass));
  plan.notes.push_back(shape_note(small_tile, workgroup, tiles));
  plan.kernels.push_back(std::move(*kernel));
  const std::uint32_t parameters = add_parameters(plan, request, tiles);
  const std::uint32_t spine = add_spine(plan, small_spine, tiles);
  plan.steps.push_back(DispatchStep{"",
                                    0,
                                    {{parameters, 0, plan.buffers[parameters].bytes},
                                     {input_buffer, 0, d.n * bytes},
                                     {output_buffer, 0, d.n * bytes},
                                     {total_buffer, 0, bytes},
                                     {spine, 0, plan.buffers[spine].bytes}},
                                    {static_cast<std::uint32_t>(tiles), 1, 1}});
  return plan;
}

}  // namespace cumulo::plan
