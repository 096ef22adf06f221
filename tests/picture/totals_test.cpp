// Running totals over values, of any number and type.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
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
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{961}, std::size_t{100'000}}) {
    std::vector<TypeParam> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<TypeParam>(i % 7);
    EXPECT_GT(pixels_unlike_paper(drawn(values)), 50U) << n;  // at the least axes and text
  }
}

template <class T>
picture::Scene scene_of(const std::vector<T>& values, const std::vector<T>& totals,
                        ScanDescription description = {}) {
  description.n = values.size();
  description.type = type_of<T>;
  return value_of(picture::running_totals_scene({.description = description,
                                                 .values = std::as_bytes(std::span{values}),
                                                 .totals = std::as_bytes(std::span{totals})}));
}

const std::vector<double>& array_of(const picture::Scene& scene, std::string_view name) {
  return std::ranges::find(scene.arrays, name, &picture::Array::name)->values;
}

bool says(const picture::Scene& scene, std::string_view words) {
  return std::ranges::any_of(scene.labels, [&](const picture::Label& label) {
    return label.text.find(words) != std::string::npos;
  });
}

TEST(RunningTotals, NotNumbersLeaveGaps) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const picture::Scene few = scene_of<float>({1, nan, 2, inf, -inf, 3}, {1, 1, 3, 5, 5, nan});
  EXPECT_EQ(array_of(few, "values"), (std::vector<double>{1, 0, 2, 0, 0, 3}));
  EXPECT_EQ(array_of(few, "totals"), (std::vector<double>{1, 1, 3, 5, 5, 0}));
  EXPECT_TRUE(says(few, "left out: 3 of the values, 1 of the totals"));
  const std::vector<float> none(5000, nan);
  const picture::Scene many = scene_of(none, none);
  EXPECT_TRUE(says(many, "left out: 5,000 of the values, 5,000 of the totals"));
  for (const double edge : array_of(many, "totals high")) EXPECT_EQ(edge, 0);
  value_of(picture::paint(many));
}

TEST(RunningTotals, DoublesPastTheChartAreNamed) {
  const double most = std::numeric_limits<double>::max();
  const picture::Scene scene = scene_of<double>({most, -most, 1e299}, {1, 2, 5e-324});
  EXPECT_TRUE(says(scene, "past 1e+300, left out: 2 of the values, 0 of the totals"));
  value_of(picture::paint(scene));
}

// Every column has the smallest and the largest of its elements and of the next column's first.
TEST(RunningTotals, ColumnsHoldTheirExtremes) {
  const std::size_t n = 858'000;  // 1000 a column
  std::vector<std::int64_t> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = static_cast<std::int64_t>(i * 7919 % 100'003) - 50'000;
  const picture::Scene scene = scene_of(values, values);
  const auto& low = array_of(scene, "values low");
  const auto& high = array_of(scene, "values high");
  ASSERT_EQ(low.size(), 858U);
  for (std::size_t c = 0; c < low.size(); ++c) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(1000 * c);
    const auto [least, most] =
        std::minmax_element(begin, begin + (c + 1 < low.size() ? 1001 : 1000));
    ASSERT_EQ(low[c], static_cast<double>(*least)) << c;
    ASSERT_EQ(high[c], static_cast<double>(*most)) << c;
  }
}

TEST(RunningTotals, TitlesSayWhatWasScanned) {
  const picture::Scene scene = scene_of<std::int32_t>(
      {4, 5, 6}, {0, 6, 11, 15},
      {.op = Operator::max, .kind = ScanKind::exclusive, .reverse = true, .include_initial = true});
  EXPECT_TRUE(says(scene, "Reverse exclusive scan (max) of 3 i32 values"));
  EXPECT_TRUE(says(scene, "running maximum"));
  EXPECT_EQ(array_of(scene, "totals").size(), 4U);
}

class GpuTotalsTest : public DeviceTest {};
CUMULO_ON_EVERY_GPU(GpuTotalsTest);

TEST_P(GpuTotalsTest, PaintersAgree) {
  for (const std::size_t n : {std::size_t{37}, std::size_t{20'000}}) {
    std::vector<std::int32_t> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::int32_t>(i * 7919 % 201) - 90;
    const auto totals = value_of(scan<std::int32_t>(device(), ScanKind::inclusive, values)).values;
    picture::Scene scene = scene_of(values, totals);
    scene.labels.clear();
    std::vector<Buffer> buffers;
    std::vector<picture::ArrayBuffer> bound;
    for (const picture::Array& array : scene.arrays) {
      const std::vector<float> floats(array.values.begin(), array.values.end());
      buffers.push_back(value_of(device().upload(std::as_bytes(std::span{floats}))));
    }
    for (std::size_t a = 0; a < buffers.size(); ++a) {
      bound.push_back({scene.arrays[a].name, buffers[a], 0, Type::f32});
    }
    const picture::Image by_cairo = value_of(picture::paint(scene));
    const picture::Image by_gpu = value_of(picture::paint_on_gpu(device(), scene, bound));
    ASSERT_EQ(by_cairo.rgba.size(), by_gpu.rgba.size());
    int worst = 0;
    for (std::size_t i = 0; i < by_cairo.rgba.size(); ++i) {
      worst = std::max(worst, std::abs(by_cairo.rgba[i] - by_gpu.rgba[i]));
    }
    EXPECT_LE(worst, 3) << n;
  }
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
