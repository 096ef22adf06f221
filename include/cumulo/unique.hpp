// Unique: the first element of each run of equal neighbours. Elements are equal where their bytes
// are: -0.0 and 0.0 are not, a NaN equals itself.
//   kept = all x[i] with i = 0 or x[i] != x[i - 1]
// One pass where the device makes progress, else three dispatches. Errors: those of select_bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cumulo/compact.hpp"
#include "cumulo/selection.hpp"

namespace cumulo {

template <Movable T>
Result<std::vector<T>> unique(Device& device, std::span<const T> values) {
  return detail::select_values(device, {.heads = true}, values, {});
}

// Where those elements are: the starts of the runs.
template <Movable T>
Result<std::vector<std::uint32_t>> unique_indices(Device& device, std::span<const T> values) {
  return detail::select_indices(
      device, {.n = values.size(), .arrays = detail::deciding<T>(), .heads = true},
      {{std::as_bytes(values)}});
}

}  // namespace cumulo
