// Reading and writing four neighbouring elements of the slice, a quad, at a time.
#if VECTORS
// In vectors of four words.
@group(0) @binding(${INPUT}) var<storage, read> input: array<vec4<u32>>;
@group(0) @binding(${OUTPUT}) var<storage, read_write> output: array<vec4<u32>>;
#if TAIL
// The last quad, when it is not whole, is read word by word and its results go to `total` from word
// ${TAIL_AT} on, so that nothing past the end is touched.
@group(0) @binding(${INPUT_WORDS}) var<storage, read> input_words: array<u32>;

// Element i; absent past the end.
fn load(i: u32) -> Element {
  let at = min(i, params.count - 1u) * ${WORDS}u;
  let x = element(
#repeat w WORDS
      input_words[at + ${w}u],
#end
  );
  return choose(absent(), x, i < params.count);
}

fn store_tail(j: u32, result: Element) {
#repeat w WORDS
  total[${TAIL_AT}u + j * ${WORDS}u + ${w}u] = word${w}(result);
#end
}
#endif
#else
#import lib/input.wgsl
#import lib/output.wgsl
#endif

@group(0) @binding(${TOTAL}) var<storage, read_write> total: array<u32>;

fn store_total(inclusive: Element) {
#repeat w WORDS
  total[$w] = word${w}(inclusive);
#end
}
