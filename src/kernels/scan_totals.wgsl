// Second step of reduce-then-scan: replaces the total of every tile by what stands before the tile.
// One workgroup walks the totals in chunks of ${TREE}.
#import lib/params.wgsl
#import lib/upsweep.wgsl
#import lib/block_counter.wgsl
@group(0) @binding(1) var<storage, read_write> totals: array<Element>;

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(local_invocation_index) thread: u32) {
  let chunks = (params.all_tiles + ${TREE - 1}u) / ${TREE}u;
  for (var chunk = 0u; chunk < chunks; chunk++) {
    for (var k = thread; k < ${TREE}u; k += ${WORKGROUP}u) {
      let tile = chunk * ${TREE}u + k;
      if (tile < params.all_tiles) {
        sums[k] = totals[tile];
      } else {
        sums[k] = absent();
      }
    }
    upsweep(thread, ${TREE}u);

    let before = fold_pending(initial(), chunk);
    for (var k = thread; k < ${TREE}u; k += ${WORKGROUP}u) {
      let tile = chunk * ${TREE}u + k;
      if (tile < params.all_tiles) { totals[tile] = left_fold(before, k, ${TREE}u); }
    }
    workgroupBarrier();  // pending and sums have been read by all

    if (thread == 0u) { count_in(chunk, sums[${TREE - 1}]); }
    workgroupBarrier();  // pending is complete before the next chunk reads it
  }
}
