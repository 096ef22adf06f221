// A page that puts cumulo between passes of its own, in one encoder, with nothing read back between.
import { difference, random } from './oracle.js';

// Nothing where there is no WebGPU: its names are looked at, its functions are not called.
const { STORAGE, COPY_SRC, COPY_DST, MAP_READ, INDIRECT } = globalThis.GPUBufferUsage ?? {};

async function own(site) {
  const { load, requirements } = await import(`${site}cumulo/cumulo.js`);
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice(requirements(adapter));
  return { device, cumulo: await load(device) };
}

function buffer(device, contents, usage = 0) {
  const made = device.createBuffer({
    size: Math.max(16, contents.byteLength ?? contents * 4),
    usage: STORAGE | COPY_SRC | COPY_DST | usage,
  });
  if (contents.byteLength) device.queue.writeBuffer(made, 0, contents);
  return made;
}

async function read(device, from, words, offset = 0) {
  const staging = device.createBuffer({ size: Math.max(4, words * 4), usage: MAP_READ | COPY_DST });
  const encoder = device.createCommandEncoder();
  if (words > 0) encoder.copyBufferToBuffer(from, offset, staging, 0, words * 4);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  return Array.from(new Uint32Array(staging.getMappedRange()).slice(0, words));
}

function pass(device, encoder, code, buffers, groups) {
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module: device.createShaderModule({ code }) } });
  const entries = buffers.map((bound, binding) => ({ binding, resource: { buffer: bound } }));
  const made = encoder.beginComputePass();
  made.setPipeline(pipeline);
  made.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  if (groups instanceof GPUBuffer) made.dispatchWorkgroupsIndirect(groups, 0);
  else made.dispatchWorkgroups(groups);
  made.end();
}

// Own pass: flags; cumulo: compaction and the arguments of a call over what is kept; own pass over it.
export async function compactBetweenPasses(site, n) {
  const { device, cumulo } = await own(site);
  const next = random(n);
  const values = Uint32Array.from({ length: n }, () => next() % 1000);
  const [input, flags, kept, counts] = [buffer(device, values), buffer(device, n), buffer(device, n), buffer(device, 1)];
  const [dispatch, doubled] = [buffer(device, 3, INDIRECT), buffer(device, n)];
  const encoder = device.createCommandEncoder();
  const bindings = '@group(0) @binding(0) var<storage, read> x: array<u32>; @group(0) @binding(1) var<storage, read_write> y: array<u32>;';
  const flagging = `${bindings}
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
      if (id.x < arrayLength(&x)) { y[id.x] = u32(x[id.x] % 3u == 0u); }
    }`;
  const doubling = `${bindings} @group(0) @binding(2) var<storage, read> count: u32;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
      if (id.x < count) { y[id.x] = 2u * x[id.x]; }
    }`;
  pass(device, encoder, flagging, [input, flags], Math.ceil(n / 64));
  cumulo.record(
    encoder, 'select', { n, flags: 'u32', arrays: [{ element_bytes: 4 }] },
    { input, flags, output: kept, counts },
  );
  cumulo.record(encoder, 'arguments', { forms: [{ call: 'dispatch', per: 64 }] }, { count: counts, arguments: dispatch });
  pass(device, encoder, doubling, [kept, doubled, counts], dispatch);
  device.queue.submit([encoder.finish()]);
  const expected = Array.from(values).filter((x) => x % 3 === 0).map((x) => 2 * x);
  const [count] = await read(device, counts, 1);
  return difference([count], [expected.length], 'count') ?? difference(await read(device, doubled, expected.length), expected, 'doubled');
}

// Scans that lie in one buffer, in place, at odd places, counted, many in one encoder.
export async function layouts(site, n) {
  const { device, cumulo } = await own(site);
  const next = random(n);
  const values = Uint32Array.from({ length: n }, () => next() % 9);
  let sum = 0;
  const expected = Array.from(values, (x) => (sum += x));
  const faults = [];
  const submit = async (record) => {
    device.pushErrorScope('validation');
    const encoder = device.createCommandEncoder();
    const bound = record(encoder);
    device.queue.submit([encoder.finish()]);
    const error = await device.popErrorScope();
    if (error) faults.push(error.message);
    return bound;
  };

  const place = buffer(device, values);
  let bound = await submit((encoder) => cumulo.record(encoder, 'scan', { n }, { input: place, output: place }));
  faults.push(difference(await read(device, place, n), expected, 'in place'));
  faults.push(difference(await read(device, bound.total.buffer, 1, bound.total.offset), [sum], 'total'));

  const half = Math.ceil((n * 4) / 256) * 256;
  const shared = buffer(device, 2 * half);
  device.queue.writeBuffer(shared, 0, values);
  await submit((encoder) =>
    cumulo.record(encoder, 'scan', { n }, { input: shared, output: { buffer: shared, offset: half } }),
  );
  faults.push(difference(await read(device, shared, n, half), expected, 'one buffer'));

  const odd = buffer(device, n + 3);
  device.queue.writeBuffer(odd, 12, values);
  const out = buffer(device, n + 1);
  bound = await submit((encoder) =>
    cumulo.record(encoder, 'scan', { n }, { input: { buffer: odd, offset: 12 }, output: { buffer: out, offset: 4 } }),
  );
  faults.push(difference(await read(device, out, n, 4), expected, 'odd places'));

  const fewer = Math.floor(n / 3);
  const count = buffer(device, Uint32Array.of(fewer));
  const counted = buffer(device, Uint32Array.from({ length: n }, () => 7));
  await submit((encoder) =>
    cumulo.record(encoder, 'scan', { n }, { input: { buffer: odd, offset: 12 }, output: counted, count }, { counted: true }),
  );
  const behind = Array(n - fewer).fill(7);
  faults.push(difference(await read(device, counted, n), [...expected.slice(0, fewer), ...behind], 'counted'));

  // Prepared and bound once, recorded five times into one encoder: each adds to the one before.
  const again = buffer(device, Uint32Array.from({ length: 8 }, () => 1));
  const prepared = await cumulo.prepare('scan', { n: 8 });
  const scan = prepared.bind({ input: again, output: again });
  await submit((encoder) => {
    for (let k = 0; k < 5; ++k) scan.record(encoder);
  });
  let rounds = Array(8).fill(1);
  for (let k = 0; k < 5; ++k) {
    let before = 0;
    rounds = rounds.map((x) => (before += x));
  }
  faults.push(difference(await read(device, again, 8), rounds, 'five in one encoder'));

  // Into a compute pass of the page's own.
  const inPass = buffer(device, Uint32Array.of(1, 2, 3));
  await submit((encoder) => {
    const own = encoder.beginComputePass();
    cumulo.record(own, 'scan', { n: 3, exclusive: true }, { input: inPass, output: inPass });
    own.end();
  });
  faults.push(difference(await read(device, inPass, 3), [0, 1, 3], 'in a pass'));
  return faults.filter((fault) => fault);
}

// Halves that begin inside a word, a reduction counted on the device, and an expansion of what was
// allocated, all in one encoder.
export async function others(site, n) {
  const { device, cumulo } = await own(site);
  const next = random(n);
  const encoder = device.createCommandEncoder();
  device.pushErrorScope('validation');

  const halves = Float16Array.from({ length: n + 1 }, () => (next() % 17) - 8);
  const bytes = new Uint8Array(Math.ceil(halves.byteLength / 4) * 4);
  bytes.set(new Uint8Array(halves.buffer));
  const [from, to] = [buffer(device, bytes), buffer(device, Math.ceil((n + 3) / 2))];
  const [input, output] = [{ buffer: from, offset: 2 }, { buffer: to, offset: 2 }];
  cumulo.record(encoder, 'scan', { n, type: 'f16' }, { input, output });

  const values = Uint32Array.from({ length: n }, () => next() % 3);
  const given = buffer(device, values);
  const fewer = Math.floor(n / 3);
  const [count, sum] = [buffer(device, Uint32Array.of(fewer)), buffer(device, 1)];
  cumulo.record(encoder, 'reduce', { n }, { input: given, output: sum, count }, { counted: true });

  const capacity = 2 * n;
  const [offsets, allocated, expanded, written] = [n + 1, 8, capacity, 8].map((words) => buffer(device, words));
  cumulo.record(encoder, 'allocate', { n, capacity }, { counts: given, offsets, report: allocated });
  cumulo.record(
    encoder, 'expand', { n, elementBytes: 4, capacity, fromOffsets: true },
    { offsets, values: given, output: expanded, report: written },
  );
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();

  let total = 0;
  const sums = Array.from(halves.subarray(1), (x) => Math.f16round((total += x)));
  const words = await read(device, to, Math.ceil((n + 1) / 2));
  const found = new Float16Array(Uint32Array.from(words).buffer).subarray(1, n + 1);
  const reduced = values.subarray(0, fewer).reduce((a, b) => a + b, 0);
  let end = 0;
  const ends = [0, ...Array.from(values, (x) => (end += x))];
  const items = Array.from(values).flatMap((x) => Array(x).fill(x));
  return [
    error?.message,
    difference(Array.from(found), sums, 'halves'),
    difference(await read(device, sum, 1), [reduced], 'counted reduction'),
    difference(await read(device, offsets, n + 1), ends, 'offsets'),
    difference(await read(device, expanded, items.length), items, 'expansion'),
  ].filter((fault) => fault);
}

export async function wrongPlaces(site) {
  const { device, cumulo } = await own(site);
  const encoder = device.createCommandEncoder();
  const [a, b, small] = [buffer(device, 64), buffer(device, 64), buffer(device, 4)];
  const plain = device.createBuffer({ size: 256, usage: COPY_DST });
  const tried = {
    missing: { input: a },
    unknown: { input: a, output: a, outputs: a },
    small: { input: a, output: small },
    overlap: { input: { buffer: a, offset: 0 }, output: { buffer: a, offset: 4 } },
    odd: { input: { buffer: a, offset: 2 }, output: b },
    usage: { input: plain, output: a },
    array: { input: new Uint32Array(60), output: a },
    nothing: { input: null, output: a },
  };
  const calls = Object.entries(tried).map(([name, places]) => [
    name,
    () => cumulo.record(encoder, 'scan', { n: 60 }, places),
  ]);
  calls.push(['target', () => cumulo.record(device.queue, 'scan', { n: 60 }, { input: a, output: b })]);
  const { load } = await import(`${site}cumulo/cumulo.js`);
  const adapter = await navigator.gpu.requestAdapter();
  calls.push(['device', () => load(adapter)]);
  calls.push(['place', () => cumulo.record(encoder, 'scan', { n: 60 }, { input: { buffer: a, ofset: 256 }, output: b })]);
  calls.push(['places', () => cumulo.record(encoder, 'scan', { n: 60 }, null)]);
  calls.push(['option', () => cumulo.record(encoder, 'scan', { n: 60 }, { input: a, output: b }, { countd: true })]);
  calls.push(['loading', () => load(device, { planer: '' })]);
  const passing = await cumulo.prepare('scan', { n: 60 });
  const bound = passing.bind({ input: a, output: b });
  passing.destroy();
  calls.push(['destroyed', () => bound.record(encoder)]);
  const found = {};
  for (const [name, call] of calls) {
    try {
      await call();
      found[name] = 'nothing said';
    } catch (error) {
      found[name] = `${error.kind}: ${error.message}`;
    }
  }
  return found;
}

// Buffers and pipelines made by recording the same again: none.
export async function recordingMakesNothing(site) {
  const { device, cumulo } = await own(site);
  const [input, output] = [buffer(device, 5000), buffer(device, 5000)];
  const record = () => {
    const encoder = device.createCommandEncoder();
    cumulo.record(encoder, 'scan', { n: 5000 }, { input, output });
    device.queue.submit([encoder.finish()]);
  };
  record();
  let made = 0;
  for (const name of ['createBuffer', 'createBindGroup', 'createComputePipeline', 'createShaderModule']) {
    const original = device[name];
    device[name] = function (...given) {
      ++made;
      return original.apply(this, given);
    };
  }
  for (let k = 0; k < 3; ++k) record();
  await device.queue.onSubmittedWorkDone();
  return made;
}

export async function lostDevice(site) {
  const { device, cumulo } = await own(site);
  await cumulo.scan(Uint32Array.of(1, 2));
  const [input, output] = [buffer(device, 4), buffer(device, 4)];
  const prepared = await cumulo.prepare('scan', { n: 2 });
  const bound = prepared.bind({ input, output });
  const encoder = device.createCommandEncoder();
  device.destroy();
  const loss = await cumulo.lost;
  const found = [loss.kind];
  for (const call of [
    () => cumulo.scan(Uint32Array.of(1, 2)),
    async () => cumulo.record(null, 'scan', { n: 2 }, {}),
    () => cumulo.trace(Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 8), 'blelloch'),
    async () => prepared.bind({ input, output }),
    async () => bound.record(encoder),
  ]) {
    try {
      await call();
      found.push('nothing said');
    } catch (error) {
      found.push(error.kind);
    }
  }
  return found;
}

// A page without WebGPU (taken away before it loads).
export async function withoutWebGpu(site) {
  const { load } = await import(`${site}cumulo/cumulo.js`);
  const cumulo = await load();
  const { values, total, backend } = await cumulo.scan(Uint32Array.of(3, 1, 4, 1, 5));
  let recording;
  try {
    cumulo.record(null, 'scan', { n: 2 }, {});
  } catch (error) {
    recording = error.kind;
  }
  return { backend, name: cumulo.name, reason: cumulo.reason && [cumulo.reason.kind, cumulo.reason.message], values: Array.from(values), total, recording };
}
