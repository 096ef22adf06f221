// Scans whose number of elements stands in a buffer of the device.
#include "check.hpp"

namespace cumulo::test {
namespace {

using Words = std::vector<std::uint32_t>;

class CountedTest : public DeviceTest {
 protected:
  std::uint64_t capacity() { return std::min<std::uint64_t>(many(), 30'000); }

  // Runs with each count; results past it must stay as they were.
  template <Element T>
  void expect_right(ScanDescription d, const Words& counts) {
    d.type = type_of<T>;
    auto prepared = value_of(prepare_scan(device(), d, {.counted = true}));
    const std::vector<T> values = random_values<T>(d.n, d.op);
    const Buffer in = uploaded<T>(device(), values);
    const Buffer count = uploaded<std::uint32_t>(device(), counts);
    for (std::size_t at = 0; at < counts.size(); ++at) {
      ScanDescription shorter = d;
      shorter.n = std::min<std::uint64_t>(d.n, counts[at]);
      const auto expected = expected_scan<T>(shorter, std::span{values}.first(shorter.n));
      std::vector<T> wanted = guarded<T>(expected.values, result_count(d), 0xA7);
      const Buffer out = uploaded<T>(device(), guarded<T>({}, result_count(d), 0xA7));
      value_of(prepared.run_counted(in, out, count, at, 0, guard_elements));
      EXPECT_TRUE(same<T>(wanted, downloaded<T>(device(), out, wanted.size())))
          << counts[at] << " of at most " << text_of(d);
    }
  }
};

TEST_P(CountedTest, AnyCountIsRight) {
  const auto most = static_cast<std::uint32_t>(capacity());
  expect_right<std::uint32_t>({.n = most},
                              {0, 1, 3, 1023, 4096, 4097, 12'288, 20'000, most - 1, most});
  expect_right<float>({.n = most, .kind = ScanKind::exclusive}, {0, 1, 5000, most, 2});
  expect_right<Half>({.n = most}, {0, 1, 2, 4097, most - 1});
}

TEST_P(CountedTest, MoreThanTheCapacityIsTheCapacity) {
  expect_right<std::uint32_t>({.n = 700}, {701, 0xFFFFFFFF, 12});
  expect_right<std::uint32_t>({.n = 9000}, {9001, 0x80000000, 0xFFFFFFFF, 5000});
}

TEST_P(CountedTest, EveryOptionIsRight) {
  for (const std::uint64_t n : {1U, 900U, 9000U}) {
    for (unsigned bits = 0; bits < 16; ++bits) {
      const ScanDescription d{.n = n,
                              .kind = bits & 1 ? ScanKind::exclusive : ScanKind::inclusive,
                              .reverse = (bits & 2) != 0,
                              .init = bits & 4 ? std::optional<Scalar>{7U} : std::nullopt,
                              .include_initial = (bits & 8) != 0};
      expect_right<std::uint32_t>(d, {0, 1, static_cast<std::uint32_t>(n / 2)});
      if (n == 900) continue;  // what differs then does not depend on the type
      ScanDescription halves = d;
      if (d.init) halves.init = Scalar{Half(7)};
      expect_right<Half>(halves, {0, 1, static_cast<std::uint32_t>(n / 2), 701});
    }
  }
}

// One prepared scan, whose buffers, offsets and counts change from run to run and come back: more
// buffers than it remembers.
TEST_P(CountedTest, OneServesOtherBuffersAndCountsInTurn) {
  const std::uint64_t most = capacity();
  struct Run {
    Words values;
    std::uint64_t offset;
    Buffer in;
    Buffer out;
  };
  auto prepared = value_of(prepare_scan(device(), {.n = most}, {.counted = true}));
  std::vector<Run> runs;
  for (const std::uint64_t offset : {0U, 0U, 5U, 64U, 1U, 0U, 64U, 3U, 0U, 7U}) {
    Words values = random_values<std::uint32_t>(most, Operator::add, runs.size() + 1);
    Words around(offset, 0xDEADBEEF);
    around.insert(around.end(), values.begin(), values.end());
    around.resize(around.size() + 100 * runs.size(), 0xDEADBEEF);
    runs.push_back({std::move(values), offset, uploaded<std::uint32_t>(device(), around),
                    value_of(device().allocate(around.size() * 4))});
  }
  const Buffer count = value_of(device().allocate(4));
  const Words counts{static_cast<std::uint32_t>(most),    9, 1025, 0, 5000, 1,
                     static_cast<std::uint32_t>(most - 1)};
  for (std::size_t at = 0; at < 2 * runs.size(); ++at) {
    const Run& run = runs[at % runs.size()];
    const std::uint32_t n = counts[at % counts.size()];
    Words wanted(run.out.bytes() / 4, 0xA7A7A7A7);
    value_of(device().write(run.out, 0, std::as_bytes(std::span{wanted})));
    value_of(device().write(count, 0, std::as_bytes(std::span{&n, 1})));
    value_of(prepared.run_counted(run.in, run.out, count, 0, run.offset, run.offset));
    const auto expected = expected_scan<std::uint32_t>({.n = n}, std::span{run.values}.first(n));
    std::ranges::copy(expected.values, wanted.begin() + static_cast<std::ptrdiff_t>(run.offset));
    EXPECT_TRUE(
        same<std::uint32_t>(wanted, downloaded<std::uint32_t>(device(), run.out, wanted.size())))
        << "run " << at << ", of " << n;
  }
}

TEST_P(CountedTest, InPlaceToo) {
  const ScanDescription d{.n = 9000};
  auto prepared = value_of(prepare_scan(device(), d, {.counted = true}));
  Words values = random_values<std::uint32_t>(d.n, Operator::add);
  const Buffer buffer = uploaded<std::uint32_t>(device(), values);
  const Buffer count = uploaded<std::uint32_t>(device(), Words{5000});
  value_of(prepared.run_counted(buffer, buffer, count));
  const auto expected = expected_scan<std::uint32_t>({.n = 5000}, std::span{values}.first(5000));
  std::ranges::copy(expected.values, values.begin());
  EXPECT_TRUE(same<std::uint32_t>(values, downloaded<std::uint32_t>(device(), buffer, d.n)));
}

TEST_P(CountedTest, WhatDoesNotFitIsABadArgument) {
  auto counted = value_of(prepare_scan(device(), {.n = 100}, {.counted = true}));
  auto plain = value_of(prepare_scan(device(), {.n = 100}));
  const Buffer in = value_of(device().allocate(400));
  const Buffer out = value_of(device().allocate(400));
  const Buffer count = value_of(device().allocate(4));
  const auto kind_of = [](const Result<void>& result) {
    return result ? std::string{"done"} : std::string{name(result.error().kind)};
  };
  EXPECT_EQ(kind_of(counted.run_counted(in, out, count)), "done");
  EXPECT_EQ(kind_of(counted.run_counted(in, out, count, 1)), "bad-argument");
  EXPECT_EQ(kind_of(counted.run(in, out)), "bad-argument");
  EXPECT_EQ(kind_of(plain.run_counted(in, out, count)), "bad-argument");
  value_of(device().wait());
}

CUMULO_ON_EVERY_DEVICE(CountedTest);

}  // namespace
}  // namespace cumulo::test
