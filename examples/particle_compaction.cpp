// Particles that died are taken out, inside the program's own encoder: its kernel flags the living,
// an exclusive scan says where each one goes, its next kernel moves them there. Nothing is read
// back in between; the total of the scan, still on the device, is the new number of particles.
#include "own_device.hpp"

constexpr std::uint32_t particles = 100'000;
constexpr std::uint32_t groups = (particles + 255) / 256;

constexpr const char* flag_the_living = R"(
@group(0) @binding(0) var<storage, read> life: array<u32>;
@group(0) @binding(1) var<storage, read_write> flags: array<u32>;
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&life)) { flags[id.x] = select(0u, 1u, life[id.x] > 0u); }
})";

constexpr const char* move_them = R"(
@group(0) @binding(0) var<storage, read> life: array<u32>;
@group(0) @binding(1) var<storage, read> slots: array<u32>;
@group(0) @binding(2) var<storage, read_write> living: array<u32>;
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&life) && life[id.x] > 0u) { living[slots[id.x]] = life[id.x]; }
})";

int main() {
  using namespace example;
  const Gpu gpu = open_gpu();
  std::vector<std::uint32_t> lives(particles);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < particles; ++i) {
    lives[i] = (i * 2654435761U >> 16) % 5;
    if (lives[i] > 0) expected.push_back(lives[i]);
  }
  WGPUBuffer life = buffer_of(gpu, lives);
  WGPUBuffer flags = buffer_of(gpu, lives);
  WGPUBuffer slots = buffer_of(gpu, lives);
  WGPUBuffer living = buffer_of(gpu, std::vector<std::uint32_t>(particles));
  const Kernel flag = kernel(gpu, flag_the_living, {life, flags});
  const Kernel move = kernel(gpu, move_them, {life, slots, living});

  // Once: the scan for these buffers.
  cumulo::Device device = take(cumulo::adopt(gpu.device, gpu.queue, gpu.adapter));
  cumulo::PreparedScan scan =
      take(cumulo::prepare_scan(device, {.n = particles, .kind = cumulo::ScanKind::exclusive}));
  cumulo::BoundScan bound = take(cumulo::bind(scan, {flags}, {slots}));

  // Every frame: three steps in one encoder, each sees what the one before wrote.
  WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(gpu.device, nullptr);
  const auto in_pass = [&](const Kernel& work) {
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, nullptr);
    dispatch(pass, work, groups);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
  };
  in_pass(flag);
  take(cumulo::record(bound, encoder));
  in_pass(move);
  submit(gpu, encoder);

  const std::uint32_t count = words_at(gpu, bound.total(), 1)[0];
  const bool right = count == expected.size() && words_at(gpu, {living}, count) == expected;
  std::printf("%u of %u particles live: %s\n", count, particles, right ? "right" : "WRONG");
  return right ? 0 : 1;
}
