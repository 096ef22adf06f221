// The package in a page's own encoder, and where there is no WebGPU or no more device.
import { checkInPage, same, takeAwayWebGpu } from './harness.mjs';
import { recordingChecks } from './page/checks.js';

function inPage(name, ...args) {
  return async ({ page, site, tests }) => {
    await page.goto(`${tests}blank.html`);
    return page.evaluate(
      async ([module, call, parameters]) => (await import(module))[call](...parameters),
      [`${tests}recording.js`, name, [site, ...args]],
    );
  };
}

const noAdapter = () => {
  GPU.prototype.requestAdapter = async () => null;
};

const tests = {};
for (const name of Object.keys(recordingChecks())) tests[name] = checkInPage('recordingChecks', name);

export default {
  ...tests,
  'places that cannot be': async (given) => {
    const found = await inPage('wrongPlaces')(given);
    const expected = {
      missing: 'no buffer was given for the output',
      unknown: "there is no buffer 'outputs'; there are input, output",
      small: 'the output takes 240 bytes from offset 0, and its buffer has 16',
      overlap: 'input and output overlap in one buffer: give the same range, or ranges apart',
      odd: "the offset of the input, 2 bytes, is no multiple of its elements' 4",
      usage: 'the buffer of the input lacks the usage STORAGE',
      array: 'the input must be a GPUBuffer or { buffer, offset }; typed arrays are for the calls on arrays',
      nothing: 'the input must be a GPUBuffer or { buffer, offset }',
      target: 'a run is recorded into a GPUCommandEncoder or a GPUComputePassEncoder',
      place: "the place of the input has an unknown field 'ofset'; there are buffer, offset",
      places: 'the buffers must be an object with input, output',
      option: "record has no option 'countd'; there are counted",
      loading: "load has no option 'planer'; there are planner",
      destroyed: 'what this was bound by is destroyed: prepare and bind it again',
      device: 'load() takes a GPUDevice, null for the CPU, or nothing to open a device, not GPUAdapter',
    };
    for (const [name, message] of Object.entries(expected)) same(found[name], `bad-argument: ${message}`, name);
  },
  'recording the same again makes nothing': async (given) => {
    same(await inPage('recordingMakesNothing')(given), 0, 'objects made');
  },
  'a device that is lost': async (given) => {
    same(await inPage('lostDevice')(given), Array(6).fill('device-lost'), 'kinds');
  },
  'without WebGPU': async (given) => {
    await given.page.addInitScript(takeAwayWebGpu);
    const found = await inPage('withoutWebGpu')(given);
    same(
      found,
      {
        backend: 'cpu',
        name: 'the CPU, in WebAssembly',
        reason: ['no-device', 'this browser has no WebGPU'],
        values: [3, 4, 8, 9, 14],
        total: 14,
        recording: 'unsupported',
      },
      'the CPU path',
    );
  },
  'an adapter that is there at the second request': async (given) => {
    await given.page.addInitScript(() => {
      const { requestAdapter } = GPU.prototype;
      let requests = 0;
      GPU.prototype.requestAdapter = async function (...options) {
        if (requests++ === 0) throw new DOMException('the process for graphics has gone', 'AbortError');
        return requestAdapter.apply(this, options);
      };
    });
    same((await inPage('withoutWebGpu')(given)).backend, 'webgpu', 'the backend');
  },
  'without an adapter': async (given) => {
    await given.page.addInitScript(noAdapter);
    const { backend, reason } = await inPage('withoutWebGpu')(given);
    same([backend, reason], ['cpu', ['no-device', 'this browser has WebGPU, but no graphics adapter for it']], 'reason');
  },
};
