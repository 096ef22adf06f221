// What a scene says, and the colour of a pixel of its picture.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "picture/picture.hpp"

namespace cumulo::test {

inline bool shows(const picture::Scene& scene, const std::string& text) {
  return std::ranges::any_of(
      scene.labels, [&](const auto& label) { return label.text.find(text) != std::string::npos; });
}

inline testing::AssertionResult has_colour(const picture::Image& image, std::size_t x,
                                           std::size_t y, const picture::Colour& colour) {
  const std::uint8_t* const p = &image.rgba[4 * (y * image.width + x)];
  const double wanted[] = {colour.red, colour.green, colour.blue};
  for (int c = 0; c < 3; ++c) {
    if (std::abs(p[c] - 255 * wanted[c]) > 2) {
      return testing::AssertionFailure() << "component " << c << " is " << int{p[c]};
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace cumulo::test
