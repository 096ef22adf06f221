// Second step of mask-then-scatter: replaces the count of every tile by where its first result goes,
// and writes the counts. One workgroup walks the tiles in chunks. A second mask's results follow the
// first one's; behind the counts of all tiles stands where those of no mask begin.
#import lib/select_params.wgsl
@group(0) @binding(2) var<storage, read_write> tile_counts: array<u32>;
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;

var<workgroup> sums: array<u32, ${WORKGROUP}>;

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(local_invocation_index) thread: u32) {
  let tiles = extent.n / ${TILE}u + select(0u, 1u, extent.n % ${TILE}u != 0u);
  var before = 0u;
  for (var mask = 0u; mask < ${MASKS}u; mask++) {
    let start = before;
    for (var chunk = 0u; chunk < tiles; chunk += ${8 * WORKGROUP}u) {
      // Eight tiles an invocation.
      let first = chunk + thread * 8u;
      let at = mask * params.all_tiles + first;
#repeat k 8
      let x$k = select(0u, tile_counts[at + ${k}u], first + ${k}u < tiles);
#end
      let p0 = x0;
#repeat k 7
      let p${k + 1} = p$k + x${k + 1};
#end
      sums[thread] = p7;
      for (var half = 1u; half < ${WORKGROUP}u; half <<= 1u) {
        workgroupBarrier();  // the step before is complete
        if ((thread & half) != 0u) { sums[thread] += sums[(thread & ~(2u * half - 1u)) + half - 1u]; }
      }
      workgroupBarrier();  // every entry holds the total up to itself
      let base = before + sums[thread] - p7;
#repeat k 8
      if (first + ${k}u < tiles) { tile_counts[at + ${k}u] = base + p$k - x$k; }
#end
      before += sums[${WORKGROUP - 1}];
      workgroupBarrier();  // sums have been read by all
    }
    if (thread == 0u) { counts[params.counts_at + mask] = before - start; }
  }
  if (thread == 0u) { tile_counts[${MASKS}u * params.all_tiles] = before; }
}
