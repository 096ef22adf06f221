// A scan that reads every element once. Tiles are drawn from a ticket, so that a tile waits only for
// tiles that have started before it. Each one publishes its total as early as it can, scans itself
// while its predecessors publish theirs, and only then looks back.
//
// Here a subgroup has 32 lanes, a row of the order is one vector of a subgroup, and a subgroup holds
// ${ROWS} rows of 32 quads, a part of a strip, quad (row, lane) in registers of that lane.
#import lib/params.wgsl
#import lib/quad_io.wgsl
#import lib/spine.wgsl
#import lib/subgroup32.wgsl
#import lib/look_back.wgsl

var<workgroup> part_totals: array<Element, ${PARTS}>;
var<workgroup> part_tree: array<Element, 160>;  // level b of a tree of 32 at 32 * b
// In the last tile, of the quad of the last element: what stands before it in its strip, and the
// prefixes in the strip of its elements.
var<workgroup> end_prefixes: array<Element, 5>;

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32,
        @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) width: u32) {
  let part = thread / 32u;
  expect_width_32(width);
  let draw = draw_tile(workgroup.x, thread);
  let tile = draw.tile;
  let tag = draw.tag;
#if GATE
  // The first tiles all start at once; holding the next ones back keeps memory busy while those wait.
  if (tile >= ${GATE}u && tile < ${GATE_END}u) {
    if (part == 0u) { _ = await_value(tile_slot(tile - ${GATE}u), tag); }
    workgroupBarrier();  // the gate is open
  }
#endif

  // Load. What is past the end is absent.
  let first = tile * ${QUADS}u + part * ${32 * ROWS}u + lane;
#if VECTORS
#repeat k ROWS
#repeat v WORDS
  let raw${k}_$v = input[min(first + ${32 * k}u, params.last_quad) * ${WORDS}u + ${v}u];
#end
#end
#repeat k ROWS
#repeat j 4
  var p${k}_$j = element(
#repeat w WORDS
      raw${k}_${(j * WORDS + w) / 4}[${(j * WORDS + w) % 4}],
#end
  );
#end
#end
#else
#repeat k ROWS
  let i$k = (first + ${32 * k}u) * 4u;
#repeat j 4
  var p${k}_$j = load(i$k + ${j}u);
#end
#end
#endif
  let is_last = tile == params.all_tiles - 1u;
  let end_quad = (params.count - 1u) / 4u;  // the quad of the last element
#if VECTORS
  if (is_last) {
#repeat j 4
    let end$j = load(end_quad * 4u + ${j}u);
#end
#repeat k ROWS
#repeat j 4
    p${k}_$j = choose(p${k}_$j, end$j, first + ${32 * k}u == end_quad);
    p${k}_$j = choose(p${k}_$j, absent(), first + ${32 * k}u > end_quad);
#end
#end
  }
#endif

  // Prefixes inside each quad; p*_3 is the quad's total.
#repeat k ROWS
#repeat j 3
  p${k}_${j + 1} = combine(p${k}_$j, p${k}_${j + 1});
#end
#end

  // Totals of the ${ROWS} rows at once: at each level a lane gives away one half of its rows, the lanes
  // with bit 0 set keep the odd ones, and so on, until lane l holds a part of row l % ${ROWS}.
#repeat k ROWS / 2
  let a$k = merge_rows(p${2 * k}_3, p${2 * k + 1}_3, lane, 1u);
#end
#repeat k ROWS / 4
  let b$k = merge_rows(a${2 * k}, a${2 * k + 1}, lane, 2u);
#end
#if HALF_STRIPS
  let row_part = pair_up(b0, lane, 4u);
#else
  let row_part = merge_rows(b0, b1, lane, 4u);
#endif
  let row_total = pair_up(pair_up(row_part, lane, 8u), lane, 16u);
  // Rows in the part; lane ${ROWS - 1} then holds the part's total.
  var rows = sklansky_step(sklansky_step(row_total, lane, 1u), lane, 2u);
#if !HALF_STRIPS
  rows = sklansky_step(rows, lane, 4u);
#endif
  if (lane == ${ROWS - 1}u) { part_totals[part] = rows; }
  workgroupBarrier();  // all parts' totals are known

  // Parts in the tile; the first subgroup publishes the total.
  if (part == 0u) {
    let parts = choose(absent(), part_totals[min(lane, ${PARTS - 1}u)], lane < ${PARTS}u);
    let t = tree32(parts, lane);
    if (thread == 0u) { publish_tile(tile, t.total, tag); }
    part_tree[lane] = t.ones;
    part_tree[32u + lane] = t.twos;
    part_tree[64u + lane] = t.fours;
    part_tree[96u + lane] = t.eights;
    part_tree[128u + lane] = t.sixteens;
  }
#if HALF_STRIPS
  // Rows in the strip: in its second half, after the first.
  let is_second = (part & 1u) != 0u;
  let first_half = part_totals[part & ~1u];
  rows = choose(rows, combine(first_half, rows), is_second);
#endif

  // Prefixes in the strip: before(row), then before(quad), then the prefix inside the quad.
#repeat k ROWS
  {
    let quads = row_scan(p${k}_3, lane);
    let before_quad = shuffle_up(quads, 1u);
#if k
    let before_row = shuffle(rows, ${k - 1}u);
    let before = choose(before_row, combine(before_row, before_quad), lane != 0u);
#else
#if HALF_STRIPS
    let after_first = choose(first_half, combine(first_half, before_quad), lane != 0u);
    let before = choose(choose(absent(), before_quad, lane != 0u), after_first, is_second);
#else
    let before = choose(absent(), before_quad, lane != 0u);
#endif
#endif
#repeat j 4
    p${k}_$j = combine(before, p${k}_$j);
#end
    if (is_last && first + ${32 * k}u == end_quad) {
      end_prefixes[0] = before;
#repeat j 4
      end_prefixes[${j + 1}] = p${k}_$j;
#end
    }
#if EXCLUSIVE
    p${k}_3 = p${k}_2;
    p${k}_2 = p${k}_1;
    p${k}_1 = p${k}_0;
    p${k}_0 = before;
#endif
  }
#end

  let tile_base = look_back(tile, tag, thread, lane);
  // Strips before this one, the largest blocks first.
  var base = tile_base;
#if 16 < PARTS
  if ((part & 16u) != 0u) { base = combine(base, part_tree[128u + (part & ~15u) - 1u]); }
#endif
#if 8 < PARTS
  if ((part & 8u) != 0u) { base = combine(base, part_tree[96u + (part & ~7u) - 1u]); }
#endif
#if 4 < PARTS
  if ((part & 4u) != 0u) { base = combine(base, part_tree[64u + (part & ~3u) - 1u]); }
#endif
  if ((part & 2u) != 0u) { base = combine(base, part_tree[32u + (part & ~1u) - 1u]); }
#if !HALF_STRIPS
  if ((part & 1u) != 0u) { base = combine(base, part_tree[part - 1u]); }
#endif

#if VECTORS
#repeat k ROWS
  if (first + ${32 * k}u <= params.last_quad) {
#repeat j 4
    let r$j = combine(base, p${k}_$j);
#end
#repeat v WORDS
    output[(first + ${32 * k}u) * ${WORDS}u + ${v}u] = vec4<u32>(
#repeat c 4
        word${(4 * v + c) % WORDS}(r${(4 * v + c) / WORDS}),
#end
    );
#end
  }
#end
#else
#repeat k ROWS
#repeat j 4
  store(i$k + ${j}u, combine(base, p${k}_$j));
#end
#end
#if INCLUDE_INITIAL
  if (tile == 0u && thread == 0u) { output[params.initial_at] = initial(); }
#endif
#endif

  // The total, and the results of a last quad that is not whole.
  if (is_last && lane == 0u && end_quad >= first && end_quad - first < ${32 * ROWS}u) {
    let last = (params.count - 1u) % 4u;
    store_total(combine(base, end_prefixes[last + 1u]));
#if VECTORS
#repeat j 3
    store_tail(${j}u, combine(base, end_prefixes[${j}u + ${1 - EXCLUSIVE}u]));
#end
#endif
  }
  end_run(tile, thread);
}
