// The scan's input. In place it is the output's own buffer, read before it is written.
#if IN_PLACE
fn input_at(i: u32) -> Input { return output[i]; }
#else
#if SAME_BUFFER
@group(0) @binding(1) var<storage, read_write> input: array<Input>;
#else
@group(0) @binding(1) var<storage, read> input: array<Input>;
#endif
fn input_at(i: u32) -> Input { return input[i]; }
#endif

// Element i of the slice in scan order; what lies past the end is absent.
fn load(i: u32) -> Element {
  let inside = min(i, params.count - 1u);
#if REVERSE
  let x = input_at(params.in_offset + (params.count - 1u - inside));
#else
  let x = input_at(params.in_offset + inside);
#endif
  return choose(absent(), lift(x), i < params.count);
}
