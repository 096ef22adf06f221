// The single pass on devices whose subgroups have other widths: its shuffles and ballots go through
// workgroup memory here, and its look-back adds tile by tile, so that its masks, ranks and lists
// can be seen to be right. On a device with subgroups of 32 lanes it runs as it is.
#include <regex>

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
                            "  return exchanged(x, lane_of$1(y));\n}");
  const auto begin = text.find("var<workgroup> before_tile");
  if (begin != std::string::npos) {
    const auto end = text.find("\n}\n", text.find("fn look_back(")) + 3;
    text.replace(begin, end - begin,
                 "var<workgroup> before_tile: u32;\n"
                 "fn look_back(tile: u32, tag: u32, thread: u32, lane: u32) -> u32 {\n"
                 "  if (thread == 0u) {\n    var sum = 0u;\n"
                 "    for (var t = 0u; t < tile; t++) { sum += await_value(tile_slot(t), tag); }\n"
                 "    before_tile = sum;\n  }\n  workgroupBarrier();\n  return before_tile;\n}\n");
  }
  return text +
         "fn lane_of(y: u32) -> u32 { return y; }\n"
         "fn lane_of_up(y: u32) -> u32 { return own_thread - y; }\n"
         "fn lane_of_xor(y: u32) -> u32 { return own_thread ^ y; }\n"
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

class SelectionPassTest : public SelectTest {
 protected:
  Traits able() {
    Traits traits = device().traits();
    traits.forward_progress = true;
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
                    : plan::plan_selection_pass(request, {64, whole_rows ? 32U : 3U, 0, 0});
    if (!made) return testing::AssertionFailure() << describe(made.error());
    if (!has_width_32()) {
      for (PlanKernel& kernel : made->kernels) {
        if (!kernel.name.starts_with("select_pass") && !kernel.name.contains("gather")) continue;
        kernel.wgsl = with_subgroups_in_memory(std::move(kernel.wgsl), kernel.workgroup_size);
      }
    }
    // Three times: nothing is cleared between.
    return is_right(device(), *made, make_case(d, layout, counted_n, kept, mean_run), 3);
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
    return {
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

CUMULO_ON_EVERY_GPU(SelectionPassTest);

}  // namespace
}  // namespace cumulo::test
