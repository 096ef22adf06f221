// Trees over 32 values, one a lane, by shuffles among the 32 lanes of a subgroup. Below, `lane` is the
// number of a lane's value.
#if PAIRED_LANES
// Lanes 2 i and 2 i + 1 hold values i and i + 16: lib/vector_io.wgsl says why.
fn lane_of(value: u32) -> u32 { return ((value & 15u) << 1u) | (value >> 4u); }
fn value_of(lane: u32) -> u32 { return (lane >> 1u) | ((lane & 1u) << 4u); }
fn from_other_half(x: Element, half: u32) -> Element {
  return shuffle_xor(x, select(half << 1u, 1u, half == 16u));
}
#else
fn lane_of(value: u32) -> u32 { return value; }
fn value_of(lane: u32) -> u32 { return lane; }
fn from_other_half(x: Element, half: u32) -> Element { return shuffle_xor(x, half); }
#endif
fn from_lane(x: Element, lane: u32) -> Element { return shuffle(x, lane_of(lane)); }
// The value before each one; of the first, anything.
fn from_previous_lane(x: Element, lane: u32) -> Element {
#if PAIRED_LANES
  return shuffle(x, lane_of((lane + 31u) % 32u));
#else
  return shuffle_up(x, 1u);
#endif
}

// One level of a balanced tree: in the first lane of each aligned block of 2 * half lanes its total, where
// the first lanes of blocks of `half` lanes hold theirs.
fn pair_up(x: Element, half: u32) -> Element { return combine(x, from_other_half(x, half)); }

// In lane 0.
fn total32(x: Element) -> Element {
  return pair_up(pair_up(pair_up(pair_up(pair_up(x, 1u), 2u), 4u), 8u), 16u);
}

// The levels of a balanced tree over 32 values, one a lane: the first lane of each aligned block of 1, 2,
// 4, 8, 16 and 32 lanes holds its total.
struct Tree32 {
  ones: Element,
  twos: Element,
  fours: Element,
  eights: Element,
  sixteens: Element,
  total: Element,
}

fn tree32(x: Element) -> Tree32 {
  let twos = pair_up(x, 1u);
  let fours = pair_up(twos, 2u);
  let eights = pair_up(fours, 4u);
  let sixteens = pair_up(eights, 8u);
  return Tree32(x, twos, fours, eights, sixteens, pair_up(sixteens, 16u));
}

// The total of the aligned block of `size` lanes that ends before lane `index`'s own block of that
// size; absent where `index` does not have that bit.
fn left_sibling(block_total: Element, index: u32, size: u32) -> Element {
  let total = from_lane(block_total, index & ~(2u * size - 1u));
  return choose(absent(), total, (index & size) != 0u);
}

// What stands before entry `index` of 32, one entry a lane: `start`, then the totals of the aligned
// blocks before the entry, the largest first, folded from the left. The same index in all lanes.
fn fold_before(start: Element, x: Element, index: u32) -> Element {
  let t = tree32(x);
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
  let last = from_lane(x, (lane & ~(2u * half - 1u)) + half - 1u);
  return choose(x, combine(last, x), (lane & half) != 0u);
}

// One level of several trees at once: each lane pairs up the row that it keeps.
fn merge_rows(even: Element, odd: Element, lane: u32, half: u32) -> Element {
  let keeps_odd = (lane & half) != 0u;
  let got = from_other_half(choose(odd, even, keeps_odd), half);
#if COMMUTATIVE
  return combine(choose(even, odd, keeps_odd), got);
#else
  return combine(choose(even, got, keeps_odd), choose(got, odd, keeps_odd));
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
