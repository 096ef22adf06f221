// The browser's WGSL compiler takes every form of every kernel.
import { check } from './harness.mjs';

// What must be among the kernels of each primitive: a walk that misses a form is no test.
const expected = {
  scan: ['hillis_steele', 'blelloch', 'subgroup'],
  reduce: [],
  select: [],
  allocate: ['settle_allocation'],
  expand: ['expand'],
  arguments: [],
};

const tests = {};
for (const [primitive, names] of Object.entries(expected)) {
  tests[`kernels of ${primitive}`] = async ({ page, site, tests: address }) => {
    await page.goto(`${address}blank.html`);
    const found = await page.evaluate(
      async ([module, ...given]) => (await import(module)).compileAll(...given),
      [`${address}variants.js`, site, primitive],
    );
    console.log(`  ${found.count} kernels: ${found.names.join(', ')}`);
    check(found.faults.length === 0, found.faults.join('\n'));
    for (const name of names) check(found.names.includes(name), `no kernel ${name} among ${found.names}`);
    check(found.count > 0, 'no kernel at all');
  };
}
export default tests;
