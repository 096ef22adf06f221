// Scans recorded into a program's own commands: what does not fit its buffers is refused.
#include "cumulo/webgpu.hpp"
#include "scan/check.hpp"

namespace cumulo::test {
namespace {

class RecordTest : public DeviceTest {};

TEST_P(RecordTest, OffsetsOutsideTheBuffersAreRefused) {
  auto prepared = value_of(prepare_scan(device(), {.n = 100}));
  const Buffer in = value_of(device().allocate(400));
  const Buffer out = value_of(device().allocate(400));
  WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(native_device(device()), nullptr);
  const auto record_at = [&](std::uint64_t in_offset, std::uint64_t out_offset) {
    return record(prepared, encoder, native_buffer(in), native_buffer(out), in_offset, out_offset);
  };
  EXPECT_TRUE(record_at(0, 0));
  // The large ones are 0 and 4 bytes modulo 2^64.
  for (const std::uint64_t offset : {std::uint64_t{1}, std::uint64_t{101}, std::uint64_t{1} << 62,
                                     (std::uint64_t{1} << 62) + 1, ~std::uint64_t{0}}) {
    for (const auto& refused : {record_at(offset, 0), record_at(0, offset)}) {
      ASSERT_FALSE(refused) << offset;
      EXPECT_EQ(refused.error().kind, ErrorKind::bad_argument);
    }
  }
  wgpuCommandEncoderRelease(encoder);
}

CUMULO_ON_EVERY_GPU(RecordTest);

}  // namespace
}  // namespace cumulo::test
