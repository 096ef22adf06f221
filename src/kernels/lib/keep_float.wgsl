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
  magnitude: vec2<u32>,
}

fn keep_unpack(sign: u32, biased: u32, most: u32, lowest: i32, hidden: vec2<u32>,
               fraction: vec2<u32>) -> keep_Float {
  let empty = all(fraction == vec2<u32>());
  if (biased == most) {
    return keep_Float(select(keep_nan, keep_infinite, empty), sign, 0, vec2<u32>());
  }
  if (biased == 0u) {
    return keep_Float(select(keep_finite, keep_zero, empty), sign, lowest, fraction);
  }
  return keep_Float(keep_finite, sign, lowest + i32(biased) - 1, fraction | hidden);
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
  let zeros = keep_leading_zeros(magnitude) & 127u;
  let m = keep_shift_left(magnitude, zeros);
  // Of the 128 bits so many are dropped; below the smallest normal number, more of them.
  let usual = 128u - f.digits;
  let last = exponent - i32(zeros) + i32(usual);
  let under = max(f.lowest - last, 0);
  let dropped = usual + u32(min(under, i32(f.digits) - 1));
  var kept = keep_shift_right(m, dropped).xy;
  let below = keep_shift_left(m, 128u - dropped);
  // With one digit more dropped, the digit kept is the first one dropped.
  let last_one = under == i32(f.digits);
  let half = (last_one && kept.x != 0u) || (!last_one && (below.w >> 31u) != 0u);
  let rest = more || (last_one && any(below != vec4<u32>())) ||
             any((below & vec4<u32>(~0u, ~0u, ~0u, 0x7fffffffu)) != vec4<u32>());
  if (last_one) { kept = vec2<u32>(); }
  let up = select(0u, 1u, half && (rest || (kept.x & 1u) != 0u));
  let low = kept.x + up;
  // The hidden bit adds the one that is missing in the biased exponent, and so does a carry.
  let biased = select(0, last - f.lowest, under == 0);
  let scale = keep_bits(f, sign, u32(clamp(biased, 0, i32(f.most))));
  if (under > i32(f.digits) || all(magnitude == vec4<u32>())) { return keep_bits(f, sign, 0u); }
  if (biased >= i32(f.most) - 1) { return keep_bits(f, sign, f.most); }
  return vec2<u32>(low + scale.x, kept.y + scale.y + select(0u, 1u, low < up));
}

fn keep_add_floats(f: keep_Format, a: keep_Float, b: keep_Float) -> vec2<u32> {
  let a_first = b.kind == keep_zero || (a.kind != keep_zero && a.exponent >= b.exponent);
  var x = b;
  var y = a;
  if (a_first) {
    x = a;
    y = b;
  }
  // 64 bits are left below x for what y has there, and whether there was more still.
  let distance = u32(clamp(x.exponent - y.exponent, 0, 127));
  let all_of_low = vec4<u32>(0u, 0u, y.magnitude);
  let low = keep_shift_right(all_of_low, distance);
  let more = any(keep_shift_left(low, distance) != all_of_low);
  // high + low, or high - low - (1 where there was more).
  let differ = x.sign != y.sign;
  let sum = keep_add_carry(vec4<u32>(0u, 0u, x.magnitude),
                           low ^ vec4<u32>(select(0u, ~0u, differ)),
                           select(0u, 1u, differ && !more));
  let negative = keep_is_negative(sum);
  let zero = all(sum == vec4<u32>());
  let sign = select(x.sign ^ select(0u, 1u, negative), x.sign & y.sign, zero);
  let rounded = keep_round(f, sign, keep_with_sign(sum, negative), x.exponent - 64, more);
  let infinite = a.kind == keep_infinite || b.kind == keep_infinite;
  if (a.kind == keep_nan || b.kind == keep_nan ||
      (a.kind == keep_infinite && b.kind == keep_infinite && differ)) {
    return keep_nan_bits(f);
  }
  if (infinite) { return keep_bits(f, select(b.sign, a.sign, a.kind == keep_infinite), f.most); }
  return rounded;
}

fn keep_multiply_floats(f: keep_Format, a: keep_Float, b: keep_Float) -> vec2<u32> {
  let sign = a.sign ^ b.sign;
  let infinite = a.kind == keep_infinite || b.kind == keep_infinite;
  let zero = a.kind == keep_zero || b.kind == keep_zero;
  let product = keep_multiply_pairs(a.magnitude, b.magnitude);
  let rounded = keep_round(f, sign, product, a.exponent + b.exponent, false);
  if (a.kind == keep_nan || b.kind == keep_nan || (infinite && zero)) { return keep_nan_bits(f); }
  if (infinite) { return keep_bits(f, sign, f.most); }
  return rounded;
}

fn keep_divide_floats(f: keep_Format, a: keep_Float, b: keep_Float) -> vec2<u32> {
  let sign = a.sign ^ b.sign;
  // 127 bits by at most 53.
  let magnitude = vec4<u32>(a.magnitude, 0u, 0u);
  let shift = (keep_leading_zeros(magnitude) - 1u) & 127u;
  let q = keep_divide_magnitudes(keep_shift_left(magnitude, shift),
                                 vec4<u32>(b.magnitude, 0u, 0u));
  let rounded = keep_round(f, sign, q.whole, a.exponent - i32(shift) - b.exponent,
                           any(q.rest != vec4<u32>()));
  if (a.kind == keep_nan || b.kind == keep_nan || (a.kind == b.kind && a.kind != keep_finite)) {
    return keep_nan_bits(f);
  }
  if (a.kind == keep_infinite || b.kind == keep_zero) { return keep_bits(f, sign, f.most); }
  if (a.kind == keep_zero || b.kind == keep_infinite) { return keep_bits(f, sign, 0u); }
  return rounded;
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

// Every f32 is an f64, most of them by moving bits: 2^-1022 is far below what is subnormal here.
fn keep_f64_of_f32(a: u32) -> vec2<u32> {
  let x = keep_unpack_f32(a);
  if (x.kind == keep_nan) { return keep_nan_bits(keep_f64_format()); }
  if (x.kind == keep_infinite) { return keep_bits(keep_f64_format(), x.sign, 0x7ffu); }
  if (x.kind == keep_zero) { return keep_bits(keep_f64_format(), x.sign, 0u); }
  let zeros = countLeadingZeros(x.magnitude.x);
  // The leading bit becomes the hidden one.
  let fraction = x.magnitude.x << zeros;
  let biased = u32(x.exponent + 31 - i32(zeros) + 1023 - 1);
  return vec2<u32>(fraction << 21u, (x.sign << 31u) + (biased << 20u) + (fraction >> 11u));
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

// By their magnitudes where both are positive, the other way round where both are negative.
fn keep_less_bits_f64(a: vec2<u32>, b: vec2<u32>) -> bool {
  let a_high = a.y & 0x7fffffffu;
  let b_high = b.y & 0x7fffffffu;
  let less = a_high < b_high || (a_high == b_high && a.x < b.x);
  let same = a_high == b_high && a.x == b.x;
  let a_negative = (a.y >> 31u) != 0u;
  if (a_negative != ((b.y >> 31u) != 0u)) { return a_negative && (a_high | a.x | b_high | b.x) != 0u; }
  return select(less, !less && !same, a_negative);
}

fn keep_equal_bits_f64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return all(a == b) || (((a.y | b.y) << 1u) | a.x | b.x) == 0u;
}

fn keep_less_f64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return !keep_is_nan_f64(a) && !keep_is_nan_f64(b) && keep_less_bits_f64(a, b);
}
fn keep_less_equal_f64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return !keep_is_nan_f64(a) && !keep_is_nan_f64(b) && !keep_less_bits_f64(b, a);
}
fn keep_equal_f64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return !keep_is_nan_f64(a) && !keep_is_nan_f64(b) && keep_equal_bits_f64(a, b);
}

// How an integer stands to an f64, exactly: -1 less, 0 equal, 1 greater, 2 where that is NaN.
fn keep_order(a: vec4<u32>, b: vec2<u32>) -> i32 {
  let x = keep_unpack_f64(b);
  let far = select(-1, 1, x.sign != 0u);
  if (x.kind == keep_nan) { return 2; }
  if (x.kind == keep_infinite) { return far; }
  let magnitude = vec4<u32>(x.magnitude, 0u, 0u);
  if (x.exponent + 128 - i32(keep_leading_zeros(magnitude)) > 127) { return far; }
  let up = u32(clamp(x.exponent, 0, 127));
  let down = u32(clamp(-x.exponent, 0, 127));
  let floor_of_magnitude = keep_shift_right(keep_shift_left(magnitude, up), down);
  let fraction = down > 0u && any(keep_shift_left(floor_of_magnitude, down) != magnitude);
  // -whole, and one less where there is a fraction: ~whole is -whole - 1.
  var whole = keep_with_sign(floor_of_magnitude, x.sign != 0u);
  if (x.sign != 0u && fraction) { whole = ~floor_of_magnitude; }
  if (keep_less_wide(a, whole)) { return -1; }
  if (all(a == whole)) { return select(0, -1, fraction); }
  return 1;
}
