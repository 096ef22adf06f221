// Blelloch 1990, work-efficient, in one workgroup: an upsweep builds a balanced tree of totals in
// place, a downsweep hands every node what stands before it. Nodes past the end do nothing.
#import lib/teaching.wgsl

var<workgroup> values: array<Element, ${WORKGROUP}>;
var<workgroup> whole: Element;

#if TRACE
// Writes down step number `step`; what comes next may change the values once all are written.
fn trace_values(step: u32, i: u32) -> u32 {
  trace_element(step, i, values[i]);
  workgroupBarrier();  // all are written down
  return step + 1u;
}
#endif

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(local_invocation_index) i: u32) {
#if COUNT
  counting = i == 0u;
#endif
  values[i] = load(i);
#if TRACE
  var traced = 0u;  // steps
#endif

  // Upsweep: size is that of a child; a node adds its left child's total to its right child's.
  for (var size = 1u; size < ${WORKGROUP}u; size <<= 1u) {
#if COUNT
    count_step();
#endif
    workgroupBarrier();  // the children are complete
#if TRACE
    traced = trace_values(traced, i);
#endif
    let left = 2u * i * size + size - 1u;
    if (left + 1u < params.count) {
      values[left + size] = combine(values[left], values[left + size]);
    } else if (left + size < ${WORKGROUP}u) {
      values[left + size] = values[left];  // nothing on the right
    }
  }
  workgroupBarrier();  // the root is complete
#if TRACE
  traced = trace_values(traced, i);
#endif
  if (i == 0u) {
    whole = values[${WORKGROUP - 1}];
    values[${WORKGROUP - 1}] = absent();
  }

  // Downsweep: the left child gets what the node has, the right child that and the left total.
  for (var size = ${WORKGROUP / 2}u; size > 0u; size >>= 1u) {
#if COUNT
    count_step();
#endif
    workgroupBarrier();  // the parents are complete
#if TRACE
    traced = trace_values(traced, i);
#endif
    let left = 2u * i * size + size - 1u;
    if (left + size < ${WORKGROUP}u) {
      let right = left + size;
      let before = values[right];
      if (left + 1u < params.count) { values[right] = combine(before, values[left]); }
      values[left] = before;
    }
  }
  workgroupBarrier();  // values[i] is what stands before element i
#if TRACE
  traced = trace_values(traced, i);
#endif

  // The inclusive value of an element is what stands before the next one.
  var value = whole;
  if (i + 1u < params.count) { value = values[i + 1u]; }
#if TRACE
  trace_element(traced, i, value);
#endif
  finish(i, value);
}
