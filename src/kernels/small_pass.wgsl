// A scan of few elements in one dispatch: tiles of 4,096 elements, one row of the order in each lane's
// view of the workgroup. With one tile there is nothing to wait for; with more, every tile reads the
// totals of all tiles before it, so that it waits only once: subgroup g those of the 32 tiles of
// group g.
#import lib/params.wgsl
#import lib/quad_io.wgsl
#import lib/subgroup32.wgsl
#import lib/spine.wgsl

#if WAITS
#import lib/before_tile.wgsl
#if MANY_GROUPS
var<workgroup> group_totals: array<Element, 32>;
#endif
#endif

// Every subgroup of 32 lanes holds ${ROWS_EACH} of the 32 rows.
var<workgroup> row_totals: array<Element, 32>;

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32,
        @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) width: u32) {
  expect_width_32(width);
  let first_row = thread / 32u * ${ROWS_EACH}u;
#if WAITS
  let draw = draw_tile(workgroup.x, thread);
  let tile = tile_of(draw);
  let tag = tag_of(draw);
#else
  let tile = 0u;
#endif

  // Quads, and what stands before each in its row. What is past the end is anything: no result has it
  // before it.
#repeat k ROWS_EACH
  let quad$k = (tile * 32u + first_row + ${k}u) * 32u + lane;
  let i$k = quad$k * 4u;
#if VECTORS
#repeat v WORDS
  let raw${k}_$v = input_vector(in_vector(quad$k, ${v}u));
#end
#else
#repeat j 4
  let x${k}_$j = load(i$k + ${j}u);
#end
#endif
#end
#if VECTORS
#repeat k ROWS_EACH
#repeat j 4
#if HALF_OUTPUT
  let x${k}_$j = lift(raw${k}_0[${j / 2}] >> ${j % 2 * 16}u);
#else
  let x${k}_$j = input_element(
#repeat w WORDS
      raw${k}_${(j * WORDS + w) / 4}[${(j * WORDS + w) % 4}],
#end
  );
#endif
#end
#end
#endif
#repeat k ROWS_EACH
  let p${k}_0 = x${k}_0;
#repeat j 3
  let p${k}_${j + 1} = combine(p${k}_$j, x${k}_${j + 1});
#end
  let quads$k = row_scan(p${k}_3, lane);
  if (lane == 31u) { row_totals[first_row + ${k}u] = quads$k; }
#end
  workgroupBarrier();  // the totals of all rows are known

  // Rows in their strip, strips in the tile: in every subgroup, one row a lane.
  let rows = sklansky_step(
      sklansky_step(sklansky_step(row_totals[lane], lane, 1u), lane, 2u), lane, 4u);
  let strips = shuffle(rows, lane | 7u);
  let strip_pairs = pair_up(strips, 8u);

#if WAITS
  let tile_total = pair_up(strip_pairs, 16u);
  if (thread == 0u) { publish_tile(tile, tile_total, tag); }
  let group = thread / 32u;
  let own_group = tile / 32u;
  var total = absent();
  if (thread < tile) { total = await_value(tile_slot(thread), tag); }
  let blocks = tree32(total);
  if (group == own_group) { keep_before(blocks, lane, tile % 32u, 0u); }
#if MANY_GROUPS
  if (group < own_group && lane == 0u) { group_totals[group] = blocks.total; }
#endif
  workgroupBarrier();  // all that stands before the tile is known
  var base = initial();
#if MANY_GROUPS
  base = fold_before(base, choose(absent(), group_totals[lane], lane < own_group), own_group);
#endif
  base = fold_kept(base, 0u);
#else
  var base = initial();
#endif

  // What stands before the strip that this subgroup's rows are in.
  let strip = first_row / 8u;
  let left_pair = shuffle(strip_pairs, 0u);
  let left_strip = shuffle(strips, max(strip, 1u) * 8u - 1u);
  base = choose(base, combine(base, left_pair), (strip & 2u) != 0u);
  base = choose(base, combine(base, left_strip), (strip & 1u) != 0u);

#repeat k ROWS_EACH
  {
    let row = first_row + ${k}u;
    let rows_before = shuffle(rows, max(row, 1u) - 1u);
    var before = choose(absent(), rows_before, row % 8u != 0u);
    let quads_before = shuffle_up(quads$k, 1u);
    before = choose(before, combine(before, quads_before), lane != 0u);
#repeat j 4
    let inclusive$j = combine(base, combine(before, p${k}_$j));
#end
    if (i$k / 4u == (params.count - 1u) / 4u) {
      let last = (params.count - 1u) % 4u;
      let up_to_1 = choose(inclusive0, inclusive1, last > 0u);
      let up_to_2 = choose(up_to_1, inclusive2, last > 1u);
      store_total(choose(up_to_2, inclusive3, last > 2u));
    }
#if EXCLUSIVE
    let r0 = combine(base, before);
#repeat j 3
    let r${j + 1} = inclusive$j;
#end
#else
#repeat j 4
    let r$j = inclusive$j;
#end
#endif
#if VECTORS
#if HALF_OUTPUT
    put(out_vector(quad$k, 0u), vector_of(r0, r1, r2, r3));
#else
#repeat v WORDS
    put(out_vector(quad$k, ${v}u), vec4<u32>(
#repeat c 4
        result_word${(4 * v + c) % WORDS}(r${(4 * v + c) / WORDS}),
#end
    ));
#end
#endif
#else
    store_quad(i$k, r0, r1, r2, r3);
#endif
  }
#end
#if WAITS
  end_run(tile, thread);
#endif
#if INCLUDE_INITIAL
  if (tile == 0u && thread == 0u) { store_initial(); }
#endif
}
