// Slices, folded grids and small tiles give the right values, and the same bits as the plan for the
// device's own limits: the order of combination does not depend on the plan.
#include <set>

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

  // Runs the plan of such a device on the real one; in place where the options say so.
  template <Element T>
  testing::AssertionResult is_right(const ScanDescription& d, const Plan& plan,
                                    std::span<const T> values, const PlanOptions& options = {}) {
    std::vector<T> in(options.in_misalignment + d.n, T{77});
    std::copy(values.begin(), values.end(), in.begin() + options.in_misalignment);
    std::vector<T> wanted(options.out_misalignment + result_count(d) + guard_elements, T{99});
    const auto results = wanted.begin() + options.out_misalignment;
    if (options.aliasing == Aliasing::in_place) {
      std::copy(values.begin(), values.end(), results);
      std::fill(in.begin(), in.end(), T{77});  // nothing may be read from here
    }
    const auto contents =
        run_plan(device(), plan, std::as_bytes(std::span{in}), std::as_bytes(std::span{wanted}));
    if (!contents) return testing::AssertionFailure() << describe(contents.error());
    const Expected<T> expected = expected_scan<T>(d, values);
    std::copy(expected.values.begin(), expected.values.end(), results);
    std::vector<T> found(wanted.size());
    std::memcpy(found.data(), (*contents)[1].data(), found.size() * sizeof(T));
    T total{};
    std::memcpy(static_cast<void*>(&total), (*contents)[2].data(), sizeof total);
    auto equal = same<T>(wanted, found);
    if (equal) equal = same<T>(std::vector{expected.total}, std::vector{total});
    if (equal) return equal;
    return testing::AssertionFailure() << equal.message() << " (" << text_of(d) << ")";
  }
};

TEST_P(SyntheticLimitsTest, FloatsKeepTheirBitsUnderAnyLimits) {
  const auto most = random_values<float>(std::min<std::uint64_t>(many(), 150'000), Operator::add);
  std::set<std::string> planned;
  for (const NamedTraits& other : synthetic_devices()) {
    const auto traits = reduced_to(other.traits);
    if (!traits) continue;
    for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{1025}, std::uint64_t{16'385},
                                  std::uint64_t{most.size()}}) {
      const ScanDescription d{.n = n, .type = Type::f32};
      const auto plan = plan_scan(d, *traits);
      if (!plan) {
        EXPECT_TRUE(names_a_limit(plan.error())) << other.name;
        continue;
      }
      planned.insert(other.name);
      const std::span values = std::span<const float>{most}.first(n);
      EXPECT_TRUE(is_right<float>(d, *plan, values)) << other.name;
    }
  }
  for (const char* name : {"2WorkgroupsPerDimension", "65537BytesPerBinding", "SmallWorkgroups",
                           "FourStorageBuffers", "SmallInEveryRespect"}) {
    EXPECT_TRUE(planned.contains(name)) << name << " is too small for every size";
  }
}

class ManySlicesTest : public SyntheticLimitsTest {
 protected:
  // Four slices, each a folded grid of 2 x 2 workgroups.
  static constexpr std::uint64_t n = 40'000;
  Traits small() {
    Traits traits;
    traits.limits.max_storage_binding_size = 65537;
    traits.limits.max_workgroups_per_dimension = 2;
    return reduced_to(traits).value();
  }
  static ScanDescription described(Type type, unsigned bits) {
    const Scalar init = type == Type::f32   ? Scalar{2.5F}
                        : type == Type::f16 ? Scalar{Half(2.5)}
                                            : Scalar{std::uint32_t{7}};
    return {.n = n,
            .type = type,
            .kind = bits & 1 ? ScanKind::exclusive : ScanKind::inclusive,
            .reverse = (bits & 2) != 0,
            .init = bits & 4 ? std::optional{init} : std::nullopt,
            .include_initial = (bits & 8) != 0};
  }
};

TEST_P(ManySlicesTest, ThePlanHasThem) {
  const Plan plan = value_of(plan_scan({.n = n}, small()));
  const auto has_folded_grid = [](const PlanStep& step) {
    const auto* dispatch = std::get_if<DispatchStep>(&step);
    return dispatch && dispatch->workgroups[0] > 1 && dispatch->workgroups[1] > 1;
  };
  EXPECT_GE(std::count_if(plan.steps.begin(), plan.steps.end(), has_folded_grid), 4);
}

TEST_P(ManySlicesTest, EveryOptionIsRight) {
  const auto floats = random_values<float>(n, Operator::add);
  const auto integers = random_values<std::uint32_t>(n, Operator::add);
  const auto halves = random_values<Half>(n, Operator::add);
  for (unsigned bits = 0; bits < 32; ++bits) {
    PlanOptions options;
    if (bits & 16) options = {.in_misalignment = 63, .out_misalignment = 17};
    const ScanDescription f = described(Type::f32, bits);
    EXPECT_TRUE(is_right<float>(f, value_of(plan_scan(f, small(), options)), floats, options));
    const ScanDescription u = described(Type::u32, bits);
    EXPECT_TRUE(
        is_right<std::uint32_t>(u, value_of(plan_scan(u, small(), options)), integers, options));
    const ScanDescription h = described(Type::f16, bits);
    EXPECT_TRUE(is_right<Half>(h, value_of(plan_scan(h, small(), options)), halves, options));
  }
}

TEST_P(ManySlicesTest, EveryOptionIsRightInPlace) {
  const auto values = random_values<float>(n, Operator::add);
  const auto halves = random_values<Half>(n, Operator::add);
  for (unsigned bits = 0; bits < 8; ++bits) {
    for (const std::uint32_t misalignment : {0U, 17U}) {
      const ScanDescription d = described(Type::f32, bits);
      const PlanOptions options{.aliasing = Aliasing::in_place,
                                .in_misalignment = misalignment,
                                .out_misalignment = misalignment};
      EXPECT_TRUE(is_right<float>(d, value_of(plan_scan(d, small(), options)), values, options));
      const ScanDescription h = described(Type::f16, bits);
      EXPECT_TRUE(is_right<Half>(h, value_of(plan_scan(h, small(), options)), halves, options));
    }
  }
}

CUMULO_ON_EVERY_GPU(ManySlicesTest);
CUMULO_ON_EVERY_GPU(SyntheticLimitsTest);

}  // namespace
}  // namespace cumulo::test
