// Stores a result that stands in a word of its own as half number ${AT} of the output.
@group(0) @binding(0) var<storage, read> result: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(1)
fn main() {
  let shift = ${AT % 2 * 16}u;
  output[${AT / 2}] = (output[${AT / 2}] & (0xffff0000u >> shift)) | ((result[0] & 0xffffu) << shift);
}
