// Step by step: an algorithm as a network of lines, with the arrays that the device held.
import type { TracedAlgorithm, TraceStep } from '../src/cumulo.js';
import type { App } from './app.js';
import { choice, field, h, svg } from './dom.js';
import { jobOf } from './job.js';

const pause = 1100; // ms between the steps of playing

const algorithms: readonly (readonly [TracedAlgorithm, string])[] = [
  ['hillis-steele', 'Hillis–Steele, 1986'],
  ['blelloch', 'Blelloch, 1990'],
  ['subgroup', 'subgroup builtin'],
  ['single-pass', 'a tile of the single pass'],
];
const about: Record<TracedAlgorithm, string> = {
  'hillis-steele': 'In each step every element adds the value so far to its left; the distance doubles. Few steps, many additions.',
  blelloch: 'An upsweep builds totals in a tree, a downsweep hands every node what stands before it. Twice the steps, few additions.',
  subgroup: 'The hardware scans a whole subgroup in one call (dashed); then each element adds the totals of the subgroups before its own.',
  'single-pass': 'Four neighbours in one invocation’s registers, then those quads in a tree: what every tile of a long scan does, in a fixed order.',
};

interface Trace {
  arrays: readonly (readonly number[])[];
  steps: readonly TraceStep[];
  /** Else of the CPU, which tells its totals alone. */
  ofDevice: boolean;
}

export function stepsSection(app: App, root: HTMLElement): void {
  let trace: Trace | null = null;
  let at = 0;
  let playing = 0;

  const missing = h('p', { class: 'missing', hidden: true });
  const { run, alert, outcome } = jobOf(root, start);
  const algorithm = choice('steps-algorithm', algorithms, () => void run());
  const size = choice('steps-size', [['8', '8'], ['16', '16'], ['32', '32'], ['64', '64']], () => void run());
  size.value = '16';
  const network = h('div', { class: 'network scroll', tabindex: 0, role: 'img', 'aria-label': '' });
  const status = h('p', { id: 'steps-status', role: 'status' });
  const pairs = h('ul', { class: 'pairs', id: 'steps-pairs' });
  const array = h('p', { class: 'array', id: 'steps-array' });
  const explanation = h('p', {});

  const go = (step: number) => {
    if (!trace) return;
    at = Math.min(Math.max(step, 0), trace.steps.length);
    show();
  };
  const stop = () => {
    clearInterval(playing);
    playing = 0;
    play.textContent = 'Play';
  };
  const play = h('button', {
    type: 'button',
    class: 'main',
    click: () => {
      if (playing) return stop();
      if (trace && at === trace.steps.length) go(0);
      play.textContent = 'Pause';
      playing = window.setInterval(() => {
        go(at + 1);
        if (trace && at === trace.steps.length) stop();
      }, pause);
    },
  }, 'Play');
  // At the ends they say that they are disabled, and keep the focus that `disabled` would take away.
  const button = (text: string, step: () => number) =>
    h('button', { type: 'button', click: () => { stop(); go(step()); } }, text);
  const first = button('To the start', () => 0);
  const back = button('Back', () => at - 1);
  const forward = button('Step on', () => at + 1);
  const slider = h('input', { type: 'range', min: 0, value: 0, input: () => { stop(); go(slider.valueAsNumber); } });

  async function start(): Promise<string> {
    stop();
    const n = Number(size.value);
    const values = Uint32Array.from({ length: n }, (_, day) => (7 * day) % 5);
    const gpu = app.cumulo.backend === 'webgpu';
    missing.hidden = gpu;
    explanation.textContent = about[algorithm.value as TracedAlgorithm];
    if (gpu) {
      const { arrays, steps } = await app.cumulo.trace(values, algorithm.value as TracedAlgorithm);
      trace = { arrays: arrays.map((held) => Array.from(held)), steps, ofDevice: true };
    } else {
      const { values: totals } = await app.cumulo.scan(values);
      missing.textContent = `${app.why} So there are no steps of a device to show; the totals below are the CPU’s.`;
      trace = { arrays: [Array.from(values), Array.from(totals)], steps: [{ label: 'the whole scan, on the CPU', additions: [], moves: [], barriers: 0 }], ofDevice: false };
    }
    slider.max = String(trace.steps.length);
    go(gpu ? 0 : 1);
    return `${algorithm.selectedOptions[0]!.text}, ${some(trace.steps.length, 'step')}; the totals end with ${trace.arrays.at(-1)!.at(-1)}.`;
  }

  function show(): void {
    const { arrays, steps, ofDevice } = trace!;
    const n = arrays[0]!.length;
    const done = steps.slice(0, at);
    const count = (of: readonly TraceStep[]) => of.reduce((sum, { additions }) => sum + additions.length, 0);
    const barriers = (of: readonly TraceStep[]) => of.reduce((sum, step) => sum + step.barriers, 0);
    const now = steps[at - 1];
    if (!ofDevice) status.textContent = now ? 'The totals, by the CPU.' : 'The values before the scan.';
    else if (!now) status.textContent = `${n} values before the first of ${steps.length} steps, which take ${count(steps)} additions and ${barriers(steps)} barriers.`;
    else status.textContent = `Step ${at} of ${steps.length}, ${now.label}: ${some(now.additions.length, 'addition')}, ${some(now.barriers, 'barrier')}; so far ${count(done)} and ${barriers(done)}.`;
    array.textContent = arrays[at]!.join(' ');
    slider.value = String(at);
    slider.setAttribute('aria-valuetext', now ? `step ${at}, ${now.label}` : 'before the first step');
    for (const control of [back, first]) control.setAttribute('aria-disabled', String(at === 0));
    forward.setAttribute('aria-disabled', String(at === steps.length));
    const words = (what: string) => ([from, to]: readonly [number, number]) => h('li', {}, `${from} ${what} ${to}`);
    const told = now ? [...now.moves.map(words('moved to')), ...now.additions.map(words('added to'))] : [];
    pairs.replaceChildren(...(told.length > 0 ? told : [h('li', {}, now ? 'No pairs are known of this step.' : 'Nothing yet.')]));
    network.replaceChildren(drawing(trace!, at));
    network.setAttribute(
      'aria-label',
      `A network of ${n} lines in ${some(steps.length, 'step')}. ${status.textContent} The array now: ${arrays[at]!.join(' ')}.`,
    );
    root.dataset['step'] = String(at);
  }

  root.append(
    h('h2', { id: 'steps-title' }, 'Step by step'),
    h('p', {}, 'Each line is an element, each row the array after a step, as the device held it: it writes its array down as it goes. Blue lines are additions, dashed ones moves.'),
    missing,
    app.controls('controls', field('Algorithm', algorithm), field('Values', size), first, back, play, forward, field('Which step', slider)),
    alert,
    outcome,
    explanation,
    network,
    h('ul', { class: 'legend' }, h('li', {}, h('span'), 'added to'), h('li', {}, h('span', { class: 'move' }), 'moved, or by a builtin')),
    status,
    h('details', {}, h('summary', {}, 'Which elements this step combines'), pairs),
    h('h3', {}, 'The array after this step'),
    array,
  );
  app.onDevice(() => void run());
}

const some = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

// Text of a step's name in the gutter.
function inLines(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (lines.length > 0 && longer.length <= 24) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.filter((line) => line !== '');
}

function drawing({ arrays, steps }: Trace, at: number): SVGSVGElement {
  const n = arrays[0]!.length;
  const digits = Math.max(...arrays.flat()).toString().length;
  const pitch = Math.max(8 * digits + 12, n > 16 ? 24 : 36);
  const [side, top, rise] = [16, 26, n > 16 ? 62 : 54];
  // Names of the steps stand left of the lines where there is room; a phone has the sentence below.
  const gutter = matchMedia('(max-width: 36rem)').matches ? 8 : 168;
  const width = 2 * side + (n - 1) * pitch + gutter + 8;
  const height = top + steps.length * rise + 30;
  const x = (i: number) => side + gutter + i * pitch;
  const y = (k: number) => top + k * rise;
  const state = (k: number) => (k < at - 1 ? 'before' : k === at - 1 ? 'now' : 'later');

  const wires = Array.from({ length: n }, (_, i) => svg('line', { class: 'wire', x1: x(i), x2: x(i), y1: y(0), y2: y(steps.length) }));
  const curve = (from: number, to: number, k: number) => {
    const [start, end] = [y(k) + 11, y(k + 1) - 11];
    const middle = (start + end) / 2;
    return `M ${x(from)} ${start} C ${x(from)} ${middle}, ${x(to)} ${middle}, ${x(to)} ${end}`;
  };
  const lines = steps.flatMap(({ additions, moves }, k) => [
    ...moves.map(([from, to]) => svg('path', { class: `move ${state(k)}`, d: curve(from, to, k) })),
    ...additions.map(([from, to]) => svg('path', { class: `add ${state(k)}`, d: curve(from, to, k) })),
  ]);
  const labels = steps.flatMap(({ label }, k) =>
    inLines(gutter > 8 ? label : '').map((line, j, all) =>
      svg('text', { class: `level ${state(k)}`, x: 16, y: y(k) + rise / 2 + 4 + 14 * (j - (all.length - 1) / 2) }, line),
    ),
  );
  const nodes = arrays.flatMap((held, k) =>
    held.map((value, i) => {
      const reached = k <= at;
      const changed = k > 0 && k === at && value !== arrays[k - 1]![i];
      const half = 4 + 4 * digits;
      return svg(
        'g',
        { class: reached ? '' : 'later' },
        svg('rect', { class: `node ${changed ? 'changed' : ''}`, x: x(i) - half, y: y(k) - 9, width: 2 * half, height: 18, rx: 5 }),
        reached ? svg('text', { class: `value ${changed ? 'changed' : ''}`, x: x(i), y: y(k) + 4 }, String(value)) : null,
      );
    }),
  );
  return svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' }, ...wires, ...lines, ...labels, ...nodes);
}
