// Plans of allocations, expansions and indirect arguments, by value.
#include <nlohmann/json.hpp>
#include <string>

#include "plan_check.hpp"

namespace cumulo::test {
namespace {

const std::vector<IndirectForm> forms{{IndirectCall::dispatch, 64}, {IndirectCall::instances, 6}};

TEST(ExpandPlan, KeepsTheLimitsOfEveryDeviceOrNamesOne) {
  std::size_t planned = 0;
  for (const NamedTraits& device : synthetic_devices()) {
    for (const std::uint64_t n : {0U, 1U, 5000U, 40'000U}) {
      for (const std::uint64_t capacity : {0U, 1U, 7000U, 100'000U}) {
        for (const std::uint32_t bytes : {0U, 4U, 12U, 64U}) {
          for (const bool from_offsets : {false, true}) {
            const auto plan = plan_expand({.n = n,
                                           .element_bytes = bytes,
                                           .capacity = capacity,
                                           .from_offsets = from_offsets,
                                           .arguments = forms},
                                          device.traits, {.misalignments = {0, 0, 0}});
            if (plan) {
              ++planned;
              EXPECT_TRUE(keeps_device_limits(*plan, device.traits)) << device.name << ", " << n;
            } else {
              EXPECT_TRUE(names_a_limit(plan.error())) << device.name << ", " << n;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(planned, 500U);
}

TEST(ExpandPlan, AllocationsKeepTheLimitsToo) {
  std::size_t planned = 0;
  for (const NamedTraits& device : synthetic_devices()) {
    for (const std::uint64_t n : {0U, 1U, 5000U, 40'000U}) {
      for (const bool wide : {false, true}) {
        for (const bool counted : {false, true}) {
          if (counted && n == 0) continue;
          const auto plan = plan_allocate(
              {.n = n, .wide = wide, .capacity_on_device = counted, .arguments = forms},
              device.traits, {.misalignments = {0, 0, 3}, .counted = counted});
          if (plan) {
            ++planned;
            EXPECT_TRUE(keeps_device_limits(*plan, device.traits)) << device.name << ", " << n;
          } else {
            EXPECT_TRUE(names_a_limit(plan.error())) << device.name << ", " << n;
          }
        }
      }
    }
  }
  EXPECT_GT(planned, 100U);
}

TEST(ExpandPlan, TheCallersBuffersComeFirst) {
  const auto names = [](const Plan& plan, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += plan.buffers.at(i).name + " ";
    return text;
  };
  const Plan allocation = plan_allocate({.n = 100, .capacity_on_device = true, .arguments = forms},
                                        {}, {.counted = true})
                              .value();
  EXPECT_EQ(names(allocation, 6), "counts offsets report arguments capacity n ");
  EXPECT_TRUE(allocation.counted);
  const Plan expansion =
      plan_expand({.n = 100, .capacity = 9, .arguments = forms}, {}, {.counted = true}).value();
  EXPECT_EQ(names(expansion, 6), "counts values output report arguments n ");
  EXPECT_EQ(names(plan_expand({.n = 100, .element_bytes = 0, .capacity = 9}, {}).value(), 3),
            "counts output report ");
  EXPECT_EQ(names(plan_arguments({.forms = forms}, {}).value(), 2), "count arguments ");
}

TEST(ExpandPlan, AnAllocationIsTheScanAndOneSmallDispatch) {
  Traits traits;
  traits.subgroups = true;
  traits.subgroup_width = 32;
  traits.forward_progress = true;
  for (const std::uint64_t n : {1000U, 10'000'000U}) {
    const ScanDescription scan{.n = n, .op = Operator::add_saturated, .include_initial = true};
    const Plan scanned = plan_scan(scan, traits).value();
    const Plan plan = plan_allocate({.n = n}, traits).value();
    EXPECT_EQ(plan.algorithm, scanned.algorithm);
    ASSERT_EQ(plan.steps.size(), scanned.steps.size() + 1);
    const auto& last = std::get<DispatchStep>(plan.steps.back());
    EXPECT_EQ(last.workgroups, (std::array<std::uint32_t, 3>{1, 1, 1}));
    ASSERT_TRUE(plan.renewal);
    EXPECT_EQ(plan.buffers.at(plan.renewal->buffer).name, "spine");
    EXPECT_EQ(plan.buffers.at(plan.status->buffer).name, "spine");
  }
}

TEST(ExpandPlan, LargeOutputsAreWrittenInWindows) {
  Traits traits;
  traits.limits.max_storage_binding_size = 1 << 20;
  const std::uint64_t capacity = 1'000'000;
  const Plan plan = plan_expand({.n = 1000, .capacity = capacity}, traits).value();
  std::uint64_t covered = 0;
  for (const PlanStep& step : plan.steps) {
    const auto& dispatch = std::get<DispatchStep>(step);
    if (plan.kernels.at(dispatch.kernel).name != "expand") continue;
    const auto& words = plan.buffers.at(dispatch.bindings.at(0).buffer).contents;
    EXPECT_EQ(words.at(1), covered);
    covered = words.at(2);
    EXPECT_EQ(words.at(3), covered == capacity ? 1U : 0U);
    EXPECT_LE(dispatch.bindings.at(2).bytes, traits.limits.max_storage_binding_size);
  }
  EXPECT_EQ(covered, capacity);
}

TEST(ExpandPlan, SaysWhatItIs) {
  const auto text = to_text(plan_expand({.n = 5000, .capacity = 9000}, {}).value());
  EXPECT_NE(text.find("expand (4 bytes) of 5000 elements"), std::string::npos) << text;
  EXPECT_NE(text.find("outputs 0 to 9000"), std::string::npos) << text;
}

TEST(ExpandPlan, RefusesWhatContradictsItself) {
  const auto kind = [](const auto& plan) {
    return plan ? std::string("planned") : std::string(name(plan.error().kind));
  };
  EXPECT_EQ(kind(plan_expand({.n = 1, .element_bytes = 6}, {})), "bad-argument");
  EXPECT_EQ(kind(plan_expand({.n = 1, .element_bytes = 68}, {})), "bad-argument");
  EXPECT_EQ(kind(plan_expand({.n = 1, .capacity = 0xFFFFFFFF}, {})), "bad-argument");
  EXPECT_EQ(kind(plan_expand({.n = 0xFFFFFFF0}, {})), "unsupported");
  EXPECT_EQ(kind(plan_allocate({.n = 0xFFFFFFFF}, {})), "bad-argument");
  EXPECT_EQ(kind(plan_allocate({.n = 1, .arguments = {{IndirectCall::dispatch, 0}}}, {})),
            "bad-argument");
  EXPECT_EQ(kind(plan_arguments({.forms = std::vector<IndirectForm>(17)}, {})), "bad-argument");
}

}  // namespace
}  // namespace cumulo::test
