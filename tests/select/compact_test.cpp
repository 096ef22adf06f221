// Compaction: the flagged elements in their order, whatever says which those are.
#include "cumulo/predicate_language.hpp"
#include "select/check.hpp"

namespace cumulo::test {
namespace {

class CompactTest : public SelectTest {
 protected:
  // Values and indices of elements of T, with room for `capacity`.
  template <class T>
  void expect_right(const SelectionDescription& how, const std::vector<T>& values,
                    const std::vector<bool>& chosen, std::uint64_t capacity) {
    SelectionDescription d = how;
    d.n = values.size();
    d.arrays = {{sizeof(T), true}};
    d.indices = true;
    d.capacity = capacity;
    const auto flags = d.flags ? flags_of(*d.flags, chosen) : std::vector<std::byte>{};
    std::vector<T> kept = poisoned<T>(result_count(d));
    auto indices = poisoned<std::uint32_t>(result_count(d));
    const auto report = value_of(select_bytes(
        device(), d, {{std::as_bytes(std::span{values})}, flags}, {{bytes_in(kept)}, indices, {}}));
    const auto expected = chosen_of(values, chosen);
    const std::string what = std::to_string(d.n) + " of " + std::to_string(sizeof(T)) +
                             " bytes, room for " + std::to_string(result_count(d)) + ", " +
                             report.algorithm;
    EXPECT_EQ(report.count, expected.size()) << what;
    EXPECT_TRUE(holds(first_of(expected, capacity), kept)) << what;
    EXPECT_TRUE(holds(first_of(chosen_of(counting(d.n), chosen), capacity), indices)) << what;
  }
};

TEST_P(CompactTest, FlagsOfEveryKindAtEverySize) {
  for (const std::uint64_t n : edges(most())) {
    const auto values = random_elements<std::uint32_t>(n);
    for (const FlagType type : {FlagType::u8, FlagType::u32, FlagType::bits}) {
      expect_right({.flags = type}, values, random_choice(n, 0.5), n);
    }
  }
}

TEST_P(CompactTest, FewAllAndNone) {
  const std::uint64_t n = std::min<std::uint64_t>(most(), 70'001);
  const auto values = random_elements<std::uint32_t>(n);
  for (const double kept : {0.0, 0.01, 0.99, 1.0}) {
    const auto chosen = kept == 1.0 ? std::vector<bool>(n, true) : random_choice(n, kept);
    for (const FlagType type : {FlagType::u8, FlagType::bits}) {
      expect_right({.flags = type}, values, chosen, n);
    }
  }
}

TEST_P(CompactTest, ElementsOfEverySize) {
  const std::uint64_t n = std::min<std::uint64_t>(most(), 20'011);
  const auto chosen = random_choice(n, 0.5);
  for (const FlagType type : {FlagType::u8, FlagType::bits}) {
    expect_right({.flags = type}, random_elements<std::uint64_t>(n), chosen, n);
    expect_right({.flags = type}, random_elements<Triple>(n), chosen, n);
    expect_right({.flags = type}, random_elements<Line>(n), chosen, n);
  }
}

TEST_P(CompactTest, NothingIsWrittenPastTheCapacity) {
  const std::uint64_t n = std::min<std::uint64_t>(most(), 40'003);
  const auto values = random_elements<std::uint32_t>(n);
  const auto chosen = random_choice(n, 0.5);
  for (const std::uint64_t capacity :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{999}, n / 2 + 5000, n + 7}) {
    expect_right({.flags = FlagType::u8}, values, chosen, capacity);
    expect_right({.flags = FlagType::u8}, random_elements<Triple>(n), chosen, capacity);
  }
}

TEST_P(CompactTest, APredicateOfTheElement) {
  for (const std::uint64_t n : edges(most())) {
    const auto values = random_elements<std::uint32_t>(n);
    for (const std::uint32_t limit : {0x7fffffffU, 0xfd000000U}) {
      std::vector<bool> chosen(n);
      for (std::uint64_t i = 0; i < n; ++i) chosen[i] = values[i] > limit;
      expect_right({.predicate = above(limit)}, values, chosen, n);
    }
  }
}

// Several columns of several types, the index, and what is kept is only the last.
TEST_P(CompactTest, APredicateOfColumns) {
  const std::uint64_t n = std::min<std::uint64_t>(most(), 30'007);
  std::vector<float> price(n);
  std::vector<std::int64_t> stock(n);
  const auto random = random_elements<std::uint32_t>(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    price[i] = static_cast<float>(random[i] % 1000) / 8;
    stock[i] = static_cast<std::int64_t>(random[i] % 5) - 2;
  }
  const auto rows = random_elements<Triple>(n);
  Predicate predicate{
      .name = "x < 25 and stock > 0 and i % 2 = 0",
      .columns = {{"x", Type::f32}, {"stock", Type::i64}, {"row", Type::u32, 3}},
      .wgsl =
          "return x < 25.0 && bitcast<i32>(c1.y) >= 0 && c1.x != 0u && i % 2u == 0u && c2[1] > "
          "9u;",
      .function = [](const std::byte* const* columns, std::uint64_t first, std::uint32_t count,
                     std::uint8_t* keep) {
        for (std::uint32_t k = 0; k < count; ++k) {
          float x;
          std::int64_t s;
          Triple row;
          std::memcpy(&x, columns[0] + k * sizeof x, sizeof x);
          std::memcpy(&s, columns[1] + k * sizeof s, sizeof s);
          std::memcpy(&row, columns[2] + k * sizeof row, sizeof row);
          keep[k] = x < 25 && s > 0 && (first + k) % 2 == 0 && row.b > 9;
        }
      }};
  std::vector<bool> chosen(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    chosen[i] = price[i] < 25 && stock[i] > 0 && i % 2 == 0 && rows[i].b > 9;
  }
  const SelectionDescription d{
      .n = n, .arrays = {{4, false}, {8, false}, {12, true}}, .predicate = predicate};
  auto kept = poisoned<Triple>(n);
  const auto report =
      value_of(select_bytes(device(), d,
                            {{std::as_bytes(std::span{price}), std::as_bytes(std::span{stock}),
                              std::as_bytes(std::span{rows})}},
                            {{bytes_in(kept)}}));
  EXPECT_TRUE(holds(chosen_of(rows, chosen), kept));
  EXPECT_GT(report.count, 0U);
}

TEST_P(CompactTest, SeveralArraysByOneFlagArray) {
  const std::uint64_t n = std::min<std::uint64_t>(most(), 30'011);
  const auto chosen = random_choice(n, 0.3);
  const auto flags = flags_of(FlagType::u32, chosen);
  const auto a = random_elements<std::uint32_t>(n, 3);
  const auto b = random_elements<std::uint64_t>(n, 4);
  const auto c = random_elements<Triple>(n, 5);
  const auto e = random_elements<std::uint32_t>(n, 6);
  auto ka = poisoned<std::uint32_t>(n);
  auto kb = poisoned<std::uint64_t>(n);
  auto kc = poisoned<Triple>(n);
  auto ke = poisoned<std::uint32_t>(n);
  const SelectionDescription d{.n = n, .arrays = {{4}, {8}, {12}, {4}}, .flags = FlagType::u32};
  value_of(select_bytes(device(), d,
                        {{std::as_bytes(std::span{a}), std::as_bytes(std::span{b}),
                          std::as_bytes(std::span{c}), std::as_bytes(std::span{e})},
                         flags},
                        {{bytes_in(ka), bytes_in(kb), bytes_in(kc), bytes_in(ke)}}));
  EXPECT_TRUE(holds(chosen_of(a, chosen), ka));
  EXPECT_TRUE(holds(chosen_of(b, chosen), kb));
  EXPECT_TRUE(holds(chosen_of(c, chosen), kc));
  EXPECT_TRUE(holds(chosen_of(e, chosen), ke));
}

TEST_P(CompactTest, TheTypedCalls) {
  const std::vector<float> values{3, 1, 4, 1, 5, 9, 2, 6};
  const std::vector<std::uint8_t> flags{1, 0, 0, 255, 0, 2, 0, 1};
  const std::span<const float> v = values;
  EXPECT_EQ(value_of(compact(device(), v, std::span<const std::uint8_t>{flags})),
            (std::vector<float>{3, 1, 9, 6}));
  EXPECT_EQ(value_of(compact_indices(device(), std::span<const std::uint8_t>{flags})),
            (std::vector<std::uint32_t>{0, 3, 5, 7}));
  const Predicate large = value_of(parse_predicate("x > 3", Type::f32));
  EXPECT_EQ(value_of(compact_indices(device(), v, large)),
            (std::vector<std::uint32_t>{2, 4, 5, 7}));
}

TEST_P(CompactTest, WhatCannotBeIsSaid) {
  std::vector<std::uint32_t> values(100), kept(100);
  const std::vector<std::byte> flags(100);
  const auto error = [&](SelectionDescription d, SelectionInput in, SelectionOutput out) {
    auto done = select_bytes(device(), d, in, out);
    return done ? std::string{} : done.error().message;
  };
  const auto v = std::as_bytes(std::span{values});
  const SelectionDescription d{.n = 100, .arrays = {{}}, .flags = FlagType::u8};
  EXPECT_NE(error(d, {{v}, flags}, {{bytes_in(values)}}).find("overlap"), std::string::npos);
  EXPECT_NE(error(d, {{v}, std::span{flags}.first(99)}, {{bytes_in(kept)}}).find("flags"),
            std::string::npos);
  EXPECT_NE(error({.n = 100, .arrays = {{}}}, {{v}}, {{bytes_in(kept)}}).find("exactly one"),
            std::string::npos);
  EXPECT_NE(
      error({.n = 100, .arrays = {{6}}, .flags = FlagType::u8}, {{v}, flags}, {{bytes_in(kept)}})
          .find("multiple of 4"),
      std::string::npos);
  Predicate bad = above(3);
  bad.wgsl = "return x > ;";
  bad.function = nullptr;
  EXPECT_FALSE(
      error({.n = 100, .arrays = {{}}, .predicate = bad}, {{v}}, {{bytes_in(kept)}}).empty());
}

CUMULO_ON_EVERY_DEVICE(CompactTest);

}  // namespace
}  // namespace cumulo::test
