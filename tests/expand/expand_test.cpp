// Expansions of host memory, against the definition item by item.
#include "expand/reference.hpp"

namespace cumulo::test {
namespace {

constexpr std::uint32_t poison = 0xA7A7A7A7;

class ExpandTest : public DeviceTest {
 protected:
  std::uint64_t most() { return std::min<std::uint64_t>(many(), 100'000); }

  // `words` 0: to indices. What lies past the outputs must stay.
  void expect_right(const Words& counts, std::uint32_t words, std::uint64_t capacity,
                    const std::string& what, bool from_offsets = false) {
    const std::uint32_t each = std::max(1U, words);
    const Words values = random_words(counts.size() * words);
    const std::uint64_t total = expanded_count(counts);
    Words expected = expected_expansion(counts, values, each, capacity);
    const std::uint64_t written = expected.size() / each;
    expected.resize(capacity * each, poison);
    Words out(expected.size(), poison);
    Words offsets{0};
    for (const std::uint32_t count : counts) offsets.push_back(offsets.back() + count);
    const auto run = expand_bytes(device(),
                                  {.n = counts.size(),
                                   .element_bytes = 4 * words,
                                   .capacity = capacity,
                                   .from_offsets = from_offsets},
                                  from_offsets ? offsets : counts, std::as_bytes(std::span{values}),
                                  std::as_writable_bytes(std::span{out}));
    ASSERT_TRUE(run) << what << ": " << describe(run.error());
    EXPECT_TRUE(same_words(expected, out)) << what;
    EXPECT_EQ(run->report.total, total) << what;
    EXPECT_EQ(run->report.written, written) << what;
    EXPECT_EQ(run->report.exceeds, total > capacity ? 1U : 0U) << what;
  }
};

TEST_P(ExpandTest, AnyNumberOfItems) {
  for (const std::uint64_t n : edge_sizes()) {
    if (n > most()) continue;
    const Words counts = counts_to_try(n, 3, 0)[0].counts;
    expect_right(counts, 1, expanded_count(counts), std::to_string(n));
  }
}

TEST_P(ExpandTest, HoweverTheOutputsAreSpread) {
  // More and fewer items and outputs than a tile has.
  for (const std::uint64_t n : {1U, 2U, 255U, 4095U, 4096U, 4097U, 20'000U}) {
    for (const auto& [name, counts] : counts_to_try(n, 5, 30'000)) {
      const std::string what = name + " " + std::to_string(n);
      const std::uint64_t total = expanded_count(counts);
      expect_right(counts, 0, total, what + ", indices");
      expect_right(counts, 1, total, what);
      expect_right(counts, 1, total, what + ", from offsets", true);
    }
  }
}

TEST_P(ExpandTest, TilesAsLargeAsTheyGet) {
  // With fewer items and outputs tiles are smaller, so that there are more of them.
  for (const auto& [n, largest] : {std::pair{800'000U, 2U}, {150'000U, 60U}}) {
    const Words counts = counts_to_try(n, largest, 0)[0].counts;
    const std::uint64_t total = expanded_count(counts);
    expect_right(counts, 1, total, std::to_string(n));
    expect_right(counts, 2, total - 5, std::to_string(n) + ", pairs");
  }
}

TEST_P(ExpandTest, ElementsOfUpTo64Bytes) {
  for (std::uint32_t words = 1; words <= 16; ++words) {
    const Words counts = counts_to_try(700, 9, 0)[0].counts;
    expect_right(counts, words, expanded_count(counts), std::to_string(words) + " words");
    expect_right(counts, words, 1001, std::to_string(words) + " words, not all");
  }
}

TEST_P(ExpandTest, NothingIsWrittenPastTheCapacity) {
  for (const auto& [name, counts] : counts_to_try(3000, 5, 9000)) {
    const std::uint64_t total = expanded_count(counts);
    for (const std::uint64_t capacity :
         {std::uint64_t{0}, std::uint64_t{1}, total / 3, total, total + 1, total + 5000}) {
      expect_right(counts, 1, capacity, name + " in " + std::to_string(capacity));
      expect_right(counts, 2, capacity, name + " in " + std::to_string(capacity) + ", pairs", true);
    }
  }
}

TEST_P(ExpandTest, MoreThanCanBeCounted) {
  Words counts(100, 0xFFFFFFFF);
  counts[0] = 3;
  expect_right(counts, 1, 1000, "huge counts");
  counts[99] = 0;
  expect_right(counts, 0, 5000, "huge counts to indices");
}

TEST_P(ExpandTest, OneItemAmongManyEmptyOnes) {
  Words counts(most());
  counts[most() / 2] = static_cast<std::uint32_t>(most());
  expect_right(counts, 1, most(), "one has all");
}

TEST_P(ExpandTest, TypedCalls) {
  const std::vector<double> values{1.5, -2, 0.25};
  const Words counts{2, 0, 3};
  EXPECT_EQ(value_of(expand<double>(device(), values, counts)),
            (std::vector<double>{1.5, 1.5, 0.25, 0.25, 0.25}));
  EXPECT_EQ(value_of(expand<double>(device(), values, counts, 3)),
            (std::vector<double>{1.5, 1.5, 0.25}));
  EXPECT_EQ(value_of(expand_indices(device(), counts)), (Words{0, 0, 2, 2, 2}));
  EXPECT_EQ(value_of(decode_runs<std::uint32_t>(device(), Words{7, 8, 9}, counts)),
            (Words{7, 7, 9, 9, 9}));
  EXPECT_TRUE(value_of(expand<std::uint32_t>(device(), {}, {})).empty());
}

TEST_P(ExpandTest, WhatCannotBeIsABadArgument) {
  Words counts(10, 1);
  Words values(10);
  Words out(10);
  const auto kind = [&](const ExpandDescription& d, std::span<const std::uint32_t> given) {
    const auto run = expand_bytes(device(), d, given, std::as_bytes(std::span{values}),
                                  std::as_writable_bytes(std::span{out}));
    return run ? std::string("done") : std::string(name(run.error().kind));
  };
  EXPECT_EQ(kind({.n = 10, .capacity = 10}, counts), "done");
  EXPECT_EQ(kind({.n = 10, .capacity = 11}, counts), "bad-argument");
  EXPECT_EQ(kind({.n = 10, .element_bytes = 8, .capacity = 5}, counts), "bad-argument");
  EXPECT_EQ(kind({.n = 10, .element_bytes = 3, .capacity = 10}, counts), "bad-argument");
  EXPECT_EQ(kind({.n = 10, .capacity = 10, .from_offsets = true}, counts), "bad-argument");
  const Words falling{0, 5, 4, 6, 7, 8, 9, 10, 10, 10, 10};
  EXPECT_EQ(kind({.n = 10, .capacity = 10, .from_offsets = true}, falling), "bad-argument");
  EXPECT_EQ(kind({.n = 10, .capacity = 10}, std::span{out}), "bad-argument");  // overlaps
}

CUMULO_ON_EVERY_DEVICE(ExpandTest);

}  // namespace
}  // namespace cumulo::test
