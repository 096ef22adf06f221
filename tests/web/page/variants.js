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
    for (const type of ['u32', 'i32', 'f32', 'f16']) for (const op of ['add', 'mul', 'max']) yield { n: 200, type, op, algorithm };
  }
  for (const algorithm of ['single-pass', 'reduce-then-scan']) for (const n of sizes) for (const element of somePairs) yield { n, algorithm, ...element };
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
          yield { n, algorithm, flags, arrays: arrays(12, 8, 64), ...writing };
        }
        for (const type of Object.keys(bytes)) {
          yield { n, algorithm, where: 'x > 3 and i < 100', columns: columns(type), arrays: arrays(bytes[type]), ...writing };
        }
        yield { n, algorithm, where: 'x * 2 + y < z or not x == 1.5', columns: columns('u32', 'i64', 'f32'), arrays: arrays(4, 8, 4), ...writing };
      }
      yield { n, algorithm, where: 'x > 3', second: 'x > 1', rest: 'three-way', columns: columns('f32'), arrays: arrays(4) };
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

// Every text of a kernel of a primitive, once, with what asked for it first.
function* kernels(Planner, planner, primitive) {
  const [descriptions, names] = primitives[primitive];
  const seen = new Set();
  const next = random(7);
  for (const description of descriptions()) {
    for (const counted of [false, true]) {
      const question = { primitive, description, counted };
      const slots = planner.slots(question).slots.map(({ elements, element_bytes }) => ({ bytes: elements * element_bytes, elementBytes: element_bytes }));
      for (const [device, traits] of Object.entries(devices)) {
        // Each description in three of the layouts: each form meets all of them.
        for (const layout of [names[0], ...[0, 1].map(() => names[next() % names.length])]) {
          let planned;
          try {
            planned = planner.plan(question, { dialect: 'tint', ...traits }, layouts[layout](slots));
          } catch (error) {
            if (error.kind !== 'bad-argument' && error.kind !== 'unsupported') throw error;
            continue;
          }
          for (const { name, wgsl } of planned.plan.kernels) {
            if (seen.has(wgsl)) continue;
            seen.add(wgsl);
            yield { name, wgsl, from: { device, layout, counted, description } };
          }
        }
      }
    }
  }
}

const together = 32; // that the compiler is given before its answers are waited for

export async function compileAll(site, primitive) {
  const { load, Planner } = await import(`${site}cumulo/cumulo.js`);
  const { device } = await load();
  const planner = await Planner.load(`${site}cumulo/planner.wasm`);
  const faults = [];
  const names = new Set();
  let count = 0;
  let asked = [];
  const judge = async () => {
    for (const { name, from, info } of asked) {
      for (const { type, message, lineNum } of (await info).messages) {
        if (type !== 'info') faults.push(`${name}:${lineNum}: ${type}: ${message} (${JSON.stringify(from)})`);
      }
    }
    asked = [];
  };
  device.addEventListener('uncapturederror', (event) => event.preventDefault());
  for (const { name, wgsl, from } of kernels(Planner, planner, primitive)) {
    asked.push({ name, from, info: device.createShaderModule({ code: wgsl }).getCompilationInfo() });
    if (asked.length === together) await judge();
    names.add(name);
    ++count;
  }
  await judge();
  return { count, names: [...names].sort(), faults: faults.slice(0, 20) };
}
