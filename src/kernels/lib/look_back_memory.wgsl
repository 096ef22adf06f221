// What stands before a tile, by workgroup memory alone: for any subgroups or none. Tiles are counted in
// groups of 32 and blocks of 32 groups; the last tile of a group publishes the group's total, the
// last tile of a block the block's.
//
// The totals of the own group's tiles, the own block's groups and the blocks, 32 each, as three
// balanced trees (lib/upsweep.wgsl tells how a tree lies in its array).
var<workgroup> totals_before: array<Element, 96>;

// The total of 32 values of which the last is `own`, given the tree of the others at `at`.
fn total_with(at: u32, own: Element) -> Element {
  let last_pair = combine(totals_before[at + 30u], own);
  let last_four = combine(totals_before[at + 29u], last_pair);
  let last_eight = combine(totals_before[at + 27u], last_four);
  return combine(totals_before[at + 15u],
                 combine(totals_before[at + 23u], last_eight));
}

// `start`, then the totals of the aligned blocks before entry `index`, the largest first.
fn fold_tree(start: Element, at: u32, index: u32) -> Element {
  var before = start;
  for (var size = 16u; size > 0u; size >>= 1u) {
    if ((index & size) != 0u) {
      before = combine(before, totals_before[at + (index & ~(2u * size - 1u)) + size - 1u]);
    }
  }
  return before;
}

// `total` is the tile's own. Starts and ends with every entry visible to the whole workgroup.
fn look_back(tile: u32, tag: u32, thread: u32, total: Element) -> Element {
  let j = tile % 32u;
  let group = tile / 32u;
  let in_block = group % 32u;
  let block = group / 32u;
  for (var k = thread; k < 96u; k += ${WORKGROUP}u) {
    let i = k % 32u;
    var slot = tile_slot(group * 32u + i);
    var stands_before = i < j;
    if (k >= 64u) {
      slot = block_slot(i);
      stands_before = i < block;
    } else if (k >= 32u) {
      slot = group_slot(block * 32u + i);
      stands_before = i < in_block;
    }
    var x = absent();
    if (stands_before) { x = await_value(slot, tag); }
    totals_before[k] = x;
  }
  for (var size = 1u; size < 32u; size <<= 1u) {
    workgroupBarrier();  // the level below is complete
    for (var pair = thread; pair < 48u / size; pair += ${WORKGROUP}u) {
      let right = (2u * pair + 2u) * size - 1u;
      totals_before[right] = combine(totals_before[right - size], totals_before[right]);
    }
  }
  workgroupBarrier();  // the roots are complete
  if (thread == 0u && j == 31u) {
    let group_total = total_with(0u, total);
    publish(group_slot(group), group_total, tag);
    if (in_block == 31u) { publish(block_slot(block), total_with(32u, group_total), tag); }
  }
  return fold_tree(fold_tree(fold_tree(initial(), 64u, block), 32u, in_block), 0u, j);
}
