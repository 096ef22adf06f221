// Balanced trees over `sums`, in place, after Blelloch 1990. After upsweep(count), count a power of
// two up to ${TREE}, sums[count - 1] is the total and sums[first + size - 1] the total of every
// aligned block [first, first + size) that is a left child: all that left_fold() needs.
// Starts and ends with every entry visible to the whole workgroup.
var<workgroup> sums: array<Element, ${TREE}>;

fn upsweep(thread: u32, count: u32) {
  for (var size = 1u; size < count; size <<= 1u) {
    workgroupBarrier();  // the level below is complete
    for (var pair = thread; pair < count / (2u * size); pair += ${WORKGROUP}u) {
      let right = (2u * pair + 2u) * size - 1u;
      sums[right] = combine(sums[right - size], sums[right]);
    }
  }
  workgroupBarrier();  // the root is complete
}

// What stands before entry `index`: `start`, then the totals of the aligned blocks before it, the
// largest first, folded from the left (Blelloch's downsweep, one path of it).
fn left_fold(start: Element, index: u32, count: u32) -> Element {
  var before = start;
  for (var size = count / 2u; size > 0u; size >>= 1u) {
    if ((index & size) != 0u) {
      let first = index & ~(2u * size - 1u);
      before = combine(before, sums[first + size - 1u]);
    }
  }
  return before;
}
