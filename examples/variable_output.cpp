// Output of variable length: the prime factors of every number, one after the other. One kernel
// counts, an allocation says where each number's factors go and how many numbers have room, the
// next kernel writes them there, for as many numbers as fit. Nothing is read back in between.
#include "own_device.hpp"

#include <string>

constexpr std::uint32_t numbers = 30'000;  // 2, 3, 4 ...
// Calls found(p) for each prime factor p of number i.
constexpr const char* each_factor = R"(
  var x = i + 2u;
  var k = 0u;
  for (var p = 2u; p * p <= x; p++) {
    for (; x % p == 0u; k++) { found(i, k, p); x /= p; }
  }
  if (x > 1u) { found(i, k, x); k++; }
)";
constexpr const char* bind_counts = R"(
@group(0) @binding(0) var<storage, read_write> counts: array<u32>;
fn found(i: u32, k: u32, p: u32) {}
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  if (i >= arrayLength(&counts)) { return; })";
constexpr const char* bind_factors = R"(
@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> report: array<u32>;
@group(0) @binding(2) var<storage, read_write> factors: array<u32>;
fn found(i: u32, k: u32, p: u32) { factors[offsets[i] + k] = p; }
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  if (i >= report[4]) { return; }  // AllocationReport::fitting)";

int main() {
  using namespace example;
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    std::uint32_t x = i + 2;
    for (std::uint32_t p = 2; p * p <= x; ++p) {
      for (; x % p == 0; x /= p) expected.push_back(p);
    }
    if (x > 1) expected.push_back(x);
  }
  const auto room = static_cast<std::uint32_t>(expected.size());
  const Gpu gpu = open_gpu();
  WGPUBuffer counts = buffer_of(gpu, std::vector<std::uint32_t>(numbers));
  WGPUBuffer offsets = buffer_of(gpu, std::vector<std::uint32_t>(numbers + 1));
  WGPUBuffer report = buffer_of(gpu, std::vector<std::uint32_t>(8));
  WGPUBuffer groups = buffer_of(gpu, {0, 0, 0}, WGPUBufferUsage_Indirect);
  WGPUBuffer factors = buffer_of(gpu, std::vector<std::uint32_t>(room));
  const std::string loop = each_factor;
  const Kernel count = kernel(gpu, bind_counts + loop + "counts[i] = k; }", {counts});
  const Kernel write = kernel(gpu, bind_factors + loop + "}", {offsets, report, factors});
  cumulo::Device device = take(cumulo::adopt(gpu.device, gpu.queue, gpu.adapter));
  auto allocation = take(cumulo::prepare_allocation(
      device, {.n = numbers, .capacity = room, .arguments = {{.per = 64, .of_items = true}}}));
  auto bound = take(cumulo::bind(allocation, {{counts}, {offsets}, {report}, {groups}}));

  WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(gpu.device, nullptr);
  run(encoder, count, (numbers + 63) / 64);
  take(cumulo::record(bound, encoder));
  run_indirect(encoder, write, groups);
  submit(gpu, encoder);

  const std::uint32_t fitting = words_at(gpu, {report}, 8)[4];
  const bool right = fitting == 20'000 && words_at(gpu, {factors}, room) == expected;
  const char* verdict = right ? "right" : "WRONG";
  std::printf("factors of %u numbers, of which %u fit: %s\n", numbers, fitting, verdict);
  return right ? 0 : 1;
}
