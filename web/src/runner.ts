// Runs calls on arrays: on the CPU, or on a device, from the buffers to what is read back.
import { words, write } from './bytes.js';
import { checkRoom, checkSizes } from './checks.js';
import { CumuloError } from './errors.js';
import type { Counts, Slots } from './plan.js';
import type { Planner, Question } from './planner.js';
import { type Device, Prepared } from './prepared.js';
import { timeCalls, timeRuns } from './timing.js';
import type { Report, RunOptions } from './types.js';

/** A call on arrays. */
export interface Call {
  question: Question;
  inputs: Record<string, Uint8Array>;
  options: RunOptions;
  /** The output that says how many elements of the others are results. */
  countedBy: string | null;
}

export interface Ran {
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

export function runOnCpu(
  planner: Planner,
  question: Question,
  inputs: Record<string, Uint8Array>,
  { timed }: RunOptions,
): Ran {
  const slots = planner.slots(question);
  checkSizes(slots, inputs);
  const given = slots.slots.map(({ name }) => inputs[name] ?? null);
  const once = () => planner.run(question, slots, given);
  const { algorithm, outputs } = once();
  const report: Report = { algorithm, backend: 'cpu' };
  if (timed) report.time = timeCalls(once, timed);
  return { ...outputsOf(slots, outputs), report };
}

export async function runOnGpu(device: Device, call: Call): Promise<Ran> {
  const ran = await runOnce(device, call);
  if (!('fallback' in ran)) return ran;
  // Once more by the algorithm that cannot stall, where the choice was ours.
  const asked = call.question.description['algorithm'] ?? 'auto';
  if (asked !== 'auto' || ran.fallback === '') {
    throw new CumuloError('stalled', `${ran.algorithm} stalled: use ${ran.fallback}`);
  }
  const description = { ...call.question.description, algorithm: ran.fallback };
  return runOnGpu(device, { ...call, question: { ...call.question, description } });
}

async function runOnce(device: Device, { question, inputs, options, countedBy }: Call): Promise<Ran | Stall> {
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

function outputsOf({ slots }: Slots, outputs: readonly (Uint8Array | null)[]) {
  return {
    output: (name: string): Uint8Array => outputs[slots.findIndex((slot) => slot.name === name)]!,
    total: outputs[slots.length] ?? new Uint8Array(0),
  };
}
