// A selection that decides each element once and writes it at once. Tiles are drawn from a ticket, so
// that a tile waits only for tiles that have started before it; each one publishes how many it
// selects before it looks back.
//
// Here a subgroup has 32 lanes and takes ${ROWS} rows of 32 elements. Lane r holds the mask of row r:
// a bit for each element. So what lives across the look-back is one word a lane, ranks are counts of
// bits, and the selected elements of a row go to neighbouring words in one store.
#import lib/select_params.wgsl
#import lib/spine.wgsl
#import lib/subgroup32.wgsl
#import lib/look_back_count.wgsl
#import lib/rounded.wgsl
#if FLAG_BYTES
#import lib/flag_bytes.wgsl
#endif
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;
#if MASKS_OUT
// For partition, whose first step this is: the masks, and what is selected before each 1,024
// elements; behind those the total.
@group(0) @binding(4) var<storage, read_write> masks: array<u32>;
@group(0) @binding(5) var<storage, read_write> chunk_bases: array<u32>;
#endif

var<workgroup> part_totals: array<u32, ${PARTS}>;

fn absent() -> Element { return 0u; }

fn has_room(to: u32) -> bool {
#if CAPPED
  return to < params.capacity + ${ROOM_BEHIND}u;
#else
  return true;
#endif
}

fn ballot(condition: bool) -> u32 { return subgroupBallot(condition).x; }

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32,
        @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) width: u32) {
  let part = thread / 32u;
  expect_width_32(width);
  let draw = draw_tile(workgroup.x, thread);
  let tile = tile_of(draw);
  let tag = tag_of(draw);
#if GATE
  // The first tiles all start at once; holding the next ones back keeps memory busy while those wait.
  if (tile >= ${GATE}u && tile < ${GATE_END}u) {
    if (thread == 0u) { _ = await_word(tile_slot(tile - ${GATE}u), 20u, 0x800u | (tag & 0x7ffu)); }
    workgroupBarrier();  // the gate is open
  }
#endif

  let first = tile * ${TILE}u + part * ${32 * ROWS}u;  // of the part
  let last = max(extent.count, 1u) - 1u;
  var mask = 0u;
#if BALLOTS
  // A row's mask is what all lanes say of their element.
#if HOLD
#repeat k ROWS
  let v$k = load_value(min(first + ${32 * k}u + lane, last));
#end
#if HEADS
  // The element before a lane's is the lane before's; before lane 0's, lane 31's of the row before.
  let r0 = shuffle(v0, (lane + 31u) & 31u);
  let p0 = select(r0, load_value(max(min(first, last), 1u) - 1u), lane == 0u);
#repeat k ROWS - 1
  let r${k + 1} = shuffle(v${k + 1}, (lane + 31u) & 31u);
  let p${k + 1} = select(r${k + 1}, r$k, lane == 0u);
#end
#endif
#endif
#repeat k ROWS
  {
    let i = first + ${32 * k}u + lane;
#if HOLD
#if HEADS
    let is_selected = v$k != p$k;
#else
    let is_selected = is_selected_value(min(i, last), v$k);
#endif
#else
    let is_selected = class_of(min(i, last)) == 0u;
#endif
    let row = ballot(is_selected);
    mask = select(mask, row, lane == ${k}u);
  }
#end
#if HOLD * HEADS
  if (first + lane == 0u) { mask |= 1u; }
#endif
  let row = first + lane * 32u;
#else
  let row = first + lane * 32u;
  if (lane < ${ROWS}u) {
#if FLAG_BYTES
    mask = row_of_flags(row, tile == extent.tiles - 1u);
#else
    mask = source_0[params.offsets[0][0] + min(row, last) / 32u];
#endif
  }
#endif
  // What is past the end has repeated the last element.
  let left = select(0u, extent.count - row, row < extent.count);
  if (left < 32u) { mask &= (1u << left) - 1u; }

  // Ranks: rows in the part, parts in the tile.
  let count = countOneBits(mask);
  let rows = row_scan(count, lane);
  if (lane == 31u) { part_totals[part] = rows; }
  workgroupBarrier();  // all parts are counted
  let parts = select(0u, part_totals[min(lane, ${PARTS - 1}u)], lane < ${PARTS}u);
  let up_to_part = row_scan(parts, lane);
  let total = shuffle(up_to_part, 31u);
  let before_part = shuffle(up_to_part - parts, part);
  if (part == 0u) { publish_count(tile, total, tag, lane); }
  let before = look_back(tile, tag, part, lane);
  let base = before + before_part;
  if (tile == extent.tiles - 1u && thread == 0u) {
    counts[params.counts_at] = before + total;
#if MASKS_OUT
    chunk_bases[params.all_tiles * ${PARTS}u] = before + total;
#endif
  }

#if MASKS_OUT
  masks[first / 32u + lane] = mask;
  if (lane == 0u) { chunk_bases[tile * ${PARTS}u + part] = base; }
#else
  let before_row = base + rows - count;
  let bit = 1u << lane;
#if HOLD
#repeat k ROWS
  {
    let row_mask = shuffle(mask, ${k}u);
    let to = shuffle(before_row, ${k}u) + countOneBits(row_mask & (bit - 1u));
    if ((row_mask & bit) != 0u && has_room(to)) {
      store_value(to, v$k);
      store_others(to, first + ${32 * k}u + lane);
    }
  }
#end
#else
  for (var r = 0u; r < ${ROWS}u; r += ${CHUNK}u) {
#if VALUE
    // A shuffle with itself, for which all lanes must be there: a compiler would else move each load
    // into the branch that stores its value, where one waits for the other.
#repeat k CHUNK
    let v$k = shuffle(load_value(min(first + (r + ${k}u) * 32u + lane, last)), lane);
#end
#endif
#repeat k CHUNK
    {
      let row_mask = shuffle(mask, r + ${k}u);
      let to = shuffle(before_row, r + ${k}u) + countOneBits(row_mask & (bit - 1u));
      if ((row_mask & bit) != 0u && has_room(to)) {
#if VALUE
        store_value(to, v$k);
#endif
        store_others(to, first + (r + ${k}u) * 32u + lane);
      }
    }
#end
  }
#endif
#endif
  end_run(tile, thread);
}
