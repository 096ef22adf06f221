// What stands before a tile, for operators to which the order makes no difference: lib/look_back.wgsl
// without its trees. The first tile of a block publishes what stands before the block. That too is late
// for the tiles that follow: they read the groups of the block before.
//
// Subgroups 0 to ${2 + DIRECT} gather 32 descriptors each, all at the same time.
var<workgroup> before_parts: array<Element, ${3 + DIRECT}>;

fn look_back(tile: u32, tile_total: Element, tag: u32, job: u32, lane: u32) -> Element {
  let in_group = tile % 32u;
  let group = tile / 32u;
  let in_block = group % 32u;
  let block = group / 32u;
  if (job < ${3 + DIRECT}u) {
    var slot = tile_slot(group * 32u + lane);  // the tiles of the own group
    var is_wanted = lane < in_group;
    if (job == 0u) {
      if (lane == 31u) {  // and what stands before the block before
        slot = block_slot(block - 1u);
        is_wanted = block > 1u;
      }
    } else if (job == 1u) {  // the groups of the own block
      slot = group_slot(block * 32u + lane);
      is_wanted = lane + ${DIRECT}u < in_block;
    } else if (job == 2u) {  // the groups of the block before
      slot = group_slot(block * 32u - 32u + lane);
      is_wanted = block > 0u && lane + ${DIRECT}u < in_block + 32u;
    } else {  // the tiles of one of the groups before the own one
      let back = job - 2u;
      slot = tile_slot((group - back) * 32u + lane);
      is_wanted = back <= group;
    }
    var x = absent();
    if (is_wanted) { x = await_value(slot, tag); }
    let sum = total32(x);
    if (lane == 0u) { before_parts[job] = sum; }
    if (in_group == 31u) {
      let total = total32(choose(x, tile_total, lane == 31u));
      if (job == 0u && lane == 0u) { publish(group_slot(group), total, tag); }
    }
  }
  workgroupBarrier();  // all that stands before the tile is known
  var before = before_parts[0];
#repeat job 2 + DIRECT
  before = combine(before, before_parts[${job + 1}]);
#end
  if (tile % 1024u == 0u && block > 0u && job == 0u && lane == 0u) {
    publish(block_slot(block), before, tag);
  }
  return combine(initial(), before);
}
