// Chooses a selection's algorithm from its description and the device's traits.
#include <algorithm>
#include <utility>

#include "plan/selection_plans.hpp"

namespace cumulo {
namespace {

Error unsupported(std::string message) { return {ErrorKind::unsupported, std::move(message)}; }

constexpr std::size_t most_columns = 8;
constexpr std::uint32_t most_element_bytes = 64;

std::optional<Error> bad_columns(const SelectionDescription& d, const Predicate& predicate) {
  if (predicate.columns.size() > d.arrays.size()) {
    return bad_argument("predicate '" + predicate.name + "' reads " +
                        std::to_string(predicate.columns.size()) + " columns but the call has " +
                        std::to_string(d.arrays.size()) + " arrays");
  }
  for (std::size_t k = 0; k < predicate.columns.size(); ++k) {
    const PredicateColumn& column = predicate.columns[k];
    if (column.element_bytes() != d.arrays[k].element_bytes) {
      return bad_argument("column '" + column.name + "' has elements of " +
                          std::to_string(column.element_bytes()) + " bytes but array " +
                          std::to_string(k) + " has elements of " +
                          std::to_string(d.arrays[k].element_bytes));
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(FlagType type) {
  switch (type) {
    case FlagType::u8: return "u8";
    case FlagType::u32: return "u32";
    case FlagType::bits: return "bits";
  }
  return "unknown";
}

std::uint64_t flag_bytes(FlagType type, std::uint64_t n) {
  switch (type) {
    case FlagType::u8: return (n + 3) / 4 * 4;
    case FlagType::u32: return n * 4;
    case FlagType::bits: break;
  }
  return (n + 31) / 32 * 4;
}

std::string_view name(SelectionAlgorithm algorithm) {
  switch (algorithm) {
    case SelectionAlgorithm::automatic: return "auto";
    case SelectionAlgorithm::mask_then_scatter: return "mask-then-scatter";
    case SelectionAlgorithm::single_pass: return "single-pass";
    case SelectionAlgorithm::blocked: return "blocked";
  }
  return "unknown";
}

std::optional<SelectionAlgorithm> parse_selection_algorithm(std::string_view text) {
  for (const auto algorithm : all_selection_algorithms) {
    if (text == name(algorithm)) return algorithm;
  }
  return std::nullopt;
}

std::string primitive_name(const SelectionDescription& d) {
  if (d.rest == Rest::three_way) return "three-way partition";
  if (d.rest == Rest::follows) return "partition";
  if (!d.heads) return "compact";
  return d.indices || d.lengths ? "runs" : "unique";
}

Result<void> validate(const Predicate& predicate) {
  if (predicate.wgsl.empty()) {
    return std::unexpected{bad_argument("predicate '" + predicate.name + "' has no WGSL")};
  }
  if (predicate.columns.size() > most_columns) {
    return std::unexpected{bad_argument("predicate '" + predicate.name + "' reads " +
                                        std::to_string(predicate.columns.size()) +
                                        " columns; at most 8 can be")};
  }
  for (const PredicateColumn& column : predicate.columns) {
    if (column.element_bytes() > most_element_bytes) {
      return std::unexpected{bad_argument("column '" + column.name + "' has elements of " +
                                          std::to_string(column.element_bytes()) +
                                          " bytes; at most 64 can be")};
    }
  }
  return {};
}

Result<void> validate(const SelectionDescription& d) {
  const int ways = (d.flags ? 1 : 0) + (d.predicate ? 1 : 0) + (d.heads ? 1 : 0);
  if (ways != 1) {
    return std::unexpected{bad_argument(
        "a selection goes by exactly one of flags, a predicate and the heads of runs, not by " +
        std::to_string(ways))};
  }
  for (const SelectionArray& array : d.arrays) {
    if (array.element_bytes == 0 || array.element_bytes % 4 != 0 ||
        array.element_bytes > most_element_bytes) {
      return std::unexpected{
          bad_argument("elements of " + std::to_string(array.element_bytes) +
                       " bytes cannot be selected: their size must be a multiple of 4 up to 64")};
    }
  }
  if (d.heads && d.arrays.empty()) {
    return std::unexpected{bad_argument("the heads of runs need an array whose runs they are")};
  }
  if ((d.rest == Rest::three_way) != d.second.has_value() || (d.second && !d.predicate)) {
    return std::unexpected{
        bad_argument("a three-way partition takes two predicates, anything else at most one")};
  }
  for (const auto* predicate : {&d.predicate, &d.second}) {
    if (!*predicate) continue;
    if (auto ok = validate(**predicate); !ok) return ok;
    if (auto error = bad_columns(d, **predicate)) return std::unexpected{std::move(*error)};
  }
  if (d.lengths && !d.heads) {
    return std::unexpected{bad_argument("only runs have lengths")};
  }
  if (d.heads && d.rest != Rest::dropped) {
    return std::unexpected{bad_argument("what are no heads of runs cannot follow them")};
  }
  if (d.rest != Rest::dropped && result_count(d) < d.n) {
    return std::unexpected{
        bad_argument("a partition writes every element: a capacity cannot be less than n")};
  }
  return {};
}

namespace plan {
namespace {

std::optional<Error> refusal(const SelectionRequest& request) {
  const SelectionDescription& d = request.description;
  if (d.algorithm == SelectionAlgorithm::blocked) {
    return unsupported("algorithm blocked is the CPU backend's; choose --device cpu");
  }
  if (request.layout.counted && d.n == 0) {
    return bad_argument("a selection counted on the device needs room for at least 1 element");
  }
  if (d.n > std::numeric_limits<std::uint32_t>::max()) {
    return unsupported(
        std::to_string(d.n) +
        " elements are more than 32-bit counts hold, which is what GPU kernels count "
        "in: at most 4294967295");
  }
  const std::uint64_t limit = request.traits.limits.max_buffer_size;
  for (const SelectionSlot& slot : request.slots) {
    if (slot.elements * slot.element_bytes > limit) {
      return unsupported(std::to_string(slot.elements) + " elements of " +
                         std::to_string(slot.element_bytes) +
                         " bytes do not fit one buffer of this device (max_buffer_size " +
                         std::to_string(limit) + " bytes)");
    }
  }
  return std::nullopt;
}

}  // namespace

SelectionRequest make_request(const SelectionDescription& d, const Traits& traits,
                              const SelectionLayout& layout) {
  return {d, traits, layout, selection_slots(d, layout.counted)};
}

std::vector<SelectionSlot> selection_slots(const SelectionDescription& d, bool counted) {
  using What = SelectionSlot::What;
  std::vector<SelectionSlot> slots;
  const std::uint64_t results = result_count(d);
  const auto numbered = [&](const char* name, std::uint32_t k) {
    return d.arrays.size() == 1 ? std::string(name) : name + (" " + std::to_string(k));
  };
  for (std::uint32_t k = 0; k < d.arrays.size(); ++k) {
    slots.push_back({What::array, k, numbered("input", k), d.arrays[k].element_bytes, d.n});
  }
  if (d.flags) slots.push_back({What::flags, 0, "flags", 4, flag_bytes(*d.flags, d.n) / 4});
  for (std::uint32_t k = 0; k < d.arrays.size(); ++k) {
    if (!d.arrays[k].is_kept) continue;
    slots.push_back({What::kept, k, numbered("output", k), d.arrays[k].element_bytes, results});
  }
  if (d.indices) slots.push_back({What::indices, 0, "indices", 4, results});
  if (d.lengths) slots.push_back({What::lengths, 0, "lengths", 4, results});
  slots.push_back({What::counts, 0, "counts", 4, count_words(d)});
  if (counted) slots.push_back({What::n, 0, "count", 4, 1});
  return slots;
}

std::uint32_t SelectionRequest::slot(SelectionSlot::What what, std::uint32_t array) const {
  const auto at = std::ranges::find_if(
      slots, [&](const SelectionSlot& slot) { return slot.what == what && slot.array == array; });
  return static_cast<std::uint32_t>(at - slots.begin());
}

std::vector<std::uint32_t> SelectionRequest::sources() const {
  if (description.flags) return {slot(SelectionSlot::What::flags)};
  if (description.heads) return {0};
  std::vector<std::uint32_t> columns;
  for (std::uint32_t k = 0; k < description.predicate->columns.size(); ++k) columns.push_back(k);
  return columns;
}

Plan empty_selection_plan(const SelectionRequest& request, std::string_view algorithm) {
  Plan plan{.primitive = primitive_name(request.description),
            .algorithm = std::string(algorithm),
            .n = request.description.n,
            .counted = request.layout.counted,
            .buffers = {},
            .kernels = {},
            .steps = {}};
  for (std::uint32_t k = 0; k < request.slots.size(); ++k) {
    const SelectionSlot& slot = request.slots[k];
    const BufferRole role = slot.what == SelectionSlot::What::n ? BufferRole::count
                            : slot.is_written()                 ? BufferRole::output
                                                                : BufferRole::input;
    plan.buffers.push_back(
        {slot.name, (request.misalignment(k) + slot.elements) * slot.element_bytes, role});
  }
  return plan;
}

BoundRange bind_slot(const SelectionRequest& request, std::uint32_t slot, std::uint64_t begin,
                     std::uint64_t end) {
  const std::uint32_t bytes = request.slots[slot].element_bytes;
  const std::uint64_t shift = request.misalignment(slot);
  BoundRange range = bind_range(request.traits.limits, slot, bytes, shift + begin, shift + end);
  range.first *= bytes / 4;
  return range;
}

BoundRange bind_source(const SelectionRequest& request, std::uint32_t slot, std::uint64_t begin,
                       std::uint64_t end) {
  const SelectionDescription& d = request.description;
  if (d.flags) {
    return bind_slot(request, slot, flag_bytes(*d.flags, begin) / 4, flag_bytes(*d.flags, end) / 4);
  }
  if (!d.heads || begin == 0) return bind_slot(request, slot, begin, end);
  // Each element is compared with the one before it.
  BoundRange range = bind_slot(request, slot, begin - 1, end);
  range.first += request.slots[slot].element_bytes / 4;
  return range;
}

std::vector<std::uint32_t> parameter_words(const SelectParams& p) {
  const auto word = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  std::vector<std::uint32_t> words{word(p.first_tile),
                                   word(p.first_index),
                                   0,
                                   word(p.all_tiles),
                                   word(p.mask_words),
                                   word(p.window_first),
                                   word(p.window),
                                   p.output_offset,
                                   p.counts_at,
                                   word(p.capacity),
                                   0,
                                   0};
  words.insert(words.end(), p.offsets.begin(), p.offsets.end());
  words.resize(12 + 4 * 5, 0);  // the offsets are five vectors
  return words;
}

}  // namespace plan

Result<Plan> plan_selection(const SelectionDescription& description, const Traits& traits,
                            const SelectionLayout& layout) {
  if (auto valid = validate(description); !valid) return std::unexpected{std::move(valid.error())};
  const plan::SelectionRequest request = plan::make_request(description, traits, layout);
  if (auto error = plan::refusal(request)) return std::unexpected{std::move(*error)};
  const bool is_free = description.algorithm == SelectionAlgorithm::automatic;
  std::string why;
  if (description.n > 0 && description.algorithm != SelectionAlgorithm::mask_then_scatter) {
    if (!is_free || traits.forward_progress) {
      auto plan = plan::plan_selection_pass(request);
      if (!is_free || plan::is_settled(plan)) return plan;
      why = plan.error().message;
    } else {
      why = plan::unknown_progress;
    }
  }
  auto plan = plan::plan_mask_then_scatter(request);
  if (plan && !why.empty()) plan->notes.push_back(std::move(why));
  return plan;
}

}  // namespace cumulo
