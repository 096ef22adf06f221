// First step of mask-then-scatter: decides each element once, keeps a bit of it in a mask, and
// counts each tile's. With two masks, the second holds what only the second predicate selects.
#import lib/select_params.wgsl
#import lib/grid.wgsl
#import lib/rounded.wgsl
@group(0) @binding(2) var<storage, read_write> masks: array<u32>;
@group(0) @binding(3) var<storage, read_write> tile_counts: array<u32>;

var<workgroup> bits: array<atomic<u32>, ${MASKS * TILE_WORDS}>;
var<workgroup> counted: array<atomic<u32>, ${MASKS}>;

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
  let tile = flat_workgroup(group, groups);
  if (tile >= extent.tiles) { return; }
  for (var k = thread; k < ${MASKS * TILE_WORDS}u; k += ${WORKGROUP}u) { atomicStore(&bits[k], 0u); }
  if (thread < ${MASKS}u) { atomicStore(&counted[thread], 0u); }
  workgroupBarrier();  // no bit is set yet

  for (var e = thread; e < ${TILE}u; e += ${WORKGROUP}u) {
    let i = tile * ${TILE}u + e;
    if (i < extent.count) {
      let mask = class_of(i);
      if (mask < ${MASKS}u) { atomicOr(&bits[mask * ${TILE_WORDS}u + e / 32u], 1u << (e % 32u)); }
    }
  }
  workgroupBarrier();  // all bits are set

  let first_word = (params.first_tile + tile) * ${TILE_WORDS}u;
  for (var k = thread; k < ${MASKS * TILE_WORDS}u; k += ${WORKGROUP}u) {
    let word = atomicLoad(&bits[k]);
    let mask = k / ${TILE_WORDS}u;
    masks[mask * params.mask_words + first_word + k % ${TILE_WORDS}u] = word;
    atomicAdd(&counted[mask], countOneBits(word));
  }
  workgroupBarrier();  // all bits are counted
  if (thread < ${MASKS}u) {
    tile_counts[thread * params.all_tiles + params.first_tile + tile] =
        atomicLoad(&counted[thread]);
  }
}
