// Reading and writing four neighbouring elements of the slice, a quad, at a time.
#if VECTORS
#import lib/vector_io.wgsl
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

#if INCLUDE_INITIAL
fn store_initial() {
#if VECTORS
  let x = initial();
  let at = params.initial_at * ${WORDS}u;
#repeat w WORDS
  put_word((at + ${w}u) / 4u, (at + ${w}u) % 4u, word${w}(x));
#end
#else
  output[params.initial_at] = initial();
#endif
}
#endif
