// How soon the page can be used on a small device: compressed bytes of the first load, and the time
// from the request until all sections' controls answer, with the processor slowed down.
//   node bench/page_load.mjs [--site build/web] [--slowdown 4] [--runs 7]
// One JSON object on standard output. Each run is a fresh context, with nothing cached.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

import { launch, serve, takeAwayWebGpu } from '../tests/web/harness.mjs';

const { values: options } = parseArgs({
  options: {
    site: { type: 'string', default: 'build/web' },
    slowdown: { type: 'string', default: '4' },
    runs: { type: 'string', default: '7' },
  },
});

const median = (times) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];

const server = await serve([['/', options.site]]);
const browser = await launch();
const loaded = new Map(); // file -> compressed bytes

async function loadOnce(withWebGpu) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  if (!withWebGpu) await page.addInitScript(takeAwayWebGpu);
  page.on('response', (response) => {
    const path = new URL(response.url()).pathname;
    if (!response.url().startsWith(server.address)) return;
    const file = join(options.site, path.endsWith('/') ? `${path}index.html` : path);
    loaded.set(path, gzipSync(readFileSync(file), { level: 9 }).length);
  });
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: Number(options.slowdown) });
  await page.goto(`${server.address}/`, { waitUntil: 'commit' });
  // A frame after the page says what it runs on, its controls have handlers and are drawn.
  const ms = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const look = () => {
          const root = document.documentElement;
          if (root?.dataset.backend && document.querySelectorAll('main section button').length > 3) {
            requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
          } else {
            setTimeout(look, 5);
          }
        };
        look();
      }),
  );
  await context.close();
  return ms;
}

await loadOnce(true); // fills the driver's caches
const report = {
  schema: 'cumulo-page-load/1',
  date: new Date().toISOString().slice(0, 10),
  browser: browser.version(),
  slowdown: Number(options.slowdown),
  runs: Number(options.runs),
};
for (const [name, withWebGpu] of [['webgpu_ms', true], ['cpu_ms', false]]) {
  const times = [];
  for (let k = 0; k < report.runs; ++k) times.push(await loadOnce(withWebGpu));
  report[name] = { median: Math.round(median(times)), least: Math.round(Math.min(...times)), most: Math.round(Math.max(...times)) };
}
report.compressed_bytes = { ...Object.fromEntries(loaded), all: [...loaded.values()].reduce((a, b) => a + b, 0) };
console.log(JSON.stringify(report, null, 2));
await browser.close();
server.close();
