// The caller's buffers of every primitive, and its plan for how they lie.
#include <algorithm>
#include <string>
#include <utility>

#include "plan/caller.hpp"
#include "plan/scan_plans.hpp"
#include "plan/selection_plans.hpp"

namespace cumulo {
namespace {

// The plan's first buffers, as many as there are slots.
CallerPlan with_first_buffers(Plan plan, std::size_t slots) {
  CallerPlan made{std::move(plan), std::vector<std::uint32_t>(slots)};
  for (std::uint32_t k = 0; k < slots; ++k) made.external[k] = k;
  return made;
}

// What `plan` makes of a layout, with the caller's buffers first.
template <class F>
auto first_buffers(std::size_t slots, F plan) {
  return [slots, plan = std::move(plan)](const CallerLayout& layout, const Traits& traits,
                                         std::uint32_t withhold) -> Result<CallerPlan> {
    auto made = plan(layout, traits, withhold);
    if (!made) return std::unexpected{std::move(made.error())};
    return with_first_buffers(std::move(*made), slots);
  };
}

CallerSlot written(std::string what, std::uint64_t element_bytes, std::uint64_t elements) {
  return {.what = std::move(what),
          .element_bytes = element_bytes,
          .elements = elements,
          .is_written = true};
}

}  // namespace

PlanFamily plans_of(const ScanDescription& description, bool counted) {
  std::vector<CallerSlot> slots{{.what = "input",
                                 .element_bytes = input_bytes(description),
                                 .elements = description.n,
                                 .moves_in_vectors = !counted},
                                {.what = "output",
                                 .element_bytes = element_bytes(description),
                                 .elements = result_count(description),
                                 .is_written = true,
                                 .moves_in_vectors = !counted}};
  if (counted) slots.push_back({.what = "count", .is_bound_alone = true});
  const auto plan = [description, counted](const CallerLayout& layout, const Traits& traits,
                                           std::uint32_t withhold) -> Result<CallerPlan> {
    auto made = plan_scan(description, traits,
                          {.aliasing = layout.aliasing,
                           .in_misalignment = layout.misalignment(0),
                           .out_misalignment = layout.misalignment(1),
                           .in_padded = layout.is_padded(0),
                           .out_padded = layout.is_padded(1),
                           .withhold = withhold,
                           .counted = counted,
                           .count_misalignment = layout.misalignment(2)});
    if (!made) return std::unexpected{std::move(made.error())};
    std::vector<std::uint32_t> external = plan::callers_of_scan(*made);
    return CallerPlan{std::move(*made), std::move(external)};
  };
  return {.slots = std::move(slots),
          .plan = plan,
          .fallback = std::string(name(Algorithm::reduce_then_scan)),
          .can_be_in_place = !description.include_initial && !description.wide};
}

PlanFamily plans_of(const ReduceDescription& description, bool counted) {
  std::vector<CallerSlot> slots{
      {.what = "input", .element_bytes = input_bytes(description), .elements = description.n},
      written("output", element_bytes(description), 1)};
  if (counted) slots.push_back({.what = "count"});
  const auto plan = [description, counted](const CallerLayout& layout, const Traits& traits,
                                           std::uint32_t) -> Result<CallerPlan> {
    auto made = plan_reduce(description, traits,
                            {.aliasing = layout.aliasing,
                             .in_misalignment = layout.misalignment(0),
                             .out_misalignment = layout.misalignment(1),
                             .counted = counted,
                             .count_misalignment = layout.misalignment(2)});
    if (!made) return std::unexpected{std::move(made.error())};
    std::vector<std::uint32_t> external = plan::callers_of_scan(*made);
    return CallerPlan{std::move(*made), std::move(external)};
  };
  return {.slots = std::move(slots), .plan = plan, .fallback = {}};
}

PlanFamily plans_of(const SelectionDescription& description, bool counted) {
  std::vector<CallerSlot> slots;
  for (const plan::SelectionSlot& slot : plan::selection_slots(description, counted)) {
    slots.push_back({.what = slot.name,
                     .element_bytes = slot.element_bytes,
                     .elements = slot.elements,
                     .is_written = slot.is_written(),
                     .is_bound_alone = slot.what == plan::SelectionSlot::What::n});
  }
  const auto plan = [description, counted](const CallerLayout& layout, const Traits& traits,
                                           std::uint32_t withhold) {
    return plan_selection(description, traits,
                          {.same_buffer = layout.aliasing == Aliasing::same_buffer,
                           .misalignments = layout.misalignments,
                           .counted = counted,
                           .withhold = withhold});
  };
  const std::size_t callers = slots.size();
  return {.slots = std::move(slots),
          .plan = first_buffers(callers, plan),
          .fallback = std::string(name(SelectionAlgorithm::mask_then_scatter))};
}

PlanFamily plans_of(const AllocateDescription& description, bool counted) {
  std::vector<CallerSlot> slots{{.what = "counts", .elements = description.n},
                                written("offsets", offset_bytes(description), description.n + 1),
                                written("report", 4, sizeof(AllocationReport) / 4)};
  if (!description.arguments.empty()) {
    slots.push_back(written("arguments", 4, argument_bytes(description.arguments) / 4));
  }
  if (description.capacity_on_device) slots.push_back({.what = "capacity"});
  if (counted) slots.push_back({.what = "count"});
  const auto plan = [description, counted](const CallerLayout& layout, const Traits& traits,
                                           std::uint32_t withhold) {
    return plan_allocate(description, traits,
                         {.same_buffer = layout.aliasing == Aliasing::same_buffer,
                          .misalignments = layout.misalignments,
                          .counted = counted,
                          .withhold = withhold});
  };
  const std::size_t callers = slots.size();
  return {.slots = std::move(slots),
          .plan = first_buffers(callers, plan),
          .fallback = std::string(name(Algorithm::reduce_then_scan))};
}

PlanFamily plans_of(const ExpandDescription& description, bool counted) {
  const bool from_offsets = description.from_offsets;
  // Counts are read by the scan alone, which writes its offsets to scratch.
  std::vector<CallerSlot> slots{{.what = from_offsets ? "offsets" : "counts",
                                 .elements = description.n + (from_offsets ? 1 : 0),
                                 .is_bound_alone = !from_offsets}};
  if (description.element_bytes > 0) {
    slots.push_back(
        {.what = "values", .element_bytes = description.element_bytes, .elements = description.n});
  }
  slots.push_back(written("output", output_bytes(description), description.capacity));
  slots.push_back(written("report", 4, sizeof(ExpansionReport) / 4));
  if (!description.arguments.empty()) {
    slots.push_back(written("arguments", 4, argument_bytes(description.arguments) / 4));
  }
  if (counted) slots.push_back({.what = "count"});
  const auto plan = [description, counted](const CallerLayout& layout, const Traits& traits,
                                           std::uint32_t withhold) -> Result<Plan> {
    if (layout.aliasing == Aliasing::same_buffer) {
      return std::unexpected{
          Error{ErrorKind::bad_argument,
                "the output, the report or the arguments of an expansion lie in one buffer with "
                "what it reads: WebGPU lets no kernel write one part of a buffer that it reads "
                "another part of"}};
    }
    return plan_expand(
        description, traits,
        {.misalignments = layout.misalignments, .counted = counted, .withhold = withhold});
  };
  const std::size_t callers = slots.size();
  return {.slots = std::move(slots),
          .plan = first_buffers(callers, plan),
          .fallback = std::string(name(Algorithm::reduce_then_scan))};
}

PlanFamily plans_of(const ArgumentsDescription& description) {
  const auto plan = [description](const CallerLayout& layout, const Traits& traits, std::uint32_t) {
    return plan_arguments(description, traits,
                          {.same_buffer = layout.aliasing == Aliasing::same_buffer,
                           .count_misalignment = layout.misalignment(0),
                           .arguments_misalignment = layout.misalignment(1)});
  };
  return {
      .slots = {{.what = "count"}, written("arguments", 4, argument_bytes(description.forms) / 4)},
      .plan = first_buffers(2, plan),
      .fallback = {}};
}

}  // namespace cumulo
