// What goes wrong, or is given up, where a page can bring it about: each function finds { name: what was seen }.
import { difference } from './oracle.js';

const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = globalThis.GPUBufferUsage ?? {};

async function opened(site, change = () => {}) {
  const { load, requirements } = await import(`${site}cumulo/cumulo.js`);
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice(requirements(adapter));
  change(device);
  return { device, cumulo: await load(device), load };
}

const told = async (call) => {
  try {
    await call();
    return 'nothing said';
  } catch (error) {
    return `${error.kind ?? error.name}: ${error.message}`;
  }
};
const kindOf = async (call) => (await told(call)).split(':')[0];
const buffer = (device, words, usage = STORAGE | COPY_SRC | COPY_DST) =>
  device.createBuffer({ size: words * 4, usage });
const sums = (values) => {
  let sum = 0;
  return Array.from(values, (x) => (sum = (sum + x) >>> 0));
};
const counting = (n) => Uint32Array.from({ length: n }, (_, i) => i % 7);

// As a device on which workgroups that wait are not forgotten.
const progressing = (device) => {
  const { subgroupMinSize, subgroupMaxSize } = device.adapterInfo;
  const value = { vendor: 'nvidia', architecture: '', device: '', description: '', subgroupMinSize, subgroupMaxSize };
  Object.defineProperty(device, 'adapterInfo', { value });
};

// Calls `before` at every call of a method, with what it is given; what that returns, where it is
// anything, is the method's result.
function at(object, name, before) {
  const original = object[name];
  object[name] = function (...given) {
    const replaced = before(...given);
    return replaced === undefined ? original.apply(this, given) : replaced;
  };
}

// The buffers of a device that are alive.
function alive(device) {
  const all = new Set();
  const original = device.createBuffer;
  device.createBuffer = function (descriptor) {
    const made = original.call(this, descriptor);
    all.add(made);
    const destroy = made.destroy;
    made.destroy = function () {
      all.delete(made);
      destroy.call(made);
    };
    return made;
  };
  return all;
}

export async function usages(site) {
  const { device, cumulo } = await opened(site);
  Object.assign(cumulo.traits, {
    forward_progress: true, ordered_workgroups: true, subgroups: true,
    subgroup_min_size: 32, subgroup_max_size: 32, subgroup_width: 32,
  });
  const n = 2 ** 22 + 1;
  const scan = async (usage) => {
    const [input, output] = [buffer(device, n, STORAGE), buffer(device, n, usage)];
    const { steps } = cumulo.plan('scan', { n });
    const copies = steps.filter(({ step }) => step === 'copy').length;
    const record = () => cumulo.record(device.createCommandEncoder(), 'scan', { n }, { input, output });
    return `${copies} copy, ${await told(record)}`;
  };
  const reduction = async (usage) => {
    const shared = buffer(device, 1024, usage);
    device.pushErrorScope('validation');
    const encoder = device.createCommandEncoder();
    const record = () =>
      cumulo.record(encoder, 'reduce', { n: 0 }, { input: shared, output: { buffer: shared, offset: 2048 } });
    const said = await told(record);
    encoder.finish();
    return `${said}; ${(await device.popErrorScope())?.message ?? 'valid'}`;
  };
  const copied = await reduction(STORAGE | COPY_DST);
  return { scan: await scan(STORAGE), reduction: await reduction(STORAGE), copied };
}

const monoid = (wgsl) => ({ name: 'sum', fields: [{ name: 'a', type: 'u32' }], wgsl, identity: [0] });

export async function brokenText(site) {
  const { device, cumulo } = await opened(site);
  const broken = monoid('return Element(older.a + nwer.a);');
  const values = Uint32Array.of(1, 2, 3);
  const record = () => {
    const places = { input: buffer(device, 4), output: buffer(device, 4) };
    return cumulo.record(device.createCommandEncoder(), 'scan', { n: 3, monoid: broken }, places);
  };
  device.pushErrorScope('validation');
  const encoder = device.createCommandEncoder();
  const bound = record();
  const found = { scan: await told(() => cumulo.scan(values, { monoid: broken })) };
  await device.popErrorScope();
  Object.assign(found, {
    prepare: await told(() => cumulo.prepare('scan', { n: 3, monoid: broken })),
    record: await told(record),
    bound: await told(() => bound.record(encoder)),
    right: (await cumulo.scan(values, { monoid: monoid('return Element(older.a + newer.a);') })).values.join(' '),
  });
  return found;
}

export async function sharing(site) {
  const { device, cumulo } = await opened(site);
  const n = 100;
  const record = (bound) => told(() => bound.record(device.createCommandEncoder()));
  const [one, other] = [await cumulo.prepare('scan', { n }), await cumulo.prepare('scan', { n })];
  const places = () => ({ input: buffer(device, n), output: buffer(device, n) });
  const [kept, left] = [places(), places()];
  const bound = other.bind(kept);
  const recorded = cumulo.record(device.createCommandEncoder(), 'scan', { n }, left);
  one.destroy();
  const found = { other: await record(bound), recorded: await record(recorded) };

  const buffers = alive(device);
  const many = await cumulo.prepare('scan', { n });
  const all = Array.from({ length: 20 }, () => places());
  const given = buffers.size;
  const first = many.bind(all[0]);
  for (const each of all) many.bind(each);
  found.made = buffers.size > given;
  many.destroy();
  found.evicted = await record(first);
  found.again = await told(() => many.bind(all[0]));
  found.leaked = buffers.size - given;
  return found;
}

// What the page says of buffers' sizes is what it is asked; no buffer for reading back is larger.
export async function pieces(site) {
  const most = 65536;
  let largest = 0;
  let read = 0;
  const readable = new WeakSet();
  const { device, cumulo } = await opened(site, (device) => {
    const { limits } = device;
    const value = new Proxy(limits, {
      get: (_, name) => (name === 'maxBufferSize' || name === 'maxStorageBufferBindingSize' ? most : limits[name]),
    });
    Object.defineProperty(device, 'limits', { value });
  });
  const create = device.createBuffer;
  device.createBuffer = function (descriptor) {
    const made = create.call(this, descriptor);
    if (descriptor.label !== undefined) largest = Math.max(largest, descriptor.size);
    if (descriptor.usage & MAP_READ) readable.add(made);
    return made;
  };
  at(GPUCommandEncoder.prototype, 'copyBufferToBuffer', (...given) => {
    const [to, size] = [given.find((each) => readable.has(each)), given.at(-1)];
    if (to) read += size;
  });
  const n = most / 4;
  const values = counting(n);
  const all = await cumulo.compact(values, 'x < 7');
  const readOfAll = read;
  read = 0;
  const few = await cumulo.compact(values, 'x == 6 and i < 50');
  const { values: scanned } = await cumulo.scan(values.subarray(0, 9999));
  return {
    all: difference(all.values, values, 'values') ?? difference(all.indices, [...values.keys()], 'indices'),
    few: [few.values.join(' '), few.indices.join(' ')],
    scanned: difference(scanned, sums(values.subarray(0, 9999)), 'sums'),
    largest: largest <= most,
    readOfAll: readOfAll >= 2 * most,
    readOfFew: read - 4 * 9999 < 300,
  };
}

// More than is read back at once.
export async function large(site) {
  const { cumulo } = await opened(site);
  const values = counting(3 * 2 ** 20 + 5);
  const { values: found, total } = await cumulo.scan(values);
  const expected = sums(values);
  return { sums: difference(found, expected, 'sums'), total: total === expected.at(-1) };
}

export async function kinds(site) {
  const { device, cumulo } = await opened(site);
  const values = counting(5000);
  const options = { monoid: monoid('return Element(older.a + newer.a);') };
  await cumulo.scan(values);
  const buffers = alive(device);
  const found = {};

  // No memory for the one or the other: said by the scope in which it was made.
  const filters = [];
  let lacking = null;
  let isOut = false;
  at(device, 'pushErrorScope', (filter) => void filters.push(filter));
  at(device, 'createBuffer', ({ label }) => {
    if (label === lacking) isOut = true;
  });
  const pop = device.popErrorScope;
  device.popErrorScope = function () {
    const ends = filters.pop() === 'out-of-memory' && isOut;
    if (ends) isOut = false;
    const error = pop.call(this);
    return ends ? error.then(() => new GPUOutOfMemoryError('none left')) : error;
  };
  const { buffers: planned } = cumulo.plan('scan', { n: values.length });
  const scratch = planned.find(({ role }) => role === 'scratch').name;
  for (const [what, label] of Object.entries({ input: 'input', output: 'output', scratch, 'read-back': 'read-back' })) {
    lacking = label;
    found[`no ${what}`] = `${await kindOf(() => cumulo.scan(values))}, ${buffers.size} left`;
  }
  lacking = null;

  const create = device.createBuffer;
  device.createBuffer = function (descriptor) {
    const usage = descriptor.label === 'output' ? COPY_SRC | STORAGE : descriptor.usage;
    const made = create.call(this, { ...descriptor, usage });
    Object.defineProperty(made, 'usage', { value: descriptor.usage });
    return made;
  };
  // Its one result is copied there.
  const initial = { includeInitial: true, init: 3 };
  found.refused = `${await kindOf(() => cumulo.scan(new Uint32Array(0), initial))}, ${buffers.size} left`;
  device.createBuffer = create;

  const compile = device.createComputePipelineAsync;
  device.createComputePipelineAsync = async () => {
    throw new GPUPipelineError('the compiler gave up', { reason: 'internal' });
  };
  found.internal = await told(() => cumulo.scan(values, options));
  device.createComputePipelineAsync = compile;
  found.compiledLater = difference((await cumulo.scan(values, options)).values, sums(values), 'sums');

  const { mapAsync } = GPUBuffer.prototype;
  GPUBuffer.prototype.mapAsync = async () => {
    throw new DOMException('not now', 'OperationError');
  };
  found.unmapped = `${await told(() => cumulo.scan(values))}, ${buffers.size} left`;
  GPUBuffer.prototype.mapAsync = mapAsync;

  let waits = 0;
  at(globalThis, 'setTimeout', () => void ++waits);
  found.argument = `${await kindOf(() => cumulo.scan(new Float32Array(3), { op: 'xor' }))}, ${waits} waits`;
  found.left = buffers.size;
  return found;
}

// The word of a single pass that a workgroup sets where it has waited too long.
export async function stalls(site) {
  const { device, cumulo } = await opened(site, progressing);
  const values = counting(20001);
  const expected = sums(values);
  let spine = null;
  let stallAt = 0; // submissions after the spine was made; 0: none
  const create = device.createBuffer;
  device.createBuffer = function (descriptor) {
    const made = create.call(this, descriptor);
    if (descriptor.label === 'spine') spine = made;
    return made;
  };
  let submissions = 0;
  const submit = device.queue.submit;
  device.queue.submit = function (commands) {
    submit.call(this, commands);
    if (spine && stallAt > 0 && ++submissions === stallAt) {
      device.queue.writeBuffer(spine, 4, Uint32Array.of(1));
      [stallAt, submissions, spine] = [0, 0, null];
    }
  };
  const scan = async (when, options) => {
    [stallAt, submissions, spine] = [when, 0, null];
    const { values: sums, algorithm, time } = await cumulo.scan(values, options);
    return [algorithm, difference(sums, expected, 'sums'), time?.runs ?? 0];
  };
  const found = { plain: await scan(0), again: await scan(1), timed: await scan(5, { timed: 3 }) };
  found.named = await kindOf(() => scan(1, { algorithm: 'single-pass' }));

  stallAt = 0;
  const n = values.length;
  const [input, output] = [buffer(device, n), buffer(device, n)];
  device.queue.writeBuffer(input, 0, values);
  const run = async () => {
    const encoder = device.createCommandEncoder();
    const bound = cumulo.record(encoder, 'scan', { n }, { input, output });
    device.queue.submit([encoder.finish()]);
    const places = [{ buffer: output, offset: 0, bytes: n * 4 }, { ...bound.status, bytes: 4 }];
    const [made, status] = (await cumulo.executor.read(places)).map((bytes) => new Uint32Array(bytes.buffer));
    return { bound, seen: [difference(made, expected, 'sums'), status[0]] };
  };
  const { bound, seen } = await run();
  device.queue.writeBuffer(bound.status.buffer, bound.status.offset, Uint32Array.of(1));
  bound.recover();
  Object.assign(found, { recorded: seen, recovered: (await run()).seen });
  return found;
}

// The planner's module ends itself when it is given too little room: another takes its place.
export async function traps(site) {
  const { Planner } = await import(`${site}cumulo/cumulo.js`);
  const planner = await Planner.load(`${site}cumulo/planner.wasm`);
  const run = (n) => {
    const question = { primitive: 'scan', description: { n } };
    const slots = planner.slots({ primitive: 'scan', description: { n: 3 } });
    const bytes = new Uint8Array(Uint32Array.of(1, 2, 3).buffer);
    return new Uint32Array(planner.run(question, slots, [bytes, null]).outputs[1].buffer).join(' ');
  };
  const found = { before: run(3), trap: await kindOf(() => run(2 ** 30)) };
  return { ...found, after: run(3), andLater: run(3) };
}

export async function caches(site) {
  const { device, cumulo } = await opened(site);
  const counts = {};
  for (const name of ['createBindGroup', 'createComputePipeline', 'createComputePipelineAsync']) {
    at(device, name, () => void (counts[name] = (counts[name] ?? 0) + 1));
  }
  const made = async (work) => {
    for (const name of Object.keys(counts)) delete counts[name];
    await work();
    return { ...counts };
  };
  const n = 4097;
  const found = {};
  const even = { n: 4096 };
  const compiled = await made(() => Promise.all([cumulo.prepare('scan', even), cumulo.prepare('scan', even)]));
  const texts = new Set(cumulo.plan('scan', even).kernels.map(({ wgsl }) => wgsl));
  found.together = Object.values(compiled).reduce((a, b) => a + b, 0) === texts.size;
  const prepared = await cumulo.prepare('scan', { n });
  const places = (words) => ({ input: buffer(device, words), output: buffer(device, words) });
  const forms = await made(() => [prepared.bind(places(n)), prepared.bind(places(n + 3))]);
  found.compiledInBind = forms.createComputePipeline ?? 0;
  const [first, ...others] = Array.from({ length: 17 }, () => places(n));
  prepared.bind(first);
  for (const each of others.slice(0, 15)) prepared.bind(each);
  prepared.bind(first);
  prepared.bind(others[15]);
  found.leastRecent = (await made(() => prepared.bind(first))).createBindGroup ?? 0;
  cumulo.destroy();
  found.destroyed = await kindOf(() => cumulo.scan(Uint32Array.of(1)));
  found.bound = await kindOf(() => prepared.bind(first));
  const works = device.queue.onSubmittedWorkDone().then(() => 'alive');
  found.isAlive = await Promise.race([device.lost.then(() => 'lost'), works]);
  const { load } = await import(`${site}cumulo/cumulo.js`);
  const own = await load();
  own.destroy();
  found.ownDevice = (await own.device.lost).reason;
  return found;
}
