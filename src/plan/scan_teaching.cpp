// The teaching forms: one workgroup, one element an invocation, with counts of what they do.
#include <bit>

#include "plan/parts.hpp"
#include "plan/scan_plans.hpp"
#include "plan/tuning.hpp"

namespace cumulo::plan {
namespace {

std::uint64_t log2_ceil(std::uint64_t n) {
  return static_cast<std::uint64_t>(std::bit_width(n - 1));
}

// The sum over the distances d = 1, 2, 4 ... below n of the n - d elements that have a left
// partner.
Counts hillis_steele_counts(std::uint64_t n) {
  Counts counts{.steps = log2_ceil(n), .additions = 0, .barriers = 2 * log2_ceil(n)};
  for (std::uint64_t d = 1; d < n; d *= 2) counts.additions += n - d;
  return counts;
}

// A binary tree of n leaves has n - 1 inner nodes; each is combined once a sweep.
Counts blelloch_counts(std::uint64_t n, std::uint64_t workgroup) {
  const std::uint64_t levels = log2_ceil(workgroup);
  return {.steps = 2 * levels, .additions = 2 * (n - 1), .barriers = 2 * levels + 2};
}

// Each element outside the first subgroup folds the totals of the subgroups before its own.
Counts subgroup_counts(std::uint64_t n, std::uint64_t width) {
  Counts counts{.steps = 2, .additions = 0, .barriers = 2};
  for (std::uint64_t i = 0; i < n; ++i) counts.additions += i / width;
  counts.subgroup_calls = (n + width - 1) / width;
  return counts;
}

Result<void> check_subgroups(const ScanRequest& request) {
  if (!request.traits.subgroups) {
    return std::unexpected{Error{ErrorKind::unsupported, "this device has no subgroup operations"}};
  }
  const auto refused = [](const std::string& kind, const std::string& found) {
    return std::unexpected{Error{
        ErrorKind::unsupported,
        "algorithm subgroup takes " + kind + ", for which WGSL has a subgroup scan; not " + found}};
  };
  const ScanDescription& d = request.description;
  if (d.monoid || (d.op != Operator::add && d.op != Operator::mul)) {
    return refused("add and mul", operator_name(d));
  }
  if (request.combined_bytes() != 4) return refused("types of 32 bits and f16", element_name(d));
  return {};
}

// Every barrier counts itself, whoever wrote it into the kernel.
void count_barriers(std::string& wgsl) {
  constexpr std::string_view barrier = "workgroupBarrier();";
  constexpr std::string_view counted = "count_barrier(); workgroupBarrier();";
  for (auto at = wgsl.find(barrier); at != std::string::npos;
       at = wgsl.find(barrier, at + counted.size())) {
    wgsl.replace(at, barrier.size(), counted);
  }
}

}  // namespace

Result<Plan> plan_teaching(const ScanRequest& request) {
  const ScanDescription& d = request.description;
  const Limits& limits = request.traits.limits;
  const bool by_subgroup = d.algorithm == Algorithm::subgroup;
  if (by_subgroup) {
    if (auto fits = check_subgroups(request); !fits) return std::unexpected{fits.error()};
  }
  if (request.options.aliasing != Aliasing::none) {
    return std::unexpected{
        Error{ErrorKind::unsupported, "the teaching forms need separate buffers"}};
  }
  // Subgroups must be full: 128 is the widest.
  const auto workgroup =
      teaching_workgroup(limits, request.combined_bytes(), d.n, by_subgroup ? 128 : 2);
  if (!workgroup) {
    return std::unexpected{
        Error{ErrorKind::unsupported,
              "algorithm " + std::string(name(d.algorithm)) + " works in one workgroup: at most " +
                  std::to_string(largest_teaching_workgroup(limits, request.combined_bytes())) +
                  " elements on this device, not " + std::to_string(d.n)}};
  }

  Values values = kernel_values(request);
  values.insert({{"WORKGROUP", *workgroup},
                 {"OUTPUT", 2},
                 {"COUNT", request.options.count_combines ? 1 : 0},
                 {"MUL", !d.monoid && d.op == Operator::mul ? 1 : 0}});
  if (request.options.trace) add_trace_value(values, 4);
  std::string file(name(d.algorithm));
  if (d.algorithm == Algorithm::hillis_steele) file = "hillis_steele";
  auto kernel = make_kernel(request, file, file + ".wgsl", values, *workgroup, by_subgroup);
  if (!kernel) return std::unexpected{std::move(kernel.error())};

  Plan plan = empty_scan_plan(request, name(d.algorithm));
  plan.kernels.push_back(std::move(*kernel));
  const std::uint32_t shift = d.include_initial && !d.reverse ? 1 : 0;
  const auto n = static_cast<std::uint32_t>(d.n);
  const std::uint32_t out = request.options.out_misalignment;
  const SliceParams params{.count = n,
                           .tiles = 1,
                           .in_offset = request.options.in_misalignment,
                           .out_offset = out + shift,
                           .all_tiles = 1,
                           .initial_at = out + (d.reverse ? n : 0)};
  const std::uint32_t parameters =
      add_parameters(plan, "parameters", parameter_words(request, params));
  std::vector<PlanBinding> bindings;
  for (const std::uint32_t buffer : {parameters, input_buffer, output_buffer, total_buffer}) {
    bindings.push_back(whole(plan, buffer));
  }
  if (request.options.count_combines) {
    count_barriers(plan.kernels.back().wgsl);
    const std::uint32_t counters = add_buffer(plan, "counters", 12, BufferRole::output);
    plan.steps.push_back(ClearStep{counters, 0, 12});
    bindings.push_back(whole(plan, counters));
  }
  plan.steps.push_back(DispatchStep{"one workgroup", 0, std::move(bindings), {1, 1, 1}});

  if (request.options.trace) add_trace(plan, request);
  switch (d.algorithm) {
    case Algorithm::hillis_steele: plan.counts = hillis_steele_counts(d.n); break;
    case Algorithm::blelloch: plan.counts = blelloch_counts(d.n, *workgroup); break;
    default:
      if (request.traits.subgroup_width != 0) {
        plan.counts = subgroup_counts(d.n, request.traits.subgroup_width);
      } else {
        plan.notes.push_back("the subgroup width of this device is not known: nothing counted");
      }
  }
  return plan;
}

}  // namespace cumulo::plan
