// Instances outside the view are taken out of a list, the others are drawn, in one encoder: a
// compaction by a predicate, the draw's arguments from its count, the draw.
#include "off_screen.hpp"

#include <algorithm>

constexpr std::uint32_t squares = 4000;  // a square each: its cell in x and y, and its colour

constexpr const char* draw_squares = R"(
@group(0) @binding(0) var<storage, read> seen: array<vec4<u32>>;
struct Corner { @builtin(position) at: vec4<f32>, @location(0) colour: vec4<f32> }
@vertex fn place(@builtin(vertex_index) v: u32, @builtin(instance_index) i: u32) -> Corner {
  let cell = vec2<f32>(seen[i].xy + vec2<u32>(v & 1u, v >> 1u)) * 8.0 - 4096.0;
  return Corner(vec4<f32>(cell / 128.0, 0.0, 1.0), unpack4x8unorm(seen[i].z));
}
@fragment fn shade(corner: Corner) -> @location(0) vec4<f32> { return corner.colour; })";

int main() {
  using namespace example;
  // In a world of 1,024 x 1,024 cells; the view has 32 x 32 of them, 8 x 8 pixels each.
  std::vector<std::uint32_t> world;
  std::vector<std::uint32_t> expected(std::size_t{picture_side} * picture_side, 0xFF000000);
  std::uint32_t inside = 0;
  for (std::uint32_t k = 0; k < squares; ++k) {
    const std::uint32_t x = 488 + k * 2654435761U % 64;
    const std::uint32_t y = 488 + k * 40503U / 7 % 64;
    const std::uint32_t colour = 0xFF000000 | (k * 2246822519U >> 8);
    world.insert(world.end(), {x, y, colour, k});
    if (x < 496 || x >= 528 || y < 496 || y >= 528) continue;
    ++inside;
    for (std::uint32_t p = 0; p < 64; ++p) {
      const std::uint32_t row = picture_side - 1 - ((y - 496) * 8 + p / 8);
      expected[row * picture_side + (x - 496) * 8 + p % 8] = colour;
    }
  }
  const Gpu gpu = open_gpu();
  WGPUBuffer all = buffer_of(gpu, world);
  WGPUBuffer seen = buffer_of(gpu, std::vector<std::uint32_t>(world.size()));
  WGPUBuffer count = buffer_of(gpu, {0});
  WGPUBuffer call = buffer_of(gpu, {0, 0, 0, 0}, WGPUBufferUsage_Indirect);
  WGPUBuffer pixels = buffer_of(gpu, expected);
  const Drawing picture = drawing(gpu, draw_squares, seen);

  cumulo::Device device = take(cumulo::adopt(gpu.device, gpu.queue, gpu.adapter));
  const cumulo::Predicate in_view{
      .name = "in view",
      .columns = {{.name = "square", .words = 4}},
      .wgsl = "return x[0] >= 496u && x[0] < 528u && x[1] >= 496u && x[1] < 528u;"};
  auto compaction = take(cumulo::prepare_selection(
      device, {.n = squares, .arrays = {{.element_bytes = 16}}, .predicate = in_view}));
  auto arguments =
      take(cumulo::prepare_arguments(device, {{{cumulo::IndirectCall::instances, 4}}}));
  auto cull =
      take(cumulo::bind(compaction, {.arrays = {{all}}, .kept = {{seen}}, .counts = {count}}));
  auto tell = take(cumulo::bind(arguments, {{count}, {call}}));

  WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(gpu.device, nullptr);
  take(cumulo::record(cull, encoder));
  take(cumulo::record(tell, encoder));
  draw_indirect(encoder, picture, call, pixels);
  submit(gpu, encoder);

  const std::uint32_t drawn = words_at(gpu, {count}, 1)[0];
  const std::vector<std::uint32_t> found = words_at(gpu, {pixels}, expected.size());
  write_ppm("culling.ppm", found);
  const bool right = drawn == inside && found == expected;
  std::printf("%u of %u instances drawn: %s\n", drawn, squares, right ? "right" : "WRONG");
  return right ? 0 : 1;
}
