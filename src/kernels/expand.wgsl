// Second step of an expansion: writes the outputs of a tile. It holds where its items begin, finds the
// item of each row of 32 outputs by a search among them, and those of the outputs between that of
// their row and that of the next one.
#import lib/grid.wgsl
#import lib/expand_path.wgsl
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
#if VECTORS
@group(0) @binding(2) var<storage, read_write> output: array<vec4<u32>>;
#else
@group(0) @binding(2) var<storage, read_write> output: array<u32>;
#endif
@group(0) @binding(3) var<storage, read> begins: array<Begin>;  // expand_share.wgsl
#if VALUES
@group(0) @binding(${VALUES}) var<storage, read> values: array<u32>;
#endif

// Where the tile's items begin, in order, counted from the first row's beginning. Workgroups that need
// little memory leave room for more of them: where a tile has many items, two are in a word, and their
// values are read when they are written; where it has few, values wait beside.
#if KEPT
var<workgroup> starts: array<u32, ${ITEMS + 3}>;
var<workgroup> kept: array<u32, ${ITEMS + 3}>;
fn start_at(k: u32) -> u32 { return starts[k]; }
#else
var<workgroup> start_pairs: array<u32, ${(ITEMS + 4) / 2}>;
fn start_at(k: u32) -> u32 { return (start_pairs[k / 2u] >> (k % 2u * 16u)) & 0xffffu; }
#endif
var<workgroup> row_items: array<u32, ${WORKGROUP + 1}>;

// The last one of the items from `first` to `last` that begins there or before.
fn item_at(at: u32, first: u32, last: u32) -> u32 {
  var low = first;
  var high = last;
  while (low < high) {
    let middle = high - (high - low) / 2u;
    if (start_at(middle) <= at) { low = middle; } else { high = middle - 1u; }
  }
  return low;
}

#if VECTORS
// Likewise where `low` is one that begins just before.
fn item_near(at: u32, low: u32, last: u32) -> u32 {
  if (low == last || start_at(low + 1u) > at) { return low; }
  if (low + 1u == last || start_at(low + 2u) > at) { return low + 1u; }
  return item_at(at, low + 2u, last);
}

struct Here {
  tile: u32,
  first_item: u32,
  items: u32,
}

fn value_of(k: u32, here: Here) -> u32 {
  var item = here.first_item + k;
  if (k >= here.items) { item = begins[here.tile + 1u].between[k - here.items]; }
#if VALUES
  return values[params.values_at + item];
#else
  return item;
#endif
}

fn held_value(k: u32, here: Here) -> u32 {
#if KEPT
  return kept[k];
#else
  return value_of(k, here);
#endif
}

// Four outputs, of which the first is item a's, whose value that is.
fn vector_at(at: u32, a: u32, value: u32, here: Here) -> vec4<u32> {
  let last = row_items[at / 32u + 1u];
  if (a == last || start_at(a + 1u) > at + 3u) { return vec4<u32>(value); }
  let b = item_near(at + 1u, a, last);
  let c = item_near(at + 2u, b, last);
  let d = item_near(at + 3u, c, last);
  return vec4<u32>(value, held_value(b, here), held_value(c, here), held_value(d, here));
}
#else
fn word_of(item: u32, word: u32) -> u32 {
#if VALUES
  return values[(params.values_at + item) * ${WORDS}u + word % ${WORDS}u];
#else
  return item;
#endif
}
#endif

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
  let tile = flat_workgroup(group, groups);
  if (tile >= params.tiles) { return; }
  let begin = begins[tile];
  let end = begins[tile + 1u];
  if (begin.whole >= end.whole) { return; }
  let outputs = min(end.whole - begin.whole, ${TILE + 3}u);
  // Where the tile begins in its first row, which lies together in the output.
  let place = params.output_at + begin.whole - params.first;
  let skipped = place % 32u;

  // More cannot have outputs here, but where offsets fall.
  let items = min(end.item - begin.item, ${ITEMS - 1}u) + 1u;
  var held = items;
#if VECTORS
  // With the outputs that the next tile leaves to this one, one by one.
  held += max(end.whole, end.output) - end.output;
  let here = Here(tile, begin.item, items);
#endif
  let before = begin.whole - skipped;
#if KEPT
#repeat k ITEMS_EACH
  var start$k = 0u;
  var kept$k = 0u;
  if (${k * WORKGROUP}u < held) {
    let k = min(${k * WORKGROUP}u + thread, held - 1u);
    start$k = offsets[params.offsets_at + begin.item + min(k, items - 1u)];
    kept$k = value_of(k, here);
  }
#end
#repeat k ITEMS_EACH
  {
    let k = ${k * WORKGROUP}u + thread;
    if (k < held) {
      starts[k] = select(end.output + k - items, clamp(start$k, begin.whole, end.output), k < items) -
                  before;
      kept[k] = kept$k;
    }
  }
#end
#else
#repeat p PAIRS_EACH
  var low$p = 0u;
  var high$p = 0u;
  if (${2 * p * WORKGROUP}u < items) {
    let k = 2u * (${p * WORKGROUP}u + thread);
    low$p = offsets[params.offsets_at + begin.item + min(k, items - 1u)];
    high$p = offsets[params.offsets_at + begin.item + min(k + 1u, items - 1u)];
  }
#end
#repeat p PAIRS_EACH
  {
    let k = 2u * (${p * WORKGROUP}u + thread);
    if (k < held) {
      let low = select(end.output + k - items, clamp(low$p, begin.whole, end.output), k < items);
      let high = select(end.output + k + 1u - items, clamp(high$p, begin.whole, end.output),
                        k + 1u < items);
      start_pairs[k / 2u] = ((low - before) & 0xffffu) | ((high - before) << 16u);
    }
  }
#end
#endif
  workgroupBarrier();  // the items are in their places
  let last = held - 1u;
  row_items[thread] = last;
  if (thread * 32u < skipped + outputs) { row_items[thread] = item_at(thread * 32u, 0u, last); }
  if (thread == 0u) { row_items[${WORKGROUP}] = last; }
  workgroupBarrier();  // the rows' items are known

#if VECTORS
  let first_vector = (place - skipped) / 4u;
  let vectors_begin = skipped / 4u;
  let vectors_end = (skipped + outputs) / 4u;
  for (var v = thread; v < vectors_end; v += ${UNROLL * WORKGROUP}u) {
    // All values are asked for before the first one is waited for.
#repeat u UNROLL
    let v$u = v + ${u * WORKGROUP}u;
    var a$u = 0u;
    var value$u = 0u;
    if (v$u < vectors_end) {
      a$u = item_at(v$u * 4u, row_items[v$u / 8u], row_items[v$u / 8u + 1u]);
      value$u = held_value(a$u, here);
    }
#end
#repeat u UNROLL
    if (v$u >= vectors_begin && v$u < vectors_end) {
      output[first_vector + v$u] = vector_at(v$u * 4u, a$u, value$u, here);
    }
#end
  }
#else
  // Word by word, so that neighbours write neighbours whatever an element's size.
  let words_begin = skipped * ${WORDS}u;
  let words_end = (skipped + outputs) * ${WORDS}u;
  for (var w = thread; w < words_end; w += ${WORKGROUP}u) {
    let at = w / ${WORDS}u;
    let item = begin.item + item_at(at, row_items[at / 32u], row_items[at / 32u + 1u]);
    if (w >= words_begin) { output[(place - skipped) * ${WORDS}u + w] = word_of(item, w); }
  }
#endif
}
