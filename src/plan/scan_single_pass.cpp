// Scans that read the input once: tiles hand their totals on through the spine. Three forms: two
// for subgroups of 32 lanes, for few elements and for many, and one by workgroup memory for all
// else.
#include <algorithm>

#include "cumulo/order.hpp"
#include "plan/parts.hpp"
#include "plan/scan_plans.hpp"
#include "plan/slices.hpp"
#include "plan/spine.hpp"

namespace cumulo::plan {
namespace {

constexpr std::uint32_t tail_at = 8;  // word of the total buffer where a partial quad's results are

constexpr std::uint32_t group_tiles = 32;  // a subgroup reads their totals at once

SpineWord spine_word(const Traits& traits) {
  return traits.shader_int64_atomics ? SpineWord::u64 : SpineWord::u32;
}

// How quads lie in vectors of four components, words or halves: see lib/vector_io.wgsl. Places and
// lengths are in components.
struct VectorLayout {
  std::uint32_t in_shift;     // where in its vector a quad begins
  std::uint32_t out_shift;    // likewise
  std::uint32_t rest;         // after the input's last whole vector, where those are read apart
  std::uint32_t tail;         // after the output's last whole vector, where those are copied
  std::uint32_t edge;         // likewise, where the bound range holds that vector whole
  std::uint32_t head;         // where results begin in a vector that no quad's results fill
  std::uint32_t in_vectors;   // vectors in the input's bound range
  std::uint32_t out_vectors;  // vectors in the output's bound range
  bool in_pieces;             // some vectors of the output are not written whole

  bool has_copy() const { return rest != 0 || tail != 0; }
};

// Of a word or half, of which a vector has four.
std::uint64_t component_bytes(const ScanRequest& request) {
  return has_half_output(request.description) ? sizeof(Half) : 4;
}

// Also sets the fields of `params` that are about vectors.
VectorLayout lay_out(const ScanRequest& request, const BoundSlice& bound, SliceParams& params) {
  constexpr std::uint32_t vector = 4;
  const ScanDescription& d = request.description;
  const auto words = static_cast<std::uint32_t>(request.element_bytes() / component_bytes(request));
  const std::uint32_t all = params.count * words;
  const std::uint32_t in_begin = params.in_offset * words, in_end = in_begin + all;
  const std::uint32_t out_begin = params.out_offset * words, out_end = out_begin + all;
  const std::uint32_t initial = bound.holds_initial ? words : 0;
  const std::uint32_t results_end = out_end + (d.reverse ? initial : 0);
  // A quad of a reverse scan ends where the one before it begins.
  const std::uint32_t in_first = d.reverse ? in_end : in_begin;
  const std::uint32_t out_first = d.reverse ? out_end : out_begin;
  params.in_block = in_first / vector - (d.reverse ? words : 0);
  params.out_block = out_first / vector - (d.reverse ? words : 0);
  params.out_first = (out_begin + vector - 1) / vector;
  params.out_whole = results_end / vector - params.out_first;
  params.out_begin = out_begin - (d.reverse ? 0 : initial);
  params.out_words = all + initial;
  // After any slice but the one at the end of memory lie the elements of another.
  const bool ends_memory = d.reverse ? params.first_tile == 0 : params.is_last;
  const bool in_padded = request.options.in_padded || !ends_memory;
  const bool out_padded =
      (request.options.out_padded || !ends_memory) && request.traits.stores_components;
  const std::uint32_t beyond = results_end % vector;
  VectorLayout layout{.in_shift = in_first % vector,
                      .out_shift = out_first % vector,
                      .rest = in_padded ? 0 : in_end % vector,
                      .tail = out_padded ? 0 : beyond,
                      .edge = out_padded ? beyond : 0,
                      .head = d.reverse ? out_begin % vector : 0,
                      .in_vectors = (in_end + (in_padded ? vector - 1 : 0)) / vector,
                      .out_vectors = (results_end + (out_padded ? vector - 1 : 0)) / vector,
                      .in_pieces = false};
  params.in_last = layout.in_vectors - 1;
  layout.in_pieces =
      layout.out_shift != 0 || layout.head != 0 || layout.edge != 0 || d.include_initial;
  return layout;
}

// Whether quads can be moved as whole vectors. The input's last words are then read by another
// binding, the output's written by a copy.
bool takes_vectors(const ScanRequest& request, const VectorLayout& layout) {
  // Halves that begin inside a vector go one by one.
  const bool aligned = layout.in_shift == 0 && layout.out_shift == 0 && layout.head == 0 &&
                       !layout.has_copy() && !request.description.include_initial;
  if (has_half_output(request.description) && !aligned) return false;
  if (request.description.n < 4 * order::quad) return false;
  if (request.options.aliasing != Aliasing::none && layout.has_copy()) return false;
  return !layout.in_pieces || request.traits.stores_components;
}

// What one dispatch scans.
struct PassSlice {
  BoundSlice bound;
  SliceParams params;
  VectorLayout layout;
};

PassSlice pass_slice(const ScanRequest& request, const Slice& slice, std::uint64_t tile) {
  PassSlice made{bind_slice(request, slice), {}, {}};
  made.params = slice_params(request, slice, made.bound, tile);
  made.layout = lay_out(request, made.bound, made.params);
  return made;
}

PassSlice whole_slice(const ScanRequest& request, std::uint64_t tile) {
  return pass_slice(request, {0, request.description.n}, tile);
}

std::string shape_note(std::uint64_t tile, std::uint64_t workgroup, std::uint64_t tiles) {
  return "tiles of " + std::to_string(tile) + " elements by " + std::to_string(workgroup) +
         " invocations: " + std::to_string(tiles) + " tiles";
}

// Lists of lib/before_tile.wgsl in single_pass.wgsl and in small_pass.wgsl.
constexpr std::uint32_t large_lists = 2;
constexpr std::uint32_t small_lists = 1;

std::uint64_t kept_blocks_bytes(std::uint64_t element, std::uint32_t lists) {
  return std::uint64_t{5} * lists * element;
}

constexpr std::uint64_t drawn_bytes = sizeof(std::uint32_t);  // lib/spine.wgsl

// Of single_pass.wgsl with what it imports, whose variables these are.
std::uint64_t large_memory(std::uint64_t element, std::uint32_t parts,
                           const SinglePassShape& shape) {
  const std::uint64_t part_totals = parts * element;
  const std::uint64_t end_prefix = element;
  if (shape.any_order) {
    const std::uint64_t before_parts = (3 + shape.direct_groups) * element;
    return workgroup_memory({part_totals, end_prefix, before_parts, drawn_bytes});
  }
  const std::uint64_t part_tree = 160 * element;
  const std::uint64_t kept_blocks = kept_blocks_bytes(element, large_lists);
  const std::uint64_t block_totals = 32 * element;
  const std::uint64_t group_totals = 64 * element;
  const std::uint64_t own_group = element;
  const std::uint64_t before_tile = element;
  return workgroup_memory({part_totals, end_prefix, part_tree, kept_blocks, block_totals,
                           group_totals, own_group, before_tile, drawn_bytes});
}

// Likewise of small_pass.wgsl; with one tile it neither waits nor draws, with one group it totals
// none.
std::uint64_t small_memory(std::uint64_t element, std::uint64_t tiles) {
  const std::uint64_t row_totals = 32 * element;
  if (tiles <= 1) return workgroup_memory({row_totals});
  const std::uint64_t kept_blocks = kept_blocks_bytes(element, small_lists);
  const std::uint64_t group_totals = tiles <= group_tiles ? 0 : 32 * element;
  return workgroup_memory({row_totals, kept_blocks, group_totals, drawn_bytes});
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
};

std::optional<Error> refusal(const ScanRequest& request, const Needs& needs) {
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
  if (request.description.wide) return unfit("it makes no wide sums");
  return std::nullopt;
}

// Why one dispatch cannot scan all elements.
std::optional<Error> one_slice_refusal(const ScanRequest& request, std::uint64_t tiles) {
  const Limits& limits = request.traits.limits;
  if (tiles > limits.max_workgroups_per_dimension) {
    return beyond(std::to_string(tiles) + " workgroups", "max_workgroups_per_dimension",
                  limits.max_workgroups_per_dimension);
  }
  const std::uint64_t bytes =
      std::max(request.options.in_misalignment + request.description.n,
               request.options.out_misalignment + result_count(request.description)) *
      request.element_bytes();
  constexpr std::uint64_t vector = 16;  // what is padded is bound to a vector's end
  if (ceil_div(bytes, vector) * vector > limits.max_storage_binding_size) {
    return unfit("the elements are more than one binding holds (max_storage_binding_size is " +
                 std::to_string(limits.max_storage_binding_size) + ")");
  }
  return std::nullopt;
}

std::optional<Error> spine_refusal(const SpineLayout& spine, std::uint64_t tiles) {
  if (tiles <= spine.most_tiles()) return std::nullopt;
  return unfit(std::to_string(tiles) + " tiles are too many");
}

// Slices with as many tiles each, one where that is possible. They share the spine: what the first
// ones published stands there when the next ones look back.
Result<std::vector<Slice>> cut(const ScanRequest& request, std::uint64_t tile) {
  const std::uint64_t n = request.description.n;
  const std::uint64_t tiles = ceil_div(n, tile);
  const auto refused = one_slice_refusal(request, tiles);
  if (!refused) return std::vector<Slice>{{0, n}};
  const Limits& limits = request.traits.limits;
  const std::uint64_t most =
      std::min<std::uint64_t>(slice_capacity(limits, request.element_bytes(), tile) / tile,
                              limits.max_workgroups_per_dimension);
  const std::uint64_t count = most == 0 ? tiles : ceil_div(tiles, most);
  // A slice's last vectors may reach into the elements of the next one, which has to have them.
  if (tiles / count < 2) return std::unexpected{*refused};
  std::vector<Slice> slices;
  for (std::uint64_t i = 0; i < count; ++i) {
    slices.push_back({i * tiles / count * tile, std::min(n, (i + 1) * tiles / count * tile)});
  }
  return slices;
}

// Why the forms for subgroups, which hold their tiles in registers, do not fit.
std::optional<Error> subgroup_refusal(const ScanRequest& request) {
  const Traits& traits = request.traits;
  if (!traits.subgroups) return unfit("it needs subgroups of 32 lanes, and there are none");
  if (traits.subgroup_width != 32) {
    return beyond("subgroups of 32 lanes", "subgroup_width", traits.subgroup_width);
  }
  if (request.combined_bytes() > 8) return unfit("it takes elements of at most 8 bytes");
  return std::nullopt;
}

// The binding numbers of a kernel.
void add_bindings(Values& values, const ScanRequest& request) {
  const std::int64_t output = request.options.aliasing == Aliasing::in_place ? 1 : 2;
  values.insert({{"OUTPUT", output},
                 {"TOTAL", output + 1},
                 {"SPINE", output + 2},
                 {"INPUT_WORDS", output + 3}});
}

// Of a kernel that moves quads by lib/quad_io.wgsl.
void add_layout_values(Values& values, const VectorLayout& layout, bool in_vectors) {
  values.insert({{"VECTORS", in_vectors ? 1 : 0},
                 {"IN_SHIFT", layout.in_shift},
                 {"OUT_SHIFT", layout.out_shift},
                 {"REST", layout.rest},
                 {"TAIL", layout.tail},
                 {"TAIL_AT", tail_at},
                 {"EDGE", layout.edge},
                 {"HEAD", layout.head},
                 {"PIECES", layout.in_pieces ? 1 : 0}});
}

// A plan with its spine, its number in `spine`, but no kernel and no step.
struct Pass {
  Plan plan;
  std::uint32_t spine;
};

Result<Pass> empty_pass(const ScanRequest& request, const SpineLayout& layout, std::uint64_t tiles,
                        std::string note) {
  Pass pass{empty_scan_plan(request, name(Algorithm::single_pass)), 0};
  pass.plan.notes.push_back(std::move(note));
  pass.spine = add_spine(pass.plan, layout, tiles, spine_word(request.traits));
  const Limits& limits = request.traits.limits;
  const std::uint64_t bytes = pass.plan.buffers[pass.spine].bytes;
  if (bytes > limits.max_storage_binding_size) {
    return std::unexpected{beyond("a spine of " + std::to_string(bytes) + " bytes",
                                  "max_storage_binding_size", limits.max_storage_binding_size)};
  }
  return pass;
}

// A kernel's dispatch over a slice, bound to the slice's ranges of the caller's buffers, and to the
// input's words beside where `rest` says so.
void add_dispatch(const ScanRequest& request, Pass& pass, std::uint32_t kernel,
                  const PassSlice& slice, bool rest) {
  Plan& plan = pass.plan;
  const std::uint32_t parameters =
      add_parameters(plan, "parameters", parameter_words(request, slice.params));
  std::vector<PlanBinding> bindings{whole(plan, parameters)};
  if (request.options.aliasing != Aliasing::in_place) bindings.push_back(slice.bound.in);
  bindings.push_back(slice.bound.out);
  bindings.push_back(whole(plan, total_buffer));
  bindings.push_back(whole(plan, pass.spine));
  // Its places are those of the vectors.
  if (rest) {
    const std::uint64_t at = slice.bound.in.offset;
    bindings.push_back({input_buffer, at, plan.buffers[input_buffer].bytes - at});
  }
  plan.steps.push_back(DispatchStep{"", kernel, std::move(bindings), {slice.params.tiles, 1, 1}});
}

// The same for a kernel that moves whole vectors.
void add_vector_dispatch(const ScanRequest& request, Pass& pass, std::uint32_t kernel,
                         PassSlice slice) {
  const VectorLayout& layout = slice.layout;
  const std::uint64_t vector_bytes = 4 * component_bytes(request);
  slice.bound.in.bytes = layout.in_vectors * vector_bytes;
  slice.bound.out.bytes = layout.out_vectors * vector_bytes;
  // A padded range is bound to the end of its last vector.
  const auto hold = [&](std::uint32_t buffer, std::uint64_t bytes) {
    std::uint64_t& all = pass.plan.buffers[buffer].bytes;
    all = std::max(all, bytes);
  };
  hold(slice.bound.in.buffer, slice.bound.in.offset + slice.bound.in.bytes);
  const std::uint64_t out_end = slice.bound.out.offset + slice.bound.out.bytes;
  hold(output_buffer, out_end);
  if (layout.tail != 0) hold(total_buffer, tail_at * 4 + vector_bytes);
  add_dispatch(request, pass, kernel, slice, layout.rest != 0);
  if (layout.tail != 0) {
    pass.plan.steps.push_back(
        CopyStep{total_buffer, tail_at * 4, output_buffer, out_end, layout.tail * 4});
  }
}

// The plan of a pass whose kernel is dispatched once.
Result<Plan> one_dispatch(const ScanRequest& request, Result<Pass> pass, PlanKernel kernel,
                          const PassSlice& slice) {
  if (!pass) return std::unexpected{std::move(pass.error())};
  pass->plan.kernels.push_back(std::move(kernel));
  add_dispatch(request, *pass, 0, slice, false);
  return std::move(pass->plan);
}

}  // namespace

Result<Plan> plan_single_pass(const ScanRequest& request) {
  auto plan = plan_subgroup_pass(request);
  return is_settled(plan) ? plan : plan_memory_pass(request);
}

Result<Plan> plan_subgroup_pass(const ScanRequest& request) {
  const std::uint64_t n = request.description.n;
  if (n <= small_pass_limit()) {
    auto plan = plan_small_pass(request, small_pass_shape(request.traits.limits, n));
    if (is_settled(plan)) return plan;
  }
  return plan_single_pass(request,
                          single_pass_shape(request.traits.limits, n, request.combined_bytes(),
                                            is_exact(request.description)));
}

Result<Plan> plan_single_pass(const ScanRequest& request, const SinglePassShape& shape) {
  const std::uint64_t bytes = request.combined_bytes();
  const std::uint32_t parts = shape.workgroup_size / order::quads_per_row;
  const std::uint64_t tile = std::uint64_t{parts} * shape.rows * order::row;
  const std::uint64_t tiles = ceil_div(request.description.n, tile);
  if (auto error = subgroup_refusal(request)) return std::unexpected{std::move(*error)};
  const auto slices = cut(request, tile);
  if (!slices) return std::unexpected{slices.error()};
  const SpineLayout& spine =
      shape.any_order && tiles > large_spine.most_tiles() ? largest_spine : large_spine;
  if (auto error = spine_refusal(spine, tiles)) return std::unexpected{std::move(*error)};
  auto pass = empty_pass(request, spine, tiles, shape_note(tile, shape.workgroup_size, tiles));
  if (!pass) return std::unexpected{std::move(pass.error())};
  if (slices->size() > 1) pass->plan.notes.push_back(slices_note(slices->size()));

  Values common = kernel_values(request);
  add_spine_values(common, request.traits, request.options.withhold, spine,
                   spine_word(request.traits));
  add_bindings(common, request);
  common.insert({{"WORKGROUP", shape.workgroup_size},
                 {"PARTS", parts},
                 {"ROWS", shape.rows},
                 {"HALF_STRIPS", shape.rows < order::rows_per_strip ? 1 : 0},
                 {"ANY_ORDER", shape.any_order ? 1 : 0},
                 {"QUADS", static_cast<std::int64_t>(tile / order::quad)},
                 {"DIRECT", shape.direct_groups},
                 {"GATE", shape.gate},
                 {"GATE_END", shape.gate_end},
                 {"AFTER_PREVIOUS", shape.after_previous ? 1 : 0},
                 {"SLICED", slices->size() > 1 ? 1 : 0},
                 {"WAITS", 1},
                 {"KEPT", large_lists}});
  std::vector<Values> kernels;  // what each was made from
  for (const Slice& elements : *slices) {
    const PassSlice slice = pass_slice(request, elements, tile);
    const bool in_vectors = takes_vectors(request, slice.layout);
    if (auto error = refusal(request, {shape.workgroup_size, large_memory(bytes, parts, shape),
                                       in_vectors && slice.layout.rest != 0 ? 5U : 4U})) {
      return std::unexpected{std::move(*error)};
    }
    Values values = common;
    add_layout_values(values, slice.layout, in_vectors);
    values.insert({"PAIRED_LANES", in_vectors && bytes == 8 ? 1 : 0});
    const auto made = std::ranges::find(kernels, values);
    const auto number = static_cast<std::uint32_t>(made - kernels.begin());
    if (made == kernels.end()) {
      auto kernel = make_kernel(request, "single_pass", "single_pass.wgsl", values,
                                shape.workgroup_size, true);
      if (!kernel) return std::unexpected{std::move(kernel.error())};
      pass->plan.kernels.push_back(std::move(*kernel));
      kernels.push_back(std::move(values));
    }
    if (in_vectors) {
      add_vector_dispatch(request, *pass, number, slice);
    } else {
      add_dispatch(request, *pass, number, slice, false);
    }
  }
  return std::move(pass->plan);
}

Result<Plan> plan_small_pass(const ScanRequest& request, const SmallPassShape& shape) {
  const std::uint64_t bytes = request.combined_bytes();
  const std::uint64_t tile = small_pass_tile();
  const std::uint64_t tiles = ceil_div(request.description.n, tile);
  const std::uint32_t workgroup = 1024 / shape.rows_each;
  if (auto error = subgroup_refusal(request)) return std::unexpected{std::move(*error)};
  if (auto error = refusal(request, {workgroup, small_memory(bytes, tiles), 4})) {
    return std::unexpected{std::move(*error)};
  }
  if (auto error = one_slice_refusal(request, tiles)) return std::unexpected{std::move(*error)};
  if (tiles > workgroup) return std::unexpected{unfit("too many elements for the small form")};
  PassSlice slice = whole_slice(request, tile);
  const VectorLayout& layout = slice.layout;
  // Exchanges and copies would cost more than they save here.
  const bool in_vectors = takes_vectors(request, layout) && !request.description.reverse &&
                          !layout.has_copy() && !layout.in_pieces && layout.in_shift == 0;

  Values values = kernel_values(request);
  add_spine_values(values, request.traits, request.options.withhold, small_spine,
                   spine_word(request.traits));
  values.insert({{"WORKGROUP", workgroup},
                 {"ROWS_EACH", shape.rows_each},
                 {"WAITS", tiles > 1 ? 1 : 0},
                 {"MANY_GROUPS", tiles > group_tiles ? 1 : 0},
                 {"PAIRED_LANES", 0},
                 {"KEPT", small_lists}});
  add_bindings(values, request);
  add_layout_values(values, layout, in_vectors);
  auto kernel = make_kernel(request, "small_pass", "small_pass.wgsl", values, workgroup, true);
  if (!kernel) return std::unexpected{std::move(kernel.error())};
  return one_dispatch(request,
                      empty_pass(request, small_spine, tiles, shape_note(tile, workgroup, tiles)),
                      std::move(*kernel), slice);
}

Result<Plan> plan_memory_pass(const ScanRequest& request) {
  const std::uint64_t bytes = request.combined_bytes();
  const auto shape = memory_pass_shape(request.traits.limits, bytes);
  if (!shape) {
    const LimitTooSmall cause = limit_too_small(request.traits.limits, bytes, memory_pass_shape);
    return std::unexpected{
        beyond(std::string(cause.needs) + " for its smallest tile", cause.limit, cause.value)};
  }
  const std::uint64_t tiles = ceil_div(request.description.n, shape->tile);
  if (auto error = refusal(request, {shape->workgroup_size, 0, 4})) {
    return std::unexpected{std::move(*error)};
  }
  if (auto error = one_slice_refusal(request, tiles)) return std::unexpected{std::move(*error)};
  if (auto error = spine_refusal(large_spine, tiles)) return std::unexpected{std::move(*error)};

  Values values = kernel_values(request);
  add_spine_values(values, request.traits, request.options.withhold, large_spine,
                   spine_word(request.traits));
  add_tile_values(values, *shape);
  add_bindings(values, request);
  values.insert(
      {{"TREE", std::max(1U, shape->tile / order::strip)}, {"SINGLE_PASS", 1}, {"WAITS", 1}});
  if (request.options.trace) add_trace_value(values, 5);
  auto kernel =
      make_kernel(request, "scan_tiles", "scan_tiles.wgsl", values, shape->workgroup_size);
  if (!kernel) return std::unexpected{std::move(kernel.error())};

  auto plan = one_dispatch(
      request,
      empty_pass(request, large_spine, tiles,
                 shape_note(shape->tile, shape->workgroup_size, tiles) + ", by workgroup memory"),
      std::move(*kernel), whole_slice(request, shape->tile));
  if (plan && request.options.trace) add_trace(*plan, request);
  return plan;
}

}  // namespace cumulo::plan
