// A primitive of one description on a page's device: prepared once, bound to buffers, recorded as
// often as wanted.
import { CumuloError } from './errors.js';
import { BoundPlan, type Executor, ScratchPool } from './executor.js';
import type { Plan, Slots, Traits } from './plan.js';
import type { NumberedPlace, Planner, Question } from './planner.js';

/** A place in a buffer: its beginning, or from `offset` bytes on. */
export type Place = GPUBuffer | { buffer: GPUBuffer; offset?: number };

export interface Device {
  planner: Planner;
  executor: Executor;
  traits: Traits;
  /** Why it is gone. */
  loss: CumuloError | null;
}

/** A primitive bound to the page's buffers. */
export interface Bound {
  readonly plan: Plan;
  /** Where a scan's total lies after a run. */
  readonly total: { buffer: GPUBuffer; offset: number } | null;
  /** A u32: 1 where a run stalled, 2 where the count on the device was above the description's n. */
  readonly status: { buffer: GPUBuffer; offset: number } | null;
  /** Records a run. A compute pass takes it where the plan has dispatches alone. */
  record(target: GPUCommandEncoder | GPUComputePassEncoder): void;
}

const rememberedBindings = 16;

const numbers = new WeakMap<GPUBuffer, number>();
let nextNumber = 0;
function numberOf(buffer: GPUBuffer): number {
  let number = numbers.get(buffer);
  if (number === undefined) {
    number = nextNumber++;
    numbers.set(buffer, number);
  }
  return number;
}

function named<T>(names: readonly string[], given: Readonly<Record<string, T>>, what: string): T[] {
  if (typeof given !== 'object' || given === null) {
    throw new CumuloError('bad-argument', `the ${what}s must be an object with ${names.join(', ')}`);
  }
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new CumuloError('bad-argument', `there is no ${what} '${unknown}'; there are ${names.join(', ')}`);
  }
  return names.map((name) => {
    const value = given[name];
    if (value === undefined) throw new CumuloError('bad-argument', `no ${what} was given for the ${name}`);
    return value;
  });
}

// Told by what it can do: a frame's buffers are of another class than the page's.
function isBuffer(value: unknown): value is GPUBuffer {
  return typeof value === 'object' && value !== null && 'mapAsync' in value && 'usage' in value;
}

function placeOf(place: Place, name: string): { buffer: GPUBuffer; offset: number } {
  if (isBuffer(place)) return { buffer: place, offset: 0 };
  if (typeof place === 'object' && isBuffer(place?.buffer)) {
    const unknown = Object.keys(place).find((field) => field !== 'buffer' && field !== 'offset');
    if (unknown !== undefined) {
      throw new CumuloError('bad-argument', `the place of the ${name} has an unknown field '${unknown}'; there are buffer, offset`);
    }
    return { buffer: place.buffer, offset: Number(place.offset ?? 0) };
  }
  const hint = ArrayBuffer.isView(place) ? '; typed arrays are for the calls on arrays' : '';
  throw new CumuloError('bad-argument', `the ${name} must be a GPUBuffer or { buffer, offset }${hint}`);
}

class BoundToBuffers implements Bound {
  readonly bound: BoundPlan;
  #device: Device;
  #isDestroyed = false;

  constructor(bound: BoundPlan, device: Device) {
    this.bound = bound;
    this.#device = device;
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.bound.destroy();
  }

  get plan(): Plan {
    return this.bound.plan;
  }

  get total() {
    const index = this.plan.buffers.findIndex(({ name, role }) => name === 'total' && role === 'output');
    return index < 0 ? null : this.bound.place(index);
  }

  get status() {
    const { status } = this.plan;
    if (!status) return null;
    const { buffer, offset } = this.bound.place(status.index);
    return { buffer, offset: offset + status.offset };
  }

  record(target: GPUCommandEncoder | GPUComputePassEncoder): void {
    if (this.#device.loss) throw this.#device.loss;
    if (this.#isDestroyed) {
      throw new CumuloError('bad-argument', 'what this was bound by is destroyed: prepare and bind it again');
    }
    this.bound.record(target);
  }
}

export class Prepared {
  readonly question: Question;
  /** The buffers that bind() takes, by name. */
  readonly slots: Slots;
  #device: Device;
  #pool: ScratchPool;
  #recent = new Map<string, BoundToBuffers>();

  constructor(device: Device, question: Question) {
    this.question = question;
    this.slots = device.planner.slots(question);
    this.#device = device;
    this.#pool = new ScratchPool(device.executor);
  }

  /** Compiles what the usual case, separate and aligned buffers, needs. */
  async compile(): Promise<void> {
    const usual = this.slots.slots.map(({ elements, element_bytes }, buffer) => ({
      buffer,
      offset: 0,
      bytes: Math.ceil((elements * element_bytes) / 16) * 16,
    }));
    const { plan } = this.#device.planner.plan(this.question, this.#device.traits, usual);
    try {
      await this.#device.executor.prepare(plan);
    } catch (error) {
      // The page's own text is what does not compile.
      const { monoid, where } = this.question.description;
      if (error instanceof CumuloError && error.kind === 'validation' && (monoid || where)) {
        throw new CumuloError('bad-argument', error.message, error.reasons);
      }
      throw error;
    }
  }

  /** Binds to places by the names of the slots; the same places are remembered. */
  bind(places: Readonly<Record<string, Place>>): Bound {
    if (this.#device.loss) throw this.#device.loss;
    const names = this.slots.slots.map(({ name }) => name);
    const given = named(names, places, 'buffer').map((place, k) => placeOf(place, names[k]!));
    const numbered = given.map(({ buffer, offset }, k): NumberedPlace => {
      if ((buffer.usage & GPUBufferUsage.STORAGE) === 0) {
        throw new CumuloError('bad-argument', `the buffer of the ${names[k]} lacks the usage STORAGE`);
      }
      return { buffer: numberOf(buffer), offset, bytes: buffer.size };
    });
    const key = JSON.stringify(numbered);
    let bound = this.#recent.get(key);
    if (!bound) {
      const { planner, traits, executor } = this.#device;
      const placed = planner.plan(this.question, traits, numbered);
      const buffers = given.map(({ buffer }) => buffer);
      bound = new BoundToBuffers(new BoundPlan(executor, placed, buffers, this.#pool), this.#device);
      this.#recent.set(key, bound);
      if (this.#recent.size > rememberedBindings) {
        const [oldest] = this.#recent.keys();
        this.#recent.delete(oldest!);
      }
    }
    return bound;
  }

  /** To be called where a status said that a run stalled, before the next one is recorded. */
  recover(): void {
    this.#pool.distrust();
  }

  /** Frees scratch and bindings; the page's buffers stay. */
  destroy(): void {
    for (const bound of this.#recent.values()) bound.destroy();
    this.#recent.clear();
    this.#pool.destroy();
  }
}
