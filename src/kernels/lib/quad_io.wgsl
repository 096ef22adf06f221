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
  total[$w] = result_word${w}(inclusive);
#end
}

#if VECTORS
#if INCLUDE_INITIAL
fn store_initial() {
  let x = initial();
  let at = params.initial_at * ${WORDS}u;
#repeat w WORDS
  put_word((at + ${w}u) / 4u, (at + ${w}u) % 4u, result_word${w}(x));
#end
}
#endif
#endif
