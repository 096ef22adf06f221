// The small pass on devices whose subgroups have other widths: its shuffles go through workgroup
// memory here, so that its trees and its order can be seen to be right for any element.
#include <regex>

#include "api/plan_runner.hpp"
#include "plan/scan_plans.hpp"
#include "scan/check.hpp"

namespace cumulo::test {
namespace {

// The kernel with subgroups of 32 lanes made of 32 invocations each. Their shuffles wait at
// barriers of the whole workgroup, which all of it must reach: so what the first subgroup does for
// all, all do, each for itself and to the same end.
std::string with_shuffles_in_memory(const std::string& wgsl, std::uint32_t workgroup) {
  static const std::regex parameters{
      R"(,\s*@builtin\(subgroup_invocation_id\) lane: u32, @builtin\(subgroup_size\) width: u32\) \{)"};
  static const std::regex shuffle{R"(fn shuffle(\w*)\(x: Element, y: u32\) -> Element \{[^}]*\})"};
  std::string text = std::regex_replace(wgsl, parameters,
                                        ") {\n  let lane = thread % 32u;\n  let width = 32u;\n"
                                        "  own_thread = thread;");
  static const std::regex first_subgroup{R"(if \(thread < 32u\) \{)"};
  text = std::regex_replace(text, first_subgroup, "{");
  text = std::regex_replace(text, shuffle,
                            "fn shuffle$1(x: Element, y: u32) -> Element {\n"
                            "  return exchanged(x, lane_of$1(y));\n}");
  return text +
         "fn lane_of(y: u32) -> u32 { return y; }\n"
         "fn lane_of_up(y: u32) -> u32 { return own_thread - y; }\n"
         "fn lane_of_xor(y: u32) -> u32 { return own_thread ^ y; }\n"
         "var<private> own_thread: u32;\n"
         "var<workgroup> lanes: array<Element, " +
         std::to_string(workgroup) +
         ">;\n"
         "fn exchanged(x: Element, lane: u32) -> Element {\n"
         "  lanes[own_thread] = x;\n  workgroupBarrier();\n"
         "  let y = lanes[(own_thread & ~31u) | (lane & 31u)];\n  workgroupBarrier();\n"
         "  return y;\n}\n";
}

class SmallPassTest : public DeviceTest {
 protected:
  template <class T>
  testing::AssertionResult gives(ScanDescription d, std::span<const T> values,
                                 std::span<const T> expected) {
    d.n = values.size();
    Traits traits = device().traits();
    traits.subgroups = true;
    traits.subgroup_width = 32;
    traits.forward_progress = true;  // to wait for seconds, not minutes
    const PlanOptions options;
    const bool starts = d.kind == ScanKind::exclusive;
    const plan::ScanRequest request{d, traits, options,
                                    starts ? plan::identity_words(d) : plan::absent_words(d),
                                    plan::absent_words(d)};
    Plan plan = value_of(plan::plan_small_pass(request, {.rows_each = 8}));
    PlanKernel& kernel = plan.kernels.at(0);
    kernel.wgsl = with_shuffles_in_memory(kernel.wgsl, kernel.workgroup_size);
    const std::vector<T> out(values.size());
    auto contents = run_unstalled(plan, std::as_bytes(values), std::as_bytes(std::span{out}));
    if (!contents)
      return testing::AssertionFailure() << contents.error() << " (" << text_of(d) << ")";
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::memcmp(&(*contents)[1][i * sizeof(T)], &expected[i], sizeof(T)) == 0) continue;
      return testing::AssertionFailure() << "element " << i << " differs (" << text_of(d) << ")";
    }
    return testing::AssertionSuccess();
  }

  // Where others have the processor a wait may run out: that is told, and no fault of the trees.
  std::expected<std::vector<std::vector<std::byte>>, std::string> run_unstalled(
      const Plan& plan, std::span<const std::byte> in, std::span<const std::byte> out) {
    constexpr int tries = 10;
    for (int i = 0; i < tries; ++i) {
      auto contents = run_plan(device(), plan, in, out);
      if (!contents) return std::unexpected{describe(contents.error())};
      std::uint32_t stalled = 1;
      std::memcpy(&stalled, &(*contents)[plan.status->buffer][plan.status->offset], 4);
      if (stalled == 0) return std::move(*contents);
    }
    return std::unexpected{"stalled " + std::to_string(tries) + " times"};
  }

  // One tile; several, which wait for one another.
  std::vector<std::uint64_t> sizes() {
    std::vector<std::uint64_t> all{1, 130, 1025, 4096, 4097};
    // Where threads that wait have the processor to themselves, it takes long.
    if (!device().info().name.contains("llvmpipe")) all.push_back(most);
    return all;
  }
  static constexpr std::uint64_t most = 9000;
};

TEST_P(SmallPassTest, NumbersAreRight) {
  for_each_type_and_operator(types(), [&]<class T>(Operator op) {
    if (op != Operator::add && op != Operator::min) return;
    const auto values = random_values<T>(most, op);
    for (const std::uint64_t n : sizes()) {
      const ScanDescription d{.n = n, .type = type_of<T>, .op = op};
      const std::span<const T> some = std::span{values}.first(n);
      EXPECT_TRUE(gives<T>(d, some, expected_scan<T>(d, some).values));
    }
  });
}

TEST_P(SmallPassTest, TheOlderOfTwoEqualZerosIsKept) {
  std::vector<float> zeros(sizes().back());
  for (std::size_t i = 0; i < zeros.size(); ++i) zeros[i] = i % 3 == 0 ? -0.0F : 0.0F;
  const std::vector<float> wanted(zeros.size(), -0.0F);
  for (const Operator op : {Operator::min, Operator::max}) {
    EXPECT_TRUE(gives<float>({.type = Type::f32, .op = op}, zeros, wanted));
  }
}

TEST_P(SmallPassTest, OperatorsThatDoNotCommuteAreRight) {
  const auto combine = [](const Affine& older, const Affine& newer) {
    return Affine{older.a * newer.a, newer.a * older.b + newer.b};
  };
  std::vector<Affine> maps(most);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    maps[i] = {1 + static_cast<float>(i * 37 % 101) / 65536, static_cast<float>(i * 61 % 89) - 44};
  }
  for (const std::uint64_t n : sizes()) {
    for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
      const ScanDescription d{.n = n, .kind = kind, .monoid = affine_monoid()};
      const std::span<const Affine> some = std::span{maps}.first(n);
      const auto expected = expected_forward<Affine>(
          d, some, std::nullopt, {}, false, [&](const Affine& older, const Affine& newer) {
            if (older == Affine{}) return newer;
            return newer == Affine{} ? older : combine(older, newer);
          });
      EXPECT_TRUE(gives<Affine>(d, some, expected.values));
    }
  }
}

CUMULO_ON_EVERY_GPU(SmallPassTest);

}  // namespace
}  // namespace cumulo::test
