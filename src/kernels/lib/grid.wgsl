// Workgroup numbers over a grid folded into three dimensions. The fold rounds up: a number of
// params.tiles or more has no tile.
fn flat_workgroup(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}
