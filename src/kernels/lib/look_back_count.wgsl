// How many elements are selected before a tile: lib/look_back.wgsl for sums of u32, with one hop
// everywhere. Tiles are counted in groups of 32 and blocks of 32 groups. Each tile publishes its
// count and at once adds it to its group's: a group is complete when 32 have been added.
//
// Every word stands alone in a line of ${LINE}, but a block's two. A tile's: its count below 12 bits
// of tag. A group's: the sum below the number of tiles added, 8 bits; no tag, so there are two sets of
// groups, which runs take in turns, and each run zeroes the other's. A block's, what is selected
// before it: 16 bits below a tag of 12, twice. lib/spine.wgsl says how runs are told apart.
const group_lines = 2048u;

fn group_word(turn: u32, group: u32) -> u32 {
  return ${FIRST_GROUP}u + (turn * group_lines + group) * ${LINE}u;
}
fn block_word(block: u32) -> u32 { return ${FIRST_BLOCK}u + 2u * block; }

// Waits until the bits from `shift` up are those; returns the bits below. Not for ever: see
// await_value().
fn await_word(at: u32, shift: u32, wanted: u32) -> u32 {
  for (var spin = 0u; spin < ${SPINS}u; spin++) {
    let word = atomicLoad(&spine[at]);
    if ((word >> shift) == wanted) { return word & ((1u << shift) - 1u); }
    if (spin % 1024u == 1023u && atomicLoad(&spine[stalled]) != 0u) { break; }
  }
  atomicStore(&spine[stalled], 1u);
  return 0u;
}

// Called by three lanes or more of one subgroup.
fn publish_count(tile: u32, count: u32, tag: u32, lane: u32) {
#if WITHHOLD
  if (tile % ${WITHHOLD}u == ${WITHHOLD - 1}u) { return; }
#endif
  if (lane == 0u) { atomicStore(&spine[tile_slot(tile)], count | ((0x800u | (tag & 0x7ffu)) << 20u)); }
  if (lane == 1u) { atomicAdd(&spine[group_word(tag & 1u, tile / 32u)], count | (1u << 24u)); }
  if (lane == 2u && tile % 32u == 0u) {
    atomicStore(&spine[group_word(1u - (tag & 1u), tile / 32u)], 0u);
  }
}

var<workgroup> before_parts: array<u32, 3>;

// Three subgroups gather 32 words each: the tiles of the own group and what stands before the block
// before the own one; the groups of the own block; those of the block before.
fn look_back(tile: u32, tag: u32, part: u32, lane: u32) -> u32 {
  let j = tile % 32u;
  let group = tile / 32u;
  let in_block = group % 32u;
  let block = group / 32u;
  let short_tag = 0x800u | (tag & 0x7ffu);
  var x = 0u;
  if (part == 0u) {
    if (lane < j) { x = await_word(tile_slot(group * 32u + lane), 20u, short_tag); }
    if (lane == 31u && block > 1u) {
      let at = block_word(block - 1u);
      x = await_word(at, 20u, short_tag) | (await_word(at + 1u, 20u, short_tag) << 16u);
    }
  } else if (part == 1u) {
    if (lane < in_block) { x = await_word(group_word(tag & 1u, block * 32u + lane), 24u, 32u); }
  } else if (part == 2u) {
    if (block > 0u) { x = await_word(group_word(tag & 1u, block * 32u - 32u + lane), 24u, 32u); }
  }
  let sum = total32(x);
  if (part < 3u && lane == 0u) { before_parts[part] = sum; }
  workgroupBarrier();  // all three are known
  let before = before_parts[0] + before_parts[1] + before_parts[2];
  if (j == 0u && in_block == 0u && part == 0u && lane < 2u) {
    atomicStore(&spine[block_word(block) + lane],
                ((before >> (16u * lane)) & 0xffffu) | (short_tag << 20u));
  }
  // A run before may have had more groups than this one.
  if (tile == tile_count() - 1u && part == 0u) {
    let most = atomicMax(&spine[most_groups], group + 1u);
    for (var g = group + 1u + lane; g < most; g += 32u) {
      atomicStore(&spine[group_word(1u - (tag & 1u), g)], 0u);
    }
  }
  return before;
}

// spine[2]: the groups of the run that had most.
const most_groups = 2u;
