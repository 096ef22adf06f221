// A primitive of one description on a page's device: prepared once, bound to buffers, recorded as
// often as wanted.
import { CumuloError, RefusedText } from './errors.js';
import { BoundPlan, type Executor, ScratchPool } from './executor.js';
import type { PlacedPlan, Plan, Slots, Traits } from './plan.js';
import type { NumberedPlace, Planner, Question } from './planner.js';
import { Recent } from './recent.js';

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
  /** To be called where `status` said that a run stalled, before the next one is recorded. */
  recover(): void;
}

/** The buffers that bind() takes. */
export interface BindingSlots {
  slots: { name: string; elementBytes: number; elements: number; written: boolean }[];
  /** Of the total that a scan makes beside its output; 0 where there is none. */
  totalBytes: number;
  /** The algorithm that cannot stall; empty where none can. */
  fallback: string;
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

// What a step copies to or from needs more than the shaders do.
function missingUsage(plan: Plan, index: number, usage: number): string | null {
  const { COPY_SRC, COPY_DST } = GPUBufferUsage;
  const isWritten = plan.steps.some(
    (step) => (step.step === 'clear' && step.index === index) || (step.step === 'copy' && step.to_index === index),
  );
  if (isWritten && (usage & COPY_DST) === 0) return 'COPY_DST';
  const isRead = plan.steps.some((step) => step.step === 'copy' && step.from_index === index);
  return isRead && (usage & COPY_SRC) === 0 ? 'COPY_SRC' : null;
}

class BoundToBuffers implements Bound {
  readonly bound: BoundPlan;
  #prepared: Prepared;

  constructor(bound: BoundPlan, prepared: Prepared) {
    this.bound = bound;
    this.#prepared = prepared;
  }

  destroy(): void {
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
    this.#prepared.checkUsable();
    this.#prepared.blaming(() => this.bound.record(target));
  }

  recover(): void {
    this.#prepared.recover();
  }
}

export class Prepared {
  readonly question: Question;
  /** The buffers that bind() takes, by name. */
  readonly slots: BindingSlots;
  /** The same as the planner says it. */
  readonly planned: Slots;
  #device: Device;
  #pool: ScratchPool;
  #recent = new Recent<string, BoundToBuffers>(rememberedBindings);
  // Those too that are remembered no more, as long as the page holds them.
  #live = new Set<WeakRef<BoundToBuffers>>();
  #isDestroyed = false;

  constructor(device: Device, question: Question) {
    this.question = question;
    this.planned = device.planner.slots(question);
    const { slots, total_bytes, fallback } = this.planned;
    this.slots = {
      slots: slots.map(({ element_bytes, ...slot }) => ({ ...slot, elementBytes: element_bytes })),
      totalBytes: total_bytes,
      fallback,
    };
    this.#device = device;
    this.#pool = new ScratchPool(device.executor);
  }

  /** Compiles what buffers apart need, bound from their beginnings, and of sizes such as these. */
  async compile(sizes: readonly ('exact' | 'padded')[] = ['exact', 'padded']): Promise<void> {
    const { planner, executor, traits } = this.#device;
    const plans = sizes.map((size) => {
      const unit = size === 'padded' ? 16 : 4;
      const places = this.planned.slots.map(({ elements, element_bytes }, buffer) => ({
        buffer,
        offset: 0,
        bytes: Math.max(unit, Math.ceil((elements * element_bytes) / unit) * unit),
      }));
      return planner.plan(this.question, traits, places).plan;
    });
    try {
      await Promise.all(plans.map((plan) => executor.prepare(plan)));
    } catch (error) {
      throw this.#blamed(error);
    }
  }

  /** Binds to places by the names of the slots; the same places are remembered. */
  bind(places: Readonly<Record<string, Place>>): Bound {
    this.checkUsable();
    const names = this.planned.slots.map(({ name }) => name);
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
      const placed = this.#device.planner.plan(this.question, this.#device.traits, numbered);
      for (const [k, { buffer }] of given.entries()) {
        const usage = missingUsage(placed.plan, placed.external[k]!.index, buffer.usage);
        if (usage) throw new CumuloError('bad-argument', `the buffer of the ${names[k]} lacks the usage ${usage}`);
      }
      bound = this.#bound(placed, given.map(({ buffer }) => buffer));
      this.#recent.set(key, bound);
    }
    return bound;
  }

  /** To be called where a status said that a run stalled, before the next one is recorded. */
  recover(): void {
    this.#pool.distrust();
  }

  /** Frees scratch and bindings; the page's buffers stay. */
  destroy(): void {
    this.#isDestroyed = true;
    for (const bound of this.#live) bound.deref()?.destroy();
    this.#live.clear();
    this.#recent.clear();
    this.#pool.destroy();
  }

  /** Throws where the device is lost or this is destroyed. */
  checkUsable(): void {
    if (this.#device.loss) throw this.#device.loss;
    if (this.#isDestroyed) {
      throw new CumuloError('bad-argument', 'what this was bound by is destroyed: prepare and bind it again');
    }
  }

  /** Throws what `work` throws, as the page's fault where its own text does not compile. */
  blaming<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#blamed(error);
    }
  }

  #bound(placed: PlacedPlan, buffers: readonly GPUBuffer[]): BoundToBuffers {
    const plan = this.blaming(() => new BoundPlan(this.#device.executor, placed, buffers, this.#pool));
    const bound = new BoundToBuffers(plan, this);
    for (const other of this.#live) {
      if (!other.deref()) this.#live.delete(other);
    }
    this.#live.add(new WeakRef(bound));
    return bound;
  }

  #blamed(error: unknown): unknown {
    const { monoid, where } = this.question.description;
    const isOfPage = error instanceof RefusedText && (monoid || where);
    return isOfPage ? new CumuloError('bad-argument', error.message, error.reasons) : error;
  }
}
