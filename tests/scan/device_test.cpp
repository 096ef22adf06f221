// Devices and buffers, and how requests that cannot be met are refused.
#include <algorithm>
#include <thread>

#include "check.hpp"

namespace cumulo::test {
namespace {

TEST(DeviceRequest, TheCpuIsAlwaysThere) {
  const Device cpu = Device::cpu();
  EXPECT_EQ(cpu.info().backend, Backend::cpu);
  EXPECT_EQ(cpu.info().kind, DeviceKind::cpu);
  EXPECT_EQ(value_of(Device::open("cpu")).info().backend, Backend::cpu);
}

TEST(DeviceRequest, AutoNeverPicksASoftwareAdapter) {
  EXPECT_NE(value_of(Device::open("auto")).info().kind, DeviceKind::software);
}

void expect_no_device(const std::string& request, const std::string& named) {
  const auto device = Device::open(request);
  ASSERT_FALSE(device) << request;
  EXPECT_EQ(device.error().kind, ErrorKind::no_device);
  EXPECT_NE(device.error().message.find(named), std::string::npos) << device.error().message;
  const auto adapters = list_adapters();
  ASSERT_GE(device.error().reasons.size(), adapters.size()) << "a reason for every adapter";
  for (const AdapterReport& adapter : adapters) {
    EXPECT_NE(describe(device.error()).find(adapter.info.name), std::string::npos)
        << describe(device.error());
  }
}

TEST(DeviceRequest, AnUnknownNameIsRefusedWithEveryAdapter) {
  expect_no_device("no such device", "no such device");
}

TEST(DeviceRequest, AnIndexPastTheEndIsRefusedWithEveryAdapter) {
  expect_no_device("4096", "4096");
}

// "4090" is part of a name where there are fewer adapters.
TEST(DeviceRequest, ANumberThatIsNoIndexIsPartOfAName) {
  const auto adapters = list_adapters();
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  bool tried = false;
  for (const AdapterReport& adapter : adapters) {
    const std::string& name = adapter.info.name;
    for (auto first = name.begin(); first != name.end();) {
      first = std::find_if(first, name.end(), is_digit);
      const auto last = std::find_if_not(first, name.end(), is_digit);
      const std::string number(first, last);
      first = last;
      if (number.empty() || number.size() > 9 || std::stoul(number) < adapters.size()) continue;
      tried = true;
      const auto device = Device::open(number);
      if (device) {
        EXPECT_TRUE(device->info().name.contains(number)) << number;
      } else {
        EXPECT_TRUE(adapter.refused) << number << ": " << describe(device.error());
      }
    }
  }
  if (!tried) GTEST_SKIP() << "no adapter has such a number in its name";
}

TEST(DeviceRequest, GpuIsHardwareOrRefusedWithEveryAdapter) {
  const auto device = Device::open("gpu");
  if (device) {
    EXPECT_EQ(device->info().backend, Backend::webgpu);
    EXPECT_NE(device->info().kind, DeviceKind::software);
  } else {
    expect_no_device("gpu", "hardware GPU");
  }
}

class BufferTest : public DeviceTest {};

TEST_P(BufferTest, NewBuffersAreZero) {
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4096}}) {
    const Buffer buffer = value_of(device().allocate(bytes));
    EXPECT_GE(buffer.bytes(), bytes);
    EXPECT_EQ(buffer.bytes() % 4, 0U);
    std::vector<std::byte> found(buffer.bytes(), std::byte{0xFF});
    value_of(device().read(buffer, 0, found));
    EXPECT_EQ(found, std::vector<std::byte>(buffer.bytes()));
  }
}

TEST_P(BufferTest, WrittenBytesAreReadBack) {
  const auto values = random_values<std::uint32_t>(1000, Operator::add);
  const Buffer buffer = uploaded<std::uint32_t>(device(), values);
  EXPECT_EQ(downloaded<std::uint32_t>(device(), buffer, 1000), values);
  const std::vector<std::uint32_t> patch{1, 2, 3};
  value_of(device().write(buffer, 40, std::as_bytes(std::span{patch})));
  EXPECT_EQ(downloaded<std::uint32_t>(device(), buffer, 3, 10), patch);
  EXPECT_EQ(downloaded<std::uint32_t>(device(), buffer, 1, 9)[0], values[9]);
  EXPECT_EQ(downloaded<std::uint32_t>(device(), buffer, 1, 13)[0], values[13]);
}

TEST_P(BufferTest, RangesOutsideOrUnalignedAreBadArguments) {
  const Buffer buffer = value_of(device().allocate(64));
  std::vector<std::byte> bytes(8);
  const auto refused = [](const Result<void>& result) {
    return !result && result.error().kind == ErrorKind::bad_argument;
  };
  EXPECT_TRUE(refused(device().write(buffer, 60, bytes)));
  EXPECT_TRUE(refused(device().read(buffer, 60, bytes)));
  EXPECT_TRUE(refused(device().write(buffer, 2, bytes)));
  EXPECT_TRUE(refused(device().read(buffer, ~std::uint64_t{3}, bytes)));
}

TEST_P(BufferTest, MoreMemoryThanThereIsIsAnError) {
  const auto buffer = device().allocate(std::uint64_t{1} << 60);
  ASSERT_FALSE(buffer);
  EXPECT_TRUE(buffer.error().kind == ErrorKind::out_of_memory ||
              buffer.error().kind == ErrorKind::unsupported)
      << describe(buffer.error());
  // The device still works.
  EXPECT_TRUE(host_scan_is_right<std::uint32_t>(device(), {},
                                                random_values<std::uint32_t>(100, Operator::add)));
}

TEST_P(BufferTest, DoublesRunOnTheCpuAndAreRefusedByNameElsewhere) {
  const auto prepared = prepare_scan(device(), {.n = 10, .type = Type::f64});
  EXPECT_EQ(prepared.has_value(), is_cpu());
  if (prepared) return;
  EXPECT_EQ(prepared.error().kind, ErrorKind::unsupported);
  EXPECT_NE(prepared.error().message.find("f64"), std::string::npos);
}

TEST_P(BufferTest, TwoDevicesWorkInTwoThreads) {
  std::vector<std::string> faults(2);
  std::vector<std::thread> threads;
  for (std::string& fault : faults) {
    threads.emplace_back([&fault, request = GetParam()] {
      auto own = Device::open(request);
      if (!own) {
        fault = describe(own.error());
        return;
      }
      for (std::uint64_t n = 1; n < 3000; n += 499) {
        const auto right = host_scan_is_right<std::uint32_t>(
            *own, {}, random_values<std::uint32_t>(n, Operator::add));
        if (!right) fault += right.message();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& fault : faults) EXPECT_EQ(fault, "");
}

CUMULO_ON_EVERY_DEVICE(BufferTest);

}  // namespace
}  // namespace cumulo::test
