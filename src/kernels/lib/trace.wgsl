// The array of a traced scan after each of its steps, for lessons.
@group(0) @binding(${TRACE}) var<storage, read_write> trace: array<Element>;

fn trace_element(step: u32, i: u32, value: Element) {
  if (i < params.count) { trace[step * params.count + i] = value; }
}
