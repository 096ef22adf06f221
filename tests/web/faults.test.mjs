// What goes wrong has its kind, leaves nothing behind, and does not go wrong again.
import { check, same } from './harness.mjs';

const inPage = async ({ page, site, tests }, name) => {
  await page.goto(`${tests}blank.html`);
  return page.evaluate(async ([module, call, address]) => (await import(module))[call](address), [
    `${tests}faults.js`, name, site,
  ]);
};

export default {
  'usages that steps need': async (given) => {
    same(
      await inPage(given, 'usages'),
      {
        scan: '1 copy, bad-argument: the buffer of the output lacks the usage COPY_DST',
        reduction: 'bad-argument: the buffer of the output lacks the usage COPY_DST; valid',
        copied: 'nothing said; valid',
      },
      'what is said',
    );
  },
  'text that does not compile': async (given) => {
    const { right, ...found } = await inPage(given, 'brokenText');
    for (const [name, said] of Object.entries(found)) {
      check(/^bad-argument: kernel .*: line \d+: .*nwer/.test(said), `${name}: ${said}`);
    }
    same(right, '1 3 6', 'what compiles');
  },
  'what is prepared is its own': async (given) => {
    const destroyed = 'bad-argument: what this was bound by is destroyed: prepare and bind it again';
    same(
      await inPage(given, 'sharing'),
      { other: 'nothing said', recorded: 'nothing said', made: true, evicted: destroyed, again: destroyed, leaked: 0 },
      'what is said',
    );
  },
  'results larger than a buffer together': async (given) => {
    const found = await inPage(given, 'pieces');
    const few = ['6 6 6 6 6 6 6', '6 13 20 27 34 41 48'];
    same(found, { all: null, few, scanned: null, largest: true, readOfAll: true, readOfFew: true }, 'what is read');
  },
  'results of several pieces': async (given) => {
    same(await inPage(given, 'large'), { sums: null, total: true }, 'what is read');
  },
  'kinds of failures': async (given) => {
    const { internal, unmapped, ...found } = await inPage(given, 'kinds');
    check(/^validation: kernel .*: the compiler gave up$/.test(internal), internal);
    same(unmapped, 'validation: read-back: not now, 0 left', 'a buffer that cannot be mapped');
    same(
      found,
      {
        'no input': 'out-of-memory, 0 left',
        'no output': 'out-of-memory, 0 left',
        'no scratch': 'out-of-memory, 0 left',
        'no read-back': 'out-of-memory, 0 left',
        refused: 'validation, 0 left',
        compiledLater: null,
        argument: 'bad-argument, 0 waits',
        left: 0,
      },
      'kinds',
    );
  },
  'runs that stall': async (given) => {
    same(
      await inPage(given, 'stalls'),
      {
        plain: ['single-pass', null, 0],
        again: ['reduce-then-scan', null, 0],
        timed: ['reduce-then-scan', null, 3],
        named: 'stalled',
        recorded: [null, 0],
        recovered: [null, 0],
      },
      'runs',
    );
  },
  'a planner that traps': async (given) => {
    const right = '1 3 6';
    same(await inPage(given, 'traps'), { before: right, trap: 'validation', after: right, andLater: right }, 'runs');
  },
  'what is kept for the next time': async (given) => {
    same(
      await inPage(given, 'caches'),
      {
        together: true,
        compiledInBind: 0,
        leastRecent: 0,
        destroyed: 'bad-argument',
        bound: 'bad-argument',
        isAlive: 'alive',
        ownDevice: 'destroyed',
      },
      'what is made',
    );
  },
};
