// The JavaScript that README and docs show runs as it stands, and prints what it says; the documents' pages
// can be read and lead somewhere.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { axeSource, check, same, serve, takeAwayWebGpu } from './harness.mjs';
import { primitiveChecks } from './page/checks.js';

const root = new URL('../../', import.meta.url);

function blocks(file) {
  return [...readFileSync(new URL(file, root), 'utf8').matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code);
}

// What the comments behind console.log say.
const promised = (code) => [...code.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, text]) => text);

// In place of a page's own passes: what fills a program's buffers before it records, and what reads those that it
// has filled. A GPU error that the program makes fails the test as any does.
const own = {
  'README.md': [
    {
      before: 'device.queue.writeBuffer(input, 0, Uint32Array.from({ length: 1024 }, (_, i) => i % 7));',
      read: { output: 1024 },
      expected: () => {
        let sum = 0;
        return { output: Array.from({ length: 1024 }, (_, i) => (sum += i % 7) - (i % 7)) };
      },
    },
  ],
  'docs/javascript.md': [
    null,
    {
      before: `device.queue.writeBuffer(particles, 0, Uint32Array.from({ length: 4000 }, (_, i) => 3 * i));
        device.queue.writeBuffer(alive, 0, Uint32Array.from({ length: 1000 }, (_, i) => (i % 3 === 1 ? 5 : 0)));`,
      read: { counts: 1, draw: 4, kept: 4 * 333 },
      expected: () => ({
        counts: [333],
        draw: [4, 333, 0, 0],
        kept: Array.from({ length: 333 }, (_, k) => [0, 1, 2, 3].map((j) => 3 * (4 * (3 * k + 1) + j))).flat(),
      }),
    },
  ],
};
const recording = 'const encoder = device.createCommandEncoder();';
const reading = (buffers) => `
  globalThis.found = {};
  for (const [name, from, words] of [${Object.entries(buffers).map(([name, words]) => `['${name}', ${name}, ${words}]`)}]) {
    const size = words * 4;
    const to = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const copying = device.createCommandEncoder();
    copying.copyBufferToBuffer(from, 0, to, 0, size);
    device.queue.submit([copying.finish()]);
    await to.mapAsync(GPUMapMode.READ);
    globalThis.found[name] = Array.from(new Uint32Array(to.getMappedRange()));
  }`;

const tests = {};
for (const [file, programs] of Object.entries(own)) {
  tests[`programs of ${file}`] = async ({ page, site }) => {
    const found = blocks(file);
    same(found.length, programs.length, 'programs');
    for (const [k, code] of found.entries()) {
      const passes = programs[k];
      check(promised(code).length > 0, 'a program that prints nothing');
      check(!passes || code.includes(recording), 'a program that records nothing');
      await page.goto(`${site}index.html`);
      const [printed, read] = await page.evaluate(
        async ([program, address]) => {
          // What a program need not copy, the test does.
          const { createBuffer } = GPUDevice.prototype;
          const { MAP_READ, COPY_SRC, COPY_DST } = GPUBufferUsage;
          GPUDevice.prototype.createBuffer = function (asked) {
            const more = asked.usage & MAP_READ ? 0 : COPY_SRC | COPY_DST;
            return createBuffer.call(this, { ...asked, usage: asked.usage | more });
          };
          const lines = [];
          const log = console.log;
          console.log = (...parts) => lines.push(parts.join(' '));
          const module = program.replaceAll("'./cumulo/", `'${address}cumulo/`);
          await import(URL.createObjectURL(new Blob([module], { type: 'text/javascript' })));
          console.log = log;
          return [lines, globalThis.found];
        },
        [passes ? `${code.replace(recording, `${passes.before}\n${recording}`)}\n${reading(passes.read)}` : code, site],
      );
      same(printed, promised(code), 'what it prints');
      if (!passes) continue;
      for (const [name, values] of Object.entries(passes.expected())) same(read[name], values, `${name} of ${file}`);
    }
  };
}

// The same folder under another path, one with a space in it.
tests['the page under another path'] = async ({ page, otherSite }) => {
  await page.goto(`${otherSite}docs/javascript.html`);
  same(await page.locator('main h1').count(), 1, 'titles');
  await page.goto(`${otherSite}check/index.html?only=tile.edges`);
  await page.waitForFunction(() => document.body.dataset.state, null, { timeout: 300_000 });
  same(await page.evaluate(() => document.body.dataset.state), 'right', 'checks');
};

const lineOf = (stream, wanted) =>
  new Promise((resolve, reject) => {
    let text = '';
    stream.on('data', (part) => {
      text += part;
      const found = text.match(wanted);
      if (found) resolve(found[1]);
    });
    stream.on('end', () => reject(new Error(`it ended without ${wanted}: ${text}`)));
  });

tests['what script/web serves'] = async ({ page }) => {
  const free = await serve([]);
  const { port } = new URL(free.address);
  free.close();
  // Its own process group: the script becomes the server.
  const script = spawn(fileURLToPath(new URL('script/web', root)), ['--port', port], { detached: true });
  try {
    const address = await lineOf(script.stdout, /web: (http:\S+)/);
    same(address, `http://127.0.0.1:${port}/`, 'the address');
    let answer = null;
    for (let k = 0; k < 50 && !answer; ++k) {
      answer = await page.request.get(address).catch(() => new Promise((resolve) => setTimeout(resolve, 200, null)));
    }
    check(answer?.ok(), `nothing is served at ${address}`);
    same(await answer.text(), readFileSync(new URL('web/gallery/index.html', root), 'utf8'), 'the page');
    check((await page.request.get(`${address}cumulo/planner.wasm`)).ok(), 'no planner');
  } finally {
    process.kill(-script.pid);
  }
};

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
