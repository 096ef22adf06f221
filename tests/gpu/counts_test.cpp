// What a plan says a teaching form does is what its kernel does: the kernel counts its own
// combines, steps and barriers.
#include "api/plan_runner.hpp"
#include "gpu/counted.hpp"
#include "scan/check.hpp"

namespace cumulo::test {
namespace {

class CountsTest : public DeviceTest {};

TEST_P(CountsTest, KernelsDoWhatTheirPlansSay) {
  for (const Algorithm algorithm :
       {Algorithm::hillis_steele, Algorithm::blelloch, Algorithm::subgroup}) {
    if (algorithm == Algorithm::subgroup && !device().traits().subgroups) continue;
    for (const std::uint64_t n : {1U, 2U, 3U, 100U, 128U, 255U, 256U}) {
      const ScanDescription d{.n = n, .algorithm = algorithm};
      const Plan plan = value_of(plan_scan(d, device().traits(), {.count_combines = true}));
      if (!plan.counts) continue;
      const auto values = random_values<std::uint32_t>(n, Operator::add);
      const std::vector<std::uint32_t> poison(n, 0xA7A7A7A7);
      const auto contents = value_of(run_plan(device(), plan, std::as_bytes(std::span{values}),
                                              std::as_bytes(std::span{poison})));
      EXPECT_TRUE(counted_as_planned(plan, contents)) << name(algorithm) << " of " << n;
      const auto expected = expected_scan<std::uint32_t>(d, values);
      EXPECT_EQ(0, std::memcmp(expected.values.data(), contents[1].data(), n * 4));
    }
  }
}

// No kernel waits in a way that would not be counted, and one without the option counts nothing.
TEST_P(CountsTest, OnlyACountingKernelCountsAndItCountsEveryBarrier) {
  for (const Algorithm algorithm :
       {Algorithm::hillis_steele, Algorithm::blelloch, Algorithm::subgroup}) {
    if (algorithm == Algorithm::subgroup && !device().traits().subgroups) continue;
    const ScanDescription d{.n = 100, .algorithm = algorithm};
    const Plan plain = value_of(plan_scan(d, device().traits()));
    const Plan counting = value_of(plan_scan(d, device().traits(), {.count_combines = true}));
    EXPECT_EQ(plain.kernels[0].wgsl.find("count_"), std::string::npos);
    EXPECT_EQ(plain.kernels[0].wgsl.find("counters"), std::string::npos);
    for (const char* other : {"storageBarrier", "textureBarrier", "workgroupUniformLoad"}) {
      EXPECT_EQ(counting.kernels[0].wgsl.find(other), std::string::npos) << other;
    }
  }
}

CUMULO_ON_EVERY_GPU(CountsTest);

}  // namespace
}  // namespace cumulo::test
