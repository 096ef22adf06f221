// What stands before a tile. Tiles are counted in groups of 32 and blocks of 32 groups. The last tile
// of a group publishes the group's total, the last of a block the block's, the first of a block what
// stands before it. A group's total arrives later than its tiles' totals, so the last ${DIRECT} groups
// are read tile by tile.
//
// Every 32 invocations do one job: 32 descriptors, of which those not needed are absent.
//   0        the tiles of the tile's own group
//   1, 2     the groups of the own block, and of the block before it
//   3        what stands before the own block; near its start, the blocks before the last one
//   4 ..     one of the last ${DIRECT} groups each, tile by tile
var<workgroup> own_tree: array<Element, 160>;      // of the own group's tiles: level b at 32 * b
var<workgroup> group_totals: array<Element, 64>;  // of the block before, then of the own one
var<workgroup> block_totals: array<Element, 32>;

fn look_back(tile: u32, tag: u32, thread: u32, lane: u32) -> Element {
  let j = tile % 32u;
  let group = tile / 32u;
  let in_block = group % 32u;
  let block = group / 32u;
  // The first tile of a block published what stands before it some ${DIRECT} groups ago.
  let base_is_known = in_block > ${DIRECT}u;

  for (var job = thread / 32u; job < ${JOBS}u; job += ${WORKGROUP / 32}u) {
    if (job == 0u) {
      // The tile's own total is among them where it completes the group.
      var value = absent();
      if (lane < j || j == 31u) { value = await_value(tile_slot(group * 32u + lane), tag); }
      let t = tree32(value, lane);
      own_tree[lane] = t.ones;
      own_tree[32u + lane] = t.twos;
      own_tree[64u + lane] = t.fours;
      own_tree[96u + lane] = t.eights;
      own_tree[128u + lane] = t.sixteens;
      if (j == 31u && lane == 0u) {
        publish(group_slot(group), t.total, tag);
        group_totals[32u + in_block] = t.total;
      }
    } else if (job <= 2u) {
      // Those of the last ${DIRECT} have jobs of their own.
      let first = (block + 1u - job) * 32u;
      if (block + 1u >= job && (job == 1u || !base_is_known) &&
          first + lane + ${DIRECT}u < group) {
        group_totals[(2u - job) * 32u + lane] = await_value(group_slot(first + lane), tag);
      }
    } else if (job == 3u) {
      if (base_is_known) {
        if (lane == 0u && block > 0u) { block_totals[0] = await_value(base_slot(block), tag); }
      } else {
        var value = absent();
        if (lane + 1u < block) { value = await_value(block_slot(lane), tag); }
        block_totals[lane] = value;
      }
    } else {
      let back = job - 3u;
      if (group >= back && (back <= in_block || !base_is_known)) {
        let value = await_value(tile_slot((group - back) * 32u + lane), tag);
        let whole = total32(value, lane);
        if (lane == 0u) { group_totals[32u + in_block - back] = whole; }
      }
    }
  }
  workgroupBarrier();  // all that stands before the tile is known

  var before = initial();
  if (block > 0u) {
    if (base_is_known) {
      before = block_totals[0];
    } else {
      let previous = total32(group_totals[lane], lane);
      let value = choose(block_totals[lane], previous, lane == block - 1u);
      before = fold_before(before, value, lane, block);
      if (in_block == 0u && j == 0u && thread == 0u) { publish(base_slot(block), before, tag); }
    }
  }
  let groups = group_totals[32u + lane];
  before = fold_before(before, groups, lane, in_block);
  if ((j & 16u) != 0u) { before = combine(before, own_tree[128u + (j & ~15u) - 1u]); }
  if ((j & 8u) != 0u) { before = combine(before, own_tree[96u + (j & ~7u) - 1u]); }
  if ((j & 4u) != 0u) { before = combine(before, own_tree[64u + (j & ~3u) - 1u]); }
  if ((j & 2u) != 0u) { before = combine(before, own_tree[32u + (j & ~1u) - 1u]); }
  if ((j & 1u) != 0u) { before = combine(before, own_tree[0u + (j & ~0u) - 1u]); }
  if (j == 31u && in_block == 31u && thread < 32u) {
    let whole = total32(groups, lane);
    if (lane == 0u) { publish(block_slot(block), whole, tag); }
  }
  return before;
}
