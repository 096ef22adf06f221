// Runs a scan through one of the two public ways and compares every bit with the reference.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "devices.hpp"
#include "random_value.hpp"
#include "reference.hpp"

namespace cumulo::test {

// The same bits, or both a NaN: payloads of NaN are not promised.
template <Element T>
bool same_bits(T a, T b) {
  if constexpr (!std::is_integral_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  }
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

inline std::string text_of(const ScanDescription& d) {
  std::string text = std::string{name(d.kind)} + (d.reverse ? " reverse" : "") + " scan of " +
                     std::to_string(d.n) + " " + element_name(d) + " with " + operator_name(d) +
                     " by " + std::string{name(d.algorithm)};
  if (d.init) text += ", init " + to_string(*d.init);
  if (d.include_initial) text += ", include_initial";
  return text;
}

// Success, or the first difference.
template <Element T>
testing::AssertionResult same(std::span<const T> expected, std::span<const T> found) {
  if (expected.size() != found.size()) {
    return testing::AssertionFailure() << found.size() << " results for " << expected.size();
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (same_bits(expected[i], found[i])) continue;
    return testing::AssertionFailure() << "index " << i << ": expected " << to_string(expected[i])
                                       << ", found " << to_string(found[i]);
  }
  return testing::AssertionSuccess();
}

// Host memory in, host memory out; the output is poisoned before.
template <Element T>
testing::AssertionResult host_scan_is_right(Device& device, ScanDescription d,
                                            std::span<const T> values) {
  d.n = values.size();
  d.type = type_of<T>;
  const Expected<T> expected = expected_scan<T>(d, values);
  std::vector<T> out(result_count(d));
  std::ranges::fill(std::as_writable_bytes(std::span{out}), std::byte{0x5A});
  const auto report =
      scan_bytes(device, d, std::as_bytes(values), std::as_writable_bytes(std::span{out}));
  if (!report) return testing::AssertionFailure() << text_of(d) << ": " << describe(report.error());
  if (auto equal = same<T>(expected.values, out); !equal) return equal << " (" << text_of(d) << ")";
  const T total = std::get<T>(report->total);
  if (!same_bits(expected.total, total)) {
    return testing::AssertionFailure()
           << "total: expected " << to_string(expected.total) << ", found " << to_string(total)
           << " (" << text_of(d) << ")";
  }
  return testing::AssertionSuccess();
}

// Elements before and after the data in a buffer of the device that no scan may touch. So many that
// an offset is a multiple of every device's alignment.
inline constexpr std::uint64_t guard_elements = 64;

// The values between two guards, all else filled with `garbage`.
template <Element T>
std::vector<T> guarded(std::span<const T> values, std::uint64_t count, unsigned char garbage) {
  std::vector<T> all(count + 2 * guard_elements);
  std::memset(static_cast<void*>(all.data()), garbage, all.size() * sizeof(T));
  std::copy(values.begin(), values.end(), all.begin() + guard_elements);
  return all;
}

template <Element T>
Buffer uploaded(Device& device, std::span<const T> values) {
  return value_of(device.upload(std::as_bytes(values)));
}

template <Element T>
std::vector<T> downloaded(Device& device, const Buffer& buffer, std::uint64_t count,
                          std::uint64_t first = 0) {
  std::vector<T> values(count);
  value_of(device.read(buffer, first * sizeof(T), std::as_writable_bytes(std::span{values})));
  return values;
}

// Prepared, between buffers of the device: garbage round the input must not enter the result, and
// the guards round the output must stay as they were.
template <Element T>
testing::AssertionResult buffer_scan_is_right(Device& device, ScanDescription d,
                                              std::span<const T> values) {
  constexpr unsigned char garbage = 0xA7;
  d.n = values.size();
  d.type = type_of<T>;
  const Expected<T> expected = expected_scan<T>(d, values);
  auto prepared = prepare_scan(device, d);
  if (!prepared) {
    return testing::AssertionFailure() << text_of(d) << ": " << describe(prepared.error());
  }
  const Buffer in = uploaded<T>(device, guarded<T>(values, values.size(), garbage));
  const std::vector<T> poisoned = guarded<T>({}, result_count(d), garbage);
  const Buffer out = uploaded<T>(device, poisoned);
  value_of(prepared->run(in, out, guard_elements, guard_elements));
  std::vector<T> wanted = guarded<T>(expected.values, result_count(d), garbage);
  const std::vector<T> found = downloaded<T>(device, out, wanted.size());
  if (auto equal = same<T>(wanted, found); !equal) {
    return equal << " with " << guard_elements << " guards before (" << text_of(d) << ")";
  }
  return testing::AssertionSuccess();
}

template <Element T>
std::vector<T> random_values(std::uint64_t n, Operator op, std::uint64_t seed = 1) {
  std::mt19937_64 random{seed * 1000003 + n};
  std::vector<T> values(n);
  for (T& value : values) value = random_value<T>(op, random());
  return values;
}

// Calls f.template operator()<T>(op) for every type of the list and operator defined for it.
template <class F>
void for_each_type_and_operator(const std::vector<Type>& types, F&& f) {
  for (const Type type : types) {
    for (const Operator op : all_operators) {
      if (!is_defined(op, type)) continue;
      with_type(type, [&]<class T>() { f.template operator()<T>(op); });
    }
  }
}

}  // namespace cumulo::test
