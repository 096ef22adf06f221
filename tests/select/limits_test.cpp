// Devices smaller than any here: slices, windows of results, folded grids.
#include <set>

#include "plan/plan_check.hpp"
#include "select/plan_run.hpp"

namespace cumulo::test {
namespace {

std::vector<SelectionDescription> kinds(std::uint64_t n) {
  return {{.n = n, .arrays = {{4}}, .flags = FlagType::u8},
          {.n = n, .arrays = {{12}}, .flags = FlagType::bits, .rest = Rest::follows},
          {.n = n, .arrays = {{4}}, .predicate = above(9), .indices = true, .capacity = n / 3},
          {.n = n,
           .arrays = {{4}},
           .predicate = above(90),
           .second = above(9),
           .rest = Rest::three_way},
          {.n = n, .arrays = {{64}}, .heads = true, .indices = true, .lengths = true}};
}

TEST(SelectionPlanTest, EveryDeviceGetsAPlanWithinItsLimitsOrHearsWhichIsTooSmall) {
  for (const NamedTraits& device : synthetic_devices()) {
    for (const std::uint64_t n :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{257}, std::uint64_t{5000},
          std::uint64_t{100'000}, std::uint64_t{1} << 28, (std::uint64_t{1} << 32) - 1}) {
      for (const SelectionDescription& d : kinds(n)) {
        for (const bool counted : {false, true}) {
          if (counted && n == 0) continue;
          const auto plan = plan_selection(d, device.traits, {.counted = counted});
          if (!plan) {
            EXPECT_TRUE(names_a_limit(plan.error())) << device.name << ", " << n;
          } else {
            EXPECT_TRUE(keeps_device_limits(*plan, device.traits)) << device.name << ", " << n;
          }
        }
      }
    }
  }
}

TEST(SelectionPlanTest, MoreElementsThanCountsHoldAreRefused) {
  Traits traits;
  traits.limits.max_buffer_size = traits.limits.max_storage_binding_size = std::uint64_t{1} << 40;
  const auto plan =
      plan_selection({.n = std::uint64_t{1} << 32, .arrays = {{4}}, .flags = FlagType::u8}, traits);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().kind, ErrorKind::unsupported);
}

// A GPU whose started workgroups keep running, with subgroups of 32 lanes.
Traits able() {
  Traits traits;
  traits.subgroups = true;
  traits.subgroup_min_size = traits.subgroup_max_size = traits.subgroup_width = 32;
  traits.forward_progress = true;
  traits.limits.max_invocations_per_workgroup = traits.limits.max_workgroup_size_x = 1024;
  traits.limits.max_workgroup_memory = 32'768;
  traits.limits.max_storage_binding_size = std::uint64_t{1} << 32;
  traits.limits.max_buffer_size = std::uint64_t{1} << 34;
  return traits;
}

TEST(SelectionPlanTest, AutoTakesTheSinglePassWhereWorkgroupsKeepRunning) {
  for (const std::uint64_t n :
       {std::uint64_t{1}, std::uint64_t{4097}, (std::uint64_t{1} << 20) + 1, std::uint64_t{1} << 24,
        (std::uint64_t{1} << 28) - 1, std::uint64_t{1} << 29}) {
    for (SelectionDescription d : kinds(n)) {
      for (SelectionArray& array : d.arrays) array.element_bytes = 4;
      const auto plan = plan_selection(d, able());
      ASSERT_TRUE(plan) << describe(plan.error());
      const bool one_pass = d.rest != Rest::three_way;
      EXPECT_EQ(plan->algorithm, one_pass ? "single-pass" : "mask-then-scatter") << n;
      EXPECT_EQ(plan->renewal.has_value(), one_pass);
      EXPECT_TRUE(keeps_device_limits(*plan, able())) << n;
    }
  }
}

TEST(SelectionPlanTest, TheSinglePassIsRefusedWithAReason) {
  const auto refused = [](auto change, const char* why) {
    Traits traits = able();
    SelectionDescription d{.n = 100'000,
                           .arrays = {{4}},
                           .flags = FlagType::u8,
                           .algorithm = SelectionAlgorithm::single_pass};
    change(traits, d);
    const auto plan = plan_selection(d, traits);
    ASSERT_FALSE(plan) << why;
    EXPECT_NE(plan.error().message.find(why), std::string::npos) << plan.error().message;
  };
  refused([](Traits& t, auto&) { t.subgroups = false; }, "subgroups");
  refused([](Traits& t, auto&) { t.subgroup_width = 64; }, "subgroup_width");
  refused([](Traits& t, auto&) { t.limits.max_invocations_per_workgroup = 256; },
          "max_invocations_per_workgroup");
  refused([](Traits& t, auto&) { t.limits.max_storage_buffers_per_stage = 4; },
          "max_storage_buffers_per_stage");
  refused([](Traits& t, auto&) { t.limits.max_storage_binding_size = 300'000; },
          "max_storage_binding_size");
  refused([](Traits& t, auto&) { t.limits.max_workgroups_per_dimension = 3; },
          "max_workgroups_per_dimension");
}

class SelectionLimitsTest : public SelectTest {
 protected:
  // The device as it is, with the smaller limits of another one; nothing where that is no smaller.
  std::optional<Traits> reduced_to(const Limits& small) {
    Traits reduced = device().traits();
    Limits& l = reduced.limits;
    if (small.min_storage_offset_alignment < l.min_storage_offset_alignment) return std::nullopt;
    const auto lower = [](auto& mine, auto theirs) { mine = std::min(mine, theirs); };
    l.min_storage_offset_alignment = small.min_storage_offset_alignment;
    lower(l.max_storage_binding_size, small.max_storage_binding_size);
    lower(l.max_storage_buffers_per_stage, small.max_storage_buffers_per_stage);
    lower(l.max_workgroups_per_dimension, small.max_workgroups_per_dimension);
    lower(l.max_workgroup_memory, small.max_workgroup_memory);
    lower(l.max_invocations_per_workgroup, small.max_invocations_per_workgroup);
    lower(l.max_workgroup_size_x, small.max_workgroup_size_x);
    reduced.subgroups = false;
    return reduced;
  }
};

TEST_P(SelectionLimitsTest, SlicesWindowsAndFoldedGridsAreRight) {
  std::set<std::string> planned;
  for (const NamedTraits& other : synthetic_devices()) {
    const auto traits = reduced_to(other.traits.limits);
    if (!traits) continue;
    for (const std::uint64_t size : {1500U, 20'011U}) {
      for (const SelectionDescription& d : kinds(size)) {
        for (const SelectionLayout& layout :
             {SelectionLayout{}, SelectionLayout{.misalignments = {3, 5, 1, 2, 7, 9}},
              SelectionLayout{.misalignments = {}, .counted = true}}) {
          const auto plan = plan_selection(d, *traits, layout);
          if (!plan) {
            EXPECT_TRUE(names_a_limit(plan.error())) << other.name;
            continue;
          }
          planned.insert(other.name);
          EXPECT_TRUE(is_right(device(), *plan, make_case(d, layout, size - 700, 0.5, 3)))
              << other.name;
        }
      }
    }
  }
  for (const char* name : {"2WorkgroupsPerDimension", "9000BytesPerBinding", "65537BytesPerBinding",
                           "SmallWorkgroups", "FourStorageBuffers", "SmallInEveryRespect"}) {
    EXPECT_TRUE(planned.contains(name)) << name << " is too small for every size";
  }
}

CUMULO_ON_EVERY_GPU(SelectionLimitsTest);

}  // namespace
}  // namespace cumulo::test
