// What a trace lists: the additions and barriers that the plan counts, and steps that give the
// sums.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "cumulo/plan.hpp"

namespace cumulo::test {
namespace {

Traits with_subgroups() {
  return {.subgroups = true, .subgroup_min_size = 8, .subgroup_max_size = 8, .subgroup_width = 8};
}

Result<Plan> traced(Algorithm algorithm, std::uint64_t n) {
  return plan_scan({.n = n, .algorithm = algorithm}, with_subgroups(), {.trace = true});
}

TEST(Trace, ListsWhatThePlanCounts) {
  for (const Algorithm algorithm :
       {Algorithm::hillis_steele, Algorithm::blelloch, Algorithm::subgroup}) {
    for (const std::uint64_t n : {8, 16, 32, 64}) {
      const auto plan = traced(algorithm, n);
      ASSERT_TRUE(plan) << describe(plan.error());
      ASSERT_TRUE(plan->trace && plan->counts);
      std::uint64_t additions = 0;
      std::uint64_t barriers = 0;
      for (const TraceStep& step : plan->trace->steps) {
        additions += step.additions.size();
        barriers += step.barriers;
      }
      EXPECT_EQ(additions, plan->counts->additions) << name(algorithm) << " of " << n;
      EXPECT_EQ(barriers, plan->counts->barriers) << name(algorithm) << " of " << n;
      EXPECT_EQ(plan->buffers[plan->trace->buffer].bytes, (plan->trace->steps.size() + 1) * n * 4);
    }
  }
}

// Followed step by step, the additions of a tile make the running sums.
TEST(Trace, OfATileGivesTheSums) {
  for (const std::uint64_t n : {8, 16, 32, 64}) {
    const auto plan = traced(Algorithm::single_pass, n);
    ASSERT_TRUE(plan) << describe(plan.error());
    std::vector<std::uint64_t> values(n, 1);
    for (const TraceStep& step : plan->trace->steps) {
      const auto before = values;
      for (const auto& [from, to] : step.additions) values[to] += before[from];
    }
    std::vector<std::uint64_t> sums(n);
    std::iota(sums.begin(), sums.end(), 1);
    EXPECT_EQ(values, sums);
  }
}

TEST(Trace, IsOfFewElementsAndPlainScans) {
  for (const std::uint64_t n : {4, 12, 128}) {
    const auto plan = traced(Algorithm::blelloch, n);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().kind, ErrorKind::unsupported);
  }
  EXPECT_FALSE(traced(Algorithm::reduce_then_scan, 16));
  EXPECT_FALSE(
      plan_scan({.n = 16, .reverse = true, .algorithm = Algorithm::blelloch}, {}, {.trace = true}));
}

}  // namespace
}  // namespace cumulo::test
