// Bound once and recorded into a program's own encoders and passes, with the program's own buffers.
#include <numeric>

#include "api/impl.hpp"
#include "gpu/adopted_device.hpp"
#include "gpu/allocations.hpp"
#include "gpu/executor.hpp"
#include "scan/check.hpp"

namespace cumulo::test {
namespace {

using Words = std::vector<std::uint32_t>;

// A program with a device and buffers of its own.
class BindTest : public AdoptedDeviceTest {
 protected:
  WGPUBuffer garbage(std::uint64_t words) { return buffer_of(Words(words, 0xA7A7A7A7)); }

  static Words scanned(const ScanDescription& d, const Words& values) {
    return expected_scan<std::uint32_t>(d, values).values;
  }
  std::uint32_t word_at(const BufferRange& range) {
    return own().words_of(range.buffer, range.offset / 4 + 1).back();
  }
  // Expects `wanted` in the buffer from the word `at`, and garbage round it.
  void expect_between_garbage(WGPUBuffer buffer, std::uint64_t at, const Words& wanted,
                              std::uint64_t all) {
    Words whole(all, 0xA7A7A7A7);
    std::ranges::copy(wanted, whole.begin() + static_cast<std::ptrdiff_t>(at));
    EXPECT_TRUE(same<std::uint32_t>(whole, own().words_of(buffer, all)));
  }
};

constexpr std::uint64_t one_tile = 1000;
constexpr std::uint64_t many_tiles = 20'011;

TEST_P(BindTest, ScansBetweenAnyOffsetsOfTheProgramsBuffers) {
  for (const std::uint64_t n : {std::uint64_t{1}, one_tile, many_tiles}) {
    auto prepared = value_of(prepare_scan(adopted(), {.n = n}));
    const Words values = random_values<std::uint32_t>(n, Operator::add);
    for (const auto& [in_at, out_at] : {std::pair{0U, 0U}, {1U, 3U}, {67U, 0U}, {5U, 129U}}) {
      Words around(in_at, 0xDEADBEEF);
      around.insert(around.end(), values.begin(), values.end());
      around.push_back(0xDEADBEEF);
      WGPUBuffer in = buffer_of(around);
      WGPUBuffer out = garbage(out_at + n + 7);
      auto bound = value_of(bind(prepared, {in, in_at * 4}, {out, out_at * 4}));
      WGPUCommandEncoder encoder = own().encoder();
      value_of(record(bound, encoder));
      own().submit(encoder);
      const Words wanted = scanned({.n = n}, values);
      expect_between_garbage(out, out_at, wanted, out_at + n + 7);
      EXPECT_EQ(word_at(bound.total()), wanted.back());
    }
  }
}

TEST_P(BindTest, RecordingMakesNothing) {
  for (const std::uint64_t n : {one_tile, many_tiles}) {
    auto prepared = value_of(prepare_scan(adopted(), {.n = n}));
    const Words values = random_values<std::uint32_t>(n, Operator::add);
    WGPUBuffer in = buffer_of(values);
    WGPUBuffer out = garbage(n);
    const std::size_t before_binding = allocations();
    auto bound = value_of(bind(prepared, {in}, {out}));
    EXPECT_GT(allocations(), before_binding) << "the counters see the library";
    WGPUCommandEncoder encoder = own().encoder();
    WGPUCommandEncoder other = own().encoder();
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(other, nullptr);
    const auto created = adopted().impl().gpu->created();
    const std::size_t before = allocations();
    bool all = true;
    for (int run = 0; run < 50; ++run) {
      all = all && record(bound, encoder).has_value() && record(bound, pass).has_value();
    }
    EXPECT_EQ(allocations(), before);
    EXPECT_EQ(adopted().impl().gpu->created(), created);
    EXPECT_TRUE(all);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    own().submit(encoder);
    own().submit(other);
    EXPECT_TRUE(same<std::uint32_t>(scanned({.n = n}, values), own().words_of(out, n)));
  }
}

TEST_P(BindTest, AComputePassTakesWhatIsDispatchesAlone) {
  auto prepared = value_of(prepare_scan(adopted(), {.n = one_tile}));
  const Words values = random_values<std::uint32_t>(one_tile, Operator::add);
  WGPUBuffer in = buffer_of(values);
  WGPUBuffer out = garbage(one_tile);
  auto bound = value_of(bind(prepared, {in}, {out}));
  EXPECT_EQ(bound.plan().steps.size(), 1U) << "one dispatch suffices for one tile";

  auto nothing = value_of(prepare_scan(adopted(), {.n = 0, .include_initial = true}));
  auto copies = value_of(bind(nothing, {in}, {out}));
  WGPUCommandEncoder encoder = own().encoder();
  WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, nullptr);
  const auto refused = record(copies, pass);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::bad_argument);
  EXPECT_NE(refused.error().message.find("copies"), std::string::npos) << refused.error().message;
  value_of(record(bound, pass));
  wgpuComputePassEncoderEnd(pass);
  wgpuComputePassEncoderRelease(pass);
  own().submit(encoder);
  EXPECT_TRUE(same<std::uint32_t>(scanned({.n = one_tile}, values), own().words_of(out, one_tile)));
}

// What a parameter written while recording would get wrong: all runs would see the last one's.
TEST_P(BindTest, ManySizesInOneEncoder) {
  std::vector<BoundScan> scans;
  std::vector<std::pair<WGPUBuffer, Words>> results;
  for (const std::uint64_t n : {5U, 4096U, 4097U, 1U, 20'000U, 0U, 77U}) {
    auto prepared = value_of(prepare_scan(adopted(), {.n = n}));
    const Words values = random_values<std::uint32_t>(n, Operator::add);
    WGPUBuffer in = buffer_of(values);
    results.emplace_back(garbage(n + 1), scanned({.n = n}, values));
    // The bound scan outlives its prepared one.
    scans.push_back(value_of(bind(prepared, {in}, {results.back().first})));
  }
  WGPUCommandEncoder encoder = own().encoder();
  for (BoundScan& scan : scans) value_of(record(scan, encoder));
  own().submit(encoder);
  for (const auto& [buffer, wanted] : results) {
    expect_between_garbage(buffer, 0, wanted, wanted.size() + 1);
  }
}

TEST_P(BindTest, ARunReadsWhatTheOneBeforeWrote) {
  const ScanDescription d{.n = many_tiles};
  auto prepared = value_of(prepare_scan(adopted(), d));
  const Words values = random_values<std::uint32_t>(d.n, Operator::add);
  WGPUBuffer a = buffer_of(values);
  WGPUBuffer b = garbage(d.n);
  auto there = value_of(bind(prepared, {a}, {b}));
  auto back = value_of(bind(prepared, {b}, {a}));
  auto in_place = value_of(bind(prepared, {a}, {a}));
  WGPUCommandEncoder encoder = own().encoder();
  for (BoundScan* scan : {&there, &back, &in_place}) value_of(record(*scan, encoder));
  own().submit(encoder);
  const Words wanted = scanned(d, scanned(d, scanned(d, values)));
  EXPECT_TRUE(same<std::uint32_t>(wanted, own().words_of(a, d.n)));
}

TEST_P(BindTest, ScansThatShareScratchDoNotDisturbOneAnother) {
  std::vector<PreparedScan> prepared;
  std::uint64_t bytes = 0;
  for (const std::uint64_t n : {many_tiles, one_tile, many_tiles + 9000}) {
    prepared.push_back(value_of(prepare_scan(adopted(), {.n = n})));
    bytes = std::max(bytes, scratch_size(prepared.back()));
  }
  ASSERT_GT(bytes, 0U);
  for (const std::uint64_t at : {0U, 1U, 70U}) {
    WGPUBuffer scratch = garbage(at + bytes / 4);
    std::vector<BoundScan> scans;
    std::vector<std::pair<WGPUBuffer, Words>> results;
    for (PreparedScan& scan : prepared) {
      for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        const std::uint64_t n = scan.description().n;
        const Words values = random_values<std::uint32_t>(n, Operator::add, seed);
        WGPUBuffer in = buffer_of(values);
        results.emplace_back(garbage(n), scanned({.n = n}, values));
        scans.push_back(
            value_of(bind(scan, {in}, {results.back().first}, {.scratch = {scratch, at * 4}})));
      }
    }
    WGPUCommandEncoder encoder = own().encoder();
    for (int round = 0; round < 2; ++round) {
      for (BoundScan& scan : scans) value_of(record(scan, encoder));
    }
    own().submit(encoder);
    for (std::size_t i = 0; i < scans.size(); ++i) {
      const auto& [buffer, wanted] = results[i];
      EXPECT_TRUE(same<std::uint32_t>(wanted, own().words_of(buffer, wanted.size())));
      EXPECT_EQ(word_at(scans[i].total()), wanted.back()) << "totals are not shared";
    }
  }
}

TEST_P(BindTest, SeveralScansInFlightKeepToTheirOwnScratch) {
  std::vector<BoundScan> scans;
  std::vector<std::pair<WGPUBuffer, Words>> results;
  auto prepared = value_of(prepare_scan(adopted(), {.n = many_tiles}));
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Words values = random_values<std::uint32_t>(many_tiles, Operator::add, seed);
    WGPUBuffer in = buffer_of(values);
    results.emplace_back(garbage(many_tiles), scanned({.n = many_tiles}, values));
    scans.push_back(value_of(bind(prepared, {in}, {results.back().first})));
  }
  for (int round = 0; round < 2; ++round) {
    WGPUCommandEncoder encoder = own().encoder();
    for (BoundScan& scan : scans) value_of(record(scan, encoder));
    own().submit(encoder);
  }
  for (const auto& [buffer, wanted] : results) {
    EXPECT_TRUE(same<std::uint32_t>(wanted, own().words_of(buffer, wanted.size())));
  }
}

// Counts that the device itself makes: each scan's total is the next one's count.
TEST_P(BindTest, CountsComeFromTheDevice) {
  constexpr std::uint64_t capacity = 9000;
  auto prepared = value_of(prepare_scan(adopted(), {.n = capacity}, {.counted = true}));
  const Words ones(capacity, 1);
  const Words twos(capacity, 2);
  WGPUBuffer counts = buffer_of(Words{0, 0, 0, 0, 0, 700});
  WGPUBuffer first_out = garbage(capacity);
  WGPUBuffer second_out = garbage(capacity);
  WGPUBuffer third_out = garbage(capacity);
  WGPUBuffer in = buffer_of(twos);
  // 700 twos are 1400; 1400 ones are 1400; 0 elements.
  auto first = value_of(bind(prepared, {in}, {first_out}, {.count = {counts, 20}}));
  auto second = value_of(bind(prepared, {buffer_of(ones)}, {second_out}, {.count = first.total()}));
  auto third = value_of(bind(prepared, {in}, {third_out}, {.count = {counts, 4}}));
  const std::size_t before = allocations();
  WGPUCommandEncoder encoder = own().encoder();
  for (BoundScan* scan : {&first, &second, &third}) value_of(record(*scan, encoder));
  EXPECT_EQ(allocations(), before);
  own().submit(encoder);
  expect_between_garbage(first_out, 0, scanned({.n = 700}, Words(700, 2)), capacity);
  expect_between_garbage(second_out, 0, scanned({.n = 1400}, Words(1400, 1)), capacity);
  expect_between_garbage(third_out, 0, {}, capacity);
  EXPECT_EQ(word_at(first.total()), 1400U);
  EXPECT_EQ(word_at(second.total()), 1400U);
  EXPECT_EQ(word_at(third.total()), 0U);
  for (BoundScan* scan : {&first, &second, &third}) EXPECT_EQ(word_at(scan->status()), 0U);
}

TEST_P(BindTest, ACountAboveTheCapacityIsClampedAndReported) {
  for (const std::uint32_t capacity : {100U, 9000U}) {
    auto prepared = value_of(prepare_scan(
        adopted(), {.n = capacity, .op = Operator::max, .init = 5U}, {.counted = true}));
    const Words values = random_values<std::uint32_t>(capacity, Operator::max);
    WGPUBuffer in = buffer_of(values);
    WGPUBuffer out = garbage(capacity + 9);
    WGPUBuffer count = buffer_of({capacity + 1});
    auto bound = value_of(bind(prepared, {in}, {out}, {.count = {count}}));
    const auto run = [&](std::uint32_t elements) {
      wgpuQueueWriteBuffer(own().queue(), count, 0, &elements, 4);
      WGPUCommandEncoder encoder = own().encoder();
      WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, nullptr);
      value_of(record(bound, pass));
      wgpuComputePassEncoderEnd(pass);
      wgpuComputePassEncoderRelease(pass);
      own().submit(encoder);
      return std::pair{word_at(bound.status()), word_at(bound.total())};
    };
    const ScanDescription d{.n = capacity, .op = Operator::max, .init = 5U};
    const Words wanted = scanned(d, values);
    EXPECT_EQ(run(capacity + 1), (std::pair{status_clamped, wanted.back()}));
    expect_between_garbage(out, 0, wanted, capacity + 9);
    EXPECT_EQ(run(0xFFFFFFFF), (std::pair{status_clamped, wanted.back()}));
    EXPECT_EQ(run(capacity), (std::pair{0U, wanted.back()}));
    EXPECT_EQ(run(0), (std::pair{0U, 5U}));
  }
}

// A device of two workgroups a dimension: the grid that is worked out on the device is folded.
TEST_P(BindTest, CountedGridsAreFoldedToo) {
  constexpr std::uint64_t capacity = 30'000;
  Traits traits = adopted().traits();
  traits.limits.max_workgroups_per_dimension = 2;
  const Plan plan = value_of(plan_scan({.n = capacity}, traits, {.counted = true}));
  auto& context = *adopted().impl().gpu;
  const auto counts = std::ranges::find(plan.buffers, BufferRole::count, &PlanBuffer::role);
  const auto place = static_cast<std::uint32_t>(counts - plan.buffers.begin());
  const auto prepared = value_of(gpu::PreparedPlan::create(context, plan, {0, 1, place}));
  const Words values = random_values<std::uint32_t>(capacity, Operator::add);
  WGPUBuffer in = buffer_of(values);
  for (const std::uint32_t n : {0U, 1U, 4097U, 9000U, 17'000U, 29'999U, 30'000U}) {
    WGPUBuffer out = garbage(capacity);
    WGPUBuffer count = buffer_of({n});
    const auto scratch = value_of(gpu::Scratch::create(context, prepared->scratch_bytes()));
    auto bound = value_of(gpu::BoundPlan::create(
        prepared,
        std::array{gpu::BoundBuffer{in, 0, capacity * 4}, gpu::BoundBuffer{out, 0, capacity * 4},
                   gpu::BoundBuffer{count, 0, 4}},
        scratch));
    WGPUCommandEncoder encoder = own().encoder();
    value_of(bound.record(encoder));
    own().submit(encoder);
    const Words some(values.begin(), values.begin() + n);
    expect_between_garbage(out, 0, scanned({.n = n}, some), capacity);
  }
}

TEST_P(BindTest, WhatCannotBeBoundIsABadArgument) {
  auto prepared = value_of(prepare_scan(adopted(), {.n = many_tiles}));
  WGPUBuffer in = garbage(many_tiles + 1);
  WGPUBuffer out = garbage(many_tiles + 1);
  WGPUBuffer small = garbage(many_tiles - 1);
  WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
  descriptor.size = 4 * many_tiles;
  descriptor.usage = WGPUBufferUsage_CopyDst;
  WGPUBuffer no_storage = wgpuDeviceCreateBuffer(own().device(), &descriptor);
  const auto refused = [&](const BufferRange& from, const BufferRange& to,
                           const BindOptions& options, std::string_view named) {
    const auto bound = bind(prepared, from, to, options);
    ASSERT_FALSE(bound) << named;
    EXPECT_EQ(bound.error().kind, ErrorKind::bad_argument) << describe(bound.error());
    EXPECT_NE(bound.error().message.find(named), std::string::npos) << describe(bound.error());
  };
  refused({nullptr}, {out}, {}, "null");
  refused({in, 2}, {out}, {}, "offset");
  refused({in}, {out, 8}, {}, "output");
  refused({small}, {out}, {}, "input");
  refused({in}, {no_storage}, {}, "storage");
  refused({in}, {in, 4}, {}, "overlap");
  refused({in}, {out}, {.scratch = {in}}, "scratch");
  WGPUBuffer narrow = garbage(1);
  refused({in}, {out}, {.scratch = {narrow, 4096}}, "scratch");
  refused({in}, {out}, {.count = {in}}, "count");
  descriptor.usage = WGPUBufferUsage_Storage;
  WGPUBuffer no_copy = wgpuDeviceCreateBuffer(own().device(), &descriptor);
  value_of(bind(prepared, {in}, {no_copy}));
  auto nothing = value_of(prepare_scan(adopted(), {.n = 0, .include_initial = true}));
  const auto copied = bind(nothing, {in}, {no_copy});
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().kind, ErrorKind::bad_argument) << describe(copied.error());
  EXPECT_EQ(own().errors.size(), 0U);
  wgpuBufferRelease(no_storage);
  wgpuBufferRelease(no_copy);
}

TEST_P(BindTest, TheCpuBackendRecordsNothing) {
  Device cpu = Device::cpu();
  auto prepared = value_of(prepare_scan(cpu, {.n = 10}));
  EXPECT_EQ(scratch_size(prepared), 0U);
  const auto bound = bind(prepared, {garbage(10)}, {garbage(10)});
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().kind, ErrorKind::bad_argument);
}

// A plan that counts its runs in scratch and copies the count out; renewed after three.
class RenewalTest : public BindTest {
 protected:
  static Plan counting_plan() {
    Plan plan{.primitive = "count", .algorithm = "test", .buffers = {}, .kernels = {}, .steps = {}};
    plan.buffers = {{"output", 4, BufferRole::output}, {"runs", 40'000, BufferRole::scratch}};
    plan.kernels = {{"count",
                     "@group(0) @binding(0) var<storage, read_write> output: array<u32>;\n"
                     "@group(0) @binding(1) var<storage, read_write> runs: array<u32>;\n"
                     "@compute @workgroup_size(1) fn main() {\n"
                     "  runs[9999] += 1u; output[0] = runs[9999]; }\n",
                     1}};
    plan.steps = {DispatchStep{"", 0, {{0, 0, 4}, {1, 0, 40'000}}}};
    plan.renewal = PlanRenewal{1, 3};
    return plan;
  }

  // What each of seven runs finds.
  Words runs_seen(const std::shared_ptr<gpu::Scratch>& scratch, bool in_pass) {
    auto prepared =
        value_of(gpu::PreparedPlan::create(*adopted().impl().gpu, counting_plan(), {0}));
    WGPUBuffer out = garbage(1);
    auto bound = value_of(
        gpu::BoundPlan::create(prepared, std::array{gpu::BoundBuffer{out, 0, 4}}, scratch));
    Words seen;
    for (int run = 0; run < 7; ++run) {
      WGPUCommandEncoder encoder = own().encoder();
      if (in_pass) {
        WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, nullptr);
        value_of(bound.record(pass));
        wgpuComputePassEncoderEnd(pass);
        wgpuComputePassEncoderRelease(pass);
      } else {
        value_of(bound.record(encoder));
      }
      own().submit(encoder);
      seen.push_back(own().words_of(out, 1)[0]);
    }
    return seen;
  }
};

TEST_P(RenewalTest, OwnScratchIsKeptAndRenewedInTime) {
  for (const bool in_pass : {false, true}) {
    auto scratch = value_of(gpu::Scratch::create(*adopted().impl().gpu, 40'192));
    EXPECT_EQ(runs_seen(scratch, in_pass), (Words{1, 2, 3, 1, 2, 3, 1}));
  }
}

TEST_P(RenewalTest, LentScratchIsClearedBeforeEveryRun) {
  for (const bool in_pass : {false, true}) {
    auto scratch = gpu::Scratch::borrow({garbage(11'000), 256, 44'000});
    EXPECT_EQ(runs_seen(scratch, in_pass), Words(7, 1));
  }
}

CUMULO_ON_EVERY_GPU(BindTest);
CUMULO_ON_EVERY_GPU(RenewalTest);

}  // namespace
}  // namespace cumulo::test
