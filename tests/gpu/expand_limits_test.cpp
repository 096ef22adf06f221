// Allocations and expansions whose arrays are more than one binding holds: windows follow each
// other and know what those before have found.
#include "api/plan_runner.hpp"
#include "expand/reference.hpp"
#include "plan/plan_check.hpp"

namespace cumulo::test {
namespace {

class ExpandLimitsTest : public DeviceTest {
 protected:
  // The device with bindings of 40,000 bytes: 10,000 words and less.
  Traits small() {
    Traits traits = device().traits();
    traits.limits.max_storage_binding_size = 40'000;
    traits.limits.max_workgroups_per_dimension = 3;
    return traits;
  }

  Words contents_of(const Plan& plan, std::string_view name,
                    const std::vector<std::vector<std::byte>>& contents) {
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
      if (plan.buffers[i].name != name) continue;
      Words words(contents[i].size() / 4);
      std::memcpy(words.data(), contents[i].data(), words.size() * 4);
      return words;
    }
    throw std::runtime_error("no buffer " + std::string(name));
  }

  void expect_allocated(const Words& counts, std::optional<std::uint64_t> capacity,
                        const std::string& what) {
    for (const bool wide : {false, true}) {
      const Traits traits = small();
      const Plan plan =
          value_of(plan_allocate({.n = counts.size(), .wide = wide, .capacity = capacity}, traits));
      EXPECT_TRUE(keeps_device_limits(plan, traits));
      EXPECT_EQ(std::get<DispatchStep>(plan.steps.end()[-2]).label, "what fits") << "one window";
      const Words poisoned((counts.size() + 1) * (wide ? 2 : 1), 0xA7A7A7A7);
      const auto contents = value_of(run_plan(device(), plan, std::as_bytes(std::span{counts}),
                                              std::as_bytes(std::span{poisoned})));
      const auto expected = expected_allocation(counts, wide, capacity);
      Words offsets;
      for (const std::uint64_t offset : expected.offsets) {
        offsets.push_back(static_cast<std::uint32_t>(offset));
        if (wide) offsets.push_back(static_cast<std::uint32_t>(offset >> 32));
      }
      EXPECT_TRUE(same_words(offsets, contents_of(plan, "offsets", contents))) << what;
      AllocationReport report;
      std::memcpy(&report, contents[2].data(), sizeof report);
      AllocationReport said = expected.report;
      if (said.overflowed()) said.total = largest_offset;
      EXPECT_EQ(said, report) << what << (wide ? ", wide" : "") << ": expected " << text_of(said)
                              << ", found " << text_of(report);
    }
  }
};

TEST_P(ExpandLimitsTest, AllocationsInWindows) {
  constexpr std::uint64_t n = 30'000;
  for (const auto& [name, counts] : counts_to_try(n, 9, 70'000)) {
    const std::uint64_t total = expanded_count(counts);
    for (const std::uint64_t capacity :
         {std::uint64_t{0}, total / 4, total / 2, total, total + 1}) {
      expect_allocated(counts, capacity, name + " in " + std::to_string(capacity));
    }
  }
  // Full in one window, past the largest offset in the same one, the next one, the last or never.
  for (const std::uint64_t full : {10U, 12'000U}) {
    for (const std::uint64_t past : {11U, 9000U, 12'001U, 29'999U}) {
      if (past <= full) continue;
      Words counts(n);
      counts[full] = 0xFFFFFFFF;
      expect_allocated(counts, std::nullopt, "full at " + std::to_string(full));
      counts[past] = 1;
      expect_allocated(counts, std::nullopt,
                       "full at " + std::to_string(full) + ", past it at " + std::to_string(past));
      counts[full] = 0xFFFFFFFE;
      expect_allocated(counts, 0xFFFFFFFE, "full at " + std::to_string(past));
      counts[past] = 2;
      expect_allocated(counts, std::nullopt, "past at " + std::to_string(past));
    }
  }
}

TEST_P(ExpandLimitsTest, ExpansionsInWindows) {
  constexpr std::uint64_t n = 3000;
  const Words values = random_words(n * 2);
  for (const auto& [name, counts] : counts_to_try(n, 9, 27'000)) {
    for (const std::uint32_t words : {1U, 2U}) {
      for (const std::uint64_t capacity : {std::uint64_t{25'000}, expanded_count(counts) + 6000}) {
        const std::uint64_t items = words == 1 ? n : n / 2;
        const auto some = std::span{counts}.first(items);
        const Traits traits = small();
        const Plan plan = value_of(
            plan_expand({.n = items, .element_bytes = 4 * words, .capacity = capacity}, traits));
        EXPECT_TRUE(keeps_device_limits(plan, traits));
        const auto contents =
            value_of(run_plan(device(), plan, std::as_bytes(some),
                              std::as_bytes(std::span{values}.first(items * words))));
        Words expected = expected_expansion(some, values, words, capacity);
        const std::uint64_t written = expected.size() / words;
        expected.resize(capacity * words);
        EXPECT_TRUE(same_words(expected, contents_of(plan, "output", contents))) << name;
        const auto total = static_cast<std::uint32_t>(expanded_count(some));
        EXPECT_TRUE(
            same_words({total, 0, static_cast<std::uint32_t>(written), total > capacity ? 1U : 0U},
                       contents_of(plan, "report", contents)))
            << name;
      }
    }
  }
}

TEST_P(ExpandLimitsTest, OffsetsThatFallEndInNoHang) {
  Words offsets = random_words(5001);
  const Plan plan = value_of(
      plan_expand({.n = 5000, .element_bytes = 0, .capacity = 40'000, .from_offsets = true},
                  device().traits()));
  Words output(40'000);
  value_of(run_plan(device(), plan, std::as_bytes(std::span{offsets}),
                    std::as_bytes(std::span{output})));
}

CUMULO_ON_EVERY_GPU(ExpandLimitsTest);

}  // namespace
}  // namespace cumulo::test
