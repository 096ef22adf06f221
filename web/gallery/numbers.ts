// Numbers from what a person has: text, a CSV or NPY file.
import { CumuloError } from '../src/cumulo.js';

export type Numbers = Uint32Array | Int32Array | Float32Array;

export const mostNumbers = 2 ** 22;
const mostBytes = 2 ** 26; // of a file: as text so many numbers take no more
const largestFloat = (2 - 2 ** -23) * 2 ** 127;

function fault(message: string): CumuloError {
  return new CumuloError('bad-argument', message);
}

const tooMany = () => fault(`more than ${mostNumbers.toLocaleString('en')} numbers are too many for this page`);

function every(values: ArrayLike<number>, holds: (x: number) => boolean): boolean {
  for (let i = 0; i < values.length; ++i) if (!holds(values[i]!)) return false;
  return true;
}

// Whole numbers from 0 on as u32, whole ones as i32, others as f32; `place` names one of them.
function typed(values: ArrayLike<number>, place: (i: number) => string): Numbers {
  if (every(values, (x) => Number.isInteger(x) && x >= 0 && x < 2 ** 32)) return new Uint32Array(values);
  if (every(values, (x) => Number.isInteger(x) && Math.abs(x) < 2 ** 31)) return new Int32Array(values);
  const floats = new Float32Array(values);
  let sum = 0;
  for (const [i, x] of floats.entries()) {
    if (Number.isNaN(x)) throw fault(`${place(i)} is not a number`);
    if (!Number.isFinite(x)) throw fault(`${place(i)} is beyond f32, which ends at 3.4e38`);
    // What lies beyond depends on the order in which a device adds.
    sum += Math.abs(x);
    if (sum > largestFloat) throw fault(`with ${place(i)} the totals may go beyond f32, which ends at 3.4e38`);
  }
  return floats;
}

/** The type of numbers, and why it is that one. */
export function typeWords(values: Numbers): string {
  if (values instanceof Uint32Array) return 'u32, whole numbers';
  return values instanceof Int32Array ? 'i32, whole numbers, some below 0' : 'f32, rounded to about 7 digits';
}

/** Numbers apart by blanks, commas, semicolons or line ends. */
export function parseText(text: string): Numbers {
  if (text.includes('\0')) throw fault('this is no text');
  const words = text.split(/[\s,;]+/).filter((word) => word !== '');
  if (words.length === 0) throw fault('there are no numbers yet');
  if (words.length > mostNumbers) throw tooMany();
  const place = (i: number) => `number ${i + 1}, '${words[i]!.slice(0, 20)}',`;
  const values = new Float64Array(words.length);
  for (const [i, word] of words.entries()) {
    values[i] = Number(word);
    if (Number.isNaN(values[i])) throw fault(`${place(i)} is no number`);
  }
  return typed(values, place);
}

const isNumber = (cell: string | undefined) => cell !== undefined && cell !== '' && !Number.isNaN(Number(cell));
const cellsOf = (line: string) => line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));

/** The first column of numbers; a first line without numbers names the columns. */
export function parseCsv(text: string): Numbers {
  if (text.includes('\0')) throw fault('this is no text');
  const values: number[] = [];
  const lines: number[] = []; // where each value stands
  let column = -1;
  let isFirst = true;
  for (const [k, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const cells = cellsOf(line);
    const isHeading = isFirst && !cells.some(isNumber);
    isFirst = false;
    if (isHeading) continue;
    if (column < 0) column = cells.findIndex(isNumber);
    if (column < 0) break;
    if (!isNumber(cells[column])) throw fault(`line ${k + 1} has no number in column ${column + 1}`);
    if (values.length === mostNumbers) throw tooMany();
    values.push(Number(cells[column]));
    lines.push(k + 1);
  }
  if (values.length === 0) throw fault('the file has no column of numbers');
  return typed(values, (i) => `line ${lines[i]}`);
}

type Elements = ArrayLike<number> | BigUint64Array | BigInt64Array;

const arrays: Record<string, { new (bytes: ArrayBuffer): Elements; readonly BYTES_PER_ELEMENT: number }> = {
  u1: Uint8Array,
  b1: Uint8Array,
  i1: Int8Array,
  u2: Uint16Array,
  i2: Int16Array,
  u4: Uint32Array,
  i4: Int32Array,
  u8: BigUint64Array,
  i8: BigInt64Array,
  // Younger than the others.
  ...('Float16Array' in globalThis ? { f2: Float16Array } : {}),
  f4: Float32Array,
  f8: Float64Array,
};

function withBytesTurned(bytes: ArrayBuffer, size: number): void {
  const all = new Uint8Array(bytes);
  for (let at = 0; at < all.length; at += size) all.subarray(at, at + size).reverse();
}

/** NumPy's format, versions 1 to 3. */
export function parseNpy(bytes: ArrayBuffer): Numbers {
  const view = new DataView(bytes);
  const magic = '\x93NUMPY';
  if (bytes.byteLength < 12 || [...magic].some((c, k) => view.getUint8(k) !== c.charCodeAt(0))) {
    throw fault('the file does not begin as an NPY file does');
  }
  const long = view.getUint8(6) > 1;
  const start = long ? 12 : 10;
  const length = long ? view.getUint32(8, true) : view.getUint16(8, true);
  if (start + length > bytes.byteLength) throw fault('the NPY file ends within its header');
  const header = new TextDecoder().decode(new Uint8Array(bytes, start, length));
  const type = /'descr':\s*'([<>|=])(\w+)'/.exec(header);
  const array = arrays[type?.[2] ?? ''];
  if (!type || !array) throw fault(`an NPY file of ${type?.[2] ?? 'such elements'} is not for this page`);
  const shape = /'shape':\s*\(([^)]*)\)/.exec(header)?.[1];
  const axes = (shape ?? '').split(',').filter((part) => part.trim() !== '').map(Number);
  const count = axes.reduce((n, axis) => n * axis, 1);
  if (shape === undefined || !Number.isSafeInteger(count) || count < 0) throw fault('the NPY file does not tell its shape');
  if (/'fortran_order':\s*True/.test(header) && axes.filter((axis) => axis > 1).length > 1) {
    throw fault('the NPY file holds its columns one after the other: save what numpy.ascontiguousarray makes of it');
  }
  if (count === 0) throw fault('the NPY file has no elements');
  if (count > mostNumbers) throw tooMany();
  const size = array.BYTES_PER_ELEMENT;
  const first = start + length;
  if (first + count * size > bytes.byteLength) throw fault('the NPY file ends before its last element');
  const own = bytes.slice(first, first + count * size);
  if (type[1] === '>') withBytesTurned(own, size);
  const elements = new array(own);
  const isBig = elements instanceof BigUint64Array || elements instanceof BigInt64Array;
  return typed(isBig ? Float64Array.from(elements as BigInt64Array, Number) : elements, (i) => `element ${i}`);
}

export async function parseFile(file: File): Promise<Numbers> {
  if (file.size > mostBytes) throw fault(`the file is larger than ${mostBytes / 2 ** 20} MiB, the most that this page takes`);
  if (/\.npy$/i.test(file.name)) return parseNpy(await file.arrayBuffer());
  return /\.(csv|tsv)$/i.test(file.name) ? parseCsv(await file.text()) : parseText(await file.text());
}
