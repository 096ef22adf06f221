// The picture of what compact, partition, unique or runs keeps.
#include <fmt/format.h>

#include <numeric>

#include "picture/scenes.hpp"
#include "select_request.hpp"

namespace cumulo::app {
namespace {

// What the picture of stacked blocks has room for: columns, and blocks in all.
constexpr std::size_t most_columns = 8;
constexpr std::uint64_t most_blocks = 36;

std::string title_of(const SelectRequest& r) {
  if (r.where && r.second) return fmt::format("{}: {}, then {}", name(r.kind), *r.where, *r.second);
  if (r.where) return fmt::format("{}: {}", name(r.kind), *r.where);
  if (r.keep) return fmt::format("{} by {}", name(r.kind), source_name(*r.keep));
  return fmt::format("{}: the first of each run of equal neighbours", name(r.kind));
}

// Blocks of the values on their running totals, flags, and the packed row.
Result<picture::Scene> blocks_scene(const std::vector<std::uint32_t>& values,
                                    const std::vector<std::uint8_t>& flags) {
  const std::vector<std::uint32_t> keep(flags.begin(), flags.end());
  std::vector<std::uint32_t> inclusive(values.size());
  std::vector<std::uint32_t> exclusive(values.size());
  std::vector<std::uint32_t> slots(values.size());
  std::inclusive_scan(values.begin(), values.end(), inclusive.begin());
  std::exclusive_scan(values.begin(), values.end(), exclusive.begin(), 0U);
  std::exclusive_scan(keep.begin(), keep.end(), slots.begin(), 0U);
  return picture::compaction_scene({.values = values,
                                    .keep = keep,
                                    .inclusive = inclusive,
                                    .exclusive = exclusive,
                                    .slots = slots});
}

bool fits_blocks(const std::vector<std::uint32_t>& values) {
  return values.size() <= most_columns &&
         std::accumulate(values.begin(), values.end(), std::uint64_t{0}) <= most_blocks;
}

}  // namespace

Result<void> draw_selected(const SelectRequest& r, const SelectInput& input,
                           const Selected& selected) {
  // As the device has found it.
  std::vector<std::uint8_t> keep(input.n, 0);
  const std::uint64_t kept = std::min(selected.report.count, selected.results);
  for (std::uint64_t k = 0; k < kept; ++k) {
    if (selected.indices[k] < input.n) keep[selected.indices[k]] = 1;
  }
  const auto* const values = std::get_if<std::vector<std::uint32_t>>(&input.values.values);
  const bool in_blocks = r.kind == SelectKind::compact && !input.by_rows && values != nullptr &&
                         selected.report.count == kept && fits_blocks(*values);
  const bool runs = r.kind == SelectKind::unique || r.kind == SelectKind::runs;
  auto scene = in_blocks ? blocks_scene(*values, keep)
                         : Result<picture::Scene>{picture::selection_scene(
                               {.title = title_of(r),
                                .keep = keep,
                                .selected = runs       ? "begin a run"
                                            : r.second ? "are of the first kind"
                                                       : "are kept",
                                .rest_follows = r.kind == SelectKind::partition,
                                .second = selected.report.second,
                                .left_out = selected.report.count - kept,
                                .device = describe_device(selected.device)})};
  return write_picture(r, std::move(scene));
}

}  // namespace cumulo::app
