// A scan that reads every element once. Tiles are drawn from a ticket, so that a tile waits only for
// tiles that have started before it. Each one publishes its total as early as it can, scans itself
// while its predecessors publish theirs, and only then looks back.
//
// Here a subgroup has 32 lanes, a row of the order is one vector of a subgroup, and a subgroup holds
// one strip: 8 rows of 32 quads, quad (row, lane) in registers of that lane.
#import lib/params.wgsl
#import lib/quad_io.wgsl
#import lib/spine.wgsl
#import lib/subgroup32.wgsl
#import lib/look_back.wgsl

var<workgroup> strip_totals: array<Element, ${STRIPS}>;
var<workgroup> strip_tree: array<Element, 160>;  // level b of a tree of 32 at 32 * b
// In the last tile, of the quad of the last element: what stands before it in its strip, and the
// prefixes in the strip of its elements.
var<workgroup> end_prefixes: array<Element, 5>;

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(local_invocation_index) thread: u32,
        @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) width: u32) {
  let strip = thread / 32u;
  expect_width_32(width);
  let ticket = draw_ticket(thread);
  let tile = tile_of(ticket);
  let tag = tag_of(ticket);
#if GATE
  // The first tiles all start at once; holding the next ones back keeps memory busy while those wait.
  if (tile >= ${GATE}u && tile < ${GATE_END}u) {
    if (strip == 0u) { _ = await_value(tile_slot(tile - ${GATE}u), tag); }
    workgroupBarrier();  // the gate is open
  }
#endif

  // Load. What is past the end is absent.
  let first = tile * ${QUADS}u + strip * 256u + lane;
#repeat k 8
#repeat v WORDS
  let raw${k}_$v = input[min(first + ${32 * k}u, params.last_quad) * ${WORDS}u + ${v}u];
#end
#end
#repeat k 8
#repeat j 4
  var p${k}_$j = element(
#repeat w WORDS
      raw${k}_${(j * WORDS + w) / 4}[${(j * WORDS + w) % 4}],
#end
  );
#end
#end
  let is_last = tile == params.all_tiles - 1u;
  let end_quad = (params.count - 1u) / 4u;  // the quad of the last element
  if (is_last) {
#repeat j 4
    let end$j = load(end_quad * 4u + ${j}u);
#end
#repeat k 8
#repeat j 4
    p${k}_$j = choose(p${k}_$j, end$j, first + ${32 * k}u == end_quad);
    p${k}_$j = choose(p${k}_$j, absent(), first + ${32 * k}u > end_quad);
#end
#end
  }

  // Prefixes inside each quad; p*_3 is the quad's total.
#repeat k 8
#repeat j 3
  p${k}_${j + 1} = combine(p${k}_$j, p${k}_${j + 1});
#end
#end

  // Totals of the 8 rows at once: at each level a lane gives away one half of its rows, the lanes
  // with bit 0 set keep the odd ones, and so on, until lane l holds a part of row l % 8.
#repeat k 4
  let a$k = merge_rows(p${2 * k}_3, p${2 * k + 1}_3, lane, 1u);
#end
#repeat k 2
  let b$k = merge_rows(a${2 * k}, a${2 * k + 1}, lane, 2u);
#end
  let row_part = merge_rows(b0, b1, lane, 4u);
  let row_total = pair_up(pair_up(row_part, lane, 8u), lane, 16u);
  // Rows in their strip; lane 7 then holds the strip's total.
  let rows = sklansky_step(sklansky_step(sklansky_step(row_total, lane, 1u), lane, 2u), lane, 4u);
  if (lane == 7u) { strip_totals[strip] = rows; }
  workgroupBarrier();  // all strips' totals are known

  // Strips in the tile; the first subgroup publishes the total.
  if (strip == 0u) {
    let strips = choose(absent(), strip_totals[min(lane, ${STRIPS - 1}u)], lane < ${STRIPS}u);
    let t = tree32(strips, lane);
    if (thread == 0u) { publish(tile_slot(tile), t.total, tag); }
    strip_tree[lane] = t.ones;
    strip_tree[32u + lane] = t.twos;
    strip_tree[64u + lane] = t.fours;
    strip_tree[96u + lane] = t.eights;
    strip_tree[128u + lane] = t.sixteens;
  }

  // Prefixes in the strip: before(row), then before(quad), then the prefix inside the quad.
#repeat k 8
  {
    let quads = row_scan(p${k}_3, lane);
    let before_quad = shuffle_up(quads, 1u);
#if k
    let before_row = shuffle(rows, ${k - 1}u);
    let before = choose(before_row, combine(before_row, before_quad), lane != 0u);
#else
    let before = choose(absent(), before_quad, lane != 0u);
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
#if 16 < STRIPS
  if ((strip & 16u) != 0u) { base = combine(base, strip_tree[128u + (strip & ~15u) - 1u]); }
#endif
#if 8 < STRIPS
  if ((strip & 8u) != 0u) { base = combine(base, strip_tree[96u + (strip & ~7u) - 1u]); }
#endif
#if 4 < STRIPS
  if ((strip & 4u) != 0u) { base = combine(base, strip_tree[64u + (strip & ~3u) - 1u]); }
#endif
  if ((strip & 2u) != 0u) { base = combine(base, strip_tree[32u + (strip & ~1u) - 1u]); }
  if ((strip & 1u) != 0u) { base = combine(base, strip_tree[0u + (strip & ~0u) - 1u]); }

#repeat k 8
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

  // The total, and the results of a last quad that is not whole.
  if (is_last && lane == 0u && end_quad >= first && end_quad - first < 256u) {
    let last = (params.count - 1u) % 4u;
    store_total(combine(base, end_prefixes[last + 1u]));
#repeat j 3
    store_tail(${j}u, combine(base, end_prefixes[${j}u + ${1 - EXCLUSIVE}u]));
#end
  }
}
