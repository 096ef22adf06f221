// Compaction: the elements whose flag is set, or for which a predicate holds, in their order.
//   kept = x[i0], x[i1], ... with i0 < i1 < ... all i that are selected
// One pass over the elements where the device makes progress, else three dispatches; 4 n + n + 4 k
// bytes moved for u32 by u8 flags. Errors: those of select_bytes.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "cumulo/host_array.hpp"
#include "cumulo/selection.hpp"

namespace cumulo {

// Elements that are moved as they are: structs of 4-byte words up to 64 bytes.
template <class T>
concept Movable = std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> &&
                  sizeof(T) % 4 == 0 && sizeof(T) >= 4 && sizeof(T) <= 64;

// Bytes and words, whose C++ type says how they lie; bits are for the calls of selection.hpp.
template <class F>
concept Flag = std::same_as<F, std::uint8_t> || std::same_as<F, std::uint32_t>;
template <Flag F>
inline constexpr FlagType flag_type_of =
    std::same_as<F, std::uint8_t> ? FlagType::u8 : FlagType::u32;

namespace detail {

// Runs a description of one array whose values are kept, and returns as many as there are.
template <Movable T>
Result<std::vector<T>> select_values(Device& device, SelectionDescription description,
                                     std::span<const T> values, std::span<const std::byte> flags,
                                     SelectionReport* report = nullptr) {
  description.n = values.size();
  description.arrays = {{.element_bytes = sizeof(T), .is_kept = true}};
  auto kept = host_array<T>(values.size());
  if (!kept) return kept;
  auto done = select_bytes(device, description, {{std::as_bytes(values)}, flags},
                           {.kept = {std::as_writable_bytes(std::span{*kept})}});
  if (!done) return std::unexpected{std::move(done.error())};
  if (description.rest == Rest::dropped) kept->resize(done->count);
  if (report != nullptr) *report = std::move(*done);
  return kept;
}

// The same, and returns the indices in place of the values, of which there may be none.
inline Result<std::vector<std::uint32_t>> select_indices(Device& device,
                                                         SelectionDescription description,
                                                         const SelectionInput& in) {
  description.indices = true;
  auto indices = host_array<std::uint32_t>(description.n);
  if (!indices) return indices;
  auto done = select_bytes(device, description, in, {.kept = {}, .indices = *indices});
  if (!done) return std::unexpected{std::move(done.error())};
  if (description.rest == Rest::dropped) indices->resize(done->count);
  return indices;
}

// An array that decides and is not kept.
template <Movable T>
std::vector<SelectionArray> deciding() {
  return {{.element_bytes = sizeof(T), .is_kept = false}};
}

}  // namespace detail

// values[i] with flags[i] set; the two have one length.
template <Movable T, Flag F>
Result<std::vector<T>> compact(Device& device, std::span<const T> values,
                               std::span<const F> flags) {
  return detail::select_values(device, {.flags = flag_type_of<F>}, values, std::as_bytes(flags));
}

// values[i] for which the predicate, which has one column of elements of T, holds.
template <Movable T>
Result<std::vector<T>> compact(Device& device, std::span<const T> values,
                               const Predicate& predicate) {
  return detail::select_values(device, {.predicate = predicate}, values, {});
}

// The indices i with flags[i] set (NumPy's nonzero).
template <Flag F>
Result<std::vector<std::uint32_t>> compact_indices(Device& device, std::span<const F> flags) {
  return detail::select_indices(device, {.n = flags.size(), .flags = flag_type_of<F>},
                                {{}, std::as_bytes(flags)});
}

// The indices i for whose values[i] the predicate holds.
template <Movable T>
Result<std::vector<std::uint32_t>> compact_indices(Device& device, std::span<const T> values,
                                                   const Predicate& predicate) {
  return detail::select_indices(
      device, {.n = values.size(), .arrays = detail::deciding<T>(), .predicate = predicate},
      {{std::as_bytes(values)}});
}

}  // namespace cumulo
