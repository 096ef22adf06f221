// Where input and output lie: any alignment, in place, and results too large for the caches, which
// take another way to memory.
#include "cpu_scan.hpp"

namespace cumulo::test {
namespace {

TEST(Memory, EveryAlignmentOfSmallResults) {
  const auto values = random_values<float>(3 * order::strip + 5, Operator::add);
  for (std::size_t in = 0; in < 16; ++in) {
    for (std::size_t out = 0; out < 16; ++out) {
      ASSERT_TRUE(is_right<float>({}, std::span{values}, {in, out})) << in << ", " << out;
    }
  }
}

TEST(Memory, EveryAlignmentOfLargeResults) {
  const auto values = random_values<std::uint32_t>(large<std::uint32_t>, Operator::add);
  const auto expected = expect<std::uint32_t>({}, std::span{values});
  for (std::size_t out = 0; out < 16; ++out) {
    const auto found = run<std::uint32_t>({}, std::span{values}, {(5 * out) % 16, out});
    ASSERT_TRUE(same(expected, found, {}, values.size())) << "output shifted by " << out;
  }
}

TEST(Memory, LargeResultsOfEveryType) {
  for (const Type type : all_types) {
    with_type(type, []<class T>() {
      const auto values = random_values<T>(large<T>, Operator::add);
      for (const unsigned combination : {0U, 1U, 2U, 8U, 10U}) {
        const auto d = options<T>(Operator::add, combination);
        const auto expected = expect<T>(d, std::span{values});
        // Whole cache lines go to memory in another way than parts of them.
        for (const std::size_t out : {0U, 3U}) {
          const auto found = run<T>(d, std::span{values}, {1, out});
          ASSERT_TRUE(same(expected, found, d, values.size())) << "output shifted by " << out;
        }
      }
    });
  }
}

TEST(Memory, LargeResultsEndAnywhereInALine) {
  const auto values = random_values<std::uint32_t>(large<std::uint32_t> + 40, Operator::add);
  for (std::size_t tail = 0; tail < 40; tail += 3) {
    const auto part = std::span{values}.first(large<std::uint32_t> + tail);
    ASSERT_TRUE(is_right<std::uint32_t>({}, part, {0, tail % 16}));
  }
}

TEST(Memory, InPlace) {
  for_each_type_and_operator([]<class T>(Operator op) {
    const std::size_t n = 2 * (std::size_t{order::strip} << 6) + 3 * order::strip + 9;
    const auto values = random_values<T>(n, op);
    for (unsigned combination = 0; combination < option_combinations; ++combination) {
      const auto d = options<T>(op, combination);
      const auto expected = run<T>(d, std::span{values});
      ASSERT_TRUE(same(expected, run_in_place<T>(d, std::span{values}, combination), d, n));
    }
  });
}

TEST(Memory, InPlaceOfLargeArrays) {
  const auto values = random_values<double>(large<double>, Operator::add);
  for (unsigned combination = 0; combination < option_combinations; ++combination) {
    // An initial value changes no access to memory.
    if (thread_sanitizer && options<double>(Operator::add, combination).init) continue;
    const auto d = options<double>(Operator::add, combination);
    const auto expected = run<double>(d, std::span{values});
    ASSERT_TRUE(same(expected, run_in_place<double>(d, std::span{values}), d, values.size()));
  }
}

}  // namespace
}  // namespace cumulo::test
