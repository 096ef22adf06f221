// Selections recorded into a program's own encoder, between its own buffers: the count of one feeds
// the next without being read.
#include "api/impl.hpp"
#include "gpu/adopted_device.hpp"
#include "gpu/allocations.hpp"
#include "select/check.hpp"

namespace cumulo::test {
namespace {

using Words = std::vector<std::uint32_t>;

class RecordSelectionTest : public AdoptedDeviceTest {
 protected:
  WGPUBuffer garbage(std::uint64_t words) { return buffer_of(poisoned<std::uint32_t>(words)); }
};

constexpr std::uint64_t n = 20'011;

// Compact, then unique of what was kept, then its partition: one encoder, one submit, one count
// read.
TEST_P(RecordSelectionTest, AChainInOneSubmitMakesNothing) {
  auto first = value_of(
      prepare_selection(adopted(), {.n = n, .arrays = {{4}}, .predicate = above(0x40000000)}));
  auto second = value_of(
      prepare_selection(adopted(), {.n = n, .arrays = {{4}}, .heads = true}, {.counted = true}));
  auto third = value_of(prepare_selection(
      adopted(), {.n = n, .arrays = {{4}}, .predicate = above(0xc0000000), .rest = Rest::follows},
      {.counted = true}));
  Words values = random_elements<std::uint32_t>(n);
  for (std::uint64_t i = 1; i < n; i += 3) values[i] = values[i - 1];
  const WGPUBuffer in = buffer_of(values);
  const WGPUBuffer kept = garbage(n);
  const WGPUBuffer heads = garbage(n);
  const WGPUBuffer out = garbage(n + 64);
  const WGPUBuffer counts = garbage(3 * 64);
  auto a = value_of(bind(first, {.arrays = {{in}}, .kept = {{kept}}, .counts = {counts}}));
  auto b = value_of(bind(
      second, {.arrays = {{kept}}, .kept = {{heads}}, .counts = {counts, 256}, .n = {counts}}));
  auto c = value_of(bind(
      third, {.arrays = {{heads}}, .kept = {{out}}, .counts = {counts, 512}, .n = {counts, 256}}));
  WGPUCommandEncoder encoder = own().encoder();
  WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, nullptr);
  const auto created = adopted().impl().gpu->created();
  const std::size_t before = allocations();
  bool all = true;
  for (int run = 0; run < 3; ++run) {
    for (BoundCall* bound : {&a, &b, &c}) all = all && record(*bound, pass).has_value();
  }
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(adopted().impl().gpu->created(), created);
  EXPECT_TRUE(all);
  wgpuComputePassEncoderEnd(pass);
  wgpuComputePassEncoderRelease(pass);
  own().submit(encoder);

  Words high, low;
  for (std::uint64_t i = 0, last = 0; i < n; ++i) {
    if (values[i] <= 0x40000000) continue;
    if (values[i] != last) (values[i] > 0xc0000000 ? high : low).push_back(values[i]);
    last = values[i];
  }
  EXPECT_TRUE(holds(joined(high, low), own().words_of(out, n + 64)));
  EXPECT_EQ(own().words_of(counts, 129).back(), high.size());
}

TEST_P(RecordSelectionTest, ScratchOfTheProgramsOwn) {
  const SelectionDescription d{
      .n = n, .arrays = {{4}}, .heads = true, .indices = true, .lengths = true};
  auto prepared = value_of(prepare_selection(adopted(), d));
  const std::uint64_t bytes = scratch_size(prepared);
  ASSERT_GT(bytes, 0U);
  Words values = random_elements<std::uint32_t>(n);
  for (std::uint32_t& value : values) value &= 3;
  Words starts;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (i == 0 || values[i] != values[i - 1]) starts.push_back(i);
  }
  for (const std::uint64_t at : {0U, 12U}) {
    const WGPUBuffer indices = garbage(n);
    const WGPUBuffer lengths = garbage(n);
    const SelectionRanges ranges{.arrays = {{buffer_of(values)}},
                                 .flags = {},
                                 .kept = {{garbage(n)}},
                                 .indices = {indices},
                                 .lengths = {lengths},
                                 .counts = {garbage(1)},
                                 .n = {}};
    auto bound = value_of(bind(prepared, ranges, {garbage((bytes + at + 3) / 4), at}));
    WGPUCommandEncoder encoder = own().encoder();
    value_of(record(bound, encoder));
    own().submit(encoder);
    EXPECT_TRUE(holds(starts, own().words_of(indices, n)));
  }
  const auto refused = bind(prepared,
                            {.arrays = {{buffer_of(values)}},
                             .flags = {},
                             .kept = {{garbage(n)}},
                             .indices = {garbage(n)},
                             .lengths = {garbage(n)},
                             .counts = {garbage(1)},
                             .n = {}},
                            {garbage(10)});
  EXPECT_FALSE(refused);
}

// An input and an output may be apart in one buffer.
TEST_P(RecordSelectionTest, RangesOfOneBuffer) {
  const auto chosen = random_choice(n, 0.5);
  const auto values = random_elements<std::uint32_t>(n);
  for (const Rest rest : {Rest::dropped, Rest::follows}) {
    auto prepared = value_of(prepare_selection(
        adopted(), {.n = n, .arrays = {{4}}, .flags = FlagType::bits, .rest = rest}));
    const std::uint64_t second = (n + 63) / 64 * 64;
    Words all = values;
    all.resize(second, 0);
    all.resize(second + n + 64, poison);
    const WGPUBuffer both = buffer_of(all);
    const auto bits = flags_of(FlagType::bits, chosen);
    Words flags(bits.size() / 4);
    std::memcpy(flags.data(), bits.data(), bits.size());
    auto bound = value_of(bind(prepared, {.arrays = {{both}},
                                          .flags = {buffer_of(flags)},
                                          .kept = {{both, second * 4}},
                                          .counts = {garbage(1)}}));
    WGPUCommandEncoder encoder = own().encoder();
    value_of(record(bound, encoder));
    own().submit(encoder);
    Words expected = chosen_of(values, chosen);
    if (rest == Rest::follows) expected = joined(expected, chosen_of(values, chosen, false));
    Words found = own().words_of(both, second + n + 64);
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(second));
    EXPECT_TRUE(holds(expected, found));
  }
}

CUMULO_ON_EVERY_GPU(RecordSelectionTest);

}  // namespace
}  // namespace cumulo::test
