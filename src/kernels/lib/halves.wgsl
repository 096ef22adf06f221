// Halves, 16 bits each, by operations on their bits: every compiler makes the same of them, and no
// feature of the device is needed.

// The half in the low bits of x. Halves below the normal ones are normal numbers as f32.
fn from_half(x: u32) -> f32 {
  let magnitude = x & 0x7fffu;
  // The exponent of a normal number moves by 112, that of infinity and NaN by twice as much.
  let large = (magnitude << 13u) + select(0x38000000u, 0x70000000u, magnitude > 0x7bffu);
  // Below the normal ones it counts units of 2^-24.
  let small = bitcast<u32>(f32(magnitude) * 5.9604644775390625e-8);
  return bitcast<f32>(select(large, small, magnitude < 0x400u) | ((x & 0x8000u) << 16u));
}

// The nearest half, ties to even. A NaN stays one, what is too large becomes infinite.
fn to_half(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let magnitude = bits & 0x7fffffffu;
  // Half a unit of the last place, less one where that place is even: the carry rounds.
  let carried = magnitude + 0xfffu + ((magnitude >> 13u) & 1u);
  let large = min((carried - 0x38000000u) >> 13u, 0x7c00u);
  // Beside 0.5 the last place is 2^-24, that of the halves below the normal ones.
  let small = bitcast<u32>(bitcast<f32>(magnitude) + 0.5) - 0x3f000000u;
  let number = select(large, small, magnitude < 0x38800000u);
  return select(number, 0x7e00u, magnitude > 0x7f800000u) | ((bits >> 16u) & 0x8000u);
}
