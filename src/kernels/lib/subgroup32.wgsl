// Trees over 32 values, one a lane, by shuffles among the 32 lanes of a subgroup.

// One level of a balanced tree: the total of the aligned block of 2 * half lanes around this lane.
fn pair_up(x: Element, lane: u32, half: u32) -> Element {
  let other = shuffle_xor(x, half);
#if COMMUTATIVE
  return combine(x, other);
#else
  return choose(combine(x, other), combine(other, x), (lane & half) != 0u);
#endif
}

fn total32(x: Element, lane: u32) -> Element {
  let pairs = pair_up(x, lane, 1u);
  let fours = pair_up(pairs, lane, 2u);
  let eights = pair_up(fours, lane, 4u);
  return pair_up(pair_up(eights, lane, 8u), lane, 16u);
}

// The levels of a balanced tree over 32 values, one a lane: each lane holds the total of its aligned
// block of 1, 2, 4, 8, 16 and 32 lanes.
struct Tree32 {
  ones: Element,
  twos: Element,
  fours: Element,
  eights: Element,
  sixteens: Element,
  total: Element,
}

fn tree32(x: Element, lane: u32) -> Tree32 {
  let twos = pair_up(x, lane, 1u);
  let fours = pair_up(twos, lane, 2u);
  let eights = pair_up(fours, lane, 4u);
  let sixteens = pair_up(eights, lane, 8u);
  return Tree32(x, twos, fours, eights, sixteens, pair_up(sixteens, lane, 16u));
}

// The total of the aligned block of `size` lanes that ends before lane `index`'s own block of that
// size, given that every lane holds its block's total; absent where `index` does not have that bit.
fn left_sibling(block_total: Element, index: u32, size: u32) -> Element {
  let end = index & ~(size - 1u);
  let total = shuffle(block_total, max(end, 1u) - 1u);
  return choose(absent(), total, (index & size) != 0u);
}

// What stands before entry `index` of 32, one entry a lane: `start`, then the totals of the aligned
// blocks before the entry, the largest first, folded from the left. The same index in all lanes.
fn fold_before(start: Element, x: Element, lane: u32, index: u32) -> Element {
  let t = tree32(x, lane);
  let before16 = left_sibling(t.sixteens, index, 16u);
  let before8 = left_sibling(t.eights, index, 8u);
  let before4 = left_sibling(t.fours, index, 4u);
  let before2 = left_sibling(t.twos, index, 2u);
  let before1 = left_sibling(t.ones, index, 1u);
  return combine(combine(combine(combine(combine(start, before16), before8), before4), before2),
                 before1);
}

// One step of Sklansky's scan: lanes of an upper half add the last value of the lower half.
fn sklansky_step(x: Element, lane: u32, half: u32) -> Element {
  let last = shuffle(x, (lane & ~(2u * half - 1u)) + half - 1u);
  return choose(x, combine(last, x), (lane & half) != 0u);
}

// One level of several trees at once: each lane pairs up the row that it keeps.
fn merge_rows(even: Element, odd: Element, lane: u32, half: u32) -> Element {
  let keeps_odd = (lane & half) != 0u;
  let kept = choose(even, odd, keeps_odd);
  let got = shuffle_xor(choose(odd, even, keeps_odd), half);
#if COMMUTATIVE
  return combine(kept, got);
#else
  return choose(combine(kept, got), combine(got, kept), keeps_odd);
#endif
}

// Sklansky's inclusive scan over the 32 lanes.
fn row_scan(x: Element, lane: u32) -> Element {
  var y = sklansky_step(x, lane, 1u);
  y = sklansky_step(y, lane, 2u);
  y = sklansky_step(y, lane, 4u);
  y = sklansky_step(y, lane, 8u);
  return sklansky_step(y, lane, 16u);
}
