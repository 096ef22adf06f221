// The strip of what a selection keeps tells of runs, of a capacity and of a three-way partition.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "picture/palette.hpp"
#include "picture/picture.hpp"
#include "picture/scene_check.hpp"

namespace cumulo::test {
namespace {

const std::vector<std::uint8_t> flags{1, 0, 0, 1, 0, 0, 0, 0};

TEST(SelectionPictureTest, TellsWhatIsSelected) {
  EXPECT_TRUE(shows(picture::selection_scene({.title = "compact", .keep = flags}),
                    "2 of 8 are kept; each box"));
  EXPECT_TRUE(
      shows(picture::selection_scene({.title = "runs", .keep = flags, .selected = "begin a run"}),
            "2 of 8 begin a run; each box"));
}

TEST(SelectionPictureTest, TellsWhatHadNoRoom) {
  EXPECT_TRUE(shows(picture::selection_scene({.title = "compact", .keep = flags, .left_out = 3}),
                    "2 of 8 are kept, 3 more had no room"));
}

TEST(SelectionPictureTest, ThreeKindsFollowEachOther) {
  const picture::Scene scene = picture::selection_scene(
      {.title = "partition", .keep = flags, .rest_follows = true, .second = 4});
  EXPECT_TRUE(shows(scene, "the first kind, the second, the rest"));
  const picture::Image image = picture::paint(scene).value();
  // In the lowest row a quarter is green, half is blue, and a quarter is the rest.
  const auto colours = [&](const picture::Colour& wanted) {
    std::size_t pixels = 0;
    const std::size_t y = image.height - 40;
    for (std::size_t x = 0; x < image.width; ++x) {
      pixels += has_colour(image, x, y, wanted) ? 1 : 0;
    }
    return pixels;
  };
  const std::size_t green = colours(picture::palette::green);
  EXPECT_GT(green, 0U);
  EXPECT_NEAR(static_cast<double>(colours(picture::palette::light_blue)),
              2 * static_cast<double>(green), 4);
}

}  // namespace
}  // namespace cumulo::test
