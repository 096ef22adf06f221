// Slices, folded grids and small tiles give the right values, and the same bits as the plan for the
// device's own limits: the order of combination does not depend on the plan.
#include "api/plan_runner.hpp"
#include "plan/plan_check.hpp"
#include "scan/check.hpp"

namespace cumulo::test {
namespace {

class SyntheticLimitsTest : public DeviceTest {
 protected:
  // The device as it is, with the smaller limits of another one; nothing where that is no smaller.
  std::optional<Traits> reduced_to(const Traits& other) {
    const Traits& real = device().traits();
    Traits reduced = real;
    const Limits& small = other.limits;
    Limits& l = reduced.limits;
    if (small.min_storage_offset_alignment < l.min_storage_offset_alignment) return std::nullopt;
    l.min_storage_offset_alignment = small.min_storage_offset_alignment;
    const auto lower = [](auto& mine, auto theirs) { mine = std::min(mine, theirs); };
    lower(l.max_storage_binding_size, small.max_storage_binding_size);
    lower(l.max_storage_buffers_per_stage, small.max_storage_buffers_per_stage);
    lower(l.max_workgroups_per_dimension, small.max_workgroups_per_dimension);
    lower(l.max_workgroup_memory, small.max_workgroup_memory);
    lower(l.max_invocations_per_workgroup, small.max_invocations_per_workgroup);
    lower(l.max_workgroup_size_x, small.max_workgroup_size_x);
    reduced.subgroups = real.subgroups && other.subgroups;
    return reduced;
  }

  template <Element T>
  testing::AssertionResult is_right(const ScanDescription& d, const Traits& traits,
                                    std::span<const T> values, const PlanOptions& options = {}) {
    const auto plan = plan_scan(d, traits, options);
    if (!plan) return names_a_limit(plan.error());
    std::vector<T> in(options.in_misalignment + d.n, T{77});
    std::copy(values.begin(), values.end(), in.begin() + options.in_misalignment);
    std::vector<T> wanted(options.out_misalignment + result_count(d) + guard_elements, T{99});
    const auto contents =
        run_plan(device(), *plan, std::as_bytes(std::span{in}), std::as_bytes(std::span{wanted}));
    if (!contents) return testing::AssertionFailure() << describe(contents.error());
    const Expected<T> expected = expected_scan<T>(d, values);
    std::copy(expected.values.begin(), expected.values.end(),
              wanted.begin() + options.out_misalignment);
    std::vector<T> found(wanted.size());
    std::memcpy(found.data(), (*contents)[1].data(), found.size() * sizeof(T));
    const auto equal = same<T>(wanted, found);
    if (equal) return equal;
    return testing::AssertionFailure() << equal.message() << " (" << text_of(d) << ")";
  }
};

TEST_P(SyntheticLimitsTest, FloatsKeepTheirBitsUnderAnyLimits) {
  const auto most = random_values<float>(std::min<std::uint64_t>(many(), 150'000), Operator::add);
  for (const NamedTraits& other : synthetic_devices()) {
    const auto traits = reduced_to(other.traits);
    if (!traits) continue;
    for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{1025}, std::uint64_t{16'385},
                                  std::uint64_t{most.size()}}) {
      const std::span values = std::span<const float>{most}.first(n);
      EXPECT_TRUE(is_right<float>({.n = n, .type = Type::f32}, *traits, values)) << other.name;
    }
  }
}

TEST_P(SyntheticLimitsTest, OptionsAreRightAcrossSlices) {
  Traits small;
  small.limits.max_storage_binding_size = 65537;
  small.limits.max_workgroups_per_dimension = 2;
  const auto traits = reduced_to(small);
  ASSERT_TRUE(traits);
  const auto values = random_values<float>(40'000, Operator::add);
  for (unsigned bits = 0; bits < 32; ++bits) {
    const ScanDescription d{.n = values.size(),
                            .type = Type::f32,
                            .kind = bits & 1 ? ScanKind::exclusive : ScanKind::inclusive,
                            .reverse = (bits & 2) != 0,
                            .init = bits & 8 ? std::optional<Scalar>{2.5F} : std::nullopt,
                            .include_initial = (bits & 4) != 0};
    const PlanOptions options{.in_misalignment = bits & 16 ? 63U : 0U,
                              .out_misalignment = bits & 16 ? 17U : 0U};
    EXPECT_TRUE(is_right<float>(d, *traits, values, options)) << "options " << bits;
  }
}

CUMULO_ON_EVERY_GPU(SyntheticLimitsTest);

}  // namespace
}  // namespace cumulo::test
