// The gallery as a learner meets it: numbers, pictures, controls, themes, what goes wrong.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { axeSource, check, PNG, same, takeAwayWebGpu } from './harness.mjs';

const sections = ['totals', 'output', 'steps'];

const settled = (page, section, state = 'done') => page.waitForSelector(`#${section}[data-state=${state}]`);

async function open({ page, site }, query = '') {
  await page.goto(site + query);
  for (const section of sections) await settled(page, section);
}

// Changes something and waits for the section to have run again.
async function rerun(page, section, change, state = 'done') {
  await page.evaluate((id) => (document.getElementById(id).dataset.state = 'changing'), section);
  await change();
  await settled(page, section, state);
}

const text = (page, selector) => page.textContent(selector);

async function rowsOf(page) {
  return page.$$eval('#output tbody tr', (rows) =>
    Object.fromEntries(
      rows.map((row) => [
        row.querySelector('th').textContent,
        [...row.querySelectorAll('td')].map(
          (cell) => cell.querySelector('input')?.value ?? cell.querySelector('button')?.ariaPressed ?? cell.textContent,
        ),
      ]),
    ),
  );
}

// A file as NumPy writes it.
function npyOf(type, count, values) {
  const header = `{'descr': '${type}', 'fortran_order': False, 'shape': (${count},), }`.padEnd(117) + '\n';
  return Buffer.concat([Buffer.from('\x93NUMPY\x01\x00', 'latin1'), Buffer.from([118, 0]), Buffer.from(header), Buffer.from(values.buffer)]);
}

// The picture's own pixels, without the words over it.
async function pixels(page, section) {
  // At a whole pixel, and above all else.
  const style = await page.addStyleTag({
    content: `.picture svg { visibility: hidden } #${section} .picture { position: fixed; left: 0; top: 0; z-index: 9; border-radius: 0 }`,
  });
  const png = PNG.sync.read(await page.locator(`#${section} canvas`).screenshot());
  await style.evaluate((element) => element.remove());
  return png;
}

const at = (png, x, y) => [...png.data.subarray(4 * (y * png.width + x), 4 * (y * png.width + x) + 3)];
const near = (a, b, room) => a.every((part, k) => Math.abs(part - b[k]) <= room);
const colours = {
  paper: [247, 245, 237],
  orange: [217, 140, 38],
  blue: [20, 102, 191],
  lightBlue: [89, 153, 230],
  green: [41, 143, 77],
  grey: [217, 214, 207],
};
function expectPixel(png, x, y, name) {
  check(near(at(png, x, y), colours[name], 6), `pixel ${x}, ${y} is ${at(png, x, y)}, not ${name} ${colours[name]}`);
}

// The pictures of the native program, by its own painter.
function nativePicture(name) {
  check(process.env.CUMULO, 'CUMULO must name the native command, whose pictures are compared');
  const folder = mkdtempSync(join(tmpdir(), 'cumulo-'));
  execFileSync(process.env.CUMULO, ['demo', '--device', 'cpu', '--out', folder, '--quiet']);
  const file = readdirSync(folder).find((entry) => entry.includes(name) && entry.endsWith('.png'));
  check(file, `no picture ${name} among ${readdirSync(folder)}`);
  return PNG.sync.read(readFileSync(join(folder, file)));
}

function expectSamePicture(ours, native, { from, to }, left, share = 0.002) {
  same([ours.width, ours.height], [native.width, native.height], 'size');
  let [different, all] = [0, 0];
  for (let y = from; y < to; ++y) {
    for (let x = 0; x < left; ++x) {
      ++all;
      if (!near(at(ours, x, y), at(native, x, y), 16)) ++different;
    }
  }
  check(different < all * share, `${different} of ${all} pixels differ from the native picture`);
}

async function expectAccessible(page) {
  await page.evaluate(axeSource);
  const violations = await page.evaluate(async () => (await globalThis.axe.run()).violations.map(({ id, impact, nodes }) => `${impact}: ${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 120)} ${failureSummary}`).join(' | ')}`));
  check(violations.length === 0, violations.join('\n'));
}

async function screenshots({ page, screenshot }, theme) {
  for (const section of [...sections, 'speed']) {
    await screenshot(`${section}-${theme}`, page.locator(`#${section}`));
  }
}

const firstTotals = '0 2 6 7 10 10 12 16 17 20 20 22 …';
const themes = {
  light: {},
  dark: { colorScheme: 'dark' },
  phone: { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
  'dark phone': { colorScheme: 'dark', viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
};

const tests = {
  'page A starts with 256 days and 510': async (given) => {
    const { page } = given;
    await open(given);
    same(await text(page, '#totals-total'), '510', 'the total');
    same(await text(page, '#totals-first'), firstTotals, 'the first totals');
    same(await text(page, '#totals-verdict'), 'all 256 totals match a sequential sum', 'the verdict');
    const facts = await text(page, '#totals dl');
    for (const part of ['Hillis-Steele, 8 steps, 16 barriers', '1,793', 'a loop 255', 'median of 5']) check(facts.includes(part), `'${part}' is not in ${facts}`);
    const title = await text(page, '#totals svg text');
    same(title, '256 days of sales, 8 steps, two barriers each; total 510', 'the title');
  },
  "page A's bars": async (given) => {
    await open(given);
    const png = await pixels(given.page, 'totals');
    same([png.width, png.height], [600, 330], 'size');
    // Sale 2 is 4 copies: 0.2 of clip height up from -0.9; sale 0 is none.
    const x = (bar) => Math.floor(300 * (1 - 0.95 + (bar * 1.9) / 256) + 1);
    const y = (clip) => Math.round((330 * (1 - clip)) / 2);
    expectPixel(png, x(2), y(-0.85), 'orange');
    expectPixel(png, x(2), y(-0.65), 'paper');
    expectPixel(png, x(255), y(-0.5), 'blue');
    expectPixel(png, x(255), y(-0.6 + (1.1 * 500) / 520), 'blue');
    expectPixel(png, x(128), y(-0.6 + (1.1 * 270) / 520), 'paper');
    expectPixel(png, 5, 5, 'paper');
    expectSamePicture(png, nativePicture('sales'), { from: 70, to: 330 }, 600);
  },
  'page B starts as it should': async (given) => {
    await open(given);
    same(
      await rowsOf(given.page),
      {
        value: ['3', '1', '4', '1', '5', '9', '2', '6'],
        inclusive: ['3', '4', '8', '9', '14', '23', '25', '31'],
        exclusive: ['0', '3', '4', '8', '9', '14', '23', '25'],
        keep: ['true', 'false', 'true', 'true', 'false', 'true', 'false', 'true'],
        slot: ['0', '1', '1', '2', '3', '3', '4', '4'],
        packed: ['3', '4', '1', '9', '6', '·', '·', '·'],
      },
      'rows',
    );
    same(await text(given.page, '#output-verdict'), 'all three scans match a loop', 'the verdict');
  },
  "page B's boxes": async (given) => {
    await open(given);
    const png = await pixels(given.page, 'output');
    same([png.width, png.height], [600, 360], 'size');
    const exclusive = [0, 3, 4, 8, 9, 14, 23, 25];
    const values = [3, 1, 4, 1, 5, 9, 2, 6];
    for (const [i, value] of values.entries()) {
      const x = 40 + 34 * i + 14;
      const colour = i % 2 ? 'blue' : 'lightBlue';
      expectPixel(png, x, 196 - 5 * (exclusive[i] + 1) + 2, colour);
      expectPixel(png, x, 196 - 5 * (exclusive[i] + value) + 2, colour);
      expectPixel(png, x, 196 - 5 * (exclusive[i] + value + 1) + 2, 'paper');
      expectPixel(png, 40 + 34 * i + 4, 262 + 11, [1, 0, 1, 1, 0, 1, 0, 1][i] ? 'green' : 'grey');
      expectPixel(png, 40 + 34 * i + 4, 318 + 11, i < 5 ? 'green' : 'paper');
    }
    expectSamePicture(png, nativePicture('compaction'), { from: 0, to: 250 }, 325);
  },
  'other days, data and algorithms': async (given) => {
    const { page } = given;
    await open(given);
    const [days, source, algorithm] = [page.getByLabel('Days'), page.locator('#totals-source'), page.locator('#totals-algorithm')];
    for (const [name, steps] of [['blelloch', 16], ['subgroup', 2]]) {
      await rerun(page, 'totals', () => algorithm.selectOption(name));
      same(await text(page, '#totals-total'), '510', `the total by ${name}`);
      check((await text(page, '#totals dl')).includes(`${steps} steps`), `${name} has ${steps} steps`);
    }
    await rerun(page, 'totals', () => algorithm.selectOption('auto'));
    await rerun(page, 'totals', () => days.fill('5000'));
    same(await text(page, '#totals-total'), '10,000', 'the total of 5,000 days');
    check((await text(page, '#totals figcaption')).includes('One of about 4 days is drawn'), 'fewer bars than days');
    await rerun(page, 'totals', () => algorithm.selectOption('hillis-steele'), 'failed');
    check((await text(page, '#totals .alert')).includes('works in one workgroup: at most 256 elements'), 'the limit is named');
    await rerun(page, 'totals', () => source.selectOption('pasted'));
    same(await text(page, '#totals-first'), '3 4 8 9 14 23 25 31', 'totals of pasted numbers');
    await rerun(page, 'totals', () => page.getByRole('textbox', { name: 'Numbers' }).fill('1.5, -2\n4'));
    same(await text(page, '#totals-first'), '1.5 -0.5 3.5', 'totals of floats');
    await rerun(page, 'totals', () => page.getByRole('textbox', { name: 'Numbers' }).fill('1 x 3'), 'failed');
    same(await text(page, '#totals .alert'), "Number 2, 'x', is no number.", 'the fault');
    await rerun(page, 'totals', () => algorithm.selectOption('auto'), 'failed');
    await rerun(page, 'totals', () => source.selectOption('random'));
    check((await text(page, '#totals-verdict')).startsWith('all 5,000 totals match'), 'totals of random numbers');
  },
  'files, chosen and dropped': async (given) => {
    const { page } = given;
    await open(given);
    await page.locator('#totals-source').selectOption('file');
    const csv = 'day,copies\nMonday,3\nTuesday,1\nWednesday,4\n';
    await rerun(page, 'totals', () => page.setInputFiles('#totals input[type=file]', { name: 'week.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) }));
    same(await text(page, '#totals-first'), '3 4 8', 'totals of a CSV file');
    const npy = npyOf('<i4', 4, Int32Array.of(5, -6, 7, 8));
    await rerun(page, 'totals', () =>
      page.evaluate((bytes) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([Uint8Array.from(bytes)], 'numbers.npy'));
        document.getElementById('totals').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
      }, [...npy]),
    );
    same(await text(page, '#totals-first'), '5 -1 6 14', 'totals of a dropped NPY file');
    const halves = npyOf('<f2', 3, Uint16Array.of(0x3e00, 0xc000, 0x3800)); // 1.5, -2, 0.5
    await rerun(page, 'totals', () => page.setInputFiles('#totals input[type=file]', { name: 'halves.npy', mimeType: '', buffer: halves }));
    same(await text(page, '#totals-first'), '1.5 -0.5 0', 'totals of an NPY file of halves');
    await page.setInputFiles('#totals input[type=file]', { name: 'bad.npy', mimeType: '', buffer: Buffer.from('no such thing') });
    await page.waitForFunction(() => document.querySelector('#totals-file-alert').textContent !== '');
    same(await text(page, '#totals-file-alert'), 'bad.npy: The file does not begin as an NPY file does.', 'the fault');
  },
  'numbers beyond f32, and files that are too large or wrong': async (given) => {
    const { page } = given;
    await open(given);
    await rerun(page, 'totals', () => page.locator('#totals-source').selectOption('pasted'));
    const field = page.getByRole('textbox', { name: 'Numbers' });
    for (const [typed, fault] of [
      ['1e39 1', "Number 1, '1e39', is beyond f32, which ends at 3.4e38."],
      ['2 Infinity', "Number 2, 'Infinity', is beyond f32, which ends at 3.4e38."],
      ['3e38 3e38', "With number 2, '3e38', the totals may go beyond f32, which ends at 3.4e38."],
    ]) {
      await rerun(page, 'totals', () => field.fill(typed), 'failed');
      same(await text(page, '#totals .alert'), fault, typed);
    }
    await rerun(page, 'totals', () => field.fill('5000000000'));
    same(await text(page, '#totals-type'), '1 of f32, rounded to about 7 digits', 'the type');
    const drop = (name, bytes, size = bytes.length) =>
      page.evaluate(([called, given, length]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([Uint8Array.from(given), new Uint8Array(length - given.length)], called));
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
      }, [name, [...bytes], size]);
    const refused = async (what) => {
      await page.waitForFunction((start) => document.querySelector('#totals-file-alert').textContent.startsWith(start), what);
      return text(page, '#totals-file-alert');
    };
    await drop('nan.npy', npyOf('<f4', 2, Float32Array.of(1, NaN)));
    same(await refused('nan.npy'), 'nan.npy: Element 1 is not a number.', 'NaN');
    await drop('photo.png', Buffer.from('\x89PNG\0', 'latin1'));
    same(await refused('photo.png'), 'photo.png: This is no text.', 'a wrong file');
    await drop('large.csv', Buffer.from('1'), 2 ** 26 + 1);
    same(await refused('large.csv'), 'large.csv: The file is larger than 64 MiB, the most that this page takes.', 'a large file');
    await rerun(page, 'totals', () => drop('week.csv', Buffer.from('day,copies\nMonday,3\nTuesday,1\n')));
    same(await text(page, '#totals-first'), '3 4', 'totals of a dropped CSV file');
    same(await text(page, '#totals-type'), '2 of u32, whole numbers, from week.csv', 'its name');
  },
  'values and flags that are changed': async (given) => {
    const { page } = given;
    await open(given);
    await rerun(page, 'output', () => page.getByLabel('keep item 1').click());
    await rerun(page, 'output', () => page.getByLabel('value of item 0').fill('7'));
    const rows = await rowsOf(page);
    same(rows.exclusive, ['0', '7', '8', '12', '13', '18', '27', '29'], 'the exclusive row');
    same(rows.packed, ['7', '1', '4', '1', '9', '6', '·', '·'], 'the packed row');
    // In the picture: the flag of item 4, and the column of item 2.
    await rerun(page, 'output', () => page.locator('#output canvas').click({ position: { x: 40 + 34 * 4 + 10, y: 270 } }));
    await rerun(page, 'output', () => page.locator('#output canvas').click({ position: { x: 40 + 34 * 2 + 10, y: 100 } }));
    const again = await rowsOf(page);
    same([again.keep[4], again.value[2]], ['true', '5'], 'what was clicked');
    same(again.packed, ['7', '1', '5', '1', '5', '9', '6', '·'], 'the packed row');
    same(await text(page, '#output-verdict'), 'all three scans match a loop', 'the verdict');
  },
  'by the keyboard': async (given) => {
    const { page } = given;
    await open(given);
    await page.keyboard.press('Tab');
    same(await page.evaluate(() => document.activeElement.textContent), 'Skip to the first picture', 'the first stop');
    await page.getByLabel('keep item 0').focus();
    await rerun(page, 'output', () => page.keyboard.press('Space'));
    same((await rowsOf(page)).packed[0], '4', 'the first packed item');
    await page.getByLabel('value of item 3').focus();
    await rerun(page, 'output', () => page.keyboard.press('ArrowUp'));
    same((await rowsOf(page)).value[3], '2', 'a value');
    await page.getByRole('button', { name: 'Step on' }).focus();
    await page.keyboard.press('Enter');
    same(await page.getAttribute('#steps', 'data-step'), '1', 'the step');
    await page.getByRole('slider').focus();
    await page.keyboard.press('ArrowRight');
    same(await page.getAttribute('#steps', 'data-step'), '2', 'the step by the slider');
  },
  'from the first stop of the Tab key to the last': async (given) => {
    const { page } = given;
    await open(given);
    const stops = [];
    for (let stop = 0; stop < 100; ++stop) {
      await page.keyboard.press('Tab');
      const name = await page.evaluate(() => {
        const at = document.activeElement;
        if (!at || at === document.body) return null;
        const { outlineStyle, outlineWidth } = getComputedStyle(at);
        const words = at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent;
        return `${words.trim()}${outlineStyle === 'none' || outlineWidth === '0px' ? ' (no outline)' : ''}`;
      });
      if (name === null) break;
      stops.push(name);
      if (name !== 'Step on') continue;
      // At the end the button stays where the focus is.
      for (let step = 0; step < 6; ++step) await page.keyboard.press('Enter');
      same(await page.getAttribute('#steps', 'data-step'), '4', 'the last step');
      same(await page.evaluate(() => document.activeElement.textContent), 'Step on', 'the focus');
    }
    const wanted = ['Skip to the first picture', 'Days', 'Algorithm', 'Run again', 'value of item 0', 'keep item 7', 'Play', 'Step on', 'Which step', 'Measure'];
    const places = wanted.map((name) => stops.findIndex((stop) => stop.startsWith(name)));
    check(places.every((place, k) => place >= 0 && (k === 0 || place > places[k - 1])), `the stops are ${stops.join(' | ')}`);
    same(stops.filter((stop) => stop.endsWith('(no outline)')).join(', '), '', 'stops that do not show');
  },
  'without motion where that is asked for': {
    context: { reducedMotion: 'reduce' },
    run: async (given) => {
      await open(given);
      const moving = await given.page.evaluate(() => {
        const seconds = (list) => Math.max(...list.split(',').map(Number.parseFloat));
        return [...document.querySelectorAll('*')].filter((element) => {
          const { transitionDuration, animationDuration } = getComputedStyle(element);
          return seconds(transitionDuration) > 0.01 || seconds(animationDuration) > 0.01;
        }).length;
      });
      same(moving, 0, 'elements that move');
    },
  },
  'a planner that comes late': async (given) => {
    const { page, site } = given;
    let send;
    const held = new Promise((resolve) => (send = resolve));
    await page.route('**/planner.wasm', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(site);
    const button = page.getByRole('button', { name: 'Run again' });
    check(await button.isDisabled(), 'a control works before the library is there');
    send();
    await settled(page, 'totals');
    check(await button.isEnabled(), 'a control does not work');
  },
  'a planner that does not come': async (given) => {
    const { page, site, errors } = given;
    await page.route('**/planner.wasm', (route) => route.fulfill({ status: 404, body: 'gone' }));
    await page.goto(site);
    await page.getByText('could not be loaded, so nothing below works').waitFor();
    check(await page.getByRole('button', { name: 'Run again' }).isDisabled(), 'a control works without the library');
    const other = errors.filter((error) => !/404/.test(error));
    same(other.join(', '), '', 'errors beside the browser’s own of the missing file');
    errors.length = 0;
  },
  'away and back again': async (given) => {
    const { page, site } = given;
    await open(given);
    await page.goto(`${site}docs/index.html`);
    await page.goBack();
    for (const section of sections) await settled(page, section);
    same(await text(page, '#totals-first'), '0 2 6 7 10 10 12 16 17 20 20 22 …', 'the first totals');
    await rerun(page, 'totals', () => page.getByRole('button', { name: 'Run again' }).click());
  },
  'step by step': async (given) => {
    const { page } = given;
    await open(given);
    const [forward, back] = [page.getByRole('button', { name: 'Step on' }), page.getByRole('button', { name: 'Back' })];
    const sums = (n) => {
      let sum = 0;
      return Array.from({ length: n }, (_, day) => (sum += (7 * day) % 5)).join(' ');
    };
    for (const [algorithm, size] of [['blelloch', 8], ['single-pass', 16], ['hillis-steele', 64], ['subgroup', 32]]) {
      await rerun(page, 'steps', () => page.locator('#steps-algorithm').selectOption(algorithm));
      await rerun(page, 'steps', () => page.locator('#steps-size').selectOption(String(size)));
      while ((await forward.getAttribute('aria-disabled')) === 'false') await forward.click();
      same(await text(page, '#steps-array'), sums(size), `the last array of ${algorithm}`);
    }
    same(await text(page, '#steps-status'), 'Step 2 of 2, the totals of the subgroups before: 112 additions, 1 barrier; so far 112 and 2.', 'counts');
    await back.click();
    same(await page.getAttribute('#steps', 'data-step'), '1', 'a step back');
    await page.getByRole('button', { name: 'To the start' }).click();
    await page.getByRole('button', { name: 'Play' }).click();
    await page.waitForSelector('#steps[data-step="1"]');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.waitForTimeout(1500);
    same(await page.getAttribute('#steps', 'data-step'), '1', 'while paused');
  },
  'how fast it is here': async (given) => {
    const { page } = given;
    await open(given, '?largest=12');
    await page.getByRole('button', { name: 'Measure' }).click();
    await settled(page, 'speed');
    const rows = await page.$$eval('#speed-table tbody tr', (all) => all.map((row) => [row.cells[0].textContent, row.cells[6].textContent]));
    same(rows, [['1,024', 'right'], ['4,096', 'right']], 'rows');
    check(/^On .*swiftshader.*, by (timestamps of the device|the wall clock)\. Every result was right\. It ends with 4,096 elements: the page’s address asks for no more\.$/.test(await text(page, '#speed-status')), await text(page, '#speed-status'));
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()]);
    const report = JSON.parse(readFileSync(await download.path(), 'utf8'));
    same([report.schema, report.device.backend, report.rows.map(({ n }) => n)], ['cumulo-web-bench/2', 'webgpu', [1024, 4096]], 'the download');
    check(report.rows.every(({ copy, scan, compact }) => [copy, scan, compact].every(({ medianMs }) => medianMs > 0)), 'times above 0');
  },
  'a wrong result turns the verdict red': async (given) => {
    const { page } = given;
    await open(given, '?break=17');
    same(await text(page, '#totals-verdict'), 'total 17 is 4, not 36', 'the verdict on totals');
    same(await text(page, '#output-verdict'), 'exclusive 1 is 9, not 3', 'the verdict on rows');
    for (const id of ['totals-verdict', 'output-verdict']) {
      const look = await page.$eval(`#${id}`, (element) => [element.className, getComputedStyle(element).color]);
      same(look, ['verdict wrong', 'rgb(168, 22, 22)'], 'its colour');
    }
  },
  'a device that is lost is opened again': async (given) => {
    const { page } = given;
    await open(given);
    await rerun(page, 'totals', () => page.evaluate(() => globalThis.cumuloGallery.cumulo.device.destroy()));
    await page.waitForFunction(() => document.getElementById('device').textContent.includes('opened again'));
    for (const section of sections) await settled(page, section);
    await rerun(page, 'totals', () => page.getByLabel('Days').fill('255'));
    same(await text(page, '#totals-total'), '510', 'the total of 255 days');
    same(await text(page, '#totals .alert'), '', 'no alert');
  },
  'a device that is lost again and again ends with the CPU': async (given) => {
    const { page } = given;
    await open(given);
    for (const told of ['opened again', 'opened again', 'lost 3 times within a minute']) {
      await page.evaluate(() => {
        document.getElementById('device').textContent = '';
        globalThis.cumuloGallery.cumulo.device.destroy();
      });
      await page.waitForFunction((words) => document.getElementById('device').textContent.includes(words), told);
    }
    for (const section of sections) await settled(page, section);
    same(await page.evaluate(() => globalThis.cumuloGallery.cumulo.backend), 'cpu', 'the backend');
    same(await text(page, '#totals-total'), '510', 'the total');
  },
  'without WebGPU': async (given) => {
    const { page } = given;
    await page.addInitScript(takeAwayWebGpu);
    await open(given, '?largest=12');
    same(await text(page, '#device'), 'This browser has no WebGPU. The results below come from the CPU, in WebAssembly.', 'the device');
    const messages = await page.$$eval('.missing:not([hidden])', (all) => all.map((element) => element.textContent));
    same(messages.length, 4, 'messages');
    check(messages.every((message) => message.startsWith('This browser has no WebGPU')), messages.join('; '));
    same(await text(page, '#totals-total'), '510', 'the total');
    same((await rowsOf(page)).packed, ['3', '4', '1', '9', '6', '·', '·', '·'], 'the packed row');
    same(await text(page, '#steps-status'), 'The totals, by the CPU.', 'the steps');
    same(await text(page, '#steps-array'), '0 2 6 7 10 10 12 16 17 20 20 22 26 27 30 30', 'the totals of the steps');
    const [sales, boxes] = [await pixels(page, 'totals'), await pixels(page, 'output')];
    // The browser's own painter softens edges in its own way.
    expectSamePicture(sales, nativePicture('sales'), { from: 70, to: 330 }, 600, 0.005);
    expectSamePicture(boxes, nativePicture('compaction'), { from: 0, to: 250 }, 325, 0.005);
    await page.getByRole('button', { name: 'Measure' }).click();
    await settled(page, 'speed');
    check((await text(page, '#speed-status')).includes('by the wall clock. Every result was right.'), await text(page, '#speed-status'));
    const times = await page.$$eval('#speed-table tbody tr', (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
    const measured = /^[\d.]+ (µs|ms)$/;
    check(times.every(([, copy, scan, compact]) => [copy, scan, compact].every((time) => measured.test(time))), JSON.stringify(times));
    await expectAccessible(page);
    await given.screenshot('without-webgpu', page.locator('body'));
  },
  'small, and from here alone': async (given) => {
    const { page, site } = given;
    const asked = [];
    page.on('response', async (response) => asked.push([response.url(), response]));
    await open(given);
    const elsewhere = asked.filter(([url]) => !url.startsWith(site) && !url.startsWith('data:'));
    same(elsewhere.map(([url]) => url), [], 'requests to elsewhere');
    let bytes = 0;
    for (const [url, response] of asked) if (url.startsWith(site)) bytes += gzipSync(await response.body()).length;
    check(bytes > 100_000 && bytes < 1_000_000, `the first load is ${bytes} bytes, compressed`);
  },
};
for (const [theme, context] of Object.entries(themes)) {
  tests[`looks and access, ${theme}`] = {
    context,
    run: async (given) => {
      const { page } = given;
      await open(given, '?largest=14');
      const forward = page.getByRole('button', { name: 'Step on' });
      for (let k = 0; k < 2; ++k) await forward.click();
      await page.getByRole('button', { name: 'Measure' }).click();
      await settled(page, 'speed');
      await expectAccessible(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      same(wide, 0, 'pixels that the page is too wide');
      await screenshots(given, theme.replace(' ', '-'));
    },
  };
}
export default tests;
