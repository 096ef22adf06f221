// Last step of a reduction, by one workgroup: what stands before the last strip, as aligned blocks of
// batches, then of single tiles, then of strips of the last tile; and the last strip, in which the prefix
// of the last element completes the value.
#import lib/params.wgsl
#import lib/input.wgsl
#import lib/block_tree.wgsl
#if !ANY_ORDER
#import lib/block_counter.wgsl
#endif
@group(0) @binding(2) var<storage, read_write> output: array<Result>;
#if HAS_TOTALS
@group(0) @binding(3) var<storage, read> totals: array<Element>;
#endif

const batches = 0u;
const single_tiles = 1u;
const last_tile = 2u;

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(local_invocation_index) thread: u32) {
#if COUNTED
  if (params.count == 0u) { return; }  // the value is written already
  // Where the last tile begins, only the count says.
  let start = (params.count - 1u) / ${TILE}u * ${TILE}u;
#else
  const start = 0u;
#endif
  // The quads of the last tile, each folded from first to last; absent past the end.
#repeat r QUADS_PER_THREAD
  let i$r = start + (${r * WORKGROUP}u + thread) * 4u;
  let quad$r = combine(combine(combine(load(i$r), load(i$r + 1u)), load(i$r + 2u)), load(i$r + 3u));
#end
#if ANY_ORDER
  // All totals and quads at once.
  var total = quad0;
#repeat r QUADS_PER_THREAD - 1
  total = combine(total, quad${r + 1});
#end
#if HAS_TOTALS
  for (var first = thread; first < params.tiles; first += ${8 * WORKGROUP}u) {
#repeat r 8
    let total$r = totals[min(first + ${r * WORKGROUP}u, params.tiles - 1u)];
#end
#repeat r 8
    total = combine(total, choose(absent(), total$r, first + ${r * WORKGROUP}u < params.tiles));
#end
  }
#endif
  sums[slot(thread)] = total;
  total_blocks(thread, ${WORKGROUP}u);
  if (thread == 0u) { output[params.out_offset] = lower(block(${WORKGROUP}u, ${WORKGROUP_BITS}u)); }
}
#else
  let end_quad = (params.count - 1u - start) / 4u;  // that of the last element

  // One part after the other, in chunks of ${QUADS} entries: totals, and at last quads. The first
  // invocation alone knows what stands before.
  var before = absent();
#if HAS_TOTALS
  for (var part = batches; part <= last_tile; part++) {
    let singles = params.tiles - params.batches;
    let count = select(select(singles, params.batches, part == batches), end_quad, part == last_tile);
    let first = select(0u, params.batches, part == single_tiles);
#else
  for (var part = last_tile; part <= last_tile; part++) {
    let count = end_quad;
#endif
    let chunks = count / ${QUADS}u;  // whole ones
    for (var chunk = 0u; chunk <= chunks; chunk++) {
      let inside = min(count - chunk * ${QUADS}u, ${QUADS}u);
#if HAS_TOTALS
      let at = first + chunk * ${QUADS}u;
#repeat r QUADS_PER_THREAD
      let total$r = totals[min(at + ${r * WORKGROUP}u + thread, max(params.tiles, 1u) - 1u)];
#end
#endif
      workgroupBarrier();  // the tree before has been read
#repeat r QUADS_PER_THREAD
#if HAS_TOTALS
      sums[slot(${r * WORKGROUP}u + thread)] = choose(total$r, quad$r, part == last_tile);
#else
      sums[slot(${r * WORKGROUP}u + thread)] = quad$r;
#endif
#end
      total_blocks(thread, inside);
      if (thread == 0u && chunk < chunks) { count_in(chunk, block(${QUADS}u, ${QUADS_BITS}u)); }
    }
    if (thread == 0u) {
      // Of the last tile whole strips alone.
      let lowest = select(0u, ${STRIP_BITS}u, part == last_tile);
      before = fold_left(fold_pending(before, chunks), count % ${QUADS}u, lowest);
    }
  }

  // Sklansky's prefixes of the quad in its row and of the row in its strip: the blocks before it, the
  // largest first, folded from the right.
  if (thread == 0u) {
    var before_quad = absent();
    var before_row = absent();
    for (var bit = 0u; bit < ${STRIP_BITS}u; bit++) {
      if (bit == ${ROW_BITS}u) {
        before_quad = before_row;
        before_row = absent();
      }
      if (((end_quad >> bit) & 1u) != 0u) { before_row = combine(block(end_quad, bit), before_row); }
    }
    let prefix = combine(combine(before_row, before_quad), sums[slot(end_quad)]);
    let value = lower(combine(before, prefix));
#if HALF_OUTPUT
    let at = params.out_offset / 2u;
    let shift = params.out_offset % 2u * 16u;
    output[at] = (output[at] & (0xffff0000u >> shift)) | (value << shift);
#else
    output[params.out_offset] = value;
#endif
  }
}
#endif
