// What stands before a tile among the 32 of its group, as totals of aligned blocks. Of 32 values at
// index i, what stands before i are the totals of at most five aligned blocks, of 16, 8, 4, 2 and 1
// values: one for each bit that is set in i.
var<workgroup> before_tile: array<Element, 5>;  // the largest blocks first

// Keeps the total of the aligned block of `size` values that ends where index's own block of that
// size begins; absent where the bit is not set.
fn keep_block(block_total: Element, lane: u32, index: u32, size: u32, at: u32) {
  let is_set = (index & size) != 0u;
  let end = select(0u, (index & ~(size - 1u)) - 1u, is_set);
  if (lane == end) { before_tile[at] = choose(absent(), block_total, is_set); }
}

fn keep_before(t: Tree32, lane: u32, index: u32) {
  keep_block(t.sixteens, lane, index, 16u, 0u);
  keep_block(t.eights, lane, index, 8u, 1u);
  keep_block(t.fours, lane, index, 4u, 2u);
  keep_block(t.twos, lane, index, 2u, 3u);
  keep_block(t.ones, lane, index, 1u, 4u);
}

// `start`, then all that was kept.
fn fold_kept(start: Element) -> Element {
  var before = start;
#repeat b 5
  before = combine(before, before_tile[$b]);
#end
  return before;
}
