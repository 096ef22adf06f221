// Floats keep the fixed order to the bit, integers wrap: every size, every option.
#include <rapidcheck.h>

#include "cpu_scan.hpp"

namespace cumulo::test {
namespace {

template <Element T>
void check_every_size(Operator op, std::size_t most, std::size_t step) {
  const std::vector<T> values = random_values<T>(most, op);
  for (std::size_t n = 0; n <= most; n += step) {
    const auto d = options<T>(op, static_cast<unsigned>(n / step % option_combinations));
    ASSERT_TRUE(is_right<T>(d, std::span{values}.first(n), {n % 16, n / 16 % 16}));
  }
}

TEST(Order, SumsOfEverySmallSize) {
  check_every_size<float>(Operator::add, 5000, 1);
  check_every_size<std::uint32_t>(Operator::add, 5000, 1);
}

TEST(Order, EveryOperatorAtManySmallSizes) {
  for_each_type_and_operator([]<class T>(Operator op) { check_every_size<T>(op, 5000, 13); });
}

TEST(Order, EveryOptionAtTheEdges) {
  for_each_type_and_operator([]<class T>(Operator op) {
    const std::vector<T> values = random_values<T>(edge_sizes().back(), op, 2);
    unsigned turn = 0;
    for (const std::size_t n : edge_sizes()) {
      // All options at small sizes; at large ones they take turns.
      const unsigned count = n <= order::strip + 1 ? option_combinations : 2;
      for (unsigned k = 0; k < count; ++k) {
        const auto d = options<T>(op, turn++ % option_combinations);
        ASSERT_TRUE(is_right<T>(d, std::span{values}.first(n)));
      }
    }
  });
}

TEST(Order, ManyBlocks) {
  for_each_type_and_operator([]<class T>(Operator op) {
    for (const std::size_t n : {std::size_t{1'000'003}, (std::size_t{1} << 20) + 1}) {
      const std::vector<T> values = random_values<T>(n, op, 3);
      for (const unsigned combination : {0U, 3U}) {
        ASSERT_TRUE(is_right<T>(options<T>(op, combination), std::span{values}));
      }
    }
  });
}

TEST(Order, AnyScanOfAnyValues) {
  const bool holds = rc::check([] {
    const auto n = *rc::gen::inRange<std::size_t>(0, 3 * order::strip);
    const auto values = *rc::gen::container<std::vector<double>>(n, rc::gen::arbitrary<double>());
    const auto op = *rc::gen::element(Operator::add, Operator::mul, Operator::min, Operator::max);
    const auto combination = *rc::gen::inRange(0U, option_combinations);
    RC_ASSERT(is_right<double>(options<double>(op, combination), std::span{values}));
    const std::vector<float> narrow(values.begin(), values.end());
    RC_ASSERT(is_right<float>(options<float>(op, combination), std::span{narrow}));
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace cumulo::test
