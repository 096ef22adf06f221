// What stands before one of 32 values, as totals of aligned blocks: before index i at most five, of
// 16, 8, 4, 2 and 1 values, one for each bit that is set in i. Room for ${KEPT} such lists, each with
// the largest blocks first.
var<workgroup> kept_blocks: array<Element, ${5 * KEPT}>;

// Keeps the total of the aligned block of `size` values that ends where index's own block of that
// size begins; absent where the bit is not set.
fn keep_block(block_total: Element, lane: u32, index: u32, size: u32, at: u32) {
  let is_set = (index & size) != 0u;
  if (lane == (index & ~(2u * size - 1u))) { kept_blocks[at] = choose(absent(), block_total, is_set); }
}

fn keep_before(t: Tree32, lane: u32, index: u32, list: u32) {
  let at = list * 5u;
  keep_block(t.sixteens, lane, index, 16u, at);
  keep_block(t.eights, lane, index, 8u, at + 1u);
  keep_block(t.fours, lane, index, 4u, at + 2u);
  keep_block(t.twos, lane, index, 2u, at + 3u);
  keep_block(t.ones, lane, index, 1u, at + 4u);
}

// `start`, then all of a list.
fn fold_kept(start: Element, list: u32) -> Element {
  var before = start;
#repeat b 5
  before = combine(before, kept_blocks[list * 5u + ${b}u]);
#end
  return before;
}
