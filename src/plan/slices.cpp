#include "plan/slices.hpp"

#include <algorithm>

namespace cumulo::plan {

BoundRange bind_range(const Limits& limits, std::uint32_t buffer, std::uint64_t element_bytes,
                      std::uint64_t begin, std::uint64_t end) {
  const auto first = static_cast<std::uint32_t>(begin % binding_period(element_bytes, limits));
  return {
      {buffer, (begin - first) * element_bytes, whole_words((end - begin + first) * element_bytes)},
      first};
}

BoundRange bind_elements(const ScanRequest& request, std::uint32_t buffer, std::uint64_t begin,
                         std::uint64_t end) {
  const std::uint64_t bytes =
      buffer == input_buffer ? request.input_bytes() : request.element_bytes();
  return bind_range(request.traits.limits, buffer, bytes, begin, end);
}

// Memory runs backwards in a reverse scan. A place before the output's elements holds the initial
// value of a forward scan, one after them that of a reverse one.
BoundSlice bind_slice(const ScanRequest& request, const Slice& slice) {
  const ScanDescription& d = request.description;
  const PlanOptions& options = request.options;
  const std::uint64_t count = slice.end - slice.begin;
  const std::uint64_t first = d.reverse ? d.n - slice.end : slice.begin;
  const std::uint64_t in_begin = options.in_misalignment + first;
  const std::uint32_t read = options.aliasing == Aliasing::in_place ? output_buffer : input_buffer;
  const BoundRange in = bind_elements(request, read, in_begin, in_begin + count);

  const bool holds_initial = d.include_initial && slice.begin == 0;
  const std::uint64_t shift = d.include_initial && !d.reverse ? 1 : 0;
  const std::uint64_t out_begin = options.out_misalignment + first + shift;
  const std::uint64_t low = out_begin - (holds_initial && !d.reverse ? 1 : 0);
  const std::uint64_t high = out_begin + count + (holds_initial && d.reverse ? 1 : 0);
  const BoundRange out = bind_elements(request, output_buffer, low, high);
  const auto out_offset = static_cast<std::uint32_t>(out_begin - low + out.first);
  return {in.binding,
          out.binding,
          in.first,
          out_offset,
          d.reverse ? out_offset + static_cast<std::uint32_t>(count) : out.first,
          holds_initial};
}

SliceParams slice_params(const ScanRequest& request, const Slice& slice, const BoundSlice& bound,
                         std::uint64_t tile) {
  const std::uint64_t count = slice.end - slice.begin;
  return {.count = static_cast<std::uint32_t>(count),
          .tiles = static_cast<std::uint32_t>(ceil_div(count, tile)),
          .first_tile = static_cast<std::uint32_t>(slice.begin / tile),
          .is_last = slice.end == request.description.n,
          .in_offset = bound.in_offset,
          .out_offset = bound.out_offset,
          .all_tiles = static_cast<std::uint32_t>(ceil_div(request.description.n, tile)),
          .initial_at = bound.initial_at};
}

std::string slices_note(std::size_t slices) {
  return std::to_string(slices) + " slices, each within one binding and one grid";
}

std::array<std::uint32_t, 3> fold_grid(std::uint64_t groups, std::uint64_t limit) {
  const std::uint64_t z = ceil_div(ceil_div(groups, limit), limit);
  const std::uint64_t y = ceil_div(ceil_div(groups, z), limit);
  const std::uint64_t x = ceil_div(ceil_div(groups, z), y);
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
          static_cast<std::uint32_t>(z)};
}

std::uint64_t binding_capacity(const Limits& limits, std::uint64_t element_bytes,
                               std::uint64_t tile) {
  const std::uint64_t padding = binding_period(element_bytes, limits) * element_bytes;
  if (limits.max_storage_binding_size <= padding) return 0;
  return (limits.max_storage_binding_size - padding) / element_bytes / tile * tile;
}

std::uint64_t slice_capacity(const Limits& limits, std::uint64_t element_bytes,
                             std::uint64_t tile) {
  const std::uint64_t by_binding = binding_capacity(limits, element_bytes, tile) / tile;
  const std::uint64_t side = std::min<std::uint64_t>(limits.max_workgroups_per_dimension, 1U << 20);
  const std::uint64_t by_grid = side * side * side;
  constexpr std::uint64_t by_counter = std::uint64_t{1} << 31;  // counts are 32 bits
  return std::min({by_binding, by_grid, by_counter / tile}) * tile;
}

}  // namespace cumulo::plan
