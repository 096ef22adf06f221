// Plans of reductions for smaller devices, run on a real one: slices, folded grids, batches, quads
// that begin inside a vector. The value is the total of an inclusive scan, to the bit.
#include "api/plan_runner.hpp"
#include "plan/plan_check.hpp"
#include "plan/reduce_plan.hpp"
#include "scan/check.hpp"

namespace cumulo::test {
namespace {

class ReduceLimitsTest : public DeviceTest {
 protected:
  // The device as it is, with the smaller limits of another one.
  Traits reduced_to(const Limits& other) {
    Traits traits = device().traits();
    Limits& l = traits.limits;
    const auto lower = [](auto& mine, auto theirs) { mine = std::min(mine, theirs); };
    lower(l.max_storage_binding_size, other.max_storage_binding_size);
    lower(l.max_workgroups_per_dimension, other.max_workgroups_per_dimension);
    lower(l.max_workgroup_memory, other.max_workgroup_memory);
    lower(l.max_invocations_per_workgroup, other.max_invocations_per_workgroup);
    lower(l.max_workgroup_size_x, other.max_workgroup_size_x);
    return traits;
  }

  // Garbage stands before and after the elements, and round the value.
  template <Element T>
  testing::AssertionResult is_right(const Plan& plan, const ScanDescription& d,
                                    std::span<const T> values, const PlanOptions& options = {}) {
    std::vector<T> in(options.in_misalignment + d.n, T{77});
    std::copy(values.begin(), values.end(), in.begin() + options.in_misalignment);
    std::vector<T> wanted(options.out_misalignment + 1 + guard_elements, T{99});
    const auto contents =
        run_plan(device(), plan, std::as_bytes(std::span{in}), std::as_bytes(std::span{wanted}));
    if (!contents) return testing::AssertionFailure() << describe(contents.error());
    wanted[options.out_misalignment] = expected_total<T>(d.op, values);
    std::vector<T> found(wanted.size());
    std::memcpy(found.data(), (*contents)[1].data(), found.size() * sizeof(T));
    auto equal = same<T>(wanted, found);
    return equal ? equal : equal << " (reduction by the total of a " << text_of(d) << ")";
  }
};

TEST_P(ReduceLimitsTest, FloatsKeepTheirBitsUnderAnyLimits) {
  const auto most = random_values<float>(std::min<std::uint64_t>(many(), 150'000), Operator::add);
  int planned = 0;
  for (const NamedTraits& other : synthetic_devices()) {
    for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{1025}, std::uint64_t{16'385},
                                  std::uint64_t{most.size()}}) {
      const auto plan = plan_reduce({.n = n, .type = Type::f32}, reduced_to(other.traits.limits));
      if (!plan) {
        EXPECT_TRUE(names_a_limit(plan.error())) << other.name;
        continue;
      }
      ++planned;
      const std::span values = std::span<const float>{most}.first(n);
      EXPECT_TRUE(is_right<float>(*plan, {.n = n, .type = Type::f32}, values)) << other.name;
    }
  }
  EXPECT_GE(planned, 40);
}

TEST_P(ReduceLimitsTest, EveryOffsetIsRightInEverySlice) {
  constexpr std::uint64_t n = 40'000;
  const Traits small =
      reduced_to({.max_storage_binding_size = 40'004, .max_workgroups_per_dimension = 2});
  const auto floats = random_values<float>(n, Operator::add);
  const auto words = random_values<std::uint32_t>(n, Operator::add);
  const auto pairs = random_values<std::uint64_t>(n, Operator::mul);
  for (const std::uint32_t in_at : {0U, 1U, 2U, 3U, 30U, 31U}) {
    const PlanOptions options{.in_misalignment = in_at, .out_misalignment = 17};
    const auto f = value_of(plan_reduce({.n = n, .type = Type::f32}, small, options));
    EXPECT_GE(f.steps.size(), 4U);
    EXPECT_TRUE(is_right<float>(f, {.n = n, .type = Type::f32}, floats, options)) << in_at;
    const auto u = value_of(plan_reduce({.n = n}, small, options));
    EXPECT_TRUE(is_right<std::uint32_t>(u, {.n = n}, words, options)) << in_at;
    const ScanDescription products{.n = n, .type = Type::u64, .op = Operator::mul};
    const auto p =
        value_of(plan_reduce({.n = n, .type = Type::u64, .op = Operator::mul}, small, options));
    EXPECT_TRUE(is_right<std::uint64_t>(p, products, pairs, options)) << in_at;
  }
}

// Totals of single tiles, so many that they are folded in several chunks.
TEST_P(ReduceLimitsTest, ManyTotalsAreFoldedInOrder) {
  const Traits small =
      reduced_to({.max_invocations_per_workgroup = 16, .max_workgroup_size_x = 16});
  const auto floats = random_values<float>(many(), Operator::add);
  const ReduceDescription d{.n = many(), .type = Type::f32};
  EXPECT_TRUE(is_right<float>(value_of(plan_reduce(d, small)), as_scan(d), floats));
}

// Batches, and single tiles after them, in one slice and in many.
TEST_P(ReduceLimitsTest, BatchesOfTilesAreFoldedInOrder) {
  for (const std::uint64_t binding : {std::uint64_t{1} << 27, std::uint64_t{70'000}}) {
    const Traits small = reduced_to({.max_storage_binding_size = binding,
                                     .max_invocations_per_workgroup = 16,
                                     .max_workgroup_size_x = 16});
    for (const std::uint64_t most_totals : {1U, 2U, 5U}) {
      for (const std::uint64_t n : {std::uint64_t{order::strip * 8 + 1}, std::uint64_t{39'937}}) {
        const PlanOptions options{.in_misalignment = 2};
        const auto floats = random_values<float>(n, Operator::add);
        const ReduceDescription f{.n = n, .type = Type::f32};
        const auto by_floats = value_of(plan::plan_reduce(f, small, options, most_totals));
        EXPECT_TRUE(is_right<float>(by_floats, as_scan(f), floats, options)) << most_totals;
        const auto words = random_values<std::uint32_t>(n, Operator::add);
        const auto by_words = value_of(plan::plan_reduce({.n = n}, small, options, most_totals));
        EXPECT_TRUE(is_right<std::uint32_t>(by_words, {.n = n}, words, options)) << most_totals;
      }
    }
  }
}

// Of fewer elements than there can be: the batches are as large, and more tiles may be left over.
TEST_P(ReduceLimitsTest, BatchesOfTilesThatTheDeviceCounts) {
  const Traits small =
      reduced_to({.max_invocations_per_workgroup = 16, .max_workgroup_size_x = 16});
  constexpr std::uint64_t most = order::strip * 40 + 17;
  const PlanOptions options{.in_misalignment = 2, .out_misalignment = 3, .counted = true};
  const auto floats = random_values<float>(most, Operator::add);
  const ReduceDescription d{.n = most, .type = Type::f32};
  for (const std::uint64_t most_totals : {1U, 2U, 5U}) {
    Plan plan = value_of(plan::plan_reduce(d, small, options, most_totals));
    const auto count = std::ranges::find(plan.buffers, BufferRole::count, &PlanBuffer::role);
    ASSERT_NE(count, plan.buffers.end());
    count->role = BufferRole::parameters;  // filled with what it holds
    for (const std::uint32_t n : {0U, 1U, 5000U, order::strip * 15, order::strip * 16 + 1,
                                  order::strip * 32 + 1, static_cast<std::uint32_t>(most)}) {
      count->contents = {n};
      EXPECT_TRUE(
          is_right<float>(plan, {.n = n, .type = Type::f32}, std::span{floats}.first(n), options))
          << most_totals << ", " << n;
    }
  }
}

TEST_P(ReduceLimitsTest, AValueInTheInputsBufferIsCopiedThere) {
  constexpr std::uint64_t n = 20'000;
  const auto floats = random_values<float>(n, Operator::add);
  const PlanOptions options{
      .aliasing = Aliasing::same_buffer, .in_misalignment = 3, .out_misalignment = 5};
  const Plan plan = value_of(plan_reduce({.n = n, .type = Type::f32}, device().traits(), options));
  EXPECT_FALSE(dispatches_alone(plan));
  EXPECT_TRUE(is_right<float>(plan, {.n = n, .type = Type::f32}, floats, options));
}

CUMULO_ON_EVERY_GPU(ReduceLimitsTest);

}  // namespace
}  // namespace cumulo::test
