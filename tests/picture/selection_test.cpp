// The strip of what a selection keeps tells of runs, of a capacity and of a three-way partition.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "picture/palette.hpp"
#include "picture/picture.hpp"
#include "picture/scene_check.hpp"
#include "scan/devices.hpp"

namespace cumulo::test {
namespace {

const std::vector<std::uint8_t> flags{1, 0, 0, 1, 0, 0, 0, 0};

picture::Scene blocks(const picture::Told& told) {
  static const std::vector<std::uint32_t> values{3, 1, 4}, keep{1, 0, 1};
  static const std::vector<std::uint32_t> inclusive{3, 4, 8}, exclusive{0, 3, 4}, slots{0, 1, 1};
  return value_of(
      picture::compaction_scene({values, keep, inclusive, exclusive, slots, std::optional{told}}));
}

TEST(SelectionPictureTest, BlocksClaimNoMoreThanWasChecked) {
  picture::Told told{.title = "compact: x > 2", .device = "CPU, 2 threads"};
  const picture::Scene unchecked = blocks(told);
  EXPECT_EQ(unchecked.title, told.title);
  EXPECT_TRUE(shows(unchecked, "compact: x > 2"));
  EXPECT_TRUE(shows(unchecked, "on CPU, 2 threads"));
  EXPECT_FALSE(shows(unchecked, "match") || shows(unchecked, "log2"));
  told.checked = true;
  EXPECT_TRUE(shows(blocks(told), "what is kept matches a plain loop"));
  told.wrong = "wrong: result 1 is 5, not 4";
  EXPECT_TRUE(shows(blocks(told), "wrong: result 1 is 5, not 4"));
  EXPECT_FALSE(shows(blocks(told), "match"));
}

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
