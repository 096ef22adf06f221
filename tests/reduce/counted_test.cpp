// Reductions whose number of elements stands in a buffer of the device.
#include "scan/check.hpp"

namespace cumulo::test {
namespace {

using Words = std::vector<std::uint32_t>;

class CountedReduceTest : public DeviceTest {
 protected:
  std::uint64_t capacity() { return std::min<std::uint64_t>(many(), 40'000); }

  // Runs with each count, from several places; what lies round the value must stay as it was.
  template <Element T>
  void expect_right(const ReduceDescription& d, const Words& counts) {
    auto prepared = value_of(prepare_reduce(device(), d, {.counted = true}));
    const std::vector<T> values = random_values<T>(d.n, d.op);
    const Buffer count = uploaded<std::uint32_t>(device(), counts);
    for (const std::uint64_t in_at : {0U, 3U}) {
      std::vector<T> around(in_at, T{77});
      around.insert(around.end(), values.begin(), values.end());
      const Buffer in = uploaded<T>(device(), around);
      for (std::size_t at = 0; at < counts.size(); ++at) {
        std::vector<T> wanted(in_at + 3, T{99});
        const Buffer out = uploaded<T>(device(), wanted);
        value_of(prepared.run_counted(in, out, count, at, in_at, in_at + 1));
        const std::uint64_t n = std::min<std::uint64_t>(d.n, counts[at]);
        wanted[in_at + 1] = expected_total<T>(d.op, std::span{values}.first(n));
        EXPECT_TRUE(same<T>(wanted, downloaded<T>(device(), out, wanted.size())))
            << counts[at] << " of at most " << d.n << " " << name(d.type) << " from " << in_at;
      }
    }
  }
};

TEST_P(CountedReduceTest, AnyCountIsRight) {
  const auto most = static_cast<std::uint32_t>(capacity());
  const Words counts{0, 1, 4, 1023, 1025, 8192, 8193, 16'384, 16'385, most - 1, most};
  expect_right<std::uint32_t>({.n = most}, counts);
  expect_right<float>({.n = most, .type = Type::f32}, counts);
  expect_right<std::uint64_t>({.n = most, .type = Type::u64, .op = Operator::min}, {0, 9000, 5});
  expect_right<Half>({.n = most, .type = Type::f16}, {0, 1, 9000, most});
}

TEST_P(CountedReduceTest, ACapacityOfOneTileToo) {
  expect_right<float>({.n = 700, .type = Type::f32}, {0, 1, 699, 700, 701, 0xFFFFFFFF});
  expect_right<std::int32_t>({.n = 1, .type = Type::i32, .op = Operator::max}, {0, 1, 2});
}

TEST_P(CountedReduceTest, MoreThanTheCapacityIsTheCapacity) {
  expect_right<std::uint32_t>({.n = 20'000}, {20'001, 0x80000000, 0xFFFFFFFF, 5000});
}

TEST_P(CountedReduceTest, WideSumsAndMonoidsToo) {
  constexpr std::uint64_t n = 9000;
  const Buffer count = uploaded<std::uint32_t>(device(), Words{8500, 0});
  const Words words(n, 0xFFFFFFFF);
  auto wide = value_of(prepare_reduce(device(), {.n = n, .wide = true}, {.counted = true}));
  const Buffer sums = value_of(device().allocate(16));
  const Buffer in = uploaded<std::uint32_t>(device(), words);
  value_of(wide.run_counted(in, sums, count, 0, 0, 0));
  value_of(wide.run_counted(in, sums, count, 1, 0, 1));
  EXPECT_EQ(downloaded<std::uint64_t>(device(), sums, 2),
            (std::vector<std::uint64_t>{8500 * 0xFFFFFFFFULL, 0}));

  std::vector<Affine> maps(n);
  for (std::size_t i = 0; i < n; ++i) {
    maps[i] = {0.99F + static_cast<float>(i % 3) / 100, static_cast<float>(i % 7)};
  }
  const auto expected =
      value_of(reduce<Affine>(device(), std::span{maps}.first(8500), affine_monoid()));
  auto composed =
      value_of(prepare_reduce(device(), {.n = n, .monoid = affine_monoid()}, {.counted = true}));
  const Buffer of_maps = value_of(device().upload(std::as_bytes(std::span{maps})));
  const Buffer map = value_of(device().allocate(sizeof(Affine)));
  value_of(composed.run_counted(of_maps, map, count));
  Affine found{};
  value_of(device().read(map, 0, std::as_writable_bytes(std::span{&found, 1})));
  EXPECT_EQ(bytes_of(found), bytes_of(expected));
}

TEST_P(CountedReduceTest, InputAndValueMayLieApartInOneBuffer) {
  constexpr std::uint64_t n = 9000;
  Words all = random_values<std::uint32_t>(n + 300, Operator::add);
  const Buffer buffer = uploaded<std::uint32_t>(device(), all);
  const Buffer count = uploaded<std::uint32_t>(device(), Words{8300, 0});
  auto prepared =
      value_of(prepare_reduce(device(), {.n = n, .op = Operator::max}, {.counted = true}));
  value_of(prepared.run_counted(buffer, buffer, count, 0, 0, n + 200));
  value_of(prepared.run_counted(buffer, buffer, count, 1, 0, n + 201));
  all[n + 200] = expected_total<std::uint32_t>(Operator::max, std::span{all}.first(8300));
  all[n + 201] = 0;
  EXPECT_TRUE(same<std::uint32_t>(all, downloaded<std::uint32_t>(device(), buffer, all.size())));
}

TEST_P(CountedReduceTest, WhatDoesNotFitIsABadArgument) {
  auto counted = value_of(prepare_reduce(device(), {.n = 100}, {.counted = true}));
  auto plain = value_of(prepare_reduce(device(), {.n = 100}));
  const Buffer in = value_of(device().allocate(400));
  const Buffer out = value_of(device().allocate(4));
  const Buffer count = value_of(device().allocate(4));
  const auto kind_of = [](const auto& result) {
    return result ? std::string{"done"} : std::string{name(result.error().kind)};
  };
  EXPECT_EQ(kind_of(counted.run_counted(in, out, count)), "done");
  EXPECT_EQ(kind_of(counted.run_counted(in, out, count, 1)), "bad-argument");
  EXPECT_EQ(kind_of(counted.run(in, out)), "bad-argument");
  EXPECT_EQ(kind_of(plain.run_counted(in, out, count)), "bad-argument");
  EXPECT_EQ(kind_of(prepare_reduce(device(), {}, {.counted = true})), "bad-argument");
  value_of(device().wait());
}

CUMULO_ON_EVERY_DEVICE(CountedReduceTest);

}  // namespace
}  // namespace cumulo::test
