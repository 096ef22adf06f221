// Allocations of host memory, against the definition in 64 bits.
#include "expand/reference.hpp"

namespace cumulo::test {
namespace {

class AllocateTest : public DeviceTest {
 protected:
  void expect_right(std::span<const std::uint32_t> counts, std::optional<std::uint64_t> capacity,
                    const std::string& what) {
    const auto narrow = expected_allocation(counts, false, capacity);
    const auto found = value_of(allocate(device(), counts, capacity));
    EXPECT_TRUE(std::ranges::equal(narrow.offsets, found.offsets)) << what;
    EXPECT_EQ(narrow.report, found.report)
        << what << ": expected " << text_of(narrow.report) << ", found " << text_of(found.report);
    const auto wide = expected_allocation(counts, true, capacity);
    const auto found_wide = value_of(allocate_wide(device(), counts, capacity));
    EXPECT_TRUE(std::ranges::equal(wide.offsets, found_wide.offsets)) << what << ", wide";
    EXPECT_EQ(wide.report, found_wide.report) << what << ", wide: expected " << text_of(wide.report)
                                              << ", found " << text_of(found_wide.report);
  }
};

TEST_P(AllocateTest, AnyNumberOfCounts) {
  for (const std::uint64_t n : edge_sizes()) {
    const Words counts = counts_to_try(n, 1000, 0)[0].counts;
    expect_right(counts, std::nullopt, std::to_string(n));
  }
}

TEST_P(AllocateTest, AnyCapacity) {
  for (const std::uint64_t n : {0U, 1U, 3U, 1000U, 20'000U}) {
    for (const auto& [name, counts] : counts_to_try(n, 9, 70'000)) {
      const std::uint64_t total = expected_allocation(counts, true, {}).report.total;
      for (const std::uint64_t capacity :
           {std::uint64_t{0}, std::uint64_t{1}, total / 2,
            total - std::min<std::uint64_t>(total, 1), total, total + 1, largest_offset}) {
        expect_right(counts, capacity,
                     name + " " + std::to_string(n) + " in " + std::to_string(capacity));
      }
    }
  }
}

TEST_P(AllocateTest, TheFlagIsRightWhateverTheSumIsModuloTheLargest) {
  constexpr std::uint32_t half = 0x80000000;
  constexpr std::uint32_t most = 0xFFFFFFFF;
  for (const std::uint64_t n : {5U, 5000U, 20'000U}) {
    // Sums of 2^32 - 1, of 2^32 and about, of multiples of it; reached early, late, and at once.
    const auto with = [&](std::initializer_list<std::pair<std::uint64_t, std::uint32_t>> counts) {
      Words all(n);
      for (const auto& [at, count] : counts) all[at] = count;
      return all;
    };
    const std::vector<Words> cases{with({{1, most}}),
                                   with({{0, most}, {n - 1, 1}}),
                                   with({{0, half}, {n - 1, half}}),
                                   with({{0, half}, {n - 1, half - 1}}),
                                   with({{2, half}, {3, half}}),
                                   with({{0, half}, {1, half - 1}, {n - 1, 1}}),
                                   with({{0, half}, {1, half - 1}, {n - 2, 1}, {n - 1, 7}}),
                                   with({{n - 1, most}}),
                                   with({{n - 2, most}, {n - 1, most}}),
                                   Words(n, most),
                                   Words(n, half),
                                   Words(n, 1U << 30)};
    for (std::size_t k = 0; k < cases.size(); ++k) {
      for (const auto capacity : {std::optional<std::uint64_t>{},
                                  {0},
                                  {half},
                                  {most - 1ULL},
                                  {most},
                                  {std::uint64_t{1} << 33}}) {
        expect_right(cases[k], capacity,
                     "case " + std::to_string(k) + " of " + std::to_string(n) + " in " +
                         (capacity ? std::to_string(*capacity) : "any"));
      }
    }
  }
}

TEST_P(AllocateTest, WhatCannotBeIsABadArgument) {
  Words counts(10);
  Words offsets(11);
  const auto bytes = std::as_writable_bytes(std::span{offsets});
  const auto kind = [&](const AllocateDescription& d, std::span<std::byte> out) {
    const auto run = allocate_bytes(device(), d, counts, out);
    return run ? std::string("done") : std::string(name(run.error().kind));
  };
  EXPECT_EQ(kind({.n = 10}, bytes), "done");
  EXPECT_EQ(kind({.n = 10}, bytes.first(40)), "bad-argument");
  EXPECT_EQ(kind({.n = 9}, bytes), "bad-argument");
  EXPECT_EQ(kind({.n = 10, .wide = true}, bytes), "bad-argument");
  EXPECT_EQ(kind({.n = 10, .capacity = 3, .capacity_on_device = true}, bytes), "bad-argument");
  EXPECT_EQ(kind({.n = 10, .capacity_on_device = true}, bytes), "bad-argument");
  EXPECT_EQ(kind({.n = 10, .arguments = {{}}}, bytes), "bad-argument");
  // In place: there is one offset more.
  const auto run = allocate_bytes(device(), {.n = 10}, std::span{offsets}.first(10), bytes);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::bad_argument);
}

CUMULO_ON_EVERY_DEVICE(AllocateTest);

}  // namespace
}  // namespace cumulo::test
