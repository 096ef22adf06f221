// Traces against the steps that they list, and against plain loops.
import { data, difference, random } from './oracle.js';

export async function traces(site, algorithm, n) {
  const { load } = await import(`${site}cumulo/cumulo.js`);
  const cumulo = await load();
  const next = random(n + algorithm.length);
  const values = Uint32Array.from({ length: n }, () => next() % 100);
  const { arrays, steps } = await cumulo.trace(values, algorithm);
  const faults = [difference(arrays[0], Array.from(values), 'the input')];
  let sum = 0;
  faults.push(difference(arrays.at(-1), Array.from(values, (x) => (sum += x)), 'the last array'));
  if (arrays.length !== steps.length + 1) faults.push(`${arrays.length} arrays for ${steps.length} steps`);
  for (const [k, { label, additions, moves }] of steps.entries()) {
    if (label.startsWith('one call')) continue;  // the builtin's own affair
    const before = Array.from(arrays[k]);
    const after = [...before];
    if (label.startsWith('nothing stands')) after[n - 1] = 0;
    for (const [from, to] of moves) after[to] = before[from];
    // Several that are added to one element come in their order.
    const added = new Map();
    for (const [from, to] of additions) added.set(to, [...(added.get(to) ?? []), before[from]]);
    for (const [to, those] of added) after[to] = those.reduce((a, b) => a + b, before[to]);
    if (label.startsWith('inclusive')) after[n - 1] = sum;
    faults.push(difference(arrays[k + 1], after, `${algorithm} of ${n}, step ${k + 1}, ${label}`));
  }
  const additions = steps.reduce((count, step) => count + step.additions.length, 0);
  const barriers = steps.reduce((count, step) => count + step.barriers, 0);
  const { counts } = cumulo.plan('scan', { n, algorithm });
  if (counts && (counts.additions !== additions || counts.barriers !== barriers)) {
    faults.push(`${algorithm} of ${n}: ${additions} additions and ${barriers} barriers listed, ${counts.additions} and ${counts.barriers} counted`);
  }
  return faults.filter((fault) => fault);
}

export async function refusals(site) {
  const { load } = await import(`${site}cumulo/cumulo.js`);
  const cumulo = await load();
  const kinds = [];
  for (const [type, n] of [['u32', 4], ['u32', 12], ['u32', 128], ['f16', 8]]) {
    try {
      await cumulo.trace(data(type, n, 1), 'blelloch');
      kinds.push('nothing said');
    } catch (error) {
      kinds.push(error.kind);
    }
  }
  return kinds;
}
