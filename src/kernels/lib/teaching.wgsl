// What the teaching forms share: one workgroup, one element an invocation.
#import lib/params.wgsl
#import lib/input.wgsl
#import lib/output.wgsl
#if TRACE
#import lib/trace.wgsl
#endif
@group(0) @binding(3) var<storage, read_write> total: array<Result>;
#if COUNT

// For tests: one invocation counts what the workgroup does, as combine() counts its calls.
var<private> counting: bool;
fn count_step() {
  if (counting) { atomicAdd(&counters[1], 1u); }
}
fn count_barrier() {
  if (counting) { atomicAdd(&counters[2], 1u); }
}
#endif

// Takes the inclusive prefix of element i, without the initial value, and stores what was asked for.
fn finish(i: u32, inclusive: Element) {
  if (i >= params.count) { return; }
  var value = inclusive;
#if HAS_INITIAL
  value = combine_uncounted(initial(), inclusive);
#endif
  if (i == params.count - 1u) { total[0] = lower(value); }
#if EXCLUSIVE
  store(i + 1u, value);
  if (i == 0u) { store(0u, initial()); }
#else
  store(i, value);
#endif
#if INCLUDE_INITIAL
  if (i == 0u) { store_initial(); }
#endif
}
