// Every primitive against plain loops, on the backend that load() is given.
import { arrayOf, combine, data, difference, identity, random, scan, stored } from './oracle.js';

const selected = ['u32', 'i32', 'f32', 'u64', 'i64'];
// Browsers of before 2025 have no arrays of halves.
const halves = 'Float16Array' in globalThis ? ['f16'] : [];
const types = [...selected, ...halves];
// f64 is the CPU's alone.
const doubles = (backend) => (backend === 'cpu' ? ['f64'] : []);

export async function open(site, backend) {
  const { load } = await import(`${site}cumulo/cumulo.js`);
  return load(backend === 'cpu' ? null : undefined);
}

const operatorsOf = (type) => [
  'add', 'mul', 'min', 'max',
  ...(type[0] === 'f' ? [] : ['and', 'or', 'xor']),
  ...(type[0] === 'u' ? ['add-saturated'] : []),
];

async function checkScan(cumulo, values, type, options) {
  const result = await cumulo.scan(values, options);
  const { algorithm, ...description } = options;
  const expected = scan(values, type, description);
  const asked = JSON.stringify(options, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
  const what = `scan of ${values.length} ${type} ${asked} by ${result.algorithm}`;
  const total = difference([result.total], [expected.total], `total of the ${what}`);
  return difference(result.values, expected.values, what) ?? total;
}

export async function scanSizes(site, backend, sizes) {
  const cumulo = await open(site, backend);
  const faults = [];
  let k = 0;
  for (const n of sizes) {
    for (const type of types) {
      faults.push(await checkScan(cumulo, data(type, n, 7 + n), type, { exclusive: k++ % 2 === 1 }));
    }
    ++k;  // each type in both forms
  }
  if (cumulo.backend !== backend) faults.push(`run by ${cumulo.backend}`);
  return faults.filter((fault) => fault);
}

export async function scanOperators(site, backend, n, type) {
  const cumulo = await open(site, backend);
  const faults = [];
  let k = types.indexOf(type);
  for (const op of operatorsOf(type)) {
    ++k;
    // Products of floats would overflow: signs alone.
    const values = type[0] === 'f' && op === 'mul' ? arrayOf[type].from({ length: n }, (_, i) => (i % 3 ? 1 : -1)) : data(type, n, 3 + k);
    const init = type.endsWith('64') && type[0] !== 'f' ? 5n : 5;
    const options = [
      { op },
      { op, exclusive: true, reverse: true },
      { op, includeInitial: true, init },
    ][k % 3];
    faults.push(await checkScan(cumulo, values, type, options));
  }
  return faults.filter((fault) => fault);
}

export async function scanAlgorithms(site, algorithms, n) {
  const cumulo = await open(site, 'webgpu');
  const faults = [];
  for (const algorithm of algorithms) {
    faults.push(await checkScan(cumulo, data('u32', n, 5), 'u32', { algorithm, exclusive: n % 2 === 1 }));
  }
  return faults.filter((fault) => fault);
}

export async function wideSums(site, backend, n) {
  const cumulo = await open(site, backend);
  const faults = [];
  const sums = (values) => {
    let sum = 0n;
    return Array.from(values, (x) => (sum += BigInt(x)));
  };
  for (const type of ['u32', 'i32']) {
    const values = data(type, n, 9);
    const expected = sums(values);
    const { values: found, total } = await cumulo.scan(values, { wide: true });
    faults.push(difference(found, expected, `wide ${type}`) ?? difference([total], expected.slice(-1), 'total'));
    const { value } = await cumulo.reduce(values, { wide: true });
    faults.push(difference([value], expected.slice(-1), `wide reduction of ${type}`));
  }
  for (const type of ['f32', ...halves]) {
    const values = data(type, n, 4);
    const { values: found } = await cumulo.scan(values, { wide: true });
    faults.push(difference(found, sums(values).map(Number), `wide ${type}`));
  }
  return faults.filter((fault) => fault);
}

// Few, as a driver compiles each kernel; the kernels are the scan's operators over.
const reduced = { u32: ['add', 'xor'], i32: ['min'], f32: ['add', 'max'], f16: ['add', 'min'], f64: ['add', 'max'], u64: ['add'], i64: ['max'] };

export async function reductions(site, backend, sizes) {
  const cumulo = await open(site, backend);
  const faults = [];
  let k = 0;
  for (const n of sizes) {
    for (const type of [...types, ...doubles(backend)]) {
      const operators = reduced[type];
      const op = operators[k++ % operators.length];
      const values = data(type, n, 11 + n);
      let expected = identity(op, type);
      values.forEach((x, i) => (expected = i === 0 ? x : combine(op, type, expected, x)));
      const { value } = await cumulo.reduce(values, { op });
      faults.push(difference([value], [stored(type, expected)], `reduction of ${n} ${type} by ${op}`));
    }
  }
  return faults.filter((fault) => fault);
}

export async function selections(site, backend, sizes, algorithm) {
  const cumulo = await open(site, backend);
  const faults = [];
  let k = 0;
  for (const n of sizes) {
    const all = [...selected, ...doubles(backend)];
    const type = all[k++ % all.length];
    const values = data(type, n, 13 + n, true);
    const next = random(n + 1);
    const bits = Array.from({ length: n }, () => next() % 3 > 0);
    const flags = [Uint8Array.from(bits, Number), Uint32Array.from(bits, (bit) => (bit ? 7 : 0)), bits][k % 3];
    const list = Array.from(values);
    const kept = list.filter((_, i) => bits[i]);
    const rest = list.filter((_, i) => !bits[i]);
    const indices = bits.flatMap((bit, i) => (bit ? [i] : []));
    const what = `${n} ${type}`;
    const compacted = await cumulo.compact(values, flags, { algorithm });
    faults.push(difference(compacted.values, kept, `compact of ${what}`));
    faults.push(difference(compacted.indices, indices, `indices of ${what}`));
    const parted = await cumulo.partition(values, flags, { algorithm });
    faults.push(difference(parted.values, [...kept, ...rest], `partition of ${what}`));
    faults.push(difference([parted.split], [kept.length], `split of ${what}`));
    const above = await cumulo.compact(values, 'x > 3 and i % 2 == 0', { algorithm });
    faults.push(difference(above.values, list.filter((x, i) => x > 3 && i % 2 === 0), `predicate over ${what}`));
    const three = await cumulo.partition(values, 'x > 5', { algorithm, second: 'x > 2' });
    const ways = [list.filter((x) => x > 5), list.filter((x) => x <= 5 && x > 2), list.filter((x) => x <= 2)];
    faults.push(difference(three.values, ways.flat(), `three-way partition of ${what}`));
    faults.push(difference([three.split, three.second], [ways[0].length, ways[0].length + ways[1].length], 'splits'));
    const starts = list.flatMap((x, i) => (i === 0 || !Object.is(x, list[i - 1]) ? [i] : []));
    const found = await cumulo.runs(values, { algorithm });
    faults.push(difference(found.starts, starts, `starts of runs of ${what}`));
    faults.push(difference(found.values, starts.map((i) => list[i]), `values of runs of ${what}`));
    faults.push(difference(found.lengths, starts.map((i, r) => (starts[r + 1] ?? n) - i), `lengths of runs of ${what}`));
    const uniques = await cumulo.unique(values, { algorithm });
    faults.push(difference(uniques.values, starts.map((i) => list[i]), `unique of ${what}`));
    if (n > 0) {
      const decoded = await cumulo.expand(found.lengths, found.values);
      faults.push(difference(decoded.values, list, `decoding of ${what}`));
    }
  }
  return faults.filter((fault) => fault);
}

export async function allocations(site, backend, sizes) {
  const cumulo = await open(site, backend);
  const faults = [];
  for (const n of sizes) {
    const next = random(n + 5);
    const counts = Uint32Array.from({ length: n }, () => next() % 5);
    let sum = 0;
    const offsets = [0, ...Array.from(counts, (count) => (sum += count))];
    const capacity = Math.floor(sum / 2);
    const fitting = offsets.findLastIndex((offset) => offset <= capacity);
    for (const wide of [false, true]) {
      const made = await cumulo.allocate(counts, { capacity, wide });
      faults.push(difference(Array.from(made.offsets, Number), offsets, `offsets of ${n} counts`));
      faults.push(
        difference(
          [made.total, made.fitting, made.used, made.exceeds, made.overflowed],
          [sum, fitting, offsets[fitting], sum > capacity, false],
          `report of ${n} counts`,
        ),
      );
    }
    const items = Array.from(counts).flatMap((count, i) => Array(count).fill(i));
    const expanded = await cumulo.expand(counts);
    faults.push(difference(expanded.values, items, `expansion of ${n} counts`));
    const cut = await cumulo.expand(counts, null, { capacity });
    faults.push(difference(cut.values, items.slice(0, capacity), `expansion of ${n} counts, cut`));
    faults.push(difference([cut.total, cut.exceeds], [sum, sum > capacity], 'its report'));
  }
  const large = await cumulo.allocate(Uint32Array.of(4294967295, 5));
  faults.push(difference([large.total, large.overflowed], [4294967300, true], 'a total past 2^32'));
  return faults.filter((fault) => fault);
}

export async function monoids(site, n) {
  const cumulo = await open(site, 'webgpu');
  const affine = {
    name: 'affine',
    fields: [{ name: 'a', type: 'i32' }, { name: 'b', type: 'i32' }],
    wgsl: 'return Element(older.a * newer.a, newer.a * older.b + newer.b);',
    identity: [1, 0],
  };
  const next = random(3);
  const values = Int32Array.from({ length: 2 * n }, (_, i) => (i % 2 ? next() % 9 : (next() % 3) - 1));
  const expected = [];
  let [a, b] = [1, 0];
  for (let i = 0; i < n; ++i) {
    [a, b] = [Math.imul(a, values[2 * i]), (Math.imul(values[2 * i], b) + values[2 * i + 1]) | 0];
    expected.push(a, b);
  }
  const found = await cumulo.scan(values, { monoid: affine });
  // A field of floats: its identity and initial value are numbers, not their bits.
  const product = { name: 'product', fields: [{ name: 'a', type: 'f32' }], wgsl: 'return Element(older.a * newer.a);', identity: [1] };
  const halved = await cumulo.scan(Float32Array.of(0.5, 3, 1, 4), { monoid: product, exclusive: true, init: [0.5] });
  const plain = await cumulo.scan(Float32Array.of(0.5, 3, 1, 4), { monoid: product, exclusive: true });
  return [
    difference(halved.values, [0.5, 0.25, 0.75, 0.75], 'products from an initial value'),
    difference(plain.values, [1, 0.5, 1.5, 1.5], 'products'),
    difference(found.values, expected, 'affine maps'), difference(found.total, expected.slice(-2), 'total')].filter(
    (fault) => fault,
  );
}

// The kinds and the sentences of errors.
export async function errors(site, backend) {
  const cumulo = await open(site, backend);
  const tried = {
    type: () => cumulo.scan([1, 2, 3]),
    list_of_runs: () => cumulo.runs([1, 1, 2]),
    list_of_values: () => cumulo.expand(Uint32Array.of(1, 2), [1, 2]),
    nothing: () => cumulo.unique(),
    no_options: () => cumulo.scan(new Uint32Array(3), null),
    timed: () => cumulo.scan(new Uint32Array(3), { timed: 'often' }),
    untimed: () => cumulo.reduce(new Uint32Array(3), { timed: 0 }),
    part_of_element: () =>
      cumulo.scan(new Float32Array(3), {
        monoid: { name: 'two', fields: [{ name: 'a', type: 'f32' }, { name: 'b', type: 'f32' }], wgsl: '', identity: [0, 0] },
      }),
    selection_word: () => cumulo.partition(new Uint32Array(3), 'x > 1', { algorithm: 'single' }),
    capacity_of_compact: () => cumulo.compact(new Uint32Array(3), 'x > 1', { capacity: 2 }),
    two_predicates: () => cumulo.compact(new Uint32Array(3), 'x > 1', { where: 'x < 2' }),
    own_type: () => cumulo.scan(new Uint32Array(3), { type: 'f32' }),
    offsets_of_host: () => cumulo.expand(Uint32Array.of(0, 2, 3), null, { fromOffsets: true }),
    second_of_flags: () => cumulo.partition(new Uint32Array(3), [1, 0, 1], { second: 'x > 3' }),
    no_identity: () =>
      cumulo.reduce(new Float32Array(3), { monoid: { name: 'm', fields: [{ name: 'a', type: 'f32' }], wgsl: '', identity: [] } }),
    wide_fields: () =>
      cumulo.reduce(new BigUint64Array(2), { monoid: { name: 'm', fields: [{ name: 'a', type: 'u32' }], wgsl: '', identity: [0] } }),
    expand_without_capacity: () => cumulo.plan('expand', { n: 3 }),
    fraction: () => cumulo.allocate(new Uint32Array(3), { capacity: 1.5 }),
    description: () => cumulo.plan('scan', null),
    operator: () => cumulo.scan(new Float32Array(3), { op: 'xor' }),
    word: () => cumulo.scan(new Uint32Array(3), { op: 'plus' }),
    option: () => cumulo.scan(new Uint32Array(3), { includeInitail: true }),
    flags: () => cumulo.compact(new Uint32Array(3), new Uint8Array(2)),
    flag_type: () => cumulo.compact(new Uint32Array(1), Uint16Array.of(256)),
    function_as_predicate: () => cumulo.compact(Uint32Array.of(1, 2), (x) => x > 1),
    no_flags: () => cumulo.compact(Uint32Array.of(1, 2)),
    count_list: () => cumulo.allocate([1, 2]),
    count_bytes: () => cumulo.allocate(Uint8Array.of(1, 2, 3, 4)),
    count_type: () => cumulo.expand(BigUint64Array.of(1n, 2n), Uint32Array.of(1, 2)),
    other_n: () => cumulo.scan(new Uint32Array(3), { n: 4096 }),
    no_n: () => cumulo.plan('scan', {}),
    predicate: () => cumulo.compact(new Uint32Array(3), 'x > '),
    algorithm: () => cumulo.scan(new Uint32Array(5000), { algorithm: 'hillis-steele' }),
    capacity: () => cumulo.expand(Uint32Array.of(4000000000, 4000000000)),
  };
  const found = {};
  for (const [name, call] of Object.entries(tried)) {
    try {
      await call();
      found[name] = null;
    } catch (error) {
      found[name] = [error.name, error.kind, error.message];
    }
  }
  return found;
}
