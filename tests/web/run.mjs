// Runs the browser tests, each in a page of its own, and writes their report.
//   node tests/web/run.mjs --site FOLDER [--junit FILE] [--screenshots FOLDER] [--only PATTERN]
// FOLDER is what script/web builds. A test fails where its function throws, the page logs an error, or a GPU
// error reaches no error scope (but for tests that set gpuErrors, as they provoke some).
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { launch, reportGpuErrors, serve, writeReport } from './harness.mjs';

const { values: options } = parseArgs({
  options: {
    site: { type: 'string' },
    junit: { type: 'string' },
    screenshots: { type: 'string', default: 'screenshots' },
    only: { type: 'string', default: '' },
  },
});
const suites = {};
for (const name of ['primitives', 'variants', 'recording', 'recorded', 'faults', 'tracing', 'gallery', 'documents', 'types']) {
  suites[name] = (await import(`./${name}.test.mjs`)).default;
}

mkdirSync(options.screenshots, { recursive: true });
// Not at the root: the pages must work under any path.
const server = await serve([
  ['/some/path/', options.site],
  ['/another path/', options.site],
  ['/tests/', fileURLToPath(new URL('page/', import.meta.url))],
]);
let browser = await launch();
const only = new RegExp(options.only);
const patience = 480_000;

async function runTest(test) {
  // One that a test has brought down is no reason for the others to fail.
  if (!browser.isConnected()) browser = await launch();
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...test.context });
  const errors = [];
  const page = await context.newPage();
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`console: ${message.text()}`);
  });
  if (!test.gpuErrors) await context.addInitScript(reportGpuErrors);
  page.setDefaultTimeout(60_000);
  const screenshot = (name, of) => of.screenshot({ path: `${options.screenshots}/${name}.png` });
  const late = new Promise((_, reject) =>
    setTimeout(() => reject(new Error(`not done after ${patience / 1000} s`)), patience).unref(),
  );
  try {
    await Promise.race([
      test.run({
        page, context, errors, screenshot,
        folder: options.site,
        site: `${server.address}/some/path/`,
        otherSite: `${server.address}/another path/`,
        tests: `${server.address}/tests/`,
      }),
      late,
    ]);
    if (errors.length > 0) throw new Error(errors.join('\n'));
  } finally {
    await context.close();
  }
}

const results = [];
for (const [suite, tests] of Object.entries(suites)) {
  for (const [name, test] of Object.entries(tests)) {
    if (!only.test(`${suite}.${name}`)) continue;
    const start = performance.now();
    let failure = null;
    try {
      await runTest(typeof test === 'function' ? { run: test } : test);
    } catch (error) {
      failure = error.stack ?? String(error);
    }
    const seconds = (performance.now() - start) / 1000;
    results.push({ suite, name, seconds, failure });
    console.log(`${failure ? 'FAILED' : 'passed'} ${suite}.${name} (${seconds.toFixed(1)} s)`);
    if (failure) console.log(failure);
  }
}
await browser.close();
server.close();
if (options.junit) writeReport(options.junit, results);
const failed = results.filter(({ failure }) => failure).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exit(failed > 0 || results.length === 0 ? 1 : 0);
