// Floats of predicates: IEEE 754 in integers, to the nearest, ties to even. A device may flush
// small numbers, fuse operations and take NaN for impossible; this gives the bits of a processor.
// An f32 is its bits, an f64 two words, the low one first.

#import lib/keep_wide.wgsl

const keep_zero = 0u;
const keep_finite = 1u;
const keep_infinite = 2u;
const keep_nan = 3u;

// (-1)^sign * magnitude * 2^exponent
struct keep_Float {
  kind: u32,
  sign: u32,
  exponent: i32,
  magnitude: vec4<u32>,
}

fn keep_unpack(sign: u32, biased: u32, most: u32, lowest: i32, hidden: vec2<u32>,
               fraction: vec2<u32>) -> keep_Float {
  let empty = all(fraction == vec2<u32>());
  if (biased == most) {
    return keep_Float(select(keep_nan, keep_infinite, empty), sign, 0, vec4<u32>());
  }
  if (biased == 0u) {
    return keep_Float(select(keep_finite, keep_zero, empty), sign, lowest,
                      vec4<u32>(fraction, 0u, 0u));
  }
  return keep_Float(keep_finite, sign, lowest + i32(biased) - 1,
                    vec4<u32>(fraction | hidden, 0u, 0u));
}

fn keep_unpack_f32(a: u32) -> keep_Float {
  return keep_unpack(a >> 31u, (a >> 23u) & 0xffu, 0xffu, -149, vec2<u32>(0x800000u, 0u),
                     vec2<u32>(a & 0x7fffffu, 0u));
}

fn keep_unpack_f64(a: vec2<u32>) -> keep_Float {
  return keep_unpack(a.y >> 31u, (a.y >> 20u) & 0x7ffu, 0x7ffu, -1074, vec2<u32>(0u, 0x100000u),
                     vec2<u32>(a.x, a.y & 0xfffffu));
}

struct keep_Format {
  digits: u32,
  lowest: i32,         // exponent of the lowest bit of a subnormal number
  most: u32,           // the biased exponent of infinity
  words: bool,         // an f64
}

fn keep_f32_format() -> keep_Format { return keep_Format(24u, -149, 0xffu, false); }
fn keep_f64_format() -> keep_Format { return keep_Format(53u, -1074, 0x7ffu, true); }

// A number with nothing but a sign and an exponent, as bits; of an f32 in the first word.
fn keep_bits(f: keep_Format, sign: u32, biased: u32) -> vec2<u32> {
  if (f.words) { return vec2<u32>(0u, (sign << 31u) | (biased << 20u)); }
  return vec2<u32>((sign << 31u) | (biased << 23u), 0u);
}

fn keep_nan_bits(f: keep_Format) -> vec2<u32> {
  if (f.words) { return vec2<u32>(0u, 0x7ff80000u); }
  return vec2<u32>(0x7fc00000u, 0u);
}

// The float nearest to (-1)^sign * (magnitude and, where `more`, less than one more) * 2^exponent.
// With `more` there are at least 64 bits in the magnitude.
fn keep_round(f: keep_Format, sign: u32, magnitude: vec4<u32>, exponent: i32,
              more: bool) -> vec2<u32> {
  if (all(magnitude == vec4<u32>())) { return keep_bits(f, sign, 0u); }
  let zeros = keep_leading_zeros(magnitude);
  let m = keep_shift_left(magnitude, zeros);
  // Of the 128 bits so many are dropped; below the smallest normal number, more of them.
  let usual = 128u - f.digits;
  let last = exponent - i32(zeros) + i32(usual);
  let under = max(f.lowest - last, 0);
  if (under > i32(f.digits)) { return keep_bits(f, sign, 0u); }
  let dropped = usual + u32(under);
  var kept = keep_shift_right(m, dropped).xy;
  let below = keep_shift_left(m, 128u - dropped);
  let half = (below.w >> 31u) != 0u;
  let rest = more || any((below & vec4<u32>(~0u, ~0u, ~0u, 0x7fffffffu)) != vec4<u32>());
  if (half && (rest || (kept.x & 1u) != 0u)) {
    kept.x += 1u;
    kept.y += select(0u, 1u, kept.x == 0u);
  }
  // The hidden bit adds the one that is missing in the biased exponent, and so does a carry.
  let biased = select(0, last - f.lowest, under == 0);
  if (biased >= i32(f.most) - 1) { return keep_bits(f, sign, f.most); }
  let scale = keep_bits(f, sign, u32(biased));
  return vec2<u32>(kept.x + scale.x, kept.y + scale.y);
}

fn keep_add_floats(f: keep_Format, a: keep_Float, b: keep_Float) -> vec2<u32> {
  if (a.kind == keep_nan || b.kind == keep_nan) { return keep_nan_bits(f); }
  if (a.kind == keep_infinite && b.kind == keep_infinite && a.sign != b.sign) {
    return keep_nan_bits(f);
  }
  if (a.kind == keep_infinite) { return keep_bits(f, a.sign, f.most); }
  if (b.kind == keep_infinite) { return keep_bits(f, b.sign, f.most); }
  if (a.kind == keep_zero && b.kind == keep_zero) { return keep_bits(f, a.sign & b.sign, 0u); }
  if (a.kind == keep_zero) { return keep_round(f, b.sign, b.magnitude, b.exponent, false); }
  if (b.kind == keep_zero) { return keep_round(f, a.sign, a.magnitude, a.exponent, false); }
  var x = a;
  var y = b;
  if (a.exponent < b.exponent) {
    x = b;
    y = a;
  }
  // 64 bits are left below x for what y has there, and whether there was more still.
  let distance = u32(x.exponent - y.exponent);
  let exponent = x.exponent - 64;
  let high = keep_shift_left(x.magnitude, 64u);
  let all_of_low = keep_shift_left(y.magnitude, 64u);
  let low = keep_shift_right(all_of_low, distance);
  let more = any(keep_shift_left(low, distance) != all_of_low) || distance >= 128u;
  if (x.sign == y.sign) { return keep_round(f, x.sign, keep_add_wide(high, low), exponent, more); }
  if (keep_less_magnitude(high, low)) {
    return keep_round(f, y.sign, keep_subtract_wide(low, high), exponent, false);
  }
  if (all(high == low)) { return keep_bits(f, 0u, 0u); }
  let difference = keep_subtract_wide(high, low);
  if (!more) { return keep_round(f, x.sign, difference, exponent, false); }
  return keep_round(f, x.sign, keep_subtract_wide(difference, vec4<u32>(1u, 0u, 0u, 0u)), exponent,
                    true);
}

fn keep_multiply_floats(f: keep_Format, a: keep_Float, b: keep_Float) -> vec2<u32> {
  let sign = a.sign ^ b.sign;
  let infinite = a.kind == keep_infinite || b.kind == keep_infinite;
  let zero = a.kind == keep_zero || b.kind == keep_zero;
  if (a.kind == keep_nan || b.kind == keep_nan || (infinite && zero)) { return keep_nan_bits(f); }
  if (infinite) { return keep_bits(f, sign, f.most); }
  if (zero) { return keep_bits(f, sign, 0u); }
  return keep_round(f, sign, keep_multiply_wide(a.magnitude, b.magnitude), a.exponent + b.exponent,
                    false);
}

fn keep_divide_floats(f: keep_Format, a: keep_Float, b: keep_Float) -> vec2<u32> {
  let sign = a.sign ^ b.sign;
  if (a.kind == keep_nan || b.kind == keep_nan || (a.kind == b.kind && a.kind != keep_finite)) {
    return keep_nan_bits(f);
  }
  if (a.kind == keep_infinite || b.kind == keep_zero) { return keep_bits(f, sign, f.most); }
  if (a.kind == keep_zero || b.kind == keep_infinite) { return keep_bits(f, sign, 0u); }
  // At least 127 bits by at most 53.
  let shift = keep_leading_zeros(a.magnitude) - 1u;
  let q = keep_divide_magnitudes(keep_shift_left(a.magnitude, shift), b.magnitude);
  return keep_round(f, sign, q.whole, a.exponent - i32(shift) - b.exponent,
                    any(q.rest != vec4<u32>()));
}

fn keep_add_f32(a: u32, b: u32) -> u32 {
  return keep_add_floats(keep_f32_format(), keep_unpack_f32(a), keep_unpack_f32(b)).x;
}
fn keep_subtract_f32(a: u32, b: u32) -> u32 { return keep_add_f32(a, keep_negate_f32(b)); }
fn keep_multiply_f32(a: u32, b: u32) -> u32 {
  return keep_multiply_floats(keep_f32_format(), keep_unpack_f32(a), keep_unpack_f32(b)).x;
}
fn keep_divide_f32(a: u32, b: u32) -> u32 {
  return keep_divide_floats(keep_f32_format(), keep_unpack_f32(a), keep_unpack_f32(b)).x;
}
fn keep_negate_f32(a: u32) -> u32 { return a ^ 0x80000000u; }

fn keep_add_f64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return keep_add_floats(keep_f64_format(), keep_unpack_f64(a), keep_unpack_f64(b));
}
fn keep_subtract_f64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return keep_add_f64(a, keep_negate_f64(b));
}
fn keep_multiply_f64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return keep_multiply_floats(keep_f64_format(), keep_unpack_f64(a), keep_unpack_f64(b));
}
fn keep_divide_f64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return keep_divide_floats(keep_f64_format(), keep_unpack_f64(a), keep_unpack_f64(b));
}
fn keep_negate_f64(a: vec2<u32>) -> vec2<u32> { return vec2<u32>(a.x, a.y ^ 0x80000000u); }

fn keep_f64_of_f32(a: u32) -> vec2<u32> {
  let x = keep_unpack_f32(a);
  if (x.kind == keep_nan) { return keep_nan_bits(keep_f64_format()); }
  if (x.kind == keep_infinite) { return keep_bits(keep_f64_format(), x.sign, 0x7ffu); }
  return keep_round(keep_f64_format(), x.sign, x.magnitude, x.exponent, false);
}

fn keep_f64_of_wide(a: vec4<u32>, has_value: bool) -> vec2<u32> {
  if (!has_value) { return keep_nan_bits(keep_f64_format()); }
  return keep_round(keep_f64_format(), a.w >> 31u, keep_magnitude(a), 0, false);
}

fn keep_is_nan_f32(a: u32) -> bool { return (a & 0x7fffffffu) > 0x7f800000u; }

// In the order of the floats; both zeros are 0.
fn keep_key_f32(a: u32) -> i32 {
  let magnitude = bitcast<i32>(a & 0x7fffffffu);
  return select(magnitude, -magnitude, (a >> 31u) != 0u);
}

fn keep_less_f32(a: u32, b: u32) -> bool {
  return !keep_is_nan_f32(a) && !keep_is_nan_f32(b) && keep_key_f32(a) < keep_key_f32(b);
}
fn keep_less_equal_f32(a: u32, b: u32) -> bool {
  return !keep_is_nan_f32(a) && !keep_is_nan_f32(b) && keep_key_f32(a) <= keep_key_f32(b);
}
fn keep_equal_f32(a: u32, b: u32) -> bool {
  return !keep_is_nan_f32(a) && !keep_is_nan_f32(b) && keep_key_f32(a) == keep_key_f32(b);
}

fn keep_is_nan_f64(a: vec2<u32>) -> bool {
  let high = a.y & 0x7fffffffu;
  return high > 0x7ff00000u || (high == 0x7ff00000u && a.x != 0u);
}

fn keep_key_f64(a: vec2<u32>) -> vec4<u32> {
  let magnitude = vec4<u32>(a.x, a.y & 0x7fffffffu, 0u, 0u);
  if ((a.y >> 31u) != 0u) { return keep_negate_wide(magnitude); }
  return magnitude;
}

fn keep_less_f64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return !keep_is_nan_f64(a) && !keep_is_nan_f64(b) &&
         keep_less_wide(keep_key_f64(a), keep_key_f64(b));
}
fn keep_less_equal_f64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return !keep_is_nan_f64(a) && !keep_is_nan_f64(b) &&
         !keep_less_wide(keep_key_f64(b), keep_key_f64(a));
}
fn keep_equal_f64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return !keep_is_nan_f64(a) && !keep_is_nan_f64(b) && all(keep_key_f64(a) == keep_key_f64(b));
}

// How an integer stands to an f64, exactly: -1 less, 0 equal, 1 greater, 2 where that is NaN.
fn keep_order(a: vec4<u32>, b: vec2<u32>) -> i32 {
  let x = keep_unpack_f64(b);
  let far = select(-1, 1, x.sign != 0u);
  if (x.kind == keep_nan) { return 2; }
  if (x.kind == keep_infinite) { return far; }
  var whole = x.magnitude;
  var fraction = false;
  if (x.exponent >= 0) {
    if (x.exponent + 128 - i32(keep_leading_zeros(x.magnitude)) > 127) { return far; }
    whole = keep_shift_left(x.magnitude, u32(x.exponent));
  } else {
    whole = keep_shift_right(x.magnitude, u32(-x.exponent));
    fraction = any(keep_shift_left(whole, u32(-x.exponent)) != x.magnitude);
  }
  if (x.sign != 0u) {
    whole = keep_negate_wide(whole);
    if (fraction) { whole = keep_subtract_wide(whole, vec4<u32>(1u, 0u, 0u, 0u)); }
  }
  if (keep_less_wide(a, whole)) { return -1; }
  if (all(a == whole)) { return select(0, -1, fraction); }
  return 1;
}
