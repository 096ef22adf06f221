// How many elements there are, only the device knows: works out the parameters of a scan or a reduction
// and the grid of its dispatches from a count in the caller's buffer. One invocation does it.
#import lib/params_struct.wgsl
#import lib/fold_grid.wgsl
struct Settings {
  capacity: u32,      // elements at most
  most_groups: u32,   // in one dimension of a grid
  first_result: u32,  // where the results, or the value, begin in the bound output, in elements
  count_at: u32,      // where the count lies in its binding, in words
  nothing: array<vec4<u32>, 2>,  // the total of no elements, as words
}
struct Work {
  params: Params,  // written before with what does not depend on the count
  grid: array<u32, 3>,
  status: u32,
}
@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> work: Work;
@group(0) @binding(3) var<storage, read_write> total: array<u32>;

@compute @workgroup_size(1)
fn main() {
  let asked = counts[settings.count_at];
  let count = min(asked, settings.capacity);
  work.status = select(0u, ${STATUS_CLAMPED}u, asked > settings.capacity);

#if REDUCTION
  // The last tile is not among them; all others are batches and what is left over.
  let whole = select(0u, (count - 1u) / ${TILE}u, count > 0u);
  work.params.batches = whole / ${BATCH}u;
  let tiles = whole / ${BATCH}u + whole % ${BATCH}u;
#else
  // Without elements one tile does the rest: it stores no results, but the initial value where asked.
  let tiles = max(ceil_div(count, ${TILE}u), 1u);
#endif
  work.params.count = count;
  work.params.tiles = tiles;
  work.params.all_tiles = tiles;
#if INCLUDE_INITIAL
#if REVERSE
  work.params.initial_at = settings.first_result + count;
#endif
#endif

  let grid = fold_grid(max(tiles, 1u), settings.most_groups);
  work.grid = array<u32, 3>(grid.x, grid.y, grid.z);

  // The tiles write the total, the last step the value, where there are elements.
  if (count == 0u) {
#if REDUCTION
#if HALF_OUTPUT
    let half = settings.first_result;
    let shift = half % 2u * 16u;
    total[half / 2u] = (total[half / 2u] & (0xffff0000u >> shift)) | (settings.nothing[0][0] << shift);
#else
#repeat w WORDS
    total[settings.first_result * ${WORDS}u + ${w}u] = settings.nothing[${w / 4}][${w % 4}];
#end
#endif
#else
#repeat w WORDS
    total[${w}u] = settings.nothing[${w / 4}][${w % 4}];
#end
#endif
  }
}
