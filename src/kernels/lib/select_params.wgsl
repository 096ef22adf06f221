// What the kernels of a selection know. Element i is the one with that number in the slice: the part
// of the elements that one binding can hold.
struct Params {
  first_tile: u32,      // of the slice, in the whole
  first_index: u32,     // of the slice's first element, in the whole
  zero: u32,            // 0, which a compiler does not know
  all_tiles: u32,       // tiles that there can be: from one mask's counts to the next's
  mask_words: u32,      // from one mask to the next
  window_first: u32,    // the first result that the bound part of the output holds
  window: u32,          // results that it holds
  output_offset: u32,   // where the first of them lies there, in words
  counts_at: u32,       // where the counts lie in their binding, in words
  capacity: u32,        // results at most
  unused_a: u32,
  unused_b: u32,
  offsets: array<vec4<u32>, 3>,  // where each source's first element lies in its binding, in words
}
@group(0) @binding(0) var<uniform> params: Params;

// How many elements there are. Written on the device where only the device knows.
struct Extent {
  count: u32,  // elements of the slice
  tiles: u32,  // tiles of the slice
  grid_x: u32,
  grid_y: u32,
  grid_z: u32,
  status: u32,
  n: u32,      // all elements
  unused: u32,
}
@group(0) @binding(1) var<uniform> extent: Extent;
