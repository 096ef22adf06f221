// Every primitive as docs/javascript.md describes it for a page's own encoder, and devices and buffers that go.
import { check, same } from './harness.mjs';
import { recordedNames } from './page/recorded.js';

const inPage = async ({ page, site, tests: address }, call, ...given) => {
  await page.goto(`${address}blank.html`);
  return page.evaluate(
    async ([module, name, parameters]) => (await import(module))[name](...parameters),
    [`${address}recorded.js`, call, [site, ...given]],
  );
};

const tests = {};
for (const name of recordedNames) {
  tests[name] = async (given) => {
    const faults = await inPage(given, 'recorded', name, [2, 257, 5000]);
    check(faults.length === 0, faults.join('\n'));
  };
}
tests['two devices, and many calls at once'] = async (given) => same(await inPage(given, 'together'), [], 'faults');
tests["buffers that are gone or another device's"] = async (given) => {
  same(await inPage(given, 'foreignBuffers'), { foreign: 'error', destroyed: 'error', right: [1, 3, 6, 10] }, 'what comes of it');
};
export default tests;
