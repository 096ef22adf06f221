// Lengths of runs: the differences of their starts, of which one stands behind the bound window's
// last. Also hands the starts on where they are asked for.
#import lib/select_params.wgsl
#import lib/grid.wgsl
// One of the caller's outputs, as lengths are: the two may lie in one buffer.
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> lengths: array<u32>;
#if INDICES
@group(0) @binding(5) var<storage, read_write> indices: array<u32>;
#endif

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
  let j = flat_workgroup(group, groups) * ${WORKGROUP}u + thread;
  let run = params.window_first + j;
  let runs = counts[params.counts_at];
  if (j >= params.window || run >= runs) { return; }
  let start = starts[params.offsets[0][0] + j];
  var end = extent.n;
  if (run + 1u < runs) { end = starts[params.offsets[0][0] + j + 1u]; }
  lengths[params.output_offset + j] = end - start;
#if INDICES
  indices[params.offsets[0][1] + j] = start;
#endif
}
