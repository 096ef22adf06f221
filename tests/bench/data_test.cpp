// The benchmarks' data are what their checks rely on.
#include "bench/data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

namespace cumulo::test {
namespace {

constexpr std::size_t many = 100'000;

// Combines [begin, end) in another order than from left to right.
template <class T, class Combine>
auto combine_as_tree(const Combine& combined, const T* values, std::size_t begin, std::size_t end)
    -> decltype(combined(*values, *values)) {
  if (end - begin == 1) return values[begin];
  const std::size_t middle = begin + (end - begin) / 3 + ((end - begin) % 3 == 2 ? 1 : 0);
  const std::size_t cut = middle == begin ? begin + 1 : middle;
  return combined(combine_as_tree(combined, values, begin, cut),
                  combine_as_tree(combined, values, cut, end));
}

TEST(BenchDataTest, EveryOrderGivesTheSameBits) {
  for (const Type type : all_types) {
    for (const Operator op : all_operators) {
      if (!is_defined(op, type)) continue;
      with_type(type, [&]<class T>() {
        const auto data = bench::make_data<T>(op, many);
        ASSERT_TRUE(data);
        const auto combined = [&](CombinedAs<T> older, CombinedAs<T> newer) {
          return combine(op, older, newer);
        };
        for (const std::size_t n : {1UZ, 2UZ, 77UZ, many}) {
          const T tree = combine_as_tree(combined, data->in.get(), 0, n);
          EXPECT_EQ(0, std::memcmp(&tree, &data->prefixes[n], sizeof(T)))
              << name(type) << " " << name(op) << " of " << n;
        }
        EXPECT_EQ(data->prefixes[0], identity<T>(op));
      });
    }
  }
}

TEST(BenchDataTest, MapsAreExactInEveryOrderAndBothWays) {
  const auto combined = [](const Affine& older, const Affine& newer) {
    return Affine{older.a * newer.a, newer.a * older.b + newer.b};
  };
  auto data = bench::make_data<Affine>(many, Affine{}, bench::affine_sample, combined);
  ASSERT_TRUE(data);
  for (const std::size_t n : {1UZ, 2UZ, 77UZ, many}) {
    const Affine tree = combine_as_tree(combined, data->in.get(), 0, n);
    EXPECT_EQ(0, std::memcmp(&tree, &data->prefixes[n], sizeof tree)) << n;
  }
  bench::turn_round(*data, combined);
  std::reverse(data->in.get(), data->in.get() + many);
  for (const std::size_t n : {1UZ, 2UZ, 77UZ, many}) {
    const Affine tree = combine_as_tree(combined, data->in.get(), 0, n);
    EXPECT_EQ(0, std::memcmp(&tree, &data->prefixes[many - n], sizeof tree)) << n;
  }
  EXPECT_EQ(data->prefixes[many], Affine{});
}

TEST(BenchDataTest, ResultsKeepChanging) {
  for (const Operator op : all_operators) {
    const auto data = bench::make_data<std::uint32_t>(op, many);
    ASSERT_TRUE(data);
    for (const std::size_t part : {0UZ, 1UZ, 2UZ}) {
      const auto* begin = &data->prefixes[part * many / 3];
      const std::set<std::uint32_t> seen(begin, begin + many / 3);
      EXPECT_GE(seen.size(), 5U) << name(op) << " in part " << part;
    }
  }
}

}  // namespace
}  // namespace cumulo::test
