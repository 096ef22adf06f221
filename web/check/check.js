// Runs what the tests run in a browser (tests/web/page/checks.js, which lies beside this file when it
// is published) wherever the page is opened; ?only=PATTERN those whose names match.
import { primitiveChecks, recordingChecks, tracingChecks } from './checks.js';

const site = new URL('../', import.meta.url).href;
const byId = (id) => document.getElementById(id);

function added(parent, tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  parent.append(element);
  return element;
}

const only = new RegExp(new URLSearchParams(location.search).get('only') ?? '');
const counts = { right: 0, wrong: 0 };

async function runAll(title, checks) {
  added(byId('results'), 'h2', title);
  const list = added(byId('results'), 'ul', '');
  for (const [name, check] of Object.entries(checks)) {
    if (!only.test(name)) continue;
    byId('summary').textContent = `Running: ${name} …`;
    const start = performance.now();
    let faults;
    try {
      faults = await check(site);
    } catch (error) {
      faults = [`${error.kind ?? error.name}: ${error.message}`];
    }
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const isRight = faults.length === 0;
    counts[isRight ? 'right' : 'wrong'] += 1;
    const item = added(list, 'li', `${name}: ${isRight ? 'right' : 'WRONG'} (${seconds} s)`);
    item.className = isRight ? '' : 'alert';
    if (!isRight) added(item, 'p', faults.join('; '));
  }
}

try {
  const { load } = await import(`${site}cumulo/cumulo.js`);
  const cumulo = await load();
  const onGpu = cumulo.backend === 'webgpu';
  byId('device').textContent = onGpu ? `On ${cumulo.name}.` : `${cumulo.reason.message}: the CPU path alone is tried.`;
  if (onGpu) {
    await runAll('On the GPU', primitiveChecks('webgpu'));
    await runAll('Between passes of the page', recordingChecks());
    await runAll('Step by step', tracingChecks());
  }
  await runAll('On the CPU', primitiveChecks('cpu'));
  byId('summary').textContent = `${counts.right} right, ${counts.wrong} wrong.`;
  byId('summary').className = counts.wrong > 0 ? 'alert' : '';
  document.body.dataset.state = counts.wrong > 0 ? 'wrong' : 'right';
} catch (error) {
  byId('summary').textContent = `The checks ended: ${error.message}`;
  byId('summary').className = 'alert';
  document.body.dataset.state = 'failed';
}
