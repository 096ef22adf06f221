// Compiles a monoid's text alone, so that the compiler's message is about nothing else. Never run.
#import lib/params.wgsl
@group(0) @binding(1) var<storage, read_write> total: array<Element>;

@compute @workgroup_size(1)
fn main() {
  total[0] = combine(initial(), absent());
}
