// What a plan says a teaching form does is what its kernel does: the kernel counts its own
// combines.
#include "api/plan_runner.hpp"
#include "scan/check.hpp"

namespace cumulo::test {
namespace {

class CountsTest : public DeviceTest {};

TEST_P(CountsTest, KernelsCombineAsOftenAsTheirPlansSay) {
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
      const auto counters = std::find_if(plan.buffers.begin(), plan.buffers.end(),
                                         [](const auto& b) { return b.name == "counters"; });
      ASSERT_NE(counters, plan.buffers.end());
      std::uint32_t counted = 0;
      std::memcpy(&counted,
                  contents[static_cast<std::size_t>(counters - plan.buffers.begin())].data(),
                  sizeof counted);
      EXPECT_EQ(counted, plan.counts->additions) << name(algorithm) << " of " << n;
      const auto expected = expected_scan<std::uint32_t>(d, values);
      EXPECT_EQ(0, std::memcmp(expected.values.data(), contents[1].data(), n * 4));
    }
  }
}

CUMULO_ON_EVERY_GPU(CountsTest);

}  // namespace
}  // namespace cumulo::test
