// Faults of a device that the library opened itself: an error of its kind, never an abort or a wait
// without end.
#include <functional>

#include "api/impl.hpp"
#include "cumulo/reduce.hpp"
#include "gpu/adapters.hpp"
#include "scan/check.hpp"

namespace cumulo::test {
namespace {

// Each test opens a device of its own, as it will not be fit for others.
class FaultTest : public DeviceTest {
 protected:
  void SetUp() override { own_.emplace(value_of(Device::open(GetParam()))); }
  Device& own() { return *own_; }
  gpu::Context& context() { return *own_->impl().gpu; }

  // As a driver that resets, or a program that destroys what native_device() gave it.
  void lose() { wgpuDeviceDestroy(native_device(own())); }

  void make_a_validation_error() {
    WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
    descriptor.size = 4;
    descriptor.usage = WGPUBufferUsage_MapRead | WGPUBufferUsage_Storage;
    wgpuBufferRelease(wgpuDeviceCreateBuffer(native_device(own()), &descriptor));
  }

  template <class T>
  static testing::AssertionResult fails(ErrorKind kind, const Result<T>& result) {
    if (result) return testing::AssertionFailure() << "it succeeded";
    if (result.error().kind == kind) return testing::AssertionSuccess();
    return testing::AssertionFailure() << describe(result.error());
  }

  const std::vector<std::uint32_t> values_ = random_values<std::uint32_t>(5000, Operator::add);
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span{values_}); }

 private:
  std::optional<Device> own_;
};

TEST_P(FaultTest, AScanOnALostDeviceSaysSo) {
  ASSERT_TRUE(inclusive_scan<std::uint32_t>(own(), values_));
  lose();
  EXPECT_TRUE(fails(ErrorKind::device_lost, inclusive_scan<std::uint32_t>(own(), values_)));
  EXPECT_TRUE(fails(ErrorKind::device_lost, inclusive_scan<std::uint32_t>(own(), values_)))
      << "the second call";
}

TEST_P(FaultTest, APreparedScanOnALostDeviceSaysSo) {
  auto prepared = value_of(prepare_scan(own(), {.n = values_.size()}));
  const Buffer in = value_of(own().upload(bytes()));
  const Buffer out = value_of(own().allocate(bytes().size()));
  value_of(prepared.run(in, out));
  value_of(own().wait());
  lose();
  EXPECT_TRUE(fails(ErrorKind::device_lost, prepared.run(in, out)));
}

TEST_P(FaultTest, AnUploadToALostDeviceSaysSo) {
  lose();
  EXPECT_TRUE(fails(ErrorKind::device_lost, own().upload(bytes())));
}

// Each call the first one after the loss.
TEST_P(FaultTest, AnythingElseOnALostDeviceSaysSo) {
  std::vector<std::byte> found(bytes().size());
  std::optional<PreparedScan> prepared;
  const auto lost = [](const auto& result) { return fails(ErrorKind::device_lost, result); };
  const std::function<testing::AssertionResult(const Buffer&)> calls[]{
      [&](const Buffer& buffer) { return lost(own().write(buffer, 0, bytes())); },
      [&](const Buffer& buffer) { return lost(own().read(buffer, 0, found)); },
      [&](const Buffer&) { return lost(own().wait()); },
      [&](const Buffer&) { return lost(prepared->finish()); },
      [&](const Buffer&) { return lost(own().allocate(64)); },
      [&](const Buffer&) { return lost(prepare_scan(own(), {.n = 5000, .reverse = true})); },
      [&](const Buffer&) { return lost(reduce<std::uint32_t>(own(), values_)); }};
  for (const auto& call : calls) {
    prepared.reset();
    SetUp();
    const Buffer buffer = value_of(own().upload(bytes()));
    const Buffer out = value_of(own().allocate(bytes().size()));
    prepared.emplace(value_of(prepare_scan(own(), {.n = values_.size()})));
    value_of(prepared->run(buffer, out));
    lose();
    EXPECT_TRUE(call(buffer)) << "call " << &call - calls;
  }
}

// Work that is under way when the device goes: what waits for it must end.
TEST_P(FaultTest, ALossInTheMiddleEndsTheWait) {
  auto prepared = value_of(prepare_scan(own(), {.n = values_.size()}));
  const Buffer in = value_of(own().upload(bytes()));
  const Buffer out = value_of(own().allocate(bytes().size()));
  std::vector<std::byte> found(bytes().size());
  value_of(prepared.run(in, out));
  lose();
  EXPECT_TRUE(fails(ErrorKind::device_lost, own().read(out, 0, found)));
}

TEST_P(FaultTest, AnErrorComesWithTheNextCallAndIsThenGone) {
  auto prepared = value_of(prepare_scan(own(), {.n = values_.size()}));
  const Buffer in = value_of(own().upload(bytes()));
  const Buffer out = value_of(own().allocate(bytes().size()));
  make_a_validation_error();
  EXPECT_TRUE(fails(ErrorKind::validation, prepared.run(in, out)));
  make_a_validation_error();
  EXPECT_TRUE(fails(ErrorKind::validation, own().upload(bytes())));
  make_a_validation_error();
  EXPECT_TRUE(fails(ErrorKind::validation, inclusive_scan<std::uint32_t>(own(), values_)));
  make_a_validation_error();
  EXPECT_TRUE(fails(ErrorKind::validation, own().wait()));
  EXPECT_TRUE(host_scan_is_right<std::uint32_t>(own(), {}, values_));
}

TEST_P(FaultTest, AKernelThatIsNoWgslIsAValidationError) {
  const auto made = context().pipeline({"nonsense", "fn main( {", 64});
  EXPECT_TRUE(fails(ErrorKind::validation, made));
  EXPECT_NE(made.error().message.find("nonsense"), std::string::npos) << made.error().message;
  EXPECT_TRUE(host_scan_is_right<std::uint32_t>(own(), {}, values_));
}

CUMULO_ON_EVERY_GPU(FaultTest);

TEST(Refusal, NamesTheLimitWhatThereIsAndWhatIsNeeded) {
  EXPECT_EQ(gpu::refusal({}), std::nullopt);
  EXPECT_EQ(gpu::refusal({.max_storage_buffers_per_stage = 4,
                          .max_workgroup_memory = 16'384,
                          .max_invocations_per_workgroup = 128}),
            std::nullopt);
  const std::pair<Limits, std::string> refused[]{
      {{.max_storage_buffers_per_stage = 3},
       "max_storage_buffers_per_stage is 3, at least 4 is needed"},
      {{.max_workgroup_memory = 16'383}, "max_workgroup_memory is 16383, at least 16384 is needed"},
      {{.max_invocations_per_workgroup = 127},
       "max_invocations_per_workgroup is 127, at least 128 is needed"}};
  for (const auto& [limits, sentence] : refused) EXPECT_EQ(gpu::refusal(limits), sentence);
}

}  // namespace
}  // namespace cumulo::test
