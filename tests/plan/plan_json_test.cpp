// A plan as JSON and as text says all that the plan holds.
#include <nlohmann/json.hpp>

#include "plan_check.hpp"

namespace cumulo::test {
namespace {

TEST(PlanJson, ReadsBackAsThePlan) {
  Traits traits;
  traits.limits.max_storage_binding_size = 65537;
  const auto plan = plan_scan({.n = 50'000}, traits);
  ASSERT_TRUE(plan) << describe(plan.error());
  const auto json = nlohmann::json::parse(to_json(*plan));
  EXPECT_EQ(json.at("schema"), "cumulo-plan/1");
  EXPECT_EQ(json.at("n"), 50'000);
  EXPECT_EQ(json.at("algorithm"), plan->algorithm);
  EXPECT_EQ(json.at("scratch_bytes"), scratch_bytes(*plan));
  ASSERT_EQ(json.at("buffers").size(), plan->buffers.size());
  for (std::size_t i = 0; i < plan->buffers.size(); ++i) {
    EXPECT_EQ(json["buffers"][i].at("name"), plan->buffers[i].name);
    EXPECT_EQ(json["buffers"][i].at("bytes"), plan->buffers[i].bytes);
  }
  ASSERT_EQ(json.at("steps").size(), plan->steps.size());
  for (std::size_t i = 0; i < plan->steps.size(); ++i) {
    const auto* dispatch = std::get_if<DispatchStep>(&plan->steps[i]);
    if (!dispatch) continue;
    EXPECT_EQ(json["steps"][i].at("workgroups"), dispatch->workgroups);
    EXPECT_EQ(json["steps"][i].at("kernel"), plan->kernels[dispatch->kernel].name);
    EXPECT_EQ(json["steps"][i].at("kernel_index"), dispatch->kernel);
    ASSERT_EQ(json["steps"][i].at("bindings").size(), dispatch->bindings.size());
    for (std::size_t b = 0; b < dispatch->bindings.size(); ++b) {
      EXPECT_EQ(json["steps"][i]["bindings"][b].at("index"), dispatch->bindings[b].buffer);
    }
  }
}

TEST(PlanJson, HoldsSourcesOnlyWhenAsked) {
  const auto plan = plan_scan({.n = 100}, {});
  ASSERT_TRUE(plan);
  EXPECT_FALSE(nlohmann::json::parse(to_json(*plan))["kernels"][0].contains("wgsl"));
  EXPECT_EQ(nlohmann::json::parse(to_json(*plan, true))["kernels"][0].at("wgsl"),
            plan->kernels[0].wgsl);
}

TEST(PlanJson, HoldsTheCountsOfATeachingForm) {
  const auto plan = plan_scan({.n = 256, .algorithm = Algorithm::hillis_steele}, {});
  ASSERT_TRUE(plan);
  const auto counts = nlohmann::json::parse(to_json(*plan)).at("counts");
  EXPECT_EQ(counts.at("additions"), 1793);
  EXPECT_EQ(counts.at("steps"), 8);
  EXPECT_EQ(counts.at("barriers"), 16);
}

TEST(PlanText, NamesEveryBufferKernelAndStep) {
  const auto plan = plan_scan({.n = 100'000}, {});
  ASSERT_TRUE(plan);
  const std::string text = to_text(*plan);
  for (const PlanBuffer& buffer : plan->buffers) {
    EXPECT_NE(text.find(buffer.name), std::string::npos) << buffer.name;
  }
  for (const PlanKernel& kernel : plan->kernels) {
    EXPECT_NE(text.find(kernel.name), std::string::npos) << kernel.name;
  }
  EXPECT_NE(text.find("100000"), std::string::npos);
}

}  // namespace
}  // namespace cumulo::test
