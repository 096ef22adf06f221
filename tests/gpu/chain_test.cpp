// Compact, allocate and expand one after the other, each counted by the one before: recorded in one
// submit, with one read of the final count and of nothing else.
#include <array>
#include <cstddef>

#include "api/impl.hpp"
#include "cumulo/webgpu.hpp"
#include "expand/reference.hpp"

namespace cumulo::test {
namespace {

class ChainTest : public DeviceTest {
 protected:
  static constexpr std::uint64_t n = 20'000;
  static constexpr std::uint64_t capacity = 70'000;

  void SetUp() override {
    counts = counts_to_try(n, 9, 0)[0].counts;
    ids = random_words(n);
    flags = random_words(n);
    for (std::size_t i = 0; i < n; ++i) {
      flags[i] = flags[i] % 3 == 0 ? 1 : 0;
      if (flags[i] == 0) continue;
      kept_counts.push_back(counts[i]);
      kept_ids.push_back(ids[i]);
    }
  }

  Buffer poisoned(std::uint64_t words) {
    return uploaded_words(device(), Words(words, 0xA7A7A7A7));
  }

  Words counts, ids, flags, kept_counts, kept_ids;
};

TEST_P(ChainTest, OneSubmitAndOneRead) {
  gpu::Context& context = *device().impl().gpu;
  auto compaction =
      value_of(prepare_selection(device(), {.n = n, .arrays = {{4}, {4}}, .flags = FlagType::u32}));
  const std::vector<IndirectForm> forms{{IndirectCall::dispatch, 64}};
  auto allocation =
      value_of(prepare_allocation(device(), {.n = n, .capacity = capacity}, {.counted = true}));
  auto expansion = value_of(prepare_expansion(
      device(), {.n = n, .capacity = capacity, .from_offsets = true, .arguments = forms},
      {.counted = true}));

  const Buffer in = uploaded_words(device(), counts);
  const Buffer names = uploaded_words(device(), ids);
  const Buffer marks = uploaded_words(device(), flags);
  const Buffer some_counts = poisoned(n);
  const Buffer some_names = poisoned(n);
  const Buffer number = poisoned(1);
  const Buffer offsets = poisoned(n + 1);
  const Buffer allocated = poisoned(8);
  const Buffer output = poisoned(capacity);
  const Buffer expanded = poisoned(4);
  const Buffer arguments = poisoned(3);
  const auto at = [](const Buffer& buffer) { return BufferRange{native_buffer(buffer)}; };

  auto compact = value_of(bind(compaction, {.arrays = {at(in), at(names)},
                                            .flags = at(marks),
                                            .kept = {at(some_counts), at(some_names)},
                                            .counts = at(number)}));
  auto allocate = value_of(bind(allocation, {.counts = at(some_counts),
                                             .offsets = at(offsets),
                                             .report = at(allocated),
                                             .n = at(number)}));
  auto expand = value_of(bind(expansion, {.counts = at(offsets),
                                          .values = at(some_names),
                                          .output = at(output),
                                          .report = at(expanded),
                                          .arguments = at(arguments),
                                          .n = at(number)}));
  const std::uint64_t reads = context.reads();
  const gpu::Context::Created created = context.created();
  WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(context.device(), nullptr);
  value_of(record(compact, encoder));
  value_of(record(allocate, encoder));
  value_of(record(expand, encoder));
  WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, nullptr);
  wgpuQueueSubmit(context.queue(), 1, &commands);
  wgpuCommandBufferRelease(commands);
  wgpuCommandEncoderRelease(encoder);
  ExpansionReport report;
  value_of(device().read(expanded, 0, std::as_writable_bytes(std::span{&report, 1})));
  EXPECT_EQ(context.reads(), reads + 1);
  EXPECT_EQ(context.created(), created) << "recording makes nothing";

  // Only now the rest.
  const Words expected = expected_expansion(kept_counts, kept_ids, 1, capacity);
  EXPECT_EQ(report.written, expected.size());
  EXPECT_EQ(report.total, expanded_count(kept_counts));
  Words wanted = expected;
  wanted.resize(capacity, 0xA7A7A7A7);
  EXPECT_TRUE(same_words(wanted, downloaded_words(device(), output, capacity)));
  EXPECT_EQ(downloaded_words(device(), number, 1),
            (Words{static_cast<std::uint32_t>(kept_ids.size())}));
  EXPECT_EQ(downloaded_words(device(), arguments, 3),
            indirect_arguments({.forms = forms}, expected.size(),
                               device().traits().limits.max_workgroups_per_dimension));
}

TEST_P(ChainTest, TheReportOfOneCountsTheNext) {
  // As many items as outputs were written: the u32 at `written` is the next call's number.
  auto first =
      value_of(prepare_expansion(device(), {.n = n, .element_bytes = 0, .capacity = 3000}));
  auto second =
      value_of(prepare_expansion(device(), {.n = 5000, .capacity = 9000}, {.counted = true}));
  const Buffer in = uploaded_words(device(), counts);
  const Buffer indices = poisoned(3000);
  const Buffer said = poisoned(4);
  const Buffer twos = uploaded_words(device(), Words(5000, 2));
  const Buffer values = uploaded_words(device(), random_words(5000));
  const Buffer output = poisoned(9000);
  const Buffer again = poisoned(4);
  value_of(first.run({.counts = {&in}, .output = {&indices}, .report = {&said}}));
  value_of(second.run({.counts = {&twos},
                       .values = {&values},
                       .output = {&output},
                       .report = {&again},
                       .n = {&said, offsetof(ExpansionReport, written)}}));
  value_of(second.finish());
  Words expected = expected_expansion(Words(3000, 2), random_words(5000), 1, 9000);
  expected.resize(9000, 0xA7A7A7A7);
  EXPECT_TRUE(same_words(expected, downloaded_words(device(), output, 9000)));
  EXPECT_EQ(downloaded_words(device(), again, 4), (Words{6000, 0, 6000, 0}));
}

CUMULO_ON_EVERY_GPU(ChainTest);

}  // namespace
}  // namespace cumulo::test
