fn ceil_div(a: u32, b: u32) -> u32 { return a / b + select(0u, 1u, a % b != 0u); }

// A grid of at least `groups` workgroups, at least 1, with at most `most` in a dimension.
fn fold_grid(groups: u32, most: u32) -> vec3<u32> {
  let z = ceil_div(ceil_div(groups, most), most);
  let y = ceil_div(ceil_div(groups, z), most);
  return vec3<u32>(ceil_div(ceil_div(groups, z), y), y, z);
}
