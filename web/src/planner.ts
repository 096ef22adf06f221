// The C++ planner and CPU backend, in WebAssembly.
import { CumuloError, type ErrorKind } from './errors.js';
import type { Description, DeviceSays, PlacedPlan, PrimitiveName, Slot, Slots, Traits } from './plan.js';

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  cumulo_allocate(bytes: number): number;
  cumulo_free(address: number): void;
  cumulo_call(request: number, bytes: number): number;
}

export type PlannerSource = URL | string | Response | BufferSource | WebAssembly.Module;

interface ErrorAnswer {
  error?: { kind: ErrorKind; message: string; reasons: string[] };
}

export interface Question {
  primitive: PrimitiveName;
  description: Description;
  counted?: boolean;
  /** The name that errors give it; the primitive's where there is none. */
  called?: string;
}

/** Where one of the caller's buffers lies; equal numbers mean one buffer. */
export interface NumberedPlace {
  buffer: number;
  offset: number;
  bytes: number;
}

async function fetched(address: URL | string): Promise<Response> {
  try {
    return await fetch(address);
  } catch (failure) {
    throw new CumuloError(
      'bad-argument',
      `the planner could not be fetched from ${address} (${(failure as Error).message}): give load() its address, or its bytes, as { planner }`,
    );
  }
}

async function compile(source: PlannerSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    return WebAssembly.compile(source as BufferSource);
  }
  const response = source instanceof Response ? source : await fetched(source);
  if (!response.ok) {
    throw new CumuloError('bad-argument', `the planner is not at ${response.url}: ${response.status}`);
  }
  // Any static server will do, also one that does not know the type of a .wasm.
  return WebAssembly.compile(await response.arrayBuffer());
}

// What the module imports of a system: it writes to no file and needs no clock.
const success = 0;
const notSupported = 58;
const wasi = {
  clock_time_get: () => notSupported,
  fd_close: () => success,
  fd_seek: () => notSupported,
  fd_write: () => notSupported,
};

// What JSON has no word for: large integers, infinity and NaN go as text, typed arrays as lists.
function asJson(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  }
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>);
  return value;
}

export class Planner {
  #module: WebAssembly.Module;
  #exports: Exports;

  static async load(source: PlannerSource): Promise<Planner> {
    return new Planner(await compile(source));
  }

  private constructor(module: WebAssembly.Module) {
    this.#module = module;
    this.#exports = this.#start();
  }

  /** The caller's buffers of a primitive. */
  slots(question: Question): Slots {
    return this.#ask('slots', question, {}) as Slots;
  }

  /** What the planner makes of what a browser says of its device. */
  traits(device: DeviceSays): Traits {
    return this.#asked({ call: 'traits', ...device }) as Traits;
  }

  /** The plan for places in the order of the slots. */
  plan(question: Question, traits: Traits, buffers: NumberedPlace[]): PlacedPlan {
    return this.#ask('plan', question, { traits, buffers }) as PlacedPlan;
  }

  /** The plan of a scan over two buffers that writes down its array after each step. */
  trace(question: Question, traits: Traits): PlacedPlan {
    return this.#ask('trace', question, { traits }) as PlacedPlan;
  }

  /**
   * Runs on the CPU. `inputs` holds the bytes of each slot that is not written; what comes back is
   * the bytes of each that is, and last those of the total where there is one.
   */
  run(question: Question, { slots, total_bytes }: Slots, inputs: readonly (Uint8Array | null)[]) {
    const exports = this.#exports;
    const sizes = slots.map((slot: Slot) => slot.elements * slot.element_bytes);
    if (total_bytes > 0) sizes.push(total_bytes);
    const places: number[] = [];
    try {
      for (const [k, bytes] of sizes.entries()) {
        // Some room behind: elements are looked at in whole words.
        places.push(allocate(exports, bytes + 16));
        const input = inputs[k];
        if (input) bytesAt(exports, places[k]!, bytes).set(input.subarray(0, bytes));
      }
      const answer = this.#ask('run', question, { places }) as { algorithm: string };
      const outputs = sizes.map((bytes, k) =>
        slots[k] && !slots[k].written ? null : bytesAt(exports, places[k]!, bytes).slice(),
      );
      return { algorithm: answer.algorithm, outputs };
    } finally {
      // A module that trapped is gone with its memory.
      if (exports === this.#exports) {
        for (const place of places) exports.cumulo_free(place);
      }
    }
  }

  #start(): Exports {
    const instance = new WebAssembly.Instance(this.#module, { wasi_snapshot_preview1: wasi });
    const exports = instance.exports as unknown as Exports;
    exports._initialize();
    return exports;
  }

  #ask(call: string, question: Question, more: object): unknown {
    return this.#asked({ call, ...question, ...more });
  }

  #asked(request: object): unknown {
    const exports = this.#exports;
    const encoded = new TextEncoder().encode(JSON.stringify(request, asJson));
    const place = allocate(exports, encoded.length);
    let at: number;
    try {
      bytesAt(exports, place, encoded.length).set(encoded);
      at = exports.cumulo_call(place, encoded.length) >>> 0;
    } catch (trap) {
      // The module's memory may be left in any state.
      this.#exports = this.#start();
      throw meaningOf(trap, exports);
    }
    const memory = new Uint8Array(exports.memory.buffer);
    const answered = new TextDecoder().decode(memory.subarray(at, memory.indexOf(0, at)));
    exports.cumulo_free(place);
    const answer = JSON.parse(answered) as ErrorAnswer;
    if (answer.error) {
      const { kind, message, reasons } = answer.error;
      throw new CumuloError(kind, message, reasons);
    }
    return answer;
  }
}

function bytesAt({ memory }: Exports, address: number, length: number): Uint8Array {
  return new Uint8Array(memory.buffer, address, length);
}

function allocate(exports: Exports, bytes: number): number {
  const most = 2 ** 32 - 1;
  const address = bytes > most ? 0 : exports.cumulo_allocate(bytes) >>> 0;
  if (address === 0) {
    throw new CumuloError('out-of-memory', `the CPU path has no ${bytes} bytes of memory more`);
  }
  return address;
}

const pageBytes = 65536;

// A module ends itself where it has no memory more, and in no other way than where it has a fault:
// so it is asked whether it could have a sixteenth more than it has.
function meaningOf(trap: unknown, { memory }: Exports): CumuloError {
  try {
    const pages = memory.buffer.byteLength / pageBytes;
    memory.grow(Math.ceil(pages / 16));
  } catch {
    return new CumuloError('out-of-memory', `the planner ran out of memory: ${String(trap)}`);
  }
  return new CumuloError('validation', `the planner failed, a fault of cumulo's: ${String(trap)}`);
}
