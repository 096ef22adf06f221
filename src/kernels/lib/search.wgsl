// ${SEARCHES} searches at once over positions 0 .. n - 1, each by its share of the workgroup: the first
// position where is_past(position, search) holds, or n. From such a position on it must hold for all.
// A round divides what is left by the number of probes; all of them read at the same time.
const probes = ${WORKGROUP / SEARCHES}u;
// What is left of each search, as the first and the last possible answer; by turns in either half.
var<workgroup> search_left: array<vec2<u32>, ${2 * SEARCHES}>;

// `rounds` is what n, or more, takes. Ends with the answers visible to the whole workgroup.
fn search_all(thread: u32, n: u32, rounds: u32) {
  let search = thread / probes;
  let probe = thread % probes;
  if (probe == 0u) { search_left[search] = vec2<u32>(0u, n); }
  workgroupBarrier();  // the beginning is known
  for (var round = 0u; round < rounds; round++) {
    let left = search_left[(round & 1u) * ${SEARCHES}u + search];
    let next = (~round & 1u) * ${SEARCHES}u + search;
    let size = left.y - left.x;
    let step = size / probes + select(0u, 1u, size % probes != 0u);
    let first = left.x + probe * step;
    if (size == 0u) {
      if (probe == 0u) { search_left[next] = left; }
    } else if (first < left.y) {
      let last = min(first + step, left.y) - 1u;
      if (probe == 0u || !is_past(first - 1u, search)) {
        if (is_past(last, search)) {
          search_left[next] = vec2<u32>(first, last);
        } else if (last == left.y - 1u) {
          search_left[next] = vec2<u32>(left.y, left.y);
        }
      }
    }
    workgroupBarrier();  // one of the probes has said what is left
  }
}

fn search_answer(search: u32, rounds: u32) -> u32 {
  return search_left[(rounds & 1u) * ${SEARCHES}u + search].x;
}
