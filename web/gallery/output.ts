// Where does my output go? (page B): blocks from the exclusive scan, flags, and the packed row.
import type { Cumulo, Descriptions, Prepared } from '../src/cumulo.js';
import { type App, missingMessage } from './app.js';
import { h, svg } from './dom.js';
import { jobOf } from './job.js';
import { type ArrayKind, freshCanvas, GpuPainter, labelsOver, paintOnCpu, type Scene } from './picture.js';
import { column, compactionLabels, compactionLayers, type Rows, type Verdict } from './scenes.js';

const largest = 9;
const [width, height] = [600, 360];

// A plain loop: what each row must be.
function expectedRows(values: readonly number[], keep: readonly number[]): Rows {
  let [sum, slot] = [0, 0];
  const exclusive = values.map((value) => (sum += value) - value);
  const slots = keep.map((flag) => (slot += flag) - flag);
  return {
    values,
    keep,
    exclusive,
    inclusive: values.map((value, i) => exclusive[i]! + value),
    slots,
    packed: values.filter((_, i) => keep[i]),
  };
}

function verdictOn(rows: Rows, expected: Rows): Verdict {
  for (const name of ['inclusive', 'exclusive', 'slots', 'packed'] as const) {
    const index = expected[name].findIndex((value, i) => rows[name][i] !== value);
    if (index >= 0) {
      const text = `${name} ${index} is ${rows[name][index]}, not ${expected[name][index]}`;
      return { right: false, text };
    }
  }
  return { right: true, text: 'all three scans match a loop' };
}

export function outputSection(app: App, root: HTMLElement): void {
  const broken = new URLSearchParams(location.search).get('break');
  const values = [3, 1, 4, 1, 5, 9, 2, 6];
  const keep = [1, 0, 1, 1, 0, 1, 0, 1];
  const n = values.length;

  let canvas = h('canvas', { role: 'img', 'aria-label': 'No picture yet' });
  const overlay = svg('svg', { 'aria-hidden': 'true' });
  const picture = h('div', { class: 'picture crop' }, canvas, overlay);
  const missing = h('p', { class: 'missing', hidden: true });
  const verdictText = h('p', { class: 'verdict', id: 'output-verdict' });
  const { run, alert, outcome } = jobOf(root, show);

  function setValue(i: number, value: number): void {
    if (!Number.isInteger(value)) return;
    values[i] = Math.min(Math.max(value, 0), largest);
    void run();
  }
  function toggle(i: number): void {
    keep[i] = 1 - keep[i]!;
    void run();
  }

  const inputs = values.map((value, i) => {
    const input: HTMLInputElement = h('input', {
      type: 'number',
      min: 0,
      max: largest,
      value,
      'aria-label': `value of item ${i}`,
      input: () => setValue(i, input.valueAsNumber),
      change: () => (input.value = String(values[i])),
    });
    return input;
  });
  const flags = keep.map((_, i) =>
    h('button', { type: 'button', class: 'flag', 'aria-label': `keep item ${i}`, click: () => toggle(i) }, 'keep'),
  );
  const cells = (['inclusive', 'exclusive', 'slots', 'packed'] as const).map((name) => ({
    name,
    row: values.map(() => h('td')),
  }));
  const heading = (text: string) => h('th', { scope: 'row' }, text);
  const rowOf = (name: string) => cells.find((cell) => cell.name === name)!.row;
  const table = h(
    'table',
    { class: 'rows' },
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'item'), ...values.map((_, i) => h('th', { scope: 'col' }, `#${i}`)))),
    h(
      'tbody',
      {},
      h('tr', {}, heading('value'), ...inputs.map((input) => h('td', {}, input))),
      h('tr', {}, heading('inclusive'), ...rowOf('inclusive')),
      h('tr', {}, heading('exclusive'), ...rowOf('exclusive')),
      h('tr', {}, heading('keep'), ...flags.map((flag) => h('td', {}, flag))),
      h('tr', {}, heading('slot'), ...rowOf('slots')),
      h('tr', {}, heading('packed'), ...rowOf('packed')),
    ),
  );

  const controls = app.controls('', h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'the rows as a table' }, table));
  picture.addEventListener('click', (event) => {
    if (controls.disabled) return;
    const box = canvas.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * width;
    const y = ((event.clientY - box.top) / box.height) * height;
    const item = Math.floor((x - column.left) / column.pitch);
    if (item < 0 || item >= n) return;
    if (y >= column.flagsTop && y < column.flagsTop + column.boxHeight) toggle(item);
    else if (y < column.floor) {
      setValue(item, (values[item]! + 1) % (largest + 1));
      inputs[item]!.value = String(values[item]);
    }
  });

  const newCanvas = () => (canvas = freshCanvas(canvas, width, height));
  const sceneOf = (labels: Scene['labels']): Scene => ({ width, height, layers: compactionLayers(n), labels });

  let buffers: Record<string, GPUBuffer> = {};
  async function onGpu(cumulo: Cumulo): Promise<Rows> {
    const device = cumulo.device!;
    const executor = cumulo.executor!;
    if (!buffers['values']) {
      const names = ['values', 'keep', 'inclusive', 'exclusive', 'slots', 'packed', 'counts'];
      buffers = Object.fromEntries(names.map((name) => [name, executor.buffer(name, n * 4)]));
    }
    const { values: input, keep: flagged, inclusive, exclusive, slots, packed, counts } = buffers as Record<string, GPUBuffer>;
    const prepared: Prepared[] = [];
    const bind = async (
      description: Descriptions['scan' | 'select'],
      places: Record<string, GPUBuffer>,
      primitive: 'scan' | 'select' = 'scan',
    ) => {
      const made = await cumulo.prepare(primitive, description);
      prepared.push(made);
      return made.bind(places);
    };
    const work = [
      await bind({ n }, { input: input!, output: inclusive! }),
      await bind({ n, exclusive: true }, { input: input!, output: exclusive! }),
      await bind({ n, exclusive: true }, { input: flagged!, output: slots! }),
      await bind(
        { n, flags: 'u32', arrays: [{ elementBytes: 4 }] },
        { input: input!, flags: flagged!, output: packed!, counts: counts! },
        'select',
      ),
    ];
    device.queue.writeBuffer(input!, 0, Uint32Array.from(values));
    device.queue.writeBuffer(flagged!, 0, Uint32Array.from(keep));
    const painter = new GpuPainter(device, newCanvas());
    const arrays = [input!, exclusive!, flagged!, slots!].map((buffer) => ({ buffer, type: 'u32' as ArrayKind }));
    await executor.submit('where does my output go', (encoder) => {
      for (const bound of work) bound.record(encoder);
      if (broken !== null) encoder.copyBufferToBuffer(input!, 20, exclusive!, 4 * (Number(broken) % n), 4);
      painter.record(encoder, sceneOf([]), arrays, devicePixelRatio);
    });
    painter.destroy();
    const read = await executor.read(
      [inclusive!, exclusive!, slots!, packed!, counts!].map((buffer) => ({ buffer, offset: 0, bytes: n * 4 })),
    );
    for (const made of prepared) made.destroy();
    const [a, b, c, d, [count]] = read.map((bytes) => Array.from(new Uint32Array(bytes.buffer))) as [number[], number[], number[], number[], number[]];
    return { values: [...values], keep: [...keep], inclusive: a, exclusive: b, slots: c, packed: d.slice(0, count) };
  }

  async function onCpu(cumulo: Cumulo): Promise<Rows> {
    const [input, flagged] = [Uint32Array.from(values), Uint32Array.from(keep)];
    const list = async (given: Uint32Array, exclusive: boolean) => Array.from((await cumulo.scan(given, { exclusive })).values);
    const rows: Rows = {
      values: [...values],
      keep: [...keep],
      inclusive: await list(input, false),
      exclusive: await list(input, true),
      slots: await list(flagged, true),
      packed: Array.from((await cumulo.compact(input, flagged)).values),
    };
    paintOnCpu(newCanvas(), sceneOf([]), [rows.values, rows.exclusive, rows.keep, rows.slots], devicePixelRatio);
    return rows;
  }

  async function show(): Promise<string> {
    const expected = expectedRows([...values], [...keep]);
    const rows = app.cumulo.backend === 'webgpu' ? await onGpu(app.cumulo) : await onCpu(app.cumulo);
    const verdict = verdictOn(rows, expected);
    const labels = compactionLabels(rows, verdict);
    labelsOver(overlay, sceneOf(labels));
    canvas.setAttribute(
      'aria-label',
      `Columns of blocks for the values ${rows.values.join(' ')}, each starting at the total of all before it: ${rows.exclusive.join(' ')}. ` +
        `Below, the kept items ${rows.keep.flatMap((flag, i) => (flag ? [`#${i}`] : [])).join(', ') || 'none'} and the slots they land in.`,
    );
    verdictText.textContent = verdict.text;
    verdictText.className = `verdict ${verdict.right ? 'right' : 'wrong'}`;
    for (const [i, flag] of flags.entries()) {
      flag.setAttribute('aria-pressed', String(rows.keep[i] === 1));
    }
    for (const { name, row } of cells) {
      for (const [i, cell] of row.entries()) {
        const shown = name === 'slots' ? rows.keep[i] === 1 : i < rows[name].length;
        cell.textContent = name === 'slots' || shown ? String(rows[name][i]) : '·';
        cell.className = shown ? (name === 'packed' || name === 'slots' ? 'kept' : '') : 'none';
      }
    }
    const message = missingMessage(app);
    missing.hidden = message === null;
    missing.textContent = message;
    return (
      `Columns start at ${rows.exclusive.join(' ')}, of ${rows.inclusive.at(-1)} blocks. ` +
      `Packed: ${rows.packed.join(' ') || 'nothing'}. Verdict: ${verdict.text}.`
    );
  }

  root.append(
    h('h2', { id: 'output-title' }, 'Where does my output go?'),
    h('p', {}, 'Each column starts where the columns before it end: that is the exclusive scan, and it is how items that write different amounts share one output. The same scan of the keep flags gives each kept item its slot, in the input’s order, and the same in every run.'),
    outcome,
    alert,
    missing,
    h('div', { class: 'split' },
      h('figure', {}, picture, h('figcaption', {}, 'Above, one block for each unit; then the flags; then the kept items, packed.')),
      h('div', {},
        h('ul', {},
          h('li', {}, h('b', {}, 'Compaction: '), 'a kept item’s scanned flag is its slot.'),
          h('li', {}, h('b', {}, 'Allocation: '), 'scanned counts are write positions, and their total is the size.'),
          h('li', {}, h('b', {}, 'Sorting, summed areas: '), 'built from scans as well.')),
        verdictText)),
    h('p', {}, 'Change a value or a flag: the rows follow. A click in the picture, on a column or a flag, does it too.'),
    controls,
  );
  app.onDevice(() => {
    buffers = {};
    void run();
  });
}
