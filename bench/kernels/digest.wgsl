// A digest of every word of a result and of its place: two sums of hashes, the same in any order. The
// host computes it as well (bench/digest.hpp).
struct Parameters {
  words: u32,
}
@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read> found: array<u32>;
@group(0) @binding(2) var<storage, read_write> digest: array<atomic<u32>>;

var<workgroup> parts: array<atomic<u32>, 2>;

fn hash(i: u32) -> u32 {
  let x = i * 747796405u + 2891336453u;
  let y = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
  return (y >> 22u) ^ y;
}

@compute @workgroup_size($WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
  let stride = groups.x * $WORKGROUP;
  // It should be 0 from the start, but on lavapipe of Mesa 22.3 it is not.
  if (lane < 2u) { atomicStore(&parts[lane], 0u); }
  workgroupBarrier();  // the sums begin at 0
  var sums = vec2<u32>(0u, 0u);
  for (var i = id.x; i < parameters.words; i += stride) {
    sums += vec2<u32>(hash(found[i] ^ hash(i)), hash(found[i] + hash(~i)));
  }
  atomicAdd(&parts[0], sums.x);
  atomicAdd(&parts[1], sums.y);
  workgroupBarrier();  // the sums of all are in
  if (lane < 2u) { atomicAdd(&digest[lane], atomicLoad(&parts[lane])); }
}
