// Last step of a reduction, by one workgroup: what stands before the last tile, from the totals of
// batches and of single tiles; then the last tile, and in it the strip of the last element, whose prefix
// is the value.
#import lib/params.wgsl
#import lib/input.wgsl
#import lib/block_tree.wgsl
#import lib/block_counter.wgsl
@group(0) @binding(2) var<storage, read_write> output: array<Element>;
#if HAS_TOTALS
@group(0) @binding(3) var<storage, read> totals: array<Element>;

// Up to ${QUADS} totals from number `first` on into the tree.
fn load_totals(first: u32, count: u32, thread: u32) {
#repeat r QUADS_PER_THREAD
  let x$r = totals[first + min(${r * WORKGROUP}u + thread, max(count, 1u) - 1u)];
#end
  workgroupBarrier();  // the tree before has been read
#repeat r QUADS_PER_THREAD
  if (${r * WORKGROUP}u + thread < count) { sums[slot(${r * WORKGROUP}u + thread)] = x$r; }
#end
  total_blocks(thread, count);
}

// `start`, then `count` totals from number `first` on, as aligned blocks of them, the largest first.
// Only the first invocation's result is one.
fn fold_totals(start: Element, first: u32, count: u32, thread: u32) -> Element {
  let chunks = count / ${QUADS}u;
  for (var chunk = 0u; chunk < chunks; chunk++) {
    load_totals(first + chunk * ${QUADS}u, ${QUADS}u, thread);
    if (thread == 0u) { count_in(chunk, block(${QUADS}u, ${QUADS_BITS}u)); }
  }
  let left = count % ${QUADS}u;
  if (left != 0u) { load_totals(first + chunks * ${QUADS}u, left, thread); }
  var before = start;
  if (thread == 0u) { before = fold_left(fold_pending(start, chunks), left, 0u); }
  return before;
}
#endif

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(local_invocation_index) thread: u32) {
  // The quads of the last tile, each folded from first to last; absent past the end.
#repeat r QUADS_PER_THREAD
  let i$r = (${r * WORKGROUP}u + thread) * 4u;
  let quad$r = combine(combine(combine(load(i$r), load(i$r + 1u)), load(i$r + 2u)), load(i$r + 3u));
#end
  var base = absent();
#if HAS_TOTALS
  base = fold_totals(base, 0u, params.batches, thread);
  base = fold_totals(base, params.batches, params.tiles - params.batches, thread);
  workgroupBarrier();  // the tree before has been read
#endif
#repeat r QUADS_PER_THREAD
  sums[slot(${r * WORKGROUP}u + thread)] = quad$r;
#end

  // Quads before that of the last element: in strips, in rows of the last strip, in the last row.
  let quads = (params.count - 1u) / 4u;
  total_blocks(thread, quads);
  if (thread == 0u) {
    let before = combine(fold_right(quads, ${ROW_BITS}u, ${STRIP_BITS}u),
                         fold_right(quads, 0u, ${ROW_BITS}u));
    let prefix = combine(before, sums[slot(quads)]);
    output[params.out_offset] = combine(fold_left(base, quads, ${STRIP_BITS}u), prefix);
  }
}
