// How many elements there are, only the device knows: works out every slice's extent and grid from a
// count in the caller's buffer. One invocation does it.
struct Settings {
  capacity: u32,        // elements at most
  most_groups: u32,     // in one dimension of a grid
  count_at: u32,        // where the count lies in its binding, in words
  slice: u32,           // elements of every slice but the last
  slices: u32,
  extent_words: u32,    // from one slice's extent to the next's
  unused_a: u32,
  unused_b: u32,
}
@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> extents: array<u32>;

fn ceil_div(a: u32, b: u32) -> u32 { return a / b + select(0u, 1u, a % b != 0u); }

@compute @workgroup_size(1)
fn main() {
  let asked = counts[settings.count_at];
  let n = min(asked, settings.capacity);
  for (var s = 0u; s < settings.slices; s++) {
    let begin = s * settings.slice;
    let count = min(n - min(n, begin), settings.slice);
    let tiles = ceil_div(count, ${TILE}u);
    // A grid of at least `tiles` workgroups, folded where they are too many for one dimension.
    let most = settings.most_groups;
    let z = max(ceil_div(ceil_div(tiles, most), most), 1u);
    let y = max(ceil_div(ceil_div(tiles, z), most), 1u);
    let at = s * settings.extent_words;
    extents[at] = count;
    extents[at + 1u] = tiles;
    extents[at + 2u] = ceil_div(ceil_div(tiles, z), y);
    extents[at + 3u] = y;
    extents[at + 4u] = z;
    extents[at + 5u] = select(0u, ${STATUS_CLAMPED}u, asked > settings.capacity);
    extents[at + 6u] = n;
  }
}
