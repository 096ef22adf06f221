// What stands before a tile. Tiles are counted in groups of 32 and blocks of 32 groups. The last tile
// of a group publishes the group's total, the last tile of a block the block's. Those arrive later
// than their tiles' totals, so the last ${DIRECT} groups are totalled tile by tile.
//
// Three subgroups gather 32 descriptors each, at once: the tiles of the own group, the groups of the
// own block, the blocks. Of 32 values at index i, what stands before i are the totals of at most
// five aligned blocks, of 16, 8, 4, 2 and 1 values: one for each bit that is set in i.
var<workgroup> before_tile: array<Element, 15>;  // the largest blocks first

// Keeps the total of the aligned block of `size` values that ends where index's own block of that
// size begins; absent where the bit is not set.
fn keep_block(block_total: Element, lane: u32, index: u32, size: u32, at: u32) {
  let is_set = (index & size) != 0u;
  let end = select(0u, (index & ~(size - 1u)) - 1u, is_set);
  if (lane == end) { before_tile[at] = choose(absent(), block_total, is_set); }
}

// Keeps all five from `at` on; returns the total of the 32 values.
fn keep_before(x: Element, lane: u32, index: u32, at: u32) -> Element {
  let t = tree32(x, lane);
  keep_block(t.sixteens, lane, index, 16u, at);
  keep_block(t.eights, lane, index, 8u, at + 1u);
  keep_block(t.fours, lane, index, 4u, at + 2u);
  keep_block(t.twos, lane, index, 2u, at + 3u);
  keep_block(t.ones, lane, index, 1u, at + 4u);
  return t.total;
}

// The totals of the groups of a block, one a lane, as far as they stand before `group`.
fn groups_of(block: u32, group: u32, tag: u32, lane: u32) -> Element {
  let mine = block * 32u + lane;
#repeat k DIRECT
  var tile$k = absent();
  if (group >= ${k + 1}u && (group - ${k + 1}u) / 32u == block) {
    tile$k = await_value(tile_slot((group - ${k + 1}u) * 32u + lane), tag);
  }
#end
  var x = absent();
  if (mine + ${DIRECT}u < group) { x = await_value(group_slot(mine), tag); }
#repeat k DIRECT
  x = choose(x, total32(tile$k, lane), mine + ${k + 1}u == group);
#end
  return x;
}

fn look_back(tile: u32, tag: u32, thread: u32, lane: u32) -> Element {
  let job = thread / 32u;
  let j = tile % 32u;
  let group = tile / 32u;
  let in_block = group % 32u;
  let block = group / 32u;
  if (job == 0u) {
    // The tile's own total is among them where it completes the group.
    var x = absent();
    if (lane < j || j == 31u) { x = await_value(tile_slot(group * 32u + lane), tag); }
    let total = keep_before(x, lane, j, 10u);
    if (j == 31u && lane == 0u) { publish(group_slot(group), total, tag); }
  } else if (job <= 2u) {
    // A block's total is late for the tiles that follow it: they total it themselves. The last tile
    // of a block counts its own group in, for the block's total.
    let totals_last_block = block > 0u && in_block < ${2 + DIRECT}u;
    let ends_block = j == 31u && in_block == 31u;
    var x = absent();
    if (job == 1u || totals_last_block) {
      x = groups_of(block + 1u - job, group + select(0u, 1u, ends_block), tag, lane);
    }
    if (job == 2u) {
      let last_block = total32(x, lane);
      x = absent();
      if (lane < block) {
        if (totals_last_block && lane + 1u == block) {
          x = last_block;
        } else {
          x = await_value(block_slot(lane), tag);
        }
      }
    }
    let total = keep_before(x, lane, select(block, in_block, job == 1u), select(0u, 5u, job == 1u));
    if (ends_block && job == 1u && lane == 0u) { publish(block_slot(block), total, tag); }
  }
  workgroupBarrier();  // all that stands before the tile is known
  var before = initial();
#repeat b 15
  before = combine(before, before_tile[$b]);
#end
  return before;
}
