#include "bench/work.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "api/plan_runner.hpp"

namespace cumulo::bench {
namespace {

// The bytes of a buffer that lie in any of the ranges.
std::uint64_t covered(std::vector<PlanBinding> ranges) {
  std::ranges::sort(ranges, {}, &PlanBinding::offset);
  std::uint64_t bytes = 0;
  std::uint64_t end = 0;
  for (const PlanBinding& range : ranges) {
    const std::uint64_t begin = std::max(end, range.offset);
    end = std::max(end, range.offset + range.bytes);
    bytes += end - begin;
  }
  return bytes;
}

std::uint64_t moved_by(const Plan& plan, const DispatchStep& step) {
  std::map<std::uint32_t, std::vector<PlanBinding>> ranges;
  for (const PlanBinding& binding : step.bindings) {
    const BufferRole role = plan.buffers[binding.buffer].role;
    if (role != BufferRole::input && role != BufferRole::output) continue;
    ranges[binding.buffer].push_back(binding);
  }
  std::uint64_t bytes = 0;
  for (auto& [buffer, of_buffer] : ranges) bytes += covered(std::move(of_buffer));
  return bytes;
}

// Makes combine() count its calls into a buffer bound after the kernel's own.
bool count_calls(PlanKernel& kernel, std::size_t binding) {
  constexpr std::string_view head = "fn combine(older: Element, newer: Element) -> Element {\n";
  const auto at = kernel.wgsl.find(head);
  if (at == std::string::npos) return false;
  kernel.wgsl.insert(at + head.size(), "  atomicAdd(&combines_seen[0], 1u);\n");
  kernel.wgsl.insert(at, "@group(0) @binding(" + std::to_string(binding) +
                             ") var<storage, read_write> combines_seen: array<atomic<u32>>;\n");
  return true;
}

}  // namespace

Work work_of(const Plan& plan) {
  Work work;
  std::uint64_t dispatches = 0;
  for (const PlanStep& step : plan.steps) {
    if (const auto* dispatch = std::get_if<DispatchStep>(&step)) {
      ++dispatches;
      work.bytes += moved_by(plan, *dispatch);
    } else if (const auto* clear = std::get_if<ClearStep>(&step)) {
      work.bytes += clear->bytes;
    } else {
      work.bytes += 2 * std::get<CopyStep>(step).bytes;
    }
  }
  work.steps = plan.counts ? plan.counts->steps : dispatches;
  return work;
}

Result<std::optional<std::uint64_t>> count_additions(Device& device, Plan plan) {
  if (plan.n > most_counted) return std::nullopt;
  const auto counter = static_cast<std::uint32_t>(plan.buffers.size());
  plan.buffers.push_back({"combines seen", 4, BufferRole::output});
  std::vector<bool> counts(plan.kernels.size(), false);
  for (PlanStep& step : plan.steps) {
    auto* dispatch = std::get_if<DispatchStep>(&step);
    if (dispatch == nullptr) continue;
    if (!counts[dispatch->kernel] &&
        !count_calls(plan.kernels[dispatch->kernel], dispatch->bindings.size())) {
      return std::nullopt;
    }
    counts[dispatch->kernel] = true;
    dispatch->bindings.push_back({counter, 0, 4});
  }
  const std::vector<std::byte> input(plan.buffers[0].bytes);
  const std::vector<std::byte> output(plan.buffers[1].bytes);
  auto contents = run_plan(device, plan, input, output);
  if (!contents) return std::unexpected{std::move(contents.error())};
  std::uint32_t counted = 0;
  std::memcpy(&counted, (*contents)[counter].data(), sizeof counted);
  return counted;
}

}  // namespace cumulo::bench
