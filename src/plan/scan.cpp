// Chooses a scan's algorithm from its description and the device's traits.
#include "plan/scan_plans.hpp"

#include <algorithm>
#include <numeric>

#include "cumulo/order.hpp"
#include "plan/prelude.hpp"

namespace cumulo {
namespace plan {
namespace {

Error unsupported(std::string message) { return {ErrorKind::unsupported, std::move(message)}; }

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

// No elements: the total, and the one result of include_initial, are the initial value. `algorithm`
// is what would have scanned them.
Plan plan_nothing(const ScanRequest& request, std::string_view algorithm) {
  Plan plan = empty_scan_plan(request, algorithm);
  const ScanDescription& d = request.description;
  Words total = total_of_nothing(d);
  const std::uint64_t parameter_bytes = total.size() * 4;
  plan.buffers.push_back({"parameters", parameter_bytes, BufferRole::parameters, std::move(total)});
  const std::uint64_t bytes = request.element_bytes();
  plan.steps.push_back(CopyStep{3, 0, total_buffer, 0, bytes});
  if (d.include_initial) {
    plan.steps.push_back(
        CopyStep{3, 0, output_buffer, request.options.out_misalignment * bytes, bytes});
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

Result<Plan> plan_elements(const ScanRequest& request) {
  switch (request.description.algorithm) {
    case Algorithm::hillis_steele:
    case Algorithm::blelloch:
    case Algorithm::subgroup: return plan_teaching(request);
    case Algorithm::single_pass:
      return request.options.trace ? plan_memory_pass(request) : plan_single_pass(request);
    default: break;
  }
  // One pass where the device is known to let waiting workgroups be waited for.
  if (request.description.algorithm == Algorithm::automatic && request.traits.forward_progress) {
    if (auto plan = plan_subgroup_pass(request)) return plan;
    if (request.description.n <= memory_pass_limit()) {
      if (auto plan = plan_memory_pass(request)) return plan;
    }
  }
  return plan_reduce_then_scan(request);
}

}  // namespace

std::optional<Error> elements_refusal(const ScanRequest& request, std::string_view what,
                                      std::uint64_t results) {
  const ScanDescription& d = request.description;
  if (!d.monoid && d.type == Type::f64) {
    return unsupported("f64 " + std::string(what) +
                       " run on the CPU backend only: WGSL has no 64-bit floats; this device takes "
                       "u32, i32, f32, u64 and i64");
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
  plan.buffers.push_back({"input", (request.options.in_misalignment + d.n) * request.input_bytes(),
                          BufferRole::input});
  plan.buffers.push_back(
      {"output", (request.options.out_misalignment + result_count(d)) * bytes, BufferRole::output});
  plan.buffers.push_back({"total", bytes, BufferRole::output});
  return plan;
}

Words total_of_nothing(const ScanDescription& d) {
  return has_init(d) ? init_words(d) : identity_words(d);
}

Values kernel_values(const ScanRequest& request) {
  const ScanDescription& d = request.description;
  const Aliasing aliasing = request.options.aliasing;
  return {{"WORDS", static_cast<std::int64_t>(request.element_bytes() / 4)},
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
  const PreludeOptions options{request.traits.dialect, subgroups, request.options.count_combines};
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
