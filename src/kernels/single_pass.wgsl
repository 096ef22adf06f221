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
var<workgroup> end_prefix: Element;  // of the last element, in its strip

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32,
        @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) width: u32) {
  let part = thread / 32u;
  expect_width_32(width);
  let draw = draw_tile(workgroup.x, thread);
  let tile = draw.tile;
  let tag = draw.tag;

  // Load. What is past the end is absent.
  let part_first = tile * ${QUADS}u + part * ${32 * ROWS}u;
  let first = part_first + lane;
  let is_last = tile == params.all_tiles - 1u;
#if VECTORS
#repeat k ROWS
#repeat v WORDS
  var raw${k}_$v = input_vector(in_block(first + ${32 * k}u), ${v}u);
#end
#end
#if IN_SHIFT
  // The vector that follows the part's in memory.
#if REVERSE
  let beyond_at = in_block(part_first) + ${WORDS}u;
#else
  let beyond_at = in_block(part_first + ${32 * ROWS}u);
#endif
  var beyond = input_vector(beyond_at, 0u);
#endif
#if REST
  // The input ends in this tile's vectors, or in the one beyond.
#if REVERSE
  if (tile == 0u) {
    beyond = select(beyond, input_rest(), beyond_at > params.in_last);
  }
#else
  if (tile + 2u >= params.all_tiles) {
    let rest = input_rest();
#repeat k ROWS
#repeat v WORDS
    raw${k}_$v = select(raw${k}_$v, rest, in_block(first + ${32 * k}u) + ${v}u > params.in_last);
#end
#end
#if IN_SHIFT
    beyond = select(beyond, rest, beyond_at > params.in_last);
#endif
  }
#endif
#endif
#repeat k ROWS
#if IN_SHIFT
#if REVERSE
#if k
  let next$k = from_next(raw${k}_0, raw${k - 1}_0, lane);
#else
  let next$k = from_next(raw${k}_0, beyond, lane);
#endif
#else
#if k + 1 < ROWS
  let next$k = from_next(raw${k}_0, raw${k + 1}_0, lane);
#else
  let next$k = from_next(raw${k}_0, beyond, lane);
#endif
#endif
#repeat v WORDS
#if v + 1 < WORDS
  let in${k}_$v = from_word_${IN_SHIFT}(raw${k}_$v, raw${k}_${v + 1});
#else
  let in${k}_$v = from_word_${IN_SHIFT}(raw${k}_$v, next$k);
#endif
#end
#else
#repeat v WORDS
  let in${k}_$v = raw${k}_$v;
#end
#endif
#end
#repeat k ROWS
#repeat j 4
#if HALF_OUTPUT
  var p${k}_${j + REVERSE * (3 - 2 * j)} = lift(in${k}_0[${j / 2}] >> ${j % 2 * 16}u);
#else
  var p${k}_${j + REVERSE * (3 - 2 * j)} = element(
#repeat w WORDS
      in${k}_${(j * WORDS + w) / 4}[${(j * WORDS + w) % 4}],
#end
  );
#endif
#end
#end
  if (is_last) {
#repeat k ROWS
#repeat j 4
    p${k}_$j = choose(p${k}_$j, absent(), (first + ${32 * k}u) * 4u + ${j}u >= params.count);
#end
#end
  }
#else
#repeat k ROWS
  let i$k = (first + ${32 * k}u) * 4u;
#repeat j 4
  var p${k}_$j = load(i$k + ${j}u);
#end
#end
#endif
  let end_quad = (params.count - 1u) / 4u;  // the quad of the last element

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
  let t = tree32(choose(absent(), part_totals[min(lane, ${PARTS - 1}u)], lane < ${PARTS}u), lane);
  if (thread == 0u) { publish_tile(tile, t.total, tag); }
  if (part == 0u) {
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
      end_prefix = p${k}_0;
#repeat j 3
      end_prefix = choose(end_prefix, p${k}_${j + 1}, (params.count - 1u) % 4u > ${j}u);
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
      word${(4 * v + c) % WORDS}(r${k}_${(4 * v + c) / WORDS}),
#end
  );
#end
#endif
#if !OUT_SHIFT
#repeat v WORDS
  put(out_block(first + ${32 * k}u) + ${v}u, out${k}_$v);
#end
#endif
#end
#if OUT_SHIFT
#repeat k ROWS
  let at$k = out_block(first + ${32 * k}u);
  // The first vector has words of the quad before, unless that is not the part's.
#if k == REVERSE * (ROWS - 1)
  let previous$k = from_previous(out${k}_${WORDS - 1}, vec4<u32>(), lane);
  if (lane == first_lane) {
#repeat c 4 - OUT_SHIFT
    put_word(at$k, ${OUT_SHIFT + c}u, out${k}_0[$c]);
#end
  } else {
    put(at$k, from_word_${4 - OUT_SHIFT}(previous$k, out${k}_0));
  }
#else
#if REVERSE
  let previous$k = from_previous(out${k}_${WORDS - 1}, out${k + 1}_${WORDS - 1}, lane);
#else
  let previous$k = from_previous(out${k}_${WORDS - 1}, out${k - 1}_${WORDS - 1}, lane);
#endif
  put(at$k, from_word_${4 - OUT_SHIFT}(previous$k, out${k}_0));
#endif
#repeat v WORDS - 1
  put(at$k + ${v + 1}u, from_word_${4 - OUT_SHIFT}(out${k}_$v, out${k}_${v + 1}));
#end
#end
  // The last words of the part lie in the next part's first vector.
  if (lane == last_lane) {
#repeat c OUT_SHIFT
    put_word(at${(1 - REVERSE) * (ROWS - 1)} + ${WORDS}u, ${c}u,
             out${(1 - REVERSE) * (ROWS - 1)}_${WORDS - 1}[${4 - OUT_SHIFT + c}]);
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
  if (tile == 0u && thread == 0u) { store_initial(); }
#endif

  if (is_last && lane == 0u && end_quad >= first && end_quad - first < ${32 * ROWS}u) {
    store_total(combine(base, end_prefix));
  }
  end_run(tile, thread);
}
