// Third step of mask-then-scatter: writes the selected elements of one array, or their indices, to
// where they go, as far as the bound part of the output holds that.
#import lib/select_params.wgsl
#import lib/grid.wgsl
#if TO_SCRATCH
// They lie in one buffer with the output.
@group(0) @binding(2) var<storage, read_write> masks: array<u32>;
@group(0) @binding(3) var<storage, read_write> tile_bases: array<u32>;
#else
@group(0) @binding(2) var<storage, read> masks: array<u32>;
@group(0) @binding(3) var<storage, read> tile_bases: array<u32>;
#endif
@group(0) @binding(4) var<storage, read_write> output: array<u32>;
#if !INDICES
#if SAME_BUFFER
@group(0) @binding(5) var<storage, read_write> source: array<u32>;
#else
@group(0) @binding(5) var<storage, read> source: array<u32>;
#endif
#endif

var<workgroup> bits: array<u32, ${MASKS * TILE_WORDS}>;
var<workgroup> sums: array<u32, ${MASKS * TILE_WORDS}>;  // bits set up to the end of each word

fn before_word(k: u32) -> u32 {
  if (k % ${TILE_WORDS}u == 0u) { return 0u; }
  return sums[k - 1u];
}

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
  let tile = flat_workgroup(group, groups);
  if (tile >= extent.tiles) { return; }
  let in_all = params.first_tile + tile;
  for (var k = thread; k < ${MASKS * TILE_WORDS}u; k += ${WORKGROUP}u) {
    let word = masks[k / ${TILE_WORDS}u * params.mask_words + in_all * ${TILE_WORDS}u +
                     k % ${TILE_WORDS}u];
    bits[k] = word;
    sums[k] = countOneBits(word);
  }
  for (var half = 1u; half < ${TILE_WORDS}u; half <<= 1u) {
    workgroupBarrier();  // the step before is complete
    for (var k = thread; k < ${MASKS * TILE_WORDS}u; k += ${WORKGROUP}u) {
      if ((k & half) != 0u) { sums[k] += sums[(k & ~(2u * half - 1u)) + half - 1u]; }
    }
  }
  workgroupBarrier();  // all words are counted

  // Where the tile's first results go: of each mask and, with FOLLOWS, of those in none.
#repeat m MASKS
  let base$m = tile_bases[${m}u * params.all_tiles + in_all];
#end
#if FOLLOWS
  let end = tile_bases[${MASKS}u * params.all_tiles];
#if MASKS == 2
  // The second mask's bases begin at the first one's total.
  let selected_before = base0 + base1 - tile_bases[params.all_tiles];
#else
  let selected_before = base0;
#endif
  let base_rest = end + in_all * ${TILE}u - selected_before;
#endif

  for (var e = thread; e < ${TILE}u; e += ${WORKGROUP}u) {
    let i = tile * ${TILE}u + e;
    if (i >= extent.count) { continue; }
    let word = e / 32u;
    let bit = 1u << (e % 32u);
    var selected = 0u;  // in the tile, before this element
    var to = 0u;
    var goes = false;
#repeat m MASKS
    {
      let mask = bits[${m * TILE_WORDS}u + word];
      let rank = before_word(${m * TILE_WORDS}u + word) + countOneBits(mask & (bit - 1u));
      if ((mask & bit) != 0u) {
        to = base$m + rank;
        goes = true;
      }
      selected += rank;
    }
#end
#if FOLLOWS
    if (!goes) {
      to = base_rest + e - selected;
      goes = true;
    }
#endif
    if (goes && to >= params.window_first && to - params.window_first < params.window) {
      let at = params.output_offset + (to - params.window_first) * ${WORDS}u;
#if INDICES
      output[at] = params.first_index + i;
#else
      let source_at = params.offsets[0][0] + i * ${WORDS}u;
#repeat w WORDS
      output[at + ${w}u] = source[source_at + ${w}u];
#end
#endif
    }
  }
}
