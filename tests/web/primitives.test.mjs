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
    check(Object.keys(found).length > 30, 'few errors');
    for (const [name, error] of Object.entries(found)) {
      same(error?.slice(0, 2), ['CumuloError', name === 'algorithm' ? 'unsupported' : 'bad-argument'], name);
    }
    check(found.operator[2].includes('xor is not defined for f32'), found.operator[2]);
    for (const [name, part] of Object.entries({
      option: "scan has no option 'includeInitail'; there are timed, op,",
      no_identity: "the identity of 'm' must be a number for each field: a, f32",
      word: 'it is one of add, mul, min, max,',
      selection_word: 'description of partition has',
      fraction: 'it is a whole number from 0 to',
      no_options: 'the options of scan must be an object, not null',
      timed: "timed must be a number of runs, 1 to 10000, not 'often'",
      part_of_element: '3 values are no whole number of elements of 2 fields',
    })) {
      check(found[name][2].includes(part), found[name][2]);
    }
  };
}
export default tests;
