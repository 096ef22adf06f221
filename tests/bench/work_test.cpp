// What a benchmark says that an algorithm does.
#include "bench/work.hpp"

#include "scan/devices.hpp"

namespace cumulo::test {
namespace {

TEST(BenchWorkTest, BytesAreThoseOfTheBoundRanges) {
  constexpr std::uint64_t n = 256;
  const Plan plan = value_of(plan_scan({.n = n, .algorithm = Algorithm::hillis_steele}, Traits{}));
  const bench::Work work = bench::work_of(plan);
  EXPECT_EQ(work.bytes, 4 * n + 4 * n + 4);  // input, output, total
  EXPECT_EQ(work.steps, 8U);
}

TEST(BenchWorkTest, ReduceThenScanReadsItsInputTwice) {
  constexpr std::uint64_t n = 1 << 20;
  const Plan plan =
      value_of(plan_scan({.n = n, .algorithm = Algorithm::reduce_then_scan}, Traits{}));
  const bench::Work work = bench::work_of(plan);
  EXPECT_EQ(work.steps, 3U);
  EXPECT_EQ(work.bytes, 3 * 4 * n + 4);  // and the total
}

class WorkTest : public DeviceTest {};

TEST_P(WorkTest, KernelsCountTheirCombines) {
  for (const Algorithm algorithm : {Algorithm::hillis_steele, Algorithm::blelloch}) {
    const Plan plan = value_of(plan_scan({.n = 200, .algorithm = algorithm}, device().traits()));
    EXPECT_EQ(value_of(bench::count_additions(device(), plan)), plan.counts->additions);
  }
  constexpr std::uint64_t n = 100'000;
  const Plan plan =
      value_of(plan_scan({.n = n, .algorithm = Algorithm::reduce_then_scan}, device().traits()));
  const auto counted = value_of(bench::count_additions(device(), plan));
  ASSERT_TRUE(counted);
  EXPECT_GE(*counted, 2 * (n - 1));
  EXPECT_LE(*counted, 6 * n);
}

CUMULO_ON_EVERY_GPU(WorkTest);

}  // namespace
}  // namespace cumulo::test
