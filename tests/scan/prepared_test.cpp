// A prepared scan: run again, resized, in place, at offsets and many at once.
#include "check.hpp"

namespace cumulo::test {
namespace {

using Words = std::vector<std::uint32_t>;

class PreparedTest : public DeviceTest {
 protected:
  std::uint64_t medium() { return std::min(many(), 2 * tile_elements() + 77); }
};

TEST_P(PreparedTest, RunsAgainWithNewInput) {
  const std::uint64_t n = medium();
  auto prepared = value_of(prepare_scan(device(), {.n = n}));
  const Buffer in = value_of(device().allocate(n * sizeof(std::uint32_t)));
  const Buffer out = value_of(device().allocate(n * sizeof(std::uint32_t)));
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Words values = random_values<std::uint32_t>(n, Operator::add, seed);
    value_of(device().write(in, 0, std::as_bytes(std::span{values})));
    value_of(prepared.run(in, out));
    const auto expected = expected_scan<std::uint32_t>({.n = n}, values);
    ASSERT_TRUE(same<std::uint32_t>(expected.values, downloaded<std::uint32_t>(device(), out, n)));
  }
}

TEST_P(PreparedTest, LargeSmallAndLargeAgainDoNotDisturbOneAnother) {
  const std::uint64_t large = medium();
  for (const std::uint64_t n :
       {large, std::uint64_t{9}, large, std::uint64_t{order::strip + 1}, large - 1}) {
    const Words values = random_values<std::uint32_t>(n, Operator::add);
    ASSERT_TRUE(buffer_scan_is_right<std::uint32_t>(device(), {}, values));
  }
}

TEST_P(PreparedTest, SeveralRunsInFlightNeedNoWaiting) {
  const std::uint64_t n = medium();
  auto prepared = value_of(prepare_scan(device(), {.n = n}));
  std::vector<Words> inputs;
  std::vector<Buffer> ins;
  std::vector<Buffer> outs;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    inputs.push_back(random_values<std::uint32_t>(n, Operator::add, seed));
    ins.push_back(uploaded<std::uint32_t>(device(), inputs.back()));
    outs.push_back(value_of(device().allocate(n * sizeof(std::uint32_t))));
  }
  for (std::size_t i = 0; i < ins.size(); ++i) value_of(prepared.run(ins[i], outs[i]));
  for (std::size_t i = 0; i < ins.size(); ++i) {
    const auto expected = expected_scan<std::uint32_t>({.n = n}, inputs[i]);
    ASSERT_TRUE(
        same<std::uint32_t>(expected.values, downloaded<std::uint32_t>(device(), outs[i], n)))
        << "run " << i;
  }
}

TEST_P(PreparedTest, ARunSeesTheResultOfTheOneBefore) {
  const std::uint64_t n = medium();
  auto first = value_of(prepare_scan(device(), {.n = n}));
  auto second = value_of(prepare_scan(device(), {.n = n, .reverse = true}));
  const Words values = random_values<std::uint32_t>(n, Operator::add);
  const Buffer a = uploaded<std::uint32_t>(device(), values);
  const Buffer b = value_of(device().allocate(n * sizeof(std::uint32_t)));
  const Buffer c = value_of(device().allocate(n * sizeof(std::uint32_t)));
  value_of(first.run(a, b));
  value_of(second.run(b, c));
  const auto once = expected_scan<std::uint32_t>({.n = n}, values);
  const auto twice = expected_scan<std::uint32_t>({.n = n, .reverse = true}, once.values);
  EXPECT_TRUE(same<std::uint32_t>(twice.values, downloaded<std::uint32_t>(device(), c, n)));
}

TEST_P(PreparedTest, OneBufferMayBeScannedInPlace) {
  for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
    for (const bool reverse : {false, true}) {
      const ScanDescription d{.n = medium(), .kind = kind, .reverse = reverse};
      const Words values = random_values<std::uint32_t>(d.n, Operator::add);
      const Words all = guarded<std::uint32_t>(values, d.n, 0xA7);
      const Buffer buffer = uploaded<std::uint32_t>(device(), all);
      auto prepared = value_of(prepare_scan(device(), d));
      value_of(prepared.run(buffer, buffer, guard_elements, guard_elements));
      const auto expected = expected_scan<std::uint32_t>(d, values);
      const Words wanted = guarded<std::uint32_t>(expected.values, d.n, 0xA7);
      EXPECT_TRUE(
          same<std::uint32_t>(wanted, downloaded<std::uint32_t>(device(), buffer, wanted.size())))
          << text_of(d);
    }
  }
}

// Offsets that no device lets one bind: the scan has to begin inside a bound range.
TEST_P(PreparedTest, AnyOffsetIsRight) {
  constexpr std::uint64_t n = order::strip + 5;
  const ScanDescription d{.n = n};
  const Words values = random_values<std::uint32_t>(n, Operator::add);
  const auto expected = expected_scan<std::uint32_t>(d, values);
  auto prepared = value_of(prepare_scan(device(), d));
  for (const auto& [in_at, out_at] : {std::pair{1U, 0U}, {0U, 3U}, {5U, 67U}, {63U, 64U}}) {
    Words in_words(in_at + n + 9, 0xDEADBEEF);
    std::copy(values.begin(), values.end(), in_words.begin() + in_at);
    Words wanted(out_at + n + 9, 0xDEADBEEF);
    const Buffer in = uploaded<std::uint32_t>(device(), in_words);
    const Buffer out = uploaded<std::uint32_t>(device(), wanted);
    value_of(prepared.run(in, out, in_at, out_at));
    std::copy(expected.values.begin(), expected.values.end(), wanted.begin() + out_at);
    EXPECT_TRUE(
        same<std::uint32_t>(wanted, downloaded<std::uint32_t>(device(), out, wanted.size())))
        << "from " << in_at << " to " << out_at;
  }
}

TEST_P(PreparedTest, TwoRangesOfOneBufferAreNoFault) {
  constexpr std::uint64_t n = order::strip + order::row;
  const Words values = random_values<std::uint32_t>(n, Operator::add);
  Words all(2 * n, 0xDEADBEEF);
  std::copy(values.begin(), values.end(), all.begin());
  const Buffer buffer = uploaded<std::uint32_t>(device(), all);
  auto prepared = value_of(prepare_scan(device(), {.n = n}));
  value_of(prepared.run(buffer, buffer, 0, n));
  const auto expected = expected_scan<std::uint32_t>({.n = n}, values);
  std::copy(expected.values.begin(), expected.values.end(), all.begin() + n);
  EXPECT_TRUE(same<std::uint32_t>(all, downloaded<std::uint32_t>(device(), buffer, 2 * n)));
}

TEST_P(PreparedTest, BuffersTooSmallAndOverlapsAreBadArguments) {
  auto prepared = value_of(prepare_scan(device(), {.n = 100}));
  const Buffer large = value_of(device().allocate(400));
  const Buffer small = value_of(device().allocate(396));
  const auto kind_of = [](const Result<void>& result) {
    return result ? std::string{"done"} : std::string{name(result.error().kind)};
  };
  const Buffer other = value_of(device().allocate(400));
  EXPECT_EQ(kind_of(prepared.run(large, other)), "done");
  EXPECT_EQ(kind_of(prepared.run(small, large)), "bad-argument");
  EXPECT_EQ(kind_of(prepared.run(large, small)), "bad-argument");
  EXPECT_EQ(kind_of(prepared.run(large, other, 1, 0)), "bad-argument");
  EXPECT_EQ(kind_of(prepared.run(large, other, 0, ~std::uint64_t{0})), "bad-argument");
  const Buffer wide = value_of(device().allocate(1024));
  EXPECT_EQ(kind_of(prepared.run(wide, wide, 0, 50)), "bad-argument");
  value_of(device().wait());
}

TEST_P(PreparedTest, CanBeMoved) {
  const Words values = random_values<std::uint32_t>(300, Operator::add);
  auto first = value_of(prepare_scan(device(), {.n = 300}));
  PreparedScan moved = std::move(first);
  EXPECT_EQ(moved.description().n, 300U);
  EXPECT_EQ(moved.plan() == nullptr, is_cpu());
  const Buffer in = uploaded<std::uint32_t>(device(), values);
  const Buffer out = value_of(device().allocate(1200));
  value_of(moved.run(in, out));
  const auto expected = expected_scan<std::uint32_t>({.n = 300}, values);
  EXPECT_TRUE(same<std::uint32_t>(expected.values, downloaded<std::uint32_t>(device(), out, 300)));
}

CUMULO_ON_EVERY_DEVICE(PreparedTest);

}  // namespace
}  // namespace cumulo::test
