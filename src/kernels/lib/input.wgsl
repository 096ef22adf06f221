// The scan's input. In place it is the output's own buffer, read before it is written. Halves lie two in
// a word.
#if IN_PLACE
#if HALF_INPUT
fn input_word(at: u32) -> u32 { return output_word(at); }
#else
fn input_at(i: u32) -> Input { return output[i]; }
#endif
#else
#if SAME_BUFFER
@group(0) @binding(1) var<storage, read_write> input: array<Input>;
#else
@group(0) @binding(1) var<storage, read> input: array<Input>;
#endif
#if HALF_INPUT
fn input_word(at: u32) -> u32 { return input[at]; }
#else
fn input_at(i: u32) -> Input { return input[i]; }
#endif
#endif
#if HALF_INPUT
fn input_at(i: u32) -> Input { return input_word(i / 2u) >> (i % 2u * 16u); }
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
