// What a trace lists is what the device did.
import { checkInPage, same } from './harness.mjs';
import { tracingChecks } from './page/checks.js';

const inPage = ({ page, tests, site }, name, ...args) =>
  page.evaluate(async ([module, call, given]) => (await import(module))[call](...given), [
    `${tests}tracing.js`, name, [site, ...args],
  ]);

const tests = {};
for (const name of Object.keys(tracingChecks())) tests[name] = checkInPage('tracingChecks', name);
tests['sizes and types that are not traced'] = async (given) => {
  await given.page.goto(`${given.tests}blank.html`);
  same(await inPage(given, 'refusals'), Array(4).fill('unsupported'), 'kinds');
};
export default tests;
