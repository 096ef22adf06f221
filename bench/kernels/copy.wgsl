// The yardstick: $PER vectors of 16 bytes an invocation, a workgroup's width apart, all loaded before
// the first is stored. INVERTED stores their complements: what no copy and hardly a scan leaves.
@group(0) @binding(0) var<storage, read> origin: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> destination: array<vec4<u32>>;

fn stored(x: vec4<u32>) -> vec4<u32> {
#if INVERTED
  return ~x;
#else
  return x;
#endif
}

@compute @workgroup_size($WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
  let tile = group.y * groups.x + group.x;
  let first = tile * ${PER * WORKGROUP}u + lane;
  let end = arrayLength(&origin);
  if ((tile + 1u) * ${PER * WORKGROUP}u <= end) {
#repeat k PER
    let v$k = origin[first + ${k * WORKGROUP}u];
#end
#repeat k PER
    destination[first + ${k * WORKGROUP}u] = stored(v$k);
#end
  } else {
#repeat k PER
    if (first + ${k * WORKGROUP}u < end) {
      destination[first + ${k * WORKGROUP}u] = stored(origin[first + ${k * WORKGROUP}u]);
    }
#end
  }
}
