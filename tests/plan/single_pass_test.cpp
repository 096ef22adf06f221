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
  for (const std::uint64_t n : {1ULL, 5ULL, 4095ULL, 4096ULL, 4097ULL, 1ULL << 21, (1ULL << 21) + 1,
                                5'000'003ULL, 1ULL << 24, (1ULL << 28) - 1, 1ULL << 28}) {
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

// The kernel of auto's plan: of the two for subgroups of 32 lanes, or of the one for all else.
std::string kernel_of(const Traits& traits, const ScanDescription& d,
                      const PlanOptions& options = {}) {
  const auto plan = plan_scan(d, traits, options);
  EXPECT_TRUE(plan) << describe(plan.error());
  if (!plan) return {};
  EXPECT_TRUE(keeps_device_limits(*plan, traits));
  return plan->kernels.size() > 1 ? plan->algorithm : plan->kernels.front().name;
}

TEST(SinglePass, WorkgroupMemoryServesWhereSubgroupsDoNot) {
  EXPECT_EQ(kernel_of(able(), {.n = 100'000}), "small_pass");
  EXPECT_EQ(kernel_of(able(), {.n = 3'000'000}), "single_pass");
  for (const std::uint32_t width : {0U, 4U, 8U, 16U, 64U, 128U}) {
    Traits traits = able();
    traits.subgroup_width = width;
    EXPECT_EQ(kernel_of(traits, {.n = 1'000'000}), "scan_tiles") << width << " lanes";
  }
  Traits traits = able();
  traits.subgroups = false;
  EXPECT_EQ(kernel_of(traits, {.n = 1'000'000}), "scan_tiles");
  EXPECT_EQ(kernel_of(traits, {.n = 1'000'000, .reverse = true}), "scan_tiles");
  traits.subgroup_width = 64;
  EXPECT_EQ(kernel_of(traits, {.n = 10'000'000}), "reduce-then-scan");
}

// However the elements lie, the subgroups' kernel takes them.
TEST(SinglePass, SubgroupsTakeEveryLayout) {
  for (const std::uint64_t n : {1ULL, 3ULL, 100'000ULL, 10'000'000ULL}) {
    const auto is_one_pass = [&](const ScanDescription& d, const PlanOptions& options = {}) {
      const std::string kernel = kernel_of(able(), d, options);
      return kernel == (n <= 1ULL << 21 ? "small_pass" : "single_pass");
    };
    EXPECT_TRUE(is_one_pass({.n = n, .reverse = true}));
    EXPECT_TRUE(is_one_pass({.n = n, .include_initial = true}));
    EXPECT_TRUE(is_one_pass({.n = n}, {.aliasing = Aliasing::in_place}));
    EXPECT_TRUE(is_one_pass({.n = n}, {.aliasing = Aliasing::same_buffer}));
    EXPECT_TRUE(is_one_pass({.n = n}, {.in_misalignment = 1}));
    EXPECT_TRUE(is_one_pass({.n = n}, {.out_misalignment = 3}));
    EXPECT_TRUE(is_one_pass({.n = n, .type = Type::u64, .reverse = true}));
  }
}

// Dispatches of a plan over slices; 0 where another kernel than the subgroups' takes part.
std::size_t slices_of(const ScanDescription& d, const Traits& traits) {
  const auto plan = plan_scan(d, traits);
  EXPECT_TRUE(plan) << describe(plan.error());
  if (!plan || plan->algorithm != "single-pass") return 0;
  EXPECT_TRUE(keeps_limits(*plan, d, traits, {}));
  std::size_t dispatches = 0;
  for (const PlanStep& step : plan->steps) {
    const auto* dispatch = std::get_if<DispatchStep>(&step);
    if (!dispatch) continue;
    if (plan->kernels[dispatch->kernel].name != "single_pass") return 0;
    ++dispatches;
  }
  return dispatches;
}

// Beyond one binding or one grid a pass goes on in the next dispatch, at the same spine.
TEST(SinglePass, SlicesShareTheSpine) {
  Traits traits = able();
  traits.limits.max_buffer_size = std::uint64_t{1} << 40;
  for (const Type type : {Type::u32, Type::f32}) {
    const std::uint64_t most = 1ULL << 29;
    EXPECT_EQ(slices_of({.n = most, .type = type}, traits), 1U);
    EXPECT_EQ(slices_of({.n = most, .type = type, .reverse = true}, traits), 1U);
    EXPECT_EQ(slices_of({.n = most, .type = type, .include_initial = true}, traits), 2U);
    traits.limits.max_storage_binding_size = 1U << 27;  // the default of every device
    EXPECT_EQ(slices_of({.n = 1ULL << 28, .type = type}, traits), 9U);
    EXPECT_EQ(slices_of({.n = (1ULL << 28) - 1, .type = type, .reverse = true}, traits), 9U);
    traits.limits.max_storage_binding_size = 1U << 31;
    traits.limits.max_workgroups_per_dimension = 1'000;
    EXPECT_GT(slices_of({.n = 1ULL << 24, .type = type}, traits), 1U);
    traits.limits.max_workgroups_per_dimension = 65'535;
  }
  // A block's descriptor holds all before it where the order makes no difference.
  EXPECT_EQ(slices_of({.n = 1ULL << 31}, traits), 5U);
  EXPECT_EQ(slices_of({.n = 1ULL << 31, .type = Type::f32}, traits), 0U);
}

// However the elements lie, at the end of a binding that is no vector's end.
TEST(SinglePass, SlicesKeepABindingsLimit) {
  Traits traits = able();
  traits.stores_components = true;
  traits.limits.max_buffer_size = std::uint64_t{1} << 40;
  traits.limits.max_storage_binding_size = (1U << 31) - 4;
  for (std::uint64_t n = (1ULL << 29) - 9; n <= (1ULL << 29) + 9; ++n) {
    for (unsigned way = 0; way < 32; ++way) {
      ScanDescription d{.n = n, .reverse = (way & 1) != 0, .include_initial = (way & 2) != 0};
      PlanOptions options;
      if ((way & 4) != 0) options = {.in_misalignment = 1, .out_misalignment = 3};
      if ((way & 8) != 0 && !d.include_initial) {
        options.aliasing = Aliasing::in_place;
        options.in_misalignment = options.out_misalignment;
      }
      options.in_padded = options.out_padded = (way & 16) != 0;
      const auto plan = plan_scan(d, traits, options);
      ASSERT_TRUE(plan) << describe(plan.error());
      EXPECT_EQ(plan->algorithm, "single-pass") << n << ", way " << way;
      EXPECT_TRUE(keeps_limits(*plan, d, traits, options)) << n << ", way " << way;
    }
  }
}

// Something else, always right, stands in where the single pass does not fit.
TEST(SinglePass, AutoFallsBack) {
  Traits traits = able();
  traits.forward_progress = false;
  EXPECT_EQ(kernel_of(traits, {.n = 100'000}), "reduce-then-scan");
  traits = able();
  traits.limits.max_storage_binding_size = 65537;
  EXPECT_EQ(kernel_of(traits, {.n = 100'000}), "reduce-then-scan");
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
}

TEST(SinglePass, ARefusalSaysWhatIsMissing) {
  const auto names = [](auto Limits::* field, std::uint32_t value, const std::string& part) {
    Traits traits = able();
    traits.limits.*field = value;
    const auto plan = plan_scan({.n = 9'000'000, .algorithm = Algorithm::single_pass}, traits);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().kind, ErrorKind::unsupported);
    const std::string& said = plan.error().message;
    EXPECT_NE(said.find("single-pass"), std::string::npos) << said;
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  names(&Limits::max_invocations_per_workgroup, 8, "max_invocations_per_workgroup is 8");
  names(&Limits::max_workgroup_size_x, 8, "max_workgroup_size_x is 8");
  names(&Limits::max_workgroup_memory, 64, "max_workgroup_memory is 64");
  names(&Limits::max_storage_buffers_per_stage, 3,
        "4 storage buffers (max_storage_buffers_per_stage is 3)");
  names(&Limits::max_workgroups_per_dimension, 1,
        "2198 workgroups (max_workgroups_per_dimension is 1)");
  Traits traits = able();
  traits.limits.max_storage_binding_size = 65537;
  const auto plan = plan_scan({.n = 100'000, .algorithm = Algorithm::single_pass}, traits);
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message.find("max_storage_binding_size"), std::string::npos);
}

// The planner's count of the kernels' workgroup memory: exactly enough is enough.
TEST(SinglePass, ItsWorkgroupMemoryIsCounted) {
  for (const auto& [type, n, bytes, kernel] :
       {std::tuple{Type::f32, 4096ULL, 128U, "small_pass"},
        {Type::f32, 4097ULL, 176U, "small_pass"},
        {Type::f32, 131'072ULL, 176U, "small_pass"},
        {Type::f32, 131'073ULL, 304U, "small_pass"},
        {Type::u32, (1ULL << 23) + 1, 128U, "single_pass"},
        {Type::u64, (1ULL << 23) + 1, 160U, "single_pass"},
        {Type::f32, (1ULL << 23) + 1, 1200U, "single_pass"},
        {Type::f32, (1ULL << 24) + 1, 1168U, "single_pass"}}) {
    Traits traits = able();
    traits.limits.max_workgroup_memory = bytes;
    const ScanDescription scan{.n = n, .type = type, .algorithm = Algorithm::single_pass};
    const auto plan = plan_scan(scan, traits);
    ASSERT_TRUE(plan) << describe(plan.error());
    EXPECT_EQ(plan->kernels.front().name, kernel);
    EXPECT_TRUE(keeps_device_limits(*plan, traits)) << n;
    traits.limits.max_workgroup_memory = bytes - 1;
    EXPECT_FALSE(plan_scan(scan, traits)) << n;
  }
}

}  // namespace
}  // namespace cumulo::test
