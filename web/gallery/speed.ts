// How fast is it here? A copy, a scan and a compaction of the same data, over the number of elements.
import uPlot from 'uplot';

import { type Cumulo, CumuloError, timeRuns, type Timing } from '../src/cumulo.js';
import type { Executor } from '../src/executor.js';
import { median, timeCalls } from '../src/timing.js';
import { type App, sentence } from './app.js';
import { grouped, h, milliseconds } from './dom.js';
import { chunksOf, dataOf, isRight } from './sequence.js';

const smallest = 10; // powers of two
const largestOnCpu = 24;
const manyRuns = 5;
const fewRuns = 3; // of slow ones
const slow = 100; // ms of one run
const longEnough = 20; // ms that the runs between two looks at the clock should take
const tooLong = 400; // ms of one run, after which larger sizes are left out

interface Row {
  n: number;
  /** Of all three times: else a share of a copy would compare two clocks. */
  clock: Timing['clock'];
  runs: number;
  copy: Timing;
  scan: Timing;
  compact: Timing;
  right: boolean;
}

interface Work {
  record(encoder: GPUCommandEncoder): void;
}

const names = ['copy', 'scan', 'compact'] as const;
type Works = Record<(typeof names)[number], Work>;

const copying = `
@group(0) @binding(0) var<storage, read> input: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<u32>>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  for (var i = id.x; i < arrayLength(&input); i += groups.x * 256u) { output[i] = input[i]; }
}`;

function copier(device: GPUDevice, input: GPUBuffer, output: GPUBuffer, n: number) {
  const module = device.createShaderModule({ label: 'copy', code: copying });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const entries = [input, output].map((buffer, binding) => ({ binding, resource: { buffer, size: n * 4 } }));
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  return {
    record(encoder: GPUCommandEncoder): void {
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(Math.min(Math.ceil(n / 1024), device.limits.maxComputeWorkgroupsPerDimension));
      pass.end();
    },
  };
}

async function timeOnPage(executor: Executor, work: Work, runs: number, repeats: number): Promise<Timing> {
  const times: number[] = [];
  for (let k = 0; k < runs; ++k) {
    const start = performance.now();
    await executor.submit('timed runs', (encoder) => {
      for (let j = 0; j < repeats; ++j) work.record(encoder);
    });
    await executor.device.queue.onSubmittedWorkDone();
    times.push((performance.now() - start) / repeats);
  }
  return { medianMs: median(times), runs, clock: 'wall' };
}

// Enough runs at a time for a clock that is rounded, and all by one clock.
async function timesOf(executor: Executor, works: Works, signal: AbortSignal) {
  const each = async (time: (work: Work, name: keyof Works) => Promise<Timing>) => {
    const times = {} as Record<keyof Works, Timing>;
    for (const name of names) {
      signal.throwIfAborted();
      times[name] = await time(works[name], name);
    }
    return times;
  };
  const once = await each((work) => timeRuns(executor, work, 1));
  const repeats = (name: keyof Works) =>
    Math.min(Math.max(Math.ceil(longEnough / Math.max(once[name].medianMs, 0.02)), 1), 200);
  const runs = names.some((name) => once[name].medianMs > slow) ? fewRuns : manyRuns;
  let times = await each((work, name) => timeRuns(executor, work, runs, repeats(name)));
  // Where the device's clock is too coarse for one of them, none goes by it.
  const clocks = new Set(names.map((name) => times[name].clock));
  if (clocks.size > 1) times = await each((work, name) => timeOnPage(executor, work, runs, repeats(name)));
  return { ...times, runs, clock: times.copy.clock };
}

async function measureOnGpu(cumulo: Cumulo, n: number, signal: AbortSignal): Promise<Row> {
  const executor = cumulo.executor!;
  const device = cumulo.device!;
  const scan = await cumulo.prepare('scan', { n });
  const compact = await cumulo.prepare('select', { n, flags: 'u8', arrays: [{ elementBytes: 4 }] });
  device.pushErrorScope('out-of-memory');
  device.pushErrorScope('validation');
  const input = executor.buffer('input', n * 4);
  const flags = executor.buffer('flags', n);
  const output = executor.buffer('output', n * 4);
  const kept = executor.buffer('kept', n * 4);
  const counts = executor.buffer('counts', 4);
  try {
    let works: Works;
    let faults: Promise<(GPUError | null)[]>;
    try {
      works = {
        copy: copier(device, input, output, n),
        scan: scan.bind({ input, output }),
        compact: compact.bind({ input, flags, output: kept, counts }),
      };
    } finally {
      faults = Promise.all([device.popErrorScope(), device.popErrorScope()]);
    }
    const [refused, full] = await faults;
    if (full) throw new CumuloError('out-of-memory', full.message);
    if (refused) throw new CumuloError('validation', refused.message);
    for (const { at, values, flags: chosen } of chunksOf(n)) {
      signal.throwIfAborted();
      device.queue.writeBuffer(input, at * 4, values);
      device.queue.writeBuffer(flags, at, chosen);
      await device.queue.onSubmittedWorkDone();
    }
    const times = await timesOf(executor, works, signal);
    // Of the timed runs themselves.
    const right = await isRight(n, signal, async (at, count, slot, keptCount) => {
      const [scanned, found] = await executor.read([
        { buffer: output, offset: at * 4, bytes: count * 4 },
        { buffer: kept, offset: slot * 4, bytes: keptCount * 4 },
      ]);
      return { scanned: new Uint32Array(scanned!.buffer), kept: new Uint32Array(found!.buffer) };
    }, async () => {
      const [count] = await executor.read([{ buffer: counts, offset: 0, bytes: 4 }]);
      return new Uint32Array(count!.buffer)[0]!;
    });
    return { n, ...times, right };
  } finally {
    scan.destroy();
    compact.destroy();
    for (const buffer of [input, flags, output, kept, counts]) buffer.destroy();
  }
}

const breath = () => new Promise((resolve) => setTimeout(resolve));

async function measureOnCpu(cumulo: Cumulo, n: number, signal: AbortSignal): Promise<Row> {
  const { values, flags } = await dataOf(n, signal);
  const runs = manyRuns;
  const scanned = await cumulo.scan(values, { timed: runs });
  await breath();
  signal.throwIfAborted();
  const found = await cumulo.compact(values, flags, { timed: runs });
  await breath();
  signal.throwIfAborted();
  const output = new Uint32Array(n);
  const copy = timeCalls(() => output.set(values), runs);
  const right = await isRight(n, signal, async (at, count, slot, keptCount) => ({
    scanned: scanned.values.subarray(at, at + count),
    kept: found.values.subarray(slot, slot + keptCount),
  }), async () => found.count);
  return { n, clock: 'wall', runs, copy, scan: scanned.time!, compact: found.time!, right };
}

const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const powerOfTwo = (power: number) => `2${[...String(power)].map((digit) => raised[Number(digit)]).join('')}`;

export function speedSection(app: App, root: HTMLElement): void {
  let rows: Row[] = [];
  let measuredOn = '';
  let plots: uPlot[] = [];

  const alert = h('p', { class: 'alert', role: 'alert' });
  const missing = h('p', { class: 'missing', hidden: true });
  const status = h('p', { id: 'speed-status', role: 'status' });
  const progress = h('progress', { max: 1, value: 0, hidden: true, 'aria-label': 'sizes measured' });
  const body = h('tbody');
  const table = h(
    'table',
    { id: 'speed-table' },
    h('caption', {}, h('span', {}, 'Medians of as many runs as the row says, every result compared with a loop')),
    h('thead', {}, h('tr', {}, ...['elements', 'copy', 'scan', 'compact', 'scan, % of copy', 'compact, % of copy', 'result', 'runs', 'clock'].map((text) => h('th', { scope: 'col' }, text)))),
    body,
  );
  const results = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'measured times as a table', hidden: true }, table);
  const [timePlot, sharePlot] = [h('div'), h('div')];
  const charts = h('div', { class: 'plots', hidden: true },
    h('div', {}, h('h3', {}, 'Time of one run, ms'), timePlot),
    h('div', {}, h('h3', {}, 'Speed, % of a copy'), sharePlot));
  const download = h('button', { type: 'button', hidden: true, click: () => save() }, 'Download as JSON');
  const button = h('button', { type: 'button', class: 'main', click: () => void toggle() }, 'Measure');

  let measuring: AbortController | null = null;
  let ended = '';
  async function toggle(): Promise<void> {
    if (measuring) {
      measuring.abort();
      return;
    }
    measuring = new AbortController();
    const { signal } = measuring;
    button.textContent = 'Stop';
    progress.hidden = false;
    alert.textContent = '';
    root.dataset['state'] = 'running';
    charts.setAttribute('aria-busy', 'true');
    try {
      await measureAll(signal);
      root.dataset['state'] = 'done';
    } catch (error) {
      if (!signal.aborted) {
        alert.textContent = sentence(error);
        status.textContent = 'Not all sizes could be measured.';
      } else {
        ended = 'Stopped before larger sizes.';
        conclude();
      }
      root.dataset['state'] = signal.aborted ? 'done' : 'failed';
    }
    measuring = null;
    button.textContent = 'Measure again';
    progress.hidden = true;
    charts.removeAttribute('aria-busy');
  }

  // The last size, as a power of two, and what says so.
  function lastSize(): { last: number; because: string } {
    const { traits } = app.cumulo;
    const most = (name: 'max_storage_binding_size' | 'max_buffer_size') => ({
      last: Math.floor(Math.log2(traits![name] / 4)),
      because: `a larger one would not fit ${name === 'max_buffer_size' ? 'one buffer' : 'one binding'} of this device (${name} ${grouped(traits![name])} bytes)`,
    });
    const limits = traits
      ? [most('max_storage_binding_size'), most('max_buffer_size')]
      : [{ last: largestOnCpu, because: 'the CPU path is measured no further here' }];
    const asked = Number(new URLSearchParams(location.search).get('largest') ?? NaN);
    if (asked >= smallest) limits.unshift({ last: Math.floor(asked), because: 'the page’s address asks for no more' });
    return limits.reduce((a, b) => (b.last < a.last ? b : a));
  }

  async function measureAll(signal: AbortSignal): Promise<void> {
    const { cumulo } = app;
    const { last, because } = lastSize();
    const gpu = cumulo.backend === 'webgpu';
    rows = [];
    measuredOn = cumulo.name;
    ended = `It ends with ${grouped(2 ** last)} elements: ${because}.`;
    for (let power = smallest; ; power = Math.min(power + 2, last)) {
      const n = 2 ** power;
      progress.value = (power - smallest) / (last - smallest + 1);
      status.textContent = `Measuring ${grouped(n)} elements …`;
      status.className = '';
      await breath();
      signal.throwIfAborted();
      try {
        rows.push(await (gpu ? measureOnGpu : measureOnCpu)(cumulo, n, signal));
      } catch (error) {
        if (rows.length === 0 || !(error instanceof CumuloError) || error.kind !== 'out-of-memory') throw error;
        ended = `It ends there: ${grouped(n)} elements do not fit the memory.`;
        break;
      }
      show();
      const { scan, compact } = rows.at(-1)!;
      const longest = Math.max(scan.medianMs, compact.medianMs);
      if (power === last) break;
      if (longest > tooLong) {
        ended = `It ends with ${grouped(n)} elements, as one run takes ${milliseconds(longest)} already.`;
        break;
      }
    }
    conclude();
  }

  function conclude(): void {
    const clocks = new Set(rows.map(({ clock }) => clock));
    const clock = clocks.size > 1 ? 'by the clocks that the table names' : clocks.has('device') ? 'by timestamps of the device' : 'by the wall clock';
    const wrong = rows.filter(({ right }) => !right).length;
    status.textContent = rows.length === 0
      ? ended
      : `On ${measuredOn}, ${clock}. ${wrong === 0 ? 'Every result was right.' : `${wrong} results were WRONG.`} ${ended}`;
    status.className = wrong === 0 ? '' : 'verdict wrong';
  }

  const share = ({ copy }: Row, { medianMs }: Timing) => (100 * copy.medianMs) / medianMs;

  function show(): void {
    body.replaceChildren(
      ...rows.map((row) =>
        h('tr', {},
          h('th', { scope: 'row' }, grouped(row.n)),
          ...[row.copy, row.scan, row.compact].map(({ medianMs }) => h('td', {}, milliseconds(medianMs))),
          ...[row.scan, row.compact].map((time) => h('td', {}, `${share(row, time).toFixed(0)} %`)),
          h('td', { class: row.right ? 'kept' : 'alert' }, row.right ? 'right' : 'WRONG'),
          h('td', {}, String(row.runs)),
          h('td', {}, row.clock === 'device' ? 'device' : 'wall')),
      ),
    );
    results.hidden = charts.hidden = download.hidden = false;
    plot();
  }

  function plot(): void {
    const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    for (const old of plots) old.destroy();
    const axis = { stroke: colour('--soft'), grid: { stroke: colour('--line'), width: 1 }, ticks: { stroke: colour('--line') } };
    const base = (values: (value: number) => string): Omit<uPlot.Options, 'series'> => ({
      width: Math.max(timePlot.clientWidth, 240),
      height: 260,
      scales: { x: { time: false, distr: 3, log: 2, range: () => [2 ** smallest, Math.max(rows.at(-1)!.n, 2 ** (smallest + 2))] } },
      axes: [
        { ...axis, values: (_, splits) => splits.map((n) => (n > 0 && Math.log2(n) % 2 === 0 ? powerOfTwo(Math.log2(n)) : '')) },
        { ...axis, size: 58, values: (_, splits) => splits.map((value) => (value === null ? '' : values(value))) },
      ],
      cursor: { show: false },
      legend: { show: true, live: false },
    });
    const line = (label: string, stroke: string, dash?: number[]): uPlot.Series => ({ label, stroke, width: 2, points: { size: 6 }, ...(dash ? { dash } : {}) });
    const ns = rows.map(({ n }) => n);
    const [blue, orange, soft] = [colour('--blue-fill'), colour('--orange'), colour('--strong-line')];
    const decades = (_: uPlot, splits: number[]) => splits.map((value) => (Math.abs(Math.log10(value) % 1) < 1e-6 ? value : null));
    const times = base((value) => (Math.abs(Math.log10(value) % 1) < 1e-6 ? String(value) : ''));
    plots = [
      new uPlot(
        { ...times, axes: [times.axes![0]!, { ...times.axes![1]!, grid: { ...axis.grid, filter: decades }, ticks: { ...axis.ticks, filter: decades } }], scales: { ...times.scales, y: { distr: 3 } }, series: [{}, line('copy', soft, [4, 4]), line('scan', blue), line('compact', orange)] },
        [ns, ...(['copy', 'scan', 'compact'] as const).map((name) => rows.map((row) => Math.max(row[name].medianMs, 1e-4)))] as uPlot.AlignedData,
        timePlot,
      ),
      new uPlot(
        { ...base((value) => `${value} %`), series: [{}, line('scan', blue), line('compact', orange)], scales: { ...base(String).scales, y: { range: (_, __, most) => [0, Math.max(most * 1.1, 10)] } } },
        [ns, ...(['scan', 'compact'] as const).map((name) => rows.map((row) => share(row, row[name])))] as uPlot.AlignedData,
        sharePlot,
      ),
    ];
    for (const chart of [timePlot, sharePlot]) chart.setAttribute('aria-hidden', 'true'); // the table says it
  }

  function save(): void {
    const { backend, name, kind } = app.cumulo;
    const report = { schema: 'cumulo-web-bench/2', device: { name, backend, kind }, agent: navigator.userAgent, ended, rows };
    const link = h('a', {
      href: URL.createObjectURL(new Blob([JSON.stringify(report, null, 2)], { type: 'application/json' })),
      download: 'cumulo-bench.json',
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => rows.length > 0 && plot());
  window.addEventListener('resize', () => rows.length > 0 && plot());
  root.append(
    h('h2', { id: 'speed-title' }, 'How fast is it here?'),
    h('p', {}, 'No scan can be faster than a copy of the same data: both read every element once and write it once. So the time of a copy on this device is the measure.'),
    missing,
    app.controls('controls', button, download, progress),
    alert,
    status,
    charts,
    results,
  );
  app.onDevice(() => {
    missing.hidden = app.why === null;
    missing.textContent = app.why && `${app.why} So the CPU path is measured, by the wall clock.`;
    if (!measuring && rows.length === 0) status.textContent = `Measures on ${app.cumulo.name}.`;
  });
}
