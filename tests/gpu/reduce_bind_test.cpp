// A reduction recorded into a program's own encoders and passes, with the program's own buffers.
#include <numeric>

#include "api/impl.hpp"
#include "gpu/adopted_device.hpp"
#include "gpu/allocations.hpp"
#include "scan/check.hpp"

namespace cumulo::test {
namespace {

using Words = std::vector<std::uint32_t>;

class ReduceBindTest : public AdoptedDeviceTest {
 protected:
  static std::uint32_t sum(const Words& values) {
    return std::accumulate(values.begin(), values.end(), 0U);
  }
};

constexpr std::uint64_t one_tile = 1000;
constexpr std::uint64_t many_tiles = 30'011;

TEST_P(ReduceBindTest, EncodersAndPassesLeaveTheValueInTheProgramsBuffer) {
  for (const std::uint64_t n : {one_tile, many_tiles}) {
    auto prepared = value_of(prepare_reduce(adopted(), {.n = n}));
    const Words values = random_values<std::uint32_t>(n, Operator::add);
    for (const auto& [in_at, out_at] : {std::pair{0U, 0U}, {1U, 3U}, {67U, 129U}}) {
      Words around(in_at, 0xDEADBEEF);
      around.insert(around.end(), values.begin(), values.end());
      WGPUBuffer in = buffer_of(around);
      for (const bool in_a_pass : {false, true}) {
        Words wanted(out_at + 5, 0xA7A7A7A7);
        WGPUBuffer out = buffer_of(wanted);
        auto bound = value_of(bind(prepared, {in, in_at * 4}, {out, out_at * 4}));
        WGPUCommandEncoder encoder = own().encoder();
        if (in_a_pass) {
          WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, nullptr);
          value_of(record(bound, pass));
          wgpuComputePassEncoderEnd(pass);
          wgpuComputePassEncoderRelease(pass);
        } else {
          value_of(record(bound, encoder));
        }
        own().submit(encoder);
        wanted[out_at] = sum(values);
        EXPECT_EQ(own().words_of(out, wanted.size()), wanted) << n << " from " << in_at;
      }
    }
  }
}

TEST_P(ReduceBindTest, RecordingMakesNothing) {
  auto prepared = value_of(prepare_reduce(adopted(), {.n = many_tiles}));
  const Words values = random_values<std::uint32_t>(many_tiles, Operator::add);
  WGPUBuffer in = buffer_of(values);
  WGPUBuffer out = buffer_of(Words(4));
  auto bound = value_of(bind(prepared, {in}, {out}));
  WGPUCommandEncoder encoder = own().encoder();
  const auto created = adopted().impl().gpu->created();
  const std::size_t before = allocations();
  bool all = true;
  for (int run = 0; run < 50; ++run) all = all && record(bound, encoder).has_value();
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(adopted().impl().gpu->created(), created);
  EXPECT_TRUE(all);
  own().submit(encoder);
  EXPECT_EQ(own().words_of(out, 1).front(), sum(values));
}

TEST_P(ReduceBindTest, ScratchMayBeLent) {
  auto prepared = value_of(prepare_reduce(adopted(), {.n = many_tiles}));
  const Words values = random_values<std::uint32_t>(many_tiles, Operator::add);
  WGPUBuffer in = buffer_of(values);
  WGPUBuffer out = buffer_of(Words(4));
  const std::uint64_t bytes = scratch_size(prepared);
  ASSERT_GT(bytes, 0U);
  WGPUBuffer scratch = buffer_of(Words(bytes / 4 + 1, 0xA7A7A7A7));
  auto bound = value_of(bind(prepared, {in}, {out}, {.scratch = {scratch, 4}}));
  WGPUCommandEncoder encoder = own().encoder();
  value_of(record(bound, encoder));
  own().submit(encoder);
  EXPECT_EQ(own().words_of(out, 1).front(), sum(values));
  WGPUBuffer small = buffer_of(Words(1));
  EXPECT_FALSE(bind(prepared, {in}, {out}, {.scratch = {small}}));
}

TEST_P(ReduceBindTest, TheCountMayStandOnTheDevice) {
  auto prepared = value_of(prepare_reduce(adopted(), {.n = many_tiles}, {.counted = true}));
  const Words values = random_values<std::uint32_t>(many_tiles, Operator::add);
  WGPUBuffer in = buffer_of(values);
  WGPUBuffer out = buffer_of(Words(4, 7));
  WGPUBuffer count = buffer_of({20'000, 0xFFFFFFFF});
  for (const std::uint32_t at : {0U, 1U}) {
    auto bound = value_of(bind(prepared, {in}, {out, 4}, {.count = {count, 4 * at}}));
    WGPUCommandEncoder encoder = own().encoder();
    value_of(record(bound, encoder));
    own().submit(encoder);
    const Words counted(values.begin(), at == 0 ? values.begin() + 20'000 : values.end());
    EXPECT_EQ(own().words_of(out, 3), (Words{7, sum(counted), 7}));
    const BufferRange status = bound.status();
    std::uint32_t flags = 99;
    value_of(adopted().impl().gpu->read(status.buffer, status.offset,
                                        std::as_writable_bytes(std::span{&flags, 1})));
    EXPECT_EQ(flags, at == 0 ? 0 : status_clamped);
  }
  EXPECT_FALSE(bind(prepared, {in}, {out}));
  auto plain = value_of(prepare_reduce(adopted(), {.n = one_tile}));
  EXPECT_FALSE(bind(plain, {in}, {out}, {.count = {count}}));
}

TEST_P(ReduceBindTest, WhatCannotBeBoundIsABadArgument) {
  auto prepared = value_of(prepare_reduce(adopted(), {.n = one_tile}));
  WGPUBuffer in = buffer_of(Words(one_tile));
  WGPUBuffer out = buffer_of(Words(4));
  EXPECT_TRUE(bind(prepared, {in}, {out, 12}));
  EXPECT_FALSE(bind(prepared, {in}, {out, 16}));
  EXPECT_FALSE(bind(prepared, {in, 4}, {out}));
  EXPECT_FALSE(bind(prepared, {in, 2}, {out}));
  EXPECT_FALSE(bind(prepared, {}, {out}));
  EXPECT_FALSE(bind(prepared, {in}, {in, 8}));
  EXPECT_TRUE(own().errors.empty());
}

CUMULO_ON_EVERY_GPU(ReduceBindTest);

}  // namespace
}  // namespace cumulo::test
