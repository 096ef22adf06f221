// A row of flags that are bytes, as a mask: bit k is set where byte k is not 0.
#if VECTORS
@group(0) @binding(${VECTOR_BINDING}) var<storage, read> flag_vectors: array<vec4<u32>>;
#endif

// Bit k is set where byte k is not 0.
fn nibble(f: u32) -> u32 {
  return (((((f & 0x7f7f7f7fu) + 0x7f7f7f7fu) | f) & 0x80808080u) * 0x00204081u) >> 28u;
}

fn flags_of(a: vec4<u32>, b: vec4<u32>) -> u32 {
  return nibble(a.x) | (nibble(a.y) << 4u) | (nibble(a.z) << 8u) | (nibble(a.w) << 12u) |
         (nibble(b.x) << 16u) | (nibble(b.y) << 20u) | (nibble(b.z) << 24u) | (nibble(b.w) << 28u);
}

// Four words of flags, none of which lies past the last one.
fn four_words(w: u32) -> vec4<u32> {
  let at = params.offsets[0][0];
  let last = (max(extent.count, 1u) - 1u) / 4u;
  return vec4<u32>(source_0[at + min(w, last)], source_0[at + min(w + 1u, last)],
                   source_0[at + min(w + 2u, last)], source_0[at + min(w + 3u, last)]);
}

// The mask of the 32 elements from `row` on. In the last tile the last vector may not be whole.
fn row_of_flags(row: u32, in_last_tile: bool) -> u32 {
#if VECTORS
  let at = params.offsets[0][0] / 4u + row / 16u;
  var a = flag_vectors[at];
  var b = flag_vectors[at + 1u];
  if (in_last_tile) {
    a = four_words(row / 4u);
    b = four_words(row / 4u + 4u);
  }
  return flags_of(a, b);
#else
  return flags_of(four_words(row / 4u), four_words(row / 4u + 4u));
#endif
}
