// Half: conversions both ways, rounding, text; and the vector code for them.
#include "cumulo/half.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "cpu/halves.hpp"
#include "cumulo/type.hpp"
#include "every_target.hpp"

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

// Floats round which rounding changes, special ones, and any others.
std::vector<float> floats_to_round() {
  std::vector<float> floats;
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const float low = half_of(static_cast<std::uint16_t>(bits));
    const float high =
        bits == 0x7bff ? 65536.0F : float{half_of(static_cast<std::uint16_t>(bits + 1))};
    const float middle = (low + high) / 2;
    for (const float x : {low, middle, std::nextafter(middle, low), std::nextafter(middle, high)}) {
      floats.push_back(x);
      floats.push_back(-x);
    }
  }
  std::mt19937 random(5);
  for (int i = 0; i < 500'001; ++i)
    floats.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  return floats;
}

TEST(HalfTest, VectorCodeOfEveryTargetRoundsAlike) {
  const std::vector<float> floats = floats_to_round();
  std::vector<Half> halves(65536);
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    halves[bits] = half_of(static_cast<std::uint16_t>(bits));
  }
  on_every_target([&](const char* target) {
    SCOPED_TRACE(target);
    std::vector<Half> narrowed(floats.size());
    cpu::narrow(floats.data(), floats.size(), narrowed.data());
    for (std::size_t i = 0; i < floats.size(); ++i) {
      if (std::isnan(floats[i])) {
        ASSERT_TRUE(std::isnan(static_cast<float>(narrowed[i]))) << i;
      } else {
        ASSERT_EQ(narrowed[i].bits, Half(floats[i]).bits) << floats[i];
      }
    }
    std::vector<float> widened(halves.size());
    cpu::widen(halves.data(), halves.size(), widened.data());
    for (std::size_t i = 0; i < halves.size(); ++i) {
      const float wanted = halves[i];
      if (std::isnan(wanted)) {
        ASSERT_TRUE(std::isnan(widened[i])) << i;
      } else {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(widened[i]), std::bit_cast<std::uint32_t>(wanted));
      }
    }
  });
}

}  // namespace
}  // namespace cumulo::test
