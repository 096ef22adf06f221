// Plans of the single pass: where one is made, what it promises, and why it is refused elsewhere.
#include "cumulo/order.hpp"
#include "plan_check.hpp"

namespace cumulo::test {
namespace {

// A GPU whose started workgroups keep running, with subgroups of 32 lanes.
Traits able() {
  Traits traits;
  traits.subgroups = true;
  traits.subgroup_min_size = traits.subgroup_max_size = traits.subgroup_width = 32;
  traits.forward_progress = true;
  traits.limits.max_invocations_per_workgroup = 1024;
  traits.limits.max_workgroup_size_x = 1024;
  traits.limits.max_storage_binding_size = std::uint64_t{1} << 31;
  traits.limits.max_buffer_size = std::uint64_t{1} << 31;
  return traits;
}

// One dispatch reads all elements; it and a copy of the last partial quad write all of them once.
testing::AssertionResult writes_all_elements(const Plan& plan, std::uint64_t n) {
  std::uint64_t read = 0, written = 0;
  for (const PlanStep& step : plan.steps) {
    if (const auto* dispatch = std::get_if<DispatchStep>(&step)) {
      for (const PlanBinding& b : dispatch->bindings) {
        if (b.buffer == 0) read = std::max(read, b.offset + b.bytes);
        if (b.buffer == 1) written = std::max(written, b.offset + b.bytes);
      }
    } else if (const auto* copy = std::get_if<CopyStep>(&step)) {
      const std::uint64_t source = plan.buffers[copy->from].bytes;
      if (copy->from_offset + copy->bytes > source) {
        return testing::AssertionFailure() << "a copy reads past the end of its buffer";
      }
      if (copy->to != 1 || copy->to_offset != written) {
        return testing::AssertionFailure() << "a copy goes to byte " << copy->to_offset;
      }
      written += copy->bytes;
    }
  }
  if (read != n * 4 || written != n * 4) {
    return testing::AssertionFailure()
           << read << " bytes are read and " << written << " written for n = " << n;
  }
  return testing::AssertionSuccess();
}

TEST(SinglePass, AutoTakesItWhereWorkgroupsKeepRunning) {
  for (const std::uint64_t n : {1ULL, 5ULL, 4095ULL, 4096ULL, 4097ULL, 131'072ULL, 131'073ULL,
                                1'000'003ULL, 1ULL << 24, (1ULL << 28) - 1, 1ULL << 28}) {
    const auto plan = plan_scan({.n = n}, able());
    ASSERT_TRUE(plan) << describe(plan.error());
    EXPECT_EQ(plan->algorithm, "single-pass") << n;
    EXPECT_TRUE(keeps_device_limits(*plan, able())) << n;
    EXPECT_TRUE(writes_all_elements(*plan, n));
  }
}

TEST(SinglePass, ItsStateIsWithinItsBuffers) {
  for (const std::uint64_t n : {1000ULL, 50'000'000ULL}) {
    const auto plan = plan_scan({.n = n}, able());
    ASSERT_TRUE(plan);
    ASSERT_TRUE(plan->status && plan->renewal);
    EXPECT_LE(plan->status->offset + 4, plan->buffers.at(plan->status->buffer).bytes);
    EXPECT_EQ(plan->buffers.at(plan->renewal->buffer).role, BufferRole::scratch);
    EXPECT_GT(plan->renewal->runs, 1U);
    // A descriptor for each tile, of at least a strip.
    EXPECT_LE(scratch_bytes(*plan), n / order::strip * 128 + 256 * 1024);
  }
}

// Something else, always right, stands in where the single pass does not fit.
TEST(SinglePass, AutoFallsBack) {
  const auto algorithm = [](const Traits& traits, const ScanDescription& d,
                            const PlanOptions& options = {}) {
    const auto plan = plan_scan(d, traits, options);
    EXPECT_TRUE(plan) << describe(plan.error());
    return plan ? plan->algorithm : "";
  };
  Traits traits = able();
  traits.forward_progress = false;
  EXPECT_EQ(algorithm(traits, {.n = 100'000}), "reduce-then-scan");
  for (const std::uint32_t width : {0U, 4U, 8U, 16U, 64U, 128U}) {
    traits = able();
    traits.subgroup_width = width;
    EXPECT_EQ(algorithm(traits, {.n = 100'000}), "reduce-then-scan") << width << " lanes";
  }
  traits = able();
  traits.subgroups = false;
  EXPECT_EQ(algorithm(traits, {.n = 100'000}), "reduce-then-scan");
  traits = able();
  traits.limits.max_storage_binding_size = 65537;
  EXPECT_EQ(algorithm(traits, {.n = 100'000}), "reduce-then-scan");
  for (const std::uint64_t n : {1ULL, 5'000ULL, 100'000ULL, 1'000'000ULL}) {
    for (const std::uint32_t little :
         {0U, 100U, 255U, 400U, 1'000U, 1'700U, 1'761U, 1'776U, 16'384U}) {
      traits = able();
      traits.limits.max_workgroup_memory = little;
      const auto plan = plan_scan({.n = n}, traits);
      if (plan) {
        EXPECT_TRUE(keeps_device_limits(*plan, traits)) << n << ", " << little << " bytes";
      } else {
        // The smallest tile of reduce-then-scan takes more.
        EXPECT_LT(little, 1'060U) << n;
        EXPECT_TRUE(names_a_limit(plan.error()));
      }
    }
    for (const std::uint32_t few : {16U, 128U, 256U, 511U, 512U, 1'023U}) {
      traits = able();
      traits.limits.max_workgroup_size_x = few;
      const auto plan = plan_scan({.n = n}, traits);
      ASSERT_TRUE(plan) << describe(plan.error());
      EXPECT_TRUE(keeps_device_limits(*plan, traits)) << n << ", " << few << " invocations";
    }
    for (const std::uint32_t workgroups : {2U, 10U, 60U}) {
      traits = able();
      traits.limits.max_workgroups_per_dimension = workgroups;
      const auto plan = plan_scan({.n = n}, traits);
      ASSERT_TRUE(plan) << describe(plan.error());
      EXPECT_TRUE(keeps_device_limits(*plan, traits)) << n << ", " << workgroups << " workgroups";
    }
  }
  EXPECT_EQ(algorithm(able(), {.n = 100'000}, {.aliasing = Aliasing::same_buffer}),
            "reduce-then-scan");
  EXPECT_EQ(algorithm(able(), {.n = 100'000}, {.in_misalignment = 1}), "reduce-then-scan");
}

TEST(SinglePass, ARefusalSaysWhatIsMissing) {
  const auto message = [](const Traits& traits, std::uint64_t n = 100'000) {
    const auto plan = plan_scan({.n = n, .algorithm = Algorithm::single_pass}, traits);
    EXPECT_FALSE(plan);
    if (plan) return std::string{};
    EXPECT_EQ(plan.error().kind, ErrorKind::unsupported);
    return plan.error().message;
  };
  Traits traits = able();
  traits.subgroup_width = 64;
  EXPECT_NE(message(traits).find("32 lanes"), std::string::npos) << message(traits);
  const auto names = [&](const Limits& limits, std::uint64_t n, const std::string& part) {
    traits = able();
    traits.limits = limits;
    const std::string said = message(traits, n);
    EXPECT_NE(said.find("single-pass"), std::string::npos) << said;
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  const auto with = [](auto Limits::* field, std::uint32_t value) {
    Limits limits = able().limits;
    limits.*field = value;
    return limits;
  };
  names(with(&Limits::max_invocations_per_workgroup, 128), 100'000,
        "512 invocations a workgroup (max_invocations_per_workgroup is 128)");
  names(with(&Limits::max_workgroup_size_x, 256), 1'000'000,
        "512 invocations a workgroup (max_workgroup_size_x is 256)");
  names(with(&Limits::max_workgroup_memory, 127), 4096,
        "128 bytes of workgroup memory (max_workgroup_memory is 127)");
  names(with(&Limits::max_workgroup_memory, 399), 100'000,
        "400 bytes of workgroup memory (max_workgroup_memory is 399)");
  names(with(&Limits::max_workgroup_memory, 1'024), 1'000'000,
        "1776 bytes of workgroup memory (max_workgroup_memory is 1024)");
  names(with(&Limits::max_storage_buffers_per_stage, 4), 1'000'000,
        "5 storage buffers (max_storage_buffers_per_stage is 4)");
  names(with(&Limits::max_workgroups_per_dimension, 60), 1'000'000,
        "62 workgroups (max_workgroups_per_dimension is 60)");
  traits = able();
  traits.limits.max_storage_binding_size = 65537;
  EXPECT_NE(message(traits).find("max_storage_binding_size"), std::string::npos);
}

// The planner's count of the kernels' workgroup memory: exactly enough is enough.
TEST(SinglePass, ItsWorkgroupMemoryIsCounted) {
  for (const auto& [n, bytes] :
       {std::pair{4096ULL, 128U}, {4097ULL, 400U}, {131'072ULL, 400U}, {131'073ULL, 1776U}}) {
    Traits traits = able();
    traits.limits.max_workgroup_memory = bytes;
    const auto plan = plan_scan({.n = n, .algorithm = Algorithm::single_pass}, traits);
    ASSERT_TRUE(plan) << describe(plan.error());
    EXPECT_TRUE(keeps_device_limits(*plan, traits)) << n;
    traits.limits.max_workgroup_memory = bytes - 1;
    EXPECT_FALSE(plan_scan({.n = n, .algorithm = Algorithm::single_pass}, traits)) << n;
  }
}

}  // namespace
}  // namespace cumulo::test
