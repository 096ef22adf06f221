// Boxes of a scene, one an instance, straight from the arrays in storage buffers.
// Instances run through the layers in order, in a layer item by item, in an item copy by copy.

struct Layer {
  // Edges in pixels: constant, per item, per copy, per value.
  x0: vec4f,
  x1: vec4f,
  y0: vec4f,
  y1: vec4f,
  colour: vec4f,
  odd_colour: vec4f,  // of every second item
  arrays: vec4u,      // of x0, x1, y0, y1
  last: u32,          // one past this layer's last instance
  copies: u32,
  copy_count: u32,    // array, or absent
  keep: u32,          // array, or absent: only items whose value is not 0 are drawn ...
  keep_zeros: u32,    // ... or only those whose value is 0
  radius: f32,
}

struct Scene {
  size: vec2f,
  // Of each array: its first element in the binding, and its type (0 u32, 1 i32, 2 f32).
  firsts: vec4u,
  types: vec4u,
  layers: array<Layer>,
}

@group(0) @binding(0) var<storage, read> scene: Scene;
@group(0) @binding(1) var<storage, read> array_0: array<u32>;
@group(0) @binding(2) var<storage, read> array_1: array<u32>;
@group(0) @binding(3) var<storage, read> array_2: array<u32>;
@group(0) @binding(4) var<storage, read> array_3: array<u32>;

const absent = 0xffffffffu;

fn bits_of(which: u32, i: u32) -> u32 {
  let at = scene.firsts[which] + i;
  switch which {
    case 0u: { return array_0[at]; }
    case 1u: { return array_1[at]; }
    case 2u: { return array_2[at]; }
    default: { return array_3[at]; }
  }
}

fn value_of(which: u32, i: u32) -> f32 {
  if which == absent {
    return 0.0;
  }
  let bits = bits_of(which, i);
  switch scene.types[which] {
    case 0u: { return f32(bits); }
    case 1u: { return f32(bitcast<i32>(bits)); }
    default: { return bitcast<f32>(bits); }
  }
}

fn edge(formula: vec4f, which: u32, item: u32, copy: u32) -> f32 {
  return formula.x + formula.y * f32(item) + formula.z * f32(copy) + formula.w * value_of(which, item);
}

fn is_drawn(layer: Layer, item: u32, copy: u32) -> bool {
  if layer.keep != absent && (value_of(layer.keep, item) != 0.0) == (layer.keep_zeros != 0u) {
    return false;
  }
  return layer.copy_count == absent || f32(copy) < value_of(layer.copy_count, item);
}

struct Corner {
  @builtin(position) position: vec4f,
  @location(0) @interpolate(flat) box: vec4f,  // x0, y0, x1, y1 in pixels
  @location(1) @interpolate(flat) colour: vec3f,
  @location(2) @interpolate(flat) radius: f32,
}

@vertex
fn place(@builtin(instance_index) instance: u32, @builtin(vertex_index) vertex: u32) -> Corner {
  var l = 0u;
  var first = 0u;
  while instance >= scene.layers[l].last {
    first = scene.layers[l].last;
    l++;
  }
  let layer = scene.layers[l];
  let item = (instance - first) / layer.copies;
  let copy = (instance - first) % layer.copies;

  let a = vec2f(edge(layer.x0, layer.arrays.x, item, copy), edge(layer.y0, layer.arrays.z, item, copy));
  let b = vec2f(edge(layer.x1, layer.arrays.y, item, copy), edge(layer.y1, layer.arrays.w, item, copy));
  let low = min(a, b);
  let high = max(a, b);

  var corner: Corner;
  corner.box = vec4f(low, high);
  corner.colour = select(layer.colour, layer.odd_colour, item % 2u == 1u).rgb;
  corner.radius = min(layer.radius, 0.5 * min(high.x - low.x, high.y - low.y));
  // A pixel more on each side: every pixel that the box touches gets a fragment.
  let far = vec2f(f32(vertex & 1u), f32(vertex >> 1u));
  let pixel = clamp(mix(low - 1.0, high + 1.0, far), vec2f(-1.0), scene.size + 1.0);
  let clip = vec2f(2.0, -2.0) * pixel / scene.size + vec2f(-1.0, 1.0);
  corner.position = vec4f(clip, 0.0, 1.0);
  if !is_drawn(layer, item, copy) {
    corner.position = vec4f(0.0, 0.0, 0.0, 1.0);  // all four in one point: no fragments
  }
  return corner;
}

// The part of a pixel inside a disc whose edge is at `distance` from the pixel's centre (positive
// outside) with the normal `normal`: the part inside the tangent, less the sliver between the
// tangent and the arc, chord^3 / (24 radius).
fn disc_coverage(distance: f32, normal: vec2f, radius: f32) -> f32 {
  let n = abs(normal);
  let steep = max(n.x, n.y);
  let flat = min(n.x, n.y);
  let d = abs(distance);
  var smaller = 0.0;  // of the two parts that the tangent makes
  var chord = 0.0;    // of the tangent in the pixel
  if d < 0.5 * (steep - flat) {
    smaller = 0.5 - d / steep;
    chord = 1.0 / steep;
  } else if d < 0.5 * (steep + flat) {
    let rest = 0.5 * (steep + flat) - d;
    smaller = rest * rest / (2.0 * steep * flat);
    chord = rest / (steep * flat);
  }
  let inside = select(smaller, 1.0 - smaller, distance < 0.0);
  return max(inside - chord * chord * chord / (24.0 * radius), 0.0);
}

@fragment
fn shade(corner: Corner) -> @location(0) vec4f {
  let centre = corner.position.xy;
  let overlap = min(corner.box.zw, centre + 0.5) - max(corner.box.xy, centre - 0.5);
  let inside = clamp(overlap, vec2f(0.0), vec2f(1.0));
  var coverage = inside.x * inside.y;

  // Signed distance from the rounded corner, where the pixel's centre is beyond the straight edges.
  let from_middle = centre - 0.5 * (corner.box.xy + corner.box.zw);
  let beyond = abs(from_middle) - 0.5 * (corner.box.zw - corner.box.xy) + corner.radius;
  if corner.radius > 0.0 && min(beyond.x, beyond.y) > 0.0 {
    let reach = length(beyond);
    coverage = min(coverage, disc_coverage(reach - corner.radius, beyond / reach, corner.radius));
  }
  return vec4f(corner.colour * coverage, coverage);  // premultiplied
}
