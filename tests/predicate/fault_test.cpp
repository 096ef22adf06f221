// A wrong predicate is an error that names the place.
#include <gtest/gtest.h>

#include "cumulo/predicate_language.hpp"

namespace cumulo::test {
namespace {

struct Wrong {
  std::string text;
  std::size_t column;
  std::string what;
};

class PredicateFaultTest : public testing::TestWithParam<Wrong> {};

TEST_P(PredicateFaultTest, NamesThePlace) {
  const Wrong& wrong = GetParam();
  const PredicateColumn columns[] = {{"x", Type::u32}, {"price", Type::f32}, {"big", Type::u64}};
  const auto made = parse_predicate(wrong.text, columns);
  ASSERT_FALSE(made) << wrong.text;
  const Error& error = made.error();
  EXPECT_EQ(error.kind, ErrorKind::bad_argument);
  EXPECT_NE(error.message.find("column " + std::to_string(wrong.column) + ":"), std::string::npos)
      << wrong.text << ": " << error.message;
  EXPECT_NE(error.message.find(wrong.what), std::string::npos) << error.message;
  ASSERT_EQ(error.reasons.size(), 2U);
  EXPECT_EQ(error.reasons[1].back(), '^');
  if (wrong.text.size() < 60) {
    EXPECT_EQ(error.reasons[1].size(), wrong.column);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PredicateFaultTest,
    testing::Values(
        Wrong{"", 1, "no condition"}, Wrong{"   ", 4, "no condition"}, Wrong{"x >", 4, "missing"},
        Wrong{"x > 3)", 6, "closes nothing"}, Wrong{"(x > 3", 1, "not closed"},
        Wrong{"x > 3 4", 7, "operator"}, Wrong{"x = 3", 3, "=="},
        Wrong{"x > 3 && x < 5", 7, "'and'"}, Wrong{"!x", 1, "'not'"}, Wrong{"x > 3 | x", 7, "'or'"},
        Wrong{"x <> 3", 3, "!="}, Wrong{"x", 1, "a number, not a condition"},
        Wrong{"x + 1", 1, "not a condition"}, Wrong{"x and x > 1", 1, "conditions"},
        Wrong{"x > 1 and price", 11, "conditions"}, Wrong{"(x > 1) + 1 > 2", 2, "takes numbers"},
        Wrong{"prise < 3", 1, "did you mean price?"},
        Wrong{"x > 3 and `i` > 1", 11, "there is no 'i'"}, Wrong{"x > 'a'", 5, "texts"},
        Wrong{"x > `a", 5, "closing backquote"}, Wrong{"x > 3x", 6, "without a blank"},
        Wrong{"x > 1.2.3", 8, "without a blank"}, Wrong{"x > 0x", 5, "0x"},
        Wrong{"x % 0 == 1", 3, "division by zero"}, Wrong{"x / 0.0 > 1", 3, "division by zero"},
        Wrong{"price % 2 == 1", 7, "is for integers"}, Wrong{"big * big > 1", 5, "127 bits"},
        Wrong{"price < 1e39", 7, "range of f32"}, Wrong{"x > 1e999", 5, "range of f64"},
        Wrong{"x ** 2 > 1", 3, "power"},
        Wrong{"x > 170141183460469231731687303715884105728", 5, "127 bits"},
        Wrong{"x > 3 $", 7, "no sign"}, Wrong{"x > not 3", 5, "parentheses"},
        Wrong{std::string(101, '(') + "x", 102, "nested deeper"},
        Wrong{std::string(101, '-') + "x > 1", 102, "nested deeper"}));

TEST(PredicateFaultTest, ANameOfSeveralColumnsIsOne) {
  const PredicateColumn columns[] = {{"a", Type::u32}, {"b", Type::u32}, {"a", Type::u32}};
  EXPECT_TRUE(parse_predicate("b > 1", columns));
  const auto made = parse_predicate("b > 1 and a > 2", columns);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("column 11: there are several columns 'a'"),
            std::string::npos)
      << made.error().message;
  const std::string names[] = {"a", "b", "a"};
  EXPECT_FALSE(columns_read("a > 1", names));
  EXPECT_EQ(columns_read("b > i", names).value(), std::vector<std::size_t>{1});
}

TEST(PredicateFaultTest, CountsCharactersNotBytes) {
  const PredicateColumn column{"größe", Type::u32};
  const auto made = parse_predicate("größe > 1 and grösse > 2", std::span{&column, 1});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("column 15:"), std::string::npos) << made.error().message;
  EXPECT_EQ(made.error().reasons[1], std::string(14, ' ') + "^");
}

TEST(PredicateFaultTest, LongTextsAreShownInPart) {
  std::string text = "x > 1";
  for (int k = 0; k < 2500; ++k) text += " or x > 1";
  const auto made = parse_predicate(text, Type::u32);
  ASSERT_FALSE(made);
  EXPECT_LT(made.error().reasons[0].size(), 200U);
}

}  // namespace
}  // namespace cumulo::test
