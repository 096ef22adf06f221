#include "devices.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "cumulo/order.hpp"

namespace cumulo::test {

std::vector<std::string> device_names() {
  const char* list = std::getenv("CUMULO_TEST_DEVICES");
  std::vector<std::string> names;
  std::istringstream stream{list ? list : ""};
  for (std::string name; std::getline(stream, name, ',');) {
    if (!name.empty()) names.push_back(name);
  }
  if (names.empty()) names.push_back("cpu");
  return names;
}

std::vector<std::string> gpu_names() {
  std::vector<std::string> names = device_names();
  std::erase(names, "cpu");
  return names;
}

namespace {

std::map<std::string, Device> devices;

// Closes the devices while the drivers are still there: after main() they take themselves apart.
class DeviceCloser : public testing::Environment {
 public:
  void TearDown() override { devices.clear(); }
};

[[maybe_unused]] const testing::Environment* const closer =
    testing::AddGlobalTestEnvironment(new DeviceCloser);

}  // namespace

Device& opened_device(const std::string& name) {
  const auto known = devices.find(name);
  if (known != devices.end()) return known->second;
  return devices.emplace(name, value_of(Device::open(name))).first->second;
}

std::vector<Type> DeviceTest::types() {
  if (is_cpu()) return {all_types.begin(), all_types.end()};
  return {Type::u32, Type::i32, Type::f32, Type::u64, Type::i64, Type::f16};
}

std::uint64_t DeviceTest::many() {
  if (is_cpu()) return 3'000'000;
  // SwiftShader interprets: about five million elements a second, compilation not counted.
  return device().info().name.find("SwiftShader") != std::string::npos ? 40'000 : 600'000;
}

std::uint64_t DeviceTest::tile_elements(Type type) {
  constexpr std::uint64_t cpu_block = 1 << 16;
  if (is_cpu()) return cpu_block;
  const auto workgroups = [&](std::uint64_t n) {
    const Plan plan = value_of(plan_scan({.n = n, .type = type}, device().traits()));
    std::uint64_t most = 0;
    for (const PlanStep& step : plan.steps) {
      if (const auto* dispatch = std::get_if<DispatchStep>(&step)) {
        const auto& [x, y, z] = dispatch->workgroups;
        most = std::max(most, std::uint64_t{x} * y * z);
      }
    }
    return most;
  };
  std::uint64_t tile = 1;
  while (workgroups(tile + 1) < 2) tile *= 2;
  return tile;
}

std::vector<std::uint64_t> DeviceTest::edge_sizes() {
  std::set<std::uint64_t> sizes{0, 1, 2, 3, 5, 7, many()};
  const auto add_around = [&](std::uint64_t size) {
    for (const std::uint64_t n : {size - 1, size, size + 1}) {
      if (n <= many()) sizes.insert(n);
    }
  };
  for (const std::uint64_t block : {order::quad, order::row, order::strip}) {
    for (const std::uint64_t blocks : {1, 2, 3, 8}) add_around(block * blocks);
  }
  const std::uint64_t tile = tile_elements();
  for (const std::uint64_t tiles : {1, 2, 3, 5, 8, 33}) add_around(tile * tiles);
  for (std::uint64_t power = 2; power <= many(); power *= 4) add_around(power);
  return {sizes.begin(), sizes.end()};
}

std::string test_suffix(const testing::TestParamInfo<std::string>& info) {
  std::string suffix = info.param;
  for (char& letter : suffix) {
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  }
  return suffix;
}

}  // namespace cumulo::test
