// The algorithms chosen by name: the teaching forms up to the limit of their one workgroup.
#include "check.hpp"

namespace cumulo::test {
namespace {

constexpr std::array teaching_forms{Algorithm::hillis_steele, Algorithm::blelloch,
                                    Algorithm::subgroup};

class AlgorithmTest : public DeviceTest {};

// The teaching forms are GPU kernels; the CPU backend has none.
class TeachingTest : public DeviceTest {
 protected:
  bool is_planned(Algorithm algorithm, std::uint64_t n) {
    return plan_scan({.n = n, .algorithm = algorithm}, device().traits()).has_value();
  }
  // The largest n that the algorithm takes on this device; 0 where it takes none.
  std::uint64_t limit_of(Algorithm algorithm) {
    std::uint64_t limit = 0;
    for (std::uint64_t step = 1 << 20; step > 0; step /= 2) {
      if (is_planned(algorithm, limit + step)) limit += step;
    }
    return limit;
  }
};

TEST_P(TeachingTest, TeachingFormsAreRightUpToTheirLimit) {
  for (const Algorithm algorithm : teaching_forms) {
    const std::uint64_t limit = limit_of(algorithm);
    if (algorithm == Algorithm::subgroup && !device().traits().subgroups) {
      EXPECT_EQ(limit, 0U) << "planned without subgroups";
      continue;
    }
    ASSERT_GE(limit, 64U) << name(algorithm);
    for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3},
                                  std::uint64_t{17}, limit / 2 + 1, limit - 1, limit}) {
      const auto values = random_values<std::uint32_t>(n, Operator::add);
      for (unsigned bits = 0; bits < 8; ++bits) {
        const ScanDescription d{.kind = bits & 1 ? ScanKind::exclusive : ScanKind::inclusive,
                                .reverse = (bits & 2) != 0,
                                .init = bits & 4 ? std::optional<Scalar>{7U} : std::nullopt,
                                .algorithm = algorithm};
        ASSERT_TRUE(host_scan_is_right<std::uint32_t>(device(), d, values));
      }
    }
  }
}

TEST_P(TeachingTest, TeachingFormsKnowEveryOperator) {
  for (const Algorithm algorithm : teaching_forms) {
    const std::uint64_t n = std::min<std::uint64_t>(limit_of(algorithm), 100);
    if (n == 0) continue;
    for (const Operator op : all_operators) {
      // WGSL has a subgroup scan for these two only.
      const bool is_builtin = op == Operator::add || op == Operator::mul;
      if (algorithm == Algorithm::subgroup && !is_builtin) continue;
      if (!is_defined(op, Type::i32)) continue;
      const auto values = random_values<std::int32_t>(n, op);
      EXPECT_TRUE(
          host_scan_is_right<std::int32_t>(device(), {.op = op, .algorithm = algorithm}, values));
    }
    // Small whole numbers: exact in whatever order they are added.
    std::vector<float> whole(n);
    for (std::size_t i = 0; i < n; ++i) whole[i] = static_cast<float>(i % 5);
    EXPECT_TRUE(host_scan_is_right<float>(device(), {.algorithm = algorithm}, whole));
    const std::vector<Half> halves(whole.begin(), whole.end());
    for (const bool include_initial : {false, true}) {
      const ScanDescription d{.kind = ScanKind::exclusive,
                              .reverse = include_initial,
                              .include_initial = include_initial,
                              .algorithm = algorithm};
      EXPECT_TRUE(buffer_scan_is_right<Half>(device(), d, halves));
      EXPECT_TRUE(host_scan_is_right<Half>(device(), d, std::span{halves}.first(n - 1)));
    }
  }
}

TEST_P(TeachingTest, TeachingFormsScanWordPairs) {
  for (const Algorithm algorithm : {Algorithm::hillis_steele, Algorithm::blelloch}) {
    for_each_type_and_operator({Type::u64, Type::i64}, [&]<class T>(Operator op) {
      const auto values = random_values<T>(100, op);
      for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
        const ScanDescription d{
            .op = op, .kind = kind, .init = Scalar{T{9}}, .algorithm = algorithm};
        EXPECT_TRUE(host_scan_is_right<T>(device(), d, values));
      }
    });
  }
}

TEST_P(TeachingTest, TheSubgroupFormNamesATypeThatItLacks) {
  if (limit_of(Algorithm::subgroup) == 0) GTEST_SKIP() << "no subgroup operations on this device";
  const std::vector<std::uint64_t> values(10, 1);
  const auto scanned =
      inclusive_scan<std::uint64_t>(device(), values, {.algorithm = Algorithm::subgroup});
  ASSERT_FALSE(scanned);
  EXPECT_EQ(scanned.error().kind, ErrorKind::unsupported);
  EXPECT_NE(scanned.error().message.find("u64"), std::string::npos) << scanned.error().message;
}

TEST_P(TeachingTest, TheSubgroupFormNamesAnOperatorThatItLacks) {
  if (limit_of(Algorithm::subgroup) == 0) GTEST_SKIP() << "no subgroup operations on this device";
  const std::vector<std::uint32_t> values(10, 1);
  const auto scanned = inclusive_scan<std::uint32_t>(
      device(), values, {.op = Operator::max, .algorithm = Algorithm::subgroup});
  ASSERT_FALSE(scanned);
  EXPECT_EQ(scanned.error().kind, ErrorKind::unsupported);
  EXPECT_NE(scanned.error().message.find("max"), std::string::npos) << scanned.error().message;
}

TEST_P(TeachingTest, TeachingFormsNameTheirLimit) {
  for (const Algorithm algorithm : teaching_forms) {
    const std::uint64_t limit = limit_of(algorithm);
    if (limit == 0) continue;
    const std::vector<std::uint32_t> values(limit + 1, 1);
    const auto scanned = inclusive_scan<std::uint32_t>(device(), values, {.algorithm = algorithm});
    ASSERT_FALSE(scanned) << name(algorithm);
    EXPECT_EQ(scanned.error().kind, ErrorKind::unsupported);
    EXPECT_NE(scanned.error().message.find(std::to_string(limit)), std::string::npos)
        << scanned.error().message;
  }
}

TEST_P(AlgorithmTest, ReportsWhatRan) {
  const auto values = random_values<std::uint32_t>(50, Operator::add);
  const std::vector<Algorithm> algorithms =
      is_cpu()
          ? std::vector{Algorithm::serial, Algorithm::blocked}
          : std::vector{Algorithm::reduce_then_scan, Algorithm::hillis_steele, Algorithm::blelloch};
  for (const Algorithm algorithm : algorithms) {
    const auto scanned = value_of(
        scan<std::uint32_t>(device(), ScanKind::inclusive, values, {.algorithm = algorithm}));
    EXPECT_EQ(scanned.report.algorithm, name(algorithm));
  }
}

TEST_P(AlgorithmTest, AnAlgorithmOfTheOtherBackendIsUnsupported) {
  const std::vector<std::uint32_t> values(10, 1);
  const std::vector<Algorithm> foreign =
      is_cpu() ? std::vector{Algorithm::hillis_steele, Algorithm::blelloch, Algorithm::subgroup,
                             Algorithm::reduce_then_scan}
               : std::vector{Algorithm::serial, Algorithm::blocked};
  for (const Algorithm algorithm : foreign) {
    const auto scanned = inclusive_scan<std::uint32_t>(device(), values, {.algorithm = algorithm});
    ASSERT_FALSE(scanned) << name(algorithm);
    EXPECT_EQ(scanned.error().kind, ErrorKind::unsupported);
    EXPECT_NE(scanned.error().message.find(name(algorithm)), std::string::npos)
        << scanned.error().message;
  }
}

CUMULO_ON_EVERY_DEVICE(AlgorithmTest);
CUMULO_ON_EVERY_GPU(TeachingTest);

}  // namespace
}  // namespace cumulo::test
