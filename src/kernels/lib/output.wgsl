// The scan's output. What stores keeps within the slice, whatever the tile's size.
#if HALF_OUTPUT
#import lib/half_output.wgsl
#else
@group(0) @binding(${OUTPUT}) var<storage, read_write> output: array<Element>;

fn store(i: u32, value: Element) {
  if (i < params.count) {
#if REVERSE
    output[params.out_offset + (params.count - 1u - i)] = value;
#else
    output[params.out_offset + i] = value;
#endif
  }
}

// Elements i to i + 3, a quad.
fn store_quad(i: u32, x0: Element, x1: Element, x2: Element, x3: Element) {
#repeat j 4
  store(i + ${j}u, x$j);
#end
}

#if INCLUDE_INITIAL
fn store_initial() { output[params.initial_at] = initial(); }
#endif
#endif
