// A scan by the subgroup builtin, in one workgroup: each subgroup scans its values in one call, then
// every invocation adds the totals of the subgroups before its own. Any subgroup width. Which
// invocations form a subgroup is the device's affair, so each one draws its place from a ticket.
#import lib/teaching.wgsl

var<workgroup> ticket: atomic<u32>;
var<workgroup> subgroup_totals: array<Element, ${WORKGROUP}>;

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(local_invocation_index) thread: u32,
        @builtin(subgroup_invocation_id) lane: u32,
        @builtin(subgroup_size) width: u32) {
#if COUNT
  counting = thread == 0u;
#endif
  // Not every driver zeroes workgroup memory, as WGSL says it must.
  if (thread == 0u) { atomicStore(&ticket, 0u); }
  workgroupBarrier();  // the ticket is zero
  var drawn = 0u;
  if (lane == 0u) { drawn = atomicAdd(&ticket, 1u); }
  let mine = subgroupAdd(drawn);  // what lane 0 drew, to all
  let i = mine * width + lane;
#if COUNT
  count_step();  // the call
#endif
#if MUL
  var value = subgroupInclusiveMul(load(i));
#else
  var value = subgroupInclusiveAdd(load(i));
#endif
#if TRACE
  trace_element(0u, i, load(i));
  trace_element(1u, i, value);
#endif
  if (lane == width - 1u) { subgroup_totals[mine] = value; }
  workgroupBarrier();  // all totals are written
#if COUNT
  count_step();  // the totals
#endif
  if (mine > 0u && i < params.count) {
    var before = subgroup_totals[0];
    for (var s = 1u; s < mine; s++) { before = combine(before, subgroup_totals[s]); }
    value = combine(before, value);
  }
#if TRACE
  trace_element(2u, i, value);
#endif
  finish(i, value);
}
