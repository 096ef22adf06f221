/// <reference lib="esnext.float16" preserve="true" />
// cumulo in a page: prefix sums, and what is built from them, on WebGPU; the same calls on the CPU
// where there is none.
import { isSoftware, nameOf, openDevice, requirements, traitsOf } from './device.js';
import { CumuloError, type ErrorKind, isOfDevice } from './errors.js';
import { BoundPlan, Executor, ScratchPool } from './executor.js';
import type { Counts, Plan, PrimitiveName, Slots, TraceStep, Traits } from './plan.js';
import { Planner, type PlannerSource, type Question } from './planner.js';
import { type BindingSlots, type Bound, type Device, type Place, Prepared } from './prepared.js';
import { Recent } from './recent.js';
import { timeCalls, timeRuns, type Timing } from './timing.js';

export { CumuloError, Planner, requirements, timeRuns };
export type { BindingSlots, Bound, Counts, ErrorKind, Place, Plan, Prepared, PrimitiveName, Timing, TraceStep, Traits };

export type Values =
  | Uint32Array
  | Int32Array
  | Float32Array
  | BigUint64Array
  | BigInt64Array
  | Float64Array
  | Float16Array;

export type Operator = 'add' | 'mul' | 'min' | 'max' | 'and' | 'or' | 'xor' | 'add-saturated';

/** An operator of the page's own: see docs/operators.md. Elements are structs of 4-byte fields. */
export interface Monoid {
  name: string;
  fields: { name: string; type: 'u32' | 'i32' | 'f32' }[];
  /** The body of fn combine(older: Element, newer: Element) -> Element. */
  wgsl: string;
  /** The element that changes nothing: a number for each field. */
  identity: ArrayLike<number>;
  commutative?: boolean;
}

export interface RunOptions {
  /** Measures so many runs more and gives their median as `time`. */
  timed?: number;
}

export type ScanAlgorithm =
  | 'auto'
  | 'single-pass'
  | 'reduce-then-scan'
  | 'hillis-steele'
  | 'blelloch'
  | 'subgroup'
  | 'serial'
  | 'blocked';

export type TracedAlgorithm = 'hillis-steele' | 'blelloch' | 'subgroup' | 'single-pass';

export interface ScanOptions extends RunOptions {
  op?: Operator;
  monoid?: Monoid;
  exclusive?: boolean;
  reverse?: boolean;
  /** Enters every result once; of a monoid, a number for each field. */
  init?: number | bigint | ArrayLike<number>;
  /** n + 1 results: the initial value before all others. */
  includeInitial?: boolean;
  /** Sums of u32 in u64, of i32 in i64, of f16 in f32, of f32 in pairs of f32 (given as f64). */
  wide?: boolean;
  algorithm?: ScanAlgorithm;
}

export interface ReduceOptions extends RunOptions {
  op?: Operator;
  monoid?: Monoid;
  wide?: boolean;
}

/** What every call says of its run. */
export interface Report {
  algorithm: string;
  backend: 'webgpu' | 'cpu';
  time?: Timing;
}

/** Flags, one for each element (any but 0 is set), or a predicate such as 'x > 3'. */
export type Keep = Uint8Array | Uint32Array | readonly boolean[] | string;

export interface SelectOptions extends RunOptions {
  algorithm?: 'auto' | 'single-pass' | 'mask-then-scatter';
}

export interface AllocateOptions extends RunOptions {
  capacity?: number | bigint;
  /** Offsets of 64 bits. */
  wide?: boolean;
  algorithm?: ScanAlgorithm;
}

export interface ExpandOptions extends RunOptions {
  /** Outputs at most; as many as there are where it is not given. */
  capacity?: number | bigint;
  algorithm?: ScanAlgorithm;
}

/** What prepare(), record() and plan() are told of a scan: the fields of its C++ header. */
export interface ScanDescription {
  n: number | bigint;
  type?: ElementType;
  op?: Operator;
  monoid?: Monoid;
  exclusive?: boolean;
  reverse?: boolean;
  init?: number | bigint | ArrayLike<number>;
  includeInitial?: boolean;
  wide?: boolean;
  algorithm?: ScanAlgorithm;
}

export type ElementType = 'u32' | 'i32' | 'f32' | 'u64' | 'i64' | 'f16';

export interface ReduceDescription {
  n: number | bigint;
  type?: ElementType;
  op?: Operator;
  monoid?: Monoid;
  wide?: boolean;
}

export interface SelectDescription {
  n: number | bigint;
  arrays?: readonly { elementBytes?: number; isKept?: boolean }[];
  flags?: 'u8' | 'u32' | 'bits';
  where?: string;
  second?: string;
  columns?: readonly { name: string; type: ElementType }[];
  heads?: boolean;
  rest?: 'dropped' | 'follows' | 'three-way';
  indices?: boolean;
  lengths?: boolean;
  capacity?: number | bigint;
  algorithm?: 'auto' | 'single-pass' | 'mask-then-scatter';
}

/** An indirect call that is to work on what was made. */
export interface IndirectForm {
  call: 'dispatch' | 'vertices' | 'instances' | 'indices' | 'indexed-instances';
  per?: number;
  ofItems?: boolean;
}

export interface AllocateDescription {
  n: number | bigint;
  wide?: boolean;
  capacity?: number | bigint;
  capacityOnDevice?: boolean;
  arguments?: readonly IndirectForm[];
  algorithm?: ScanAlgorithm;
}

export interface ExpandDescription {
  n: number | bigint;
  capacity: number | bigint;
  elementBytes?: number;
  fromOffsets?: boolean;
  arguments?: readonly IndirectForm[];
  algorithm?: ScanAlgorithm;
}

export interface ArgumentsDescription {
  forms: readonly IndirectForm[];
  capacity?: number | bigint;
}

/** Of each primitive. */
export interface Descriptions {
  scan: ScanDescription;
  reduce: ReduceDescription;
  select: SelectDescription;
  allocate: AllocateDescription;
  expand: ExpandDescription;
  arguments: ArgumentsDescription;
}

type Like<T extends Values> = T extends Uint32Array
  ? Uint32Array
  : T extends Int32Array
    ? Int32Array
    : T extends Float32Array
      ? Float32Array
      : T extends BigUint64Array
        ? BigUint64Array
        : T extends BigInt64Array
          ? BigInt64Array
          : T extends Float64Array
            ? Float64Array
            : Float16Array;

/** What the sums of `wide` are; there are none of 64 bits. */
export type WideLike<T extends Values> = T extends Uint32Array
  ? BigUint64Array
  : T extends Int32Array
    ? BigInt64Array
    : T extends Float32Array
      ? Float64Array
      : T extends Float16Array
        ? Float32Array
        : never;

/** Options with no other fields than there are. */
type Known<O, Options> = O & Record<Exclude<keyof O, keyof Options>, never>;

type Field<O, Name extends string> = Name extends keyof O ? O[Name] : undefined;

/** The array of results that options ask for. */
export type Made<T extends Values, O> =
  Field<O, 'wide'> extends true
    ? WideLike<T>
    : Field<O, 'wide'> extends false | undefined
      ? Like<T>
      : Like<T> | WideLike<T>;

/** One result: of a monoid, an array of its fields. */
export type MadeOne<T extends Values, O> =
  | (Field<O, 'monoid'> extends Monoid ? never : Made<T, O>[number])
  | (Field<O, 'monoid'> extends undefined ? never : Like<T>);

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

function typeOf(values: Values): string {
  for (const [name, type] of types) {
    if (values instanceof type) return name;
  }
  throw new CumuloError(
    'bad-argument',
    `values must be a typed array of ${types.map(([name]) => name).join(', ')}`,
  );
}

function described(value: unknown): string {
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

function checkOptions(call: keyof typeof optionsOf, options: unknown): void {
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
function elementsIn(values: Values, monoid: Monoid | undefined): number {
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

function checkCounts(counts: Uint32Array): void {
  if (counts instanceof Uint32Array) return;
  throw new CumuloError('bad-argument', 'counts must be a Uint32Array');
}

const wordsIn = (bytes: number) => Math.ceil(bytes / 4);

// What is not of its size, in whole words, would be read past its end.
function checkSizes(slots: Slots, inputs: Record<string, Uint8Array>): void {
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

function checkRoom({ slots }: Slots, { max_buffer_size }: Traits): void {
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

// What was read back no longer than that is given as it is.
function firstOf<A extends Values>(values: A, count: number): A {
  return values.length === count ? values : (values.slice(0, count) as A);
}

function bytesOf(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

// As the type of `values`, from memory of its own.
function viewAs<T extends Values>(bytes: Uint8Array, values: T): Like<T> {
  const type = values.constructor as new (buffer: ArrayBufferLike, at: number, n: number) => Like<T>;
  return new type(bytes.buffer, bytes.byteOffset, bytes.byteLength / values.BYTES_PER_ELEMENT);
}

function words(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

// Results of wide sums: 64-bit integers, f32, or pairs of f32 as the f64 that they add up to.
function wideValues(bytes: Uint8Array, type: string): BigUint64Array | BigInt64Array | Float32Array | Float64Array {
  if (type === 'u32') return new BigUint64Array(bytes.buffer);
  if (type === 'i32') return new BigInt64Array(bytes.buffer);
  if (type === 'f16') return new Float32Array(bytes.buffer);
  const pairs = new Float32Array(bytes.buffer);
  return Float64Array.from({ length: pairs.length / 2 }, (_, i) => pairs[2 * i]! + pairs[2 * i + 1]!);
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

function questionOf(primitive: PrimitiveName, description: object, counted = false): Question {
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

interface Selection {
  arrays: readonly Values[];
  /** What says which elements are selected. */
  selecting: Record<string, unknown>;
  flags?: Uint8Array | Uint32Array;
  writing?: { rest?: string; indices?: boolean; lengths?: boolean };
}

/** A call on arrays. */
interface Call {
  question: Question;
  inputs: Record<string, Uint8Array>;
  options: RunOptions;
  /** The output that says how many elements of the others are results. */
  countedBy: string | null;
}

interface Ran {
  /** The bytes of the slot with that name. */
  output(name: string): Uint8Array;
  total: Uint8Array;
  counts?: Counts;
  report: Report;
}

/** In place of results, where the device made no progress. */
interface Stall {
  algorithm: string;
  fallback: string;
}

const stalled = 1;
const rememberedPrimitives = 64;
const mostOf32Bits = 2 ** 32 - 1;

export class Cumulo {
  /** Where the calls run. */
  readonly backend: 'webgpu' | 'cpu';
  /** Of the device. */
  readonly name: string;
  readonly kind: 'gpu' | 'software' | 'cpu';
  /** On the CPU: why not on a GPU. */
  readonly reason: CumuloError | null;
  /** Resolves when the device is lost; calls are then refused, and load() opens a new one. */
  readonly lost: Promise<CumuloError>;
  #planner: Planner;
  #device: Device | null;
  #isOwn: boolean;
  #recorded = new Recent<string, Prepared>(rememberedPrimitives);
  #ended: CumuloError | null = null;

  /** Use load(). */
  constructor(planner: Planner, device: Device | null, reason: CumuloError | null, isOwn = false) {
    this.#planner = planner;
    this.#device = device;
    this.#isOwn = isOwn;
    this.reason = reason;
    const info = device?.executor.device.adapterInfo;
    this.backend = device ? 'webgpu' : 'cpu';
    this.name = device ? nameOf(info) : 'the CPU, in WebAssembly';
    this.kind = device ? (isSoftware(info) ? 'software' : 'gpu') : 'cpu';
    this.lost = device
      ? device.executor.device.lost.then(({ message }) => {
          const loss = new CumuloError('device-lost', `the device was lost: ${message || 'no reason given'}`);
          device.loss ??= loss;
          return loss;
        })
      : new Promise(() => {});
  }

  /** The page's device, or that which load() has opened; null on the CPU. */
  get device(): GPUDevice | null {
    return this.#device?.executor.device ?? null;
  }

  get #loss(): CumuloError | null {
    return this.#device?.loss ?? this.#ended;
  }

  get traits(): Traits | null {
    return this.#device?.traits ?? null;
  }

  /** For measurements: see timeRuns(). */
  get executor(): Executor | null {
    return this.#device?.executor ?? null;
  }

  /** Frees what it keeps; a device that load() has opened goes with it. Calls are refused from then on. */
  destroy(): void {
    this.#ended = new CumuloError('bad-argument', 'this was destroyed: load() makes another');
    for (const prepared of this.#recorded.values()) prepared.destroy();
    this.#recorded.clear();
    if (!this.#device) return;
    this.#device.loss ??= this.#ended;
    this.#device.executor.clear();
    if (this.#isOwn) this.#device.executor.device.destroy();
  }

  /** Prefixes and their total. Of a monoid, elements lie in `values` field by field. */
  async scan<T extends Values, const O extends ScanOptions = object>(values: T, asked?: Known<O, ScanOptions>) {
    const options: ScanOptions = asked === undefined ? {} : asked;
    checkOptions('scan', options);
    const type = typeOf(values);
    const description = { n: elementsIn(values, options.monoid), type, ...options };
    const ran = await this.#run('scan', description, { input: bytesOf(values) }, options);
    const made = (bytes: Uint8Array) =>
      options.wide ? wideValues(bytes, type) : viewAs(bytes, values);
    const total = made(ran.total);
    return {
      values: made(ran.output('output')) as Made<T, O>,
      total: (options.monoid ? total : total[0]) as MadeOne<T, O>,
      ...(ran.counts ? { counts: ran.counts } : {}),
      ...ran.report,
    };
  }

  /** One value: the total of a scan, to the bit. */
  async reduce<T extends Values, const O extends ReduceOptions = object>(values: T, asked?: Known<O, ReduceOptions>) {
    const options: ReduceOptions = asked === undefined ? {} : asked;
    checkOptions('reduce', options);
    const type = typeOf(values);
    const description = { n: elementsIn(values, options.monoid), type, ...options };
    const ran = await this.#run('reduce', description, { input: bytesOf(values) }, options);
    const bytes = ran.output('output');
    const value = options.wide ? wideValues(bytes, type) : viewAs(bytes, values);
    return {
      value: (options.monoid ? value : value[0]) as MadeOne<T, O>,
      ...ran.report,
    };
  }

  /** The kept elements in their order, and their indices. */
  async compact<T extends Values>(values: T, keep: Keep, options: SelectOptions = {}) {
    const ran = await this.#select(
      'compact',
      { arrays: [values], ...this.#selecting(values, keep), writing: { indices: true } },
      options,
    );
    const count = words(ran.output('counts'))[0]!;
    return {
      values: firstOf(viewAs(ran.output('output'), values), count),
      indices: firstOf(words(ran.output('indices')), count),
      count,
      ...ran.report,
    };
  }

  /**
   * The kept elements first, the others after them, both in their order; `split` is where the
   * others begin. With a second predicate those that it selects come between, and `second` is where
   * the rest begins.
   */
  async partition<T extends Values>(values: T, keep: Keep, options: SelectOptions & { second?: string } = {}) {
    checkOptions('partition', options);
    const { second, ...others } = options;
    if (second !== undefined && (typeof second !== 'string' || typeof keep !== 'string')) {
      throw new CumuloError('bad-argument', "partition's second is a predicate, beside a first one: 'x > 5', { second: 'x > 2' }");
    }
    const selection = this.#selecting(values, keep);
    const ran = await this.#select(
      'partition',
      {
        arrays: [values],
        ...selection,
        selecting: { ...selection.selecting, ...(second === undefined ? {} : { second }) },
        writing: { rest: second === undefined ? 'follows' : 'three-way' },
      },
      others,
    );
    const [split, between] = words(ran.output('counts'));
    return {
      values: viewAs(ran.output('output'), values),
      split: split!,
      second: second === undefined ? values.length : split! + between!,
      ...ran.report,
    };
  }

  /** The first of each run of equal neighbours; equal are those of equal bytes. */
  async unique<T extends Values>(values: T, options: SelectOptions = {}) {
    const ran = await this.#select('unique', { arrays: [values], selecting: { heads: true } }, options);
    const count = words(ran.output('counts'))[0]!;
    return { values: firstOf(viewAs(ran.output('output'), values), count), count, ...ran.report };
  }

  /** Of each run of equal neighbours: its value, where it starts, how long it is. */
  async runs<T extends Values>(values: T, options: SelectOptions = {}) {
    const ran = await this.#select(
      'runs',
      { arrays: [values], selecting: { heads: true }, writing: { indices: true, lengths: true } },
      options,
    );
    const count = words(ran.output('counts'))[0]!;
    return {
      values: firstOf(viewAs(ran.output('output'), values), count),
      starts: firstOf(words(ran.output('indices')), count),
      lengths: firstOf(words(ran.output('lengths')), count),
      count,
      ...ran.report,
    };
  }

  /** n + 1 offsets for n counts, and what fits a capacity (docs/allocation.md). */
  async allocate<const O extends AllocateOptions = object>(counts: Uint32Array, asked?: Known<O, AllocateOptions>) {
    const options: AllocateOptions = asked === undefined ? {} : asked;
    checkOptions('allocate', options);
    checkCounts(counts);
    const ran = await this.#run(
      'allocate',
      { n: counts.length, ...options },
      { counts: bytesOf(counts) },
      options,
    );
    const offsets = ran.output('offsets');
    const report = ran.output('report');
    const [total, used, fitting] = new BigUint64Array(report.buffer, report.byteOffset, 3);
    const flags = words(report)[6]!;
    const overflowed = (flags & 1) !== 0;
    return {
      offsets: (options.wide ? new BigUint64Array(offsets.buffer) : words(offsets)) as Made<Uint32Array, O>,
      // Offsets of 32 bits cannot tell it.
      total: overflowed ? sumOf(counts) : Number(total!),
      used: Number(used!),
      fitting: Number(fitting!),
      overflowed,
      exceeds: (flags & 2) !== 0,
      ...ran.report,
    };
  }

  /** Item i counts[i] times, by value or, without values, by index. */
  async expand<T extends Values = Uint32Array>(
    counts: Uint32Array,
    values: T | null = null,
    options: ExpandOptions = {},
  ) {
    checkOptions('expand', options);
    checkCounts(counts);
    if (values) typeOf(values);
    if (values && values.length !== counts.length) {
      throw new CumuloError('bad-argument', `${values.length} values for ${counts.length} counts`);
    }
    const total = sumOf(counts);
    const capacity = Math.min(Number(options.capacity ?? total), total);
    const elementBytes = values?.BYTES_PER_ELEMENT ?? 0;
    const ran = await this.#run(
      'expand',
      { n: counts.length, elementBytes, ...options, capacity },
      { counts: bytesOf(counts), ...(values ? { values: bytesOf(values) } : {}) },
      options,
    );
    const output = ran.output('output');
    const report = ran.output('report');
    const made = Number(new BigUint64Array(report.buffer, report.byteOffset, 1)[0]!);
    return {
      values: (values ? viewAs(output, values) : words(output)) as Like<T>,
      // A report of 32 bits cannot tell more.
      total: made === mostOf32Bits ? total : made,
      exceeds: words(report)[3] !== 0,
      ...ran.report,
    };
  }

  /**
   * A primitive prepared for buffers of the page, whose own it is: compiled once, bound and recorded as often as
   * wanted. The description has the fields of the C++ header; with `counted` a u32 in a buffer
   * 'count' says how many elements there are, and the description's n is the most.
   */
  async prepare<P extends PrimitiveName>(
    primitive: P,
    description: Descriptions[P],
    options: { counted?: boolean } = {},
  ): Promise<Prepared> {
    checkOptions('prepare', options);
    const prepared = new Prepared(this.#recordingDevice, questionOf(primitive, description, options.counted));
    await this.#watched(() => prepared.compile());
    return prepared;
  }

  /**
   * Records a run between the page's own passes, over the page's own buffers, by the names that the
   * primitive gives them: nothing is read back. What prepare() has not compiled is compiled here.
   */
  record<P extends PrimitiveName>(
    target: GPUCommandEncoder | GPUComputePassEncoder,
    primitive: P,
    description: Descriptions[P],
    buffers: Readonly<Record<string, Place>>,
    options: { counted?: boolean } = {},
  ): Bound {
    checkOptions('record', options);
    const bound = this.#recordedFor(questionOf(primitive, description, options.counted)).bind(buffers);
    bound.record(target);
    return bound;
  }

  /** The plan for separate and aligned buffers, for looking at. */
  plan<P extends PrimitiveName>(primitive: P, description: Descriptions[P], traits: Partial<Traits> = {}): Plan {
    const question = questionOf(primitive, description);
    const { slots } = this.#planner.slots(question);
    const places = slots.map(({ elements, element_bytes }, buffer) => ({
      buffer,
      offset: 0,
      bytes: elements * element_bytes,
    }));
    const all = { dialect: 'tint', ...this.traits, ...traits } as Traits;
    return this.#planner.plan(question, all, places).plan;
  }

  /**
   * A scan of 8, 16, 32 or 64 elements, step by step as the device did it: the array before the
   * first step and after each, what was added to what, and how many barriers it took.
   */
  async trace<T extends Values>(values: T, algorithm: TracedAlgorithm) {
    const device = this.#device;
    if (!device) throw new CumuloError('unsupported', 'without WebGPU there is no device to trace');
    if (this.#loss) throw this.#loss;
    const { executor, planner, traits } = device;
    const type = typeOf(values);
    if (type === 'f16') throw new CumuloError('unsupported', 'halves are not traced: their sums are f32');
    const question = questionOf('scan', { n: values.length, type, algorithm });
    const placed = planner.trace(question, traits);
    const buffers: GPUBuffer[] = [];
    const pool = new ScratchPool(executor);
    let bound: BoundPlan | null = null;
    try {
      return await this.#watched(async () => {
        await executor.prepare(placed.plan);
        const made = await executor.submit('trace', (encoder) => {
          for (const name of ['input', 'output']) buffers.push(executor.buffer(name, values.byteLength));
          write(executor.device.queue, buffers[0]!, bytesOf(values));
          bound = new BoundPlan(executor, placed, buffers, pool);
          bound.record(encoder);
          return bound;
        });
        const { index, steps } = placed.plan.trace!;
        const bytes = placed.plan.buffers[index]!.bytes;
        const [traced] = await executor.read([{ ...made.place(index), bytes }]);
        const n = values.length;
        const all = viewAs(traced!, values);
        const arrays = Array.from({ length: steps.length + 1 }, (_, k) => all.slice(k * n, (k + 1) * n) as Like<T>);
        return { arrays, steps, algorithm: placed.plan.algorithm };
      });
    } finally {
      (bound as BoundPlan | null)?.destroy();
      pool.destroy();
      for (const buffer of buffers) buffer.destroy();
    }
  }

  get #recordingDevice(): Device {
    if (this.#loss) throw this.#loss;
    if (this.#device) return this.#device;
    throw new CumuloError('unsupported', 'without WebGPU nothing can be recorded: use the calls on arrays');
  }

  #recordedFor(question: Question): Prepared {
    const device = this.#recordingDevice;
    const key = JSON.stringify(question, (_, value) =>
      typeof value === 'bigint' || typeof value === 'number' ? String(value) : value,
    );
    let prepared = this.#recorded.get(key);
    if (!prepared) {
      prepared = new Prepared(device, question);
      // One that is forgotten is not destroyed: a recorded run may still wait to be submitted.
      this.#recorded.set(key, prepared);
    }
    return prepared;
  }

  // What fails because the device goes is told as that.
  async #watched<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isOfDevice(error)) throw error;
      await this.#device?.executor.isLost();
      throw this.#loss ?? error;
    }
  }

  #selecting(values: Values, keep: Keep): Pick<Selection, 'selecting' | 'flags'> {
    const type = typeOf(values);
    if (typeof keep === 'string') {
      return { selecting: { where: keep, columns: [{ name: 'x', type }] } };
    }
    if (!(keep instanceof Uint32Array || keep instanceof Uint8Array || Array.isArray(keep))) {
      throw new CumuloError(
        'bad-argument',
        "what is kept must be a predicate such as 'x > 3', or flags: a Uint8Array, a Uint32Array or a list",
      );
    }
    const flags = Array.isArray(keep) ? Uint8Array.from(keep, (flag) => (flag ? 1 : 0)) : keep;
    if (flags.length !== values.length) {
      throw new CumuloError('bad-argument', `${flags.length} flags for ${values.length} values`);
    }
    return { selecting: { flags: flags instanceof Uint32Array ? 'u32' : 'u8' }, flags };
  }

  #select(
    called: 'compact' | 'partition' | 'unique' | 'runs',
    { arrays, selecting, flags, writing }: Selection,
    options: SelectOptions,
  ): Promise<Ran> {
    checkOptions(called, options);
    for (const array of arrays) typeOf(array);
    const description = {
      n: arrays[0]!.length,
      arrays: arrays.map((array) => ({ element_bytes: array.BYTES_PER_ELEMENT })),
      ...selecting,
      ...writing,
      ...options,
    };
    const inputs = { input: bytesOf(arrays[0]!), ...(flags ? { flags: bytesOf(flags) } : {}) };
    const isCut = !writing?.rest;
    return this.#run('select', description, inputs, options, { called, countedBy: isCut ? 'counts' : null });
  }

  async #run(
    primitive: PrimitiveName,
    description: object,
    inputs: Record<string, Uint8Array>,
    options: RunOptions,
    { called = primitive as string, countedBy = null as string | null } = {},
  ): Promise<Ran> {
    if (this.#loss) throw this.#loss;
    const question = { ...questionOf(primitive, description), called };
    const device = this.#device;
    if (!device) {
      if ('monoid' in question.description) {
        throw new CumuloError('unsupported', 'an operator of your own is WGSL, which runs on a GPU: here is the CPU path');
      }
      return this.#runOnCpu(question, inputs, options);
    }
    const { algorithm } = question.description;
    if (algorithm === 'serial' || algorithm === 'blocked') {
      throw new CumuloError('unsupported', `algorithm ${algorithm} is the CPU path's: load(null) opens that`);
    }
    return this.#watched(() => this.#runOnGpu(device, { question, inputs, options, countedBy }));
  }

  #runOnCpu(question: Question, inputs: Record<string, Uint8Array>, { timed }: RunOptions): Ran {
    const slots = this.#planner.slots(question);
    checkSizes(slots, inputs);
    const given = slots.slots.map(({ name }) => inputs[name] ?? null);
    const once = () => this.#planner.run(question, slots, given);
    const { algorithm, outputs } = once();
    const report: Report = { algorithm, backend: 'cpu' };
    if (timed) report.time = timeCalls(once, timed);
    return { ...outputsOf(slots, outputs), report };
  }

  async #runOnGpu(device: Device, call: Call): Promise<Ran> {
    const ran = await this.#runOnce(device, call);
    if (!('fallback' in ran)) return ran;
    // Once more by the algorithm that cannot stall, where the choice was ours.
    const asked = call.question.description['algorithm'] ?? 'auto';
    if (asked !== 'auto' || ran.fallback === '') {
      throw new CumuloError('stalled', `${ran.algorithm} stalled: use ${ran.fallback}`);
    }
    const description = { ...call.question.description, algorithm: ran.fallback };
    return this.#runOnGpu(device, { ...call, question: { ...call.question, description } });
  }

  async #runOnce(device: Device, { question, inputs, options, countedBy }: Call): Promise<Ran | Stall> {
    const { executor } = device;
    const prepared = new Prepared(device, question);
    const { slots, total_bytes, fallback } = prepared.planned;
    checkSizes(prepared.planned, inputs);
    checkRoom(prepared.planned, device.traits);
    const buffers: Record<string, GPUBuffer> = {};
    const place = (name: string, bytes: number) => ({ buffer: buffers[name]!, offset: 0, bytes });
    try {
      await prepared.compile(['padded']);
      const bound = await executor.submit(question.called ?? question.primitive, (encoder) => {
        for (const { name, elements, element_bytes, written } of slots) {
          buffers[name] = executor.buffer(name, elements * element_bytes);
          if (!written) write(executor.device.queue, buffers[name], inputs[name]!);
        }
        const made = prepared.bind(buffers);
        made.record(encoder);
        return made;
      });
      const { plan, total, status } = bound;
      const { algorithm, counts } = plan;
      // What decides how much there is to read.
      const flags = async (more: { buffer: GPUBuffer; offset: number; bytes: number }[] = []) => {
        const read = await executor.read([...(status ? [{ ...status, bytes: 4 }] : []), ...more]);
        const word = status ? words(read.shift()!)[0]! : 0;
        return { hasStalled: (word & stalled) !== 0, read };
      };
      const first = await flags(countedBy ? [place(countedBy, 4)] : []);
      if (first.hasStalled) return { algorithm, fallback };
      const count = countedBy ? words(first.read[0]!)[0]! : Infinity;
      const places = slots.map(({ name, elements, element_bytes, written }) => {
        const made = name === countedBy ? elements : Math.min(elements, count);
        return place(name, written ? made * element_bytes : 0);
      });
      if (total) places.push({ ...total, bytes: total_bytes });
      const outputs = await executor.read(places);
      const time = options.timed ? await timeRuns(executor, bound, options.timed) : undefined;
      if (time && (await flags()).hasStalled) return { algorithm, fallback };
      const report: Report = { algorithm, backend: 'webgpu', ...(time ? { time } : {}) };
      return { ...outputsOf(prepared.planned, outputs), report, ...(counts ? { counts } : {}) };
    } finally {
      prepared.destroy();
      for (const buffer of Object.values(buffers)) buffer.destroy();
    }
  }
}

function outputsOf({ slots }: Slots, outputs: readonly (Uint8Array | null)[]) {
  return {
    output: (name: string): Uint8Array => outputs[slots.findIndex((slot) => slot.name === name)]!,
    total: outputs[slots.length] ?? new Uint8Array(0),
  };
}

// writeBuffer wants whole words; the last bytes travel in a padded one.
function write(queue: GPUQueue, buffer: GPUBuffer, bytes: Uint8Array): void {
  const whole = bytes.length - (bytes.length % 4);
  if (whole > 0) queue.writeBuffer(buffer, 0, bytes as Uint8Array<ArrayBuffer>, 0, whole);
  if (whole === bytes.length) return;
  const last = new Uint8Array(4);
  last.set(bytes.subarray(whole));
  queue.writeBuffer(buffer, whole, last);
}

function sumOf(counts: Uint32Array): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}

export interface LoadOptions {
  /** Where planner.wasm is; beside this module where nothing is said. */
  planner?: PlannerSource;
}

/**
 * The library on a page's device. Without a device it opens one, and where that cannot be it works
 * on the CPU and says why in `reason`; null asks for the CPU.
 */
export async function load(device?: GPUDevice | null, options: LoadOptions = {}): Promise<Cumulo> {
  checkOptions('load', options);
  if (device && typeof device.createComputePipeline !== 'function') {
    throw new CumuloError(
      'bad-argument',
      `load() takes a GPUDevice, null for the CPU, or nothing to open a device, not ${described(device)}`,
    );
  }
  const source = options.planner ?? new URL('planner.wasm', import.meta.url);
  const loading = Planner.load(source);
  let opened = device;
  let reason: CumuloError | null = null;
  if (device === undefined) {
    try {
      opened = await openDevice();
    } catch (error) {
      if (!(error instanceof CumuloError)) throw error;
      reason = error;
    }
  } else if (device === null) {
    reason = new CumuloError('no-device', 'the CPU was asked for');
  }
  const planner = await loading;
  if (!opened) return new Cumulo(planner, null, reason);
  const executor = new Executor(opened);
  const traits = await traitsOf(executor);
  return new Cumulo(planner, { planner, executor, traits, loss: null }, null, device === undefined);
}
