// The spine: how tiles tell each other their totals. Every descriptor stands alone in a line of
// ${LINE} words, because neighbours in one cache line slow each other down.
//
// A word of a value travels as two words of a descriptor: 16 bits of it below a tag of 16 bits. A
// descriptor is ready when all its words carry this run's tag. So relaxed atomics suffice (nothing
// but the words themselves is communicated), half-written values are noticed, and nothing needs
// clearing between runs: the tag counts them. The host clears the spine before a tag recurs.
@group(0) @binding(${SPINE}) var<storage, read_write> spine: array<atomic<u32>>;

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
  atomicStore(&spine[slot + ${2 * w}u], (word${w}(value) & 0xffffu) | (tag << 16u));
  atomicStore(&spine[slot + ${2 * w + 1}u], (word${w}(value) >> 16u) | (tag << 16u));
#end
}

// Waits for a descriptor, but not for ever: after ${SPINS} looks the run is declared stalled, and all
// others soon stop waiting too.
fn await_value(slot: u32, tag: u32) -> Element {
  for (var spin = 0u; spin < ${SPINS}u; spin++) {
#repeat w WORDS
    let low$w = atomicLoad(&spine[slot + ${2 * w}u]);
    let high$w = atomicLoad(&spine[slot + ${2 * w + 1}u]);
#end
    if (true
#repeat w WORDS
        && (low$w >> 16u) == tag && (high$w >> 16u) == tag
#end
        ) {
      return element(
#repeat w WORDS
          (low$w & 0xffffu) | (high$w << 16u),
#end
      );
    }
    if (spin % 1024u == 1023u && atomicLoad(&spine[stalled]) != 0u) { break; }
  }
  atomicStore(&spine[stalled], 1u);
  return absent();
}

// A device may run another subgroup width than it told: then say that there is no result.
fn expect_width_32(width: u32) {
  if (width != 32u) { atomicStore(&spine[stalled], 1u); }
}

struct Draw {
  tile: u32,
  tag: u32,
}

#if WAITS
#if ORDERED
// Workgroups start in the order of their numbers: a tile is its workgroup's. spine[0] counts the runs.
fn draw_tile(workgroup: u32, thread: u32) -> Draw {
  return Draw(workgroup, 0x8000u | (atomicLoad(&spine[0]) & 0x7fffu));
}

// The last tile counts the run once it has heard from all others, which then know their tag.
fn end_run(tile: u32, thread: u32) {
  if (thread == 0u && tile == tile_count() - 1u) { atomicAdd(&spine[0], 1u); }
}
#else
// spine[0] is the ticket: the number of workgroups that have drawn in the low ${TICKET_BITS} bits,
// the number of runs above.
var<workgroup> drawn: u32;

// Draws a ticket for the workgroup. The last to draw starts the count of the next run.
fn draw_tile(workgroup: u32, thread: u32) -> Draw {
  if (thread == 0u) {
    let ticket = atomicAdd(&spine[0], 1u);
    if ((ticket & ${TICKET_MASK}u) == tile_count() - 1u) {
      atomicAdd(&spine[0], ${TICKET_MASK + 1}u - tile_count());
    }
    drawn = ticket;
  }
  workgroupBarrier();  // the ticket is known to all
  return Draw(drawn & ${TICKET_MASK}u, 0x8000u | (drawn >> ${TICKET_BITS}u));
}

fn end_run(tile: u32, thread: u32) {}
#endif
#endif
