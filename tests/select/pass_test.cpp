// The single pass on devices whose subgroups have other widths: its shuffles and ballots go through
// workgroup memory here, and its look-back adds tile by tile, so that its masks, ranks and lists
// can be seen to be right. On a device with subgroups of 32 lanes it runs as it is.
#include <chrono>
#include <regex>
#include <thread>

#include "plan/selection_plans.hpp"
#include "select/plan_run.hpp"

namespace cumulo::test {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string with_subgroups_in_memory(std::string text, std::uint32_t workgroup) {
  replace_all(text,
              "@builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) width: u32) {",
              ") {\n  let lane = thread % 32u;\n  let width = 32u;\n  own_thread = thread;");
  replace_all(text, "@builtin(subgroup_invocation_id) lane: u32) {",
              ") {\n  let lane = thread % 32u;\n  own_thread = thread;");
  replace_all(text, "subgroupBallot(condition).x", "in_ballot(condition)");
  static const std::regex shuffle{R"(fn shuffle(\w*)\(x: Element, y: u32\) -> Element \{[^}]*\})"};
  text = std::regex_replace(text, shuffle,
                            "fn shuffle$1(x: Element, y: u32) -> Element {\n"
                            "  return exchanged(x, place_of$1(y));\n}");
  return text +
         "fn place_of(y: u32) -> u32 { return y; }\n"
         "fn place_of_up(y: u32) -> u32 { return own_thread - y; }\n"
         "fn place_of_xor(y: u32) -> u32 { return own_thread ^ y; }\n"
         "var<private> own_thread: u32;\n"
         "var<workgroup> lanes: array<u32, " +
         std::to_string(workgroup) +
         ">;\n"
         "fn exchanged(x: u32, lane: u32) -> u32 {\n"
         "  lanes[own_thread] = x;\n  workgroupBarrier();\n"
         "  let y = lanes[(own_thread & ~31u) | (lane & 31u)];\n  workgroupBarrier();\n"
         "  return y;\n}\n"
         "fn in_ballot(condition: bool) -> u32 {\n"
         "  lanes[own_thread] = select(0u, 1u, condition);\n  workgroupBarrier();\n"
         "  var word = 0u;\n"
         "  for (var k = 0u; k < 32u; k++) { word |= lanes[(own_thread & ~31u) + k] << k; }\n"
         "  workgroupBarrier();\n  return word;\n}\n";
}

// Mesa's software rasterizer leaves every loop of a shader after 65,535 rounds of all its loops,
// without a word: so waits give up before that.
void with_short_waits(std::string& text) {
  static const std::regex spins{R"(spin < \d+u)"};
  text = std::regex_replace(text, spins, "spin < 60000u");
}

class SelectionPassTest : public SelectTest {
 protected:
  Traits able() {
    Traits traits = device().traits();
    traits.forward_progress = has_width_32();  // else waits are patient
    traits.subgroups = true;
    traits.subgroup_width = 32;
    return traits;
  }
  bool has_width_32() { return device().traits().subgroup_width == 32; }

  testing::AssertionResult gives(const SelectionDescription& d, const SelectionLayout& layout,
                                 std::uint64_t counted_n, double kept, std::uint32_t mean_run) {
    const Traits traits = able();
    const plan::SelectionRequest request = plan::make_request(d, traits, layout);
    const bool whole_rows = d.rest == Rest::follows;
    auto made = has_width_32()
                    ? plan::plan_selection_pass(request)
                    : plan::plan_selection_pass(request, {96, whole_rows ? 32U : 2U, 0, 0, 1});
    if (!made) return testing::AssertionFailure() << describe(made.error());
    if (!has_width_32()) {
      for (PlanKernel& kernel : made->kernels) {
        if (!kernel.name.starts_with("select_pass") && !kernel.name.contains("gather")) continue;
        kernel.wgsl = with_subgroups_in_memory(std::move(kernel.wgsl), kernel.workgroup_size);
        if (device().info().name.contains("llvmpipe")) with_short_waits(kernel.wgsl);
      }
    }
    // Three times: nothing is cleared between.
    const SelectionCase c = make_case(d, layout, counted_n, kept, mean_run);
    for (int patience = 200;; --patience) {
      auto right = is_right(device(), *made, c, 3);
      // On few busy processors a tile may wait longer for another one than it is allowed to.
      const bool stalled = std::string_view{right.message()}.contains("stalled");
      if (has_width_32() || !stalled || patience == 0 || layout.withhold != 0) return right;
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
  }

  std::vector<SelectionDescription> kinds(std::uint64_t n) {
    const Predicate second_column{.name = "c1 > 5",
                                  .columns = {{}, {"b", Type::u64}},
                                  .wgsl = "return c1.x > 0x80000000u && x != 0u;",
                                  .function = [](const std::byte* const* columns, std::uint64_t,
                                                 std::uint32_t count, std::uint8_t* keep) {
                                    for (std::uint32_t k = 0; k < count; ++k) {
                                      std::uint32_t x, low;
                                      std::memcpy(&x, columns[0] + k * 4, 4);
                                      std::memcpy(&low, columns[1] + k * 8, 4);
                                      keep[k] = low > 0x80000000 && x != 0;
                                    }
                                  }};
    std::vector<SelectionDescription> all{
        {.n = n, .arrays = {{4}}, .flags = FlagType::u8},
        {.n = n, .arrays = {{4}}, .flags = FlagType::u32, .indices = true},
        {.n = n, .arrays = {{12}}, .flags = FlagType::bits},
        {.n = n, .flags = FlagType::bits, .indices = true},
        {.n = n, .arrays = {{8}, {4}}, .flags = FlagType::u8, .capacity = n / 3},
        {.n = n, .arrays = {{4}}, .predicate = above(0x60000000)},
        {.n = n, .arrays = {{4}}, .predicate = above(0x60000000), .capacity = n / 4},
        {.n = n, .arrays = {{4}, {8, false}}, .predicate = second_column, .indices = true},
        {.n = n, .arrays = {{4}}, .heads = true},
        {.n = n, .arrays = {{4}}, .heads = true, .indices = true},
        {.n = n, .arrays = {{4}}, .heads = true, .indices = true, .lengths = true},
        {.n = n, .arrays = {{4}}, .heads = true, .lengths = true, .capacity = n / 9},
        {.n = n, .arrays = {{8}, {4}}, .heads = true, .lengths = true},
        {.n = n, .arrays = {{4}}, .flags = FlagType::u8, .rest = Rest::follows},
        {.n = n,
         .arrays = {{12}, {4}},
         .flags = FlagType::bits,
         .rest = Rest::follows,
         .indices = true},
        {.n = n, .arrays = {{4}}, .predicate = above(0xa0000000), .rest = Rest::follows},
    };
    // SwiftShader takes minutes to compile what a partition's two lists are through memory.
    if (device().info().name.contains("SwiftShader")) {
      std::erase_if(all, [](const auto& d) { return d.rest != Rest::dropped; });
    }
    return all;
  }

  std::vector<std::uint64_t> sizes() {
    if (has_width_32()) return {1, 33, 4097, 16'385, 100'003, 1'500'007};
    return {1, 33, 191, 193, 4099, 9011};
  }
};

TEST_P(SelectionPassTest, EveryKindAtEverySize) {
  for (const std::uint64_t n : sizes()) {
    for (const SelectionDescription& d : kinds(n)) EXPECT_TRUE(gives(d, {}, 0, 0.5, 3)) << n;
  }
}

TEST_P(SelectionPassTest, FewAllAndNone) {
  const std::uint64_t n = sizes().back();
  for (const double kept : {0.0, 0.01, 0.99, 2.0}) {
    for (const SelectionDescription& d : kinds(n)) {
      if (!d.flags) continue;
      EXPECT_TRUE(gives(d, {}, 0, kept, 3)) << kept;
    }
  }
  for (const SelectionDescription& d : kinds(n)) {
    if (!d.heads) continue;
    EXPECT_TRUE(gives(d, {}, 0, 0.5, 1'000'000)) << "one run";
  }
}

TEST_P(SelectionPassTest, AnyOffset) {
  const std::uint64_t n = sizes()[sizes().size() - 3] + 2;
  for (const SelectionDescription& d : kinds(n)) {
    for (const std::uint32_t by : {1U, 4U, 7U}) {
      const SelectionLayout layout{.misalignments = std::vector<std::uint32_t>(8, by)};
      EXPECT_TRUE(gives(d, layout, 0, 0.5, 3)) << by;
    }
  }
}

TEST_P(SelectionPassTest, CountedOnTheDevice) {
  const std::uint64_t n = sizes()[sizes().size() - 2];
  for (const SelectionDescription& d : kinds(n)) {
    for (const std::uint64_t counted : {std::uint64_t{0}, std::uint64_t{1}, n / 2 + 1, n, n + 9}) {
      EXPECT_TRUE(gives(d, {.counted = true}, counted, 0.5, 3)) << counted;
    }
  }
}

TEST_P(SelectionPassTest, AWithheldTileIsNoticed) {
  // Every other tile says nothing, and there are at least three.
  const std::uint64_t n = has_width_32() ? 200'000 : 9011;
  for (const SelectionDescription& d : kinds(n)) {
    const auto right = gives(d, {.withhold = 2}, 0, 0.5, 3);
    EXPECT_FALSE(right);
    EXPECT_NE(std::string_view{right.message()}.find("stalled"), std::string_view::npos)
        << right.message();
    const bool waits_long = has_width_32() || device().info().name.contains("SwiftShader");
    if (waits_long || d.predicate) break;
  }
}

// Where `auto` takes the single pass at all.
TEST_P(SelectionPassTest, AutoFinishesByAnotherWay) {
  const auto values = random_elements<std::uint32_t>(200'000);
  std::vector<std::uint32_t> expected;
  for (const std::uint32_t x : values) {
    if (x > 0x60000000) expected.push_back(x);
  }
  const SelectionDescription d{.n = values.size(), .arrays = {{4}}, .predicate = above(0x60000000)};
  for (const std::uint32_t one_of : {0U, 4U}) {
    device().impl().withhold = one_of;
    auto kept = poisoned<std::uint32_t>(values.size());
    const auto report =
        select_bytes(device(), d, {{std::as_bytes(std::span{values})}}, {{bytes_in(kept)}});
    device().impl().withhold = 0;
    ASSERT_TRUE(report) << describe(report.error());
    const bool one_pass = has_width_32() && device().traits().forward_progress && one_of == 0;
    EXPECT_EQ(report->algorithm, one_pass ? "single-pass" : "mask-then-scatter");
    EXPECT_TRUE(holds(expected, kept));
  }
}

CUMULO_ON_EVERY_GPU(SelectionPassTest);

}  // namespace
}  // namespace cumulo::test
