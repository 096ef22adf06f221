// Decoding run lengths: an image of few colours comes as runs, a colour and a length each, and is
// expanded on the device, where the pass that draws it would use it.
#include "own_device.hpp"

constexpr std::uint32_t side = 512;

int main() {
  using namespace example;
  // Rings; neighbours in a row mostly have one colour.
  std::vector<std::uint32_t> image;
  for (std::uint32_t y = 0; y < side; ++y) {
    for (std::uint32_t x = 0; x < side; ++x) {
      const std::uint32_t ring = (x * x + y * y) / 20'000 % 4;
      image.push_back(0xFF000000U | ring * 0x404040U);
    }
  }
  std::vector<std::uint32_t> colours;
  std::vector<std::uint32_t> lengths;
  for (const std::uint32_t pixel : image) {
    if (colours.empty() || colours.back() != pixel) {
      colours.push_back(pixel);
      lengths.push_back(0);
    }
    ++lengths.back();
  }

  const Gpu gpu = open_gpu();
  WGPUBuffer values = buffer_of(gpu, colours);
  WGPUBuffer counts = buffer_of(gpu, lengths);
  WGPUBuffer pixels = buffer_of(gpu, std::vector<std::uint32_t>(side * side));
  WGPUBuffer report = buffer_of(gpu, std::vector<std::uint32_t>(4));
  cumulo::Device device = take(cumulo::adopt(gpu.device, gpu.queue, gpu.adapter));
  auto expansion = take(cumulo::prepare_expansion(
      device, {.n = colours.size(), .capacity = std::uint64_t{side} * side}));
  auto bound = take(cumulo::bind(
      expansion, {.counts = {counts}, .values = {values}, .output = {pixels}, .report = {report}}));

  WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(gpu.device, nullptr);
  take(cumulo::record(bound, encoder));
  submit(gpu, encoder);

  const bool right = words_at(gpu, {pixels}, side * side) == image;
  std::printf("%u pixels from %zu runs: %s\n", side * side, colours.size(),
              right ? "right" : "WRONG");
  return right ? 0 : 1;
}
