// Balanced trees over `sums`, in place and by eights: one barrier for three levels. After
// total_blocks(count) the first entry of every aligned block of 8^k entries that lies below `count` as
// a whole, and in no larger such block, holds the block's total. That is what block() needs.
var<workgroup> sums: array<Element, ${SLOTS}>;

// Entries eight apart lie in different banks of the memory.
fn slot(entry: u32) -> u32 { return entry + entry / 8u; }

fn total_of_2(first: u32, step: u32) -> Element {
  return combine(sums[slot(first)], sums[slot(first + step)]);
}

fn total_of_4(first: u32, step: u32) -> Element {
  return combine(total_of_2(first, step), total_of_2(first + 2u * step, step));
}

// Starts and ends with every entry visible to the whole workgroup.
fn total_blocks(thread: u32, count: u32) {
  for (var step = 1u; 8u * step <= count; step *= 8u) {
    workgroupBarrier();  // the level below is complete
    for (var first = thread * 8u * step; first + 8u * step <= count;
         first += ${8 * WORKGROUP}u * step) {
      sums[slot(first)] = combine(total_of_4(first, step), total_of_4(first + 4u * step, step));
    }
  }
  workgroupBarrier();  // all blocks are complete
}

// The aligned block of 2^bit entries that ends where the bits of `count` from `bit` on end.
fn block(count: u32, bit: u32) -> Element {
  let first = ((count >> bit) << bit) - (1u << bit);
  let step = 1u << (bit / 3u * 3u);
  switch bit % 3u {
    case 0u: { return sums[slot(first)]; }
    case 1u: { return total_of_2(first, step); }
    default: { return total_of_4(first, step); }
  }
}
