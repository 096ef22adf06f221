// Prepared allocations, expansions and arguments over buffers of a device, at any offsets; nothing
// outside what they write may change.
#include "expand/reference.hpp"

namespace cumulo::test {
namespace {

constexpr std::uint32_t poison = 0xA7A7A7A7;

std::vector<IndirectForm> all_forms(bool of_items) {
  return {
      {IndirectCall::dispatch, 64, of_items},          {IndirectCall::vertices, 3, of_items},
      {IndirectCall::instances, 6, of_items},          {IndirectCall::indices, 0x10001, of_items},
      {IndirectCall::indexed_instances, 36, of_items}, {IndirectCall::dispatch, 1, of_items}};
}

class PreparedExpansionTest : public DeviceTest {
 protected:
  std::uint32_t most_groups() { return device().traits().limits.max_workgroups_per_dimension; }

  // Words of a result between guards, from word `at` of a buffer on.
  Words guarded(const Words& result, std::uint64_t at, std::uint64_t room) {
    Words words(at + room + 16, poison);
    std::ranges::copy(result, words.begin() + static_cast<std::ptrdiff_t>(at));
    return words;
  }
  Words report_words(AllocationReport report) {
    if (report.overflowed()) report.total = largest_offset;
    Words words(sizeof report / 4);
    std::memcpy(words.data(), &report, sizeof report);
    return words;
  }
  Words arguments_of(const std::vector<IndirectForm>& forms, const AllocationReport& report) {
    Words words;
    for (const IndirectForm& form : forms) {
      const Words more = indirect_arguments(
          {.forms = {form}}, form.of_items ? report.fitting : report.used, most_groups());
      words.insert(words.end(), more.begin(), more.end());
    }
    return words;
  }
};

TEST_P(PreparedExpansionTest, AllocationsAtAnyOffsetWithAnyCapacity) {
  std::vector<IndirectForm> forms = all_forms(false);
  for (const IndirectForm& form : all_forms(true)) forms.push_back(form);
  const std::uint64_t bytes = argument_bytes(forms) / 4;
  for (const bool wide : {false, true}) {
    for (const bool on_device : {false, true}) {
      for (const bool counted : {false, true}) {
        constexpr std::uint64_t n = 5000;
        const Words counts = counts_to_try(n, 9, 0)[0].counts;
        const std::optional<std::uint64_t> capacity = 11'000;
        auto prepared =
            value_of(prepare_allocation(device(),
                                        {.n = n,
                                         .wide = wide,
                                         .capacity = on_device ? std::nullopt : capacity,
                                         .capacity_on_device = on_device,
                                         .arguments = forms},
                                        {.counted = counted}));
        for (const std::uint64_t at : {0U, 2U, 38U}) {
          const std::uint32_t items = counted ? 4321 - static_cast<std::uint32_t>(at) : n;
          const Buffer in = uploaded_words(device(), guarded(counts, at, n));
          const std::uint64_t offset_words = (n + 1) * (wide ? 2 : 1);
          const Buffer offsets = uploaded_words(device(), guarded({}, at, offset_words));
          const Buffer report = uploaded_words(device(), guarded({}, at, 8));
          const Buffer arguments = uploaded_words(device(), guarded({}, at, bytes));
          const Buffer numbers = uploaded_words(device(), guarded({11'000}, at, 1));
          const Buffer count = uploaded_words(device(), guarded({items}, at, 1));
          value_of(prepared.run({.counts = {&in, at * 4},
                                 .offsets = {&offsets, at * 4},
                                 .report = {&report, at * 4},
                                 .arguments = {&arguments, at * 4},
                                 .capacity = {&numbers, at * 4},
                                 .n = {&count, at * 4}}));
          value_of(prepared.finish());
          const auto expected = expected_allocation(std::span{counts}.first(items), wide, capacity);
          Words expected_offsets;
          for (const std::uint64_t offset : expected.offsets) {
            expected_offsets.push_back(static_cast<std::uint32_t>(offset));
            if (wide) expected_offsets.push_back(static_cast<std::uint32_t>(offset >> 32));
          }
          const std::string what = std::string(wide ? "wide" : "narrow") +
                                   (on_device ? ", capacity on the device" : "") +
                                   (counted ? ", counted" : "") + ", at " + std::to_string(at);
          EXPECT_TRUE(same_words(guarded(expected_offsets, at, offset_words),
                                 downloaded_words(device(), offsets, at + offset_words + 16)))
              << what;
          EXPECT_TRUE(same_words(guarded(report_words(expected.report), at, 8),
                                 downloaded_words(device(), report, at + 8 + 16)))
              << what;
          EXPECT_TRUE(same_words(guarded(arguments_of(forms, expected.report), at, bytes),
                                 downloaded_words(device(), arguments, at + bytes + 16)))
              << what;
        }
      }
    }
  }
}

TEST_P(PreparedExpansionTest, OneBufferForAllOfAnAllocation) {
  constexpr std::uint64_t n = 3000;
  constexpr std::uint64_t part = 8192;  // words, far enough for any alignment
  const Words counts = counts_to_try(n, 9, 0)[0].counts;
  Words all(4 * part, poison);
  std::ranges::copy(counts, all.begin());
  const Buffer buffer = uploaded_words(device(), all);
  auto prepared = value_of(prepare_allocation(device(), {.n = n}));
  value_of(prepared.run(
      {.counts = {&buffer, 0}, .offsets = {&buffer, part * 4}, .report = {&buffer, 2 * part * 4}}));
  value_of(prepared.finish());
  const auto expected = expected_allocation(counts, false, {});
  for (std::size_t i = 0; i <= n; ++i) {
    all[part + i] = static_cast<std::uint32_t>(expected.offsets[i]);
  }
  std::ranges::copy(report_words(expected.report), all.begin() + 2 * part);
  EXPECT_TRUE(same_words(all, downloaded_words(device(), buffer, all.size())));
}

TEST_P(PreparedExpansionTest, ExpansionsAtAnyOffset) {
  const std::vector<IndirectForm> forms = all_forms(false);
  const std::uint64_t bytes = argument_bytes(forms) / 4;
  constexpr std::uint64_t n = 3000;
  const Words counts = counts_to_try(n, 7, 0)[0].counts;
  for (const std::uint32_t words : {0U, 1U, 3U}) {
    const std::uint32_t each = std::max(1U, words);
    const Words values = random_words(n * words);
    for (const std::uint64_t capacity : {7000U, 20'000U}) {
      for (const bool counted : {false, true}) {
        for (const bool from_offsets : {false, true}) {
          auto prepared = value_of(prepare_expansion(device(),
                                                     {.n = n,
                                                      .element_bytes = words * 4,
                                                      .capacity = capacity,
                                                      .from_offsets = from_offsets,
                                                      .arguments = forms},
                                                     {.counted = counted}));
          for (const std::uint64_t at : {0U, 6U, 37U * 3U}) {
            const std::uint32_t items = counted ? 2222 : n;
            Words offsets{0};
            for (const std::uint32_t count : counts) offsets.push_back(offsets.back() + count);
            const Words& given = from_offsets ? offsets : counts;
            const Buffer in = uploaded_words(device(), guarded(given, at, given.size()));
            const Buffer from = uploaded_words(device(), guarded(values, at, values.size()));
            const std::uint64_t room = capacity * each;
            const Buffer output = uploaded_words(device(), guarded({}, at, room));
            const Buffer report = uploaded_words(device(), guarded({}, at, 4));
            const Buffer arguments = uploaded_words(device(), guarded({}, at, bytes));
            const Buffer count = uploaded_words(device(), guarded({items}, at, 1));
            value_of(prepared.run({.counts = {&in, at * 4},
                                   .values = {&from, at * 4},
                                   .output = {&output, at * 4},
                                   .report = {&report, at * 4},
                                   .arguments = {&arguments, at * 4},
                                   .n = {&count, at * 4}}));
            value_of(prepared.finish());
            const auto some = std::span{counts}.first(items);
            const auto total = static_cast<std::uint32_t>(expanded_count(some));
            const auto written =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(total, capacity));
            const Words expected = expected_expansion(some, values, each, capacity);
            const std::string what = std::to_string(words) + " words, " + std::to_string(capacity) +
                                     " at " + std::to_string(at) + (counted ? ", counted" : "") +
                                     (from_offsets ? ", from offsets" : "");
            EXPECT_TRUE(same_words(guarded(expected, at, room),
                                   downloaded_words(device(), output, at + room + 16)))
                << what;
            EXPECT_TRUE(same_words(guarded({total, 0, written, total > capacity ? 1U : 0U}, at, 4),
                                   downloaded_words(device(), report, at + 4 + 16)))
                << what;
            EXPECT_TRUE(same_words(
                guarded(indirect_arguments({.forms = forms}, written, most_groups()), at, bytes),
                downloaded_words(device(), arguments, at + bytes + 16)))
                << what;
          }
        }
      }
    }
  }
}

TEST_P(PreparedExpansionTest, BySinglePassToo) {
  if (is_cpu()) GTEST_SKIP() << "the CPU backend has no passes";
  constexpr std::uint64_t n = 20'000;
  const Words counts = counts_to_try(n, 7, 0)[0].counts;
  const Words values = random_words(n);
  const auto total = static_cast<std::uint32_t>(expanded_count(counts));
  const auto algorithm = Algorithm::single_pass;
  auto allocation = value_of(prepare_allocation(device(), {.n = n, .algorithm = algorithm}));
  auto expansion =
      value_of(prepare_expansion(device(), {.n = n, .capacity = total, .algorithm = algorithm}));
  EXPECT_EQ(allocation.plan()->algorithm, "single-pass");
  EXPECT_EQ(expansion.plan()->algorithm, "single-pass");
  const Buffer in = uploaded_words(device(), counts);
  const Buffer from = uploaded_words(device(), values);
  for (int run = 0; run < 3; ++run) {
    const Buffer offsets = uploaded_words(device(), Words(n + 1, poison));
    const Buffer output = uploaded_words(device(), Words(total, poison));
    const Buffer report = value_of(device().allocate(sizeof(AllocationReport)));
    // A busy machine may keep a workgroup from running for longer than another one waits for it:
    // that is told, and tried again.
    for (int attempt = 0; attempt < 50; ++attempt) {
      value_of(allocation.run({.counts = {&in}, .offsets = {&offsets}, .report = {&report}}));
      value_of(expansion.run(
          {.counts = {&in}, .values = {&from}, .output = {&output}, .report = {&report}}));
      const auto allocated = allocation.finish();
      const auto expanded = expansion.finish();
      if (allocated && expanded) break;
      ASSERT_EQ((allocated ? expanded : allocated).error().kind, ErrorKind::stalled);
    }
    const auto expected = expected_allocation(counts, false, {});
    EXPECT_TRUE(same_words(Words(expected.offsets.begin(), expected.offsets.end()),
                           downloaded_words(device(), offsets, n + 1)));
    EXPECT_TRUE(same_words(expected_expansion(counts, values, 1, total),
                           downloaded_words(device(), output, total)));
  }
}

TEST_P(PreparedExpansionTest, ArgumentsOfAnyCount) {
  const ArgumentsDescription d{.forms = all_forms(false), .capacity = 0x80000000};
  auto prepared = value_of(prepare_arguments(device(), d));
  const std::uint64_t bytes = argument_bytes(d.forms) / 4;
  for (const std::uint32_t count :
       {0U, 1U, 64U, 65U, 65'535U, 65'536U, 4'194'240U, 4'194'241U, 0x80000000U, 0xFFFFFFFFU}) {
    const Buffer in = uploaded_words(device(), {poison, count});
    const Buffer out = uploaded_words(device(), guarded({}, 3, bytes));
    value_of(prepared.run({.count = {&in, 4}, .arguments = {&out, 12}}));
    value_of(device().wait());
    const Words expected = indirect_arguments(d, count, most_groups());
    EXPECT_TRUE(
        same_words(guarded(expected, 3, bytes), downloaded_words(device(), out, 3 + bytes + 16)))
        << count;
  }
}

TEST_P(PreparedExpansionTest, ArgumentsSayWhatTheyShould) {
  EXPECT_EQ(indirect_arguments({.forms = {{IndirectCall::dispatch, 64}}}, 129), (Words{3, 1, 1}));
  EXPECT_EQ(indirect_arguments({.forms = {{IndirectCall::dispatch, 1}}}, 10, 3), (Words{3, 2, 2}));
  EXPECT_EQ(indirect_arguments({.forms = {{IndirectCall::dispatch, 64}}}, 0), (Words{0, 1, 1}));
  EXPECT_EQ(indirect_arguments({.forms = {{IndirectCall::vertices, 3}}}, 5), (Words{15, 1, 0, 0}));
  EXPECT_EQ(indirect_arguments({.forms = {{IndirectCall::instances, 6}}, .capacity = 4}, 5),
            (Words{6, 4, 0, 0}));
  EXPECT_EQ(indirect_arguments({.forms = {{IndirectCall::indices, 3}}}, 5),
            (Words{15, 1, 0, 0, 0}));
  EXPECT_EQ(indirect_arguments({.forms = {{IndirectCall::indexed_instances, 36}}}, 5),
            (Words{36, 5, 0, 0, 0}));
  for (const IndirectForm form : {IndirectForm{IndirectCall::dispatch, 0}}) {
    const auto refused = prepare_arguments(device(), {.forms = {form}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::bad_argument);
  }
  EXPECT_FALSE(prepare_arguments(device(), {}));
}

TEST_P(PreparedExpansionTest, WhatDoesNotFitIsABadArgument) {
  auto prepared = value_of(prepare_expansion(device(), {.n = 10, .capacity = 20}));
  const Buffer small = value_of(device().allocate(40));
  const Buffer large = value_of(device().allocate(80));
  const Buffer report = value_of(device().allocate(16));
  const auto kind = [](const Result<void>& result) {
    return result ? std::string("done") : std::string(name(result.error().kind));
  };
  const ExpansionBuffers right{
      .counts = {&small}, .values = {&small}, .output = {&large}, .report = {&report}};
  EXPECT_EQ(kind(prepared.run(right)), "done");
  ExpansionBuffers wrong = right;
  wrong.output = {&small};
  EXPECT_EQ(kind(prepared.run(wrong)), "bad-argument");
  wrong = right;
  wrong.report = {};
  EXPECT_EQ(kind(prepared.run(wrong)), "bad-argument");
  wrong = right;
  wrong.values = {&small, 4};
  EXPECT_EQ(kind(prepared.run(wrong)), "bad-argument");
  wrong = right;
  wrong.values = {&large};
  EXPECT_EQ(kind(prepared.run(wrong)), "bad-argument");
  value_of(device().wait());
}

CUMULO_ON_EVERY_DEVICE(PreparedExpansionTest);

}  // namespace
}  // namespace cumulo::test
