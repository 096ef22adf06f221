// The spine: how tiles tell each other their totals. Every descriptor stands alone in a line of
// ${LINE} words, because neighbours in one cache line slow each other down.
//
// A word of a value travels beside this run's tag in one word of the spine, or, where the shader has
// no 64-bit atomics, as two words: 16 bits of it below a tag of 16 bits. A descriptor is ready when
// all its words carry the tag. So relaxed atomics suffice (nothing but the words themselves is
// communicated), half-written values are noticed, and nothing needs clearing between runs: the tag
// counts them. The host clears the spine before a tag recurs.
#if WIDE_SPINE
alias SpineWord = u64;
const slot_words = 2u;  // a slot is counted in 32 bits
#else
alias SpineWord = u32;
const slot_words = 1u;
#endif
@group(0) @binding(${SPINE}) var<storage, read_write> spine: array<atomic<SpineWord>>;

// spine[1] is set when a wait ran out: the results are then not valid.
const stalled = 1u;

fn tile_slot(tile: u32) -> u32 { return ${FIRST_TILE}u + tile * ${LINE}u; }
fn group_slot(group: u32) -> u32 { return ${FIRST_GROUP}u + group * ${LINE}u; }
fn block_slot(block: u32) -> u32 { return ${FIRST_BLOCK}u + block * ${LINE}u; }

// A tile's total. With WITHHOLD, for tests, one of that many tiles says nothing.
fn publish_tile(tile: u32, total: Element, tag: u32) {
#if WITHHOLD
  if (tile % ${WITHHOLD}u == ${WITHHOLD - 1}u) { return; }
#endif
  publish(tile_slot(tile), total, tag);
}

fn publish(slot: u32, value: Element, tag: u32) {
#repeat w WORDS
#if WIDE_SPINE
  atomicStore(&spine[slot / slot_words + ${w}u], u64(word${w}(value)) | (u64(tag) << 32u));
#else
  atomicStore(&spine[slot + ${2 * w}u], (word${w}(value) & 0xffffu) | (tag << 16u));
  atomicStore(&spine[slot + ${2 * w + 1}u], (word${w}(value) >> 16u) | (tag << 16u));
#endif
#end
}

// Waits for a descriptor, but not for ever: after ${SPINS} looks the run is declared stalled, and all
// others soon stop waiting too.
fn await_value(slot: u32, tag: u32) -> Element {
  for (var spin = 0u; spin < ${SPINS}u; spin++) {
#repeat w WORDS
#if WIDE_SPINE
    let both$w = atomicLoad(&spine[slot / slot_words + ${w}u]);
    let value$w = u32(both$w);
    let is_ready$w = u32(both$w >> 32u) == tag;
#else
    let low$w = atomicLoad(&spine[slot + ${2 * w}u]);
    let high$w = atomicLoad(&spine[slot + ${2 * w + 1}u]);
    let value$w = (low$w & 0xffffu) | (high$w << 16u);
    let is_ready$w = (low$w >> 16u) == tag && (high$w >> 16u) == tag;
#endif
#end
    if (true
#repeat w WORDS
        && is_ready$w
#end
        ) {
      return element(
#repeat w WORDS
          value$w,
#end
      );
    }
    if (spin % 1024u == 1023u && atomicLoad(&spine[stalled]) != 0) { break; }
  }
  atomicStore(&spine[stalled], 1);
  return absent();
}

// A device may run another subgroup width than it told: then say that there is no result.
fn expect_width_32(width: u32) {
  if (width != 32u) { atomicStore(&spine[stalled], 1); }
}

#if WAITS
// What a workgroup draws tells its tile and this run's tag: by a function each, so that a compiler knows
// of the tile that it is the same for all, and barriers may stand below conditions on it.
#if ORDERED
// Workgroups start in the order of their numbers: a tile is its workgroup's. spine[0] counts the runs.
fn draw_tile(workgroup: u32, thread: u32) -> u32 { return workgroup; }
fn tile_of(draw: u32) -> u32 { return draw; }
fn tag_of(draw: u32) -> u32 { return 0x8000u | (u32(atomicLoad(&spine[0])) & 0x7fffu); }

// The last tile counts the run once it has heard from all others, which then know their tag.
fn end_run(tile: u32, thread: u32) {
  if (thread == 0u && tile == tile_count() - 1u) { atomicAdd(&spine[0], 1); }
}
#else
// spine[0] is the ticket: the number of workgroups that have drawn in the low ${TICKET_BITS} bits,
// the number of runs above.
var<workgroup> drawn: u32;

// Draws a ticket for the workgroup. The last to draw starts the count of the next run.
fn draw_tile(workgroup: u32, thread: u32) -> u32 {
  if (thread == 0u) {
    let ticket = u32(atomicAdd(&spine[0], 1));
    if ((ticket & ${TICKET_MASK}u) == tile_count() - 1u) {
      atomicAdd(&spine[0], SpineWord(${TICKET_MASK + 1}u - tile_count()));
    }
    drawn = ticket;
  }
  return workgroupUniformLoad(&drawn);  // known to all
}
fn tile_of(draw: u32) -> u32 { return draw & ${TICKET_MASK}u; }
fn tag_of(draw: u32) -> u32 { return 0x8000u | (draw >> ${TICKET_BITS}u); }

fn end_run(tile: u32, thread: u32) {}
#endif
#endif
