// The kernels that a benchmark's verdict rests on: copies copy, poison spoils, and the comparison
// finds one wrong word anywhere.
#include "api/impl.hpp"
#include "bench/digest.hpp"
#include "bench/gpu_kernels.hpp"
#include "bench/gpu_timer.hpp"
#include "cumulo/webgpu.hpp"
#include "scan/devices.hpp"

namespace cumulo::test {
namespace {

using Words = std::vector<std::uint32_t>;

class GpuCheckTest : public DeviceTest {
 protected:
  gpu::Context& context() { return *device().impl().gpu; }

  Buffer upload(const Words& words) {
    return value_of(device().upload(std::as_bytes(std::span{words})));
  }

  Words read(const Buffer& buffer) {
    Words words(buffer.bytes() / 4);
    value_of(device().read(buffer, 0, std::as_writable_bytes(std::span{words})));
    return words;
  }

  static bench::BufferRange whole(const Buffer& buffer) {
    return {native_buffer(buffer), buffer.bytes()};
  }

  template <class Dispatched>
  void run(const Dispatched& dispatch) {
    const auto encoder = value_of(context().create_encoder("test"));
    bench::record(encoder.get(), dispatch);
    value_of(context().submit(encoder));
  }

  static Words numbers(std::size_t n) {
    Words words(n);
    for (std::size_t i = 0; i < n; ++i) words[i] = static_cast<std::uint32_t>(i * 2654435761U);
    return words;
  }
};

TEST_P(GpuCheckTest, EveryCopyCopiesAndPoisonInverts) {
  for (const std::size_t n : {4UZ, 508UZ, 512UZ, 516UZ, 40'000UZ}) {
    const Words words = numbers(n);
    const Buffer from = upload(words);
    for (bench::CopyShape shape : bench::copy_shapes) {
      if (shape.workgroup > device().traits().limits.max_invocations_per_workgroup) continue;
      const Buffer to = upload(Words(n, 7));
      run(value_of(bench::make_copy(context(), shape, whole(from), whole(to))));
      EXPECT_EQ(read(to), words) << n << " by " << shape.vectors << " x " << shape.workgroup;
      shape.inverted = true;
      run(value_of(bench::make_copy(context(), shape, whole(from), whole(to))));
      Words inverted = words;
      for (std::uint32_t& word : inverted) word = ~word;
      EXPECT_EQ(read(to), inverted);
    }
  }
}

TEST_P(GpuCheckTest, TheComparisonFindsTheFirstWrongWord) {
  constexpr std::uint32_t n = 50'003;
  const Words words = numbers(n + 1);
  const Buffer expected = upload(words);
  for (const std::uint32_t shift : {0U, 1U}) {
    for (const std::int64_t wrong : {-1L, 0L, 255L, 256L, 30'000L, 50'002L}) {
      Words results(words.begin() + shift, words.begin() + shift + n);
      if (wrong >= 0) results[static_cast<std::size_t>(wrong)] ^= 1;
      if (wrong >= 0) results.back() ^= 1;
      if (wrong == n - 1) results.back() ^= 1 ^ 4;
      const Buffer found = upload(results);
      const Buffer verdicts = upload(Words(4, 0));
      const auto check = value_of(bench::make_comparison(context(), {.expected = whole(expected),
                                                                     .found = whole(found),
                                                                     .verdicts = whole(verdicts),
                                                                     .words = n,
                                                                     .expected_at = shift,
                                                                     .verdict = 1}));
      run(check);
      const Words verdict = read(verdicts);
      EXPECT_EQ(verdict[0], 0U);
      EXPECT_EQ(verdict[1], 0U);
      EXPECT_EQ(verdict[2], wrong < 0 ? 0 : n - static_cast<std::uint32_t>(wrong));
      EXPECT_EQ(verdict[3], check.at(0).workgroups[0]);
    }
  }
}

// Copies and comparisons of more than one binding holds go piece by piece.
TEST_P(GpuCheckTest, WhatOneBindingDoesNotHoldIsCopiedAndCompared) {
  const std::uint64_t most = device().traits().limits.max_storage_binding_size;
  if (most > std::uint64_t{256} << 20) GTEST_SKIP() << "a binding holds " << most << " bytes";
  const Words words = numbers(most / 4 + 1024);
  const Buffer from = upload(words);
  const Buffer to = value_of(device().allocate(from.bytes()));
  const auto copies =
      value_of(bench::make_copy(context(), bench::copy_shapes[5], whole(from), whole(to)));
  EXPECT_GT(copies.size(), 1U);
  run(copies);
  const auto n = static_cast<std::uint32_t>(words.size() - 3);
  for (const std::uint32_t wrong : {n, n - 1, n - 900, 5U}) {  // n: none
    const Buffer verdicts = upload(Words(2, 0));
    if (wrong < n) {
      const std::uint32_t word = ~words[wrong + 3];
      value_of(
          device().write(to, (std::uint64_t{wrong} + 3) * 4, std::as_bytes(std::span{&word, 1})));
    }
    run(value_of(bench::make_comparison(context(), {.expected = whole(from),
                                                    .found = whole(to),
                                                    .verdicts = whole(verdicts),
                                                    .words = n,
                                                    .expected_at = 3,
                                                    .found_at = 3})));
    EXPECT_EQ(read(verdicts)[0], n - wrong);
  }
}

// A case that does nothing leaves the poison: its verdict must say so, timed or not.
TEST_P(GpuCheckTest, AnIdleCaseIsCaught) {
  const Words words = numbers(4096);
  const Buffer in = upload(words);
  const Buffer out = upload(words);  // what a stale result would be
  const Buffer verdicts = upload(Words(2, 0));
  auto poison = value_of(bench::make_copy(
      context(), {.vectors = 1, .workgroup = 128, .inverted = true}, whole(in), whole(out)));
  auto check = value_of(bench::make_comparison(
      context(),
      {.expected = whole(in), .found = whole(out), .verdicts = whole(verdicts), .words = 4096}));
  auto timer = value_of(bench::GpuTimer::create(context(), std::move(poison), 1));
  std::vector<bench::TimedCase> cases;
  cases.push_back({[](WGPUCommandEncoder) -> Result<void> { return {}; }, std::move(check)});
  value_of(timer.run(cases, {.timed = 2}));
  EXPECT_EQ(read(verdicts)[0], 4096U);  // the first word is wrong
  EXPECT_EQ(cases[0].runs, 4U);
}

TEST_P(GpuCheckTest, ADigestIsTheHostsAndTellsEveryWord) {
  for (const std::size_t n : {1UZ, 255UZ, 4097UZ, 70'001UZ}) {
    Words words = numbers(n);
    const auto digest = [&] {
      const Buffer found = upload(words);
      const Buffer sums = upload({0, 0});
      run(value_of(
          bench::make_digest(context(), whole(found), static_cast<std::uint32_t>(n), whole(sums))));
      const Words read_back = read(sums);
      const bench::Digest on_device{read_back[0], read_back[1]};
      EXPECT_EQ(on_device, bench::digest_of(std::as_bytes(std::span{words})));
      return on_device;
    };
    const bench::Digest first = digest();
    EXPECT_EQ(digest(), first);
    for (const std::size_t at : {n - 1, n / 2}) {
      words[at] ^= 0x80000000U;
      EXPECT_NE(digest(), first);
      words[at] ^= 0x80000000U;
    }
    if (n == 1) continue;
    std::swap(words[0], words[n - 1]);
    EXPECT_NE(digest(), first) << "a digest knows the words' places";
  }
}

CUMULO_ON_EVERY_GPU(GpuCheckTest);

}  // namespace
}  // namespace cumulo::test
