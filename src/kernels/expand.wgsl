// Writes every item as often as its offsets say. Items and outputs together are shared out: the ends
// of items, merged with the outputs in order, are cut into tiles of ${TILE}, so that a tile has as much
// to do whether it is one item's outputs or as many empty items (merge path, Green 2012). Two searches
// tell a tile's first item and first output, and those of the next one.
//
// In the tile, a bit marks each output that is the first of its item here. The bits up to an output
// number its item among those.
#import lib/grid.wgsl
struct Params {
  items: u32,  // counted on the device: at most
  // Outputs of this window, which a binding can hold: offsets are taken as if it were all.
  first: u32,
  end: u32,
  is_last: u32,
  capacity: u32,
  // Where things lie in their bindings, in elements.
  offsets_at: u32,
  values_at: u32,
  output_at: u32,
  report_at: u32,
  count_at: u32,
  rounds: u32,       // of the searches
  most_groups: u32,  // in one dimension of a grid
#if FORMS
  forms: array<Form, ${FORMS}>,
#endif
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<u32>;
@group(0) @binding(3) var<storage, read_write> report: array<u32>;
#if VALUES
@group(0) @binding(${VALUES}) var<storage, read> values: array<u32>;
#endif
#if COUNT
@group(0) @binding(${COUNT}) var<storage, read> item_counts: array<u32>;
#endif
#if FORMS
#import lib/arguments.wgsl
#endif

// The first output of item i, counted from the window's first.
fn start_of(i: u32) -> u32 {
  return clamp(offsets[params.offsets_at + i], params.first, params.end) - params.first;
}

var<workgroup> path_ends: array<u32, 2>;  // this tile's beginning and end, in items and outputs

// Item i ends after that many items and outputs.
fn is_past(i: u32, search: u32) -> bool { return i + start_of(i + 1u) >= path_ends[search]; }

#import lib/search.wgsl

// Outputs that begin an item, a bit each, and how many begin up to the end of each word.
var<workgroup> bits: array<atomic<u32>, ${MASKS}>;
var<workgroup> masks: array<u32, ${MASKS}>;  // the same, once they are complete
var<workgroup> begun: array<u32, ${MASKS}>;
// Those items, from the tile's first, in order.
var<workgroup> items_here: array<u32, ${TILE / 2 + 1}>;

// The outputs of item i in [begin, end).
fn extent_of(i: u32, begin: u32, end: u32) -> vec2<u32> {
  return vec2<u32>(max(start_of(i), begin), min(start_of(i + 1u), end));
}

fn write_report(total: u32) {
  let at = params.report_at;
  let written = min(total, params.capacity);
  report[at] = total;
  report[at + 1u] = 0u;
  report[at + 2u] = written;
  report[at + 3u] = select(0u, 1u, total > params.capacity);
#if FORMS
#repeat f FORMS
  write_arguments(params.forms[$f], written, params.most_groups);
#end
#endif
}

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
#if COUNT
  let items = min(item_counts[params.count_at], params.items);
#else
  let items = params.items;
#endif
  let tile = flat_workgroup(group, groups);
  if (tile == 0u && thread == 0u && params.is_last != 0u) {
    write_report(offsets[params.offsets_at + items]);
  }
  let path = items + start_of(items);
  let path_begin = tile * ${TILE}u;
  if (path_begin >= path) { return; }
  let path_end = min(path_begin + ${TILE}u, path);

  if (thread == 0u) {
    path_ends[0] = path_begin;
    path_ends[1] = path_end;
  }
  if (thread < ${MASKS}u) { atomicStore(&bits[thread], 0u); }
  search_all(thread, items, params.rounds);
  // Within the tile even where a caller's offsets fall, which leaves no searching right.
  let first_item = min(search_answer(0u, params.rounds), min(path_begin, items - 1u));
  let end_item = clamp(search_answer(1u, params.rounds), first_item,
                       min(first_item + (path_end - path_begin), items));
  let begin = path_begin - first_item;
  let end = path_end - end_item;
  // The end of the last one of these items may be in a later tile.
  let count = min(end_item, items - 1u) - first_item + 1u;

  for (var k = thread; k < count; k += ${WORKGROUP}u) {
    let extent = extent_of(first_item + k, begin, end);
    if (extent.x < extent.y) {
      let at = extent.x - begin;
      atomicOr(&bits[at / 32u], 1u << (at % 32u));
    }
  }
  workgroupBarrier();  // all bits are set

  // Sklansky's prefixes of the numbers of bits in the words.
  if (thread < ${MASKS}u) {
    masks[thread] = atomicLoad(&bits[thread]);
    begun[thread] = countOneBits(masks[thread]);
  }
  for (var half = 1u; half < ${MASKS}u; half <<= 1u) {
    workgroupBarrier();  // the step before is complete
    if (thread < ${MASKS}u && (thread & half) != 0u) {
      begun[thread] += begun[(thread & ~(2u * half - 1u)) + half - 1u];
    }
  }
  workgroupBarrier();  // all words are numbered

  for (var k = thread; k < count; k += ${WORKGROUP}u) {
    let extent = extent_of(first_item + k, begin, end);
    if (extent.x < extent.y) {
      let at = extent.x - begin;
      let from_here = countOneBits(masks[at / 32u] >> (at % 32u));
      items_here[begun[at / 32u] - from_here] = first_item + k;
    }
  }
  workgroupBarrier();  // the items are in their places

  // Word by word, so that neighbours write neighbours whatever an element's size.
  let words = (end - begin) * ${WORDS}u;
  let output_at = (params.output_at + begin) * ${WORDS}u;
  for (var w = thread; w < words; w += ${UNROLL * WORKGROUP}u) {
#repeat u UNROLL
    let w$u = min(w + ${u * WORKGROUP}u, words - 1u);
    let at$u = w$u / ${WORDS}u;
    let later$u = countOneBits((masks[at$u / 32u] >> (at$u % 32u)) >> 1u);
    let item$u = items_here[begun[at$u / 32u] - later$u - 1u];
#if VALUES
    let value$u = values[(params.values_at + item$u) * ${WORDS}u + w$u % ${WORDS}u];
#else
    let value$u = item$u;
#endif
#end
#repeat u UNROLL
    if (w + ${u * WORKGROUP}u < words) { output[output_at + w$u] = value$u; }
#end
  }
}
