// How many elements there are, only the device knows: works out every slice's extent and grid from a
// count in the caller's buffer. One invocation does it.
#import lib/fold_grid.wgsl
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

@compute @workgroup_size(1)
fn main() {
  let asked = counts[settings.count_at];
  let n = min(asked, settings.capacity);
  for (var s = 0u; s < settings.slices; s++) {
    let begin = s * settings.slice;
    let count = min(n - min(n, begin), settings.slice);
    let tiles = max(ceil_div(count, ${TILE}u), ${LEAST_TILES}u);
    let grid = fold_grid(max(tiles, 1u), settings.most_groups);
    let at = s * settings.extent_words;
    extents[at] = count;
    extents[at + 1u] = tiles;
    extents[at + 2u] = select(0u, grid.x, tiles > 0u);
    extents[at + 3u] = grid.y;
    extents[at + 4u] = grid.z;
    extents[at + 5u] = select(0u, ${STATUS_CLAMPED}u, asked > settings.capacity);
    extents[at + 6u] = n;
  }
}
