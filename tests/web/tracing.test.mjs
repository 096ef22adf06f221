// What a trace lists is what the device did.
import { check, same } from './harness.mjs';

const inPage = ({ page, tests, site }, name, ...args) =>
  page.evaluate(async ([module, call, given]) => (await import(module))[call](...given), [
    `${tests}tracing.js`, name, [site, ...args],
  ]);

const tests = {};
for (const algorithm of ['hillis-steele', 'blelloch', 'subgroup', 'single-pass']) {
  tests[`traces of ${algorithm}`] = async (given) => {
    await given.page.goto(`${given.tests}blank.html`);
    for (const n of [8, 16, 32, 64]) {
      const faults = await inPage(given, 'traces', algorithm, n);
      check(faults.length === 0, faults.join('\n'));
    }
  };
}
tests['sizes that are not traced'] = async (given) => {
  await given.page.goto(`${given.tests}blank.html`);
  same(await inPage(given, 'refusals'), ['unsupported', 'unsupported', 'unsupported'], 'kinds');
};
export default tests;
