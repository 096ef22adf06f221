// Wide sums: u32 in u64, i32 in i64, f32 in pairs, f16 in f32.
#include <functional>
#include <limits>

#include "check.hpp"

namespace cumulo::test {
namespace {

template <class T>
Expected<WideOf<T>> expected_wide(const ScanDescription& d, std::span<const T> values) {
  using Wide = WideOf<T>;
  std::vector<Wide> widened;
  for (const T value : values) {
    if constexpr (std::is_same_v<T, float>) {
      widened.push_back({value, 0});
    } else {
      widened.push_back(value);
    }
  }
  return expected_either_way<Wide>(d, widened, [&](std::span<const Wide> forward) {
    std::optional<Wide> front;
    if constexpr (std::is_same_v<T, Half>) {
      if (d.init) front = std::get<float>(*d.init);
      return expected_forward<Wide>(d, forward, front, 0, false, std::plus<>());
    } else if constexpr (std::is_same_v<T, float>) {
      if (d.init) front = WideFloat{std::get<float>(*d.init), 0};
      return expected_forward<Wide>(d, forward, front, Wide{}, false, add_wide);
    } else {
      if (d.init) front = std::get<Wide>(*d.init);
      return expected_forward<Wide>(d, forward, front, Wide{}, true, [](Wide a, Wide b) {
        return static_cast<Wide>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
      });
    }
  });
}

template <class Wide>
testing::AssertionResult same_sums(std::span<const Wide> expected, std::span<const Wide> found) {
  if (expected.size() != found.size()) return testing::AssertionFailure() << "another count";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::memcmp(&expected[i], &found[i], sizeof(Wide)) != 0) {
      return testing::AssertionFailure() << "sum " << i << " differs";
    }
  }
  return testing::AssertionSuccess();
}

template <class T>
testing::AssertionResult is_right(Device& device, ScanDescription d, std::span<const T> values) {
  using Wide = WideOf<T>;
  d.n = values.size();
  d.type = type_of<T>;
  d.wide = true;
  const auto expected = expected_wide<T>(d, values);
  std::vector<Wide> out(result_count(d));
  const auto report =
      scan_bytes(device, d, std::as_bytes(values), std::as_writable_bytes(std::span{out}));
  if (!report) return testing::AssertionFailure() << describe(report.error());
  if (auto equal = same_sums<Wide>(expected.values, out); !equal) return equal << text_of(d);
  if (report->total_bytes != bytes_of(expected.total)) {
    return testing::AssertionFailure() << "the total differs: " << text_of(d);
  }
  // Between buffers, each at an offset of its own.
  auto prepared = value_of(prepare_scan(device, d));
  std::vector<T> in(values.size() + 3, T{99});
  std::copy(values.begin(), values.end(), in.begin() + 3);
  const Buffer input = value_of(device.upload(std::as_bytes(std::span{in})));
  std::vector<Wide> around(out.size() + 10);
  std::memset(static_cast<void*>(around.data()), 0x5A, around.size() * sizeof(Wide));
  const Buffer output = value_of(device.upload(std::as_bytes(std::span{around})));
  value_of(prepared.run(input, output, 3, 5));
  std::copy(expected.values.begin(), expected.values.end(), around.begin() + 5);
  std::vector<Wide> found(around.size());
  value_of(device.read(output, 0, std::as_writable_bytes(std::span{found})));
  return same_sums<Wide>(around, found) << " between buffers: " << text_of(d);
}

class WideTest : public DeviceTest {
 protected:
  template <class F>
  static void for_each_type(F&& f) {
    f.template operator()<std::uint32_t>();
    f.template operator()<std::int32_t>();
    f.template operator()<float>();
    f.template operator()<Half>();
  }
  template <class T>
  static std::optional<Scalar> an_init() {
    if constexpr (!std::is_integral_v<T>) {
      return Scalar{0.1F};
    } else {
      return Scalar{static_cast<WideOf<T>>(0x1'2345'6789)};
    }
  }
};

TEST_P(WideTest, EveryOptionIsRight) {
  for_each_type([&]<class T>() {
    const auto values = random_values<T>(2 * order::strip + order::row + 7, Operator::add);
    for (unsigned bits = 0; bits < 16; ++bits) {
      if (!is_cpu() && bits != 0 && bits != 1 && bits != 6 && bits != 12) continue;
      const ScanDescription d{.kind = bits & 1 ? ScanKind::exclusive : ScanKind::inclusive,
                              .reverse = (bits & 2) != 0,
                              .init = bits & 4 ? an_init<T>() : std::nullopt,
                              .include_initial = (bits & 8) != 0};
      EXPECT_TRUE(is_right<T>(device(), d, values));
    }
  });
}

TEST_P(WideTest, EverySizeIsRight) {
  for_each_type([&]<class T>() {
    const std::uint64_t most = std::min<std::uint64_t>(many(), 200'000);
    const auto values = random_values<T>(most, Operator::add);
    for (const std::uint64_t n :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{1023},
          std::uint64_t{1025}, std::uint64_t{8193}, most}) {
      EXPECT_TRUE(is_right<T>(device(), {}, std::span<const T>{values}.first(n)));
    }
  });
}

TEST_P(WideTest, SumsLeaveTheRangeOfTheirElements) {
  const std::vector<std::uint32_t> most(5, UINT32_MAX);
  EXPECT_EQ(value_of(wide_scan<std::uint32_t>(device(), ScanKind::inclusive, most)).total,
            5ULL * UINT32_MAX);
  const std::vector<std::int32_t> least(5, INT32_MIN);
  const auto sums = value_of(wide_scan<std::int32_t>(device(), ScanKind::exclusive, least));
  EXPECT_EQ(sums.values.back(), 4LL * INT32_MIN);
  EXPECT_EQ(std::get<std::int64_t>(sums.report.total), 5LL * INT32_MIN);
}

TEST_P(WideTest, FloatsKeepTheirErrorBound) {
  const std::uint64_t n = std::min<std::uint64_t>(many(), 200'000);
  auto values = random_values<float>(n, Operator::add);
  values[7] = 1e10F;       // all else vanishes beside it in f32
  values[n / 2] = -1e10F;  // and shows again
  const auto scanned = value_of(wide_scan<float>(device(), ScanKind::inclusive, values));
  long double exact = 0;
  long double magnitude = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    exact += values[i];
    magnitude += std::abs(values[i]);
    const long double sum =
        static_cast<long double>(scanned.values[i].high) + scanned.values[i].low;
    const long double bound =
        std::ldexp(2 * std::log2(static_cast<long double>(i + 1)) + 14, -46) * magnitude;
    ASSERT_LE(std::abs(sum - exact), bound) << i;
  }
}

TEST_P(WideTest, InfinityStaysAndTurnsNoSumIntoNaN) {
  std::vector<float> values(order::row + 9, 1.0F);
  values[order::row] = std::numeric_limits<float>::infinity();
  const auto sums = value_of(wide_scan<float>(device(), ScanKind::inclusive, values)).values;
  EXPECT_EQ(sums[order::row - 1], (WideFloat{order::row, 0}));
  for (std::size_t i = order::row; i < sums.size(); ++i) EXPECT_TRUE(std::isinf(sums[i].high));
}

TEST_P(WideTest, WhatCannotBeWideIsABadArgument) {
  const auto refused = [&](ScanDescription d) {
    d.n = 3;
    d.wide = true;
    const auto prepared = prepare_scan(device(), d);
    return !prepared && prepared.error().kind == ErrorKind::bad_argument;
  };
  EXPECT_TRUE(refused({.type = Type::u64}));
  EXPECT_TRUE(refused({.type = Type::f32, .op = Operator::max}));
  EXPECT_TRUE(refused({.type = Type::f16, .init = Scalar{Half(1)}}));
  EXPECT_TRUE(refused({.type = Type::u32, .init = Scalar{std::uint32_t{1}}}));
  EXPECT_TRUE(refused({.monoid = affine_monoid()}));
  auto prepared = value_of(prepare_scan(device(), {.n = 3, .wide = true}));
  const Buffer buffer = value_of(device().allocate(64));
  EXPECT_FALSE(prepared.run(buffer, buffer)) << "in place";
}

CUMULO_ON_EVERY_DEVICE(WideTest);

}  // namespace
}  // namespace cumulo::test
