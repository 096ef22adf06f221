// Second step of reduce-then-scan: replaces the total of every tile by what stands before the tile.
// One workgroup walks the totals in chunks of ${TREE}. The chunks before the present one are held as
// a binary counter: pending[b] is the total of an aligned block of 2^b chunks, for each bit b that is
// set in the chunk's number.
#import lib/params.wgsl
#import lib/upsweep.wgsl
@group(0) @binding(1) var<storage, read_write> totals: array<Element>;

var<workgroup> pending: array<Element, 32>;

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

    var before = initial();
    for (var b = 32u; b > 0u; b--) {
      if (((chunk >> (b - 1u)) & 1u) != 0u) { before = combine(before, pending[b - 1u]); }
    }
    for (var k = thread; k < ${TREE}u; k += ${WORKGROUP}u) {
      let tile = chunk * ${TREE}u + k;
      if (tile < params.all_tiles) { totals[tile] = left_fold(before, k, ${TREE}u); }
    }
    workgroupBarrier();  // pending and sums have been read by all

    // Count this chunk in: equal blocks merge, as digits carry.
    if (thread == 0u) {
      var total = sums[${TREE - 1}];
      var b = 0u;
      while (((chunk >> b) & 1u) != 0u) {
        total = combine(pending[b], total);
        b++;
      }
      pending[b] = total;
    }
    workgroupBarrier();  // pending is complete before the next chunk reads it
  }
}
