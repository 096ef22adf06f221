// What stands before a tile. Tiles are counted in groups of 32 and blocks of 32 groups. The last tile
// of a group publishes the group's total, the last tile of a block the block's. Those arrive later
// than their tiles' totals, so the last ${DIRECT} groups are totalled tile by tile.
//
// Every subgroup gathers 32 descriptors, all at the same time, so that the tile waits only once.
#import lib/before_tile.wgsl

var<workgroup> block_totals: array<Element, 32>;
var<workgroup> group_totals: array<Element, 64>;  // of the block before, of the own block
var<workgroup> own_group: Element;                // total of the group that the tile completes
var<workgroup> before_tile: Element;

// What a subgroup waits for, one descriptor a lane.
struct Wanted {
  slot: u32,
  is_wanted: bool,
}

fn wanted(job: u32, tile: u32, lane: u32, is_late: bool) -> Wanted {
  let group = tile / 32u;
  let in_block = group % 32u;
  let block = group / 32u;
  switch job {
    case 0u: {  // the tiles of the own group, all of them where the tile completes it
      return Wanted(tile_slot(group * 32u + lane), lane < tile % 32u || tile % 32u == 31u);
    }
    case 1u: {  // the groups of the own block
      return Wanted(group_slot(block * 32u + lane), lane + ${DIRECT}u < in_block);
    }
    case 2u: {  // the groups of the block before
      return Wanted(group_slot(block * 32u - 32u + lane),
                    is_late && lane + ${DIRECT}u < in_block + 32u);
    }
    case 3u: {  // the blocks
      return Wanted(block_slot(lane), lane + select(0u, 1u, is_late) < block);
    }
    default: {  // the tiles of one of the groups before the own one
      let back = job - 3u;
      return Wanted(tile_slot((group - back) * 32u + lane), back <= min(group, ${DIRECT}u));
    }
  }
}

fn look_back(tile: u32, tag: u32, thread: u32, lane: u32) -> Element {
  let job = thread / 32u;
  let group = tile / 32u;
  let in_block = group % 32u;
  let block = group / 32u;
  // A block's total is late for the tiles that follow it: they total its groups themselves.
  let is_late = block > 0u && in_block < ${2 + DIRECT}u;
  let want = wanted(job, tile, lane, is_late);
  var x = absent();
  if (want.is_wanted) { x = await_value(want.slot, tag); }
  let t = tree32(x);

  // Groups that are read tile by tile are not waited for otherwise.
  if (job == 1u && lane + ${DIRECT}u < in_block) { group_totals[32u + lane] = x; }
  if (job == 2u && want.is_wanted) { group_totals[lane] = x; }
  if (job == 3u) { block_totals[lane] = x; }
  if (job > 3u && want.is_wanted && lane == 0u) { group_totals[35u + in_block - job] = t.total; }
  if (job == 0u || job == 3u) {
    keep_before(t, lane, select(tile % 32u, block, job == 3u), job / 3u);
  }
  let ends_group = tile % 32u == 31u;
  if (job == 0u && lane == 0u && ends_group) {
    publish(group_slot(group), t.total, tag);
    own_group = t.total;
  }
  workgroupBarrier();  // all that stands before the tile is known

  // One subgroup folds it: the others would only keep it from computing.
  let is_first = job == 0u;
  if (is_first) {
    var before = initial();
    if (is_late) {
      let last = from_lane(total32(group_totals[lane]), 0u);
      before = fold_before(before, choose(block_totals[lane], last, lane + 1u == block), block);
    } else {
      before = fold_kept(before, 1u);
    }
    let groups = choose(absent(), group_totals[32u + lane], lane < in_block);
    before = fold_before(before, groups, in_block);
    if (lane == 0u) { before_tile = fold_kept(before, 0u); }
    if (ends_group && in_block == 31u) {
      let total = total32(choose(groups, own_group, lane == 31u));
      if (lane == 0u) { publish(block_slot(block), total, tag); }
    }
  }
  workgroupBarrier();  // it is folded
  return before_tile;
}
