// What can be tried in any browser, on its own GPU: names, and functions that resolve to what is wrong.
import * as primitives from './primitives.js';
import * as recording from './recording.js';
import * as tracing from './tracing.js';

const edges = [0, 1, 2, 3, 4, 5, 127, 128, 129, 1023, 1024, 1025, 4095, 4096, 4097, 10000];
const traced = [8, 16, 32, 64];
const some = [1, 500, 9001];
// A browser without halves has none to be checked; a list made elsewhere names all.
const withHalves = 'Float16Array' in globalThis || !('document' in globalThis);

async function each(sizes, call) {
  const faults = [];
  for (const n of sizes) {
    const found = await call(n);
    faults.push(...[found].flat().filter((fault) => fault).map((fault) => `${n} elements: ${fault}`));
  }
  return faults;
}

// Of 'webgpu' or 'cpu': name -> function of the site's address.
export function primitiveChecks(backend) {
  const checks = { 'scans at tile edges': (site) => primitives.scanSizes(site, backend, edges) };
  const common = ['u32', 'i32', 'f32', 'u64', 'i64'];
  for (const type of [...common, ...(withHalves ? ['f16'] : []), ...(backend === 'cpu' ? ['f64'] : [])]) {
    checks[`scans of ${type} by every operator`] = (site) => primitives.scanOperators(site, backend, 1500, type);
  }
  checks['wide sums'] = (site) => primitives.wideSums(site, backend, 2100);
  checks['reductions'] = (site) => primitives.reductions(site, backend, [0, 1, 5, 1024, 1025, 9000]);
  checks['selections'] = (site) =>
    primitives.selections(site, backend, [0, 1, 2, 31, 33, 4095, 4096, 4097, 9000], 'auto');
  checks['allocations and expansions'] = (site) =>
    primitives.allocations(site, backend, [0, 1, 5, 1025, 4096, 9001]);
  if (backend === 'cpu') return checks;
  const named = ['hillis-steele', 'blelloch', 'subgroup', 'reduce-then-scan', 'single-pass'];
  for (const n of [1, 64, 255, 256]) {
    checks[`algorithms by name, ${n} elements`] = (site) => primitives.scanAlgorithms(site, named, n);
  }
  checks['single pass of several tiles'] = (site) => primitives.scanAlgorithms(site, ['single-pass', 'reduce-then-scan'], 20001);
  checks['an operator of the page'] = (site) => primitives.monoids(site, 3000);
  return checks;
}

// Between a page's own passes.
export function recordingChecks() {
  return {
    'compaction between own passes': (site) => each([1000, 9000], (n) => recording.compactBetweenPasses(site, n)),
    'buffers however they lie': (site) => each(some, (n) => recording.layouts(site, n)),
    ...(withHalves
      ? { 'halves, counted reductions and expansions': (site) => each(some, (n) => recording.others(site, n)) }
      : {}),
  };
}

export function tracingChecks() {
  const checks = {};
  for (const algorithm of ['hillis-steele', 'blelloch', 'subgroup', 'single-pass']) {
    checks[`traces of ${algorithm}`] = (site) => each(traced, (n) => tracing.traces(site, algorithm, n));
  }
  return checks;
}
