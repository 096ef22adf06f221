// Arguments of indirect calls.
#include "plan/indirect.hpp"

#include <algorithm>

#include "plan/parts.hpp"

namespace cumulo {
namespace {

constexpr std::size_t most_forms = 16;

std::uint64_t words_of(IndirectCall call) {
  switch (call) {
    case IndirectCall::dispatch: return 3;
    case IndirectCall::vertices:
    case IndirectCall::instances: return 4;
    case IndirectCall::indices:
    case IndirectCall::indexed_instances: return 5;
  }
  return 0;
}

}  // namespace

std::uint64_t argument_bytes(const IndirectForm& form) { return 4 * words_of(form.call); }

std::uint64_t argument_bytes(std::span<const IndirectForm> forms) {
  return argument_offset(forms, forms.size());
}

std::uint64_t argument_offset(std::span<const IndirectForm> forms, std::size_t form) {
  std::uint64_t bytes = 0;
  for (const IndirectForm& before : forms.first(form)) bytes += argument_bytes(before);
  return bytes;
}

std::vector<std::uint32_t> indirect_arguments(const ArgumentsDescription& description,
                                              std::uint64_t count, std::uint32_t most_groups) {
  const auto number =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(count, description.capacity));
  std::vector<std::uint32_t> words;
  for (const IndirectForm& form : description.forms) {
    if (form.call == IndirectCall::dispatch) {
      const std::uint64_t groups = plan::ceil_div(number, form.per);
      auto grid = plan::fold_grid(std::max<std::uint64_t>(groups, 1), most_groups);
      if (groups == 0) grid[0] = 0;
      words.insert(words.end(), grid.begin(), grid.end());
      continue;
    }
    const bool is_instanced =
        form.call == IndirectCall::instances || form.call == IndirectCall::indexed_instances;
    const std::size_t end = words.size() + words_of(form.call);
    words.push_back(is_instanced ? form.per : std::min(number, 0xFFFFFFFFU / form.per) * form.per);
    words.push_back(is_instanced ? number : 1);
    words.resize(end);
  }
  return words;
}

namespace plan {

Result<void> validate(std::span<const IndirectForm> forms) {
  if (forms.size() > most_forms) {
    return std::unexpected{Error{ErrorKind::bad_argument,
                                 std::to_string(forms.size()) + " indirect calls were asked for; " +
                                     std::to_string(most_forms) + " can be written at once"}};
  }
  if (std::ranges::find(forms, 0U, &IndirectForm::per) != forms.end()) {
    return std::unexpected{
        Error{ErrorKind::bad_argument,
              "an indirect call has `per` 0: it is what a workgroup takes, or the vertices or "
              "indices of each, and at least 1"}};
  }
  return {};
}

void append_forms(std::vector<std::uint32_t>& settings, std::span<const IndirectForm> forms,
                  std::uint32_t misalignment) {
  std::uint32_t at = misalignment;
  for (const IndirectForm& form : forms) {
    settings.insert(settings.end(),
                    {static_cast<std::uint32_t>(form.call), form.per, form.of_items ? 1U : 0U, at});
    at += static_cast<std::uint32_t>(words_of(form.call));
  }
}

}  // namespace plan

Result<Plan> plan_arguments(const ArgumentsDescription& description, const Traits& traits,
                            const ArgumentsLayout& layout) {
  if (auto ok = plan::validate(description.forms); !ok) return std::unexpected{ok.error()};
  if (description.forms.empty()) {
    return std::unexpected{
        Error{ErrorKind::bad_argument, "no indirect calls were named to write arguments for"}};
  }
  Plan plan{.primitive = "indirect arguments",
            .algorithm = "one dispatch",
            .n = 1,
            .buffers = {},
            .kernels = {},
            .steps = {}};
  const std::uint32_t count = plan::add_buffer(
      plan, "count", (std::uint64_t{layout.count_misalignment} + 1) * 4, BufferRole::count);
  const std::uint32_t arguments = plan::add_buffer(
      plan, "arguments",
      std::uint64_t{layout.arguments_misalignment} * 4 + argument_bytes(description.forms),
      BufferRole::output);
  std::vector<std::uint32_t> settings{description.capacity, layout.count_misalignment,
                                      traits.limits.max_workgroups_per_dimension, 0};
  plan::append_forms(settings, description.forms, layout.arguments_misalignment);
  const std::uint32_t given = plan::add_parameters(plan, "settings", std::move(settings));
  const auto kernel =
      plan::add_kernel(plan, "write_arguments", "write_arguments.wgsl",
                       {{"FORMS", static_cast<std::int64_t>(description.forms.size())},
                        {"ARGUMENTS", 2},
                        {"SAME_BUFFER", layout.same_buffer ? 1 : 0}},
                       1);
  if (!kernel) return std::unexpected{kernel.error()};
  plan.steps.push_back(DispatchStep{
      "",
      *kernel,
      {plan::whole(plan, given), plan::whole(plan, count), plan::whole(plan, arguments)}});
  return plan;
}

}  // namespace cumulo
