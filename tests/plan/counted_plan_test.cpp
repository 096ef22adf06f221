// Plans whose number of elements is known on the device only.
#include <nlohmann/json.hpp>

#include "plan_check.hpp"

namespace cumulo::test {
namespace {

TEST(CountedPlan, KeepsTheLimitsOfEveryDeviceOrNamesOne) {
  for (const NamedTraits& device : synthetic_devices()) {
    for (const std::uint64_t n : {1U, 5000U, 40'000U, 5'000'000U}) {
      for (const Aliasing aliasing : {Aliasing::none, Aliasing::in_place}) {
        const ScanDescription d{.n = n};
        const PlanOptions options{.aliasing = aliasing,
                                  .in_misalignment = 3,
                                  .out_misalignment = 3,
                                  .counted = true,
                                  .count_misalignment = 9};
        const auto plan = plan_scan(d, device.traits, options);
        if (plan) {
          EXPECT_TRUE(keeps_limits(*plan, d, device.traits, options)) << device.name << ", " << n;
          EXPECT_TRUE(plan->counted);
          EXPECT_TRUE(dispatches_alone(*plan));
        } else {
          EXPECT_TRUE(names_a_limit(plan.error())) << device.name << ", " << n;
        }
      }
    }
  }
}

TEST(CountedPlan, ReadsItsGridOnTheDevice) {
  const Plan plan = plan_scan({.n = 100'000}, {}, {.counted = true}).value();
  const auto json = nlohmann::json::parse(to_json(plan));
  EXPECT_EQ(json.at("counted"), true);
  std::size_t indirect = 0;
  for (const auto& step : json.at("steps")) {
    if (step.at("indirect").is_null()) continue;
    ++indirect;
    EXPECT_EQ(step["indirect"].at("offset").get<std::uint64_t>() % 4, 0U);
  }
  EXPECT_EQ(indirect, 2U) << "tiles are reduced, and scanned";
  EXPECT_NE(json.at("status"), nullptr);
  const std::string text = to_text(plan);
  EXPECT_NE(text.find("up to 100000 elements, counted on the device"), std::string::npos) << text;
  EXPECT_NE(text.find("at most 25 x 1 x 1 workgroups"), std::string::npos) << text;
}

TEST(CountedPlan, NeedsRoomAndAnAlgorithmForAnyNumber) {
  const auto nothing = plan_scan({.n = 0}, {}, {.counted = true});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().kind, ErrorKind::bad_argument);
  for (const Algorithm algorithm : {Algorithm::blelloch, Algorithm::single_pass}) {
    const auto plan = plan_scan({.n = 100, .algorithm = algorithm}, {}, {.counted = true});
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().kind, ErrorKind::unsupported);
    EXPECT_NE(plan.error().message.find(name(algorithm)), std::string::npos);
  }
}

}  // namespace
}  // namespace cumulo::test
