// Partition: the selected elements first, the others after them, both in their order, and the split
// between them. Three-way, by two predicates: those that the first selects, then those of the
// others that the second selects, then the rest. Two passes where the device makes progress, else
// three dispatches. Errors: those of select_bytes.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cumulo/compact.hpp"
#include "cumulo/selection.hpp"

namespace cumulo {

template <class T>
struct Partitioned {
  std::vector<T> values;
  std::uint64_t split = 0;   // where the elements begin that were not selected (first)
  std::uint64_t second = 0;  // three-way: where those begin that neither predicate selects; else n
};

namespace detail {

template <Movable T>
Result<Partitioned<T>> partition_values(Device& device, const SelectionDescription& description,
                                        std::span<const T> values,
                                        std::span<const std::byte> flags) {
  SelectionReport report;
  auto all = select_values(device, description, values, flags, &report);
  if (!all) return std::unexpected{std::move(all.error())};
  const bool three = description.rest == Rest::three_way;
  return Partitioned<T>{std::move(*all), report.count,
                        three ? report.count + report.second : values.size()};
}

}  // namespace detail

template <Movable T, Flag F>
Result<Partitioned<T>> partition(Device& device, std::span<const T> values,
                                 std::span<const F> flags) {
  return detail::partition_values(device, {.flags = flag_type_of<F>, .rest = Rest::follows}, values,
                                  std::as_bytes(flags));
}

template <Movable T>
Result<Partitioned<T>> partition(Device& device, std::span<const T> values,
                                 const Predicate& predicate) {
  return detail::partition_values(device, {.predicate = predicate, .rest = Rest::follows}, values,
                                  {});
}

template <Movable T>
Result<Partitioned<T>> partition(Device& device, std::span<const T> values, const Predicate& first,
                                 const Predicate& second) {
  return detail::partition_values(
      device, {.predicate = first, .second = second, .rest = Rest::three_way}, values, {});
}

}  // namespace cumulo
