// Every primitive against its oracle, on WebGPU and on the CPU path, at the edges of tiles.
import { check, same } from './harness.mjs';

const edges = [0, 1, 2, 3, 4, 5, 127, 128, 129, 1023, 1024, 1025, 4095, 4096, 4097, 10000];

// Calls a function of page/primitives.js in the page.
function inPage(name, ...args) {
  return async ({ page, site, tests }) => {
    await page.goto(`${tests}blank.html`);
    return page.evaluate(
      async ([module, call, parameters]) => (await import(module))[call](...parameters),
      [`${tests}primitives.js`, name, [site, ...args]],
    );
  };
}

function faultless(name, ...args) {
  return async (given) => {
    const faults = await inPage(name, ...args)(given);
    check(faults.length === 0, faults.join('\n'));
  };
}

const tests = {};
for (const backend of ['webgpu', 'cpu']) {
  tests[`scans at tile edges, ${backend}`] = async (given) => {
    const { backend: used, faults } = await inPage('scanSizes', backend, edges)(given);
    same(used, backend, 'the backend');
    check(faults.length === 0, faults.join('\n'));
  };
  for (const type of ['u32', 'i32', 'f32', 'u64', 'i64', 'f16']) {
    tests[`scans of ${type} by every operator, ${backend}`] = faultless('scanOperators', backend, 1500, type);
  }
  tests[`wide sums, ${backend}`] = faultless('wideSums', backend, 2100);
  tests[`reductions, ${backend}`] = faultless('reductions', backend, [0, 1, 5, 1024, 1025, 9000]);
  tests[`selections, ${backend}`] = faultless('selections', backend, [0, 1, 2, 31, 33, 4095, 4096, 4097, 9000], 'auto');
  tests[`allocations and expansions, ${backend}`] = faultless('allocations', backend, [0, 1, 5, 1025, 4096, 9001]);
  tests[`errors have kinds and sentences, ${backend}`] = async (given) => {
    const found = await inPage('errors', backend)(given);
    const kinds = Object.fromEntries(Object.entries(found).map(([name, error]) => [name, error?.slice(0, 2)]));
    const bad = ['CumuloError', 'bad-argument'];
    same(
      kinds,
      {
        type: bad, list_of_runs: bad, list_of_values: bad, nothing: bad, no_options: bad, timed: bad, untimed: bad,
        part_of_element: bad, selection_word: bad, fraction: bad, description: bad, operator: bad, word: bad, option: bad, flags: bad, flag_type: bad,
        function_as_predicate: bad, no_flags: bad, count_list: bad, count_bytes: bad, count_type: bad,
        other_n: bad, no_n: bad, predicate: bad,
        algorithm: ['CumuloError', 'unsupported'],
        capacity: bad,
      },
      'kinds',
    );
    check(found.operator[2].includes('xor is not defined for f32'), found.operator[2]);
    for (const [name, part] of Object.entries({
      option: "unknown field 'includeInitail'; the nearest known one is 'includeInitial'",
      word: 'it is one of add, mul, min, max,',
      selection_word: 'description of partition has',
      fraction: 'it is a whole number from 0 to',
      no_options: 'options must be an object',
      timed: "timed must be a number of runs, 1 to 10000, not 'often'",
      part_of_element: '3 values are no whole number of elements of 2 fields',
    })) {
      check(found[name][2].includes(part), found[name][2]);
    }
  };
}
for (const n of [1, 64, 255, 256]) {
  tests[`algorithms by name, ${n} elements`] = faultless(
    'scanAlgorithms', ['hillis-steele', 'blelloch', 'subgroup', 'reduce-then-scan', 'single-pass'], n,
  );
}
tests['single pass of several tiles'] = faultless('scanAlgorithms', ['single-pass', 'reduce-then-scan'], 20001);
tests['an operator of the page'] = faultless('monoids', 3000);
export default tests;
