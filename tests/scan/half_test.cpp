// f16: two in a word, combined and carried in f32, each result rounded once.
#include <limits>

#include "check.hpp"

namespace cumulo::test {
namespace {

constexpr Half infinity = std::numeric_limits<Half>::infinity();
constexpr Half nan = std::numeric_limits<Half>::quiet_NaN();

Half half_of(std::uint32_t bits) {
  Half value;
  value.bits = static_cast<std::uint16_t>(bits);
  return value;
}

class HalfTest : public DeviceTest {
 protected:
  std::vector<Algorithm> algorithms() {
    if (is_cpu()) return {Algorithm::blocked, Algorithm::serial};
    return {Algorithm::reduce_then_scan, Algorithm::single_pass};
  }

  // A single pass on ordinary threads may wait too long where the processor is busy.
  Result<Scanned<Half>> scanned(std::span<const Half> values, const ScanOptions& options) {
    for (int tries = 0;; ++tries) {
      auto done = scan<Half>(device(), ScanKind::inclusive, values, options);
      if (done || done.error().kind != ErrorKind::stalled || tries == 30) return done;
    }
  }

  // Between buffers, from and to any element: nothing else changes, not even in a word that the
  // results share with something else.
  testing::AssertionResult is_right_at(ScanDescription d, std::span<const Half> values,
                                       std::uint64_t in_at, std::uint64_t out_at) {
    d.n = values.size();
    d.type = Type::f16;
    auto prepared = prepare_scan(device(), d);
    if (!prepared) return testing::AssertionFailure() << describe(prepared.error());
    std::vector<Half> around(in_at + d.n + 3, nan);
    std::ranges::copy(values, around.begin() + static_cast<std::ptrdiff_t>(in_at));
    const Buffer in = uploaded<Half>(device(), around);
    std::vector<Half> wanted(out_at + result_count(d) + 3, half_of(0xA7A7));
    const Buffer out = uploaded<Half>(device(), wanted);
    value_of(prepared->run(in, out, in_at, out_at));
    std::ranges::copy(expected_scan<Half>(d, values).values,
                      wanted.begin() + static_cast<std::ptrdiff_t>(out_at));
    return same<Half>(wanted, downloaded<Half>(device(), out, wanted.size()))
           << " from " << in_at << " to " << out_at << " (" << text_of(d) << ")";
  }
};

// A sum kept in f16 stops at 2048.
TEST_P(HalfTest, OnesAreCountedByEveryAlgorithm) {
  for (const Algorithm algorithm : algorithms()) {
    for (const std::uint64_t n : {2047U, 2049U, 8191U, 65'519U, 65'520U}) {
      const auto done = value_of(scanned(std::vector<Half>(n, Half(1)), {.algorithm = algorithm}));
      for (std::uint64_t i = 0; i < n; i += 17) {
        ASSERT_EQ(done.values[i].bits, Half(i + 1).bits) << i;
      }
      EXPECT_EQ(done.values.back().bits, Half(n).bits) << n << " by " << name(algorithm);
      EXPECT_EQ(done.total.bits, Half(n).bits) << n << " by " << name(algorithm);
    }
    const auto ones = std::vector<Half>(65'520, Half(1));
    EXPECT_EQ(value_of(reduce<Half>(device(), ones)).bits, infinity.bits);
    EXPECT_EQ(value_of(reduce<Half>(device(), std::span{ones}.first(8191))).bits, Half(8192).bits);
  }
}

// From the lowest to the highest, each the largest so far.
TEST_P(HalfTest, EveryHalfComesThrough) {
  std::vector<Half> ascending;
  for (std::uint32_t bits = 0xfc00; bits >= 0x8000; --bits) ascending.push_back(half_of(bits));
  for (std::uint32_t bits = 0x0001; bits <= 0x7c00; ++bits) ascending.push_back(half_of(bits));
  for (const Algorithm algorithm : algorithms()) {
    const auto done = value_of(scanned(ascending, {.op = Operator::max, .algorithm = algorithm}));
    for (std::size_t i = 0; i < ascending.size(); ++i) {
      ASSERT_EQ(done.values[i].bits, ascending[i].bits) << i << " by " << name(algorithm);
    }
  }
  std::vector<Half> nans;
  for (std::uint32_t bits = 0x7c01; bits < 0x8000; ++bits) {
    nans.push_back(half_of(bits));
    nans.push_back(half_of(bits | 0x8000));
  }
  for (const Half found : value_of(scanned(nans, {.op = Operator::max})).values) {
    ASSERT_TRUE(std::isnan(found));
  }
}

TEST_P(HalfTest, ResultsAreRoundedToTheNearestAndToEven) {
  for (const float start : {2048.0F, -2048.0F, 32768.0F, 65504.0F - 512, -65504.0F}) {
    std::vector<Half> steps(order::strip + 70, start < 0 ? -1.0F : 1.0F);
    steps[0] = start;
    EXPECT_TRUE(host_scan_is_right<Half>(device(), {}, steps)) << start;
  }
  // Down through the subnormal halves to 0 and back, with one bit too many on the way.
  for (const float sign : {1.0F, -1.0F}) {
    for (const float first : {1.0F, 1.0009765625F, 1.5F, 1.9990234375F}) {
      std::vector<Half> factors{sign * first, Half(1.0009765625)};
      factors.resize(70, Half(0.5));
      factors.resize(140, Half(2));
      factors.resize(170, Half(4));
      EXPECT_TRUE(host_scan_is_right<Half>(device(), {.op = Operator::mul}, factors));
    }
  }
}

TEST_P(HalfTest, SumsOfSubnormalHalvesAreExact) {
  std::vector<Half> values(order::strip + 9);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = half_of(static_cast<std::uint32_t>(i * 37 % 5) | (i % 7 == 3 ? 0x8000U : 0U));
  }
  EXPECT_TRUE(host_scan_is_right<Half>(device(), {}, values));
  EXPECT_TRUE(host_scan_is_right<Half>(device(), {.kind = ScanKind::exclusive}, values));
}

TEST_P(HalfTest, AnyOffsetIsRight) {
  const auto values = random_values<Half>(2 * tile_elements() + order::row + 8, Operator::add);
  std::uint32_t way = 0;
  for (const bool reverse : {false, true}) {
    for (const int results : {0, 1, 2}) {  // inclusive, exclusive, with the initial value
      ScanDescription d{.reverse = reverse, .include_initial = results == 2};
      if (results == 1) d.kind = ScanKind::exclusive;
      for (const auto& [in_at, out_at] :
           {std::pair{1U, 0U}, {0U, 1U}, {3U, 3U}, {2U, 127U}, {129U, 64U}}) {
        for (const std::uint64_t shorter : {0U, 1U}) {
          const std::uint64_t all = ++way % 3 == 0 ? values.size() : order::row + 6;
          EXPECT_TRUE(is_right_at(d, std::span{values}.first(all - shorter), in_at, out_at));
        }
      }
    }
  }
  for (std::uint64_t n = 0; n < 10; ++n) {
    EXPECT_TRUE(is_right_at({}, std::span{values}.first(n), 5, 3)) << n;
    EXPECT_TRUE(is_right_at({.include_initial = true}, std::span{values}.first(n), 5, 3)) << n;
    EXPECT_TRUE(is_right_at({.reverse = true}, std::span{values}.first(n), 5, 2)) << n;
  }
}

TEST_P(HalfTest, OneBufferMayBeScannedInPlace) {
  const std::uint64_t n = std::min(many(), 3 * tile_elements() + order::strip + 5);
  const auto values = random_values<Half>(n, Operator::add);
  for (const bool reverse : {false, true}) {
    for (const std::uint64_t at : {0U, 1U, 66U}) {
      const ScanDescription d{.n = n, .type = Type::f16, .reverse = reverse};
      std::vector<Half> all(at + n + 3, half_of(0xA7A7));
      std::ranges::copy(values, all.begin() + static_cast<std::ptrdiff_t>(at));
      const Buffer buffer = uploaded<Half>(device(), all);
      auto prepared = value_of(prepare_scan(device(), d));
      value_of(prepared.run(buffer, buffer, at, at));
      std::ranges::copy(expected_scan<Half>(d, values).values,
                        all.begin() + static_cast<std::ptrdiff_t>(at));
      EXPECT_TRUE(same<Half>(all, downloaded<Half>(device(), buffer, all.size())))
          << "from " << at << " (" << text_of(d) << ")";
    }
  }
}

TEST_P(HalfTest, TwoRangesOfOneBufferAreNoFault) {
  constexpr std::uint64_t n = order::strip + order::row + 1;
  const auto values = random_values<Half>(n, Operator::add);
  std::vector<Half> all(4 * n, half_of(0xA7A7));
  std::ranges::copy(values, all.begin() + 1);
  const Buffer buffer = uploaded<Half>(device(), all);
  auto prepared = value_of(prepare_scan(device(), {.n = n, .type = Type::f16}));
  const auto expected = expected_scan<Half>({.n = n}, values);
  for (const std::uint64_t at : {2 * n, 2 * n + 1}) {
    value_of(prepared.run(buffer, buffer, 1, at));
    std::ranges::copy(expected.values, all.begin() + static_cast<std::ptrdiff_t>(at));
    EXPECT_TRUE(same<Half>(all, downloaded<Half>(device(), buffer, all.size()))) << at;
  }
}

TEST_P(HalfTest, OperatorsOfIntegersAreBadArguments) {
  const std::vector<Half> values(3, Half(1));
  for (const Operator op :
       {Operator::bit_and, Operator::bit_or, Operator::bit_xor, Operator::add_saturated}) {
    const auto done = scan<Half>(device(), ScanKind::inclusive, values, {.op = op});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, ErrorKind::bad_argument);
  }
  // As wide sums and initial values are of other types.
  const auto done = scan<Half>(device(), ScanKind::inclusive, values, {.init = Scalar{1.0F}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::bad_argument);
}

CUMULO_ON_EVERY_DEVICE(HalfTest);

}  // namespace
}  // namespace cumulo::test
