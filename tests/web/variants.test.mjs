// The browser's WGSL compiler takes every form of every kernel.
import { check, same } from './harness.mjs';

// The kernels of each primitive, all of them: a walk that misses one is no test. Of src/kernels, check_monoid and
// self_check are the native library's alone.
const scans = ['count_elements', 'reduce_tiles', 'scan_tiles', 'scan_totals', 'single_pass', 'small_pass'];
const bySize = (name, ...sizes) => sizes.map((words) => `${name}_${words}`);
const expected = {
  scan: [...scans, 'blelloch', 'hillis_steele', 'subgroup'],
  reduce: ['count_elements', 'reduce_batches', 'reduce_rest', 'store_half'],
  select: [
    'gather_indices', 'select_counts', 'select_extents', ...bySize('select_gather', 1, 2, 3, 16), 'select_indices',
    'select_lengths', 'select_mask', 'select_pass', ...bySize('select_scatter', 1, 2, 3, 5, 16), 'select_starts',
  ],
  allocate: [...scans, 'settle_allocation'],
  expand: [...scans, 'expand', 'expand_share'],
  arguments: ['write_arguments'],
  trace: ['blelloch', 'hillis_steele', 'scan_tiles', 'subgroup'],
};

const inPage = async ({ page, site, tests: address }, call, ...given) => {
  await page.goto(`${address}blank.html`);
  return page.evaluate(
    async ([module, name, parameters]) => (await import(module))[name](...parameters),
    [`${address}variants.js`, call, [site, ...given]],
  );
};

const tests = {};
for (const [primitive, names] of Object.entries(expected)) {
  tests[`kernels of ${primitive}`] = async (given) => {
    const found = await inPage(given, 'compileAll', primitive);
    console.log(`  ${found.count} kernels, ${found.pipelines} pipelines: ${found.names.join(', ')}`);
    check(found.faults.length === 0, found.faults.join('\n'));
    same(found.names, [...names].sort(), 'kernels');
    const large = ['small_pass']; // in workgroups that SwiftShader has no room for
    if (primitive !== 'select') {
      same(found.unpiped.filter((name) => !large.includes(name)), [], 'kernels that were never made a pipeline');
    }
  };
}
tests['kernels of the executor'] = async (given) => {
  const { names, faults } = await inPage(given, 'compileExecutors');
  check(faults.length === 0, faults.join('\n'));
  for (const name of ['subgroup width', 'clear']) check(names.includes(name), `no ${name} in ${names}`);
};
tests["the planner's word on devices"] = async (given) => {
  same(
    await inPage(given, 'browserTraits'),
    {
      nvidia: [true, 32, true, true, true, 'tint', 2 ** 28],
      amd: [false, 0, false, true, false, 'tint', 2 ** 28],
      apple: [false, 0, false, false, false, 'tint', 2 ** 28],
      software: [false, 0, false, false, false, 'tint', 2 ** 28],
      firefox: [false, 0, false, true, false, 'naga', 4096],
      limit: "bad-argument: traits: unknown field 'max_bufer_size'",
      flag: "bad-argument: 'is_software' must be true or false, not 1",
      counted: "bad-argument: 'counted' must be true or false, not 1",
    },
    'answers',
  );
};
export default tests;
