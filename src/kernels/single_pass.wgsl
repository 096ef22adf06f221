// A scan that reads every element once. Tiles are drawn from a ticket, so that a tile waits only for
// tiles that have started before it. Each one publishes its total as early as it can, scans itself
// while its predecessors publish theirs, and only then looks back.
//
// Here a subgroup has 32 lanes, a row of the order is one quad a lane, and a subgroup holds ${ROWS} rows in
// registers. With ANY_ORDER, for operators to which the order makes no difference, they may be any
// number; else they are a strip or its half.
#import lib/params.wgsl
#import lib/quad_io.wgsl
#import lib/spine.wgsl
#import lib/subgroup32.wgsl
#if ANY_ORDER
#import lib/look_back_any_order.wgsl
#else
#import lib/look_back.wgsl
var<workgroup> part_tree: array<Element, 160>;  // level b of a tree of 32 at 32 * b
#endif

var<workgroup> part_totals: array<Element, ${PARTS}>;
var<workgroup> end_prefix: Element;  // of the last element, in what `base` stands before

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32,
        @builtin(subgroup_invocation_id) place: u32, @builtin(subgroup_size) width: u32) {
  let part = thread / 32u;
  let lane = value_of(place);
  expect_width_32(width);
#if SLICED
  let draw = draw_tile(params.first_tile + workgroup.x, thread);
  let number = tile_of(draw);
  let tile = number - params.first_tile;  // in the slice
#else
  let draw = draw_tile(workgroup.x, thread);
  let number = tile_of(draw);
  let tile = number;
#endif
  let tag = tag_of(draw);

#if GATE
  // The first tiles all load at the same time, and then none does while they look back: so some of those
  // that follow wait for their turn.
  if (tile >= ${GATE}u && tile < ${GATE_END}u) {
    if (thread == 0u) { _ = await_value(tile_slot(number - ${GATE}u), tag); }
    workgroupBarrier();  // the gate is open
  }
#endif

  // Load. What is past the end is anything: no result has it before it, and no tile comes after.
  let part_first = tile * ${QUADS}u + part * ${32 * ROWS}u;
  let first = part_first + lane;
  let is_last = number == params.all_tiles - 1u;
#if VECTORS
  // Row m of vectors.
#repeat m ROWS * WORDS
  var raw$m = input_vector(in_vector(part_first, ${32 * m}u + place));
#end
#if IN_SHIFT
  // The vector that follows the part's in memory.
#if REVERSE
  let beyond_at = in_vector(part_first, 0u) + 1u;
#else
  let beyond_at = in_vector(part_first, ${32 * ROWS * WORDS}u);
#endif
  var beyond = input_vector(beyond_at);
#endif
#if REST
  // The input ends in this tile's vectors, or in the one beyond.
#if REVERSE
  if (number == 0u) {
    beyond = select(beyond, input_rest(), beyond_at > params.in_last);
  }
#else
  if (number + 2u >= params.all_tiles) {
    let rest = input_rest();
#repeat m ROWS * WORDS
    raw$m = select(raw$m, rest, in_vector(part_first, ${32 * m}u + place) > params.in_last);
#end
#if IN_SHIFT
    beyond = select(beyond, rest, beyond_at > params.in_last);
#endif
  }
#endif
#endif
#repeat m ROWS * WORDS
#if IN_SHIFT
#if REVERSE
#if m
  let next$m = from_next(raw$m, raw${m - 1}, place);
#else
  let next$m = from_next(raw$m, beyond, place);
#endif
#else
#if m + 1 < ROWS * WORDS
  let next$m = from_next(raw$m, raw${m + 1}, place);
#else
  let next$m = from_next(raw$m, beyond, place);
#endif
#endif
  let vector$m = from_word_${IN_SHIFT}(raw$m, next$m);
#else
  let vector$m = raw$m;
#endif
#end
#repeat k ROWS
#if PAIRED_LANES
  let pair$k = halves_of_quads(vector${2 * k}, vector${2 * k + 1}, place);
  let in${k}_$REVERSE = pair$k.first;
  let in${k}_${1 - REVERSE} = pair$k.second;
#else
  let in${k}_0 = vector$k;
#endif
#end
#repeat k ROWS
#repeat j 4
#if HALF_OUTPUT
  var p${k}_${j + REVERSE * (3 - 2 * j)} = lift(in${k}_0[${j / 2}] >> ${j % 2 * 16}u);
#else
  var p${k}_${j + REVERSE * (3 - 2 * j)} = input_element(
#repeat w WORDS
      in${k}_${(j * WORDS + w) / 4}[${(j * WORDS + w) % 4}],
#end
  );
#endif
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
  // The last element is this one of this quad.
  let end_quad = (params.count - 1u) / 4u;
  let end_element = (params.count - 1u) % 4u;

  // Prefixes inside each quad; p*_3 is the quad's total.
#repeat k ROWS
#repeat j 3
  p${k}_${j + 1} = combine(p${k}_$j, p${k}_${j + 1});
#end
#end

#if ANY_ORDER
  // The lane's total, the part's, the parts' in the tile.
  var lane_total = p0_3;
#repeat k ROWS - 1
  lane_total = combine(lane_total, p${k + 1}_3);
#end
  let part_total = total32(lane_total);
  if (lane == 0u) { part_totals[part] = part_total; }
  workgroupBarrier();  // all parts' totals are known
  var parts = part_totals[min(lane, ${PARTS - 1}u)];
#repeat b 3 + (8 < PARTS) + (16 < PARTS)
  parts = sklansky_step(parts, lane, 1u << ${b}u);
#end
  let tile_total = from_lane(parts, ${PARTS - 1}u);
  if (thread == 0u) { publish_tile(number, tile_total, tag); }

  var before_row = choose(absent(), from_lane(parts, max(part, 1u) - 1u), part != 0u);
#else
  // Totals of the ${ROWS} rows at once: at each level a lane gives away one half of its rows, the lanes
  // with bit 0 set keep the odd ones, and so on, until lane l holds a part of row l % ${ROWS}.
#repeat k ROWS / 2
  let a$k = merge_rows(p${2 * k}_3, p${2 * k + 1}_3, lane, 1u);
#end
#repeat k ROWS / 4
  let b$k = merge_rows(a${2 * k}, a${2 * k + 1}, lane, 2u);
#end
#if HALF_STRIPS
  let row_part = pair_up(b0, 4u);
#else
  let row_part = merge_rows(b0, b1, lane, 4u);
#endif
  let row_total = pair_up(pair_up(row_part, 8u), 16u);
  // Rows in the part; lane ${ROWS - 1} then holds the part's total.
  var rows = sklansky_step(sklansky_step(row_total, lane, 1u), lane, 2u);
#if !HALF_STRIPS
  rows = sklansky_step(rows, lane, 4u);
#endif
  if (lane == ${ROWS - 1}u) { part_totals[part] = rows; }
  workgroupBarrier();  // all parts' totals are known

  // Parts in the tile; the first subgroup publishes the total.
  let is_first = part == 0u;
  if (is_first) {
    let t = tree32(choose(absent(), part_totals[min(lane, ${PARTS - 1}u)], lane < ${PARTS}u));
    if (lane == 0u) { publish_tile(number, t.total, tag); }
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
#endif

  // Prefixes in the strip, or in the tile: before(row), then before(quad), then the prefix inside the
  // quad.
#if ANY_ORDER
  // Always so; but a compiler that knew it would do all this before the total is published, and others
  // wait for that.
  if (params.all_tiles != 0u) {
#endif
#repeat k ROWS
  {
    let quads = row_scan(p${k}_3, lane);
    let before_quad = from_previous_lane(quads, lane);
#if ANY_ORDER
    let before = choose(before_row, combine(before_row, before_quad), lane != 0u);
    before_row = combine(before_row, from_lane(quads, 31u));
#else
#if k
    let before_row = from_lane(rows, ${k - 1}u);
    let before = choose(before_row, combine(before_row, before_quad), lane != 0u);
#else
#if HALF_STRIPS
    let after_first = choose(first_half, combine(first_half, before_quad), lane != 0u);
    let before = choose(choose(absent(), before_quad, lane != 0u), after_first, is_second);
#else
    let before = choose(absent(), before_quad, lane != 0u);
#endif
#endif
#endif
#repeat j 4
    p${k}_$j = combine(before, p${k}_$j);
#end
    if (is_last && first + ${32 * k}u == end_quad) {
      let up_to_1 = choose(p${k}_0, p${k}_1, end_element > 0u);
      let up_to_2 = choose(up_to_1, p${k}_2, end_element > 1u);
      end_prefix = choose(up_to_2, p${k}_3, end_element > 2u);
    }
#if EXCLUSIVE
    p${k}_3 = p${k}_2;
    p${k}_2 = p${k}_1;
    p${k}_1 = p${k}_0;
    p${k}_0 = before;
#endif
  }
#end
#if ANY_ORDER
  }
#endif

#if AFTER_PREVIOUS
  // Once the tile before has published, hardly any other has to be waited for; and looks that come too
  // early hinder those who publish.
  if (number > 0u && thread == 0u) { _ = await_value(tile_slot(number - 1u), tag); }
  workgroupBarrier();  // it has published
#endif
#if ANY_ORDER
  let base = look_back(number, tile_total, tag, part, lane);
#else
  let tile_base = look_back(number, tag, thread, lane);
  // Strips before this one, the largest blocks first.
  var base = tile_base;
#if 16 < PARTS
  if ((part & 16u) != 0u) { base = combine(base, part_tree[128u + (part & ~31u)]); }
#endif
#if 8 < PARTS
  if ((part & 8u) != 0u) { base = combine(base, part_tree[96u + (part & ~15u)]); }
#endif
#if 4 < PARTS
  if ((part & 4u) != 0u) { base = combine(base, part_tree[64u + (part & ~7u)]); }
#endif
  if ((part & 2u) != 0u) { base = combine(base, part_tree[32u + (part & ~3u)]); }
#if !HALF_STRIPS
  if ((part & 1u) != 0u) { base = combine(base, part_tree[part & ~1u]); }
#endif
#endif

  // Store.
#if VECTORS
#repeat k ROWS
#repeat j 4
  let r${k}_$j = combine(base, p${k}_${j + REVERSE * (3 - 2 * j)});
#end
#if HALF_OUTPUT
  let out${k}_0 = vector_of(r${k}_0, r${k}_1, r${k}_2, r${k}_3);
#else
#repeat v WORDS
  let out${k}_$v = vec4<u32>(
#repeat c 4
      result_word${(4 * v + c) % WORDS}(r${k}_${(4 * v + c) / WORDS}),
#end
  );
#end
#endif
#if PAIRED_LANES
  let stored$k = halves_of_quads(out${k}_$REVERSE, out${k}_${1 - REVERSE}, place);
  let vector_out${2 * k} = stored$k.first;
  let vector_out${2 * k + 1} = stored$k.second;
#else
  let vector_out$k = out${k}_0;
#endif
#end
#repeat m ROWS * WORDS
  let at$m = out_vector(part_first, ${32 * m}u + place);
#if !OUT_SHIFT
  put(at$m, vector_out$m);
#else
  // The first vector has words of the vector before, unless that is not the part's.
#if m == REVERSE * (ROWS * WORDS - 1)
  let previous$m = from_previous(vector_out$m, vec4<u32>(), place);
  if (place == first_lane) {
#repeat c 4 - OUT_SHIFT
    put_word(at$m, ${OUT_SHIFT + c}u, vector_out$m[$c]);
#end
  } else {
    put(at$m, from_word_${4 - OUT_SHIFT}(previous$m, vector_out$m));
  }
#else
#if REVERSE
  let previous$m = from_previous(vector_out$m, vector_out${m + 1}, place);
#else
  let previous$m = from_previous(vector_out$m, vector_out${m - 1}, place);
#endif
  put(at$m, from_word_${4 - OUT_SHIFT}(previous$m, vector_out$m));
#endif
#endif
#end
#if OUT_SHIFT
  // The last words of the part lie in the next part's first vector.
  if (place == last_lane) {
#repeat c OUT_SHIFT
    put_word(at${(1 - REVERSE) * (ROWS * WORDS - 1)} + 1u, ${c}u,
             vector_out${(1 - REVERSE) * (ROWS * WORDS - 1)}[${4 - OUT_SHIFT + c}]);
#end
  }
#endif
#else
#repeat k ROWS
  store_quad(i$k, combine(base, p${k}_0), combine(base, p${k}_1), combine(base, p${k}_2),
             combine(base, p${k}_3));
#end
#endif
#if INCLUDE_INITIAL
  if (number == 0u && thread == 0u) { store_initial(); }
#endif

  if (is_last && lane == 0u && end_quad >= first && end_quad - first < ${32 * ROWS}u) {
    store_total(combine(base, end_prefix));
  }
  end_run(number, thread);
}
