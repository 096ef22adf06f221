// Every size at which something in a scan changes.
#include "check.hpp"

namespace cumulo::test {
namespace {

class SizeTest : public DeviceTest {};

TEST_P(SizeTest, SumsAreRightAtEveryEdge) {
  for (const std::uint64_t n : edge_sizes()) {
    for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
      const auto integers = random_values<std::uint32_t>(n, Operator::add);
      EXPECT_TRUE(buffer_scan_is_right<std::uint32_t>(device(), {.kind = kind}, integers));
      const auto floats = random_values<float>(n, Operator::add);
      EXPECT_TRUE(buffer_scan_is_right<float>(device(), {.kind = kind}, floats));
      const auto halves = random_values<Half>(n, Operator::add);
      EXPECT_TRUE(buffer_scan_is_right<Half>(device(), {.kind = kind}, halves));
    }
  }
}

TEST_P(SizeTest, EveryTypeAndOperatorIsRightPastOneTile) {
  const std::uint64_t n = std::min(many(), 3 * tile_elements() + order::strip + order::row + 7);
  for_each_type_and_operator(types(), [&]<class T>(Operator op) {
    const auto values = random_values<T>(n, op);
    EXPECT_TRUE(buffer_scan_is_right<T>(device(), {.op = op}, values));
  });
}

TEST_P(SizeTest, EverySmallSizeIsRight) {
  const std::uint64_t most = many() > 1'000'000 ? 1200 : 140;
  const auto values = random_values<float>(most, Operator::add);
  const auto halves = random_values<Half>(most, Operator::add);
  for (std::uint64_t n = 0; n <= most; ++n) {
    ASSERT_TRUE(host_scan_is_right<float>(device(), {}, std::span{values}.first(n)));
    ASSERT_TRUE(host_scan_is_right<Half>(device(), {}, std::span{halves}.first(n)));
  }
}

TEST_P(SizeTest, NoElementsGiveTheIdentity) {
  for_each_type_and_operator(types(), [&]<class T>(Operator op) {
    for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
      for (const bool include_initial : {false, true}) {
        for (const std::optional<Scalar>& init : {std::optional<Scalar>{}, {Scalar{T{3}}}}) {
          const ScanDescription d{
              .op = op, .kind = kind, .init = init, .include_initial = include_initial};
          EXPECT_TRUE(host_scan_is_right<T>(device(), d, {}));
          EXPECT_TRUE(buffer_scan_is_right<T>(device(), d, {}));
        }
      }
    }
  });
}

CUMULO_ON_EVERY_DEVICE(SizeTest);

}  // namespace
}  // namespace cumulo::test
