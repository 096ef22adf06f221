// Inputs that show a wrong edge, a lost carry or a careless treatment of special values.
#include <limits>

#include "check.hpp"

namespace cumulo::test {
namespace {

class InputTest : public DeviceTest {};

TEST_P(InputTest, OneElementReachesAllAfterIt) {
  const std::uint64_t tile = tile_elements();
  const std::uint64_t n = std::min(many(), 2 * tile + order::strip + 5);
  std::vector<std::uint32_t> values(n, 0);
  for (const std::uint64_t edge :
       {std::uint64_t{0}, std::uint64_t{order::quad}, std::uint64_t{order::row},
        std::uint64_t{order::strip}, tile, 2 * tile, n}) {
    for (const std::uint64_t at : {edge - 1, edge}) {
      if (at >= n) continue;
      values[at] = 0x80000001;
      ASSERT_TRUE(buffer_scan_is_right<std::uint32_t>(device(), {}, values)) << "one at " << at;
      values[at] = 0;
    }
  }
}

TEST_P(InputTest, LargestValuesWrapAround) {
  for_each_type_and_operator(types(), [&]<class T>(Operator op) {
    if constexpr (std::is_integral_v<T>) {
      for (const T value : {std::numeric_limits<T>::max(), std::numeric_limits<T>::min()}) {
        const std::vector<T> values(2 * order::strip + 3, value);
        EXPECT_TRUE(host_scan_is_right<T>(device(), {.op = op}, values));
      }
    }
  });
}

TEST_P(InputTest, CarriesAndProductsCrossTheWords) {
  const auto check = [&]<class T>(Operator op, std::vector<T> pattern) {
    std::vector<T> values(order::strip + order::row + 7);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = pattern[i % pattern.size()];
    EXPECT_TRUE(host_scan_is_right<T>(device(), {.op = op}, values));
  };
  using U = std::uint64_t;
  using I = std::int64_t;
  check.operator()<U>(Operator::add, {0xFFFF'FFFF, 1, 0xFFFF'FFFF'FFFF'FFFF, 2, 0x8000'0000});
  check.operator()<I>(Operator::add, {-1, 0x1'0000'0000, -0x1'0000'0001, 0x7FFF'FFFF'FFFF'FFFF});
  check.operator()<U>(Operator::mul, {0xFFFF'FFFF, 0xFFFF'FFFF'FFFF'FFFF, 0x1'0000'0001, 0xFFFF});
  check.operator()<I>(Operator::mul, {-1, 0x1'0000'FFFF, -0xFFFF'0001, 3});
  // Decided by the upper word, by the lower one, and by the sign.
  check.operator()<U>(Operator::min, {0x9'0000'0000, 0x8'FFFF'FFFF, 0x8'FFFF'FFFE, 0x8'FFFF'FFFF});
  check.operator()<U>(Operator::max, {0, 0xFFFF'FFFF, 0x1'0000'0000, 0x8000'0000'0000'0000, 1});
  check.operator()<I>(Operator::min, {5, 0xFFFF'FFFF, -1, -0x1'0000'0000, -0xFFFF'FFFF});
  check.operator()<I>(Operator::max, {-0x1'0000'0000, -1, 0, 0x7FFF'FFFF, 0xFFFF'FFFF});
}

// Floats that are special, at both sides of a quad, row and strip.
template <Element T>
std::vector<std::uint64_t> places() {
  return {0,
          1,
          order::quad - 1,
          order::quad,
          order::row - 1,
          order::row,
          order::strip - 1,
          order::strip,
          order::strip + order::row + 2};
}

template <Element T>
void check_special(Device& device, Operator op, T special, T ordinary) {
  const std::uint64_t n = 2 * order::strip + 9;
  for (const std::uint64_t place : places<T>()) {
    std::vector<T> values(n, ordinary);
    values[place] = special;
    for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
      ASSERT_TRUE(host_scan_is_right<T>(device, {.op = op, .kind = kind}, values))
          << to_string(special) << " at " << place;
    }
  }
}

TEST_P(InputTest, NotANumberStaysFromItsPlaceOn) {
  for_each_type_and_operator(types(), [&]<class T>(Operator op) {
    if constexpr (!std::is_integral_v<T>) {
      check_special<T>(device(), op, std::numeric_limits<T>::quiet_NaN(), T{1});
    }
  });
}

TEST_P(InputTest, InfinitiesAreKept) {
  for_each_type_and_operator(types(), [&]<class T>(Operator op) {
    if constexpr (!std::is_integral_v<T>) {
      constexpr T infinity = std::numeric_limits<T>::infinity();
      check_special<T>(device(), op, infinity, T{-1});
      check_special<T>(device(), op, -infinity, T{1});
    }
  });
}

TEST_P(InputTest, OppositeInfinitiesGiveNotANumber) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values(order::strip + 70, 1.0F);
  values[order::row] = infinity;
  values[order::strip + 1] = -infinity;
  EXPECT_TRUE(host_scan_is_right<float>(device(), {}, values));
}

TEST_P(InputTest, NegativeZerosKeepTheirSign) {
  for_each_type_and_operator(types(), [&]<class T>(Operator op) {
    if constexpr (!std::is_integral_v<T>) {
      const std::vector<T> zeros(order::strip + order::row + 6, -T{0});
      EXPECT_TRUE(host_scan_is_right<T>(device(), {.op = op}, zeros));
      const ScanDescription from_zero{.op = op, .init = Scalar{static_cast<T>(-T{0})}};
      EXPECT_TRUE(host_scan_is_right<T>(device(), from_zero, zeros));
      EXPECT_TRUE(host_scan_is_right<T>(device(), {.op = op, .kind = ScanKind::exclusive}, zeros));
    }
  });
}

TEST_P(InputTest, TheSameInputGivesTheSameBits) {
  const auto values =
      random_values<float>(std::min(many(), 4 * tile_elements() + 11), Operator::add);
  const auto first = value_of(inclusive_scan<float>(device(), values));
  for (int run = 0; run < 3; ++run) {
    const auto again = value_of(inclusive_scan<float>(device(), values));
    ASSERT_TRUE(same<float>(first, again));
  }
}

CUMULO_ON_EVERY_DEVICE(InputTest);

}  // namespace
}  // namespace cumulo::test
