// What a device's compiler makes of arithmetic: five expressions over three numbers each, which it
// cannot know beforehand. src/api/self_check.cpp has the same in C++.
@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  if (3u * i + 2u >= arrayLength(&input)) { return; }
  let a = input[3u * i];
  let b = input[3u * i + 1u];
  let c = input[3u * i + 2u];
  output[5u * i] = a * b + c;          // contraction
  output[5u * i + 1u] = (a + b) + c;   // reassociation
  output[5u * i + 2u] = (a + b) - a;   // simplification
  output[5u * i + 3u] = a + 0.0;       // signed zeros
  output[5u * i + 4u] = a * b;         // subnormal numbers
}
