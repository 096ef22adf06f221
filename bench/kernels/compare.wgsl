// Compares every word of a result with the expected one. A verdict is two words: where the first
// difference is, counted from the end (0: nowhere), and how many workgroups have looked.
struct Parameters {
  words: u32,
  expected_at: u32,  // where the words begin
  found_at: u32,
  after: u32,  // words that follow these, compared by other dispatches
  verdict: u32,
}
@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read> expected: array<u32>;
@group(0) @binding(2) var<storage, read> found: array<u32>;
@group(0) @binding(3) var<storage, read_write> verdicts: array<atomic<u32>>;

@compute @workgroup_size($WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
  let stride = groups.x * $WORKGROUP;
  for (var i = id.x; i < parameters.words; i += stride) {
    if (expected[i + parameters.expected_at] != found[i + parameters.found_at]) {
      atomicMax(&verdicts[2u * parameters.verdict], parameters.words - i + parameters.after);
      break;
    }
  }
  if (lane == 0u) {
    atomicAdd(&verdicts[2u * parameters.verdict + 1u], 1u);
  }
}
