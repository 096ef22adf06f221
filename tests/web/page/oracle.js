// Plain loops that say what is right, sharing nothing with the library.

export function random(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>>= 0);
  };
}

const wrap = {
  u32: (x) => Number(BigInt.asUintN(32, BigInt(x))),
  i32: (x) => Number(BigInt.asIntN(32, BigInt(x))),
  u64: (x) => BigInt.asUintN(64, BigInt(x)),
  i64: (x) => BigInt.asIntN(64, BigInt(x)),
  f32: Math.fround,
  f64: (x) => x,
  f16: Math.fround,  // combined in f32
};
// What is stored of a result.
export const stored = (type, x) => (type === 'f16' ? Math.f16round(x) : x);
export const arrayOf = {
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  u64: BigUint64Array,
  i64: BigInt64Array,
  f64: Float64Array,
  f16: globalThis.Float16Array,
};
const isFloat = (type) => type[0] === 'f';

// older combined with newer, integers in BigInt and wrapped afterwards.
export function combine(op, type, a, b) {
  if (isFloat(type)) {
    const result = { add: a + b, mul: a * b, min: Math.min(a, b), max: Math.max(a, b) }[op];
    return wrap[type](result);
  }
  const [x, y] = [BigInt(a), BigInt(b)];
  const largest = type === 'u64' ? 2n ** 64n - 1n : 2n ** 32n - 1n;
  const results = {
    add: () => x + y,
    mul: () => x * y,
    min: () => (y < x ? y : x),
    max: () => (x < y ? y : x),
    and: () => x & y,
    or: () => x | y,
    xor: () => x ^ y,
    'add-saturated': () => (x + y > largest ? largest : x + y),
  };
  return wrap[type](results[op]());
}

export function identity(op, type) {
  const bits = type.endsWith('64') ? 64n : 32n;
  const signed = type[0] === 'i';
  const most = isFloat(type) ? Infinity : signed ? 2n ** (bits - 1n) - 1n : 2n ** bits - 1n;
  const least = isFloat(type) ? -Infinity : signed ? -(2n ** (bits - 1n)) : 0n;
  const values = { mul: 1, min: most, max: least, and: signed ? -1n : most };
  return wrap[type](values[op] ?? 0);
}

export function scan(values, type, { op = 'add', exclusive = false, reverse = false, init, includeInitial = false }) {
  const ordered = reverse ? Array.from(values).reverse() : Array.from(values);
  const first = init ?? identity(op, type);
  const results = [];
  let sum = init ?? null;
  if (includeInitial) results.push(first);
  for (const x of ordered) {
    if (exclusive && !includeInitial) results.push(sum ?? first);
    sum = sum === null ? x : combine(op, type, sum, x);
    if (!exclusive || includeInitial) results.push(sum);
  }
  const kept = results.map((x) => stored(type, x));
  return { values: reverse ? kept.reverse() : kept, total: stored(type, sum ?? first) };
}

// Values whose sums stay exact, whatever the order: small integers also in floats. Those of f16 are
// exact in f32, and many of them are none of its own.
export function data(type, n, seed, small = isFloat(type)) {
  const next = random(seed);
  const made = new arrayOf[type](n);
  for (let i = 0; i < n; ++i) {
    const x = small ? next() % 17 - (type[0] === 'u' ? 0 : 8) : next();
    if (type === 'f16') made[i] = x * 25;
    else made[i] = type.endsWith('64') && !isFloat(type) ? BigInt(x) * (small ? 1n : 0x100000007n) : x;
  }
  return made;
}

// Where two lists differ first, as text; null where they do not.
export function difference(actual, expected, what) {
  if (actual.length !== expected.length) return `${what}: ${actual.length} results instead of ${expected.length}`;
  for (let i = 0; i < expected.length; ++i) {
    if (!Object.is(actual[i], expected[i]) && !(actual[i] === 0 && expected[i] === 0)) {
      return `${what}: [${i}] is ${actual[i]} instead of ${expected[i]}`;
    }
  }
  return null;
}
