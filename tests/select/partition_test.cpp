// Partition: the selected first, the others after them, both in their order.
#include "select/check.hpp"

namespace cumulo::test {
namespace {

class PartitionTest : public SelectTest {
 protected:
  template <class T>
  void expect_right(std::uint64_t n, double kept, FlagType type) {
    const auto values = random_elements<T>(n);
    const auto chosen = kept == 1.0 ? std::vector<bool>(n, true) : random_choice(n, kept);
    const auto flags = flags_of(type, chosen);
    const SelectionDescription d{
        .n = n, .arrays = {{sizeof(T)}}, .flags = type, .rest = Rest::follows, .indices = true};
    auto found = poisoned<T>(n);
    auto indices = poisoned<std::uint32_t>(n);
    const auto report =
        value_of(select_bytes(device(), d, {{std::as_bytes(std::span{values})}, flags},
                              {{bytes_in(found)}, indices, {}}));
    const auto split = chosen_of(values, chosen).size();
    EXPECT_EQ(report.count, split);
    EXPECT_TRUE(holds(joined(chosen_of(values, chosen), chosen_of(values, chosen, false)), found))
        << n << " elements of " << sizeof(T) << " bytes by " << report.algorithm;
    const auto all = counting(n);
    EXPECT_TRUE(holds(joined(chosen_of(all, chosen), chosen_of(all, chosen, false)), indices));
  }
};

TEST_P(PartitionTest, FlagsAtEverySize) {
  for (const std::uint64_t n : edges(most())) {
    expect_right<std::uint32_t>(n, 0.5, FlagType::u8);
    expect_right<std::uint32_t>(n, 0.1, FlagType::bits);
  }
}

TEST_P(PartitionTest, AllNoneAndLargeElements) {
  const std::uint64_t n = std::min<std::uint64_t>(most(), 30'001);
  for (const double kept : {0.0, 0.01, 0.99, 1.0}) {
    expect_right<std::uint32_t>(n, kept, FlagType::u8);
    expect_right<std::uint64_t>(n, kept, FlagType::u32);
    expect_right<Line>(n, kept, FlagType::u8);
  }
}

TEST_P(PartitionTest, ThreeWays) {
  for (const std::uint64_t n : edges(most())) {
    const auto values = random_elements<std::uint32_t>(n);
    for (const auto& [high, low] : {std::pair{0xc0000000U, 0x40000000U},
                                    {0xffffffffU, 0U},
                                    {0U, 0xffffffffU},
                                    {0xffffffffU, 0xffffffffU}}) {
      std::vector<std::uint32_t> a, b, c;
      for (const std::uint32_t x : values) (x > high ? a : x > low ? b : c).push_back(x);
      const auto found = value_of(
          partition(device(), std::span<const std::uint32_t>{values}, above(high), above(low)));
      EXPECT_EQ(found.split, a.size());
      EXPECT_EQ(found.second, a.size() + b.size());
      EXPECT_TRUE(holds(joined(joined(a, b), c), found.values)) << n;
    }
  }
}

CUMULO_ON_EVERY_DEVICE(PartitionTest);

}  // namespace
}  // namespace cumulo::test
