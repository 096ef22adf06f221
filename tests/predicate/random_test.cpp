// Random predicates give what the interpreter says: by the CPU's function, in blocks of any size,
// and as WGSL.
#include <cstring>

#include "api/plan_runner.hpp"
#include "cpu/vector_targets.hpp"
#include "predicate/random_predicate.hpp"
#include "scan/devices.hpp"

namespace cumulo::test {
namespace {

struct Sample {
  Predicate predicate;
  std::vector<std::uint8_t> expected;
};

// As many as wanted; those that the language refuses are passed over.
std::vector<Sample> samples(const Table& table, std::size_t wanted, std::mt19937_64& random,
                            int deepest = 3) {
  std::vector<Sample> all;
  std::size_t refused = 0;
  while (all.size() < wanted) {
    const auto node = random_condition(table, 1 + static_cast<int>(all.size()) % deepest, random);
    auto predicate = parse_predicate(text_of(*node), table.columns);
    if (!predicate) {
      ++refused;
      continue;
    }
    std::vector<std::uint8_t> expected;
    for (std::size_t row = 0; row < table.rows; ++row) {
      expected.push_back(value_of(*node, table, row).truth ? 1 : 0);
    }
    all.push_back({std::move(*predicate), std::move(expected)});
  }
  // Most of what is written here is right: a parser that refuses too much shows.
  EXPECT_LT(refused, 2 * wanted);
  return all;
}

testing::AssertionResult agrees(const Sample& sample, const std::vector<std::uint8_t>& found) {
  for (std::size_t row = 0; row < found.size(); ++row) {
    if (found[row] != sample.expected[row]) {
      return testing::AssertionFailure()
             << sample.predicate.name << ", row " << row << ": found " << int{found[row]} << "\n"
             << sample.predicate.wgsl;
    }
  }
  return testing::AssertionSuccess();
}

// In blocks of any size.
void check_cpu_function(std::uint64_t seed, std::size_t wanted) {
  std::mt19937_64 random(seed);
  const std::size_t rows = 1 + random() % 1500;
  const Table table = random_table(rows, random);
  for (const Sample& sample : samples(table, wanted, random)) {
    std::vector<std::uint8_t> found(rows, 9);
    for (std::size_t first = 0; first < rows;) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::size_t>(rows - first, 1 + random() % 900));
      std::vector<const std::byte*> columns;
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        columns.push_back(table.bytes[c].data() + first * size_of(table.columns[c].type));
      }
      sample.predicate.function(columns.data(), first, count, found.data() + first);
      first += count;
    }
    ASSERT_TRUE(agrees(sample, found)) << "seed " << seed;
  }
}

TEST(RandomPredicateTest, CpuFunctionAgrees) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) check_cpu_function(seed, 250);
}

TEST(RandomPredicateTest, CpuFunctionAgreesOnEveryVectorTarget) {
  on_every_target([](const char* target) {
    SCOPED_TRACE(target);
    check_cpu_function(77, 200);
  });
}

class PredicateKernelTest : public DeviceTest {};

// One kernel for up to 32 predicates: their answers are the bits of a word for each row.
Plan plan_of(std::span<const Sample> samples, const Table& table) {
  std::string functions;
  std::string decisions;
  std::string parameters = "i: u32";
  std::string arguments = "i";
  std::uint64_t words = 0;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Type type = table.columns[c].type;
    const std::string name = c == 0 ? "x" : "c" + std::to_string(c);
    const bool pair = size_of(type) == 8;
    parameters += ", " + name + ": " + (pair ? "vec2<u32>" : std::string(cumulo::name(type)));
    const std::string at = std::to_string(words) + "u + i" + (pair ? " * 2u" : "");
    arguments += pair ? ", vec2<u32>(input[" + at + "], input[" + at + " + 1u])"
                      : ", bitcast<" + std::string(cumulo::name(type)) + ">(input[" + at + "])";
    words += table.rows * size_of(type) / 4;
  }
  std::string kept;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Predicate& predicate = samples[k].predicate;
    if (!predicate.wgsl_functions.empty()) functions = predicate.wgsl_functions;
    const std::string number = std::to_string(k);
    kept += "fn decide" + number + "(" + parameters + ") -> bool {\n" + predicate.wgsl + "\n}\n";
    decisions += "  answer |= select(0u, " + std::to_string(1U << k) + "u, decide" + number + "(" +
                 arguments + "));\n";
  }
  Plan plan;
  plan.primitive = "predicate";
  plan.algorithm = "test";
  plan.n = table.rows;
  plan.buffers = {{"input", words * 4, BufferRole::input},
                  {"output", table.rows * 4, BufferRole::output}};
  plan.kernels = {{"decide",
                   functions + kept +
                       "@group(0) @binding(0) var<storage, read> input: array<u32>;\n"
                       "@group(0) @binding(1) var<storage, read_write> output: array<u32>;\n"
                       "@compute @workgroup_size(64)\n"
                       "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
                       "  let i = id.x;\n"
                       "  if (i >= " +
                       std::to_string(table.rows) + "u) { return; }\n  var answer = 0u;\n" +
                       decisions + "  output[i] = answer;\n}\n",
                   64}};
  plan.steps = {
      DispatchStep{.label = "decide",
                   .kernel = 0,
                   .bindings = {{0, 0, plan.buffers[0].bytes}, {1, 0, plan.buffers[1].bytes}},
                   .workgroups = {static_cast<std::uint32_t>((table.rows + 63) / 64), 1, 1}}};
  return plan;
}

// Software devices compile every call in place, so a kernel gets few predicates.
TEST_P(PredicateKernelTest, Agrees) {
  const bool is_slow = many() < 100'000;
  const std::uint64_t seeds = is_slow ? 4 : 24;
  for (std::uint64_t seed = 101; seed < 101 + seeds; ++seed) {
    std::mt19937_64 random(seed);
    const Table table = random_table(is_slow ? 192 : 640, random);
    const std::vector<Sample> all = samples(table, 4, random, 2);
    std::vector<std::byte> input;
    for (const auto& bytes : table.bytes) input.insert(input.end(), bytes.begin(), bytes.end());
    const std::vector<std::byte> output(table.rows * 4);
    const auto contents = value_of(run_plan(device(), plan_of(all, table), input, output));
    for (std::size_t k = 0; k < all.size(); ++k) {
      std::vector<std::uint8_t> found;
      for (std::size_t row = 0; row < table.rows; ++row) {
        std::uint32_t answer = 0;
        std::memcpy(&answer, contents[1].data() + row * 4, sizeof answer);
        found.push_back(answer >> k & 1U);
      }
      ASSERT_TRUE(agrees(all[k], found)) << "seed " << seed;
    }
  }
}
CUMULO_ON_EVERY_GPU(PredicateKernelTest);

}  // namespace
}  // namespace cumulo::test
