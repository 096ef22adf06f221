// Totals of equal blocks, counted in one after the other by one invocation, as a binary counter:
// pending[b] is the total of an aligned run of 2^b blocks, for each bit b that is set in their number.
var<workgroup> pending: array<Element, 32>;

// Counts in block number `number`: equal runs merge, as digits carry.
fn count_in(number: u32, block_total: Element) {
  var total = block_total;
  var b = 0u;
  while (((number >> b) & 1u) != 0u) {
    total = combine(pending[b], total);
    b++;
  }
  pending[b] = total;
}

// What stands before block number `number`: `start`, then the runs before it, the largest first.
fn fold_pending(start: Element, number: u32) -> Element {
  var before = start;
  for (var b = 32u - countLeadingZeros(number); b > 0u; b--) {
    if (((number >> (b - 1u)) & 1u) != 0u) { before = combine(before, pending[b - 1u]); }
  }
  return before;
}
