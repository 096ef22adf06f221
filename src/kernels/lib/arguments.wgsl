// The words of indirect calls, from a number that the device has counted.
#import lib/fold_grid.wgsl
struct Form {
  call: u32,      // as enum IndirectCall
  per: u32,       // of the number: units a workgroup, vertices or indices each
  of_items: u32,  // 1: of the items of an allocation, not of their units
  at: u32,        // where its words begin in the bound range
}
@group(0) @binding(${ARGUMENTS}) var<storage, read_write> arguments: array<u32>;

fn write_arguments(form: Form, number: u32, most_groups: u32) {
  let at = form.at;
  if (form.call == 0u) {
    let groups = ceil_div(number, form.per);
    let grid = fold_grid(max(groups, 1u), most_groups);
    arguments[at] = select(grid.x, 0u, groups == 0u);
    arguments[at + 1u] = grid.y;
    arguments[at + 2u] = grid.z;
    return;
  }
  // Vertices or indices, and instances.
  let is_instanced = form.call == 2u || form.call == 4u;
  let each = min(number, 0xffffffffu / form.per) * form.per;
  arguments[at] = select(each, form.per, is_instanced);
  arguments[at + 1u] = select(1u, number, is_instanced);
  arguments[at + 2u] = 0u;
  arguments[at + 3u] = 0u;
  if (form.call >= 3u) { arguments[at + 4u] = 0u; }
}
