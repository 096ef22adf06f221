// What a traced scan does, step by step: for a lesson that shows each array as the device held it.
#include <bit>
#include <string>

#include "cumulo/order.hpp"
#include "plan/parts.hpp"
#include "plan/scan_plans.hpp"

namespace cumulo::plan {
namespace {

constexpr std::uint32_t least = 8;
constexpr std::uint32_t most = 64;

std::string numbered(const char* what, std::uint32_t number) {
  return std::string(what) + " " + std::to_string(number);
}

std::vector<TraceStep> hillis_steele_steps(std::uint32_t n) {
  std::vector<TraceStep> steps;
  for (std::uint32_t d = 1; d < n; d *= 2) {
    TraceStep step{.label = numbered("distance", d), .barriers = 2};
    for (std::uint32_t i = d; i < n; ++i) step.additions.push_back({i - d, i});
    steps.push_back(std::move(step));
  }
  return steps;
}

// Pairs of neighbouring blocks of `size` elements, by their last ones.
template <class F>
void each_pair(std::uint32_t n, std::uint32_t size, F&& f) {
  for (std::uint32_t left = size - 1; left + size < n; left += 2 * size) f(left, left + size);
}

std::vector<TraceStep> blelloch_steps(std::uint32_t n) {
  std::vector<TraceStep> steps;
  for (std::uint32_t size = 1; size < n; size *= 2) {
    TraceStep step{.label = numbered("upsweep, pairs of", size), .barriers = 1};
    each_pair(n, size, [&](std::uint32_t left, std::uint32_t right) {
      step.additions.push_back({left, right});
    });
    steps.push_back(std::move(step));
  }
  steps.push_back({.label = "nothing stands before the whole", .barriers = 1});
  for (std::uint32_t size = n / 2; size > 0; size /= 2) {
    TraceStep step{.label = numbered("downsweep, pairs of", size), .barriers = 1};
    each_pair(n, size, [&](std::uint32_t left, std::uint32_t right) {
      step.additions.push_back({left, right});
      step.moves.push_back({right, left});
    });
    steps.push_back(std::move(step));
  }
  TraceStep last{.label = "inclusive: what stands before the next one", .barriers = 1};
  for (std::uint32_t i = 0; i + 1 < n; ++i) last.moves.push_back({i + 1, i});
  steps.push_back(std::move(last));
  return steps;
}

std::vector<TraceStep> subgroup_steps(std::uint32_t n, std::uint32_t width) {
  TraceStep calls{.label = "one call in each subgroup of " + std::to_string(width), .barriers = 1};
  TraceStep totals{.label = "the totals of the subgroups before", .barriers = 1};
  for (std::uint32_t i = 0; i < n; ++i) {
    if (i % width != 0) calls.moves.push_back({i - 1, i});
    for (std::uint32_t s = 0; s < i / width; ++s)
      totals.additions.push_back({(s + 1) * width - 1, i});
  }
  return {std::move(calls), std::move(totals)};
}

// One tile whose elements lie in one row (order.hpp).
std::vector<TraceStep> tiled_steps(std::uint32_t n) {
  constexpr std::uint32_t quad = order::quad;
  std::vector<TraceStep> steps;
  for (std::uint32_t j = 1; j < quad; ++j) {
    TraceStep step{.label = numbered("in each quad, element", j)};
    for (std::uint32_t i = j; i < n; i += quad) step.additions.push_back({i - 1, i});
    steps.push_back(std::move(step));
  }
  const std::uint32_t quads = n / quad;
  for (std::uint32_t half = 1; half < quads; half *= 2) {
    TraceStep step{.label = numbered("quads, halves of", half), .barriers = 1};
    for (std::uint32_t q = half; q < quads; ++q) {
      if ((q & half) == 0) continue;
      const std::uint32_t last = (q & ~(2 * half - 1)) + half - 1;
      step.additions.push_back({last * quad + quad - 1, q * quad + quad - 1});
    }
    steps.push_back(std::move(step));
  }
  TraceStep last{.label = "every quad adds what stands before it", .barriers = 1};
  for (std::uint32_t i = quad; i < n; ++i) {
    if (i % quad != quad - 1) last.additions.push_back({i / quad * quad - 1, i});
  }
  steps.push_back(std::move(last));
  return steps;
}

std::vector<TraceStep> steps_of(const ScanRequest& request) {
  const auto n = static_cast<std::uint32_t>(request.description.n);
  switch (request.description.algorithm) {
    case Algorithm::hillis_steele: return hillis_steele_steps(n);
    case Algorithm::blelloch: return blelloch_steps(n);
    case Algorithm::subgroup: return subgroup_steps(n, request.traits.subgroup_width);
    default: return tiled_steps(n);
  }
}

}  // namespace

Result<void> check_trace(const ScanRequest& request) {
  const auto refused = [](const std::string& what) {
    return std::unexpected{Error{ErrorKind::unsupported, "a trace is of " + what}};
  };
  const ScanDescription& d = request.description;
  if (d.n < least || d.n > most || !std::has_single_bit(d.n)) {
    return refused("8, 16, 32 or 64 elements, not of " + std::to_string(d.n));
  }
  if (d.kind != ScanKind::inclusive || d.reverse || d.include_initial || has_init(d)) {
    return refused("plain inclusive scans");
  }
  switch (d.algorithm) {
    case Algorithm::hillis_steele:
    case Algorithm::blelloch:
    case Algorithm::single_pass: return {};
    case Algorithm::subgroup:
      if (request.traits.subgroup_width != 0) return {};
      return refused("subgroups whose width is known");
    default: return refused("the teaching forms and of single-pass");
  }
}

void add_trace_value(Values& values, std::int64_t binding) { values["TRACE"] = binding; }

void add_trace(Plan& plan, const ScanRequest& request) {
  std::vector<TraceStep> steps = steps_of(request);
  const std::uint64_t bytes = (steps.size() + 1) * plan.n * request.element_bytes();
  const std::uint32_t buffer = add_buffer(plan, "trace", bytes, BufferRole::output);
  std::get<DispatchStep>(plan.steps.back()).bindings.push_back(whole(plan, buffer));
  plan.trace = PlanTrace{buffer, std::move(steps)};
}

}  // namespace cumulo::plan
