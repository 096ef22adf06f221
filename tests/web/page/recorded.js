// Recorded primitives by a table: a description, what its buffers hold before, and what they must hold after; and
// what becomes of devices and buffers that go, or are another's.
import { difference, random } from './oracle.js';

const { STORAGE, COPY_SRC, COPY_DST, MAP_READ, INDIRECT } = globalThis.GPUBufferUsage ?? {};

async function own(site) {
  const { load, requirements } = await import(`${site}cumulo/cumulo.js`);
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice(requirements(adapter));
  return { device, cumulo: await load(device) };
}

const untouched = 0xabababab;

function bufferOf(device, words) {
  const size = Math.max(16, words.length * 4);
  const buffer = device.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST | INDIRECT });
  device.queue.writeBuffer(buffer, 0, Uint32Array.from(words));
  return buffer;
}

async function read(device, from, words) {
  const to = device.createBuffer({ size: Math.max(4, words * 4), usage: MAP_READ | COPY_DST });
  const encoder = device.createCommandEncoder();
  if (words > 0) encoder.copyBufferToBuffer(from, 0, to, 0, words * 4);
  device.queue.submit([encoder.finish()]);
  await to.mapAsync(GPUMapMode.READ);
  return Array.from(new Uint32Array(to.getMappedRange()).slice(0, words));
}

// Elements of so many words, by their first word; the next ones count up from it.
const wide = (words, firsts) => firsts.flatMap((first) => Array.from({ length: words }, (_, j) => first + j));
const fill = (words, length) => [...words, ...Array(length - words.length).fill(untouched)];
const u64 = (x) => [x % 2 ** 32, Math.floor(x / 2 ** 32)];

// Of n elements: name -> [primitive, description, buffers before, buffers after, whether counted].
function table(n) {
  const next = random(n + 3);
  const values = Array.from({ length: n }, () => next() % 6);
  const flags = values.map((x) => (x > 3 ? 1 : 0));
  const kept = values.flatMap((x, i) => (x > 3 ? [i] : []));
  const at = (indices) => indices.map((i) => values[i]);
  const others = values.flatMap((x, i) => (x > 3 ? [] : [i]));
  const middle = others.filter((i) => values[i] > 1);
  const low = others.filter((i) => values[i] <= 1);
  const starts = values.flatMap((x, i) => (i === 0 || x !== values[i - 1] ? [i] : []));
  const lengths = starts.map((start, k) => (starts[k + 1] ?? n) - start);
  const column = { where: 'x > 3', columns: [{ name: 'x', type: 'u32' }] };
  const room = Math.floor(kept.length / 2);
  const half = Math.floor(n / 2);

  let sum = 0;
  const offsets = [0, ...values.map((count) => (sum += count))];
  const capacity = Math.floor(sum / 2);
  const fitting = offsets.findLastIndex((offset) => offset <= capacity);
  const [used, exceeds] = [offsets[fitting], sum > capacity ? 2 : 0];
  const items = values.flatMap((count, i) => Array(count).fill(i));
  const report = [...u64(sum), ...u64(used), ...u64(fitting), exceeds];
  const written = Math.min(capacity, sum);
  const forms = [
    { call: 'dispatch', per: 64, ofItems: true },
    { call: 'vertices', per: 6 },
    { call: 'indexed-instances', per: 36, ofItems: true },
  ];
  const calls = (units, of) => [Math.ceil(of / 64), 1, 1, 6 * units, 1, 0, 0, 36, of, 0, 0, 0];
  const empty = (length) => Array(length).fill(untouched);
  return {
    'two arrays by flags': [
      'select', { n, flags: 'u32', arrays: [{ elementBytes: 12 }, { elementBytes: 4 }] },
      { 'input 0': wide(3, values), 'input 1': values, flags, 'output 0': empty(3 * n), 'output 1': empty(n), counts: [untouched] },
      { 'output 0': fill(wide(3, at(kept)), 3 * n), 'output 1': fill(at(kept), n), counts: [kept.length] },
    ],
    'an array that only the predicate reads': [
      'select', { n, ...column, arrays: [{ elementBytes: 4, isKept: false }, { elementBytes: 8 }] },
      { 'input 0': values, 'input 1': wide(2, values.map((_, i) => i)), 'output 1': empty(2 * n), counts: [untouched] },
      { 'output 1': fill(wide(2, kept), 2 * n), counts: [kept.length] },
    ],
    'indices alone, with a capacity': [
      'select', { n, flags: 'u32', indices: true, capacity: room },
      { flags, indices: empty(room), counts: [untouched] },
      { indices: kept.slice(0, room), counts: [kept.length] },
    ],
    'the others follow': [
      'select', { n, flags: 'u32', rest: 'follows', arrays: [{ elementBytes: 4 }] },
      { input: values, flags, output: empty(n), counts: [untouched] },
      { output: [...at(kept), ...at(others)], counts: [kept.length] },
    ],
    'three ways': [
      'select', { n, ...column, second: 'x > 1', rest: 'three-way', arrays: [{ elementBytes: 4 }] },
      { input: values, output: empty(n), counts: empty(2) },
      { output: at([...kept, ...middle, ...low]), counts: [kept.length, middle.length] },
    ],
    'heads, indices and lengths of runs': [
      'select', { n, heads: true, indices: true, lengths: true, arrays: [{ elementBytes: 4 }] },
      { input: values, output: empty(n), indices: empty(n), lengths: empty(n), counts: [untouched] },
      { output: fill(at(starts), n), indices: fill(starts, n), lengths: fill(lengths, n), counts: [starts.length] },
    ],
    'counted flags': [
      'select', { n, flags: 'u32', arrays: [{ elementBytes: 4 }] },
      { input: values, flags, output: empty(n), counts: [untouched], count: [half] },
      { output: fill(at(kept.filter((i) => i < half)), n), counts: [kept.filter((i) => i < half).length] },
      true,
    ],
    'an allocation': [
      'allocate', { n, capacity, arguments: forms },
      { counts: values, offsets: empty(n + 1), report: empty(8), arguments: empty(12) },
      { offsets, report, arguments: calls(used, fitting) },
    ],
    'an allocation whose capacity is on the device': [
      'allocate', { n, capacityOnDevice: true, arguments: forms },
      { counts: values, offsets: empty(n + 1), report: empty(8), arguments: empty(12), capacity: [capacity] },
      { offsets, report, arguments: calls(used, fitting) },
    ],
    'a wide allocation': [
      'allocate', { n, wide: true },
      { counts: values, offsets: empty(2 * n + 2), report: empty(8) },
      { offsets: offsets.flatMap(u64), report: [...u64(sum), ...u64(sum), ...u64(n), 0] },
    ],
    'an expansion of indices': [
      'expand', { n, elementBytes: 0, capacity, arguments: [{ call: 'instances', per: 4 }] },
      { counts: values, output: empty(capacity), report: empty(4), arguments: empty(4) },
      { output: items.slice(0, written), report: [...u64(sum), written, sum > capacity ? 1 : 0], arguments: [4, written, 0, 0] },
    ],
    'an expansion of offsets and elements of 8 bytes': [
      'expand', { n, elementBytes: 8, capacity: sum, fromOffsets: true },
      { offsets, values: wide(2, values.map((_, i) => 5 * i)), output: empty(2 * sum), report: empty(4) },
      { output: wide(2, items.map((i) => 5 * i)), report: [...u64(sum), sum, 0] },
    ],
    'arguments with a capacity': [
      'arguments', { forms: forms.map(({ call, per }) => ({ call, per })), capacity: 100 },
      { count: [n], arguments: empty(12) },
      { arguments: calls(Math.min(n, 100), Math.min(n, 100)) },
    ],
  };
}

export const recordedNames = Object.keys(table(2));

export async function recorded(site, name, sizes) {
  const { device, cumulo } = await own(site);
  const faults = [];
  for (const n of sizes) {
    const [primitive, description, before, after, counted = false] = table(n)[name];
    const buffers = Object.fromEntries(Object.entries(before).map(([slot, words]) => [slot, bufferOf(device, words)]));
    device.pushErrorScope('validation');
    const encoder = device.createCommandEncoder();
    cumulo.record(encoder, primitive, description, buffers, { counted });
    device.queue.submit([encoder.finish()]);
    const error = await device.popErrorScope();
    if (error) faults.push(`${n}: ${error.message}`);
    for (const [slot, words] of Object.entries(after)) {
      faults.push(difference(await read(device, buffers[slot], words.length), words, `${slot} of ${n}`));
    }
  }
  return faults.filter((fault) => fault);
}

// Two devices at once, many calls at once, and `timed`.
export async function together(site) {
  const [a, b] = [await own(site), await own(site)];
  const faults = [];
  const values = (n) => Uint32Array.from({ length: n }, (_, i) => i % 5);
  const sums = (n) => {
    let sum = 0;
    return Array.from(values(n), (x) => (sum += x));
  };
  const sizes = [1, 700, 5000, 20_001, 700, 1];
  const scans = await Promise.all(sizes.map((n, k) => (k % 2 ? a : b).cumulo.scan(values(n))));
  for (const [k, n] of sizes.entries()) faults.push(difference(scans[k].values, sums(n), `scan ${k} at once`));
  const [input, output] = [bufferOf(a.device, values(700)), bufferOf(a.device, Array(700).fill(0))];
  b.device.destroy();
  await b.cumulo.lost;
  const encoder = a.device.createCommandEncoder();
  a.cumulo.record(encoder, 'scan', { n: 700 }, { input, output });
  a.device.queue.submit([encoder.finish()]);
  faults.push(difference(await read(a.device, output, 700), sums(700), 'beside a device that has gone'));
  for (const { time } of [await a.cumulo.scan(values(700), { timed: 3 }), await a.cumulo.reduce(values(700), { timed: 3 })]) {
    if (time?.runs !== 3 || !(time.medianMs >= 0) || !['device', 'wall'].includes(time.clock)) {
      faults.push(`a time of ${JSON.stringify(time)}`);
    }
  }
  return faults.filter((fault) => fault);
}

// What WebGPU says of buffers that are gone or another device's: an error in the page's scope each, and the next run
// is right.
export async function foreignBuffers(site) {
  const [a, b] = [await own(site), await own(site)];
  const made = (device) => bufferOf(device, [1, 2, 3, 4]);
  const gone = made(a.device);
  const found = {};
  for (const [name, input] of [['foreign', made(b.device)], ['destroyed', gone], ['right', made(a.device)]]) {
    const output = made(a.device);
    a.device.pushErrorScope('validation');
    let thrown = null;
    try {
      const encoder = a.device.createCommandEncoder();
      a.cumulo.record(encoder, 'scan', { n: 4 }, { input, output });
      gone.destroy();
      a.device.queue.submit([encoder.finish()]);
    } catch (error) {
      thrown = error.kind ?? error.name;
    }
    found[name] = thrown ?? ((await a.device.popErrorScope()) ? 'error' : await read(a.device, output, 4));
  }
  return found;
}
