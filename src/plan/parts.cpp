#include "plan/parts.hpp"

#include <algorithm>

namespace cumulo::plan {

std::uint32_t add_buffer(Plan& plan, std::string name, std::uint64_t bytes, BufferRole role,
                         std::vector<std::uint32_t> contents) {
  plan.buffers.push_back({std::move(name), bytes, role, std::move(contents)});
  return static_cast<std::uint32_t>(plan.buffers.size() - 1);
}

std::uint32_t add_parameters(Plan& plan, std::string name, std::vector<std::uint32_t> words) {
  const std::uint64_t bytes = words.size() * 4;
  return add_buffer(plan, std::move(name), bytes, BufferRole::parameters, std::move(words));
}

std::uint32_t CallerBuffers::add(std::string name, std::uint64_t element_bytes,
                                 std::uint64_t elements, BufferRole role, std::uint32_t& at) {
  const std::size_t number = plan_.buffers.size();
  at = number < misalignments_.size() ? misalignments_[number] : 0;
  // Without elements, something has to be bound still.
  const std::uint64_t bytes =
      at * element_bytes + std::max<std::uint64_t>(elements * element_bytes, 4);
  return add_buffer(plan_, std::move(name), bytes, role);
}

PlanBinding whole(const Plan& plan, std::uint32_t buffer) {
  return {buffer, 0, plan.buffers[buffer].bytes};
}

Result<std::uint32_t> add_kernel(Plan& plan, std::string_view name, std::string_view file,
                                 const Values& values, std::uint32_t workgroup_size) {
  auto text = preprocess(file, values);
  if (!text) return std::unexpected{std::move(text.error())};
  plan.kernels.push_back({std::string(name), std::move(*text), workgroup_size});
  return static_cast<std::uint32_t>(plan.kernels.size() - 1);
}

void embed(Plan& plan, Plan part,
           const std::vector<std::pair<std::uint32_t, std::uint32_t>>& known) {
  std::vector<std::uint32_t> number;
  for (std::uint32_t i = 0; i < part.buffers.size(); ++i) {
    const auto there = std::ranges::find(known, i, &std::pair<std::uint32_t, std::uint32_t>::first);
    if (there != known.end()) {
      number.push_back(there->second);
      continue;
    }
    number.push_back(static_cast<std::uint32_t>(plan.buffers.size()));
    plan.buffers.push_back(std::move(part.buffers[i]));
  }
  const auto first_kernel = static_cast<std::uint32_t>(plan.kernels.size());
  std::ranges::move(part.kernels, std::back_inserter(plan.kernels));
  for (PlanStep& step : part.steps) {
    if (auto* dispatch = std::get_if<DispatchStep>(&step)) {
      dispatch->kernel += first_kernel;
      for (PlanBinding& binding : dispatch->bindings) binding.buffer = number[binding.buffer];
      if (dispatch->indirect) dispatch->indirect->buffer = number[dispatch->indirect->buffer];
    } else if (auto* clear = std::get_if<ClearStep>(&step)) {
      clear->buffer = number[clear->buffer];
    } else {
      auto& copy = std::get<CopyStep>(step);
      copy.from = number[copy.from];
      copy.to = number[copy.to];
    }
    plan.steps.push_back(std::move(step));
  }
  if (part.status) plan.status = PlanStatus{number[part.status->buffer], part.status->offset};
  if (part.renewal) plan.renewal = PlanRenewal{number[part.renewal->buffer], part.renewal->runs};
  std::ranges::move(part.notes, std::back_inserter(plan.notes));
}

std::uint32_t search_rounds(std::uint64_t n, std::uint32_t probes) {
  std::uint32_t rounds = 0;
  for (std::uint64_t left = n; left > 0; left = ceil_div(left, probes) - 1) ++rounds;
  return rounds;
}

}  // namespace cumulo::plan
