// The picture of what items' places are: blocks, offsets, the row of places, and a strip for many.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "picture/palette.hpp"
#include "picture/picture.hpp"
#include "picture/scene_check.hpp"
#include "scan/devices.hpp"

namespace cumulo::test {
namespace {

using picture::AllocationPicture;
using picture::Colour;
using picture::Scene;
namespace palette = picture::palette;

const std::vector<std::uint32_t> few{3, 0, 4, 1, 5};

testing::AssertionResult is_at(const Scene& scene, Colour colour, double x, double y) {
  const picture::Image image = value_of(picture::paint(scene));
  return has_colour(image, static_cast<std::size_t>(x), static_cast<std::size_t>(y), colour);
}

// 13 places of 32 pixels from x = 40 on, in a row round y = 279; columns 34 apart on y = 190.
TEST(AllocationPictureTest, BlocksStandOnTheirOffsetsAndPlacesFollowEachOther) {
  const Scene scene = picture::allocation_scene({.title = "allocate", .counts = few});
  EXPECT_TRUE(is_at(scene, palette::light_blue, 54, 184)) << "item 0 stands on the floor";
  EXPECT_TRUE(is_at(scene, palette::paper, 88, 184)) << "item 1 has no blocks";
  EXPECT_TRUE(is_at(scene, palette::light_blue, 122, 148)) << "item 2 stands on three blocks";
  EXPECT_TRUE(is_at(scene, palette::paper, 122, 160));
  EXPECT_TRUE(is_at(scene, palette::green, 50, 279));
  EXPECT_TRUE(is_at(scene, palette::right, 40 + 32 * 7.5, 279)) << "item 3 is of the other colour";
  EXPECT_TRUE(is_at(scene, palette::green, 40 + 32 * 12.5, 279));
  EXPECT_TRUE(is_at(scene, palette::paper, 40 + 32 * 13.5, 279)) << "there are 13 places";
  for (const char* text : {"counts  3 0 4 1 5", "output: 13 places", "#4", "13"}) {
    EXPECT_TRUE(shows(scene, text)) << text;
  }
}

TEST(AllocationPictureTest, WhatDoesNotFitIsPale) {
  AllocationPicture data{.title = "allocate", .counts = few, .capacity = 9};
  const Scene whole = picture::allocation_scene(data);
  EXPECT_TRUE(is_at(whole, palette::pale_orange, 40 + 32 * 8.5, 279)) << "item 4 does not fit";
  EXPECT_TRUE(shows(whole, "13 places asked for, 9 there"));
  data.whole_items = false;
  const Scene parts = picture::allocation_scene(data);
  EXPECT_TRUE(is_at(parts, palette::green, 40 + 32 * 8.5, 279)) << "its first place is there";
  EXPECT_TRUE(is_at(parts, palette::pale_orange, 40 + 32 * 9.5, 279));
  data.capacity = 15;
  const Scene roomy = picture::allocation_scene(data);
  EXPECT_TRUE(is_at(roomy, palette::pale_grey, 40 + 32 * 14.5, 279)) << "a place is left";
  EXPECT_TRUE(shows(roomy, "13 of 15 places filled"));
}

TEST(AllocationPictureTest, TheVerdictNamesWhatIsWrong) {
  AllocationPicture data{.title = "allocate", .counts = few, .offsets = {0, 3, 3, 7, 8, 13}};
  EXPECT_TRUE(shows(picture::allocation_scene(data), "all offsets match a plain loop"));
  data.offsets[3] = 6;
  EXPECT_TRUE(shows(picture::allocation_scene(data), "wrong: offset[3] is 6, not 7"));
  const std::vector<std::uint32_t> counts{2, 0, 1};
  AllocationPicture expanded{
      .title = "expand", .counts = counts, .items = {"a", "b", "c"}, .outputs = {"a", "a", "c"}};
  EXPECT_TRUE(shows(picture::allocation_scene(expanded), "all outputs match a plain loop"));
  expanded.outputs[2] = "b";
  EXPECT_TRUE(shows(picture::allocation_scene(expanded), "wrong: output[2] is b, not c"));
}

TEST(AllocationPictureTest, ManyItemsAreAStrip) {
  const std::vector<std::uint32_t> many(5000, 3);
  const Scene all = picture::allocation_scene({.title = "allocate", .counts = many});
  EXPECT_EQ(all.width, 960U);
  EXPECT_TRUE(is_at(all, palette::green, 900, 120));
  const Scene half =
      picture::allocation_scene({.title = "allocate", .counts = many, .capacity = 7500});
  EXPECT_TRUE(is_at(half, palette::green, 300, 120));
  EXPECT_TRUE(is_at(half, palette::pale_grey, 700, 120));
  EXPECT_TRUE(is_at(half, palette::green, 300, 210));
  EXPECT_TRUE(is_at(half, palette::pale_orange, 700, 210));
  EXPECT_TRUE(shows(half, "7500 places are there: 7500 are filled"));
  const std::vector<std::uint32_t> large{41};
  EXPECT_EQ(picture::allocation_scene({.title = "one", .counts = large}).width, 960U);
}

TEST(AllocationPictureTest, NothingIsDrawnToo) {
  for (const std::vector<std::uint32_t>& counts : {std::vector<std::uint32_t>{}, {0, 0}}) {
    for (const std::optional<std::uint64_t> capacity : {std::optional<std::uint64_t>{}, {0}, {5}}) {
      const Scene scene =
          picture::allocation_scene({.title = "allocate", .counts = counts, .capacity = capacity});
      EXPECT_TRUE(picture::paint(scene));
    }
  }
}

}  // namespace
}  // namespace cumulo::test
