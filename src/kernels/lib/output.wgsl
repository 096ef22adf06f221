// The scan's output. store() keeps within the slice, whatever the tile's size.
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
