// What the language says, case by case, as docs/predicates.md has it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "scan/devices.hpp"

namespace cumulo::test {
namespace {

template <Element T>
bool holds(const std::string& text, T x, std::uint64_t index = 0) {
  const Predicate predicate = value_of(parse_predicate(text, type_of<T>));
  const std::byte* const column = reinterpret_cast<const std::byte*>(&x);
  std::uint8_t keep = 9;
  predicate.function(&column, index, 1, &keep);
  EXPECT_LE(keep, 1);
  return keep == 1;
}

TEST(PredicateTest, ComparesIntegersExactly) {
  EXPECT_TRUE(holds("x > -1", std::uint32_t{0}));
  EXPECT_TRUE(holds("x > -1", std::uint64_t{1} << 63));
  EXPECT_TRUE(holds("x - 5 < 0", std::uint32_t{3}));
  EXPECT_TRUE(holds("x + 1 > x", std::numeric_limits<std::uint32_t>::max()));
  EXPECT_TRUE(holds("x + 1 > x", std::numeric_limits<std::uint64_t>::max()));
  EXPECT_TRUE(holds("x * x > 0", std::numeric_limits<std::int64_t>::min()));
  EXPECT_TRUE(holds("-x > 0", std::numeric_limits<std::int32_t>::min()));
  EXPECT_TRUE(holds("x < 18446744073709551616", std::numeric_limits<std::uint64_t>::max()));
  EXPECT_FALSE(holds("x == 4294967296", std::uint32_t{0}));
  EXPECT_TRUE(holds("x == 0xff", std::int32_t{255}));
}

TEST(PredicateTest, DividesLikePython) {
  EXPECT_TRUE(holds("x / 2 == 3.5", std::uint32_t{7}));
  EXPECT_TRUE(holds("x // 2 == 3", std::uint32_t{7}));
  EXPECT_TRUE(holds("x // 2 == -4", std::int32_t{-7}));
  EXPECT_TRUE(holds("x % 3 == 2", std::int32_t{-7}));
  EXPECT_TRUE(holds("x % -3 == -1", std::int32_t{-7}));
  EXPECT_TRUE(holds("x // -1 > 0", std::numeric_limits<std::int32_t>::min()));
  EXPECT_TRUE(holds("x % -1 == 0", std::numeric_limits<std::int64_t>::min()));
}

TEST(PredicateTest, ComparesWithoutValueAsWithNan) {
  for (const char* const no : {"10 % x < 3", "10 % x >= 3", "10 // x == 0", "(1 % x) * 0 == 0",
                               "1.0 * (1 // x) == 0", "10 % x < 1e300"}) {
    EXPECT_FALSE(holds(no, std::int32_t{0})) << no;
  }
  EXPECT_TRUE(holds("10 % x != 3", std::int32_t{0}));
  EXPECT_TRUE(holds("not 10 % x < 3", std::int32_t{0}));
  EXPECT_TRUE(holds("10 % x < 1e300", std::int32_t{3}));
  EXPECT_TRUE(holds("10 / x > 3e38", 0.0F));
  EXPECT_TRUE(holds("x != x", std::nanf("")));
  EXPECT_FALSE(holds("x == x", std::nanf("")));
  EXPECT_FALSE(holds("x > 16777217 or x <= 16777217", std::nanf("")));
}

TEST(PredicateTest, TakesLiteralsAsTheColumnHasThem) {
  EXPECT_TRUE(holds("x == 0.1", 0.1F));
  EXPECT_TRUE(holds("x == 0.1", 0.1));
  EXPECT_FALSE(holds("x == 16777217", 16777216.0F));
  EXPECT_TRUE(holds("x < 16777217", 16777216.0F));
  EXPECT_TRUE(holds("x > 2.5", std::uint32_t{3}));
  EXPECT_FALSE(holds("x > 2.5", std::uint32_t{2}));
  EXPECT_FALSE(holds("x == 2.5", std::uint32_t{2}));
  EXPECT_TRUE(holds("x < 1e300", std::numeric_limits<std::uint64_t>::max()));
  EXPECT_TRUE(holds("x * 0.1 == 0.30000000000000004", std::uint32_t{3}));
  EXPECT_TRUE(holds("x > 0", 1e-45F));
}

TEST(PredicateTest, KnowsPrecedence) {
  EXPECT_TRUE(holds("x + 2 * 3 == 10", std::uint32_t{4}));
  EXPECT_TRUE(holds("x - 2 - 1 == 1", std::uint32_t{4}));
  EXPECT_TRUE(holds("not x == 1 and x == 4", std::uint32_t{4}));
  EXPECT_TRUE(holds("x == 4 or x == 5 and x == 6", std::uint32_t{4}));
  EXPECT_TRUE(holds("-x % 3 == 2", std::uint32_t{4}));
  EXPECT_TRUE(holds("1 < x <= 4 < 5", std::uint32_t{4}));
  EXPECT_FALSE(holds("1 < x < 4", std::uint32_t{4}));
  EXPECT_TRUE(holds("((x)) == +4", std::uint32_t{4}));
}

TEST(PredicateTest, KnowsTheIndex) {
  EXPECT_TRUE(holds("i % 2 == 1", 0.0F, 7));
  EXPECT_TRUE(holds("i == 4294967296", 0.0F, std::uint64_t{1} << 32));
  EXPECT_TRUE(holds("i + 1 > 4294967296", 0.0F, std::uint64_t{1} << 32));
  EXPECT_TRUE(holds("3 > 2", 0.0F));
}

TEST(PredicateTest, FindsTheColumnsOfATable) {
  const std::vector<std::string> names{"id", "unit price", "stock", "größe", "a`b"};
  using Indices = std::vector<std::size_t>;
  EXPECT_EQ(value_of(columns_read("stock > 0 and `unit price` < 25", names)), (Indices{1, 2}));
  EXPECT_EQ(value_of(columns_read("größe > 1 or `a``b` == i", names)), (Indices{3, 4}));
}

TEST(PredicateTest, TakesLongAndDeepTexts) {
  std::string sum = "x";
  for (int k = 0; k < 900; ++k) sum += " + 1";
  EXPECT_TRUE(holds(sum + " == 904", std::uint32_t{4}));
  const std::string deep(99, '(');
  EXPECT_TRUE(holds(deep + "x" + std::string(99, ')') + " == 4", std::uint32_t{4}));
}

}  // namespace
}  // namespace cumulo::test
