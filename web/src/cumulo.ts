/// <reference lib="esnext.float16" preserve="true" />
// cumulo in a page: prefix sums, and what is built from them, on WebGPU; the same calls on the CPU
// where there is none.
import { bytesOf, firstOf, sumOf, viewAs, wideValues, words, write } from './bytes.js';
import { checkCounts, checkOptions, described, elementsIn, questionOf, typeOf } from './checks.js';
import { isSoftware, nameOf, openDevice, requirements, traitsOf } from './device.js';
import { CumuloError, type ErrorKind, isOfDevice } from './errors.js';
import { BoundPlan, Executor, ScratchPool } from './executor.js';
import type { Counts, Plan, PrimitiveName, TraceStep, Traits } from './plan.js';
import { Planner, type PlannerSource, type Question } from './planner.js';
import { type BindingSlots, type Bound, type Device, type Place, Prepared } from './prepared.js';
import { Recent } from './recent.js';
import { type Ran, runOnCpu, runOnGpu } from './runner.js';
import { timeRuns, type Timing } from './timing.js';
import type {
  AllocateOptions, Descriptions, ExpandOptions, Keep, Known, Like, Made, MadeOne, ReduceOptions, RunOptions,
  ScanOptions, SelectOptions, TracedAlgorithm, Values,
} from './types.js';

export { CumuloError, Planner, requirements, timeRuns };
export type { BindingSlots, Bound, Counts, ErrorKind, Place, Plan, Prepared, PrimitiveName, Timing, TraceStep, Traits };
export type {
  AllocateDescription, AllocateOptions, ArgumentsDescription, Descriptions, ElementType, ExpandDescription,
  ExpandOptions, IndirectForm, Keep, Made, MadeOne, Monoid, Operator, ReduceDescription, ReduceOptions, Report,
  RunOptions, ScanAlgorithm, ScanDescription, ScanOptions, SelectDescription, SelectOptions, TracedAlgorithm, Values,
  WideLike,
} from './types.js';

interface Selection {
  arrays: readonly Values[];
  /** What says which elements are selected. */
  selecting: Record<string, unknown>;
  flags?: Uint8Array | Uint32Array;
  writing?: { rest?: string; indices?: boolean; lengths?: boolean };
}

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
      return runOnCpu(this.#planner, question, inputs, options);
    }
    const { algorithm } = question.description;
    if (algorithm === 'serial' || algorithm === 'blocked') {
      throw new CumuloError('unsupported', `algorithm ${algorithm} is the CPU path's: load(null) opens that`);
    }
    return this.#watched(() => runOnGpu(device, { question, inputs, options, countedBy }));
  }
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
  loading.catch(() => {}); // it is told below, once there is a device or none
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
  let planner: Planner;
  try {
    planner = await loading;
  } catch (error) {
    if (device === undefined) opened?.destroy();
    throw error;
  }
  if (!opened) return new Cumulo(planner, null, reason);
  const executor = new Executor(opened);
  const traits = await traitsOf(executor, planner);
  return new Cumulo(planner, { planner, executor, traits, loss: null }, null, device === undefined);
}
