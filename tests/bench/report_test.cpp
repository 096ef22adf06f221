// What a report makes of its measurements.
#include "bench/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cumulo::test {
namespace {

using bench::Measurement;
using bench::Report;
using bench::Role;

Measurement timed(std::string name, Role role, double ms, std::uint64_t n = 1024) {
  Measurement m{.name = std::move(name), .role = role, .n = n};
  m.bytes = role == Role::empty ? 0 : 8 * n;
  if (role == Role::scan) m.kind = ScanKind::inclusive;
  bench::set_times(m, {ms});
  return m;
}

Report report_of(std::vector<Measurement> measurements) {
  Report report = bench::make_report(Device::cpu(), 1);
  report.measurements = std::move(measurements);
  return report;
}

TEST(BenchReportTest, TimesAreAMedianAndALeast) {
  Measurement m{.name = "x", .n = 1, .bytes = 8};
  bench::set_times(m, {3, 1, 2});
  EXPECT_EQ(m.median_ms, 2);
  EXPECT_EQ(m.least_ms, 1);
  bench::set_times(m, {});
  EXPECT_TRUE(m.failure);
}

TEST(BenchReportTest, SharesAreOfTheFastestRightCopyOfTheSameGroup) {
  Report report = report_of({timed("empty", Role::empty, 0.5), timed("slow", Role::copy, 4),
                             timed("quick", Role::copy, 2), timed("wrong", Role::copy, 1),
                             timed("ours", Role::scan, 8), timed("alone", Role::scan, 8, 2048)});
  report.measurements[3].failure = "its result is wrong";
  EXPECT_EQ(bench::of_copy(report, report.measurements[4]), 0.25);
  EXPECT_EQ(bench::above_empty_us(report, report.measurements[4]), 7500);
  EXPECT_FALSE(bench::of_copy(report, report.measurements[5]));
  EXPECT_FALSE(bench::of_copy(report, report.measurements[0]));
  EXPECT_FALSE(report.ok());

  const auto json = nlohmann::json::parse(bench::to_json(report));
  EXPECT_EQ(json["measurements"][4]["of_copy"], 0.25);
  EXPECT_TRUE(json["measurements"][5]["of_copy"].is_null());
  EXPECT_TRUE(json["measurements"][5]["above_empty_us"].is_null());
  EXPECT_EQ(json["measurements"][3]["failure"], "its result is wrong");
  EXPECT_FALSE(json["measurements"][3].contains("median_ms"));
}

TEST(BenchReportTest, ImpossibleTimesAreNoNumbers) {
  constexpr std::uint64_t large = std::uint64_t{1} << 28;
  EXPECT_TRUE(timed("too quick", Role::scan, 0.01, large).failure);
  Report report =
      report_of({timed("copy", Role::copy, 0.5, large), timed("right", Role::scan, 0.49, large),
                 timed("idle", Role::scan, 0.4, large)});
  bench::refuse_faster_than_copy(report);
  EXPECT_FALSE(report.measurements[1].failure);
  EXPECT_TRUE(report.measurements[2].failure);
}

TEST(BenchReportTest, WhatADeviceRefusesIsNoFault) {
  Measurement refused{.name = "cumulo", .n = 1024, .failure = "too large", .refused = true};
  const Report report = report_of({refused, timed("ours", Role::scan, 1)});
  EXPECT_TRUE(report.ok());
  EXPECT_NE(bench::to_text(report).find("refused: too large"), std::string::npos);
}

}  // namespace
}  // namespace cumulo::test
