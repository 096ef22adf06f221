// The two pictures of the lessons, as src/picture has them: sales_scene.cpp and compaction_scene.cpp.
import type { Colour, Label, Layer, Scene } from './picture.js';

const orange: Colour = [0.85, 0.55, 0.15];
const blue: Colour = [0.08, 0.4, 0.75];
const lightBlue: Colour = [0.35, 0.6, 0.9];
const green: Colour = [0.16, 0.56, 0.3];
const paleGrey: Colour = [0.85, 0.84, 0.81];
const ink = 'rgb(33 33 38)';
const grey = 'rgb(97 97 102)';
const darkBlue = 'rgb(13 71 140)';
const darkYellow = 'rgb(148 92 5)';
const rightGreen = 'rgb(20 115 51)';
const wrongRed = 'rgb(191 20 20)';

export interface Verdict {
  right: boolean;
  text: string;
}

function verdictLabel(x: number, baseline: number, room: number, verdict: Verdict): Label {
  return { x, baseline, size: 11.5, colour: verdict.right ? rightGreen : wrongRed, text: verdict.text, bold: true, room };
}

export interface SalesFacts {
  title: string;
  additions: string;
  verdict: Verdict;
  /** Of what is right, so that a wrong bar looks wrong. */
  largestSale: number;
  largestTotal: number;
}

/** Array 0 the sales, array 1 the totals; `bars` of them are drawn. */
export function salesScene(bars: number, facts: SalesFacts): Scene {
  const [width, height] = [600, 330];
  const x = (clip: number) => ((clip + 1) / 2) * width;
  const y = (clip: number) => ((1 - clip) / 2) * height;
  const pitch = ((1.9 / Math.max(bars, 1)) * width) / 2;
  const barWidth = ((0.0068 * 256) / Math.max(bars, 1)) * (width / 2);
  const layer = (array: number, floor: number, heightOfOne: number, colour: Colour): Layer => ({
    items: bars,
    x0: { constant: x(-0.95), perItem: pitch },
    x1: { constant: x(-0.95) + barWidth, perItem: pitch },
    y0: { constant: y(floor) },
    y1: { constant: y(floor), perValue: (-heightOfOne * height) / 2, array },
    colour,
  });
  // 0.05 of clip height for a copy sold where at most 4 are, 1.1 for 520 where 510 is reached.
  const saleHeight = 0.2 / Math.max(facts.largestSale, 1);
  const totalHeight = 1.1 / Math.max((facts.largestTotal * 520) / 510, 1);
  return {
    width,
    height,
    layers: [layer(0, -0.9, saleHeight, orange), layer(1, -0.6, totalHeight, blue)],
    labels: [
      { x: 12, baseline: 24, size: 13, colour: ink, text: facts.title, bold: true, room: 576 },
      { x: 12, baseline: 44, size: 11.5, colour: darkBlue, text: '■ running totals' },
      { x: 140, baseline: 44, size: 11.5, colour: darkYellow, text: '■ sales of each day' },
      verdictLabel(320, 44, 268, facts.verdict),
      { x: 12, baseline: 62, size: 11, colour: grey, text: facts.additions, room: 576 },
    ],
  };
}

export interface Rows {
  values: readonly number[];
  keep: readonly number[];
  inclusive: readonly number[];
  exclusive: readonly number[];
  slots: readonly number[];
  packed: readonly number[];
}

export const column = { left: 40, pitch: 34, width: 28, flagsTop: 262, packedTop: 318, boxHeight: 22, floor: 196 };

/** Arrays: 0 values, 1 their exclusive scan, 2 keep, 3 slots. */
export function compactionLayers(n: number): Layer[] {
  const { left, pitch, width, flagsTop, packedTop, boxHeight, floor } = column;
  const x = { x0: { constant: left, perItem: pitch }, x1: { constant: left + width, perItem: pitch } };
  const block = (constant: number) => ({ constant, perCopy: -5, perValue: -5, array: 1 });
  const row = (top: number) => ({ y0: { constant: top }, y1: { constant: top + boxHeight }, radius: 5, items: n, keep: 2 });
  return [
    { items: n, copies: 40, copyCount: 0, ...x, y0: block(floor - 5), y1: block(floor - 1), radius: 1, colour: lightBlue, oddColour: blue },
    { ...row(flagsTop), ...x, colour: green },
    { ...row(flagsTop), ...x, keepZeros: true, colour: paleGrey },
    {
      ...row(packedTop),
      x0: { constant: left, perValue: pitch, array: 3 },
      x1: { constant: left + width, perValue: pitch, array: 3 },
      colour: green,
    },
  ];
}

export function compactionLabels(rows: Rows, verdict: Verdict): Label[] {
  const n = rows.values.length;
  const all = [rows.values, rows.inclusive, rows.exclusive, rows.keep, rows.slots];
  const digits = rows.values.map((_, i) => Math.max(2, ...all.map((row) => String(row[i]).length)));
  const numbers = (baseline: number, name: string, row: readonly number[], colour = ink): Label => ({
    x: 330,
    baseline,
    size: 12.5,
    colour,
    text: name.padEnd(9) + row.map((value, i) => ` ${String(value).padStart(digits[i]!)}`).join(''),
    mono: true,
    room: 264,
  });
  const words = (baseline: number, text: string): Label => ({ x: 330, baseline, size: 11.5, colour: ink, text });
  const onBox = (item: number, place: number, top: number): Label => ({
    x: column.left + column.width / 2 + column.pitch * place,
    baseline: top + 15,
    size: 11.5,
    colour: 'white',
    text: `#${item}`,
    bold: true,
    centred: true,
    onBox: true,
  });
  const kept = rows.keep.flatMap((flag, i) => (flag ? [i] : []));
  return [
    ...kept.flatMap((i) => [onBox(i, i, column.flagsTop), onBox(i, rows.slots[i]!, column.packedTop)]),
    numbers(40, 'input', rows.values),
    numbers(60, 'inclusive', rows.inclusive),
    numbers(80, 'exclusive', rows.exclusive, darkBlue),
    words(116, 'Each column starts at the total of'),
    words(134, 'everything before it.'),
    words(152, `log2 n = ${Math.ceil(Math.log2(n))} steps; every run gives the`),
    words(170, 'same result, and the input order is'),
    words(188, 'kept, unlike with an atomic append.'),
    verdictLabel(330, 218, 264, verdict),
    numbers(278, 'keep', rows.keep, rightGreen),
    numbers(296, 'slot', rows.slots),
    numbers(334, 'packed', rows.packed, rightGreen),
  ];
}
