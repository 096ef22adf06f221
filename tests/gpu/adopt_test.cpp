// A program's own device serves as well as one of cumulo's, and stays the program's.
#include "gpu/own_device.hpp"
#include "scan/check.hpp"

namespace cumulo::test {
namespace {

class AdoptTest : public DeviceTest {
 protected:
  static void scan_works(Device& adopted) {
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{10'007}}) {
      const auto floats = random_values<float>(n, Operator::add);
      EXPECT_TRUE(host_scan_is_right<float>(adopted, {}, floats));
    }
  }
};

TEST_P(AdoptTest, AnAdoptedDeviceHasTheTraitsOfAnOwnOne) {
  const OwnDevice own(GetParam(), true);
  Device adopted = value_of(adopt(own.device(), own.queue(), own.adapter()));
  EXPECT_EQ(adopted.info().name, device().info().name);
  EXPECT_EQ(adopted.info().kind, device().info().kind);
  EXPECT_EQ(to_json(adopted.traits()), to_json(device().traits()));
  EXPECT_EQ(native_device(adopted), own.device());
  EXPECT_EQ(native_queue(adopted), own.queue());
  scan_works(adopted);
}

TEST_P(AdoptTest, ADeviceOfWebGpusDefaultsServes) {
  const OwnDevice own(GetParam(), false);
  Device adopted = value_of(adopt(own.device()));
  EXPECT_FALSE(adopted.traits().subgroups);
  EXPECT_FALSE(adopted.traits().forward_progress);
  const Limits defaults;
  EXPECT_EQ(adopted.traits().limits.max_storage_binding_size, defaults.max_storage_binding_size);
  EXPECT_EQ(adopted.traits().limits.max_storage_buffers_per_stage,
            defaults.max_storage_buffers_per_stage);
  scan_works(adopted);
}

TEST_P(AdoptTest, TheDeviceLivesOnInTheLibrary) {
  auto own = std::make_unique<OwnDevice>(GetParam(), true);
  Device adopted = value_of(adopt(own->device(), own->queue(), own->adapter()));
  own.reset();  // gives its own references back
  scan_works(adopted);
}

TEST_P(AdoptTest, ErrorsGoToWhomTheyBelong) {
  OwnDevice own(GetParam(), true);
  Device adopted = value_of(adopt(own.device(), own.queue(), own.adapter()));
  own.make_an_error();
  EXPECT_EQ(own.errors.size(), 1U) << "the program's own";
  EXPECT_TRUE(adopted.wait()) << "not the library's";

  // A scan into a buffer that is gone: the library's to tell, and nobody else's.
  auto prepared = value_of(prepare_scan(adopted, {.n = 64}));
  WGPUBuffer in = own.buffer(256);
  WGPUBuffer gone = own.buffer(256);
  wgpuBufferDestroy(gone);
  const auto bound = bind(prepared, {in}, {gone});
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().kind, ErrorKind::validation) << describe(bound.error());
  EXPECT_EQ(own.errors.size(), 1U);

  own.make_an_error();
  EXPECT_EQ(own.errors.size(), 2U) << "the callback is still the program's";
  scan_works(adopted);
  wgpuBufferRelease(in);
  wgpuBufferRelease(gone);
}

TEST_P(AdoptTest, TheProgramsOpenScopeSeesItsOwnErrorsOnly) {
  const OwnDevice own(GetParam(), true);
  Device adopted = value_of(adopt(own.device(), own.queue(), own.adapter()));
  const auto error_in_scope = [&](auto work) {
    wgpuDevicePushErrorScope(own.device(), WGPUErrorFilter_Validation);
    work();
    WGPUErrorType type = WGPUErrorType_Unknown;
    WGPUPopErrorScopeCallbackInfo callback = WGPU_POP_ERROR_SCOPE_CALLBACK_INFO_INIT;
    callback.mode = WGPUCallbackMode_AllowSpontaneous;
    callback.userdata1 = &type;
    callback.callback = [](WGPUPopErrorScopeStatus, WGPUErrorType found, WGPUStringView, void* out,
                           void*) { *static_cast<WGPUErrorType*>(out) = found; };
    wgpuDevicePopErrorScope(own.device(), callback);
    return type;
  };
  EXPECT_EQ(error_in_scope([&] { scan_works(adopted); }), WGPUErrorType_NoError);
  EXPECT_EQ(error_in_scope([&] {
              scan_works(adopted);
              own.make_an_error();
              scan_works(adopted);
            }),
            WGPUErrorType_Validation);
}

TEST_P(AdoptTest, ALostDeviceIsAnError) {
  const OwnDevice own(GetParam(), true);
  Device adopted = value_of(adopt(own.device(), own.queue(), own.adapter()));
  auto prepared = value_of(prepare_scan(adopted, {.n = 64}));
  const Buffer in = value_of(adopted.allocate(256));
  const Buffer out = value_of(adopted.allocate(256));
  value_of(prepared.run(in, out));
  value_of(adopted.wait());
  wgpuDeviceDestroy(own.device());
  const auto after = prepared.run(in, out);
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().kind, ErrorKind::device_lost) << describe(after.error());
}

TEST_P(AdoptTest, NothingIsABadArgument) {
  const auto adopted = adopt(nullptr);
  ASSERT_FALSE(adopted);
  EXPECT_EQ(adopted.error().kind, ErrorKind::bad_argument);
  const auto required = requirements(nullptr);
  ASSERT_FALSE(required);
  EXPECT_EQ(required.error().kind, ErrorKind::bad_argument);
}

TEST(MergedLimits, TheStricterOfTwoRequestsIsTaken) {
  WGPULimits a = WGPU_LIMITS_INIT;
  WGPULimits b = WGPU_LIMITS_INIT;
  a.maxBufferSize = 1000;
  b.maxBufferSize = 2000;
  a.minStorageBufferOffsetAlignment = 64;
  b.minStorageBufferOffsetAlignment = 256;
  b.maxComputeWorkgroupSizeX = 512;
  a.maxTextureDimension2D = 4096;  // none of cumulo's
  for (const auto& [first, second] : {std::pair{a, b}, {b, a}}) {
    const WGPULimits both = merged(first, second);
    EXPECT_EQ(both.maxBufferSize, 2000U);
    EXPECT_EQ(both.minStorageBufferOffsetAlignment, 64U);
    EXPECT_EQ(both.maxComputeWorkgroupSizeX, 512U);
    EXPECT_EQ(both.maxStorageBufferBindingSize, WGPU_LIMIT_U64_UNDEFINED);
  }
  EXPECT_EQ(merged(a, b).maxTextureDimension2D, 4096U);
}

CUMULO_ON_EVERY_GPU(AdoptTest);

}  // namespace
}  // namespace cumulo::test
