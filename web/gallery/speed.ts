// How fast is it here? A copy, a scan and a compaction of the same data, over the number of elements.
import uPlot from 'uplot';

import { type Cumulo, timeRuns, type Timing } from '../src/cumulo.js';
import { timeCalls } from '../src/timing.js';
import { type App, sentence } from './app.js';
import { grouped, h, milliseconds } from './dom.js';

const smallest = 10; // powers of two
const largest = 26;
const runs = 5;
const longEnough = 20; // ms that the runs between two looks at the clock should take
const tooLong = 400; // ms of one run, after which larger sizes are left out

interface Row {
  n: number;
  copy: Timing;
  scan: Timing;
  compact: Timing;
  right: boolean;
}

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

// Values below 16 from a fixed sequence, and flags for about half of them.
function data(n: number): { values: Uint32Array; flags: Uint8Array } {
  const values = new Uint32Array(n);
  const flags = new Uint8Array(n);
  let state = 2463534242;
  for (let i = 0; i < n; ++i) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    values[i] = state & 15;
    flags[i] = (state >>> 8) & 1;
  }
  return { values, flags };
}

function isRight({ values, flags }: ReturnType<typeof data>, scanned: Uint32Array, kept: Uint32Array): boolean {
  let [sum, slot] = [0, 0];
  for (let i = 0; i < values.length; ++i) {
    sum = (sum + values[i]!) >>> 0;
    if (scanned[i] !== sum) return false;
    if (flags[i] && kept[slot++] !== values[i]) return false;
  }
  return slot === kept.length;
}

// Enough runs at a time for a clock that is rounded.
async function measure(time: (runs: number, repeats: number) => Promise<Timing>): Promise<Timing> {
  const once = await time(1, 1);
  const repeats = Math.min(Math.max(Math.ceil(longEnough / Math.max(once.medianMs, 0.02)), 1), 200);
  return repeats === 1 && once.medianMs > longEnough * 5 ? once : time(runs, repeats);
}

async function measureOnGpu(cumulo: Cumulo, n: number): Promise<Row> {
  const executor = cumulo.executor!;
  const device = cumulo.device!;
  const given = data(n);
  const input = executor.buffer('input', n * 4);
  const flags = executor.buffer('flags', n);
  const output = executor.buffer('output', n * 4);
  const kept = executor.buffer('kept', n * 4);
  const counts = executor.buffer('counts', 4);
  const all = [input, flags, output, kept, counts];
  try {
    device.queue.writeBuffer(input, 0, given.values as Uint32Array<ArrayBuffer>);
    device.queue.writeBuffer(flags, 0, given.flags as Uint8Array<ArrayBuffer>);
    const scan = await cumulo.prepare('scan', { n });
    const compact = await cumulo.prepare('select', { n, flags: 'u8', arrays: [{ elementBytes: 4 }] });
    const scanning = scan.bind({ input, output });
    const compacting = compact.bind({ input, flags, output: kept, counts });
    const timed = (work: { record(encoder: GPUCommandEncoder): void }) =>
      measure((count, repeats) => timeRuns(executor, work, count, repeats));
    const times = { copy: await timed(copier(device, input, output, n)), scan: await timed(scanning), compact: await timed(compacting) };
    // Of the timed runs themselves.
    const [scanned, count] = await executor.read([{ buffer: output, offset: 0, bytes: n * 4 }, { buffer: counts, offset: 0, bytes: 4 }]);
    const [found] = await executor.read([{ buffer: kept, offset: 0, bytes: 4 * new Uint32Array(count!.buffer)[0]! }]);
    const right = isRight(given, new Uint32Array(scanned!.buffer), new Uint32Array(found!.buffer));
    scan.destroy();
    compact.destroy();
    return { n, ...times, right };
  } finally {
    for (const buffer of all) buffer.destroy();
  }
}

async function measureOnCpu(cumulo: Cumulo, n: number): Promise<Row> {
  const given = data(n);
  const scanned = await cumulo.scan(given.values, { timed: runs });
  const kept = await cumulo.compact(given.values, given.flags, { timed: runs });
  const output = new Uint32Array(n);
  const copy = timeCalls(() => output.set(given.values), runs);
  return { n, copy, scan: scanned.time!, compact: kept.time!, right: isRight(given, scanned.values, kept.values) };
}

const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const powerOfTwo = (power: number) => `2${[...String(power)].map((digit) => raised[Number(digit)]).join('')}`;

export function speedSection(app: App, root: HTMLElement): void {
  let rows: Row[] = [];
  let stopped = false;
  let plots: uPlot[] = [];

  const alert = h('p', { class: 'alert', role: 'alert' });
  const status = h('p', { id: 'speed-status', role: 'status' });
  const progress = h('progress', { max: 1, value: 0, hidden: true, 'aria-label': 'sizes measured' });
  const body = h('tbody');
  const table = h(
    'table',
    { id: 'speed-table' },
    h('caption', {}, 'Medians of 5, every result compared with a loop'),
    h('thead', {}, h('tr', {}, ...['elements', 'copy', 'scan', 'compact', 'scan, % of copy', 'compact, % of copy', 'result'].map((text) => h('th', { scope: 'col' }, text)))),
    body,
  );
  const results = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'measured times as a table', hidden: true }, table);
  const [timePlot, sharePlot] = [h('div'), h('div')];
  const charts = h('div', { class: 'plots', hidden: true },
    h('div', {}, h('h3', {}, 'Time of one run, ms'), timePlot),
    h('div', {}, h('h3', {}, 'Speed, % of a copy'), sharePlot));
  const download = h('button', { type: 'button', hidden: true, click: () => save() }, 'Download as JSON');
  const button = h('button', { type: 'button', class: 'main', click: () => void toggle() }, 'Measure');

  let measuring = false;
  async function toggle(): Promise<void> {
    if (measuring) {
      stopped = true;
      return;
    }
    measuring = true;
    stopped = false;
    button.textContent = 'Stop';
    progress.hidden = false;
    alert.textContent = '';
    root.dataset['state'] = 'running';
    try {
      await measureAll();
      root.dataset['state'] = 'done';
    } catch (error) {
      alert.textContent = sentence(error);
      root.dataset['state'] = 'failed';
    }
    measuring = false;
    button.textContent = 'Measure again';
    progress.hidden = true;
  }

  async function measureAll(): Promise<void> {
    const { cumulo } = app;
    const gpu = cumulo.backend === 'webgpu';
    const asked = new URLSearchParams(location.search).get('largest');
    const room = gpu ? Math.min(cumulo.traits!.max_storage_binding_size, cumulo.traits!.max_buffer_size) / 4 : 2 ** 24;
    const last = Math.min(asked === null ? largest : Number(asked), Math.floor(Math.log2(room)));
    rows = [];
    for (let power = smallest; power <= last && !stopped; power += 2) {
      progress.value = (power - smallest) / (last - smallest + 1);
      status.textContent = `Measuring ${grouped(2 ** power)} elements …`;
      await new Promise((resolve) => setTimeout(resolve));
      rows.push(await (gpu ? measureOnGpu : measureOnCpu)(cumulo, 2 ** power));
      show();
      if (Math.max(rows.at(-1)!.scan.medianMs, rows.at(-1)!.compact.medianMs) > tooLong) break;
    }
    const clock = rows.every(({ scan }) => scan.clock === 'device') ? 'by timestamps of the device' : 'by the wall clock';
    const wrong = rows.filter(({ right }) => !right).length;
    status.textContent = `On ${cumulo.name}, ${clock}. ${wrong === 0 ? 'Every result was right.' : `${wrong} results were WRONG.`}`;
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
          h('td', { class: row.right ? 'kept' : 'alert' }, row.right ? 'right' : 'WRONG')),
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
    const report = { schema: 'cumulo-web-bench/1', device: { name, backend, kind }, agent: navigator.userAgent, runs, rows };
    const link = h('a', {
      href: URL.createObjectURL(new Blob([JSON.stringify(report, null, 2)], { type: 'application/json' })),
      download: 'cumulo-bench.json',
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  for (const [query, event] of [['(prefers-color-scheme: dark)', 'change']] as const) {
    matchMedia(query).addEventListener(event, () => rows.length > 0 && plot());
  }
  window.addEventListener('resize', () => rows.length > 0 && plot());
  root.append(
    h('h2', { id: 'speed-title' }, 'How fast is it here?'),
    h('p', {}, 'No scan can be faster than a copy of the same data: both read every element once and write it once. So the time of a copy on this device is the measure.'),
    h('div', { class: 'controls' }, button, download, progress),
    alert,
    status,
    charts,
    results,
  );
  app.onDevice(() => {
    const { backend, name } = app.cumulo;
    status.textContent = backend === 'webgpu' ? `Measures on ${name}.` : `${sentence(app.cumulo.reason)} Measures the CPU path, by the wall clock.`;
  });
}
