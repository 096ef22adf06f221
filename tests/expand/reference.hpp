// Allocations and expansions as their definitions say, item by item, in 64 bits; and counts to try.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "scan/devices.hpp"

namespace cumulo::test {

using Words = std::vector<std::uint32_t>;

inline constexpr std::uint64_t largest_offset = std::numeric_limits<std::uint32_t>::max();

struct ExpectedAllocation {
  std::vector<std::uint64_t> offsets;  // wide; of 32 bits they stop at largest_offset
  AllocationReport report;
};

inline ExpectedAllocation expected_allocation(std::span<const std::uint32_t> counts, bool wide,
                                              std::optional<std::uint64_t> capacity) {
  const std::uint64_t most = wide ? std::numeric_limits<std::uint64_t>::max() : largest_offset;
  const std::uint64_t limit = std::min(capacity.value_or(most), most);
  ExpectedAllocation expected{{0}, {}};
  std::uint64_t sum = 0;
  bool fits = true;
  for (const std::uint32_t count : counts) {
    fits = fits && sum + count <= limit;
    if (fits) ++expected.report.fitting;
    if (fits) expected.report.used = sum + count;
    sum += count;
    expected.offsets.push_back(std::min(sum, most));
  }
  expected.report.total = sum;
  if (sum > most) expected.report.flags |= allocation_overflowed;
  if (sum > limit) expected.report.flags |= allocation_exceeds;
  return expected;
}

// Item by item, `words` words each; without values the items' numbers. The first `capacity`.
inline Words expected_expansion(std::span<const std::uint32_t> counts,
                                std::span<const std::uint32_t> values, std::uint32_t words,
                                std::uint64_t capacity) {
  Words out;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::uint64_t room = capacity - out.size() / words;
    for (std::uint64_t k = 0; k < std::min<std::uint64_t>(counts[i], room); ++k) {
      for (std::uint32_t w = 0; w < words; ++w) {
        out.push_back(values.empty() ? static_cast<std::uint32_t>(i) : values[i * words + w]);
      }
    }
  }
  return out;
}

struct NamedCounts {
  std::string name;
  Words counts;
};

// Of n items: small counts at random, empty items, runs of empty ones, one that has all.
inline std::vector<NamedCounts> counts_to_try(std::uint64_t n, std::uint32_t largest,
                                              std::uint32_t all) {
  std::mt19937 random(static_cast<std::uint32_t>(n));
  const auto below = [&](std::uint32_t end) { return random() % end; };
  std::vector<NamedCounts> all_counts{{"random", Words(n)},      {"zero", Words(n)},
                                      {"one each", Words(n, 1)}, {"mostly zero", Words(n)},
                                      {"one has all", Words(n)}, {"the last has all", Words(n)}};
  for (auto& count : all_counts[0].counts) count = below(largest + 1);
  for (auto& count : all_counts[3].counts) count = below(97) == 0 ? below(3 * largest + 1) : 0;
  if (n > 0) all_counts[4].counts[n / 3] = all;
  if (n > 0) all_counts[5].counts[n - 1] = all;
  return all_counts;
}

inline Words random_words(std::uint64_t n) {
  std::mt19937 random(static_cast<std::uint32_t>(n) + 1);
  Words words(n);
  for (auto& word : words) word = random();
  return words;
}

inline testing::AssertionResult same_words(const Words& expected, const Words& found) {
  if (expected.size() != found.size()) {
    return testing::AssertionFailure() << found.size() << " words for " << expected.size();
  }
  const auto [a, b] = std::ranges::mismatch(expected, found);
  if (a == expected.end()) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "word " << a - expected.begin() << ": expected " << *a << ", found " << *b;
}

inline std::string text_of(const AllocationReport& r) {
  return "total " + std::to_string(r.total) + ", used " + std::to_string(r.used) + ", fitting " +
         std::to_string(r.fitting) + ", flags " + std::to_string(r.flags);
}

inline Buffer uploaded_words(Device& device, const Words& words) {
  return value_of(device.upload(std::as_bytes(std::span{words})));
}

inline Words downloaded_words(Device& device, const Buffer& buffer, std::uint64_t count,
                              std::uint64_t at = 0) {
  Words words(count);
  value_of(device.read(buffer, at * 4, std::as_writable_bytes(std::span{words})));
  return words;
}

}  // namespace cumulo::test
