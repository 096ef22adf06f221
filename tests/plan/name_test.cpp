// Names read back as what they name, and values print as the shortest text that does.
#include <gtest/gtest.h>

#include <charconv>
#include <limits>

#include "cumulo/cumulo.hpp"

namespace cumulo::test {
namespace {

TEST(Names, TypesAndOperatorsReadBack) {
  for (const Type type : all_types) EXPECT_EQ(parse_type(name(type)), type);
  for (const Operator op : all_operators) EXPECT_EQ(parse_operator(name(op)), op);
  EXPECT_FALSE(parse_type("u8"));
  EXPECT_FALSE(parse_type(""));
  EXPECT_FALSE(parse_operator("plus"));
}

TEST(Names, AlgorithmsReadBack) {
  for (const Algorithm algorithm :
       {Algorithm::automatic, Algorithm::serial, Algorithm::hillis_steele, Algorithm::blelloch,
        Algorithm::subgroup, Algorithm::reduce_then_scan, Algorithm::single_pass,
        Algorithm::blocked}) {
    EXPECT_EQ(parse_algorithm(name(algorithm)), algorithm) << name(algorithm);
  }
  for (const SelectionAlgorithm algorithm :
       {SelectionAlgorithm::automatic, SelectionAlgorithm::mask_then_scatter,
        SelectionAlgorithm::single_pass, SelectionAlgorithm::blocked}) {
    EXPECT_EQ(parse_selection_algorithm(name(algorithm)), algorithm) << name(algorithm);
  }
  EXPECT_EQ(parse_algorithm("auto"), Algorithm::automatic);
  EXPECT_FALSE(parse_algorithm("quick"));
}

template <class T>
void expect_read_back(T value) {
  const std::string text = to_string(Scalar{value});
  T back{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), back);
  EXPECT_EQ(fault, std::errc{}) << text;
  EXPECT_EQ(end, text.data() + text.size()) << text;
  EXPECT_EQ(back, value) << text;
}

TEST(Names, ValuesReadBack) {
  for (const float value : {0.1F, 1e-38F, 16777217.0F, -2.5F, std::numeric_limits<float>::max()}) {
    expect_read_back(value);
  }
  expect_read_back(0.1);
  expect_read_back(std::numeric_limits<std::uint64_t>::max());
  expect_read_back(std::numeric_limits<std::int64_t>::min());
  expect_read_back(std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(to_string(Scalar{0.1F}), "0.1");
  EXPECT_EQ(to_string(Scalar{std::numeric_limits<float>::infinity()}), "inf");
  EXPECT_EQ(to_string(Scalar{-std::numeric_limits<float>::quiet_NaN()}), "nan");
}

TEST(Names, AnErrorIsDescribedWithItsReasons) {
  const Error error{ErrorKind::no_device, "no GPU", {"one: too old", "two: too small"}};
  const std::string text = describe(error);
  for (const char* part : {"no GPU", "one: too old", "two: too small"}) {
    EXPECT_NE(text.find(part), std::string::npos);
  }
}

TEST(Names, IdentitiesChangeNothing) {
  for (const Operator op : all_operators) {
    for (const std::uint32_t value : {0U, 1U, 77U, ~0U}) {
      EXPECT_EQ(combine(op, identity<std::uint32_t>(op), value), value);
      EXPECT_EQ(combine(op, value, identity<std::uint32_t>(op)), value);
    }
    for (const std::int32_t value : {0, -1, 77, std::numeric_limits<std::int32_t>::min()}) {
      EXPECT_EQ(combine(op, identity<std::int32_t>(op), value), value);
    }
  }
}

}  // namespace
}  // namespace cumulo::test
