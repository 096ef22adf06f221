// What a plan is made of: its algorithm, kernels, buffers, counts and refusals.
#include <algorithm>
#include <bit>

#include "plan_check.hpp"

namespace cumulo::test {
namespace {

Plan planned(const ScanDescription& d, const Traits& traits = {}) {
  auto plan = plan_scan(d, traits);
  if (!plan) throw std::runtime_error(describe(plan.error()));
  return std::move(*plan);
}

TEST(PlanStructure, KernelsAreCompleteSources) {
  Traits traits;
  traits.subgroups = true;
  traits.subgroup_min_size = 4;
  traits.subgroup_max_size = 128;
  for (const Dialect dialect : {Dialect::naga, Dialect::tint}) {
    traits.dialect = dialect;
    for (const Algorithm algorithm : {Algorithm::reduce_then_scan, Algorithm::hillis_steele,
                                      Algorithm::blelloch, Algorithm::subgroup}) {
      for (const PlanKernel& kernel : planned({.n = 200, .algorithm = algorithm}, traits).kernels) {
        EXPECT_NE(kernel.wgsl.find("fn main("), std::string::npos) << kernel.name;
        EXPECT_EQ(kernel.wgsl.find('$'), std::string::npos) << kernel.name;
        EXPECT_EQ(kernel.wgsl.find("\n#"), std::string::npos) << kernel.name;
        // naga does not know the directive; Tint demands it for subgroup builtins.
        const bool enables = kernel.wgsl.find("enable subgroups;") != std::string::npos;
        EXPECT_EQ(enables, dialect == Dialect::tint && algorithm == Algorithm::subgroup);
      }
    }
  }
}

TEST(PlanStructure, CallersBuffersAreTheirSize) {
  const Plan plan = planned({.n = 1000, .include_initial = true});
  ASSERT_GE(plan.buffers.size(), 2U);
  EXPECT_EQ(plan.buffers[0].role, BufferRole::input);
  EXPECT_EQ(plan.buffers[0].bytes, 4000U);
  EXPECT_EQ(plan.buffers[1].role, BufferRole::output);
  EXPECT_EQ(plan.buffers[1].bytes, 4004U);
}

TEST(PlanStructure, ScratchIsSmall) {
  for (const std::uint64_t n : {1ULL << 10, 1ULL << 20, 1ULL << 25}) {
    EXPECT_LE(scratch_bytes(planned({.n = n})), n * 4 / 100 + 4096);
  }
}

TEST(PlanStructure, ManySlicesAreThreeStagesInOrder) {
  Traits traits;
  traits.limits.max_storage_binding_size = 65537;
  const Plan plan = planned({.n = 1'000'000}, traits);
  EXPECT_EQ(plan.algorithm, "reduce-then-scan");
  std::vector<std::uint32_t> kernels;
  for (const PlanStep& step : plan.steps) {
    const auto* dispatch = std::get_if<DispatchStep>(&step);
    if (dispatch && (kernels.empty() || kernels.back() != dispatch->kernel)) {
      kernels.push_back(dispatch->kernel);
    }
  }
  EXPECT_EQ(kernels.size(), 3U) << "all reductions, then the scan of totals, then all scans";
}

TEST(PlanStructure, SmallInputsNeedOneDispatch) {
  const Plan plan = planned({.n = 256});
  EXPECT_EQ(std::count_if(
                plan.steps.begin(), plan.steps.end(),
                [](const PlanStep& step) { return std::holds_alternative<DispatchStep>(step); }),
            1);
}

// The counts by the loops of the papers, run on paper: how many pairs each sweep combines.
std::uint64_t counted_hillis_steele(std::uint64_t n) {
  std::uint64_t additions = 0;
  for (std::uint64_t d = 1; d < n; d *= 2) {
    for (std::uint64_t i = d; i < n; ++i) ++additions;
  }
  return additions;
}

// Nothing is dispatched, and the name is that of the scan which one element would get.
TEST(PlanStructure, NoElementsAreScannedByWhatWouldScanOne) {
  Traits able;
  able.subgroups = true;
  able.subgroup_width = 32;
  able.limits.max_invocations_per_workgroup = able.limits.max_workgroup_size_x = 1024;
  for (const bool forward_progress : {false, true}) {
    able.forward_progress = forward_progress;
    for (const Algorithm algorithm :
         {Algorithm::automatic, Algorithm::reduce_then_scan, Algorithm::single_pass,
          Algorithm::hillis_steele, Algorithm::blelloch, Algorithm::subgroup}) {
      const auto nothing = plan_scan({.n = 0, .algorithm = algorithm}, able);
      const auto one = plan_scan({.n = 1, .algorithm = algorithm}, able);
      ASSERT_TRUE(nothing && one) << name(algorithm);
      EXPECT_EQ(nothing->algorithm, one->algorithm) << name(algorithm);
      EXPECT_EQ(nothing->n, 0U);
      EXPECT_TRUE(nothing->kernels.empty());
      EXPECT_FALSE(nothing->status || nothing->renewal || nothing->counts);
    }
  }
  EXPECT_EQ(plan_scan({.n = 0}, able)->algorithm, "single-pass");
  EXPECT_EQ(plan_scan({.n = 0}, {})->algorithm, "reduce-then-scan");
  const auto refused = plan_scan({.n = 0, .algorithm = Algorithm::subgroup}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
}

TEST(PlanCounts, HillisSteeleDoesNLogN) {
  for (const std::uint64_t n : {1ULL, 2ULL, 3ULL, 8ULL, 100ULL, 255ULL, 256ULL}) {
    const auto counts = planned({.n = n, .algorithm = Algorithm::hillis_steele}).counts;
    ASSERT_TRUE(counts);
    EXPECT_EQ(counts->additions, counted_hillis_steele(n)) << n;
    EXPECT_EQ(counts->steps, std::bit_width(n - 1)) << n;
    EXPECT_EQ(counts->barriers, 2 * counts->steps) << n;
  }
  const auto counts = planned({.n = 256, .algorithm = Algorithm::hillis_steele}).counts;
  EXPECT_EQ(counts->additions, 1793U);
  EXPECT_EQ(counts->steps, 8U);
}

TEST(PlanCounts, BlellochDoesTwoNInTwiceTheSteps) {
  for (const std::uint64_t n : {2ULL, 3ULL, 16ULL, 200ULL, 256ULL}) {
    const auto counts = planned({.n = n, .algorithm = Algorithm::blelloch}).counts;
    ASSERT_TRUE(counts);
    EXPECT_LE(counts->additions, 2 * n) << n;
    EXPECT_GE(counts->additions, n - 1) << n;
    EXPECT_EQ(counts->steps, 2 * static_cast<std::uint64_t>(std::bit_width(n - 1))) << n;
    EXPECT_GE(counts->barriers, counts->steps) << n;
  }
}

TEST(PlanCounts, SubgroupsScanTheirWidthInOneCall) {
  Traits traits;
  traits.subgroups = true;
  traits.subgroup_width = 32;
  traits.subgroup_min_size = traits.subgroup_max_size = 32;
  const auto counts = planned({.n = 256, .algorithm = Algorithm::subgroup}, traits).counts;
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->subgroup_calls, 8U);
  EXPECT_LT(counts->steps, 8U);
}

TEST(PlanRefusals, TypesThatWgslLacksAreNamed) {
  const auto plan = plan_scan({.n = 10, .type = Type::f64}, {});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, ErrorKind::unsupported);
  EXPECT_NE(plan.error().message.find("f64"), std::string::npos);
}

TEST(PlanMonoids, TheirTextAndOrderReachEveryKernel) {
  Monoid monoid = affine_monoid();
  for (const bool commutative : {false, true}) {
    monoid.commutative = commutative;
    const Plan plan = planned({.n = 100'000, .monoid = monoid}, {});
    EXPECT_EQ(plan.kernels.size(), 3U);
    for (const PlanKernel& kernel : plan.kernels) {
      EXPECT_NE(kernel.wgsl.find(monoid.wgsl), std::string::npos) << kernel.name;
    }
  }
}

// Kernels that pair lanes up must keep the older one on the left, unless it makes no difference.
TEST(PlanMonoids, OnlyWhatCommutesIsSwapped) {
  Traits traits;
  traits.subgroups = true;
  traits.subgroup_min_size = traits.subgroup_max_size = traits.subgroup_width = 32;
  traits.forward_progress = true;
  traits.limits.max_invocations_per_workgroup = traits.limits.max_workgroup_size_x = 1024;
  const auto swaps = [&](ScanDescription d) {
    d.n = 10'000;
    const Plan plan = planned(d, traits);
    EXPECT_EQ(plan.algorithm, "single-pass");
    return plan.kernels.at(0).wgsl.find("return combine(choose(even, odd, keeps_odd), got);") !=
           std::string::npos;
  };
  EXPECT_TRUE(swaps({.type = Type::f32}));
  EXPECT_TRUE(swaps({.type = Type::u64, .op = Operator::max}));
  EXPECT_FALSE(swaps({.type = Type::f32, .op = Operator::max})) << "-0 and +0 are equal";
  EXPECT_FALSE(swaps({.monoid = affine_monoid()}));
  EXPECT_TRUE(swaps({.monoid = [] {
    Monoid monoid = affine_monoid();
    monoid.commutative = true;
    return monoid;
  }()}));
}

TEST(PlanRefusals, ContradictionsAreBadArguments) {
  for (const ScanDescription& d :
       {ScanDescription{.n = 10, .type = Type::f32, .op = Operator::bit_xor},
        ScanDescription{.n = 10, .type = Type::u32, .init = Scalar{1.0F}}}) {
    const auto plan = plan_scan(d, {});
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().kind, ErrorKind::bad_argument);
    EXPECT_FALSE(validate(d));
  }
}

TEST(PlanRefusals, SubgroupsAreNotAssumed) {
  const auto plan = plan_scan({.n = 10, .algorithm = Algorithm::subgroup}, {});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, ErrorKind::unsupported);
  EXPECT_NE(plan.error().message.find("subgroup"), std::string::npos);
}

}  // namespace
}  // namespace cumulo::test
