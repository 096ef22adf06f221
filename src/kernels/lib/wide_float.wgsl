// Sums of f32 as pairs, Element(high, low), whose value is high + low: step by step what
// cumulo/wide.hpp does.
#import lib/rounded.wgsl

// a + b, and what its rounding lost (Knuth 1969).
fn two_sum(a: f32, b: f32) -> Element {
  let sum = rounded(a + b);
  if ((bitcast<u32>(sum) & 0x7f800000u) == 0x7f800000u) { return Element(sum, 0.0); }
  let b_part = rounded(sum - a);
  let a_part = rounded(sum - b_part);
  return Element(sum, rounded(rounded(a - a_part) + rounded(b - b_part)));
}

fn add_wide(older: Element, newer: Element) -> Element {
  let high = two_sum(older.high, newer.high);
  return two_sum(high.high, rounded(rounded(older.low + newer.low) + high.low));
}
