// Hillis and Steele 1986, inclusive, in one workgroup: in the step of distance d every element adds
// the value d places to its left. Two barriers a step: after all have written, after all have read.
#import lib/teaching.wgsl

var<workgroup> values: array<Element, ${WORKGROUP}>;

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(local_invocation_index) i: u32) {
#if COUNT
  counting = i == 0u;
#endif
  var value = load(i);
#if TRACE
  trace_element(0u, i, value);
#endif
  for (var d = 1u; d < params.count; d <<= 1u) {
#if COUNT
    count_step();
#endif
    values[i] = value;
    workgroupBarrier();  // all have written
    if (i >= d && i < params.count) { value = combine(values[i - d], value); }
    workgroupBarrier();  // all have read
#if TRACE
    trace_element(firstTrailingBit(d) + 1u, i, value);
#endif
  }
  finish(i, value);
}
