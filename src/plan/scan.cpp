// Chooses a scan's algorithm from its description and the device's traits.
#include "plan/scan_plans.hpp"

#include <algorithm>
#include <numeric>

#include "cumulo/order.hpp"
#include "plan/parts.hpp"
#include "plan/prelude.hpp"

namespace cumulo {
namespace plan {
namespace {

Error unsupported(std::string message) { return {ErrorKind::unsupported, std::move(message)}; }

bool is_teaching(Algorithm algorithm) {
  return algorithm == Algorithm::hillis_steele || algorithm == Algorithm::blelloch ||
         algorithm == Algorithm::subgroup;
}

ScanRequest make_request(const ScanDescription& d, const Traits& traits,
                         const PlanOptions& options) {
  const Words absent = absent_words(d);
  const bool starts_with_identity = d.kind == ScanKind::exclusive || d.include_initial;
  return {d, traits, options,
          has_init(d)            ? init_words(d)
          : starts_with_identity ? identity_words(d)
                                 : absent,
          absent};
}

Result<Plan> plan_counted(const ScanRequest& request) {
  const ScanDescription& d = request.description;
  if (d.n == 0) {
    return std::unexpected{Error{ErrorKind::bad_argument,
                                 "a scan counted on the device needs room for at least 1 element"}};
  }
  // Its grid does not depend on who waits for whom; the others are made for one n.
  if (d.algorithm != Algorithm::automatic && d.algorithm != Algorithm::reduce_then_scan) {
    return std::unexpected{
        unsupported("algorithm " + std::string(name(d.algorithm)) +
                    " needs the number of elements beforehand; counted on the device, "
                    "reduce-then-scan takes them")};
  }
  return plan_reduce_then_scan(request);
}

// How the results of a quad lie in words, where they are halves.
enum class QuadPlaces : std::uint8_t {
  words,         // they fill two
  across_words,  // they fill one, and halves before and after it
  unknown,       // or each invocation stores one result
};

QuadPlaces quad_places(const ScanRequest& request) {
  const ScanDescription& d = request.description;
  if (request.options.counted && d.reverse) return QuadPlaces::unknown;
  if (is_teaching(d.algorithm)) return QuadPlaces::unknown;
  // Where the first quad begins, or ends in memory.
  const std::uint64_t shift = d.include_initial && !d.reverse ? 1 : 0;
  const std::uint64_t edge = request.options.out_misalignment + (d.reverse ? d.n : shift);
  return edge % 2 == 0 ? QuadPlaces::words : QuadPlaces::across_words;
}

// No elements: the total, and the one result of include_initial, are the initial value. `algorithm`
// is what would have scanned them.
Result<Plan> plan_nothing(const ScanRequest& request, std::string_view algorithm) {
  Plan plan = empty_scan_plan(request, algorithm);
  const ScanDescription& d = request.description;
  const std::uint32_t value = add_parameters(plan, "parameters", total_of_nothing(d));
  plan.steps.push_back(CopyStep{value, 0, total_buffer, 0, plan.buffers[total_buffer].bytes});
  if (d.include_initial) {
    const std::uint64_t at = request.options.out_misalignment;
    if (auto ok = copy_result(plan, request, value, output_buffer, at); !ok) {
      return std::unexpected{std::move(ok.error())};
    }
  }
  return plan;
}

std::optional<Error> refusal(const ScanRequest& request) {
  const ScanDescription& d = request.description;
  if (d.algorithm == Algorithm::serial || d.algorithm == Algorithm::blocked) {
    return unsupported("algorithm " + std::string(name(d.algorithm)) +
                       " is the CPU backend's; choose --device cpu");
  }
  if (request.options.aliasing == Aliasing::in_place && d.include_initial) {
    return Error{ErrorKind::bad_argument,
                 "include_initial cannot be in place: the results are one more than the elements"};
  }
  if (request.options.aliasing == Aliasing::in_place && d.wide) {
    return Error{ErrorKind::bad_argument,
                 "wide sums cannot be in place: a result is larger than an element"};
  }
  return std::nullopt;
}

// One pass where the device is known to let workgroups be waited for; else, or where none fits,
// reduce-then-scan, with the reason in its notes.
Result<Plan> plan_fastest(const ScanRequest& request) {
  std::string why = unknown_progress;
  if (request.traits.forward_progress) {
    auto plan = plan_subgroup_pass(request);
    if (is_settled(plan)) return plan;
    why = plan.error().message;
    if (request.description.n <= memory_pass_limit()) {
      plan = plan_memory_pass(request);
      if (is_settled(plan)) return plan;
      why = plan.error().message;
    }
  }
  auto plan = plan_reduce_then_scan(request);
  if (plan) plan->notes.push_back(std::move(why));
  return plan;
}

Result<Plan> plan_elements(const ScanRequest& request) {
  const Algorithm algorithm = request.description.algorithm;
  if (is_teaching(algorithm)) return plan_teaching(request);
  if (algorithm == Algorithm::single_pass) {
    return request.options.trace ? plan_memory_pass(request) : plan_single_pass(request);
  }
  if (algorithm == Algorithm::automatic) return plan_fastest(request);
  return plan_reduce_then_scan(request);
}

}  // namespace

std::optional<Error> elements_refusal(const ScanRequest& request, std::string_view what,
                                      std::uint64_t results) {
  const ScanDescription& d = request.description;
  if (!d.monoid && d.type == Type::f64) {
    return unsupported("f64 " + std::string(what) +
                       " run on the CPU backend only: WGSL has no 64-bit floats; this device takes "
                       "u32, i32, f32, u64, i64 and f16");
  }
  // Sums in bytes stay far from 2^64, and tile numbers fit 32 bits.
  constexpr std::uint64_t most = std::uint64_t{1} << 42;
  const std::uint64_t limit = request.traits.limits.max_buffer_size;
  if (d.n >= most || d.n * request.input_bytes() > limit ||
      results * request.element_bytes() > limit) {
    return unsupported(std::to_string(d.n) + " elements of " +
                       std::to_string(request.element_bytes()) +
                       " bytes do not fit one buffer of this device (max_buffer_size " +
                       std::to_string(limit) + " bytes)");
  }
  return std::nullopt;
}

std::vector<std::uint32_t> callers_of_scan(const Plan& plan) {
  std::vector<std::uint32_t> callers{input_buffer, output_buffer};
  for (std::uint32_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].role == BufferRole::count) callers.push_back(i);
  }
  return callers;
}

Plan empty_scan_plan(const ScanRequest& request, std::string_view algorithm) {
  const ScanDescription& d = request.description;
  const std::uint64_t bytes = request.element_bytes();
  Plan plan{.primitive = std::string(name(d.kind)) + (d.reverse ? " reverse" : "") + " scan (" +
                         operator_name(d) + ", " + element_name(d) + ")",
            .algorithm = std::string(algorithm),
            .n = d.n,
            .buffers = {},
            .kernels = {},
            .steps = {}};
  const PlanOptions& options = request.options;
  plan.buffers.push_back({"input",
                          whole_words((options.in_misalignment + d.n) * request.input_bytes()),
                          BufferRole::input});
  plan.buffers.push_back({"output",
                          whole_words((options.out_misalignment + result_count(d)) * bytes),
                          BufferRole::output});
  plan.buffers.push_back({"total", whole_words(bytes), BufferRole::output});
  return plan;
}

Result<void> copy_result(Plan& plan, const ScanRequest& request, std::uint32_t from,
                         std::uint32_t to, std::uint64_t at) {
  const std::uint64_t bytes = request.element_bytes();
  if (!has_half_output(request.description)) {
    plan.steps.push_back(CopyStep{from, 0, to, at * bytes, bytes});
    return {};
  }
  // Copies are of whole words.
  auto kernel =
      add_kernel(plan, "store_half", "store_half.wgsl", {{"AT", static_cast<std::int64_t>(at)}}, 1);
  if (!kernel) return std::unexpected{std::move(kernel.error())};
  plan.steps.push_back(DispatchStep{"", *kernel, {whole(plan, from), whole(plan, to)}});
  return {};
}

Words total_of_nothing(const ScanDescription& d) {
  return result_words(d, has_init(d) ? init_words(d) : identity_words(d));
}

Values kernel_values(const ScanRequest& request) {
  const ScanDescription& d = request.description;
  const Aliasing aliasing = request.options.aliasing;
  const QuadPlaces places = quad_places(request);
  return {{"WORDS", static_cast<std::int64_t>(request.combined_bytes() / 4)},
          {"HALF_INPUT", has_half_input(d) ? 1 : 0},
          {"HALF_OUTPUT", has_half_output(d) ? 1 : 0},
          {"WHOLE_WORDS", places == QuadPlaces::words ? 1 : 0},
          {"MIDDLE_WORDS", places == QuadPlaces::across_words ? 1 : 0},
          {"COMMUTATIVE", is_commutative(d) ? 1 : 0},
          {"REVERSE", d.reverse ? 1 : 0},
          {"EXCLUSIVE", request.exclusive() ? 1 : 0},
          {"INCLUDE_INITIAL", d.include_initial ? 1 : 0},
          {"HAS_INITIAL", request.has_initial() ? 1 : 0},
          {"TRACE", 0},
          {"IN_PLACE", aliasing == Aliasing::in_place ? 1 : 0},
          {"SAME_BUFFER", aliasing == Aliasing::same_buffer ? 1 : 0}};
}

void add_tile_values(Values& values, const TileShape& shape) {
  const std::uint32_t quads = shape.tile / order::quad;
  values.insert({{"WORKGROUP", shape.workgroup_size},
                 {"QUADS", quads},
                 {"QUADS_PER_THREAD", quads / shape.workgroup_size},
                 {"QUADS_PER_ROW", order::quads_per_row},
                 {"ROWS", shape.tile / order::row},
                 {"ROWS_PER_STRIP", order::rows_per_strip},
                 {"STRIPS", shape.tile / order::strip}});
}

Result<PlanKernel> make_kernel(const ScanRequest& request, std::string_view name,
                               std::string_view file, const Values& values,
                               std::uint32_t workgroup_size, bool subgroups) {
  auto body = preprocess(file, values);
  if (!body) return std::unexpected{std::move(body.error())};
  const Traits& traits = request.traits;
  const bool by_32_lanes = subgroups && traits.subgroup_width == 32;
  const PreludeOptions options{
      .dialect = traits.dialect,
      .subgroups = subgroups,
      .count_combines = request.options.count_combines,
      .native_int64 = by_32_lanes && traits.shader_int64 && traits.dialect == Dialect::naga,
      .selects = by_32_lanes && traits.forward_progress};  // on none but GPUs
  auto text = prelude(request.description, options);
  if (!text) return std::unexpected{std::move(text.error())};
  return PlanKernel{std::string(name), std::move(*text) + *body, workgroup_size};
}

std::vector<std::uint32_t> parameter_words(const ScanRequest& request, const SliceParams& slice) {
  std::vector<std::uint32_t> words{slice.count,
                                   slice.tiles,
                                   slice.first_tile,
                                   slice.is_last ? 1U : 0U,
                                   slice.in_offset,
                                   slice.out_offset,
                                   slice.all_tiles,
                                   slice.initial_at,
                                   0,
                                   slice.in_block,
                                   slice.in_last,
                                   slice.out_block,
                                   slice.out_first,
                                   slice.out_whole,
                                   slice.out_begin,
                                   slice.out_words,
                                   slice.batches,
                                   0,
                                   0,
                                   0};
  for (const Words& value : {request.absent, request.initial}) {
    words.insert(words.end(), value.begin(), value.end());
  }
  return words;
}

Result<PlanKernel> make_monoid_check(const ScanDescription& description, const Traits& traits) {
  const PlanOptions options;
  return make_kernel(make_request(description, traits, options), "combine", "check_monoid.wgsl",
                     {{"WORDS", static_cast<std::int64_t>(element_bytes(description) / 4)}}, 1);
}

}  // namespace plan

std::uint64_t binding_period(std::uint64_t element_bytes, const Limits& limits) {
  return std::lcm<std::uint64_t>(element_bytes, limits.min_storage_offset_alignment) /
         element_bytes;
}

Result<Plan> plan_scan(const ScanDescription& description, const Traits& traits,
                       const PlanOptions& options) {
  if (auto valid = validate(description); !valid) return std::unexpected{std::move(valid.error())};
  const plan::ScanRequest request = plan::make_request(description, traits, options);
  if (auto error = plan::elements_refusal(request, "scans", result_count(description))) {
    return std::unexpected{std::move(*error)};
  }
  if (auto error = plan::refusal(request)) return std::unexpected{std::move(*error)};
  if (options.trace) {
    if (auto ok = plan::check_trace(request); !ok) return std::unexpected{std::move(ok.error())};
  }
  if (options.counted) return plan::plan_counted(request);
  if (description.n > 0) return plan::plan_elements(request);

  // Chosen, or refused, as for one element.
  ScanDescription one = description;
  one.n = 1;
  auto chosen = plan::plan_elements(plan::make_request(one, traits, options));
  if (!chosen) return chosen;
  return plan::plan_nothing(request, chosen->algorithm);
}

}  // namespace cumulo
