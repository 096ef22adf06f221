// A reduction is the total of an inclusive scan, to the bit: every size, type, operator and offset.
#include <numeric>

#include "scan/check.hpp"

namespace cumulo::test {
namespace {

template <Element T>
ReduceDescription described(Operator op, std::uint64_t n) {
  return {.n = n, .type = type_of<T>, .op = op};
}

template <Element T>
testing::AssertionResult same_value(T expected, T found, std::uint64_t n, Operator op) {
  if (same_bits(expected, found)) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << n << " " << name(type_of<T>) << " with " << name(op) << ": expected "
         << to_string(expected) << ", found " << to_string(found);
}

// Host memory in, a value out.
template <Element T>
testing::AssertionResult host_reduce_is_right(Device& device, Operator op,
                                              std::span<const T> values) {
  const T wanted = expected_total<T>(op, values);
  const auto found = reduce<T>(device, values, op);
  if (!found) return testing::AssertionFailure() << describe(found.error());
  return same_value(wanted, *found, values.size(), op);
}

struct Offsets {
  std::uint64_t in;
  std::uint64_t out;
};

// Prepared once, between buffers of the device: garbage round the input must not enter the value,
// and the guards round it must stay as they were.
template <Element T>
testing::AssertionResult buffer_reduce_is_right(Device& device, Operator op,
                                                std::span<const T> values,
                                                std::initializer_list<Offsets> offsets) {
  const ReduceDescription d = described<T>(op, values.size());
  auto prepared = prepare_reduce(device, d);
  if (!prepared) return testing::AssertionFailure() << describe(prepared.error());
  for (const auto& [in_at, out_at] : offsets) {
    std::vector<T> around(in_at + values.size() + 3, T{77});
    std::copy(values.begin(), values.end(), around.begin() + static_cast<std::ptrdiff_t>(in_at));
    const Buffer in = uploaded<T>(device, around);
    std::vector<T> wanted(out_at + 3, T{99});
    const Buffer out = uploaded<T>(device, wanted);
    value_of(prepared->run(in, out, in_at, out_at));
    wanted[out_at] = expected_total<T>(op, values);
    const std::vector<T> found = downloaded<T>(device, out, wanted.size());
    if (auto value = same_value(wanted[out_at], found[out_at], d.n, op); !value) {
      return value << " from element " << in_at;
    }
    if (auto guards = same<T>(wanted, found); !guards) return guards;
  }
  return testing::AssertionSuccess();
}

class ReduceTest : public DeviceTest {
 protected:
  // Elements of a tile, of a reduction's plan on this device.
  std::uint64_t tile() {
    if (is_cpu()) return 1 << 16;
    std::uint64_t n = order::strip;
    while (value_of(plan_reduce({.n = n + 1}, device().traits())).steps.size() == 1) n *= 2;
    return n;
  }

  std::vector<std::uint64_t> sizes() {
    std::vector<std::uint64_t> some = edge_sizes();
    for (const std::uint64_t tiles : {1, 2, 3, 4}) {
      for (const std::uint64_t n : {tiles * tile() - 1, tiles * tile(), tiles * tile() + 1}) {
        if (n <= many()) some.push_back(n);
      }
    }
    return some;
  }
};

TEST_P(ReduceTest, SumsAreRightAtEveryEdge) {
  for (const std::uint64_t n : sizes()) {
    const auto integers = random_values<std::uint32_t>(n, Operator::add);
    EXPECT_TRUE(host_reduce_is_right<std::uint32_t>(device(), Operator::add, integers));
    const auto floats = random_values<float>(n, Operator::add);
    EXPECT_TRUE(host_reduce_is_right<float>(device(), Operator::add, floats));
    const auto halves = random_values<Half>(n, Operator::add);
    EXPECT_TRUE(host_reduce_is_right<Half>(device(), Operator::add, halves));
  }
}

TEST_P(ReduceTest, EverySmallSizeIsRight) {
  const std::uint64_t most = many() > 1'000'000 ? 2100 : 140;
  const auto values = random_values<float>(most, Operator::add);
  for (std::uint64_t n = 0; n <= most; ++n) {
    ASSERT_TRUE(host_reduce_is_right<float>(device(), Operator::add, std::span{values}.first(n)));
  }
}

TEST_P(ReduceTest, EveryTypeAndOperatorIsRightAtAnyOffset) {
  const std::uint64_t n = std::min(many(), 2 * tile() + order::strip + order::row + 7);
  std::uint64_t turn = 0;
  for_each_type_and_operator(types(), [&]<class T>(Operator op) {
    const auto values = random_values<T>(n, op);
    EXPECT_TRUE(buffer_reduce_is_right<T>(device(), op, values, {{64, 67}, {1 + turn % 3, 2}}));
    ++turn;
  });
}

TEST_P(ReduceTest, NoElementsGiveTheIdentity) {
  for_each_type_and_operator(types(), [&]<class T>(Operator op) {
    EXPECT_TRUE(host_reduce_is_right<T>(device(), op, {}));
    EXPECT_TRUE(buffer_reduce_is_right<T>(device(), op, {}, {{2, 1}}));
  });
}

TEST_P(ReduceTest, NanInfinityAndZerosOfBothSigns) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{3000}}) {
    for (const float first : {-0.0F, 0.0F, nan, infinity, -infinity}) {
      for (const float last : {-0.0F, 0.0F, nan, -infinity}) {
        std::vector<float> values(n, -0.0F);
        values.front() = first;
        values.back() = last;
        for (const Operator op : {Operator::add, Operator::mul, Operator::min, Operator::max}) {
          EXPECT_TRUE(host_reduce_is_right<float>(device(), op, values)) << first << ", " << last;
        }
      }
    }
  }
}

// The total of a scan on the CPU backend, as bytes.
std::vector<std::byte> total_of(const ReduceDescription& d, std::span<const std::byte> in) {
  Device cpu = Device::cpu();
  const ScanDescription scan = as_scan(d);
  std::vector<std::byte> out(d.n * element_bytes(scan));
  return value_of(scan_bytes(cpu, scan, in, out)).total_bytes;
}

TEST_P(ReduceTest, WideSumsAreThoseOfAScan) {
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1500}, tile(),
                                std::min(many(), 3 * tile() + 1234)}) {
    for (const Type type : {Type::u32, Type::i32, Type::f32, Type::f16}) {
      with_type(type, [&]<class T>() {
        const auto values = random_values<T>(n, Operator::add);
        const ReduceDescription d{.n = n, .type = type, .wide = true};
        const auto report = value_of(reduce_bytes(device(), d, std::as_bytes(std::span{values})));
        EXPECT_EQ(report.value_bytes, total_of(d, std::as_bytes(std::span{values})))
            << n << " " << name(type);
      });
    }
  }
  const std::vector<std::uint32_t> large(5000, 0xffffffff);
  EXPECT_EQ(value_of(wide_reduce<std::uint32_t>(device(), large)), 5000 * 0xffffffffULL);
}

// Elements of 4, 8, 12 and 16 bytes, most of them by operators that do not commute.
TEST_P(ReduceTest, MonoidsAreThoseOfAScan) {
  Monoid statistics{.name = "statistics",
                    .fields = {{"count", Type::u32}, {"least", Type::i32}, {"sum", Type::f32}},
                    .wgsl =
                        "return Element(older.count + newer.count, min(older.least, "
                        "newer.least), older.sum + newer.sum);",
                    .identity = {}};
  struct Statistics {
    std::uint32_t count;
    std::int32_t least;
    float sum;
  };
  statistics.identity = bytes_of(Statistics{0, INT32_MAX, 0});
  statistics.combine = combine_function<Statistics>([](const Statistics& a, const Statistics& b) {
    return Statistics{a.count + b.count, std::min(a.least, b.least), a.sum + b.sum};
  });
  for (const Monoid& monoid :
       {affine_monoid(), matrix_monoid(), last_nonzero_monoid(), statistics}) {
    const std::uint64_t words = monoid.fields.size();
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1025}, tile(),
                                  std::min(many(), 2 * tile() + 777)}) {
      std::vector<float> values(n * words);
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = 0.9F + static_cast<float>(i * 7919 % 1000) / 5000;
      }
      if (words == 4) std::ranges::for_each(values, [](float& x) { x *= 0.5F; });
      const ReduceDescription d{.n = n, .monoid = monoid};
      const auto in = std::as_bytes(std::span{values});
      const auto wanted = total_of(d, in);
      EXPECT_EQ(value_of(reduce_bytes(device(), d, in)).value_bytes, wanted)
          << n << " " << monoid.name;
      auto prepared = value_of(prepare_reduce(device(), d));
      values.insert(values.begin(), 3 * words, 5.0F);
      const Buffer input = value_of(device().upload(std::as_bytes(std::span{values})));
      const Buffer output = value_of(device().allocate(2 * 4 * words));
      value_of(prepared.run(input, output, 3, 1));
      std::vector<std::byte> found(4 * words);
      value_of(device().read(output, 4 * words, found));
      EXPECT_EQ(found, wanted) << n << " " << monoid.name << " from element 3";
    }
  }
}

TEST_P(ReduceTest, InputAndValueMayLieApartInOneBuffer) {
  const std::uint64_t n = std::min(many(), tile() + 100);
  const auto values = random_values<float>(n, Operator::add);
  std::vector<float> all(n + 300, 7.0F);
  std::copy(values.begin(), values.end(), all.begin());
  const Buffer buffer = uploaded<float>(device(), all);
  auto prepared = value_of(prepare_reduce(device(), described<float>(Operator::add, n)));
  value_of(prepared.run(buffer, buffer, 0, n + 200));
  all[n + 200] = expected_total<float>(Operator::add, values);
  EXPECT_TRUE(same<float>(all, downloaded<float>(device(), buffer, all.size())));
}

// Copies are of whole words, of which halves take but one part.
TEST_P(ReduceTest, HalvesMayLieApartInOneBuffer) {
  for (const std::uint64_t n : {std::uint64_t{0}, std::min(many(), 2 * tile() + 101)}) {
    const auto values = random_values<Half>(n, Operator::add);
    std::vector<Half> all(n + 600, Half(7));
    std::copy(values.begin(), values.end(), all.begin() + 3);
    const Buffer buffer = uploaded<Half>(device(), all);
    auto prepared = value_of(prepare_reduce(device(), described<Half>(Operator::add, n)));
    for (const std::uint64_t at : {n + 400, n + 403}) {
      value_of(prepared.run(buffer, buffer, 3, at));
      all[at] = expected_total<Half>(Operator::add, values);
    }
    EXPECT_TRUE(same<Half>(all, downloaded<Half>(device(), buffer, all.size()))) << n;
  }
}

TEST_P(ReduceTest, RunsAgainAndInAnyOrder) {
  const std::uint64_t n = std::min(many(), 2 * tile() + 5);
  auto prepared = value_of(prepare_reduce(device(), {.n = n}));
  const Buffer out = value_of(device().allocate(4 * 4));
  std::vector<Buffer> ins;
  std::vector<std::uint32_t> wanted;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto values = random_values<std::uint32_t>(n, Operator::add, seed);
    ins.push_back(uploaded<std::uint32_t>(device(), values));
    wanted.push_back(std::accumulate(values.begin(), values.end(), 0U));
  }
  for (std::size_t i = 0; i < ins.size(); ++i) value_of(prepared.run(ins[i], out, 0, i));
  EXPECT_TRUE(same<std::uint32_t>(wanted, downloaded<std::uint32_t>(device(), out, 4)));
  PreparedReduce moved = std::move(prepared);
  EXPECT_EQ(moved.description().n, n);
  EXPECT_EQ(moved.plan() == nullptr, is_cpu());
}

TEST_P(ReduceTest, WhatDoesNotFitIsABadArgument) {
  const auto kind_of = [](const auto& result) {
    return result ? std::string{"done"} : std::string{name(result.error().kind)};
  };
  auto prepared = value_of(prepare_reduce(device(), {.n = 100}));
  const Buffer large = value_of(device().allocate(400));
  const Buffer small = value_of(device().allocate(396));
  EXPECT_EQ(kind_of(prepared.run(large, small)), "done");
  EXPECT_EQ(kind_of(prepared.run(small, large)), "bad-argument");
  EXPECT_EQ(kind_of(prepared.run(large, small, 1)), "bad-argument");
  EXPECT_EQ(kind_of(prepared.run(large, small, ~std::uint64_t{0})), "bad-argument");
  EXPECT_EQ(kind_of(prepared.run(large, small, 0, 99)), "bad-argument");
  const std::vector<std::byte> bytes(399);
  EXPECT_EQ(kind_of(reduce_bytes(device(), {.n = 100}, bytes)), "bad-argument");
  EXPECT_EQ(kind_of(reduce_bytes(device(), {.n = ~std::uint64_t{0}}, bytes)), "bad-argument");
  EXPECT_EQ(kind_of(reduce<float>(device(), {}, Operator::bit_and)), "bad-argument");
  const std::vector<Affine> maps(3);
  EXPECT_EQ(kind_of(reduce<Affine>(device(), maps, matrix_monoid())), "bad-argument");
  if (!is_cpu()) {
    EXPECT_EQ(kind_of(reduce<double>(device(), {})), "unsupported");
    Monoid broken = affine_monoid();
    broken.wgsl = "return older +;";
    EXPECT_EQ(kind_of(reduce<Affine>(device(), maps, broken)), "bad-argument");
  } else {
    Monoid wgsl_alone = affine_monoid();
    wgsl_alone.combine = nullptr;
    EXPECT_EQ(kind_of(reduce<Affine>(device(), maps, wgsl_alone)), "unsupported");
  }
  value_of(device().wait());
}

CUMULO_ON_EVERY_DEVICE(ReduceTest);

}  // namespace
}  // namespace cumulo::test
