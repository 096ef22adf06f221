// Every form of kernel that the planner writes, for the opinion of the browser's WGSL compiler.
import { random } from './oracle.js';

const megabyte = 2 ** 20;
const limits = { max_buffer_size: 2048 * megabyte, max_storage_binding_size: 1024 * megabyte, max_storage_buffers_per_stage: 10 };
const lanes32 = { subgroups: true, subgroup_min_size: 32, subgroup_max_size: 32, subgroup_width: 32 };

// Devices by what the planner asks of them.
const devices = {
  least: {},
  waiting: { forward_progress: true },
  subgroups: { subgroups: true, subgroup_min_size: 4, subgroup_max_size: 128, subgroup_width: 8, ...limits },
  nvidia: { ...lanes32, ...limits, forward_progress: true, ordered_workgroups: true, max_workgroup_memory: 32768 },
  amd: { ...lanes32, ...limits, forward_progress: true, max_invocations_per_workgroup: 1024, max_workgroup_size_x: 1024 },
  components: { ...lanes32, ...limits, forward_progress: true, ordered_workgroups: true, stores_components: true },
  small: { forward_progress: true, max_invocations_per_workgroup: 128, max_workgroup_size_x: 128 },
};
const sizes = [1, 3000, 400_000, 2 ** 24];
// Devices of which only the last size asks for more than of those above: a scan beyond one binding, which is a
// single pass in slices; and a selection of 64-byte elements in a single pass.
const devicesOfMany = {
  slices: { ...lanes32, forward_progress: true, ordered_workgroups: true, max_storage_binding_size: 32 * megabyte },
  large: { ...devices.nvidia, max_invocations_per_workgroup: 1024, max_workgroup_size_x: 1024 },
};

function* product(axes) {
  const [[name, values], ...rest] = Object.entries(axes);
  for (const value of values) {
    if (rest.length === 0) yield { [name]: value };
    else for (const others of product(Object.fromEntries(rest))) yield { [name]: value, ...others };
  }
}

// Where the caller's buffers may lie, for slots in their order.
const padded = (bytes) => Math.ceil(bytes / 16) * 16;
// Buffers apart, the first ones' elements beginning so many elements behind their beginnings.
const shifted = (...elements) => (slots) =>
  slots.map(({ bytes, elementBytes }, buffer) => ({ buffer, offset: (elements[buffer] ?? 0) * elementBytes, bytes: bytes + 256 }));
const layouts = {
  apart: (slots) => slots.map(({ bytes }, buffer) => ({ buffer, offset: 0, bytes: padded(bytes) })),
  unpadded: (slots) => slots.map(({ bytes }, buffer) => ({ buffer, offset: 0, bytes })),
  'input by 1': shifted(1),
  'output by 1': shifted(0, 1),
  'by 1 each': shifted(1, 1, 1, 1),
  'by 1, 2, 3': shifted(1, 2, 3),
  'by 2, 3, 1': shifted(2, 3, 1),
  'by 3, 1, 2': shifted(3, 1, 2),
  'in place': (slots) =>
    slots.map(({ bytes }, k) => ({ buffer: k < 2 ? 0 : k, offset: 0, bytes: Math.max(bytes, ...slots.slice(0, 2).map((slot) => slot.bytes)) })),
  'one buffer': (slots) => {
    let end = 0;
    const all = slots.reduce((sum, { bytes }) => sum + Math.ceil(bytes / 256) * 256 + 256, 0);
    return slots.map(({ bytes }) => {
      const offset = end;
      end += Math.ceil(bytes / 256) * 256;
      return { buffer: 0, offset, bytes: all };
    });
  },
};

const monoid = (count) => ({
  name: 'sums',
  fields: Array.from({ length: count }, (_, k) => ({ name: `f${k}`, type: ['u32', 'i32', 'f32'][k % 3] })),
  wgsl: `return Element(${Array.from({ length: count }, (_, k) => `older.f${k} + newer.f${k}`).join(', ')});`,
  identity: Array(count).fill(0),
});

const integerOperators = ['add', 'mul', 'min', 'max', 'and', 'or', 'xor'];
const elements = [
  ...['u32', 'u64'].flatMap((type) => [...integerOperators, 'add-saturated'].map((op) => ({ type, op }))),
  ...['i32', 'i64'].flatMap((type) => integerOperators.map((op) => ({ type, op }))),
  ...['f32', 'f16'].flatMap((type) => ['add', 'mul', 'min', 'max'].map((op) => ({ type, op }))),
  ...['u32', 'i32', 'f32', 'f16'].map((type) => ({ type, wide: true })),
  ...[1, 2, 3, 5, 8].map((count) => ({ monoid: monoid(count) })),
];
const somePairs = [{ type: 'u32' }, { type: 'f32', op: 'max' }, { type: 'f16' }, { type: 'i64', op: 'add' }, { type: 'u32', wide: true }, { monoid: monoid(3) }];

function* scans() {
  for (const n of sizes) for (const element of elements) for (const exclusive of [false, true]) yield { n, exclusive, ...element };
  const flags = { exclusive: [false, true], reverse: [false, true], include_initial: [false, true], initial: [false, true] };
  for (const n of sizes) {
    for (const element of somePairs) {
      for (const { initial, ...others } of product(flags)) {
        yield { n, ...element, ...others, ...(initial ? { init: element.monoid ? [1, 2, 3] : 7 } : {}) };
      }
    }
  }
  for (const algorithm of ['hillis-steele', 'blelloch', 'subgroup']) {
    const operators = algorithm === 'subgroup' ? ['add', 'mul'] : ['add', 'mul', 'max'];
    for (const type of ['u32', 'i32', 'f32', 'f16']) for (const op of operators) yield { n: 200, type, op, algorithm };
  }
  for (const algorithm of ['single-pass', 'reduce-then-scan']) {
    const some = somePairs.filter(({ wide }) => !wide || algorithm !== 'single-pass');
    for (const n of sizes) for (const element of some) yield { n, algorithm, ...element };
  }
}

function* reductions() {
  for (const n of sizes) for (const { ...element } of elements) yield { n, ...element };
}

function* selections() {
  const columns = (...types) => types.map((type, k) => ({ name: ['x', 'y', 'z'][k], type }));
  const bytes = { u32: 4, i32: 4, f32: 4, u64: 8, i64: 8, f64: 8 };
  const arrays = (...sizes) => sizes.map((element_bytes) => ({ element_bytes }));
  const writings = [{}, { indices: true }, { rest: 'follows' }, { rest: 'follows', indices: true }];
  for (const algorithm of ['auto', 'mask-then-scatter', 'single-pass']) {
    for (const n of sizes) {
      for (const writing of writings) {
        for (const flags of ['u8', 'u32', 'bits']) {
          yield { n, algorithm, flags, arrays: arrays(4), ...writing };
          // A single pass with indices beside them would bind 11 buffers, one more than these devices let it.
          const fits = algorithm !== 'single-pass' || flags !== 'u8' || writing !== writings[1];
          if (fits) yield { n, algorithm, flags, arrays: arrays(12, 8, 64), ...writing };
        }
        for (const type of Object.keys(bytes)) {
          yield { n, algorithm, where: 'x > 3 and i < 100', columns: columns(type), arrays: arrays(bytes[type]), ...writing };
        }
        yield { n, algorithm, where: 'x * 2 + y < z or not x == 1.5', columns: columns('u32', 'i64', 'f32'), arrays: arrays(4, 8, 4), ...writing };
      }
      if (algorithm !== 'single-pass') {
        yield { n, algorithm, where: 'x > 3', second: 'x > 1', rest: 'three-way', columns: columns('f32'), arrays: arrays(4) };
      }
      for (const size of [4, 8, 20, 64]) {
        for (const lengths of [false, true]) yield { n, algorithm, heads: true, lengths, indices: lengths, arrays: arrays(size) };
      }
      yield { n, algorithm, flags: 'u8', indices: true, capacity: 100 };
    }
  }
}

const forms = [{ call: 'dispatch', per: 64 }, { call: 'indexed-instances', per: 6 }];
function* allocations() {
  const axes = { n: sizes, wide: [false, true], capacity_on_device: [false, true], arguments: [[], forms] };
  yield* product(axes);
}
function* expansions() {
  const axes = { n: [1, 3000, 400_000], element_bytes: [0, 4, 8, 12, 16, 64], from_offsets: [false, true], arguments: [[], forms], capacity: [1_000_000] };
  yield* product(axes);
}
function* argumentForms() {
  for (const call of ['dispatch', 'vertices', 'instances', 'indices', 'indexed-instances']) yield { forms: [{ call, per: 64 }] };
}

const shifts = ['input by 1', 'output by 1', 'by 1 each', 'by 1, 2, 3', 'by 2, 3, 1', 'by 3, 1, 2'];
const primitives = {
  scan: [scans, Object.keys(layouts)],
  reduce: [reductions, ['apart', ...shifts, 'one buffer']],
  select: [selections, ['apart', ...shifts, 'one buffer']],
  allocate: [allocations, ['apart', ...shifts, 'one buffer']],
  expand: [expansions, ['apart', ...shifts]],
  arguments: [argumentForms, ['apart', ...shifts, 'one buffer']],
};

function* traced() {
  for (const n of [8, 16, 32, 64]) {
    for (const algorithm of ['hillis-steele', 'blelloch', 'subgroup', 'single-pass']) {
      yield { primitive: 'scan', description: { n, algorithm } };
    }
  }
}

// Every text of a kernel of a primitive, once, with what asked for it first. What no device and no layout
// has a plan for is a fault.
export function* kernels(planner, primitive, faults) {
  const seen = new Set();
  const fresh = function* (plan, from) {
    for (const { name, wgsl, workgroup_size: threads } of plan.kernels) {
      if (seen.has(wgsl)) continue;
      seen.add(wgsl);
      yield { name, wgsl, threads, from };
    }
  };
  let refusal = '';
  const accepted = (plan) => {
    try {
      return plan().plan;
    } catch (error) {
      if (error.kind !== 'bad-argument' && error.kind !== 'unsupported') throw error;
      refusal = error.message;
      return null;
    }
  };
  if (primitive === 'trace') {
    for (const question of traced()) {
      let plans = 0;
      for (const [device, traits] of Object.entries(devices)) {
        const plan = accepted(() => planner.trace(question, { dialect: 'tint', ...traits }));
        if (plan) yield* fresh(plan, { device, ...question });
        plans += plan ? 1 : 0;
      }
      if (plans === 0) faults.push(`refused everywhere: a trace of ${JSON.stringify(question)}: ${refusal}`);
    }
    return;
  }
  const [descriptions, names] = primitives[primitive];
  const next = random(7);
  for (const description of descriptions()) {
    // Of the algorithms of a scan one takes a number of elements that the device counts.
    const mayCount = primitive !== 'scan' || ['auto', 'reduce-then-scan'].includes(description.algorithm ?? 'auto');
    for (const counted of mayCount ? [false, true] : [false]) {
      let plans = 0;
      const question = { primitive, description, counted };
      const slots = planner.slots(question).slots.map(({ elements, element_bytes }) => ({ bytes: elements * element_bytes, elementBytes: element_bytes }));
      const all = description.n >= sizes.at(-1) ? { ...devices, ...devicesOfMany } : devices;
      for (const [device, traits] of Object.entries(all)) {
        // Each description in three of the layouts: each form meets all of them.
        for (const layout of [names[0], ...[0, 1].map(() => names[next() % names.length])]) {
          const plan = accepted(() => planner.plan(question, { dialect: 'tint', ...traits }, layouts[layout](slots)));
          if (plan) yield* fresh(plan, { device, layout, counted, description });
          plans += plan ? 1 : 0;
        }
      }
      if (plans === 0) faults.push(`refused everywhere: ${JSON.stringify(question)}: ${refusal}`);
    }
  }
}

const together = 32; // that the compiler is given before its answers are waited for
// Of so many kernels one, and the first of each name, is made a pipeline, which takes long; where the device has
// room for its workgroup. Not of selections: SwiftShader takes minutes over some of theirs.
const sampled = 100;

export async function compileAll(site, primitive) {
  const { load, Planner } = await import(`${site}cumulo/cumulo.js`);
  const { device } = await load();
  const planner = await Planner.load(`${site}cumulo/planner.wasm`);
  const faults = [];
  const names = new Set();
  let count = 0;
  let [asked, pipelines] = [[], 0];
  const judge = async () => {
    for (const { name, from, info } of asked) {
      for (const { type, message, lineNum } of (await info).messages) {
        if (type !== 'info') faults.push(`${name}:${lineNum}: ${type}: ${message} (${JSON.stringify(from)})`);
      }
    }
    asked = [];
  };
  device.addEventListener('uncapturederror', (event) => event.preventDefault());
  const piped = new Set();
  for (const { name, wgsl, threads, from } of kernels(planner, primitive, faults)) {
    const module = device.createShaderModule({ code: wgsl });
    asked.push({ name, from, info: module.getCompilationInfo() });
    if (asked.length === together) await judge();
    const fits = primitive !== 'select' && threads <= device.limits.maxComputeInvocationsPerWorkgroup;
    if (fits && (!piped.has(name) || count % sampled === 0)) {
      ++pipelines;
      piped.add(name);
      try {
        await device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: 'main' } });
      } catch (error) {
        faults.push(`${name} makes no pipeline: ${error.message} (${JSON.stringify(from)})`);
      }
    }
    names.add(name);
    ++count;
  }
  await judge();
  const unpiped = [...names].filter((name) => !piped.has(name));
  return { count, pipelines, names: [...names].sort(), unpiped, faults: faults.slice(0, 20) };
}

// The kernels that are no plan's: the one that clears what a single pass waits for, and the one that probes the
// width of subgroups.
export async function compileExecutors(site) {
  const asked = [];
  const { createShaderModule } = GPUDevice.prototype;
  GPUDevice.prototype.createShaderModule = function (descriptor) {
    const module = createShaderModule.call(this, descriptor);
    asked.push([descriptor.label, module]);
    return module;
  };
  const { load } = await import(`${site}cumulo/cumulo.js`);
  const cumulo = await load();
  await cumulo.prepare('scan', { n: 20001, algorithm: 'single-pass' });
  const faults = [];
  for (const [name, module] of asked) {
    for (const { type, message } of (await module.getCompilationInfo()).messages) {
      if (type !== 'info') faults.push(`${name}: ${type}: ${message}`);
    }
  }
  return { names: asked.map(([name]) => name), faults };
}

// What the planner takes a browser for, and what it refuses.
export async function browserTraits(site) {
  const answers = {};
  const bytes = await (await fetch(`${site}cumulo/planner.wasm`)).arrayBuffer();
  const wasi = Object.fromEntries(['clock_time_get', 'fd_close', 'fd_seek', 'fd_write'].map((name) => [name, () => 58]));
  const { instance } = await WebAssembly.instantiate(bytes, { wasi_snapshot_preview1: wasi });
  const { memory, _initialize, cumulo_allocate, cumulo_call } = instance.exports;
  _initialize();
  const ask = (request) => {
    const text = new TextEncoder().encode(JSON.stringify(request));
    const place = cumulo_allocate(text.length);
    new Uint8Array(memory.buffer, place, text.length).set(text);
    const answer = new Uint8Array(memory.buffer, cumulo_call(place, text.length));
    return JSON.parse(new TextDecoder().decode(answer.subarray(0, answer.indexOf(0))));
  };
  const asked = {
    nvidia: { vendor: 'nvidia', user_agent: 'Chrome/140.0', features: ['subgroups', 'shader-f16'], subgroup_width: 32 },
    amd: { vendor: 'amd', user_agent: 'Chrome/140.0' },
    apple: { vendor: 'apple', user_agent: 'Chrome/140.0' },
    software: { vendor: 'nvidia', is_software: true, user_agent: 'Chrome/140.0' },
    firefox: { vendor: 'intel', user_agent: 'Mozilla/5.0 Gecko/20100101 Firefox/145.0', limits: { max_buffer_size: 4096 } },
    limit: { limits: { max_bufer_size: 1 } },
    flag: { is_software: 1 },
  };
  for (const [name, request] of Object.entries(asked)) {
    const { error, ...traits } = ask({ call: 'traits', ...request });
    const { subgroups, subgroup_width, shader_f16, forward_progress, ordered_workgroups, dialect, max_buffer_size } = traits;
    answers[name] = error
      ? `${error.kind}: ${error.message}`
      : [subgroups, subgroup_width, shader_f16, forward_progress, ordered_workgroups, dialect, max_buffer_size];
  }
  const { error } = ask({ call: 'slots', primitive: 'scan', description: { n: 3 }, counted: 1 });
  answers.counted = `${error.kind}: ${error.message}`;
  return answers;
}
