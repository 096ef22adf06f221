// An output of halves, two in a word. With WHOLE_WORDS the results of a quad fill two words, and where
// the results begin or end inside a word, one invocation gives it its new half. Otherwise neighbouring
// quads share words, and a half is changed by an atomic xor, which leaves the other one alone. With
// MIDDLE_WORDS the two in the middle of a quad fill a word.
#if WHOLE_WORDS
@group(0) @binding(${OUTPUT}) var<storage, read_write> output: array<u32>;
fn output_word(at: u32) -> u32 { return output[at]; }
fn set_word(at: u32, x: u32) { output[at] = x; }
fn change_word(at: u32, change: u32) { output[at] ^= change; }
#else
@group(0) @binding(${OUTPUT}) var<storage, read_write> output: array<atomic<u32>>;
fn output_word(at: u32) -> u32 { return atomicLoad(&output[at]); }
fn set_word(at: u32, x: u32) { atomicStore(&output[at], x); }
fn change_word(at: u32, change: u32) { atomicXor(&output[at], change); }
#endif

fn place_of(i: u32) -> u32 {
#if REVERSE
  return params.out_offset + (params.count - 1u - i);
#else
  return params.out_offset + i;
#endif
}

fn put_half(place: u32, half: u32) {
  let shift = place % 2u * 16u;
  change_word(place / 2u, (((output_word(place / 2u) >> shift) ^ half) & 0xffffu) << shift);
}

fn store(i: u32, value: Element) {
  if (i < params.count) { put_half(place_of(i), lower(value)); }
}

// Elements i and i + 1, which lie in one word.
fn store_both(i: u32, older: Element, newer: Element) {
  if (i + 1u < params.count) {
#if REVERSE
    set_word(place_of(i) / 2u, lower(newer) | (lower(older) << 16u));
#else
    set_word(place_of(i) / 2u, lower(older) | (lower(newer) << 16u));
#endif
  } else {
    store(i, older);
  }
}

// Elements i to i + 3, a quad.
fn store_quad(i: u32, x0: Element, x1: Element, x2: Element, x3: Element) {
#if WHOLE_WORDS
  store_both(i, x0, x1);
  store_both(i + 2u, x2, x3);
#else
  store(i, x0);
#if MIDDLE_WORDS
  store_both(i + 1u, x1, x2);
#else
  store(i + 1u, x1);
  store(i + 2u, x2);
#endif
  store(i + 3u, x3);
#endif
}

#if INCLUDE_INITIAL
fn store_initial() { put_half(params.initial_at, lower(initial())); }
#endif
