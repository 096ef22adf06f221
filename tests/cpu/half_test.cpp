// Half: conversions both ways, rounding, text.
#include "cumulo/half.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "cumulo/type.hpp"

namespace cumulo::test {
namespace {

Half half_of(std::uint16_t bits) {
  Half value;
  value.bits = bits;
  return value;
}

TEST(HalfTest, EveryHalfComesBackFromFloat) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const Half value = half_of(static_cast<std::uint16_t>(bits));
    const float wide = value;
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(Half(wide))));
    } else {
      EXPECT_EQ(Half(wide).bits, bits);
    }
  }
  EXPECT_EQ(static_cast<float>(half_of(0x3c00)), 1.0F);
  EXPECT_EQ(static_cast<float>(half_of(0x3555)), 0.333251953125F);
  EXPECT_EQ(static_cast<float>(half_of(0x8001)), -0x1p-24F);
  EXPECT_EQ(static_cast<float>(half_of(0x7bff)), 65504.0F);
}

TEST(HalfTest, WhatLiesBetweenRoundsToTheNearerAndToEven) {
  for (std::uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const auto above = static_cast<std::uint16_t>(bits + 1);
    const double low = static_cast<float>(half_of(bits));
    const double high = static_cast<float>(half_of(above));
    const double middle = (low + high) / 2;
    ASSERT_EQ(Half(middle).bits, bits % 2 == 0 ? bits : above);
    ASSERT_EQ(Half(std::nextafter(middle, 0)).bits, bits);
    ASSERT_EQ(Half(std::nextafter(middle, high)).bits, above);
    ASSERT_EQ(Half(-middle).bits, Half(middle).bits | 0x8000);
  }
  EXPECT_EQ(Half(65519.99).bits, 0x7bff);
  EXPECT_EQ(Half(65520.0).bits, 0x7c00);
  EXPECT_EQ(Half(1e300).bits, 0x7c00);
  EXPECT_EQ(Half(1e-300).bits, 0);
  EXPECT_EQ(Half(-0.0).bits, 0x8000);
}

TEST(HalfTest, TextIsShortAndReadsBack) {
  EXPECT_EQ(to_string(Scalar{Half(0.1)}), "0.1");
  EXPECT_EQ(to_string(Scalar{Half(65504)}), "65504");
  EXPECT_EQ(to_string(Scalar{std::numeric_limits<Half>::infinity()}), "inf");
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const Half value = half_of(static_cast<std::uint16_t>(bits));
    ASSERT_EQ(Half(std::stod(to_string(Scalar{value}))).bits, bits);
  }
}

}  // namespace
}  // namespace cumulo::test
