// The passes for subgroups of 32 lanes, on devices whose subgroups have other widths: their
// shuffles go through workgroup memory here, so that their trees, their order and the ways elements
// lie in memory can be seen to be right for any element.
#include "api/impl.hpp"
#include "api/plan_runner.hpp"
#include "gpu/subgroups_in_memory.hpp"
#include "plan/caller.hpp"
#include "plan/scan_plans.hpp"
#include "scan/check.hpp"

namespace cumulo::test {
namespace {

class SubgroupPassTest : public DeviceTest {
 protected:
  // The request's plan by `make`, run on `in` and `out` as they are: what `out` holds then.
  template <class T, class Make>
  Result<std::vector<T>> run(ScanDescription d, const PlanOptions& options, std::span<const T> in,
                             std::span<const T> out, Make&& make) {
    Traits traits = device().traits();
    traits.subgroups = true;
    traits.subgroup_width = 32;
    if (most_workgroups_ != 0) traits.limits.max_workgroups_per_dimension = most_workgroups_;
    const bool starts = d.kind == ScanKind::exclusive || d.include_initial;
    const plan::Words absent = plan::absent_words(d);
    const plan::ScanRequest request{d, traits, options,
                                    has_init(d) ? plan::init_words(d)
                                    : starts    ? plan::identity_words(d)
                                                : absent,
                                    absent};
    Plan plan = value_of(make(request));
    dispatches_ = 0;
    for (const PlanStep& step : plan.steps)
      dispatches_ += std::holds_alternative<DispatchStep>(step);
    for (PlanKernel& kernel : plan.kernels) {
      kernel.wgsl = with_subgroups_in_memory(kernel, 32);
    }
    // lavapipe ends every loop after 65,536 rounds: a millisecond, in which a busy machine may keep
    // the workgroup that is waited for from running.
    for (int attempt = 0; attempt < 50; ++attempt) {
      const auto contents = run_plan(device(), plan, std::as_bytes(in), std::as_bytes(out));
      if (!contents) return std::unexpected{contents.error()};
      std::uint32_t stalled = 1;
      std::memcpy(&stalled, &(*contents)[plan.status->buffer][plan.status->offset], 4);
      if (stalled != 0) continue;
      std::vector<T> found(out.size());
      std::memcpy(found.data(), (*contents)[1].data(), out.size_bytes());
      return found;
    }
    return std::unexpected{Error{ErrorKind::stalled, "a tile waited too long"}};
  }

  template <class T>
  testing::AssertionResult gives(ScanDescription d, std::span<const T> values,
                                 std::span<const T> expected) {
    d.n = values.size();
    const std::vector<T> out(values.size());
    const auto found = run<T>(d, {}, values, out, [](const plan::ScanRequest& request) {
      return plan::plan_small_pass(request, {.rows_each = 8});
    });
    if (!found) return testing::AssertionFailure() << describe(found.error());
    return same_bits<T>(d, expected, *found);
  }

  template <class T>
  static testing::AssertionResult same_bits(const ScanDescription& d, std::span<const T> expected,
                                            std::span<const T> found) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (std::memcmp(&found[i], &expected[i], sizeof(T)) == 0) continue;
      return testing::AssertionFailure() << "element " << i << " differs (" << text_of(d) << ")";
    }
    return testing::AssertionSuccess();
  }

  std::uint32_t most_workgroups_ = 0;  // of a dispatch, where not 0
  std::size_t dispatches_ = 0;         // of the last plan

  // One tile; several, which wait for one another; several groups of 32.
  static constexpr std::array<std::uint64_t, 7> sizes{1, 130, 1025, 4096, 4097, 9000, 150'000};
  static constexpr std::uint64_t most = sizes.back();

  // The large pass, whose elements lie among others: those are left alone.
  template <class T>
  testing::AssertionResult lies_anywhere(const ScanDescription& d, const PlanOptions& options,
                                         const plan::SinglePassShape& shape,
                                         std::span<const T> values) {
    const bool in_place = options.aliasing == Aliasing::in_place;
    const T garbage = std::bit_cast<T>(Filled<sizeof(T)>{});
    const std::uint64_t in_at = in_place ? options.out_misalignment : options.in_misalignment;
    std::vector<T> in(in_at + d.n + 5, garbage);
    std::ranges::copy(values, in.begin() + static_cast<std::ptrdiff_t>(in_at));
    std::vector<T> out(options.out_misalignment + result_count(d) + 5, garbage);
    if (in_place) out = in;
    const auto found = run<T>(d, options, in, out, [&](const plan::ScanRequest& request) {
      return plan::plan_single_pass(request, shape);
    });
    if (!found) return testing::AssertionFailure() << describe(found.error());
    const auto expected = expected_scan<T>(d, values).values;
    std::ranges::copy(expected,
                      out.begin() + static_cast<std::ptrdiff_t>(options.out_misalignment));
    return same_bits<T>(d, out, *found)
           << " aliasing " << static_cast<int>(options.aliasing) << ", from "
           << options.in_misalignment << " to " << options.out_misalignment;
  }

  template <std::size_t n>
  struct Filled {
    std::array<std::uint8_t, n> bytes = [] {
      std::array<std::uint8_t, n> all{};
      all.fill(0xA7);
      return all;
    }();
  };
};

TEST_P(SubgroupPassTest, SmallNumbersAreRight) {
  for_each_type_and_operator(types(), [&]<class T>(Operator op) {
    if (op != Operator::add && op != Operator::min) return;
    const auto values = random_values<T>(most, op);
    for (const std::uint64_t n : sizes) {
      if (n == most && type_of<T> != Type::f32) continue;  // slow

      const ScanDescription d{.n = n, .type = type_of<T>, .op = op};
      const std::span<const T> some = std::span{values}.first(n);
      EXPECT_TRUE(gives<T>(d, some, expected_scan<T>(d, some).values));
    }
  });
}

TEST_P(SubgroupPassTest, SmallNegativeZeroIsLessThanZero) {
  std::vector<float> zeros(sizes.back());
  for (std::size_t i = 0; i < zeros.size(); ++i) zeros[i] = i % 3 == 0 ? -0.0F : 0.0F;
  std::vector<float> wanted(zeros.size(), -0.0F);
  EXPECT_TRUE(gives<float>({.type = Type::f32, .op = Operator::min}, zeros, wanted));
  std::fill(wanted.begin() + 1, wanted.end(), 0.0F);
  EXPECT_TRUE(gives<float>({.type = Type::f32, .op = Operator::max}, zeros, wanted));
}

TEST_P(SubgroupPassTest, SmallOperatorsThatDoNotCommuteAreRight) {
  const auto combine = [](const Affine& older, const Affine& newer) {
    return Affine{older.a * newer.a, newer.a * older.b + newer.b};
  };
  std::vector<Affine> maps(most);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    maps[i] = {1 + static_cast<float>(i * 37 % 101) / 65536, static_cast<float>(i * 61 % 89) - 44};
  }
  for (const std::uint64_t n : sizes) {
    for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
      const ScanDescription d{.n = n, .kind = kind, .monoid = affine_monoid()};
      const std::span<const Affine> some = std::span{maps}.first(n);
      const auto expected = expected_forward<Affine>(
          d, some, std::nullopt, {}, false, [&](const Affine& older, const Affine& newer) {
            if (older == Affine{}) return newer;
            return newer == Affine{} ? older : combine(older, newer);
          });
      EXPECT_TRUE(gives<Affine>(d, some, expected.values));
    }
  }
}

constexpr plan::SinglePassShape small_tiles{.workgroup_size = 128, .rows = 4, .direct_groups = 0};
constexpr plan::SinglePassShape whole_strips{.workgroup_size = 256, .rows = 8, .direct_groups = 4};
// As many subgroups as there is to wait for: all of them shuffle then.
constexpr plan::SinglePassShape any_rows{.workgroup_size = 128,
                                         .rows = 3,
                                         .direct_groups = 1,
                                         .after_previous = true,
                                         .any_order = true};

// A kernel is made for each way: so only some of them are tried with each size.
TEST_P(SubgroupPassTest, LargeLiesAnywhere) {
  const auto try_all = [&]<class T>(std::initializer_list<std::uint32_t> places,
                                    const plan::SinglePassShape& shape) {
    const auto values = random_values<T>(4'333, Operator::add);
    std::uint32_t way = 0;
    for (const bool reverse : {false, true}) {
      for (const int results : {0, 1, 2}) {  // inclusive, exclusive, with the initial value
        for (const std::uint32_t in : places) {
          for (const std::uint32_t out : places) {
            if (++way % 3 != 0) continue;
            const std::uint64_t n = std::array{4'333U, 2'048U, 1'030U, 16U, 3'071U}[way % 5];
            ScanDescription d{.n = n, .type = type_of<T>, .reverse = reverse};
            if (results == 1) d.kind = ScanKind::exclusive;
            d.include_initial = results == 2;
            const std::span<const T> some = std::span{values}.first(n);
            const Aliasing aliasing = results != 2 && in == out ? Aliasing::in_place
                                      : way % 4 == 0            ? Aliasing::same_buffer
                                                                : Aliasing::none;
            const bool padded = way % 2 != 0;
            EXPECT_TRUE(lies_anywhere<T>(
                d,
                {.aliasing = aliasing,
                 .in_misalignment = in,
                 .out_misalignment = out,
                 .in_padded = padded && ends_in_a_vector((in + n) * sizeof(T)),
                 .out_padded = padded && ends_in_a_vector((out + result_count(d)) * sizeof(T))},
                shape, some));
          }
        }
      }
    }
  };
  try_all.operator()<std::uint32_t>({0, 1, 2, 3}, small_tiles);
  try_all.operator()<std::uint64_t>({0, 3}, small_tiles);
  try_all.operator()<Half>({0, 3}, small_tiles);
  try_all.operator()<std::uint32_t>({0, 3}, any_rows);
  try_all.operator()<std::uint64_t>({0, 3}, any_rows);
}

TEST_P(SubgroupPassTest, LargeNumbersAreRight) {
  for_each_type_and_operator(types(), [&]<class T>(Operator op) {
    if (op != Operator::add && !(op == Operator::min && type_of<T> == Type::f32)) return;
    const auto values = random_values<T>(40'000, op);
    for (const std::uint64_t n : {8'193ULL, 40'000ULL}) {
      const ScanDescription d{.n = n, .type = type_of<T>, .op = op};
      EXPECT_TRUE(lies_anywhere<T>(d, {}, whole_strips, std::span{values}.first(n)));
      if (std::is_floating_point_v<T> || n < 40'000) continue;
      EXPECT_TRUE(lies_anywhere<T>(d, {}, any_rows, std::span{values}.first(n)));
    }
  });
}

// Operators that do not commute: their elements are two words, which lanes exchange in pairs.
TEST_P(SubgroupPassTest, LargeOperatorsThatDoNotCommuteAreRight) {
  std::vector<Affine> maps(20'003);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    maps[i] = {1 + static_cast<float>(i * 37 % 101) / 65536, static_cast<float>(i * 61 % 89) - 44};
  }
  for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
    const ScanDescription d{.n = maps.size(), .kind = kind, .monoid = affine_monoid()};
    const auto expected = expected_forward<Affine>(
        d, maps, std::nullopt, {}, false, [&](const Affine& older, const Affine& newer) {
          if (older == Affine{}) return newer;
          if (newer == Affine{}) return older;
          return Affine{older.a * newer.a, newer.a * older.b + newer.b};
        });
    const std::vector<Affine> out(maps.size());
    const auto found = run<Affine>(d, {}, maps, out, [](const plan::ScanRequest& request) {
      return plan::plan_single_pass(request, small_tiles);
    });
    ASSERT_TRUE(found) << describe(found.error());
    EXPECT_TRUE(same_bits<Affine>(d, expected.values, *found));
  }
}

// The look-back in any order: groups, and blocks of 32 groups of 32 tiles.
TEST_P(SubgroupPassTest, LargeGroupsInAnyOrderAreRight) {
  plan::SinglePassShape shape = any_rows;
  shape.rows = 1;
  shape.gate = 8;
  shape.gate_end = 2'000;
  // Threads that share a processor wait too long for so many.
  const std::uint64_t tiles = device().traits().forward_progress ? 3 * 1'024 + 70 : 32 * 7;
  const std::uint64_t n = tiles * 512 + 5;
  const auto values = random_values<std::uint32_t>(n, Operator::add);
  EXPECT_TRUE(lies_anywhere<std::uint32_t>({.n = n}, {}, shape, values));
}

// In slices of three and four tiles, which lie anywhere and end anywhere. Only some of the ways are
// tried with each type.
TEST_P(SubgroupPassTest, LargeSlicesAreRight) {
  most_workgroups_ = 4;
  std::uint32_t way = 0;
  const auto try_all = [&]<class T>(const plan::SinglePassShape& shape, std::uint64_t tile) {
    const auto values = random_values<T>(7 * tile, Operator::add);
    for (const bool reverse : {false, true}) {
      for (const int results : {0, 1, 2}) {  // inclusive, exclusive, with the initial value
        for (const auto& [in, out] : {std::pair{0U, 0U}, {3U, 0U}, {1U, 2U}}) {
          if (++way % 5 != 0) continue;  // two kernels each
          ScanDescription d{.n = 7 * tile - std::array{0U, 1U, 1'001U}[way % 3],
                            .type = type_of<T>,
                            .reverse = reverse};
          if (results == 1) d.kind = ScanKind::exclusive;
          d.include_initial = results == 2;
          const Aliasing aliasing = results == 1 && way % 2 == 0 ? Aliasing::in_place
                                    : way % 4 == 0               ? Aliasing::same_buffer
                                                                 : Aliasing::none;
          const bool padded = way % 2 != 0;
          EXPECT_TRUE(lies_anywhere<T>(
              d,
              {.aliasing = aliasing,
               .in_misalignment = aliasing == Aliasing::in_place ? out : in,
               .out_misalignment = out,
               .in_padded = padded && ends_in_a_vector((in + d.n) * sizeof(T)),
               .out_padded = padded && ends_in_a_vector((out + result_count(d)) * sizeof(T))},
              shape, std::span{values}.first(d.n)));
          EXPECT_EQ(dispatches_, 2U);
        }
      }
    }
  };
  try_all.operator()<std::uint32_t>(any_rows, 1'536);
  try_all.operator()<float>(small_tiles, 2'048);
  try_all.operator()<std::uint64_t>(small_tiles, 2'048);
  try_all.operator()<Half>(small_tiles, 2'048);
}

// Groups of tiles, the last four of them read tile by tile.
TEST_P(SubgroupPassTest, LargeGroupsAreRight) {
  plan::SinglePassShape shape = whole_strips;
  shape.rows = 4;
  const std::uint64_t n = 32 * 7 * 4'096 + 5;
  const auto values = random_values<float>(n, Operator::add);
  const ScanDescription d{.n = n, .type = Type::f32};
  EXPECT_TRUE(lies_anywhere<float>(d, {}, shape, values));
}

CUMULO_ON_EVERY_GPU(SubgroupPassTest);

}  // namespace
}  // namespace cumulo::test
