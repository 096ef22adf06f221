// The teaching form `subgroup` at every width that WGSL allows, on devices of any.
#include <regex>

#include "api/plan_runner.hpp"
#include "gpu/counted.hpp"
#include "gpu/subgroups_in_memory.hpp"
#include "scan/check.hpp"

namespace cumulo::test {
namespace {

class SubgroupWidthTest : public DeviceTest {
 protected:
  template <Element T>
  testing::AssertionResult is_right(std::uint32_t width, ScanDescription d,
                                    std::span<const T> values) {
    d.n = values.size();
    d.type = type_of<T>;
    d.algorithm = Algorithm::subgroup;
    Traits traits = device().traits();
    traits.subgroups = true;
    traits.subgroup_min_size = traits.subgroup_max_size = traits.subgroup_width = width;
    Plan plan = value_of(plan_scan(d, traits, {.count_combines = true}));
    for (PlanKernel& kernel : plan.kernels) {
      kernel.wgsl = with_subgroups_in_memory(kernel, width);
      static const std::regex own{R"(@builtin\(subgroup|\bsubgroup[A-Z]\w*\()"};
      if (std::regex_search(kernel.wgsl, own)) {
        return testing::AssertionFailure() << "the device's own subgroups are left";
      }
    }
    const std::vector<T> poison(result_count(d));
    const auto contents =
        value_of(run_plan(device(), plan, std::as_bytes(values), std::as_bytes(std::span{poison})));
    std::vector<T> found(result_count(d));
    std::memcpy(found.data(), contents[1].data(), found.size() * sizeof(T));
    if (auto equal = same<T>(expected_scan<T>(d, values).values, found); !equal) {
      return equal << " (" << text_of(d) << ")";
    }
    return counted_as_planned(plan, contents) << " (" << text_of(d) << ")";
  }
};

TEST_P(SubgroupWidthTest, EveryWidthIsRight) {
  for (const std::uint32_t width : {4U, 8U, 16U, 32U, 64U, 128U}) {
    for (const std::uint64_t n : {1U, 3U, width - 1, width, width + 1, 100U, 128U, 255U, 256U}) {
      const auto whole = random_values<std::uint32_t>(n, Operator::add);
      EXPECT_TRUE(is_right<std::uint32_t>(width, {}, whole)) << "width " << width;
    }
    const ScanDescription exclusive{
        .op = Operator::mul, .kind = ScanKind::exclusive, .reverse = true, .init = Scalar{7}};
    const auto factors = random_values<std::int32_t>(200, Operator::mul);
    EXPECT_TRUE(is_right<std::int32_t>(width, exclusive, factors)) << "width " << width;
    // Small whole numbers: exact in whatever order they are added.
    std::vector<float> small(201);
    for (std::size_t i = 0; i < small.size(); ++i) small[i] = static_cast<float>(i % 5);
    EXPECT_TRUE(is_right<float>(width, {}, small)) << "width " << width;
    const std::vector<Half> halves(small.begin(), small.end());
    EXPECT_TRUE(is_right<Half>(width, {.include_initial = true}, halves)) << "width " << width;
  }
}

CUMULO_ON_EVERY_GPU(SubgroupWidthTest);

}  // namespace
}  // namespace cumulo::test
