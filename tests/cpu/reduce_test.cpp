// The CPU backend's reduction: the total of an inclusive scan, to the bit, on any number of
// threads.

#include "cpu/reduce.hpp"
#include "cpu_scan.hpp"
#include "with_threads.hpp"

namespace cumulo::test {
namespace {

template <Element T>
T reduced(Operator op, std::span<const T> values) {
  const auto bytes = cpu::reduce({.n = values.size(), .type = type_of<T>, .op = op}, values.data());
  if (!bytes) throw std::runtime_error(describe(bytes.error()));
  EXPECT_EQ(bytes->size(), sizeof(T));
  T value{};
  std::memcpy(&value, bytes->data(), sizeof(T));
  return value;
}

template <Element T>
void check_sizes(Operator op, std::span<const std::size_t> sizes) {
  const std::vector<T> values = random_values<T>(sizes.back() + 16, op);
  for (const std::size_t n : sizes) {
    const std::span<const T> some = std::span{values}.subspan(n % 16, n);
    const T wanted = expected_total<T>(op, some);
    const T found = reduced<T>(op, some);
    ASSERT_EQ(std::memcmp(&wanted, &found, sizeof(T)), 0)
        << n << " " << name(type_of<T>) << " " << name(op) << ": expected " << wanted << ", found "
        << found;
  }
}

TEST(Reduce, EverySmallSize) {
  std::vector<std::size_t> sizes(2 * order::strip + 300);
  std::iota(sizes.begin(), sizes.end(), std::size_t{0});
  check_sizes<float>(Operator::add, sizes);
  check_sizes<double>(Operator::mul, sizes);
  check_sizes<std::uint32_t>(Operator::add, sizes);
}

TEST(Reduce, EveryTypeAndOperatorAtTheEdges) {
  std::vector<std::size_t> sizes = edge_sizes();
  sizes.push_back(1'000'003);
  for_each_type_and_operator([&]<class T>(Operator op) { check_sizes<T>(op, sizes); });
}

TEST(Reduce, AnyNumberOfThreads) {
  const auto values = random_values<float>(5'000'011, Operator::add);
  const float wanted = expected_total<float>(Operator::add, values);
  for (const std::size_t threads : {1, 2, 3, 8}) {
    with_threads(threads,
                 [&] { EXPECT_EQ(reduced<float>(Operator::add, values), wanted) << threads; });
  }
}

TEST(Reduce, ZerosOfBothSignsAndNotANumber) {
  const std::vector<float> zeros(3000, -0.0F);
  EXPECT_TRUE(std::signbit(reduced<float>(Operator::add, zeros)));
  std::vector<float> mixed(3000, 0.0F);
  mixed[0] = -0.0F;
  EXPECT_TRUE(std::signbit(reduced<float>(Operator::min, mixed)));
  EXPECT_FALSE(std::signbit(reduced<float>(Operator::max, mixed)));
  mixed[2999] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(reduced<float>(Operator::max, mixed)));
}

}  // namespace
}  // namespace cumulo::test
