// How long a bound primitive takes: by the device's clock where there is one, else by the page's.
import type { Executor } from './executor.js';

export interface Timing {
  medianMs: number;
  runs: number;
  clock: 'device' | 'wall';
}

export function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

const longEnough = 2; // ms between two looks at the page's clock, which browsers round to 0.1 ms

/** The median of `runs` measurements by the page's clock, each of as many calls as take long enough. */
export function timeCalls(call: () => void, runs: number): Timing {
  const timed = (calls: number) => {
    const start = performance.now();
    for (let k = 0; k < calls; ++k) call();
    return performance.now() - start;
  };
  for (let calls = 1; ; calls *= 2) {
    const time = median(Array.from({ length: Math.max(Math.ceil(runs), 1) }, () => timed(calls)));
    if (time >= longEnough) return { medianMs: time / calls, runs, clock: 'wall' };
  }
}

interface Recordable {
  record(encoder: GPUCommandEncoder): void;
}

// Browsers round timestamps; `repeats` runs between two of them make up for that.
async function timeOnDevice(executor: Executor, work: Recordable, repeats: number): Promise<number> {
  const { device } = executor;
  const querySet = device.createQuerySet({ type: 'timestamp', count: 2 });
  const stamps = executor.buffer('timestamps', 16, GPUBufferUsage.QUERY_RESOLVE);
  try {
    await executor.submit('timed runs', (encoder) => {
      encoder.beginComputePass({ timestampWrites: { querySet, endOfPassWriteIndex: 0 } }).end();
      for (let k = 0; k < repeats; ++k) work.record(encoder);
      encoder.beginComputePass({ timestampWrites: { querySet, beginningOfPassWriteIndex: 1 } }).end();
      encoder.resolveQuerySet(querySet, 0, 2, stamps, 0);
    });
    const [bytes] = await executor.read([{ buffer: stamps, offset: 0, bytes: 16 }]);
    const [begin, end] = new BigUint64Array(bytes!.buffer);
    return Number(end! - begin!) / 1e6 / repeats;
  } finally {
    querySet.destroy();
    stamps.destroy();
  }
}

async function timeOnPage(executor: Executor, work: Recordable, repeats: number): Promise<number> {
  const start = performance.now();
  await executor.submit('timed runs', (encoder) => {
    for (let k = 0; k < repeats; ++k) work.record(encoder);
  });
  await executor.device.queue.onSubmittedWorkDone();
  return (performance.now() - start) / repeats;
}

/** The median of `runs` measurements of `repeats` runs each, after one that warms up. */
export async function timeRuns(
  executor: Executor,
  work: Recordable,
  runs: number,
  repeats = 1,
): Promise<Timing> {
  const onDevice = executor.device.features.has('timestamp-query');
  const once = onDevice ? timeOnDevice : timeOnPage;
  await once(executor, work, 1);
  const times: number[] = [];
  for (let k = 0; k < runs; ++k) times.push(await once(executor, work, repeats));
  // Work shorter than a rounded tick measures as nothing by that clock.
  if (onDevice && !(median(times) > 0)) {
    times.length = 0;
    for (let k = 0; k < runs; ++k) times.push(await timeOnPage(executor, work, repeats));
    return { medianMs: median(times), runs, clock: 'wall' };
  }
  return { medianMs: median(times), runs, clock: onDevice ? 'device' : 'wall' };
}
