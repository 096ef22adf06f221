// Scans that read the input once: tiles hand their totals on through the spine. Three forms: two
// for subgroups of 32 lanes, for few elements and for many, and one by workgroup memory for all
// else.
#include <algorithm>

#include "cumulo/order.hpp"
#include "plan/parts.hpp"
#include "plan/scan_plans.hpp"
#include "plan/spine.hpp"

namespace cumulo::plan {
namespace {

constexpr std::uint32_t tail_at = 8;  // word of the total buffer where a partial quad's results are

constexpr std::uint32_t small_tile = 32 * order::row;
constexpr std::uint32_t small_tiles = 32;  // a subgroup reads the totals of all at once

// All elements as one slice, bound from the beginning of the caller's ranges.
std::uint32_t add_parameters(Plan& plan, const ScanRequest& request, std::uint64_t tiles) {
  const ScanDescription& d = request.description;
  const std::uint32_t out = request.options.out_misalignment;
  const SliceParams params{.count = static_cast<std::uint32_t>(d.n),
                           .tiles = static_cast<std::uint32_t>(tiles),
                           .in_offset = request.options.aliasing == Aliasing::in_place
                                            ? out
                                            : request.options.in_misalignment,
                           .out_offset = out + (d.include_initial && !d.reverse ? 1U : 0U),
                           .all_tiles = static_cast<std::uint32_t>(tiles),
                           .initial_at = out + (d.reverse ? static_cast<std::uint32_t>(d.n) : 0U),
                           .last_quad = static_cast<std::uint32_t>(d.n / order::quad) - 1};
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

// Of single_pass.wgsl with lib/look_back.wgsl and lib/spine.wgsl.
std::uint64_t large_memory(std::uint64_t element, std::uint32_t parts) {
  return workgroup_memory(
      {parts * element, 160 * element, 5 * element, 15 * element, sizeof(std::uint32_t)});
}

// Of small_pass.wgsl; with one tile it neither waits nor draws.
std::uint64_t small_memory(std::uint64_t element, std::uint64_t tiles) {
  if (tiles <= 1) return workgroup_memory({32 * element});
  return workgroup_memory({32 * element, element, sizeof(std::uint32_t)});
}

Error unfit(const std::string& why) {
  return {ErrorKind::unsupported, "single-pass does not fit: " + why};
}

Error beyond(const std::string& needs, const std::string& limit, std::uint64_t value) {
  return unfit("it needs " + needs + " (" + limit + " is " + std::to_string(value) + ")");
}

// What one dispatch of a form takes of the device.
struct Needs {
  std::uint32_t workgroup;  // invocations
  std::uint64_t memory;     // of a workgroup, in bytes
  std::uint32_t storage_buffers;
  std::uint64_t tiles;
};

std::optional<Error> refusal(const ScanRequest& request, const Needs& needs) {
  const ScanDescription& d = request.description;
  const Limits& limits = request.traits.limits;
  const std::string invocations = std::to_string(needs.workgroup) + " invocations a workgroup";
  if (needs.workgroup > limits.max_invocations_per_workgroup) {
    return beyond(invocations, "max_invocations_per_workgroup",
                  limits.max_invocations_per_workgroup);
  }
  if (needs.workgroup > limits.max_workgroup_size_x) {
    return beyond(invocations, "max_workgroup_size_x", limits.max_workgroup_size_x);
  }
  if (needs.memory > limits.max_workgroup_memory) {
    return beyond(std::to_string(needs.memory) + " bytes of workgroup memory",
                  "max_workgroup_memory", limits.max_workgroup_memory);
  }
  if (needs.storage_buffers > limits.max_storage_buffers_per_stage) {
    return beyond(std::to_string(needs.storage_buffers) + " storage buffers",
                  "max_storage_buffers_per_stage", limits.max_storage_buffers_per_stage);
  }
  if (d.wide) return unfit("it makes no wide sums");
  if (needs.tiles > limits.max_workgroups_per_dimension) {
    return beyond(std::to_string(needs.tiles) + " workgroups", "max_workgroups_per_dimension",
                  limits.max_workgroups_per_dimension);
  }
  const std::uint64_t bytes = std::max(request.options.in_misalignment + d.n,
                                       request.options.out_misalignment + result_count(d)) *
                              request.element_bytes();
  if (bytes > limits.max_storage_binding_size) {
    return unfit("the elements are more than one binding holds (max_storage_binding_size is " +
                 std::to_string(limits.max_storage_binding_size) + ")");
  }
  if (needs.tiles > spine::most_tiles)
    return unfit(std::to_string(needs.tiles) + " tiles are too many");
  return std::nullopt;
}

// What the forms for subgroups ask for, which hold their tiles in registers.
std::optional<Error> subgroup_refusal(const ScanRequest& request) {
  const Traits& traits = request.traits;
  if (!traits.subgroups) return unfit("it needs subgroups of 32 lanes, and there are none");
  if (traits.subgroup_width != 32) {
    return beyond("subgroups of 32 lanes", "subgroup_width", traits.subgroup_width);
  }
  if (request.element_bytes() > 8) return unfit("it takes elements of at most 8 bytes");
  return std::nullopt;
}

// Whether quads can be moved as whole vectors.
bool is_plain(const ScanRequest& request) {
  const ScanDescription& d = request.description;
  const PlanOptions& o = request.options;
  return !d.reverse && !d.include_initial && o.aliasing == Aliasing::none &&
         o.in_misalignment == 0 && o.out_misalignment == 0 && d.n >= order::quad;
}

// The binding numbers of a kernel that reads by lib/input.wgsl and writes by lib/output.wgsl.
void add_element_bindings(Values& values, const ScanRequest& request) {
  const std::int64_t output = request.options.aliasing == Aliasing::in_place ? 1 : 2;
  values.insert({{"OUTPUT", output}, {"TOTAL", output + 1}, {"SPINE", output + 2}});
}

// A plan of one kernel, with its parameters and spine but no step.
struct OnePass {
  Plan plan;
  std::uint32_t parameters;
  std::uint32_t spine;
};

OnePass one_pass(const ScanRequest& request, PlanKernel kernel, std::string note,
                 const SpineLayout& layout, std::uint64_t tiles) {
  OnePass pass{empty_scan_plan(request, name(Algorithm::single_pass)), 0, 0};
  pass.plan.notes.push_back(std::move(note));
  pass.plan.kernels.push_back(std::move(kernel));
  pass.parameters = add_parameters(pass.plan, request, tiles);
  pass.spine = add_spine(pass.plan, layout, tiles);
  return pass;
}

void add_dispatch(Plan& plan, std::vector<PlanBinding> bindings, std::uint64_t tiles) {
  plan.steps.push_back(
      DispatchStep{"", 0, std::move(bindings), {static_cast<std::uint32_t>(tiles), 1, 1}});
}

// The pass of a kernel with those bindings.
Plan element_pass(const ScanRequest& request, OnePass pass, std::uint64_t tiles) {
  Plan& plan = pass.plan;
  std::vector<PlanBinding> bindings{whole(plan, pass.parameters)};
  if (request.options.aliasing != Aliasing::in_place) bindings.push_back(whole(plan, input_buffer));
  for (const std::uint32_t buffer : {output_buffer, total_buffer, pass.spine}) {
    bindings.push_back(whole(plan, buffer));
  }
  add_dispatch(plan, std::move(bindings), tiles);
  return std::move(pass.plan);
}

}  // namespace

Result<Plan> plan_single_pass(const ScanRequest& request) {
  if (auto plan = plan_subgroup_pass(request)) return plan;
  return plan_memory_pass(request);
}

Result<Plan> plan_subgroup_pass(const ScanRequest& request) {
  const std::uint64_t n = request.description.n;
  return n <= small_pass_limit()
             ? plan_small_pass(request, small_pass_shape(request.traits.limits))
             : plan_single_pass(request, single_pass_shape(n, request.element_bytes()));
}

Result<Plan> plan_single_pass(const ScanRequest& request, const SinglePassShape& shape) {
  const ScanDescription& d = request.description;
  const std::uint64_t bytes = request.element_bytes();
  const std::uint32_t parts = shape.workgroup_size / order::quads_per_row;
  const std::uint64_t tile = std::uint64_t{parts} * shape.rows * order::row;
  const std::uint64_t tiles = (d.n + tile - 1) / tile;
  if (auto error = subgroup_refusal(request)) return std::unexpected{std::move(*error)};
  const bool in_vectors = is_plain(request);
  if (auto error = refusal(request, {shape.workgroup_size, large_memory(bytes, parts),
                                     in_vectors ? 5U : 4U, tiles})) {
    return std::unexpected{std::move(*error)};
  }

  Values values = kernel_values(request);
  add_spine_values(values, request.traits, request.options.withhold, large_spine);
  values.insert({{"WORKGROUP", shape.workgroup_size},
                 {"PARTS", parts},
                 {"ROWS", shape.rows},
                 {"HALF_STRIPS", shape.rows < order::rows_per_strip ? 1 : 0},
                 {"QUADS", static_cast<std::int64_t>(tile / order::quad)},
                 {"DIRECT", shape.direct_groups},
                 {"GATE", shape.gate},
                 {"GATE_END", shape.gate_end},
                 {"TAIL_AT", tail_at},
                 {"WAITS", 1},
                 {"VECTORS", in_vectors ? 1 : 0}});
  if (in_vectors) {
    values.insert(
        {{"INPUT", 1}, {"INPUT_WORDS", 2}, {"OUTPUT", 3}, {"TOTAL", 4}, {"SPINE", 5}, {"TAIL", 1}});
  } else {
    add_element_bindings(values, request);
  }
  auto kernel =
      make_kernel(request, "single_pass", "single_pass.wgsl", values, shape.workgroup_size, true);
  if (!kernel) return std::unexpected{std::move(kernel.error())};

  OnePass pass = one_pass(request, std::move(*kernel),
                          shape_note(tile, shape.workgroup_size, tiles), large_spine, tiles);
  if (!in_vectors) return element_pass(request, std::move(pass), tiles);
  Plan& plan = pass.plan;
  plan.buffers[total_buffer].bytes = tail_at * 4 + order::quad * bytes;
  const std::uint64_t whole_quads = d.n / order::quad * order::quad * bytes;
  add_dispatch(plan,
               {whole(plan, pass.parameters),
                {input_buffer, 0, whole_quads},
                {input_buffer, 0, d.n * bytes},
                {output_buffer, 0, whole_quads},
                whole(plan, total_buffer),
                whole(plan, pass.spine)},
               tiles);
  if (d.n % order::quad != 0) {
    plan.steps.push_back(
        CopyStep{total_buffer, tail_at * 4, output_buffer, whole_quads, d.n * bytes - whole_quads});
  }
  return std::move(pass.plan);
}

Result<Plan> plan_small_pass(const ScanRequest& request, const SmallPassShape& shape) {
  const ScanDescription& d = request.description;
  const std::uint64_t bytes = request.element_bytes();
  const std::uint64_t tiles = (d.n + small_tile - 1) / small_tile;
  const std::uint32_t workgroup = 1024 / shape.rows_each;
  // With no partial quad at the end, which would take a second step.
  const bool in_vectors = is_plain(request) && d.n % order::quad == 0;
  if (auto error = subgroup_refusal(request)) return std::unexpected{std::move(*error)};
  if (auto error = refusal(request, {workgroup, small_memory(bytes, tiles), 4, tiles})) {
    return std::unexpected{std::move(*error)};
  }
  if (tiles > small_tiles) return std::unexpected{unfit("too many elements for the small form")};

  Values values = kernel_values(request);
  add_spine_values(values, request.traits, request.options.withhold, small_spine);
  values.insert({{"WORKGROUP", workgroup},
                 {"ROWS_EACH", shape.rows_each},
                 {"VECTORS", in_vectors ? 1 : 0},
                 {"TAIL", 0},
                 {"INPUT", 1},
                 {"WAITS", tiles > 1 ? 1 : 0}});
  add_element_bindings(values, request);
  auto kernel = make_kernel(request, "small_pass", "small_pass.wgsl", values, workgroup, true);
  if (!kernel) return std::unexpected{std::move(kernel.error())};

  return element_pass(request,
                      one_pass(request, std::move(*kernel),
                               shape_note(small_tile, workgroup, tiles), small_spine, tiles),
                      tiles);
}

Result<Plan> plan_memory_pass(const ScanRequest& request) {
  const std::uint64_t bytes = request.element_bytes();
  const auto shape = memory_pass_shape(request.traits.limits, bytes);
  if (!shape) {
    const LimitTooSmall cause = limit_too_small(request.traits.limits, bytes, memory_pass_shape);
    return std::unexpected{
        beyond(std::string(cause.needs) + " for its smallest tile", cause.limit, cause.value)};
  }
  const std::uint64_t tiles = (request.description.n + shape->tile - 1) / shape->tile;
  if (auto error = refusal(request, {shape->workgroup_size, 0, 4, tiles})) {
    return std::unexpected{std::move(*error)};
  }

  Values values = kernel_values(request);
  add_spine_values(values, request.traits, request.options.withhold, large_spine);
  add_tile_values(values, *shape);
  add_element_bindings(values, request);
  values.insert(
      {{"TREE", std::max(1U, shape->tile / order::strip)}, {"SINGLE_PASS", 1}, {"WAITS", 1}});
  auto kernel =
      make_kernel(request, "scan_tiles", "scan_tiles.wgsl", values, shape->workgroup_size);
  if (!kernel) return std::unexpected{std::move(kernel.error())};

  const std::string note =
      shape_note(shape->tile, shape->workgroup_size, tiles) + ", by workgroup memory";
  return element_pass(request, one_pass(request, std::move(*kernel), note, large_spine, tiles),
                      tiles);
}

}  // namespace cumulo::plan
