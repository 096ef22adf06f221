// Second step of a partition by the masks that select_pass.wgsl left: every element of one array, or
// its index, goes where the counts of bits say. A subgroup of 32 lanes takes 1,024 elements.
#import lib/select_params.wgsl
#import lib/grid.wgsl
#import lib/subgroup32.wgsl
@group(0) @binding(2) var<storage, read> masks: array<u32>;
@group(0) @binding(3) var<storage, read> chunk_bases: array<u32>;
@group(0) @binding(4) var<storage, read_write> output: array<u32>;
#if INDICES
fn load_word(i: u32) -> u32 { return i; }
#else
#if SAME_BUFFER
@group(0) @binding(5) var<storage, read_write> source: array<u32>;
#else
@group(0) @binding(5) var<storage, read> source: array<u32>;
#endif
fn load_word(i: u32) -> u32 { return source[params.offsets[0][0] + i]; }
#endif

#if STAGED
// Eight rows at a time, the selected ones first. Each list begins at a slot that equals its place in
// the output modulo 8: so every sector of 32 bytes but those at the ends is stored whole.
const stage = 288u;
var<workgroup> staged: array<u32, ${PARTS * 288}>;
#endif

fn absent() -> Element { return 0u; }

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32,
        @builtin(subgroup_invocation_id) lane: u32) {
  let tile = flat_workgroup(group, groups);
  if (tile >= extent.tiles) { return; }
  let part = thread / 32u;
  let chunk = tile * ${PARTS}u + part;
  let first = chunk * 1024u;
  let last = max(extent.count, 1u) - 1u;
  let mask = masks[chunk * 32u + lane];
  let count = countOneBits(mask);
  let before_row = chunk_bases[chunk] + row_scan(count, lane) - count;
  let split = chunk_bases[params.all_tiles * ${PARTS}u];
  let bit = 1u << lane;
#if STAGED
  let mine = part * stage;
  for (var r = 0u; r < 32u; r += 16u) {
#repeat k 16
    let v$k = load_word(min(first + (r + ${k}u) * 32u + lane, last));
#end
#repeat h 2
    {
      let row = r + ${8 * h}u;
      let start = first + row * 32u;
      let selected_at = shuffle(before_row, row);
      let selected = shuffle(before_row + count, row + 7u) - selected_at;
      let rest_at = split + start - selected_at;
      let rest = select(0u, min(256u, extent.count - start), start < extent.count) - selected;
      let a = selected_at & 7u;
      let b = ((a + selected + 7u) & ~7u) + (rest_at & 7u);
#repeat j 8
      {
        let row_mask = shuffle(mask, row + ${j}u);
        let rank = shuffle(before_row, row + ${j}u) - selected_at + countOneBits(row_mask & (bit - 1u));
        let slot = select(b + ${32 * j}u + lane - rank, a + rank, (row_mask & bit) != 0u);
        staged[mine + slot] = v${8 * h + j};
      }
#end
      workgroupBarrier();  // both lists are complete
#repeat q 9
      {
        let slot = ${32 * q}u + lane;
        let value = staged[mine + slot];
        let is_selected = slot >= a && slot < a + selected;
        let is_rest = slot >= b && slot < b + rest;
        if (is_selected || is_rest) {
          output[params.output_offset + select(rest_at - b, selected_at - a, is_selected) + slot] = value;
        }
      }
#end
      workgroupBarrier();  // both lists have been read
    }
#end
  }
#else
  for (var r = 0u; r < 32u; r++) {
    let row_mask = shuffle(mask, r);
    let selected_before = shuffle(before_row, r) + countOneBits(row_mask & (bit - 1u));
    let i = first + r * 32u + lane;
    if (i < extent.count) {
      let to = select(split + i - selected_before, selected_before, (row_mask & bit) != 0u);
#repeat w WORDS
      output[params.output_offset + to * ${WORDS}u + ${w}u] = load_word(i * ${WORDS}u + ${w}u);
#end
    }
  }
#endif
}
