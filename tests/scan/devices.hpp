// The devices that every test of this program runs on, one after the other.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cumulo/cumulo.hpp"

namespace cumulo::test {

// The comma list of CUMULO_TEST_DEVICES, requests for Device::open; "cpu" where there is none.
std::vector<std::string> device_names();

// Those of them that are no CPU backend: for tests of what only GPUs have.
std::vector<std::string> gpu_names();

// The device of that name, opened once for the whole program. Throws where it cannot be opened: a
// device that was asked for and is not there fails the test.
Device& opened_device(const std::string& name);

// What a call gave; an Error fails the test with its text.
template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(describe(result.error()));
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

class DeviceTest : public testing::TestWithParam<std::string> {
 protected:
  Device& device() { return opened_device(GetParam()); }
  bool is_cpu() { return device().info().backend == Backend::cpu; }
  // All on the CPU backend; the GPU kernels know all but f64.
  std::vector<Type> types();
  // Elements that this device scans in about a second.
  std::uint64_t many();
  // Elements that one workgroup of this device's plan takes; the CPU backend's blocks otherwise.
  std::uint64_t tile_elements(Type type = Type::u32);
  // 0, 1 and both sides of every block size of order.hpp, of the tile, and of many tiles.
  std::vector<std::uint64_t> edge_sizes();
};

std::string test_suffix(const testing::TestParamInfo<std::string>& info);

}  // namespace cumulo::test

// Makes the tests of a fixture run on every device. GoogleTest offers a macro only.
#define CUMULO_ON_EVERY_DEVICE(fixture)                                                  \
  INSTANTIATE_TEST_SUITE_P(On, fixture, testing::ValuesIn(cumulo::test::device_names()), \
                           cumulo::test::test_suffix)

// On every GPU; a program that runs on the CPU backend alone has none of these tests.
#define CUMULO_ON_EVERY_GPU(fixture)                                                  \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(fixture);                             \
  INSTANTIATE_TEST_SUITE_P(On, fixture, testing::ValuesIn(cumulo::test::gpu_names()), \
                           cumulo::test::test_suffix)
