// Devices smaller than any here: slices, windows of results, folded grids.
#include "api/impl.hpp"
#include "plan/plan_check.hpp"
#include "select/check.hpp"

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

CUMULO_ON_EVERY_GPU(SelectTest);

}  // namespace
}  // namespace cumulo::test
