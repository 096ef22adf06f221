// After the scan of an allocation: its report, and arguments of indirect calls. One workgroup looks
// for the first item that does not fit, in a window of the items that bindings can hold; the windows
// follow each other, and the report carries on what those before have found.
#if SAME_BUFFER
@group(0) @binding(1) var<storage, read_write> offsets: array<Offset>;
#else
@group(0) @binding(1) var<storage, read> offsets: array<Offset>;
#endif
@group(0) @binding(2) var<storage, read_write> report: array<u32>;
#if !WIDE
#if SAME_BUFFER
@group(0) @binding(${COUNTS}) var<storage, read_write> counts: array<u32>;
#else
@group(0) @binding(${COUNTS}) var<storage, read> counts: array<u32>;
#endif
#endif
#if CAPACITY
#if SAME_BUFFER
@group(0) @binding(${CAPACITY}) var<storage, read_write> capacities: array<u32>;
#else
@group(0) @binding(${CAPACITY}) var<storage, read> capacities: array<u32>;
#endif
#endif
#if COUNT
#if SAME_BUFFER
@group(0) @binding(${COUNT}) var<storage, read_write> item_counts: array<u32>;
#else
@group(0) @binding(${COUNT}) var<storage, read> item_counts: array<u32>;
#endif
#endif
#if FORMS
#import lib/arguments.wgsl
#endif
struct Settings {
  items: u32,  // of this window; counted on the device: at most
  first: u32,  // number of its first item
  is_first: u32,
  is_last: u32,
  // Where things lie in their bindings, in elements.
  offsets_at: u32,
  report_at: u32,
  counts_at: u32,
  capacity_at: u32,
  count_at: u32,
  rounds: u32,       // of the search
  most_groups: u32,  // in one dimension of a grid
  unused: u32,
  capacity_low: u32,
  capacity_high: u32,
  unused_a: u32,
  unused_b: u32,
#if FORMS
  forms: array<Form, ${FORMS}>,
#endif
}
@group(0) @binding(0) var<uniform> settings: Settings;

// Words of the report.
const total_word = 0u;
const used_word = 2u;
const fitting_word = 4u;
const flags_word = 6u;
// Its flags, and for the windows that follow: an item that does not fit has been found; the offsets
// stand at the largest one, and no item has gone past it yet.
const overflowed = ${OVERFLOWED}u;
const exceeds = ${EXCEEDS}u;
const found = 0x10000u;
const full = 0x20000u;

#if WIDE
alias Offset = vec2<u32>;  // low, high
fn low(x: Offset) -> u32 { return x.x; }
fn high(x: Offset) -> u32 { return x.y; }
fn is_above(a: Offset, b: Offset) -> bool { return a.y > b.y || (a.y == b.y && a.x > b.x); }
#else
alias Offset = u32;
fn low(x: Offset) -> u32 { return x; }
fn high(x: Offset) -> u32 { return 0u; }
fn is_above(a: Offset, b: Offset) -> bool { return a > b; }
const largest = 0xffffffffu;  // where a sum stops
#endif

fn capacity() -> Offset {
#if CAPACITY
#if WIDE
  return Offset(capacities[settings.capacity_at], 0u);
#else
  return capacities[settings.capacity_at];
#endif
#else
#if WIDE
  return Offset(settings.capacity_low, settings.capacity_high);
#else
  return settings.capacity_low;
#endif
#endif
}

// Where item i begins; of the number of items, where the last one ends.
fn start_of(i: u32) -> Offset { return offsets[settings.offsets_at + i]; }

fn is_past(i: u32, search: u32) -> bool {
  let end = start_of(i + 1u);
#if !WIDE
  if (search == 1u) { return end == largest; }
#endif
  return is_above(end, capacity());
}

#import lib/search.wgsl

#if !WIDE
// The first item, if any, that goes past the largest offset.
var<workgroup> first_over: atomic<u32>;

// Sums that stop say where they reach the largest offset, and not whether they went past it. So the
// item that gets there is added up once more, and of those after it any that is not empty is past.
fn find_overflow(thread: u32, items: u32, was_full: bool, reaches: u32) {
  if (was_full || reaches < items) {
    var next = 0u;
    if (!was_full) {
      let is_over = counts[settings.counts_at + reaches] > largest - start_of(reaches);
      if (is_over) { atomicMin(&first_over, reaches); }
      next = select(reaches + 1u, items, is_over);
    }
    for (var i = next + thread; i < items; i += ${WORKGROUP}u) {
      if (counts[settings.counts_at + i] > 0u) {
        atomicMin(&first_over, i);
        break;
      }
    }
  }
  workgroupBarrier();  // the first one is known
}
#endif

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(local_invocation_index) thread: u32) {
#if COUNT
  let items = min(item_counts[settings.count_at], settings.items);
#else
  let items = settings.items;
#endif
  let at = settings.report_at;
  var state = 0u;
  if (settings.is_first == 0u) { state = report[at + flags_word]; }
#if !WIDE
  if (thread == 0u) { atomicStore(&first_over, items); }
#endif
  storageBarrier();  // all have read the state
  search_all(thread, items, settings.rounds);
  var misfit = search_answer(0u, settings.rounds);
#if !WIDE
  let reaches = search_answer(1u, settings.rounds);
  let is_over = (state & overflowed) != 0u;
  find_overflow(thread, select(items, 0u, is_over), (state & full) != 0u, reaches);
  let over = atomicLoad(&first_over);
  if (over < items) { state |= overflowed; }
  if (reaches < items) { state |= full; }
  misfit = min(misfit, over);
#endif
  if (thread != 0u) { return; }

  let is_end = settings.is_last != 0u;
  if ((state & found) == 0u && (misfit < items || is_end)) {
    let used = start_of(misfit);
    report[at + used_word] = low(used);
    report[at + used_word + 1u] = high(used);
    report[at + fitting_word] = settings.first + misfit;
    report[at + fitting_word + 1u] = 0u;
  }
  if (misfit < items) { state |= found; }
  if (is_end) {
    let total = start_of(items);
    report[at + total_word] = low(total);
    report[at + total_word + 1u] = high(total);
    if ((state & found) != 0u) { state |= exceeds; }
    state &= overflowed | exceeds;
    report[at + 7u] = 0u;
#if FORMS
    let used = select(report[at + used_word], 0xffffffffu, report[at + used_word + 1u] != 0u);
    let fitting = report[at + fitting_word];
#repeat f FORMS
    write_arguments(settings.forms[$f],
                    select(used, fitting, settings.forms[$f].of_items != 0u), settings.most_groups);
#end
#endif
  }
  report[at + flags_word] = state;
}
