// Selections of random data beside what the standard library makes of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "scan/devices.hpp"

namespace cumulo::test {

// 12 bytes, and 64.
struct Triple {
  std::uint32_t a, b, c;
  bool operator==(const Triple&) const = default;
};
struct Line {
  std::uint32_t words[16];
  bool operator==(const Line&) const = default;
};

template <class T>
std::vector<T> random_elements(std::uint64_t n, std::uint32_t seed = 1) {
  std::mt19937 random{seed * 7919 + static_cast<std::uint32_t>(n)};
  std::vector<T> values(n);
  for (std::byte& byte : std::as_writable_bytes(std::span{values})) {
    byte = static_cast<std::byte>(random() >> 24);
  }
  return values;
}

// Flags of which about one in 2^32 / `among` is set; what is set is any value but 0.
inline std::vector<bool> random_choice(std::uint64_t n, double kept, std::uint32_t seed = 2) {
  std::mt19937 random{seed * 104729 + static_cast<std::uint32_t>(n)};
  std::vector<bool> chosen(n);
  for (std::uint64_t i = 0; i < n; ++i) chosen[i] = random() < kept * 4294967296.0;
  return chosen;
}

// The flags as they lie in memory: a set one has an arbitrary value.
inline std::vector<std::byte> flags_of(FlagType type, const std::vector<bool>& chosen) {
  std::mt19937 random{99};
  if (type == FlagType::u8) {
    std::vector<std::byte> flags(chosen.size());
    for (std::size_t i = 0; i < flags.size(); ++i) {
      if (chosen[i]) flags[i] = static_cast<std::byte>(1U << (random() % 8));
    }
    return flags;
  }
  std::vector<std::uint32_t> words(flag_bytes(type, chosen.size()) / 4);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (!chosen[i]) continue;
    if (type == FlagType::u32) {
      words[i] = 1U << (random() % 32);
    } else {
      words[i / 32] |= 1U << (i % 32);
    }
  }
  // Bits past the end count for nothing.
  if (type == FlagType::bits && chosen.size() % 32 != 0) {
    words.back() |= ~0U << (chosen.size() % 32);
  }
  const auto bytes = std::as_bytes(std::span{words});
  return {bytes.begin(), bytes.end()};
}

template <class T>
std::vector<T> chosen_of(const std::vector<T>& values, const std::vector<bool>& chosen,
                         bool which = true) {
  std::vector<T> kept;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (chosen[i] == which) kept.push_back(values[i]);
  }
  return kept;
}

inline std::vector<std::uint32_t> counting(std::uint64_t n) {
  std::vector<std::uint32_t> indices(n);
  for (std::uint64_t i = 0; i < n; ++i) indices[i] = static_cast<std::uint32_t>(i);
  return indices;
}

template <class T>
std::vector<T> joined(std::vector<T> first, const std::vector<T>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

inline constexpr std::uint32_t poison = 0xA7A7A7A7;

template <class T>
std::vector<T> poisoned(std::uint64_t n) {
  std::vector<T> values(n);
  std::ranges::fill(std::as_writable_bytes(std::span{values}), std::byte{0xA7});
  return values;
}

// The first `expected.size()` are those, all after them still poisoned.
template <class T>
testing::AssertionResult holds(const std::vector<T>& expected, const std::vector<T>& found) {
  std::vector<T> wanted = poisoned<T>(found.size());
  if (expected.size() > found.size()) {
    return testing::AssertionFailure() << expected.size() << " results in " << found.size();
  }
  std::ranges::copy(expected, wanted.begin());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (std::memcmp(&wanted[i], &found[i], sizeof(T)) == 0) continue;
    std::uint32_t words[2]{};
    std::memcpy(&words[0], &wanted[i], 4);
    std::memcpy(&words[1], &found[i], 4);
    return testing::AssertionFailure() << "result " << i << " of " << expected.size()
                                       << ": expected " << words[0] << ", found " << words[1];
  }
  return testing::AssertionSuccess();
}

template <class T>
std::vector<T> first_of(std::vector<T> values, std::uint64_t count) {
  values.resize(std::min<std::uint64_t>(values.size(), count));
  return values;
}

template <class T>
std::span<std::byte> bytes_in(std::vector<T>& values) {
  return std::as_writable_bytes(std::span{values});
}

// x > limit, of u32.
inline Predicate above(std::uint32_t limit) {
  return {.name = "x > " + std::to_string(limit),
          .columns = {{}},
          .wgsl = "return keep_above(x);",
          .wgsl_functions =
              "fn keep_above(x: u32) -> bool { return x > " + std::to_string(limit) + "u; }",
          .function = predicate_function<std::uint32_t>(
              [limit](std::uint32_t x, std::uint64_t) { return x > limit; })};
}

// 0, 1, both sides of words, rows, tiles of every form, and many tiles.
inline std::vector<std::uint64_t> edges(std::uint64_t most) {
  std::vector<std::uint64_t> sizes;
  for (const std::uint64_t n : {0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1025, 4095, 4096, 4097,
                                8191, 8193, 16'383, 16'385, 100'003}) {
    if (n <= most) sizes.push_back(n);
  }
  sizes.push_back(most);
  return sizes;
}

class SelectTest : public DeviceTest {
 protected:
  std::uint64_t most() { return std::min<std::uint64_t>(many(), is_cpu() ? 400'000 : 150'000); }
};

}  // namespace cumulo::test
