// Run-length encoding: of each run of equal neighbours its value, where it starts and how long it
// is. Equal as in unique.hpp. Lengths are the differences of starts, made on the device in one more
// dispatch. Decoding is expand of values by lengths. Errors: those of select_bytes.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cumulo/compact.hpp"
#include "cumulo/host_array.hpp"
#include "cumulo/selection.hpp"

namespace cumulo {

template <class T>
struct Runs {
  std::vector<T> values;
  std::vector<std::uint32_t> starts;
  std::vector<std::uint32_t> lengths;
};

template <Movable T>
Result<Runs<T>> runs(Device& device, std::span<const T> values) {
  const std::size_t n = values.size();
  auto firsts = host_array<T>(n);
  if (!firsts) return std::unexpected{std::move(firsts.error())};
  auto starts = host_array<std::uint32_t>(n);
  if (!starts) return std::unexpected{std::move(starts.error())};
  auto lengths = host_array<std::uint32_t>(n);
  if (!lengths) return std::unexpected{std::move(lengths.error())};
  Runs<T> found{std::move(*firsts), std::move(*starts), std::move(*lengths)};
  auto done = select_bytes(
      device,
      {.n = n, .arrays = {{sizeof(T), true}}, .heads = true, .indices = true, .lengths = true},
      {.arrays = {std::as_bytes(values)}},
      {{std::as_writable_bytes(std::span{found.values})}, found.starts, found.lengths});
  if (!done) return std::unexpected{std::move(done.error())};
  found.values.resize(done->count);
  found.starts.resize(done->count);
  found.lengths.resize(done->count);
  return found;
}

}  // namespace cumulo
