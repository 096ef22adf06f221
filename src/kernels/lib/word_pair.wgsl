// 64-bit integers as two words, Element(low, high). Sums and products wrap modulo 2^64.

fn add_pairs(a: Element, b: Element) -> Element {
  let low = a.low + b.low;
  let carry = select(0u, 1u, low < a.low);
  return Element(low, a.high + b.high + carry);
}

// Not past the largest pair.
fn add_pairs_saturated(a: Element, b: Element) -> Element {
  let sum = add_pairs(a, b);
  return choose(sum, Element(0xffffffffu, 0xffffffffu), less_u64(sum, a));
}

// The whole product of two words, by halves: no partial sum leaves 32 bits.
fn multiply_words(a: u32, b: u32) -> Element {
  let a0 = a & 0xffffu;
  let a1 = a >> 16u;
  let b0 = b & 0xffffu;
  let b1 = b >> 16u;
  let low = a0 * b0;
  let left = a1 * b0 + (low >> 16u);
  let right = a0 * b1 + (left & 0xffffu);
  return Element((right << 16u) | (low & 0xffffu), a1 * b1 + (left >> 16u) + (right >> 16u));
}

fn multiply_pairs(a: Element, b: Element) -> Element {
  let product = multiply_words(a.low, b.low);
  return Element(product.low, product.high + a.low * b.high + a.high * b.low);
}

fn less_u64(a: Element, b: Element) -> bool {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}

fn less_i64(a: Element, b: Element) -> bool {
  let a_high = bitcast<i32>(a.high);
  let b_high = bitcast<i32>(b.high);
  return a_high < b_high || (a_high == b_high && a.low < b.low);
}
