// First step of an expansion: says where each tile begins, and reports.
#import lib/grid.wgsl
#if FORMS
#import lib/arguments.wgsl
#endif
#import lib/expand_path.wgsl
#if SCANNED
// Scratch like what is written here, and so in the same buffer.
@group(0) @binding(1) var<storage, read_write> offsets: array<u32>;
#else
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
#endif
@group(0) @binding(2) var<storage, read_write> begins: array<Begin>;  // of the tiles, and the end
@group(0) @binding(3) var<storage, read_write> report: array<u32>;
#if VECTORS
@group(0) @binding(${OUTPUT}) var<storage, read_write> output: array<u32>;
#if VALUES
@group(0) @binding(${VALUES}) var<storage, read> values: array<u32>;
#endif
#endif
#if COUNT
@group(0) @binding(${COUNT}) var<storage, read> item_counts: array<u32>;
fn item_count() -> u32 { return min(item_counts[params.count_at], params.items); }
#else
fn item_count() -> u32 { return params.items; }
#endif

// The first output of item i, as far as it lies in the window.
fn start_of(i: u32) -> u32 {
  return clamp(offsets[params.offsets_at + i], params.first, params.end);
}
// Where item i begins on the path.
fn place_of(i: u32) -> u32 { return i * ${WEIGHT}u + start_of(i) - params.first; }

// The places that the workgroup looks for, and the searches for the items there.
var<workgroup> places: array<u32, 2>;
fn is_past(i: u32, search: u32) -> bool { return place_of(i + 1u) > places[search]; }
#import lib/search.wgsl

// What begins at a place of that item.
fn begin_at(place: u32, item: u32) -> Begin {
  let outputs_at = (item + 1u) * ${WEIGHT}u;  // its outputs, less those before it
  let start = start_of(item);
  let there = select(place - outputs_at + params.first, start,
                     place < outputs_at + start - params.first);
  var begin = Begin();
  begin.item = item;
  begin.output = min(there, start_of(item + 1u));
  begin.whole = begin.output;
  return begin;
}

fn write_report(items: u32) {
  if (params.is_last == 0u) { return; }
  let total = offsets[params.offsets_at + items];
  let written = min(total, params.capacity);
  let at = params.report_at;
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

#if VECTORS
// The item of an output, which is not before item `least`. Ends wherever offsets fall.
fn item_of(output: u32, least: u32, last: u32) -> u32 {
  var low = least;
  var step = 1u;
  while (last - low >= step && start_of(low + step) <= output) {
    low += step;
    step *= 2u;
  }
  var high = min(low + step - 1u, last);
  while (low < high) {
    let middle = high - (high - low) / 2u;
    if (start_of(middle) <= output) { low = middle; } else { high = middle - 1u; }
  }
  return low;
}

fn write_one(one: u32, last: u32) {
  let item = item_of(one, 0u, last);
#if VALUES
  output[params.output_at + one - params.first] = values[params.values_at + item];
#else
  output[params.output_at + one - params.first] = item;
#endif
}
#endif

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) thread: u32) {
  let items = item_count();
  let first_tile = flat_workgroup(group, groups) * ${WORKGROUP}u;
  let tile = first_tile + thread;
  if (tile == 0u) { write_report(items); }
  if (thread == 0u) {
    places[0] = first_tile * ${TILE}u;
    places[1] = min(first_tile + ${WORKGROUP - 1}u, params.tiles) * ${TILE}u;
  }
  search_all(thread, items, params.rounds);
  if (items == 0u) {
    if (tile <= params.tiles) { begins[tile] = Begin(); }
    return;
  }
  let last = items - 1u;
#if VECTORS
  // Outputs that fill whole vectors. What lies before and behind them is written here.
  let stop = start_of(items);
  let behind = (params.output_at + stop - params.first) % 4u;
  let whole_begin = params.first + (4u - params.output_at % 4u) % 4u;
  let whole_end = max(stop - min(behind, stop), whole_begin);
  if (first_tile == 0u && thread < 3u) {
    if (params.first + thread < min(stop, whole_begin)) { write_one(params.first + thread, last); }
    if (whole_end + thread < stop) { write_one(whole_end + thread, last); }
  }
#endif
  if (tile > params.tiles) { return; }

  // The last item that begins here or before lies between those of the workgroup's ends.
  let place = tile * ${TILE}u;
  var low = min(search_answer(0u, params.rounds), last);
  var high = min(search_answer(1u, params.rounds), last);
  while (low < high) {
    let middle = high - (high - low) / 2u;
    if (place_of(middle) <= place) { low = middle; } else { high = middle - 1u; }
  }
  var begin = begin_at(place, low);
#if VECTORS
  let cut = (params.output_at + begin.output - params.first) % 4u;
  begin.whole = min(begin.output + (4u - cut) % 4u, whole_end);
  var item = low;
#repeat j 3
  if (begin.output + ${j}u < begin.whole) {
    item = item_of(begin.output + ${j}u, item, last);
    begin.between[$j] = item;
  }
#end
#endif
  begins[tile] = begin;
}
