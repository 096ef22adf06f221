// First step of reduce-then-scan: the total of every tile, as the balanced tree over its quads.
#import lib/params.wgsl
#import lib/input.wgsl
#import lib/grid.wgsl
#import lib/upsweep.wgsl
@group(0) @binding(${TOTALS}) var<storage, read_write> totals: array<Element>;
#if IN_PLACE
@group(0) @binding(${OUTPUT}) var<storage, read> output: array<Input>;
#if HALF_INPUT
fn output_word(at: u32) -> u32 { return output[at]; }
#endif
#endif

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
  let tile = flat_workgroup(group, groups);
  if (tile >= params.tiles) { return; }

  // Quads, each folded from first to last.
#repeat r QUADS_PER_THREAD
  {
    let quad = ${r}u * ${WORKGROUP}u + thread;
    let i = (tile * ${QUADS}u + quad) * 4u;
    sums[quad] = combine(combine(combine(load(i), load(i + 1u)), load(i + 2u)), load(i + 3u));
  }
#end
  upsweep(thread, ${QUADS}u);
  if (thread == 0u) { totals[params.first_tile + tile] = sums[${QUADS - 1}]; }
}
