// Compares every word, or half, of a result with the expected one. A verdict is two words: where the first
// difference is, counted from the end (0: nowhere), and how many workgroups have looked.
struct Parameters {
  words: u32,        // or halves; so all below
  expected_at: u32,  // where they begin
  found_at: u32,
  after: u32,  // words that follow these, compared by other dispatches
  verdict: u32,
  halves: u32,  // 1: two of what is compared lie in a word
}
@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read> expected: array<u32>;
@group(0) @binding(2) var<storage, read> found: array<u32>;
@group(0) @binding(3) var<storage, read_write> verdicts: array<atomic<u32>>;

fn expected_at(i: u32) -> u32 {
  let at = i + parameters.expected_at;
  if (parameters.halves == 0u) { return expected[at]; }
  return (expected[at / 2u] >> (at % 2u * 16u)) & 0xffffu;
}

fn found_at(i: u32) -> u32 {
  let at = i + parameters.found_at;
  if (parameters.halves == 0u) { return found[at]; }
  return (found[at / 2u] >> (at % 2u * 16u)) & 0xffffu;
}

@compute @workgroup_size($WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
  let stride = groups.x * $WORKGROUP;
  for (var i = id.x; i < parameters.words; i += stride) {
    if (expected_at(i) != found_at(i)) {
      atomicMax(&verdicts[2u * parameters.verdict], parameters.words - i + parameters.after);
      break;
    }
  }
  if (lane == 0u) {
    atomicAdd(&verdicts[2u * parameters.verdict + 1u], 1u);
  }
}
