// All options of a scan, by the typed calls and by bytes.
#include "check.hpp"

namespace cumulo::test {
namespace {

class OptionTest : public DeviceTest {};

TEST_P(OptionTest, EveryCombinationIsRight) {
  const std::uint64_t n = std::min(many(), tile_elements() + 2 * order::strip + order::row + 3);
  for_each_type_and_operator(types(), [&]<class T>(Operator op) {
    // Two operators stand for the rest where each combination would be its own kernel.
    if (!is_cpu() && op != Operator::add && op != Operator::max) return;
    const auto values = random_values<T>(n, op);
    for (unsigned bits = 0; bits < 16; ++bits) {
      const ScanDescription d{.op = op,
                              .kind = bits & 1 ? ScanKind::exclusive : ScanKind::inclusive,
                              .reverse = (bits & 2) != 0,
                              .init = bits & 4 ? std::optional<Scalar>{T{5}} : std::nullopt,
                              .include_initial = (bits & 8) != 0};
      EXPECT_TRUE(host_scan_is_right<T>(device(), d, values));
      EXPECT_TRUE(buffer_scan_is_right<T>(device(), d, values));
    }
  });
}

TEST_P(OptionTest, HostMemoryMayBeScannedInPlace) {
  for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
    for (const bool reverse : {false, true}) {
      const ScanDescription d{.n = std::min(many(), 2 * tile_elements() + 5),
                              .type = Type::f32,
                              .kind = kind,
                              .reverse = reverse};
      auto values = random_values<float>(d.n, d.op);
      const auto expected = expected_scan<float>(d, values);
      const auto memory = std::as_writable_bytes(std::span{values});
      value_of(scan_bytes(device(), d, memory, memory));
      EXPECT_TRUE(same<float>(expected.values, values)) << text_of(d);
    }
  }
}

TEST_P(OptionTest, TypedCallsGiveValuesAndTotal) {
  const std::vector<std::uint32_t> values{3, 1, 4, 1, 5, 9, 2, 6};
  EXPECT_EQ(value_of(inclusive_scan<std::uint32_t>(device(), values)),
            (std::vector<std::uint32_t>{3, 4, 8, 9, 14, 23, 25, 31}));
  EXPECT_EQ(value_of(exclusive_scan<std::uint32_t>(device(), values)),
            (std::vector<std::uint32_t>{0, 3, 4, 8, 9, 14, 23, 25}));
  const auto scanned = value_of(scan<std::uint32_t>(device(), ScanKind::exclusive, values,
                                                    {.reverse = true, .include_initial = true}));
  EXPECT_EQ(scanned.values, (std::vector<std::uint32_t>{31, 28, 27, 23, 22, 17, 8, 6, 0}));
  EXPECT_EQ(scanned.total, 31U);
  EXPECT_FALSE(scanned.report.algorithm.empty());
  EXPECT_NE(scanned.report.algorithm, "auto") << "the report names the algorithm that ran";
}

TEST_P(OptionTest, TimedRunsReportTheirClockAndTheSameValues) {
  const auto values = random_values<std::uint32_t>(5000, Operator::add);
  const auto scanned =
      value_of(scan<std::uint32_t>(device(), ScanKind::inclusive, values, {}, {.timed_runs = 5}));
  const auto expected = expected_scan<std::uint32_t>({.n = values.size()}, values);
  EXPECT_TRUE(same<std::uint32_t>(expected.values, scanned.values));
  ASSERT_TRUE(scanned.report.timing);
  EXPECT_EQ(scanned.report.timing->runs, 5U);
  EXPECT_GT(scanned.report.timing->median_ms, 0);
  EXPECT_LT(scanned.report.timing->median_ms, 60'000);
}

TEST_P(OptionTest, TimedRunsInPlaceScanTheInputAndNotAResult) {
  const ScanDescription d{.n = 3000};
  auto values = random_values<std::uint32_t>(d.n, d.op);
  const auto expected = expected_scan<std::uint32_t>(d, values);
  const auto memory = std::as_writable_bytes(std::span{values});
  value_of(scan_bytes(device(), d, memory, memory, {.timed_runs = 3}));
  EXPECT_TRUE(same<std::uint32_t>(expected.values, values));
}

TEST_P(OptionTest, ContradictionsAreBadArguments) {
  const std::vector<float> values(8, 1.0F);
  const auto kind_of = [&](const ScanDescription& d, std::size_t in, std::size_t out) {
    std::vector<float> results(16);
    const auto report = scan_bytes(device(), d, std::as_bytes(std::span{values}.first(in)),
                                   std::as_writable_bytes(std::span{results}.first(out)));
    if (report) return std::string{"done"};
    EXPECT_FALSE(report.error().message.empty());
    return std::string{name(report.error().kind)};
  };
  const ScanDescription good{.n = 8, .type = Type::f32};
  EXPECT_EQ(kind_of(good, 8, 8), "done");
  EXPECT_EQ(kind_of(good, 7, 8), "bad-argument");
  EXPECT_EQ(kind_of(good, 8, 7), "bad-argument");
  EXPECT_EQ(kind_of(good, 8, 9), "bad-argument");
  ScanDescription d = good;
  d.op = Operator::bit_and;
  EXPECT_EQ(kind_of(d, 8, 8), "bad-argument");
  EXPECT_FALSE(prepare_scan(device(), d));
  d = good;
  d.init = Scalar{std::uint32_t{1}};
  EXPECT_EQ(kind_of(d, 8, 8), "bad-argument");
  EXPECT_FALSE(prepare_scan(device(), d));
}

CUMULO_ON_EVERY_DEVICE(OptionTest);

}  // namespace
}  // namespace cumulo::test
