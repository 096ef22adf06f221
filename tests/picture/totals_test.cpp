// Running totals over values, of any number and type.
#include <gtest/gtest.h>

#include <limits>

#include "picture/picture.hpp"
#include "scan/devices.hpp"

namespace cumulo::test {
namespace {

template <class T>
picture::Image drawn(const std::vector<T>& values) {
  Device cpu = Device::cpu();
  auto totals = value_of(scan<T>(cpu, ScanKind::inclusive, values));
  const picture::RunningTotals data{.description = {.n = values.size(), .type = type_of<T>},
                                    .values = std::as_bytes(std::span{values}),
                                    .totals = std::as_bytes(std::span{totals.values}),
                                    .total = Scalar{totals.total},
                                    .device = "CPU"};
  return value_of(picture::paint(value_of(picture::running_totals_scene(data))));
}

std::size_t pixels_unlike_paper(const picture::Image& image) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
    count += image.rgba[i] < 200 ? 1 : 0;
  }
  return count;
}

template <class T>
class RunningTotalsTest : public testing::Test {};
using AllTypes =
    testing::Types<std::uint32_t, std::int32_t, float, std::uint64_t, std::int64_t, double>;
TYPED_TEST_SUITE(RunningTotalsTest, AllTypes);

TYPED_TEST(RunningTotalsTest, AnyNumberOfValues) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{961},
                              std::size_t{100'000}}) {
    std::vector<TypeParam> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<TypeParam>(i % 7);
    EXPECT_GT(pixels_unlike_paper(drawn(values)), 50U) << n;  // at the least axes and text
  }
}

TEST(RunningTotals, NotNumbersLeaveGaps) {
  const float inf = std::numeric_limits<float>::infinity();
  drawn(std::vector<float>{1, std::numeric_limits<float>::quiet_NaN(), 2, inf, -inf, 3});
  drawn(std::vector<float>(5000, std::numeric_limits<float>::quiet_NaN()));
}

TEST(RunningTotals, OneSpikeAmongManyIsSeen) {
  std::vector<std::int32_t> values(1'000'000, 0);
  const std::size_t flat = pixels_unlike_paper(drawn(values));
  values[500'000] = 1000;
  values[500'001] = -1000;  // the totals go up and come back
  EXPECT_GT(pixels_unlike_paper(drawn(values)), flat + 20);
}

TEST(RunningTotals, NegativeValues) {
  EXPECT_GT(pixels_unlike_paper(drawn(std::vector<std::int32_t>{-5, 3, -7, 2})), 50U);
}

}  // namespace
}  // namespace cumulo::test
