// Integers of predicates: 128 bits in two's complement, lowest word first.

fn keep_wide_of_u32(a: u32) -> vec4<u32> { return vec4<u32>(a, 0u, 0u, 0u); }

fn keep_wide_of_i32(a: i32) -> vec4<u32> {
  let sign = bitcast<u32>(a >> 31u);
  return vec4<u32>(bitcast<u32>(a), sign, sign, sign);
}

fn keep_wide_of_u64(a: vec2<u32>) -> vec4<u32> { return vec4<u32>(a, 0u, 0u); }

fn keep_wide_of_i64(a: vec2<u32>) -> vec4<u32> {
  let sign = bitcast<u32>(bitcast<i32>(a.y) >> 31u);
  return vec4<u32>(a, sign, sign);
}

fn keep_add_wide(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
  var sum = a + b;
  // What carries out of a word, and what that carries further.
  var carry = vec4<u32>(sum < a);
  for (var k = 0u; k < 3u; k++) {
    let more = vec4<u32>(0u, carry.xyz);
    sum += more;
    carry = vec4<u32>(sum < more);
  }
  return sum;
}

fn keep_negate_wide(a: vec4<u32>) -> vec4<u32> {
  return keep_add_wide(~a, vec4<u32>(1u, 0u, 0u, 0u));
}

fn keep_subtract_wide(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
  return keep_add_wide(a, keep_negate_wide(b));
}

fn keep_is_negative(a: vec4<u32>) -> bool { return (a.w >> 31u) != 0u; }

fn keep_magnitude(a: vec4<u32>) -> vec4<u32> {
  if (keep_is_negative(a)) { return keep_negate_wide(a); }
  return a;
}

fn keep_less_magnitude(a: vec4<u32>, b: vec4<u32>) -> bool {
  if (a.w != b.w) { return a.w < b.w; }
  if (a.z != b.z) { return a.z < b.z; }
  if (a.y != b.y) { return a.y < b.y; }
  return a.x < b.x;
}

fn keep_less_wide(a: vec4<u32>, b: vec4<u32>) -> bool {
  const flip = vec4<u32>(0u, 0u, 0u, 0x80000000u);
  return keep_less_magnitude(a ^ flip, b ^ flip);
}

fn keep_equal_wide(a: vec4<u32>, b: vec4<u32>) -> bool { return all(a == b); }

fn keep_shift_left(a: vec4<u32>, distance: u32) -> vec4<u32> {
  if (distance >= 128u) { return vec4<u32>(); }
  var m = a;
  if ((distance & 64u) != 0u) { m = vec4<u32>(0u, 0u, m.xy); }
  if ((distance & 32u) != 0u) { m = vec4<u32>(0u, m.xyz); }
  let bits = distance & 31u;
  if (bits == 0u) { return m; }
  return (m << vec4<u32>(bits)) | (vec4<u32>(0u, m.xyz) >> vec4<u32>(32u - bits));
}

fn keep_shift_right(a: vec4<u32>, distance: u32) -> vec4<u32> {
  if (distance >= 128u) { return vec4<u32>(); }
  var m = a;
  if ((distance & 64u) != 0u) { m = vec4<u32>(m.zw, 0u, 0u); }
  if ((distance & 32u) != 0u) { m = vec4<u32>(m.yzw, 0u); }
  let bits = distance & 31u;
  if (bits == 0u) { return m; }
  return (m >> vec4<u32>(bits)) | (vec4<u32>(m.yzw, 0u) << vec4<u32>(32u - bits));
}

fn keep_leading_zeros(a: vec4<u32>) -> u32 {
  if (a.w != 0u) { return countLeadingZeros(a.w); }
  if (a.z != 0u) { return 32u + countLeadingZeros(a.z); }
  if (a.y != 0u) { return 64u + countLeadingZeros(a.y); }
  return 96u + countLeadingZeros(a.x);
}

// The whole product of two words, by halves: no partial sum leaves 32 bits.
fn keep_multiply_words(a: u32, b: u32) -> vec2<u32> {
  let a0 = a & 0xffffu;
  let a1 = a >> 16u;
  let b0 = b & 0xffffu;
  let b1 = b >> 16u;
  let low = a0 * b0;
  let left = a1 * b0 + (low >> 16u);
  let right = a0 * b1 + (left & 0xffffu);
  return vec2<u32>((right << 16u) | (low & 0xffffu), a1 * b1 + (left >> 16u) + (right >> 16u));
}

// Modulo 2^128, row by row.
fn keep_multiply_wide(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
  var product = vec4<u32>();
  for (var k = 0u; k < 4u; k++) {
    let word = keep_shift_right(b, 32u * k).x;
    if (word == 0u) { continue; }
    let x = keep_multiply_words(a.x, word);
    let y = keep_multiply_words(a.y, word);
    let z = keep_multiply_words(a.z, word);
    let row = keep_add_wide(vec4<u32>(x.x, y.x, z.x, a.w * word), vec4<u32>(0u, x.y, y.y, z.y));
    product = keep_add_wide(product, keep_shift_left(row, 32u * k));
  }
  return product;
}

struct keep_Quotient {
  whole: vec4<u32>,
  rest: vec4<u32>,
}

// Of magnitudes below 2^127, bit by bit; b of 0 counts as 1.
fn keep_divide_magnitudes(a: vec4<u32>, b: vec4<u32>) -> keep_Quotient {
  var divisor = b;
  if (all(b == vec4<u32>())) { divisor.x = 1u; }
  let negative = keep_negate_wide(divisor);
  let zeros = keep_leading_zeros(a);
  var q = keep_Quotient(keep_shift_left(a, zeros), vec4<u32>());
  for (var k = zeros; k < 128u; k++) {
    q.rest = keep_shift_left(q.rest, 1u);
    q.rest.x |= q.whole.w >> 31u;
    q.whole = keep_shift_left(q.whole, 1u);
    if (!keep_less_magnitude(q.rest, divisor)) {
      q.rest = keep_add_wide(q.rest, negative);
      q.whole.x |= 1u;
    }
  }
  return q;
}

// Floored division, and the rest of it, which has the sign of b.
fn keep_floor_divide_wide(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
  let q = keep_divide_magnitudes(keep_magnitude(a), keep_magnitude(b));
  if (keep_is_negative(a) == keep_is_negative(b)) { return q.whole; }
  let up = vec4<u32>(select(0u, 1u, any(q.rest != vec4<u32>())), 0u, 0u, 0u);
  return keep_negate_wide(keep_add_wide(q.whole, up));
}

fn keep_modulo_wide(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
  let d = keep_magnitude(b);
  var rest = keep_divide_magnitudes(keep_magnitude(a), d).rest;
  if (any(rest != vec4<u32>()) && keep_is_negative(a) != keep_is_negative(b)) {
    rest = keep_subtract_wide(d, rest);
  }
  if (keep_is_negative(b)) { return keep_negate_wide(rest); }
  return rest;
}

fn keep_floor_divide_u32(a: u32, b: u32) -> u32 { return a / max(b, 1u); }
fn keep_modulo_u32(a: u32, b: u32) -> u32 { return a % max(b, 1u); }

fn keep_magnitude_i32(a: i32) -> u32 {
  let bits = bitcast<u32>(a);
  return select(bits, 0u - bits, a < 0);
}

// The bits of a result that fits 32 of them.
fn keep_floor_divide_i32(a: i32, b: i32) -> u32 {
  let x = keep_magnitude_i32(a);
  let d = max(keep_magnitude_i32(b), 1u);
  let whole = x / d;
  if ((a < 0) == (b < 0)) { return whole; }
  return 0u - (whole + select(0u, 1u, whole * d != x));
}

fn keep_modulo_i32(a: i32, b: i32) -> u32 {
  let d = max(keep_magnitude_i32(b), 1u);
  var rest = keep_magnitude_i32(a) % d;
  if (rest != 0u && (a < 0) != (b < 0)) { rest = d - rest; }
  return select(rest, 0u - rest, b < 0);
}
