// Running totals (page A): sales below, totals above, drawn from the buffer that the scan has written.
import type { Bound, Cumulo, ScanAlgorithm, Timing } from '../src/cumulo.js';
import { timeRuns } from '../src/cumulo.js';
import { type App, missingMessage, sentence } from './app.js';
import { choice, facts, field, grouped, h, milliseconds, svg } from './dom.js';
import { jobOf } from './job.js';
import { mostNumbers, type Numbers, parseFile, parseText, typeWords } from './numbers.js';
import { type ArrayKind, freshCanvas, GpuPainter, labelsOver, oncePerDevice, paintOnCpu } from './picture.js';
import { salesScene, type Verdict } from './scenes.js';

const mostBars = 1200; // of each colour: more are thinner than a pixel
const patience = 300; // ms of typing before a run

const algorithms: readonly (readonly [ScanAlgorithm, string])[] = [
  ['hillis-steele', 'Hillis–Steele'],
  ['blelloch', 'Blelloch'],
  ['subgroup', 'subgroup builtin'],
  ['single-pass', 'single pass'],
  ['reduce-then-scan', 'reduce then scan'],
  ['auto', 'what suits the device'],
];

// As the picture and the list call it; the CPU's own have no other name.
const nameOf = (used: string) => algorithms.find(([word]) => word === used)?.[1].replace('–', '-') ?? used;

const formula = (days: number): Numbers => Uint32Array.from({ length: days }, (_, day) => (7 * day) % 5);
const chance = (days: number): Numbers => Uint32Array.from({ length: days }, () => Math.floor(Math.random() * 10));

export interface Difference {
  index: number;
  expected: number;
  found: number;
}

// The sequential sum. Floats are added on the device in another order, so they are compared with
// room for the rounding of that many sums.
function compare(values: Numbers, totals: Numbers): { difference: Difference | null; largest: number } {
  const isFloat = values instanceof Float32Array;
  const wrapped = new (values.constructor as new (n: number) => Numbers)(1);
  let [sum, absolute, largest] = [0, 0, 0];
  let difference: Difference | null = null;
  for (let index = 0; index < values.length; ++index) {
    sum += values[index]!;
    absolute += Math.abs(values[index]!);
    wrapped[0] = sum;
    if (!isFloat) sum = wrapped[0]!;
    const expected = wrapped[0]!;
    const found = totals[index]!;
    const room = isFloat ? absolute * 2 ** -23 * (Math.log2(index + 2) + 8) : 0;
    largest = Math.max(largest, expected);
    const isRight = Object.is(found, expected) || Math.abs(found - expected) <= room;
    if (!difference && !isRight) difference = { index, expected, found };
  }
  return { difference, largest };
}

const kindOf = (values: Numbers): ArrayKind =>
  values instanceof Uint32Array ? 'u32' : values instanceof Int32Array ? 'i32' : 'f32';

// Of every array a few elements, evenly apart: what a picture has room for.
const gathering = `
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let bars = arrayLength(&output);
  if (id.x < bars) {
    output[id.x] = input[u32(f32(id.x) / f32(bars) * f32(arrayLength(&input)))];
  }
}`;

const gatherer = oncePerDevice((device) =>
  device.createComputePipeline({
    label: 'gathering',
    layout: 'auto',
    compute: { module: device.createShaderModule({ label: 'gathering', code: gathering }) },
  }),
);

function gather(device: GPUDevice, encoder: GPUCommandEncoder, from: GPUBuffer, n: number, bars: number): GPUBuffer {
  const to = device.createBuffer({ label: 'bars', size: bars * 4, usage: GPUBufferUsage.STORAGE });
  const pipeline = gatherer(device);
  const entries = [
    { binding: 0, resource: { buffer: from, size: n * 4 } },
    { binding: 1, resource: { buffer: to } },
  ];
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(Math.ceil(bars / 64));
  pass.end();
  return to;
}

interface Result {
  totals: Numbers;
  algorithm: string;
  time: Timing | undefined;
  steps: { steps: number; additions: number; barriers: number } | undefined;
}

export function totalsSection(app: App, root: HTMLElement): void {
  // For tests: this result is made wrong before it is compared and drawn.
  const broken = new URLSearchParams(location.search).get('break');

  let canvas = h('canvas', { role: 'img', 'aria-label': 'No picture yet' });
  const overlay = svg('svg', { 'aria-hidden': 'true' });
  const picture = h('div', { class: 'picture' }, canvas, overlay);
  const missing = h('p', { class: 'missing', hidden: true });
  const caption = h('figcaption');
  const list = h('dl', { class: 'facts' });
  const { run, alert, outcome } = jobOf(root, show);
  const fileAlert = h('p', { class: 'alert', role: 'alert', id: 'totals-file-alert' });
  let waiting = 0;
  const soon = () => {
    clearTimeout(waiting);
    waiting = window.setTimeout(() => void run(), patience);
  };

  const days = h('input', { type: 'number', min: 1, max: mostNumbers, value: 256, input: soon });
  const source = choice('totals-source', [
    ['formula', '7 · day mod 5'],
    ['random', 'at random'],
    ['pasted', 'numbers of yours'],
    ['file', 'a CSV or NPY file'],
  ], () => {
    ++takes; // a file that is still being read comes too late
    fileAlert.textContent = '';
    arrange();
    void run();
  });
  const algorithm = choice('totals-algorithm', algorithms, () => void run());
  const pasted = h('textarea', { input: soon, spellcheck: 'false' }, '3 1 4 1 5 9 2 6');
  const file = h('input', {
    type: 'file',
    accept: '.csv,.tsv,.npy,.txt',
    click: () => (file.value = ''), // so that the same file can be chosen again
    change: () => void take(file.files?.[0]),
  });
  const daysField = field('Days', days);
  const pastedField = field('Numbers, apart by blanks, commas or lines', pasted, 'full');
  const fileField = field('CSV, NPY or text file; or drop one on this page', file, 'full');
  let fromFile: { numbers: Numbers; name: string } | null = null;
  let takes = 0;

  function arrange(): void {
    daysField.hidden = source.value === 'pasted' || source.value === 'file';
    pastedField.hidden = source.value !== 'pasted';
    fileField.hidden = source.value !== 'file';
  }

  // Of several files the last one given counts, whichever is read first.
  async function take(given: File | undefined): Promise<void> {
    if (!given) return;
    const turn = ++takes;
    fileAlert.textContent = '';
    try {
      const numbers = await parseFile(given);
      if (turn !== takes) return;
      fromFile = { numbers, name: given.name };
      source.value = 'file';
      // One workgroup does not hold every file.
      if (numbers.length > 256) algorithm.value = 'auto';
      arrange();
      await run();
    } catch (error) {
      if (turn === takes) fileAlert.textContent = `${given.name}: ${sentence(error)}`;
    }
  }

  // On the whole page, which a file dropped beside the section would else replace. Dragged text is the browser's.
  for (const name of ['dragover', 'dragleave', 'drop'] as const) {
    window.addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      root.classList.toggle('over', name === 'dragover' && !controls.disabled);
      if (name !== 'drop' || controls.disabled) return;
      root.scrollIntoView({ block: 'nearest' });
      void take(event.dataTransfer.files[0]);
    });
  }
  fileField.classList.add('drop');

  function data(): { values: Numbers; from: string } {
    if (source.value === 'pasted') return { values: parseText(pasted.value), from: '' };
    if (source.value === 'file') {
      if (!fromFile) throw new Error('choose a file, or drop one here');
      return { values: fromFile.numbers, from: `, from ${fromFile.name}` };
    }
    const count = days.valueAsNumber;
    if (!Number.isInteger(count) || count < 1 || count > mostNumbers) {
      throw new Error(`the number of days must be a whole number from 1 to ${grouped(mostNumbers)}`);
    }
    return { values: source.value === 'random' ? chance(count) : formula(count), from: '' };
  }

  const newCanvas = () => (canvas = freshCanvas(canvas, 600, 330));

  async function onGpu(cumulo: Cumulo, values: Numbers, asked: ScanAlgorithm): Promise<Result> {
    const device = cumulo.device!;
    const executor = cumulo.executor!;
    const n = values.length;
    const prepared = await cumulo.prepare('scan', { n, type: kindOf(values), algorithm: asked });
    const [sales, totals] = [executor.buffer('sales', n * 4), executor.buffer('totals', n * 4)];
    device.queue.writeBuffer(sales, 0, values as Numbers & { buffer: ArrayBuffer });
    const bound: Bound = prepared.bind({ input: sales, output: totals });
    await executor.submit('running totals', (encoder) => bound.record(encoder));
    if (broken !== null && Number(broken) < n) {
      device.queue.writeBuffer(totals, Number(broken) * 4, Uint32Array.of(4));
    }
    draw = async (facts) => {
      const bars = Math.min(n, mostBars);
      const painter = new GpuPainter(device, newCanvas());
      const gathered: GPUBuffer[] = [];
      await executor.submit('picture', (encoder) => {
        if (bars < n) gathered.push(...[sales, totals].map((buffer) => gather(device, encoder, buffer, n, bars)));
        const drawn = bars < n ? gathered : [sales, totals];
        const arrays = drawn.map((buffer) => ({ buffer, type: kindOf(values) }));
        painter.record(encoder, salesScene(bars, facts), arrays, devicePixelRatio);
      });
      for (const buffer of gathered) buffer.destroy();
      painter.destroy();
    };
    release = () => {
      sales.destroy();
      totals.destroy();
      prepared.destroy();
    };
    const again = executor.buffer('totals of timed runs', n * 4);
    const time = await timeRuns(executor, prepared.bind({ input: sales, output: again }), 5);
    again.destroy();
    const [bytes] = await executor.read([{ buffer: totals, offset: 0, bytes: n * 4 }]);
    const found = new (values.constructor as new (buffer: ArrayBufferLike) => Numbers)(bytes!.buffer);
    const { algorithm: used, counts } = bound.plan;
    return { totals: found, algorithm: used, time, steps: counts };
  }

  async function onCpu(cumulo: Cumulo, values: Numbers): Promise<Result> {
    const { values: found, algorithm: used, time } = await cumulo.scan(values, { timed: 5 });
    const totals = found as Numbers;
    if (broken !== null && Number(broken) < totals.length) totals[Number(broken)] = 4;
    draw = async (facts) => {
      const bars = Math.min(values.length, mostBars);
      const at = (array: Numbers) => Array.from({ length: bars }, (_, k) => array[Math.floor((k / bars) * array.length)]!);
      paintOnCpu(newCanvas(), salesScene(bars, facts), [at(values), at(totals)], devicePixelRatio);
    };
    release = () => {};
    return { totals, algorithm: used, time, steps: undefined };
  }

  let draw: (facts: Parameters<typeof salesScene>[1]) => Promise<void>;
  let release = () => {};

  async function show(): Promise<string> {
    const { cumulo } = app;
    const { values, from } = data();
    const n = values.length;
    release();
    release = () => {};
    const asked = algorithm.value as ScanAlgorithm;
    const gpu = cumulo.backend === 'webgpu';
    const { totals, algorithm: used, time, steps } = gpu ? await onGpu(cumulo, values, asked) : await onCpu(cumulo, values);
    const { difference, largest } = compare(values, totals);
    const verdict: Verdict = difference
      ? { right: false, text: `total ${difference.index} is ${difference.found}, not ${difference.expected}` }
      : { right: true, text: `all ${grouped(n)} totals match a sequential sum` };
    const total = totals[n - 1]!;
    const hillisSteele = additionsOfHillisSteele(n);
    const barriers = steps && steps.barriers === 2 * steps.steps ? 'two barriers each' : `${steps?.barriers} barriers`;
    const facts_ = {
      title: steps
        ? `${grouped(n)} days of sales, ${steps.steps} steps, ${barriers}; total ${total}`
        : `${grouped(n)} days of sales by ${nameOf(used)}; total ${total}`,
      additions: steps
        ? `${nameOf(used)}: ${grouped(steps.additions)} additions${steps.additions === hillisSteele ? ' (n log2 n)' : ''}; Blelloch: about 2n; subgroup builtin: one call`
        : `Additions by a loop: ${grouped(n - 1)}; Hillis-Steele: ${grouped(hillisSteele)} (n log2 n); Blelloch: about 2n`,
      verdict,
      largestSale: (values as Float32Array).reduce((a, b) => Math.max(a, b), 0),
      largestTotal: largest,
    };
    await draw(facts_);
    labelsOver(overlay, salesScene(0, facts_));
    canvas.setAttribute(
      'aria-label',
      `Bars of ${grouped(n)} sales in orange, and above them in blue their running totals, which rise to ${total}. ${verdict.text}.`,
    );
    caption.textContent =
      'Orange: the sales; blue: their running totals. ' +
      (n > mostBars ? `One of about ${Math.round(n / mostBars)} days is drawn. ` : '') +
      (gpu ? 'Drawn on the GPU from the buffer that the scan has written; nothing was read back for it.' : 'Drawn from the results of the CPU.');
    const message = missingMessage(app);
    missing.hidden = message === null;
    missing.textContent = message;
    list.replaceChildren(
      ...facts([
        ['Total', h('span', { class: 'big', id: 'totals-total' }, grouped(total))],
        ['Verdict', h('span', { class: `verdict ${verdict.right ? 'right' : 'wrong'}`, id: 'totals-verdict' }, verdict.text)],
        ['First totals', h('span', { id: 'totals-first' }, Array.from(totals.slice(0, 12)).join(' ') + (n > 12 ? ' …' : ''))],
        ['Numbers', h('span', { id: 'totals-type' }, `${grouped(n)} of ${typeWords(values)}${from}`)],
        ['Algorithm', nameOf(used) + (steps ? `, ${steps.steps} steps, ${steps.barriers} barriers` : '')],
        ['Additions', additionsOf(cumulo, n, steps?.additions)],
        ['Time', time ? `${milliseconds(time.medianMs)}, median of ${time.runs}, ${time.clock === 'device' ? 'device clock' : 'wall clock'}` : '–'],
      ]).filter((child) => child !== null && child !== undefined) as Node[],
    );
    return `Total ${grouped(total)}: ${verdict.text}.`;
  }

  const controls = app.controls('controls', daysField, field('Sales', source), field('Algorithm', algorithm), pastedField, fileField,
    h('button', { type: 'button', click: () => void run() }, 'Run again'));
  root.append(
    h('h2', { id: 'totals-title' }, 'Running totals'),
    h('p', {}, 'A bookshop sells some copies each day. How many has it sold so far? In orange the sales, in blue their running totals: every total is the one before it and the day’s own, yet no invocation waits for all the others.'),
    controls,
    outcome,
    alert,
    fileAlert,
    missing,
    h('div', { class: 'split' }, h('figure', {}, picture, caption), list),
  );
  arrange();
  app.onDevice(() => {
    algorithm.disabled = app.cumulo.backend === 'cpu';
    void run();
  });
}

// The sum over the distances 1, 2, 4 ... of the elements that have one so far before them.
function additionsOfHillisSteele(n: number): number {
  let additions = 0;
  for (let distance = 1; distance < n; distance *= 2) additions += n - distance;
  return additions;
}

function additionsOf(cumulo: Cumulo, n: number, own: number | undefined): string {
  const others = [`a loop ${grouped(n - 1)}`, `Hillis–Steele ${grouped(additionsOfHillisSteele(n))}`];
  try {
    const { counts } = cumulo.plan('scan', { n, algorithm: 'blelloch' });
    if (counts) others.push(`Blelloch ${grouped(counts.additions)} in ${counts.steps} steps`);
  } catch {
    others.push('Blelloch about 2n'); // more than one workgroup holds
  }
  return (own === undefined ? '' : `${grouped(own)}; for comparison `) + others.join(', ');
}
