// A plan as text for people and as JSON for programs.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cumulo/plan.hpp"

namespace cumulo {
namespace {

const char* role_name(BufferRole role) {
  switch (role) {
    case BufferRole::input: return "input";
    case BufferRole::output: return "output";
    case BufferRole::count: return "count";
    case BufferRole::scratch: return "scratch";
    case BufferRole::parameters: return "parameters";
  }
  return "unknown";
}

std::string range_text(const Plan& plan, std::uint32_t buffer, std::uint64_t offset,
                       std::uint64_t bytes) {
  return plan.buffers[buffer].name + "[" + std::to_string(offset) + " + " + std::to_string(bytes) +
         "]";
}

std::string step_text(const Plan& plan, const PlanStep& step) {
  if (const auto* dispatch = std::get_if<DispatchStep>(&step)) {
    const auto& groups = dispatch->workgroups;
    std::string text = "dispatch " + plan.kernels[dispatch->kernel].name + " ";
    if (dispatch->indirect) {
      text += "by " + range_text(plan, dispatch->indirect->buffer, dispatch->indirect->offset, 12) +
              ", at most ";
    }
    text += std::to_string(groups[0]) + " x " + std::to_string(groups[1]) + " x " +
            std::to_string(groups[2]) + " workgroups";
    if (!dispatch->label.empty()) text += " (" + dispatch->label + ")";
    for (const PlanBinding& b : dispatch->bindings) {
      text += "\n      " + range_text(plan, b.buffer, b.offset, b.bytes);
    }
    return text;
  }
  if (const auto* clear = std::get_if<ClearStep>(&step)) {
    return "clear " + range_text(plan, clear->buffer, clear->offset, clear->bytes);
  }
  const auto& copy = std::get<CopyStep>(step);
  return "copy " + range_text(plan, copy.from, copy.from_offset, copy.bytes) + " to " +
         range_text(plan, copy.to, copy.to_offset, copy.bytes);
}

nlohmann::ordered_json step_json(const Plan& plan, const PlanStep& step) {
  using json = nlohmann::ordered_json;
  if (const auto* dispatch = std::get_if<DispatchStep>(&step)) {
    json bindings = json::array();
    for (const PlanBinding& b : dispatch->bindings) {
      bindings.push_back({{"buffer", plan.buffers[b.buffer].name},
                          {"index", b.buffer},
                          {"offset", b.offset},
                          {"bytes", b.bytes}});
    }
    json indirect = nullptr;  // or where the grid is read
    if (dispatch->indirect) {
      indirect = {{"buffer", plan.buffers[dispatch->indirect->buffer].name},
                  {"index", dispatch->indirect->buffer},
                  {"offset", dispatch->indirect->offset}};
    }
    return {{"step", "dispatch"},
            {"label", dispatch->label},
            {"kernel", plan.kernels[dispatch->kernel].name},
            {"kernel_index", dispatch->kernel},
            {"workgroups", dispatch->workgroups},
            {"indirect", indirect},
            {"bindings", bindings}};
  }
  if (const auto* clear = std::get_if<ClearStep>(&step)) {
    return {{"step", "clear"},
            {"buffer", plan.buffers[clear->buffer].name},
            {"index", clear->buffer},
            {"offset", clear->offset},
            {"bytes", clear->bytes}};
  }
  const auto& copy = std::get<CopyStep>(step);
  return {{"step", "copy"},
          {"from", plan.buffers[copy.from].name},
          {"from_index", copy.from},
          {"from_offset", copy.from_offset},
          {"to", plan.buffers[copy.to].name},
          {"to_index", copy.to},
          {"to_offset", copy.to_offset},
          {"bytes", copy.bytes}};
}

nlohmann::ordered_json trace_json(const Plan& plan, const PlanTrace& trace) {
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const TraceStep& step : trace.steps) {
    steps.push_back({{"label", step.label},
                     {"additions", step.additions},
                     {"moves", step.moves},
                     {"barriers", step.barriers}});
  }
  return {{"buffer", plan.buffers[trace.buffer].name}, {"index", trace.buffer}, {"steps", steps}};
}

}  // namespace

std::uint64_t scratch_bytes(const Plan& plan) {
  std::uint64_t bytes = 0;
  for (const PlanBuffer& buffer : plan.buffers) {
    if (buffer.role == BufferRole::scratch) bytes += buffer.bytes;
  }
  return bytes;
}

bool dispatches_alone(const Plan& plan) {
  return std::ranges::all_of(
      plan.steps, [](const PlanStep& step) { return std::holds_alternative<DispatchStep>(step); });
}

std::string to_text(const Plan& plan) {
  std::string text = plan.primitive + " of " + (plan.counted ? "up to " : "") +
                     std::to_string(plan.n) + " elements" +
                     (plan.counted ? ", counted on the device," : "") + " by " + plan.algorithm +
                     "\n";
  for (const std::string& note : plan.notes) text += "  " + note + "\n";
  text += "buffers\n";
  for (const PlanBuffer& buffer : plan.buffers) {
    text += "  " + buffer.name + ": " + std::to_string(buffer.bytes) + " bytes, " +
            role_name(buffer.role) + "\n";
  }
  text += "kernels\n";
  for (const PlanKernel& kernel : plan.kernels) {
    text += "  " + kernel.name + ": " + std::to_string(kernel.workgroup_size) +
            " invocations a workgroup\n";
  }
  text += "steps\n";
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    text += "  " + std::to_string(i + 1) + " " + step_text(plan, plan.steps[i]) + "\n";
  }
  if (plan.counts) {
    text += "counts: " + std::to_string(plan.counts->steps) + " steps, " +
            std::to_string(plan.counts->additions) + " additions, " +
            std::to_string(plan.counts->barriers) + " barriers, " +
            std::to_string(plan.counts->subgroup_calls) + " subgroup calls\n";
  }
  if (plan.status) {
    text += "status: " + plan.buffers[plan.status->buffer].name + "[" +
            std::to_string(plan.status->offset) + "], " + std::to_string(status_stalled) +
            " where the run stalled, " + std::to_string(status_clamped) +
            " where the count was above the capacity\n";
  }
  if (plan.renewal) {
    text += "renewal: " + plan.buffers[plan.renewal->buffer].name + " is cleared every " +
            std::to_string(plan.renewal->runs) + " runs\n";
  }
  return text;
}

std::string to_json(const Plan& plan, bool with_wgsl) {
  using json = nlohmann::ordered_json;
  json root{{"schema", "cumulo-plan/1"},   {"primitive", plan.primitive},
            {"algorithm", plan.algorithm}, {"n", plan.n},
            {"counted", plan.counted},     {"notes", plan.notes}};
  for (const PlanBuffer& buffer : plan.buffers) {
    json entry{{"name", buffer.name}, {"bytes", buffer.bytes}, {"role", role_name(buffer.role)}};
    if (!buffer.contents.empty()) entry["contents"] = buffer.contents;
    root["buffers"].push_back(std::move(entry));
  }
  root["kernels"] = json::array();
  for (const PlanKernel& kernel : plan.kernels) {
    json entry{{"name", kernel.name}, {"workgroup_size", kernel.workgroup_size}};
    if (with_wgsl) entry["wgsl"] = kernel.wgsl;
    root["kernels"].push_back(std::move(entry));
  }
  root["steps"] = json::array();
  for (const PlanStep& step : plan.steps) root["steps"].push_back(step_json(plan, step));
  if (plan.counts) {
    root["counts"] = {{"steps", plan.counts->steps},
                      {"additions", plan.counts->additions},
                      {"barriers", plan.counts->barriers},
                      {"subgroup_calls", plan.counts->subgroup_calls}};
  }
  if (plan.status) {
    root["status"] = {{"buffer", plan.buffers[plan.status->buffer].name},
                      {"index", plan.status->buffer},
                      {"offset", plan.status->offset}};
  }
  if (plan.renewal) {
    root["renewal"] = {{"buffer", plan.buffers[plan.renewal->buffer].name},
                       {"index", plan.renewal->buffer},
                       {"runs", plan.renewal->runs}};
  }
  if (plan.trace) root["trace"] = trace_json(plan, *plan.trace);
  root["scratch_bytes"] = scratch_bytes(plan);
  return root.dump(2);
}

}  // namespace cumulo
