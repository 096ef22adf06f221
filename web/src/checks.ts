// What calls refuse before the planner is asked, and the question that it is asked then.
import { CumuloError } from './errors.js';
import type { PrimitiveName, Slots, Traits } from './plan.js';
import type { Question } from './planner.js';
import type { Monoid, RunOptions, Values } from './types.js';

const types: readonly (readonly [string, abstract new () => Values])[] = [
  ['u32', Uint32Array],
  ['i32', Int32Array],
  ['f32', Float32Array],
  ['u64', BigUint64Array],
  ['i64', BigInt64Array],
  ['f64', Float64Array],
  // Younger than the browsers that have WebGPU.
  ...('Float16Array' in globalThis ? [['f16', Float16Array] as const] : []),
];

export function typeOf(values: Values): string {
  for (const [name, type] of types) {
    if (values instanceof type) return name;
  }
  throw new CumuloError(
    'bad-argument',
    `values must be a typed array of ${types.map(([name]) => name).join(', ')}`,
  );
}

export function described(value: unknown): string {
  if (value === null || typeof value !== 'object') return typeof value === 'string' ? `'${value}'` : String(value);
  return value.constructor?.name ?? 'an object';
}

const ofRuns = ['timed'];
const ofReductions = [...ofRuns, 'op', 'monoid', 'wide'];
const ofSelections = [...ofRuns, 'algorithm'];
const optionsOf = {
  scan: [...ofReductions, 'exclusive', 'reverse', 'init', 'includeInitial', 'algorithm'],
  reduce: ofReductions,
  compact: ofSelections,
  partition: [...ofSelections, 'second'],
  unique: ofSelections,
  runs: ofSelections,
  allocate: [...ofRuns, 'capacity', 'wide', 'algorithm'],
  expand: [...ofRuns, 'capacity', 'algorithm'],
  prepare: ['counted'],
  record: ['counted'],
  load: ['planner'],
} as const;

export function checkOptions(call: keyof typeof optionsOf, options: unknown): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new CumuloError('bad-argument', `the options of ${call} must be an object, not ${described(options)}`);
  }
  const known: readonly string[] = optionsOf[call];
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new CumuloError('bad-argument', `${call} has no option '${unknown}'; there are ${known.join(', ')}`);
  }
  const { timed } = options as RunOptions;
  if (timed !== undefined && !(Number.isInteger(timed) && timed >= 1 && timed <= mostTimedRuns)) {
    throw new CumuloError(
      'bad-argument',
      `timed must be a number of runs, 1 to ${mostTimedRuns}, not ${described(timed)}`,
    );
  }
}

const mostTimedRuns = 10_000;

// The bits of a field's value; null where it is none.
function wordOf(value: unknown, type: string | undefined): number | null {
  if (typeof value !== 'number') return null;
  const field = new DataView(new ArrayBuffer(4));
  if (type === 'f32') field.setFloat32(0, value);
  else if (type === 'i32') field.setInt32(0, value);
  else field.setUint32(0, value);
  const held = type === 'i32' ? field.getInt32(0) : field.getUint32(0);
  return type === 'f32' || held === value ? field.getUint32(0) : null;
}

// The words of an element of a monoid, of which the page gives a number for each field.
function wordsOf(monoid: Monoid, numbers: unknown, what: string): number[] {
  const fields = Array.isArray(monoid.fields) ? monoid.fields : [];
  const given = Array.isArray(numbers) || ArrayBuffer.isView(numbers) ? Array.from(numbers as ArrayLike<unknown>) : [];
  const words = given.map((value, k) => wordOf(value, fields[k]?.type));
  if (given.length !== fields.length || words.includes(null)) {
    throw new CumuloError(
      'bad-argument',
      `the ${what} of '${monoid.name}' must be a number for each field: ${fields.map(({ name, type }) => `${name}, ${type}`).join('; ')}`,
    );
  }
  return words as number[];
}

function withWords<D extends object>(description: D): D {
  const { monoid, init } = description as { monoid?: Monoid; init?: unknown };
  if (typeof monoid !== 'object' || monoid === null) return description;
  const words = { ...monoid, identity: wordsOf(monoid, monoid.identity, 'identity') };
  return { ...description, monoid: words, ...(init === undefined ? {} : { init: wordsOf(monoid, init, 'init') }) };
}

// Elements of a monoid lie field by field.
export function elementsIn(values: Values, monoid: Monoid | undefined): number {
  const perElement = monoid?.fields?.length || 1;
  if (monoid && values.BYTES_PER_ELEMENT !== 4) {
    throw new CumuloError('bad-argument', 'elements of a monoid come as fields of 4 bytes: in u32, i32 or f32');
  }
  if (values.length % perElement !== 0) {
    throw new CumuloError(
      'bad-argument',
      `${values.length} values are no whole number of elements of ${perElement} fields`,
    );
  }
  return values.length / perElement;
}

export function checkCounts(counts: Uint32Array): void {
  if (counts instanceof Uint32Array) return;
  throw new CumuloError('bad-argument', 'counts must be a Uint32Array');
}

const wordsIn = (bytes: number) => Math.ceil(bytes / 4);

// What is not of its size, in whole words, would be read past its end.
export function checkSizes(slots: Slots, inputs: Record<string, Uint8Array>): void {
  for (const { name, elements, element_bytes } of slots.slots) {
    const given = inputs[name];
    if (given && wordsIn(given.length) !== wordsIn(elements * element_bytes)) {
      throw new CumuloError(
        'bad-argument',
        `'${name}' has ${given.length} bytes where ${elements} elements of ${element_bytes} are asked for`,
      );
    }
  }
}

export function checkRoom({ slots }: Slots, { max_buffer_size }: Traits): void {
  for (const { name, elements, element_bytes } of slots) {
    const bytes = elements * element_bytes;
    if (bytes > max_buffer_size) {
      throw new CumuloError(
        'unsupported',
        `the ${name} of ${bytes} bytes does not fit one buffer of this device (max_buffer_size ${max_buffer_size} bytes)`,
      );
    }
  }
}

// The planner's names, at any depth: includeInitial is its include_initial.
function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? fieldsOf(value) : value;
}

function fieldsOf(options: object): Record<string, unknown> {
  const fields = Object.entries(options).filter(([name, value]) => name !== 'timed' && value !== undefined);
  return Object.fromEntries(
    fields.map(([name, value]) => [
      name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
      renamed(value),
    ]),
  );
}

export function questionOf(primitive: PrimitiveName, description: object, counted = false): Question {
  if (typeof description !== 'object' || description === null) {
    throw new CumuloError('bad-argument', `a description must be an object such as { n: 1000 }, not ${described(description)}`);
  }
  if (primitive === 'expand' && !('capacity' in description)) {
    throw new CumuloError('bad-argument', 'expand needs capacity, the most outputs that are written');
  }
  if (primitive !== 'arguments' && !('n' in description)) {
    throw new CumuloError('bad-argument', `${primitive} needs n, the number of elements`);
  }
  return { primitive, description: fieldsOf(withWords(description)), counted };
}
