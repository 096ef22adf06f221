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
  zero: u32,        // 0, which a compiler does not know
  // With lib/vector_io.wgsl, in vectors of four words of the bound ranges:
  in_block: u32,    // where the first quad's own vectors begin
  in_last: u32,     // the last whole one of the input
  out_block: u32,   // like in_block
  out_first: u32,   // the first one that is nothing but results,
  out_whole: u32,   // and how many such there are
  out_begin: u32,   // the first word of results, include_initial's too
  out_words: u32,   // and their number
  batches: u32,     // of a reduction: how many of its totals are of batches of tiles
  absent: array<vec4<u32>, 2>,   // the value that changes nothing, as words
  initial: array<vec4<u32>, 2>,  // what stands before element 0
}
