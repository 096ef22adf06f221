// What the browser tests share: a static server, Chromium on SwiftShader, and a report in JUnit's form.
import { createReadStream, existsSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join, normalize } from 'node:path';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
export const { chromium } = require('playwright-core');
export const { PNG } = require('pngjs');
export const axeSource = require('axe-core').source;

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

// Serves each folder under its prefix. A .wasm has no type of its own: any static server must do.
export async function serve(folders) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
    const [prefix, folder] = folders.find(([start]) => path.startsWith(start)) ?? [];
    let file = folder && join(folder, path.slice(prefix.length));
    if (file && existsSync(file) && statSync(file).isDirectory()) file = join(file, 'index.html');
    if (!file || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    handleSIGTERM: false, // it ends all, not the browser alone
    args: [
      '--enable-unsafe-webgpu',
      '--use-webgpu-adapter=swiftshader',
      // Canvases too: by SwiftShader's Vulkan, else a page's device is lost with its first frame.
      '--enable-features=Vulkan',
      '--use-vulkan=swiftshader',
      '--use-angle=swiftshader',
      '--no-sandbox',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

// For a page's init script: a GPU error that nothing catches is logged as an error, which fails the test. By
// itself Chromium logs it as a warning.
export const reportGpuErrors = () => {
  if (!globalThis.GPUAdapter) return;
  const { requestDevice } = GPUAdapter.prototype;
  GPUAdapter.prototype.requestDevice = async function (...given) {
    const device = await requestDevice.apply(this, given);
    device.addEventListener('uncapturederror', ({ error }) => console.error(`uncaptured GPU error: ${error.message}`));
    return device;
  };
};

// For a page's init script.
export const takeAwayWebGpu = () => Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined });

export function check(condition, message) {
  if (!condition) throw new Error(message);
}

export function same(actual, expected, what) {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  check(a === b, `${what}: ${a?.slice(0, 300)} instead of ${b?.slice(0, 300)}`);
}

const escaped = (text) =>
  String(text).replace(/[<>&"]/g, (c) => ({ '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' })[c]);

export function writeReport(file, results) {
  const cases = results.map(({ suite, name, seconds, failure }) => {
    const body = failure ? `<failure message="${escaped(failure.split('\n')[0])}">${escaped(failure)}</failure>` : '';
    return `<testcase classname="${escaped(suite)}" name="${escaped(name)}" time="${seconds.toFixed(3)}">${body}</testcase>`;
  });
  const failures = results.filter(({ failure }) => failure).length;
  writeFileSync(
    file,
    `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites><testsuite name="web" tests="${results.length}" failures="${failures}">\n${cases.join('\n')}\n</testsuite></testsuites>\n`,
  );
}

// One of those of page/checks.js, by the function that lists them.
export function checkInPage(lister, name, ...args) {
  return async ({ page, site, tests }) => {
    await page.goto(`${tests}blank.html`);
    const faults = await page.evaluate(
      async ([module, list, given, wanted, address]) => (await import(module))[list](...given)[wanted](address),
      [`${tests}checks.js`, lister, args, name, site],
    );
    check(faults.length === 0, faults.join('\n'));
  };
}
