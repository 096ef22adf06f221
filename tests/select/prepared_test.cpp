// Prepared selections between buffers of the device: offsets, guards, counts that stay there.
#include <numeric>

#include "select/check.hpp"

namespace cumulo::test {
namespace {

constexpr std::uint64_t guard = 64;  // elements

class PreparedSelectionTest : public SelectTest {
 protected:
  template <class T>
  Buffer uploaded(const std::vector<T>& values) {
    return value_of(device().upload(std::as_bytes(std::span{values})));
  }
  template <class T>
  std::vector<T> downloaded(const Buffer& buffer, std::uint64_t first, std::uint64_t count) {
    std::vector<T> values(count);
    value_of(device().read(buffer, first * sizeof(T), bytes_in(values)));
    return values;
  }
  template <class T>
  std::vector<T> shifted(const std::vector<T>& values, std::uint64_t by) {
    return joined(joined(poisoned<T>(by), values), poisoned<T>(guard));
  }
};

TEST_P(PreparedSelectionTest, AnyOffsetAndNothingAroundIsTouched) {
  const std::uint64_t n = std::min<std::uint64_t>(most(), 20'007);
  const auto values = random_elements<Triple>(n);
  const auto chosen = random_choice(n, 0.4);
  for (const FlagType type : {FlagType::u8, FlagType::u32, FlagType::bits}) {
    for (const Rest rest : {Rest::dropped, Rest::follows}) {
      for (const std::uint64_t by : {0U, 1U, 3U, 64U}) {
        auto flags = flags_of(type, chosen);
        flags.insert(flags.begin(), by * 4, std::byte{0xFF});
        const SelectionDescription d{
            .n = n, .arrays = {{12}}, .flags = type, .rest = rest, .indices = true};
        PreparedSelection prepared = value_of(prepare_selection(device(), d));
        const Buffer in = uploaded(shifted(values, by));
        const Buffer marks = uploaded(flags);
        const Buffer out = uploaded(poisoned<Triple>(n + by + guard));
        const Buffer indices = uploaded(poisoned<std::uint32_t>(n + by + guard));
        const Buffer counts = uploaded(poisoned<std::uint32_t>(by + 1 + guard));
        value_of(prepared.run({.arrays = {{&in, by * 12}},
                               .flags = {&marks, by * 4},
                               .kept = {{&out, by * 12}},
                               .indices = {&indices, by * 4},
                               .counts = {&counts, by * 4}}));
        value_of(prepared.finish());
        auto expected = chosen_of(values, chosen);
        auto places = chosen_of(counting(n), chosen);
        const auto count = static_cast<std::uint32_t>(expected.size());
        if (rest == Rest::follows) {
          expected = joined(expected, chosen_of(values, chosen, false));
          places = joined(places, chosen_of(counting(n), chosen, false));
        }
        EXPECT_TRUE(holds(joined(poisoned<Triple>(by), expected),
                          downloaded<Triple>(out, 0, n + by + guard)))
            << by;
        EXPECT_TRUE(holds(joined(poisoned<std::uint32_t>(by), places),
                          downloaded<std::uint32_t>(indices, 0, n + by + guard)))
            << by;
        EXPECT_TRUE(holds(joined(poisoned<std::uint32_t>(by), {count}),
                          downloaded<std::uint32_t>(counts, 0, by + 1 + guard)))
            << by;
      }
    }
  }
}

// The count of one call is the number of elements of the next, and of a third; again and again.
TEST_P(PreparedSelectionTest, ACountFeedsTheNextCall) {
  const std::uint64_t n = std::min<std::uint64_t>(most(), 60'000);
  const SelectionDescription first{.n = n, .arrays = {{4}}, .predicate = above(0x40000000)};
  const SelectionDescription second{
      .n = n, .arrays = {{4}}, .predicate = above(0xc0000000), .rest = Rest::follows};
  PreparedSelection a = value_of(prepare_selection(device(), first));
  PreparedSelection b = value_of(prepare_selection(device(), second, {.counted = true}));
  const Buffer middle = uploaded(poisoned<std::uint32_t>(n));
  const Buffer out = uploaded(poisoned<std::uint32_t>(n + guard));
  const Buffer counts = uploaded(poisoned<std::uint32_t>(128));
  for (const std::uint64_t size : {n, n}) {
    const auto values = random_elements<std::uint32_t>(size, static_cast<std::uint32_t>(size));
    const Buffer in = uploaded(values);
    value_of(a.run({.arrays = {{&in}}, .kept = {{&middle}}, .counts = {&counts}}));
    value_of(
        b.run({.arrays = {{&middle}}, .kept = {{&out}}, .counts = {&counts, 256}, .n = {&counts}}));
    std::vector<std::uint32_t> high, low;
    for (const std::uint32_t x : values) {
      if (x > 0xc0000000)
        high.push_back(x);
      else if (x > 0x40000000)
        low.push_back(x);
    }
    EXPECT_TRUE(holds(joined(high, low), downloaded<std::uint32_t>(out, 0, n + guard)));
    EXPECT_EQ(downloaded<std::uint32_t>(counts, 64, 1)[0], high.size());
    EXPECT_EQ(downloaded<std::uint32_t>(counts, 0, 1)[0], high.size() + low.size());
  }
  value_of(a.finish());
  value_of(b.finish());
}

TEST_P(PreparedSelectionTest, AnyCountUpToTheCapacity) {
  const std::uint64_t n = std::min<std::uint64_t>(most(), 30'000);
  const auto values = random_elements<std::uint32_t>(n);
  for (const bool heads : {false, true}) {
    SelectionDescription d{.n = n, .arrays = {{4}}, .indices = true};
    d.heads = heads;
    d.lengths = heads;
    if (!heads) d.predicate = above(0x80000000);
    PreparedSelection prepared = value_of(prepare_selection(device(), d, {.counted = true}));
    const Buffer in = uploaded(values);
    for (const std::uint64_t asked : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4096},
                                      std::uint64_t{4097}, n - 1, n, n + 1000}) {
      const auto some = first_of(values, asked);
      const Buffer count = uploaded(std::vector{static_cast<std::uint32_t>(asked)});
      const Buffer out = uploaded(poisoned<std::uint32_t>(n));
      const Buffer indices = uploaded(poisoned<std::uint32_t>(n));
      const Buffer lengths = uploaded(poisoned<std::uint32_t>(n));
      const Buffer counts = uploaded(poisoned<std::uint32_t>(2));
      value_of(prepared.run({.arrays = {{&in}},
                             .kept = {{&out}},
                             .indices = {&indices},
                             .lengths = heads ? BufferView{&lengths} : BufferView{},
                             .counts = {&counts},
                             .n = {&count}}));
      std::vector<bool> chosen(some.size());
      for (std::size_t i = 0; i < some.size(); ++i) {
        chosen[i] = heads ? i == 0 || some[i] != some[i - 1] : some[i] > 0x80000000;
      }
      const auto expected = chosen_of(some, chosen);
      EXPECT_TRUE(holds(expected, downloaded<std::uint32_t>(out, 0, n))) << asked;
      EXPECT_TRUE(holds({static_cast<std::uint32_t>(expected.size())},
                        downloaded<std::uint32_t>(counts, 0, 2)))
          << asked;
      if (heads && !some.empty()) {
        const auto found = downloaded<std::uint32_t>(lengths, 0, expected.size());
        EXPECT_EQ(std::accumulate(found.begin(), found.end(), std::uint64_t{0}), some.size());
      }
    }
  }
}

TEST_P(PreparedSelectionTest, EveryRunWritesTheSame) {
  const std::uint64_t n = std::min<std::uint64_t>(most(), 100'000);
  const auto values = random_elements<std::uint32_t>(n);
  PreparedSelection prepared = value_of(
      prepare_selection(device(), {.n = n, .arrays = {{4}}, .predicate = above(0x70000000)}));
  const Buffer in = uploaded(values);
  const Buffer counts = uploaded(poisoned<std::uint32_t>(1));
  std::vector<std::uint32_t> first;
  for (int run = 0; run < 20; ++run) {
    const Buffer out = uploaded(poisoned<std::uint32_t>(n));
    value_of(prepared.run({.arrays = {{&in}}, .kept = {{&out}}, .counts = {&counts}}));
    auto found = downloaded<std::uint32_t>(out, 0, n);
    if (run == 0) first = found;
    ASSERT_EQ(first, found) << run;
  }
}

TEST_P(PreparedSelectionTest, WhatIsMissingIsSaid) {
  const Buffer in = uploaded(poisoned<std::uint32_t>(100));
  const Buffer out = uploaded(poisoned<std::uint32_t>(100));
  const Buffer counts = uploaded(poisoned<std::uint32_t>(1));
  PreparedSelection prepared =
      value_of(prepare_selection(device(), {.n = 100, .arrays = {{4}}, .predicate = above(3)}));
  const auto refused = [&](const SelectionBuffers& buffers, const char* why) {
    const auto run = prepared.run(buffers);
    ASSERT_FALSE(run.has_value()) << why;
    EXPECT_NE(run.error().message.find(why), std::string::npos) << run.error().message;
  };
  refused({.arrays = {{&in}}, .kept = {{&out}}}, "counts");
  refused({.arrays = {{&in}}, .kept = {{&in}}, .counts = {&counts}}, "overlap");
  refused({.arrays = {{&in, 4}}, .kept = {{&out}}, .counts = {&counts}}, "input");
  refused({.arrays = {}, .kept = {{&out}}, .counts = {&counts}}, "arrays");
  refused({.arrays = {{&in}}, .kept = {{&out}}, .counts = {&counts}, .n = {&counts}},
          "number of elements");
}

CUMULO_ON_EVERY_DEVICE(PreparedSelectionTest);

}  // namespace
}  // namespace cumulo::test
