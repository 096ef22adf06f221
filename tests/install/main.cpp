// Where does each kept item go? An exclusive scan of the keep flags says it.
#include <cumulo/cumulo.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

int main() {
  auto device = cumulo::Device::open("auto");  // a hardware GPU, else the CPU backend
  if (!device) {
    std::cerr << cumulo::describe(device.error()) << '\n';
    return 3;
  }
  const std::vector<std::uint32_t> keep{1, 0, 1, 1, 0, 1, 0, 1};
  const auto slots = cumulo::exclusive_scan<std::uint32_t>(*device, keep);
  if (!slots) {
    std::cerr << cumulo::describe(slots.error()) << '\n';
    return 4;
  }
  for (const std::uint32_t slot : *slots) std::cout << slot << ' ';
  std::cout << '\n';  // 0 1 1 2 3 3 4 4
}
