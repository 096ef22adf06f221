// Reading and writing four neighbouring elements of the slice, a quad, at a time.
#if VECTORS
#import lib/vector_io.wgsl
#else
#import lib/input.wgsl
#import lib/output.wgsl
#endif

@group(0) @binding(${TOTAL}) var<storage, read_write> total: array<u32>;

fn store_total(inclusive: Element) {
#if HALF_OUTPUT
  total[0] = lower(inclusive);
#else
#repeat w WORDS
  total[$w] = word${w}(inclusive);
#end
#endif
}

#if VECTORS
#if INCLUDE_INITIAL
fn store_initial() {
  let x = initial();
  let at = params.initial_at * ${WORDS}u;
#repeat w WORDS
  put_word((at + ${w}u) / 4u, (at + ${w}u) % 4u, word${w}(x));
#end
}
#endif
#endif
