// The JavaScript that README and docs show runs as it stands, and prints what it says; the documents' pages
// can be read and lead somewhere.
import { readFileSync } from 'node:fs';

import { axeSource, check, same, takeAwayWebGpu } from './harness.mjs';
import { primitiveChecks } from './page/checks.js';

const root = new URL('../../', import.meta.url);

function blocks(file) {
  return [...readFileSync(new URL(file, root), 'utf8').matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code);
}

// What the comments behind console.log say.
const promised = (code) => [...code.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, text]) => text);

const tests = {};
for (const [file, count] of [['README.md', 1], ['docs/javascript.md', 2]]) {
  tests[`programs of ${file}`] = async ({ page, site }) => {
    const found = blocks(file);
    same(found.length, count, 'programs');
    for (const code of found) {
      check(promised(code).length > 0, 'a program that prints nothing');
      await page.goto(`${site}index.html`);
      const printed = await page.evaluate(
        async ([program, address]) => {
          const lines = [];
          const log = console.log;
          console.log = (...parts) => lines.push(parts.join(' '));
          const module = program.replaceAll("'./cumulo/", `'${address}cumulo/`);
          await import(URL.createObjectURL(new Blob([module], { type: 'text/javascript' })));
          console.log = log;
          return lines;
        },
        [code, site],
      );
      same(printed, promised(code), 'what it prints');
    }
  };
}

tests["the documents' pages"] = async ({ page, site }) => {
  const headings = new Map(); // of each page by its address
  const links = []; // [from, to]
  const waiting = [`${site}docs/index.html`];
  while (waiting.length > 0) {
    const address = waiting.pop();
    if (headings.has(address)) continue;
    const answer = await page.goto(address);
    check(answer.ok(), `${address}: ${answer.status()}`);
    headings.set(address, new Set(await page.$$eval('[id]', (all) => all.map((element) => element.id))));
    if (!address.startsWith(`${site}docs/`)) continue; // the gallery
    same(await page.locator('main h1').count(), 1, `titles of ${address}`);
    await page.evaluate(axeSource);
    const found = await page.evaluate(async () => (await globalThis.axe.run()).violations);
    const serious = found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    same(serious.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), [], `what axe finds in ${address}`);
    for (const [image, width] of await page.$$eval('img', (all) => all.map((img) => [img.src, img.naturalWidth]))) {
      check(width > 0, `${image} of ${address} is no picture`);
    }
    for (const to of await page.$$eval('a', (all) => all.map((link) => link.href))) {
      if (!to.startsWith(site)) continue;
      links.push([address, to]);
      const target = to.split('#')[0];
      if (target.endsWith('.html')) waiting.push(target);
    }
  }
  check(headings.size > 12, 'few pages');
  for (const [from, to] of links) {
    const [target, heading] = to.split('#');
    if (!headings.has(target)) {
      const answer = await page.request.get(target);
      check(answer.ok(), `${to} of ${from}: ${answer.status()}`);
    } else if (heading) {
      check(headings.get(target).has(heading), `${to} of ${from} leads to no heading`);
    }
  }
};

// What it runs has tests of its own: a few of it here.
tests['the page that checks a device'] = async ({ page, site }) => {
  const checked = async (query) => {
    await page.goto(`${site}check/index.html${query}`);
    await page.waitForFunction(() => document.body.dataset.state, null, { timeout: 300_000 });
    return [await page.evaluate(() => document.body.dataset.state), await page.locator('#summary').textContent()];
  };
  same(await checked('?only=traces.of.sub|tile.edges'), ['right', '3 right, 0 wrong.'], 'on the GPU and the CPU');
  await page.evaluate(axeSource);
  const found = await page.evaluate(async () => (await globalThis.axe.run()).violations.map(({ id }) => id));
  same(found, [], 'what axe finds');
  await page.route('**/check/checks.js', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace('primitives.scanSizes(', "(() => ['broken'])(") });
  });
  same((await checked('?only=tile.edges'))[0], 'wrong', 'with a fault');
  await page.unroute('**/check/checks.js');
  await page.addInitScript(takeAwayWebGpu);
  const names = Object.keys(primitiveChecks('cpu'));
  same(await checked(''), ['right', `${names.length} right, 0 wrong.`], 'without WebGPU');
};
export default tests;
