// One slice of a scan: the part of the input that one binding can hold. Elements are counted in scan
// order from the slice's first one; memory runs backwards in a reverse scan.
struct Params {
  count: u32,       // elements of this slice
  tiles: u32,       // tiles of this slice
  first_tile: u32,  // number of its first tile in the whole scan
  is_last: u32,     // 1 where the whole scan ends in this slice
  in_offset: u32,   // where the slice lies in the bound range of the input, in elements
  out_offset: u32,  // likewise in the output
  all_tiles: u32,   // tiles of the whole scan
  initial_at: u32,  // with INCLUDE_INITIAL: where the initial value goes in the bound output
  last_quad: u32,   // number of the last whole quad
  zero: u32,        // 0, which a compiler does not know
  batches: u32,     // of a reduction: how many of its totals are of batches of tiles
  unused: u32,
  absent: array<vec4<u32>, 2>,   // the value that changes nothing, as words
  initial: array<vec4<u32>, 2>,  // what stands before element 0
}
