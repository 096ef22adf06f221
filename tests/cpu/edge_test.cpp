// Inputs that show a misplaced edge, and the special values of floats.
#include "cpu_scan.hpp"

namespace cumulo::test {
namespace {

constexpr std::size_t block = std::size_t{order::strip} << 6;

TEST(Edge, OneElementReachesAllAfterIt) {
  const std::size_t n = 2 * block + order::strip + 5;
  for (const std::size_t edge :
       {std::size_t{0}, std::size_t{order::quad}, std::size_t{64}, std::size_t{order::row},
        std::size_t{order::strip}, std::size_t{4 * order::strip}, block / 2, block, 2 * block,
        n - 1}) {
    for (const std::size_t hot : {edge, edge == 0 ? edge : edge - 1}) {
      std::vector<std::uint32_t> values(n);
      values[hot] = 1;
      const auto forward = run<std::uint32_t>({}, std::span{values});
      const auto backward = run<std::uint32_t>({.reverse = true}, std::span{values});
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(forward.values[i], i >= hot ? 1U : 0U) << "index " << i << ", one at " << hot;
        ASSERT_EQ(backward.values[i], i <= hot ? 1U : 0U) << "index " << i << ", one at " << hot;
      }
      EXPECT_EQ(forward.total, 1U);
    }
  }
}

template <Element T>
void check_special(T special, Operator op) {
  const std::size_t n = block + 2 * order::strip + 3;
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{3}, std::size_t{order::quad}, std::size_t{order::row - 1},
        std::size_t{order::strip}, block, n - 1}) {
    std::vector<T> values = random_values<T>(n, op, at);
    values[at] = special;
    for (unsigned combination = 0; combination < 4; ++combination) {
      ASSERT_TRUE(is_right<T>(options<T>(op, combination), std::span{values}));
    }
  }
}

template <Element T>
void check_all_special() {
  using limits = std::numeric_limits<T>;
  for (const Operator op : {Operator::add, Operator::mul, Operator::min, Operator::max}) {
    check_special(limits::quiet_NaN(), op);
    check_special(limits::infinity(), op);
    check_special(-limits::infinity(), op);
    check_special(limits::max(), op);
    check_special(limits::denorm_min(), op);
    check_special(-T{0}, op);
  }
}

TEST(Edge, SpecialFloats) { check_all_special<float>(); }
TEST(Edge, SpecialDoubles) { check_all_special<double>(); }

TEST(Edge, NotANumberStaysFromItsPlaceOn) {
  for (const Operator op : {Operator::add, Operator::mul, Operator::min, Operator::max}) {
    std::vector<float> values(5000, 1.0F);
    values[1234] = std::numeric_limits<float>::quiet_NaN();
    const auto found = run<float>({.op = op}, std::span{values});
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(std::isnan(found.values[i]), i >= 1234) << name(op) << ", index " << i;
    }
  }
}

TEST(Edge, NegativeZerosKeepTheirSignUntilAnIdentityJoinsThem) {
  const std::vector<float> zeros(3000, -0.0F);
  const auto inclusive = run<float>({}, std::span{zeros});
  const auto exclusive = run<float>({.kind = ScanKind::exclusive}, std::span{zeros});
  for (std::size_t i = 0; i < zeros.size(); ++i) {
    ASSERT_TRUE(std::signbit(inclusive.values[i])) << i;
    ASSERT_FALSE(std::signbit(exclusive.values[i])) << i;
  }
}

TEST(Edge, NegativeZeroIsLessThanZero) {
  for (const Operator op : {Operator::min, Operator::max}) {
    const float winner = op == Operator::min ? -0.0F : 0.0F;
    for (const std::size_t at : {0, 1, 700, 2499}) {
      std::vector<float> values(2500, -winner);
      values[at] = winner;
      const auto found = run<float>({.op = op}, std::span{values});
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(std::signbit(found.values[i]), std::signbit(i < at ? -winner : winner)) << i;
      }
    }
  }
}

TEST(Edge, NoElements) {
  for_each_type_and_operator([]<class T>(Operator op) {
    for (unsigned combination = 0; combination < option_combinations; ++combination) {
      ASSERT_TRUE(is_right<T>(options<T>(op, combination), std::span<const T>{}));
    }
  });
  EXPECT_TRUE(cpu::scan({.n = 0}, nullptr, nullptr));
}

TEST(Edge, WhatIsNotDefinedIsRefused) {
  float value = 1;
  const auto refused = [&](const ScanDescription& d, ErrorKind kind) {
    const auto result = cpu::scan(d, &value, &value);
    return !result && result.error().kind == kind && !result.error().message.empty();
  };
  EXPECT_TRUE(
      refused({.n = 1, .type = Type::f32, .op = Operator::bit_xor}, ErrorKind::bad_argument));
  EXPECT_TRUE(refused({.n = 1, .type = Type::f32, .init = Scalar{1}}, ErrorKind::bad_argument));
  for (const Algorithm algorithm :
       {Algorithm::hillis_steele, Algorithm::blelloch, Algorithm::subgroup,
        Algorithm::reduce_then_scan, Algorithm::single_pass}) {
    EXPECT_TRUE(
        refused({.n = 1, .type = Type::f32, .algorithm = algorithm}, ErrorKind::unsupported));
  }
  EXPECT_EQ(value, 1.0F);
}

}  // namespace
}  // namespace cumulo::test
