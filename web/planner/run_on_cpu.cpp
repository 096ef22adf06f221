#include "run_on_cpu.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "api/selection_places.hpp"
#include "cpu/allocate.hpp"
#include "cpu/expand.hpp"
#include "cpu/reduce.hpp"
#include "cpu/scan.hpp"
#include "cpu/select.hpp"
#include "plan/selection_plans.hpp"

namespace cumulo::web {
namespace {

using Places = std::vector<std::byte*>;

Result<void> run(const ScanDescription& d, const Places& places) {
  std::byte* const total = places[2];
  if (d.monoid || d.wide) {
    auto bytes = d.monoid ? cpu::scan_monoid(d, places[0], places[1])
                          : cpu::scan_wide(d, places[0], places[1]);
    if (!bytes) return std::unexpected{std::move(bytes.error())};
    std::memcpy(total, bytes->data(), bytes->size());
    return {};
  }
  auto value = cpu::scan(d, places[0], places[1]);
  if (!value) return std::unexpected{std::move(value.error())};
  std::visit([&](auto v) { std::memcpy(total, &v, sizeof v); }, *value);
  return {};
}

Result<void> run(const ReduceDescription& d, const Places& places) {
  auto value = cpu::reduce(d, places[0]);
  if (!value) return std::unexpected{std::move(value.error())};
  std::memcpy(places[1], value->data(), value->size());
  return {};
}

Result<void> run(const SelectionDescription& d, const Places& places) {
  if (auto ok = cpu::check(d); !ok) return ok;
  const auto slots = plan::selection_slots(d, false);
  const std::vector<const std::byte*> given(places.begin(), places.end());
  auto counts = cpu::select(d, host_arrays(given, slots));
  if (!counts) return std::unexpected{std::move(counts.error())};
  const std::array<std::uint32_t, 2> words{static_cast<std::uint32_t>(counts->count),
                                           static_cast<std::uint32_t>(counts->second)};
  std::memcpy(places.back(), words.data(), count_words(d) * sizeof(std::uint32_t));
  return {};
}

void write_arguments(std::byte* to, const std::vector<std::uint32_t>& words) {
  if (!words.empty()) std::memcpy(to, words.data(), words.size() * 4);
}

Result<void> run(const AllocateDescription& d, const Places& places) {
  if (d.capacity_on_device) {
    return std::unexpected{
        Error{ErrorKind::unsupported, "a capacity on the device is for allocations on a GPU"}};
  }
  auto report = cpu::allocate(d, reinterpret_cast<const std::uint32_t*>(places[0]), places[1]);
  if (!report) return std::unexpected{std::move(report.error())};
  std::memcpy(places[2], &*report, sizeof *report);
  std::vector<std::uint32_t> words;
  for (const IndirectForm& form : d.arguments) {
    const auto of_form =
        indirect_arguments({.forms = {form}}, form.of_items ? report->fitting : report->used);
    words.insert(words.end(), of_form.begin(), of_form.end());
  }
  write_arguments(places.back(), words);
  return {};
}

Result<void> run(const ExpandDescription& d, const Places& places) {
  const bool by_value = d.element_bytes > 0;
  const std::size_t output = by_value ? 2 : 1;
  auto report = cpu::expand(d, {reinterpret_cast<const std::uint32_t*>(places[0]),
                                by_value ? places[1] : nullptr, places[output]});
  if (!report) return std::unexpected{std::move(report.error())};
  std::memcpy(places[output + 1], &*report, sizeof *report);
  write_arguments(places.back(), indirect_arguments({.forms = d.arguments}, report->written));
  return {};
}

Result<void> run(const ArgumentsDescription& d, const Places& places) {
  std::uint32_t count = 0;
  std::memcpy(&count, places[0], sizeof count);
  write_arguments(places[1], indirect_arguments(d, count));
  return {};
}

}  // namespace

Result<void> run_on_cpu(const Description& description, const Places& places) {
  return std::visit([&](const auto& d) { return run(d, places); }, description);
}

}  // namespace cumulo::web
