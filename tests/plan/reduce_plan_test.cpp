// Plans of reductions by value: limits, slices, and every element totalled once.
#include <map>

#include "plan_check.hpp"

namespace cumulo::test {
namespace {

constexpr std::uint64_t tile_of_u32 = 8192;

// The ranges of the input that the dispatches take, one after the other, must make up all of it.
testing::AssertionResult reads_everything_once(const Plan& plan, const ReduceDescription& d,
                                               const PlanOptions& options) {
  std::uint64_t next = options.in_misalignment;
  for (const PlanStep& step : plan.steps) {
    const auto* dispatch = std::get_if<DispatchStep>(&step);
    if (dispatch == nullptr) continue;
    const auto& words = plan.buffers[dispatch->bindings[0].buffer].contents;
    const std::uint64_t count = words[0];
    const std::uint64_t offset = words[4];
    for (const PlanBinding& b : dispatch->bindings) {
      if (b.buffer != 0) continue;
      if (b.offset % input_bytes(d) != 0) return testing::AssertionFailure() << "an element is cut";
      if (b.offset / input_bytes(d) + offset != next) {
        return testing::AssertionFailure() << "element " << next << " is not next";
      }
      if (((offset + count) * input_bytes(d) + 3) / 4 * 4 != b.bytes) {
        return testing::AssertionFailure() << "a slice and its binding end apart";
      }
    }
    next += count;
  }
  if (next != options.in_misalignment + d.n)
    return testing::AssertionFailure() << "ends at " << next;
  return testing::AssertionSuccess();
}

TEST(ReducePlan, KeepsAllLimitsAndReadsEverythingOnce) {
  std::map<std::string, int> planned;
  for (const NamedTraits& device : synthetic_devices()) {
    for (const Type type : {Type::u32, Type::f32, Type::u64, Type::f16}) {
      for (const std::uint32_t misalignment : {0U, 5U}) {
        for (const std::uint64_t n :
             {std::uint64_t{1}, std::uint64_t{4096}, std::uint64_t{4097}, std::uint64_t{8193},
              std::uint64_t{100'000}, std::uint64_t{16'777'217}, std::uint64_t{67'108'865}}) {
          const std::uint32_t at =
              device.traits.limits.min_storage_offset_alignment > 4 ? misalignment : 0;
          const PlanOptions options{.in_misalignment = at, .out_misalignment = at};
          const ReduceDescription d{.n = n, .type = type};
          const auto plan = plan_reduce(d, device.traits, options);
          if (!plan) {
            EXPECT_TRUE(names_a_limit(plan.error())) << device.name << " " << n;
            continue;
          }
          ++planned[device.name];
          EXPECT_TRUE(keeps_device_limits(*plan, device.traits)) << device.name << " " << n;
          EXPECT_TRUE(reads_everything_once(*plan, d, options)) << device.name << " " << n;
        }
      }
    }
  }
  for (const char* name : {"default", "2WorkgroupsPerDimension", "65537BytesPerBinding",
                           "SmallWorkgroups", "FourStorageBuffers", "SmallInEveryRespect"}) {
    EXPECT_GE(planned[name], 20) << name;
  }
}

TEST(ReducePlan, OneDispatchForOneTileAndTwoForMore) {
  for (const std::uint64_t n : {std::uint64_t{1}, tile_of_u32}) {
    EXPECT_EQ(plan_reduce({.n = n}, {}).value().steps.size(), 1U) << n;
  }
  Traits roomy;
  roomy.limits.max_buffer_size = roomy.limits.max_storage_binding_size = std::uint64_t{1} << 31;
  for (const std::uint64_t n : {tile_of_u32 + 1, std::uint64_t{1} << 28}) {
    const Plan plan = plan_reduce({.n = n}, roomy).value();
    EXPECT_EQ(plan.steps.size(), 2U) << n;
    EXPECT_TRUE(dispatches_alone(plan));
  }
}

// Few totals are left to the last workgroup, and scratch stays small.
TEST(ReducePlan, ManyTilesAreTotalledInBatches) {
  Traits roomy;
  roomy.limits.max_buffer_size = roomy.limits.max_storage_binding_size = std::uint64_t{1} << 32;
  const Plan plan = plan_reduce({.n = std::uint64_t{1} << 28}, roomy).value();
  EXPECT_LE(scratch_bytes(plan), 4 * (4096 + 8));
  const auto& grid = std::get<DispatchStep>(plan.steps[0]).workgroups;
  EXPECT_EQ(grid[0] * grid[1] * grid[2], 4095U + 7U);
}

TEST(ReducePlan, NothingIsTheIdentity) {
  const Plan plan = plan_reduce({.type = Type::u32, .op = Operator::min}, {}).value();
  ASSERT_EQ(plan.steps.size(), 1U);
  const auto& copy = std::get<CopyStep>(plan.steps[0]);
  EXPECT_EQ(plan.buffers[copy.from].contents[0], 0xffffffffU);
  EXPECT_EQ(copy.to, 1U);
}

// The count gives one grid; all steps read one place of parameters.
TEST(ReducePlan, CountedOnTheDeviceItKeepsAllLimitsToo) {
  int planned = 0;
  for (const NamedTraits& device : synthetic_devices()) {
    for (const std::uint64_t n : {1U, 8192U, 8193U, 100'000U, 5'000'000U}) {
      const auto plan = plan_reduce({.n = n}, device.traits, {.counted = true});
      if (!plan) {
        EXPECT_TRUE(names_a_limit(plan.error())) << device.name << " " << n;
        continue;
      }
      ++planned;
      EXPECT_TRUE(plan->counted);
      EXPECT_TRUE(plan->status);
      EXPECT_TRUE(dispatches_alone(*plan));
      EXPECT_TRUE(keeps_device_limits(*plan, device.traits)) << device.name << " " << n;
    }
  }
  EXPECT_GE(planned, 30);
  const Plan plan = plan_reduce({.n = 100'000}, {}, {.counted = true}).value();
  ASSERT_EQ(plan.steps.size(), 3U);
  EXPECT_TRUE(std::get<DispatchStep>(plan.steps[1]).indirect);
  EXPECT_FALSE(std::get<DispatchStep>(plan.steps[2]).indirect);
}

// With fewer tiles more of them may be left over than with all.
TEST(ReducePlan, CountedOnTheDeviceThereIsRoomForTheTotalsOfAnyCount) {
  Traits roomy;
  roomy.limits.max_buffer_size = roomy.limits.max_storage_binding_size = std::uint64_t{1} << 31;
  for (const std::uint64_t n : {std::uint64_t{1} << 27, (std::uint64_t{1} << 28) - 77}) {
    const Plan plan = plan_reduce({.n = n}, roomy, {.counted = true}).value();
    const Plan all = plan_reduce({.n = n}, roomy).value();
    const auto groups = [](const Plan& p, std::size_t step) {
      const auto& grid = std::get<DispatchStep>(p.steps[step]).workgroups;
      return std::uint64_t{grid[0]} * grid[1] * grid[2];
    };
    const std::uint64_t batch = std::bit_ceil((n - 1) / tile_of_u32 / groups(all, 0));
    EXPECT_GE(groups(plan, 1), (n - 1) / tile_of_u32 / batch + batch - 1) << n;
    EXPECT_GE(scratch_bytes(plan), 4 * groups(plan, 1));
  }
}

TEST(ReducePlan, WhatCannotBeIsRefused) {
  EXPECT_EQ(plan_reduce({}, {}, {.counted = true}).error().kind, ErrorKind::bad_argument);
  EXPECT_TRUE(names_a_limit(plan_reduce({.n = 100'000'000}, {}, {.counted = true}).error()));
  EXPECT_EQ(plan_reduce({.n = 8, .type = Type::f64}, {}).error().kind, ErrorKind::unsupported);
  EXPECT_EQ(plan_reduce({.n = 8, .type = Type::f32, .op = Operator::bit_or}, {}).error().kind,
            ErrorKind::bad_argument);
  EXPECT_TRUE(names_a_limit(plan_reduce({.n = std::uint64_t{1} << 40}, {}).error()));
  EXPECT_TRUE(names_a_limit(plan_reduce({.n = ~std::uint64_t{0}}, {}).error()));
  Traits narrow;
  narrow.limits.max_storage_binding_size = 4099;
  EXPECT_TRUE(names_a_limit(plan_reduce({.n = 100'000}, narrow).error()));
}

}  // namespace
}  // namespace cumulo::test
