// Numbers from what a person has: text, a CSV or NPY file.
import { CumuloError } from '../src/cumulo.js';

export type Numbers = Uint32Array | Int32Array | Float32Array;

function fault(message: string): CumuloError {
  return new CumuloError('bad-argument', message);
}

// Whole numbers from 0 on as u32, whole ones as i32, others as f32.
function typed(values: readonly number[]): Numbers {
  if (values.every((x) => Number.isInteger(x) && x >= 0 && x < 2 ** 32)) return Uint32Array.from(values);
  if (values.every((x) => Number.isInteger(x) && Math.abs(x) < 2 ** 31)) return Int32Array.from(values);
  return Float32Array.from(values);
}

/** Numbers apart by blanks, commas, semicolons or line ends. */
export function parseText(text: string): Numbers {
  const words = text.split(/[\s,;]+/).filter((word) => word !== '');
  if (words.length === 0) throw fault('there are no numbers yet');
  const values = words.map((word, k) => {
    const value = Number(word);
    if (Number.isNaN(value)) throw fault(`number ${k + 1}, '${word.slice(0, 20)}', is no number`);
    return value;
  });
  return typed(values);
}

/** The first column of numbers; a first line without numbers names the columns. */
export function parseCsv(text: string): Numbers {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const cells = lines.map((line) => line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1')));
  const isNumber = (cell: string | undefined) => cell !== undefined && cell !== '' && !Number.isNaN(Number(cell));
  const data = cells[0]?.some(isNumber) ? cells : cells.slice(1);
  const column = data[0]?.findIndex(isNumber) ?? -1;
  if (column < 0) throw fault('the file has no column of numbers');
  const values = data.map((row, k) => {
    if (!isNumber(row[column])) {
      throw fault(`line ${k + 1 + cells.length - data.length} has no number in column ${column + 1}`);
    }
    return Number(row[column]);
  });
  return typed(values);
}

const readers: Record<string, [number, (view: DataView, at: number, little: boolean) => number]> = {
  u1: [1, (view, at) => view.getUint8(at)],
  b1: [1, (view, at) => view.getUint8(at)],
  i1: [1, (view, at) => view.getInt8(at)],
  u2: [2, (view, at, little) => view.getUint16(at, little)],
  i2: [2, (view, at, little) => view.getInt16(at, little)],
  u4: [4, (view, at, little) => view.getUint32(at, little)],
  i4: [4, (view, at, little) => view.getInt32(at, little)],
  u8: [8, (view, at, little) => Number(view.getBigUint64(at, little))],
  i8: [8, (view, at, little) => Number(view.getBigInt64(at, little))],
  // Younger than the others.
  ...('getFloat16' in DataView.prototype ? { f2: [2, (view, at, little) => view.getFloat16(at, little)] } : {}),
  f4: [4, (view, at, little) => view.getFloat32(at, little)],
  f8: [8, (view, at, little) => view.getFloat64(at, little)],
};

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
  const [size, read] = readers[type?.[2] ?? ''] ?? [];
  if (!type || !size || !read) throw fault(`an NPY file of ${type?.[2] ?? 'such elements'} is not for this page`);
  const shape = /'shape':\s*\(([^)]*)\)/.exec(header)?.[1] ?? '';
  const count = shape.split(',').filter((part) => part.trim() !== '').reduce((n, part) => n * Number(part), 1);
  if (start + length + count * size > bytes.byteLength) throw fault('the NPY file ends before its last element');
  const little = type[1] !== '>';
  const values = Array.from({ length: count }, (_, k) => read(view, start + length + k * size, little));
  if (values.length === 0) throw fault('the NPY file has no elements');
  return typed(values);
}

export async function parseFile(file: File): Promise<Numbers> {
  if (/\.npy$/i.test(file.name)) return parseNpy(await file.arrayBuffer());
  return /\.(csv|tsv)$/i.test(file.name) ? parseCsv(await file.text()) : parseText(await file.text());
}
