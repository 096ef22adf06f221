// Integers at the ends of their range.
#include "cpu_scan.hpp"

namespace cumulo::test {
namespace {

template <class F>
void for_each_integer(F&& f) {
  f.template operator()<std::uint32_t>();
  f.template operator()<std::int32_t>();
  f.template operator()<std::uint64_t>();
  f.template operator()<std::int64_t>();
}

TEST(Wrap, TheLargestAndTheSmallestValueEverywhere) {
  for_each_integer([]<class T>() {
    using limits = std::numeric_limits<T>;
    for (const T value : {limits::max(), limits::min(), static_cast<T>(-1)}) {
      const std::vector<T> values(70'000, value);
      for (const Operator op : all_operators) {
        if (!is_defined(op, type_of<T>)) continue;
        for (const unsigned combination : {0U, 1U, 6U}) {
          ASSERT_TRUE(is_right<T>(options<T>(op, combination), std::span{values}));
        }
      }
    }
  });
}

TEST(Wrap, SumsOfOnesAreTheIndex) {
  for_each_integer([]<class T>() {
    const std::vector<T> ones(300'001, T{1});
    const Scan<T> found = run<T>({}, std::span{ones});
    ASSERT_EQ(found.values.size(), ones.size());
    for (std::size_t i = 0; i < ones.size(); ++i) ASSERT_EQ(found.values[i], static_cast<T>(i + 1));
    EXPECT_EQ(found.total, static_cast<T>(ones.size()));
  });
}

TEST(Wrap, SignedMinimumKnowsTheSign) {
  const std::vector<std::int64_t> values{5, -1, std::numeric_limits<std::int64_t>::min(), 7};
  const auto found = run<std::int64_t>({.op = Operator::min}, std::span{values});
  EXPECT_EQ(found.values, (std::vector<std::int64_t>{5, -1, values[2], values[2]}));
}

}  // namespace
}  // namespace cumulo::test
