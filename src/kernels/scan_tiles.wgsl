// Scans every tile from what stands before it, by workgroup memory alone: the third step of
// reduce-then-scan, and with SINGLE_PASS all of it, where a tile publishes its total and looks back.
#import lib/params.wgsl
#import lib/input.wgsl
#import lib/output.wgsl
#import lib/grid.wgsl
#import lib/upsweep.wgsl
#if TRACE
#import lib/trace.wgsl

// Step number `step` of a quad that begins with element i.
fn trace_quad(step: u32, i: u32, x0: Element, x1: Element, x2: Element, x3: Element) {
  trace_element(step, i, x0);
  trace_element(step, i + 1u, x1);
  trace_element(step, i + 2u, x2);
  trace_element(step, i + 3u, x3);
}
#endif
#if SINGLE_PASS
#import lib/spine.wgsl
#import lib/look_back_memory.wgsl
#else
// Only read, but it may lie in one buffer with the output.
@group(0) @binding(${TOTALS}) var<storage, read_write> tile_base: array<Element>;
#endif
@group(0) @binding(${TOTAL}) var<storage, read_write> total: array<Result>;

// Sklansky 1960: inclusive prefixes in aligned groups, by the last value of each lower half.
var<workgroup> quad_sums: array<Element, ${QUADS}>;  // in groups of a row
var<workgroup> row_sums: array<Element, ${ROWS}>;    // in groups of a strip

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
#if SINGLE_PASS
  let draw = draw_tile(group.x, thread);
  let tile = tile_of(draw);
  let tag = tag_of(draw);
#else
  let tile = flat_workgroup(group, groups);
  if (tile >= params.tiles) { return; }
#endif

  // Prefixes inside each quad, kept in registers.
#repeat r QUADS_PER_THREAD
  let quad$r = ${r}u * ${WORKGROUP}u + thread;
  let i$r = (tile * ${QUADS}u + quad$r) * 4u;
  let p${r}_0 = load(i$r);
  let p${r}_1 = combine(p${r}_0, load(i$r + 1u));
  let p${r}_2 = combine(p${r}_1, load(i$r + 2u));
  let p${r}_3 = combine(p${r}_2, load(i$r + 3u));
  quad_sums[quad$r] = p${r}_3;
#if TRACE
  trace_quad(0u, i$r, p${r}_0, load(i$r + 1u), load(i$r + 2u), load(i$r + 3u));
  trace_quad(1u, i$r, p${r}_0, p${r}_1, load(i$r + 2u), load(i$r + 3u));
  trace_quad(2u, i$r, p${r}_0, p${r}_1, p${r}_2, load(i$r + 3u));
  trace_quad(3u, i$r, p${r}_0, p${r}_1, p${r}_2, p${r}_3);
#endif
#end

  // Quads in their row.
  for (var half = 1u; half < ${QUADS_PER_ROW}u; half <<= 1u) {
    workgroupBarrier();  // the step before is complete
#repeat r QUADS_PER_THREAD
    if ((quad$r & half) != 0u) {
      let last = (quad$r & ~(2u * half - 1u)) + half - 1u;
      quad_sums[quad$r] = combine(quad_sums[last], quad_sums[quad$r]);
    }
#if TRACE
    if (4u * half < params.count) {
      trace_quad(4u + firstTrailingBit(half), i$r, p${r}_0, p${r}_1, p${r}_2, quad_sums[quad$r]);
    }
#endif
#end
  }
  workgroupBarrier();  // every row's last quad holds the row's total

  // Rows in their strip.
  if (thread < ${ROWS}u) { row_sums[thread] = quad_sums[(thread + 1u) * ${QUADS_PER_ROW}u - 1u]; }
  for (var half = 1u; half < ${ROWS_PER_STRIP}u; half <<= 1u) {
    workgroupBarrier();  // the step before is complete
    if (thread < ${ROWS}u && (thread & half) != 0u) {
      let last = (thread & ~(2u * half - 1u)) + half - 1u;
      row_sums[thread] = combine(row_sums[last], row_sums[thread]);
    }
  }
  workgroupBarrier();  // every strip's last row holds the strip's total

  // Strips in the tile.
  if (thread < ${STRIPS}u) { sums[thread] = row_sums[(thread + 1u) * ${ROWS_PER_STRIP}u - 1u]; }
  upsweep(thread, ${STRIPS}u);

#if INCLUDE_INITIAL
  if (params.first_tile + tile == 0u && thread == 0u) { store_initial(); }
#endif
#if SINGLE_PASS
  if (thread == 0u) { publish_tile(tile, sums[${STRIPS - 1}], tag); }
  let base = look_back(tile, tag, thread, sums[${STRIPS - 1}]);
#else
  let base = tile_base[params.first_tile + tile];
#endif
#repeat r QUADS_PER_THREAD
  {
    let row = quad$r / ${QUADS_PER_ROW}u;
    let strip_base = left_fold(base, row / ${ROWS_PER_STRIP}u, ${STRIPS}u);
    var before = absent();
    if (row % ${ROWS_PER_STRIP}u != 0u) { before = row_sums[row - 1u]; }
    if (quad$r % ${QUADS_PER_ROW}u != 0u) { before = combine(before, quad_sums[quad$r - 1u]); }
#repeat j 4
    let inclusive$j = combine(strip_base, combine(before, p${r}_$j));
#end
#if TRACE
    trace_quad(2u + firstTrailingBit(params.count), i$r, inclusive0, inclusive1, inclusive2, inclusive3);
#endif
#if EXCLUSIVE
    store_quad(i$r, combine(strip_base, before), inclusive0, inclusive1, inclusive2);
#else
    store_quad(i$r, inclusive0, inclusive1, inclusive2, inclusive3);
#endif
#repeat j 4
    if (params.is_last != 0u && i$r + ${j}u == params.count - 1u) { total[0] = lower(inclusive$j); }
#end
  }
#end
#if SINGLE_PASS
  end_run(tile, thread);
#endif
}
