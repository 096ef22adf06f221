// What is measured: values below 16 from a fixed sequence, and flags for about half of them. Made and compared
// in chunks, so that the page stays responsive and holds little of it.

const chunk = 2 ** 20;

/** Views that the next chunk overwrites. */
export interface Chunk {
  at: number;
  values: Uint32Array<ArrayBuffer>;
  flags: Uint8Array<ArrayBuffer>;
}

export function* chunksOf(n: number): Generator<Chunk> {
  const values = new Uint32Array(Math.min(n, chunk));
  const flags = new Uint8Array(values.length);
  let state = 2463534242;
  for (let at = 0; at < n; at += chunk) {
    for (let i = 0; i < values.length; ++i) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      values[i] = state & 15;
      flags[i] = (state >>> 8) & 1;
    }
    yield { at, values, flags };
  }
}

const breath = () => new Promise((resolve) => setTimeout(resolve));

/** All of it at once. */
export async function dataOf(n: number, signal: AbortSignal): Promise<{ values: Uint32Array; flags: Uint8Array }> {
  const all = { values: new Uint32Array(n), flags: new Uint8Array(n) };
  for (const { at, values, flags } of chunksOf(n)) {
    all.values.set(values, at);
    all.flags.set(flags, at);
    await breath();
    signal.throwIfAborted();
  }
  return all;
}

/** `read` gives `count` scanned elements from `at` on, and `keptCount` kept ones from `slot` on. */
export async function isRight(
  n: number,
  signal: AbortSignal,
  read: (at: number, count: number, slot: number, keptCount: number) => Promise<{ scanned: Uint32Array; kept: Uint32Array }>,
  keptInAll: () => Promise<number>,
): Promise<boolean> {
  let [sum, slot] = [0, 0];
  for (const { at, values, flags } of chunksOf(n)) {
    const keptHere = flags.reduce((count, flag) => count + flag, 0);
    const { scanned, kept } = await read(at, values.length, slot, keptHere);
    let k = 0;
    for (let i = 0; i < values.length; ++i) {
      sum = (sum + values[i]!) >>> 0;
      if (scanned[i] !== sum) return false;
      if (flags[i] && kept[k++] !== values[i]) return false;
    }
    slot += keptHere;
    await breath();
    signal.throwIfAborted();
  }
  return slot === (await keptInAll());
}
