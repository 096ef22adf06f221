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

// a + b, and one more where `carry` is 1.
fn keep_add_carry(a: vec4<u32>, b: vec4<u32>, carry: u32) -> vec4<u32> {
  let sum = a + b;
  let over = vec4<u32>(sum < a);
  let x = sum.x + carry;
  let carry_y = over.x | select(0u, 1u, x < carry);
  let y = sum.y + carry_y;
  let carry_z = over.y | select(0u, 1u, y < carry_y);
  let z = sum.z + carry_z;
  let carry_w = over.z | select(0u, 1u, z < carry_z);
  return vec4<u32>(x, y, z, sum.w + carry_w);
}

fn keep_add_wide(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> { return keep_add_carry(a, b, 0u); }

fn keep_negate_wide(a: vec4<u32>) -> vec4<u32> { return keep_add_carry(~a, vec4<u32>(), 1u); }

fn keep_subtract_wide(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> { return keep_add_carry(a, ~b, 1u); }

fn keep_is_negative(a: vec4<u32>) -> bool { return (a.w >> 31u) != 0u; }

// a, or -a. One addition, whichever it is.
fn keep_with_sign(a: vec4<u32>, negative: bool) -> vec4<u32> {
  return keep_add_carry(a ^ vec4<u32>(select(0u, ~0u, negative)), vec4<u32>(),
                        select(0u, 1u, negative));
}

fn keep_magnitude(a: vec4<u32>) -> vec4<u32> { return keep_with_sign(a, keep_is_negative(a)); }

// Of words in 0 .. 2^32 - 1: what of two differs first, from above.
fn keep_less_magnitude(a: vec4<u32>, b: vec4<u32>) -> bool {
  let less = a < b;
  let same = a == b;
  return less.w || (same.w && (less.z || (same.z && (less.y || (same.y && less.x)))));
}

fn keep_less_wide(a: vec4<u32>, b: vec4<u32>) -> bool {
  const flip = vec4<u32>(0u, 0u, 0u, 0x80000000u);
  return keep_less_magnitude(a ^ flip, b ^ flip);
}

fn keep_equal_wide(a: vec4<u32>, b: vec4<u32>) -> bool { return all(a == b); }

// By less than 128 bits.
fn keep_shift_left(a: vec4<u32>, distance: u32) -> vec4<u32> {
  let far = select(a, vec4<u32>(0u, 0u, a.xy), (distance & 64u) != 0u);
  let m = select(far, vec4<u32>(0u, far.xyz), (distance & 32u) != 0u);
  let bits = vec4<u32>(distance & 31u);
  // In two shifts, of which each is by less than 32 bits.
  return (m << bits) | ((vec4<u32>(0u, m.xyz) >> (31u - bits)) >> vec4<u32>(1u));
}

fn keep_shift_right(a: vec4<u32>, distance: u32) -> vec4<u32> {
  let far = select(a, vec4<u32>(a.zw, 0u, 0u), (distance & 64u) != 0u);
  let m = select(far, vec4<u32>(far.yzw, 0u), (distance & 32u) != 0u);
  let bits = vec4<u32>(distance & 31u);
  return (m >> bits) | ((vec4<u32>(m.yzw, 0u) << (31u - bits)) << vec4<u32>(1u));
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

// The whole product of two words each.
fn keep_multiply_pairs(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {
  let low = keep_multiply_words(a.x, b.x);
  let left = keep_multiply_words(a.y, b.x);
  let right = keep_multiply_words(a.x, b.y);
  let high = keep_multiply_words(a.y, b.y);
  let sum = keep_add_wide(vec4<u32>(low, high), vec4<u32>(0u, left, 0u));
  return keep_add_wide(sum, vec4<u32>(0u, right, 0u));
}

// Modulo 2^128.
fn keep_multiply_wide(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
  // Of what lies above the lowest 64 bits only the lowest 64 count.
  let cross = keep_add_wide(vec4<u32>(keep_multiply_words(a.z, b.x), 0u, 0u),
                            vec4<u32>(keep_multiply_words(a.x, b.z), 0u, 0u));
  let top = cross.y + a.w * b.x + a.z * b.y + a.y * b.z + a.x * b.w;
  return keep_add_wide(keep_multiply_pairs(a.xy, b.xy), vec4<u32>(0u, 0u, cross.x, top));
}

struct keep_Quotient {
  whole: vec4<u32>,
  rest: vec4<u32>,
}

// Of magnitudes below 2^127, bit by bit; b of 0 counts as 1.
fn keep_divide_magnitudes(a: vec4<u32>, b: vec4<u32>) -> keep_Quotient {
  var divisor = b;
  divisor.x |= select(0u, 1u, all(b == vec4<u32>()));
  var q = keep_Quotient(a, vec4<u32>());
  for (var k = 0u; k < 128u; k++) {
    q.rest = (q.rest << vec4<u32>(1u)) | (vec4<u32>(q.whole.w, q.rest.xyz) >> vec4<u32>(31u));
    q.whole = (q.whole << vec4<u32>(1u)) | (vec4<u32>(0u, q.whole.xyz) >> vec4<u32>(31u));
    let less = keep_subtract_wide(q.rest, divisor);
    if (!keep_is_negative(less)) {
      q.rest = less;
      q.whole.x |= 1u;
    }
  }
  return q;
}

// Floored division, and the rest of it, which has the sign of b.
fn keep_floor_divide_wide(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
  let q = keep_divide_magnitudes(keep_magnitude(a), keep_magnitude(b));
  let differ = keep_is_negative(a) != keep_is_negative(b);
  // -(whole + 1) is ~whole.
  if (differ && any(q.rest != vec4<u32>())) { return ~q.whole; }
  return keep_with_sign(q.whole, differ);
}

fn keep_modulo_wide(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
  let rest = keep_divide_magnitudes(keep_magnitude(a), keep_magnitude(b)).rest;
  let signed_rest = keep_with_sign(rest, keep_is_negative(a));
  if (any(rest != vec4<u32>()) && keep_is_negative(a) != keep_is_negative(b)) {
    return keep_add_wide(signed_rest, b);
  }
  return signed_rest;
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
