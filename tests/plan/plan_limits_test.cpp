// Plans for devices with small, odd and huge limits: kept, or refused by name.
#include <rapidcheck.h>

#include "plan_check.hpp"

namespace cumulo::test {
namespace {

class PlanLimitsTest : public testing::TestWithParam<NamedTraits> {
 protected:
  const Traits& traits() { return GetParam().traits; }
};

// A plan within the limits, or a refusal that names one.
testing::AssertionResult planned_or_refused(const ScanDescription& d, const Traits& traits,
                                            const PlanOptions& options = {}) {
  const auto plan = plan_scan(d, traits, options);
  const auto result = plan ? keeps_limits(*plan, d, traits, options) : names_a_limit(plan.error());
  if (result) return result;
  return testing::AssertionFailure() << result.message() << " (n = " << d.n << ")";
}

TEST_P(PlanLimitsTest, EverySizeIsPlannedOrRefused) {
  for (unsigned power = 0; power <= 22; ++power) {
    const std::uint64_t n = std::uint64_t{1} << power;
    for (const std::uint64_t size : {n - 1, n, n + 1}) {
      ASSERT_TRUE(planned_or_refused({.n = size}, traits()));
    }
  }
}

TEST_P(PlanLimitsTest, SizesOfManySlicesArePlannedOrRefused) {
  for (const std::uint64_t n :
       {3'000'017ULL, 67'108'864ULL, 1ULL << 32, (1ULL << 40) + 1, 1ULL << 62, ~0ULL - 1, ~0ULL}) {
    // A few slices a gigabyte are enough: a plan of millions of steps tells nothing more.
    if (n / traits().limits.max_storage_binding_size > 2'000 &&
        n * 4 <= traits().limits.max_buffer_size) {
      continue;
    }
    for (const bool include_initial : {false, true}) {
      ASSERT_TRUE(planned_or_refused({.n = n, .include_initial = include_initial}, traits()));
    }
  }
}

// Elements of 2, 4, 8, 12 and 32 bytes, of 4 that become 8 and of 2 that become 4.
std::vector<ScanDescription> elements_of_all_sizes() {
  std::vector<ScanDescription> all{{}, {.type = Type::f32}, {.type = Type::u64}};
  for (const std::size_t words : {3, 8}) {
    Monoid monoid{.name = "words",
                  .fields = {},
                  .wgsl = "return newer;",
                  .identity = std::vector<std::byte>(4 * words)};
    for (std::size_t i = 0; i < words; ++i) {
      monoid.fields.push_back({"w" + std::to_string(i), Type::u32});
    }
    all.push_back({.monoid = std::move(monoid)});
  }
  all.push_back({.type = Type::f32, .wide = true});
  all.push_back({.type = Type::f16});
  all.push_back({.type = Type::f16, .wide = true});
  return all;
}

TEST_P(PlanLimitsTest, EveryOptionIsPlannedOrRefused) {
  const std::vector<ScanDescription> elements = elements_of_all_sizes();
  for (unsigned bits = 0; bits < 16 * elements.size(); ++bits) {
    ScanDescription d = elements[bits / 16];
    d.n = 50'000;
    d.kind = bits & 1 ? ScanKind::exclusive : ScanKind::inclusive;
    d.reverse = (bits & 2) != 0;
    d.include_initial = (bits & 4) != 0;
    PlanOptions options{.in_misalignment = bits & 8 ? 63U : 0U,
                        .out_misalignment = bits & 8 ? 17U : 0U};
    ASSERT_TRUE(planned_or_refused(d, traits(), options));
    options.aliasing = Aliasing::same_buffer;
    ASSERT_TRUE(planned_or_refused(d, traits(), options));
    if (!d.include_initial && !d.wide) {
      options = {.aliasing = Aliasing::in_place};
      ASSERT_TRUE(planned_or_refused(d, traits(), options));
    }
  }
}

TEST_P(PlanLimitsTest, TheSameDescriptionGivesTheSamePlan) {
  const auto first = plan_scan({.n = 100'000}, traits());
  const auto second = plan_scan({.n = 100'000}, traits());
  ASSERT_EQ(first.has_value(), second.has_value());
  if (first) {
    EXPECT_EQ(to_json(*first, true), to_json(*second, true));
  }
}

INSTANTIATE_TEST_SUITE_P(Synthetic, PlanLimitsTest, testing::ValuesIn(synthetic_devices()),
                         [](const auto& device) { return device.param.name; });

// What the smallest tile needs: everything above is planned for.
TEST(PlanLimits, DevicesThatHoldOneTileArePlannedFor) {
  for (const NamedTraits& device : synthetic_devices()) {
    const Limits& limits = device.traits.limits;
    if (limits.max_storage_binding_size <= 9000 || limits.max_workgroup_memory < 2048) continue;
    EXPECT_TRUE(plan_scan({.n = 9000}, device.traits)) << device.name;
  }
}

TEST(PlanLimits, ATooSmallBindingIsNamed) {
  Traits traits;
  traits.limits.max_storage_binding_size = 300;
  const auto plan = plan_scan({.n = 100'000}, traits);
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message.find("max_storage_binding_size"), std::string::npos);
}

TEST(PlanLimits, ThreeStorageBuffersAreTooFew) {
  Traits traits;
  traits.limits.max_storage_buffers_per_stage = 3;
  const auto plan = plan_scan({.n = 100'000}, traits);
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message.find("max_storage_buffers_per_stage"), std::string::npos);
}

TEST(PlanLimits, TheLimitThatIsTooSmallIsTheOneNamed) {
  const auto said = [](auto change) {
    Traits traits;
    change(traits.limits);
    const auto plan = plan_scan({.n = 100'000}, traits);
    EXPECT_FALSE(plan);
    return plan ? std::string{} : plan.error().message;
  };
  const auto names = [](const std::string& text, std::string_view limit) {
    if (text.find(limit) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << text;
  };
  EXPECT_TRUE(names(said([](Limits& l) { l.max_invocations_per_workgroup = 8; }),
                    "(max_invocations_per_workgroup is 8)"));
  EXPECT_TRUE(
      names(said([](Limits& l) { l.max_workgroup_size_x = 1; }), "(max_workgroup_size_x is 1)"));
  EXPECT_TRUE(names(said([](Limits& l) { l.max_workgroup_memory = 1000; }),
                    "(max_workgroup_memory is 1000)"));
  EXPECT_TRUE(names(said([](Limits& l) { l.max_workgroups_per_dimension = 0; }),
                    "(max_workgroups_per_dimension is 0)"));
}

// Variables take multiples of 16 bytes of workgroup memory: a limit just above the sum of their own
// sizes may be too small.
TEST(PlanLimits, AnyWorkgroupMemoryIsPlannedForOrRefused) {
  std::vector<ScanDescription> elements = elements_of_all_sizes();
  for (const std::size_t words : {1, 5, 7}) {
    Monoid monoid{.name = "words",
                  .fields = std::vector<MonoidField>(words),
                  .wgsl = "return newer;",
                  .identity = std::vector<std::byte>(4 * words)};
    for (std::size_t i = 0; i < words; ++i) monoid.fields[i].name = "w" + std::to_string(i);
    elements.push_back({.monoid = std::move(monoid)});
  }
  for (ScanDescription& d : elements) {
    d.n = 50'000;
    const std::uint64_t element = std::max<std::uint64_t>(element_bytes(d), 4);
    // Below and above what shapes of so many elements need.
    for (const std::uint64_t shape : {97U, 192U, 292U, 356U, 392U, 548U, 1060U, 1156U}) {
      for (std::uint64_t bytes = shape * element; bytes < shape * element + 64; bytes += 4) {
        Traits traits;
        traits.limits.max_workgroup_memory = static_cast<std::uint32_t>(bytes);
        for (const Algorithm algorithm : {Algorithm::reduce_then_scan, Algorithm::single_pass}) {
          d.algorithm = algorithm;
          if (d.wide && algorithm == Algorithm::single_pass) continue;
          ASSERT_TRUE(planned_or_refused(d, traits)) << bytes << " bytes, " << element_name(d);
        }
        const auto reduced = plan_reduce(
            {.n = d.n, .type = d.type, .op = d.op, .monoid = d.monoid, .wide = d.wide}, traits);
        ASSERT_TRUE(reduced ? keeps_device_limits(*reduced, traits)
                            : names_a_limit(reduced.error()))
            << bytes << " bytes, " << element_name(d);
      }
    }
  }
}

// A plan has a buffer and two dispatches for each slice: it must not itself fill the memory.
TEST(PlanLimits, MillionsOfSlicesAreRefused) {
  Traits traits;
  traits.limits.max_buffer_size = traits.limits.max_storage_binding_size = std::uint64_t{1} << 46;
  traits.limits.max_workgroups_per_dimension = 1;
  EXPECT_TRUE(plan_scan({.n = 4096 * 1000}, traits));
  auto plan = plan_scan({.n = std::uint64_t{1} << 40}, traits);
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message.find("max_workgroups_per_dimension"), std::string::npos);
}

TEST(PlanLimits, MoreElementsThanABufferHoldsAreRefused) {
  const Traits traits;
  const std::uint64_t most = traits.limits.max_buffer_size / 4;
  EXPECT_TRUE(plan_scan({.n = most}, traits));
  EXPECT_FALSE(plan_scan({.n = most, .include_initial = true}, traits));
  const auto plan = plan_scan({.n = most + 1}, traits);
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message.find("max_buffer_size"), std::string::npos);
}

TEST(PlanLimits, MoreThan65535WorkgroupsAreFolded) {
  Traits traits;
  traits.limits.max_storage_binding_size = traits.limits.max_buffer_size = std::uint64_t{4} << 30;
  traits.limits.max_workgroup_memory = 2048;
  const ScanDescription d{.n = 70'000ULL * 4096};
  const auto plan = plan_scan(d, traits);
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_TRUE(keeps_limits(*plan, d, traits));
  bool is_folded = false;
  for (const PlanStep& step : plan->steps) {
    const auto* dispatch = std::get_if<DispatchStep>(&step);
    if (dispatch && dispatch->workgroups[1] > 1) is_folded = true;
  }
  EXPECT_TRUE(is_folded);
}

// Any limits: RapidCheck looks for a device that breaks the planner.
TEST(PlanLimits, AnyDeviceIsPlannedForOrRefused) {
  EXPECT_TRUE(rc::check("any device is planned for or refused", [] {
    Traits traits;
    Limits& l = traits.limits;
    l.min_storage_offset_alignment = 4U << *rc::gen::inRange(0, 7);
    l.max_storage_binding_size = *rc::gen::inRange<std::uint64_t>(4, 2'000'000);
    l.max_workgroups_per_dimension = *rc::gen::inRange(1U, 70'000U);
    l.max_workgroup_memory = *rc::gen::inRange(4U, 40'000U);
    l.max_invocations_per_workgroup = *rc::gen::inRange(1U, 2'000U);
    l.max_workgroup_size_x = *rc::gen::inRange(1U, 2'000U);
    l.max_storage_buffers_per_stage = *rc::gen::inRange(1U, 12U);
    const ScanDescription d{.n = *rc::gen::inRange<std::uint64_t>(0, 5'000'000),
                            .kind = *rc::gen::element(ScanKind::inclusive, ScanKind::exclusive),
                            .reverse = *rc::gen::arbitrary<bool>(),
                            .include_initial = *rc::gen::arbitrary<bool>()};
    const PlanOptions options{.in_misalignment = *rc::gen::inRange(0U, 64U),
                              .out_misalignment = *rc::gen::inRange(0U, 64U)};
    const auto result = planned_or_refused(d, traits, options);
    if (!result) RC_FAIL(result.message());
  }));
}

}  // namespace
}  // namespace cumulo::test
