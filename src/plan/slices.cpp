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
