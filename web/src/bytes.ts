// Between typed arrays and the bytes of buffers.
import type { Like, Values } from './types.js';

// What was read back no longer than that is given as it is.
export function firstOf<A extends Values>(values: A, count: number): A {
  return values.length === count ? values : (values.slice(0, count) as A);
}

export function bytesOf(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

// As the type of `values`, from memory of its own.
export function viewAs<T extends Values>(bytes: Uint8Array, values: T): Like<T> {
  const type = values.constructor as new (buffer: ArrayBufferLike, at: number, n: number) => Like<T>;
  return new type(bytes.buffer, bytes.byteOffset, bytes.byteLength / values.BYTES_PER_ELEMENT);
}

export function words(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

// Results of wide sums: 64-bit integers, f32, or pairs of f32 as the f64 that they add up to.
export function wideValues(bytes: Uint8Array, type: string): BigUint64Array | BigInt64Array | Float32Array | Float64Array {
  if (type === 'u32') return new BigUint64Array(bytes.buffer);
  if (type === 'i32') return new BigInt64Array(bytes.buffer);
  if (type === 'f16') return new Float32Array(bytes.buffer);
  const pairs = new Float32Array(bytes.buffer);
  return Float64Array.from({ length: pairs.length / 2 }, (_, i) => pairs[2 * i]! + pairs[2 * i + 1]!);
}

// writeBuffer wants whole words; the last bytes travel in a padded one.
export function write(queue: GPUQueue, buffer: GPUBuffer, bytes: Uint8Array): void {
  const whole = bytes.length - (bytes.length % 4);
  if (whole > 0) queue.writeBuffer(buffer, 0, bytes as Uint8Array<ArrayBuffer>, 0, whole);
  if (whole === bytes.length) return;
  const last = new Uint8Array(4);
  last.set(bytes.subarray(whole));
  queue.writeBuffer(buffer, whole, last);
}

export function sumOf(counts: Uint32Array): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}
