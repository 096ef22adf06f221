// Many scans of different lengths in one submit. They share one piece of scratch, as the queue runs
// one after the other. Of every second one the length is known on the device only: it is the total
// of the scan before.
#include "own_device.hpp"

#include <algorithm>

constexpr std::uint32_t rows = 24;
constexpr std::uint32_t most = 10'000;  // elements of a row

int main() {
  using namespace example;
  const Gpu gpu = open_gpu();
  cumulo::Device device = take(cumulo::adopt(gpu.device, gpu.queue, gpu.adapter));
  const auto length = [](std::uint32_t row) { return row * row * 17 % (most + 1); };
  WGPUBuffer ones = buffer_of(gpu, std::vector<std::uint32_t>(most, 1));
  WGPUBuffer results = buffer_of(gpu, std::vector<std::uint32_t>(rows * most));

  // First what each of them needs, then memory for the largest.
  std::vector<cumulo::PreparedScan> scans;
  std::uint64_t bytes = 4;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const bool counted = row % 2 == 1;
    scans.push_back(take(
        cumulo::prepare_scan(device, {.n = counted ? most : length(row)}, {.counted = counted})));
    bytes = std::max(bytes, cumulo::scratch_size(scans.back()));
  }
  WGPUBuffer scratch = buffer_of(gpu, std::vector<std::uint32_t>(bytes / 4));

  std::vector<cumulo::BoundScan> bound;
  for (std::uint32_t row = 0; row < rows; ++row) {
    cumulo::BindOptions options{.scratch = {scratch}};
    if (row % 2 == 1) options.count = bound.back().total();
    const cumulo::BufferRange out{results, std::uint64_t{row} * most * 4};
    bound.push_back(take(cumulo::bind(scans[row], {ones}, out, options)));
  }

  WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(gpu.device, nullptr);
  for (cumulo::BoundScan& scan : bound) take(cumulo::record(scan, encoder));
  submit(gpu, encoder);

  // Of ones, prefix i is i + 1, as far as the row's length; what lies past it is as it was.
  const std::vector<std::uint32_t> found = words_at(gpu, {results}, rows * most);
  std::uint32_t right = 0;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint32_t n = length(row - row % 2);
    bool same = words_at(gpu, bound[row].total(), 1)[0] == n;
    for (std::uint32_t i = 0; i < most; ++i) {
      same = same && found[row * most + i] == (i < n ? i + 1 : 0);
    }
    right += same ? 1 : 0;
  }
  std::printf("%u of %u scans in one submit are right\n", right, rows);
  return right == rows ? 0 : 1;
}
