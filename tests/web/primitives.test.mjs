// Every primitive against its oracle, on WebGPU and on the CPU path, at the edges of tiles.
import { check, checkInPage, same } from './harness.mjs';
import { primitiveChecks } from './page/checks.js';

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

const tests = {};
for (const backend of ['webgpu', 'cpu']) {
  for (const name of Object.keys(primitiveChecks(backend))) {
    tests[`${name}, ${backend}`] = checkInPage('primitiveChecks', name, backend);
  }
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
export default tests;
