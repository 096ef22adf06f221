// The picture of results.
#include "bench/plot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "picture/picture.hpp"

namespace cumulo::test {
namespace {

using Json = nlohmann::json;

Json measurement(const char* name, const char* role, std::uint64_t n, double ms, double share) {
  return {{"name", name},    {"role", role},
          {"n", n},          {"type", "u32"},
          {"op", "add"},     {"kind", role == std::string("scan") ? Json("inclusive") : Json()},
          {"median_ms", ms}, {"of_copy", share}};
}

Json report(const char* program, const char* scan) {
  Json measurements = Json::array();
  for (const std::uint64_t n : {1024U, 1U << 20, 1U << 28}) {
    measurements.push_back(measurement("copy, a", "copy", n, 1e-6 * static_cast<double>(n), 1));
    measurements.push_back(measurement("copy, b", "copy", n, 2e-6 * static_cast<double>(n), 0.5));
    measurements.push_back(measurement(scan, "scan", n, 4e-6 * static_cast<double>(n), 0.25));
  }
  return {{"schema", "cumulo-bench/2"},
          {"program", program},
          {"device", {{"name", "a <device>"}}},
          {"date", "2026-11-30"},
          {"measurements", measurements}};
}

bool has_label(const picture::Scene& scene, std::string_view text) {
  return std::ranges::any_of(scene.labels, [&](const auto& l) { return l.text == text; });
}

TEST(BenchPlotTest, OneReportOrSeveralMakeAPicture) {
  const Json set{{"schema", "cumulo-bench-set/1"},
                 {"reports", {report("cumulo", "cumulo"), report("rival", "rival scan")}}};
  const auto scene = bench::plot_scene(set.dump(), {});
  ASSERT_TRUE(scene);
  for (const char* text : {"cumulo", "rival scan", "fastest copy", "2¹⁰", "2²⁸", "100 %"}) {
    EXPECT_TRUE(has_label(*scene, text)) << text;
  }
  EXPECT_TRUE(picture::paint(*scene));
  for (const picture::Line& line : scene->lines) {
    for (const picture::Point& point : line.points) {
      EXPECT_TRUE(point.x >= 0 && point.x <= scene->width);
      EXPECT_TRUE(point.y >= 0 && point.y <= scene->height);
    }
  }
  const auto alone = bench::plot_scene(report("cumulo", "cumulo").dump(), {});
  ASSERT_TRUE(alone);
  EXPECT_FALSE(has_label(*alone, "rival scan"));
}

TEST(BenchPlotTest, WhatIsNoResultIsRefused) {
  EXPECT_FALSE(bench::plot_scene("[1]", {}));
  EXPECT_FALSE(bench::plot_scene("{", {}));
  EXPECT_FALSE(bench::plot_scene(R"({"schema": "cumulo-bench/1"})", {}));
  EXPECT_FALSE(bench::plot_scene(report("cumulo", "cumulo").dump(), {.type = Type::f32}));
}

}  // namespace
}  // namespace cumulo::test
