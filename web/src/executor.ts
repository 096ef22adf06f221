// Runs plans on a page's device. Knows plans, not what they are for.
import { CumuloError, fromGpuError, RefusedText } from './errors.js';
import type { DispatchStep, Plan, PlanKernel, PlacedPlan } from './plan.js';
import { Recent } from './recent.js';

const clearWorkgroup = 64;

// In place of the encoder's own command: so it fits a compute pass.
const clearKernel: PlanKernel = {
  name: 'clear',
  workgroup_size: clearWorkgroup,
  wgsl: `@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@compute @workgroup_size(${clearWorkgroup})
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  for (var i = id.x; i < arrayLength(&words); i += groups.x * ${clearWorkgroup}u) { words[i] = 0u; }
}
`,
};

interface Bound {
  buffer: GPUBuffer;
  offset: number;
}

// What a buffer of the plan's own must be good for, beside storage and copies.
function usageOf(plan: Plan, index: number): number {
  const isGrid = plan.steps.some((step) => step.step === 'dispatch' && step.indirect?.index === index);
  const isUniform = plan.buffers[index]!.role === 'parameters';
  return (isGrid ? GPUBufferUsage.INDIRECT : 0) | (isUniform ? GPUBufferUsage.UNIFORM : 0);
}

interface Scratch {
  buffers: Map<number, GPUBuffer>;
  runs: number;
}

/**
 * The scratch of one description's plans. Those whose scratch looks the same share it, whatever
 * else they differ in: each leaves it as the next one wants it.
 */
export class ScratchPool {
  #executor: Executor;
  #known = new Map<string, Scratch>();

  constructor(executor: Executor) {
    this.#executor = executor;
  }

  of(plan: Plan): Scratch {
    const own = [...plan.buffers.entries()].filter(([, buffer]) => buffer.role === 'scratch');
    const key = JSON.stringify(own.map(([index, buffer]) => [index, buffer, usageOf(plan, index)]));
    let scratch = this.#known.get(key);
    if (!scratch) {
      const buffers = own.map(([index, { name, bytes }]): [number, GPUBuffer] => [
        index,
        this.#executor.buffer(name, bytes, usageOf(plan, index)),
      ]);
      scratch = { buffers: new Map(buffers), runs: 0 };
      this.#known.set(key, scratch);
    }
    return scratch;
  }

  /** What a stalled run has left must not be taken for the next one's. */
  distrust(): void {
    for (const scratch of this.#known.values()) scratch.runs = Number.MAX_SAFE_INTEGER;
  }

  destroy(): void {
    for (const { buffers } of this.#known.values()) {
      for (const buffer of buffers.values()) buffer.destroy();
    }
    this.#known.clear();
  }
}

// Looked at in this order: what had no memory is invalid wherever it is used.
const filters = ['out-of-memory', 'internal', 'validation'] as const;

// Does `work`, and promises what the device finds wrong with it. Nothing in it may wait: others'
// work would be watched too.
function scoped<T>(device: GPUDevice, work: () => T): [T, Promise<GPUError | null>] {
  for (const filter of filters) device.pushErrorScope(filter);
  let errors: Promise<(GPUError | null)[]>;
  let value: T;
  try {
    value = work();
  } finally {
    // A device that is lost says so elsewhere.
    const popped = filters.map(() => device.popErrorScope().catch(() => null));
    errors = Promise.all(popped.reverse());
  }
  return [value, errors.then((all) => all.find((error) => error !== null) ?? null)];
}

/** A kernel as the device has it. */
interface Compiled {
  pipeline: GPUComputePipeline | null;
  /** Done when the device has said whether it takes the kernel. */
  judged: Promise<void> | null;
  /** Why it does not. */
  fault: CumuloError | null;
}

interface Place {
  buffer: GPUBuffer;
  offset: number;
  bytes: number;
}

interface Piece {
  k: number; // of the place
  at: number; // in it
  start: number; // in what is read together
  bytes: number;
}

const pieceBytes = 8 * 2 ** 20;

// The places cut into what is read together: at most `room` bytes, each part from a multiple of 8 on.
function* piecesOf(places: readonly Place[], room: number): Generator<Piece[]> {
  let pieces: Piece[] = [];
  let start = 0;
  for (const [k, place] of places.entries()) {
    for (let at = 0; at < place.bytes; ) {
      if (start === room) {
        yield pieces;
        pieces = [];
        start = 0;
      }
      const bytes = Math.min(place.bytes - at, room - start);
      pieces.push({ k, at, start, bytes });
      start += Math.ceil(bytes / 8) * 8;
      at += bytes;
    }
  }
  if (pieces.length > 0) yield pieces;
}

function roomFor(bytes: number): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(bytes);
  } catch {
    throw new CumuloError('out-of-memory', `the page has no room for a result of ${bytes} bytes`);
  }
}

const rememberedKernels = 256;
const untilLost = 20; // ms that a device which fails may take to say that it is lost

export class Executor {
  readonly device: GPUDevice;
  #kernels = new Recent<string, Compiled>(rememberedKernels);

  constructor(device: GPUDevice) {
    this.device = device;
  }

  /** Does `work`, in which nothing waits, and throws what the device found wrong with it. */
  async watch<T>(context: string, work: () => T): Promise<T> {
    const [value, error] = scoped(this.device, work);
    const found = await error;
    if (found) throw fromGpuError(found, context);
    return value;
  }

  /** Whether the device is lost; after an error, as it fails in many ways before it says so. */
  isLost(): Promise<boolean> {
    const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), untilLost));
    return Promise.race([this.device.lost.then(() => true), late]);
  }

  /** Compiles what is not yet compiled; without waiting, record() compiles when it is called. */
  async prepare(plan: Plan): Promise<void> {
    const kernels = plan.renewal ? [...plan.kernels, clearKernel] : plan.kernels;
    await Promise.all(kernels.map((kernel) => this.compile(kernel)));
  }

  /** Compiles while the page goes on. */
  async compile(kernel: PlanKernel): Promise<void> {
    const compiled = this.#compiled(kernel);
    compiled.judged ??= this.#compileLater(kernel, compiled);
    await compiled.judged;
    if (compiled.fault) throw compiled.fault;
  }

  /** Compiled now where it is not yet; whether the device takes it is known later. */
  compileNow(kernel: PlanKernel): Compiled {
    const compiled = this.#compiled(kernel);
    if (compiled.fault) throw compiled.fault;
    if (!compiled.pipeline) {
      const [[module, pipeline], error] = scoped(this.device, () => {
        const module = this.#module(kernel);
        const compute = { module, entryPoint: 'main' };
        return [module, this.device.createComputePipeline({ label: kernel.name, layout: 'auto', compute })] as const;
      });
      compiled.pipeline = pipeline;
      const judged = error.then((found) => (found ? this.#refuse(kernel, compiled, module, found) : undefined));
      compiled.judged ??= judged;
    }
    return compiled;
  }

  pipeline(kernel: PlanKernel): GPUComputePipeline {
    return this.compileNow(kernel).pipeline!;
  }

  /** Forgets what was compiled. */
  clear(): void {
    this.#kernels.clear();
  }

  buffer(label: string, bytes: number, usage: number = 0): GPUBuffer {
    const size = Math.max(16, Math.ceil(bytes / 16) * 16);
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    return this.device.createBuffer({ label, size, usage: STORAGE | COPY_SRC | COPY_DST | usage });
  }

  /** Submits what `record` records, and throws what went wrong with it. */
  submit<T>(context: string, record: (encoder: GPUCommandEncoder) => T): Promise<T> {
    return this.watch(context, () => {
      const encoder = this.device.createCommandEncoder({ label: context });
      const value = record(encoder);
      this.device.queue.submit([encoder.finish()]);
      return value;
    });
  }

  /** The bytes of several places, read back together. */
  async read(places: readonly Place[]): Promise<Uint8Array<ArrayBuffer>[]> {
    const results = places.map(({ bytes }) => roomFor(bytes));
    const wanted = places.reduce((sum, { bytes }) => sum + Math.ceil(bytes / 8) * 8, 0);
    const most = Math.floor(this.device.limits.maxBufferSize / 8) * 8;
    const size = Math.min(wanted, pieceBytes, most);
    let staging: GPUBuffer | null = null;
    try {
      for (const pieces of piecesOf(places, size)) {
        const last = pieces.at(-1)!;
        const used = last.start + Math.ceil(last.bytes / 4) * 4;
        const mapped = await this.submit('read-back', (encoder) => {
          const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
          staging ??= this.device.createBuffer({ label: 'read-back', size, usage });
          for (const { k, at, start, bytes } of pieces) {
            const { buffer, offset } = places[k]!;
            encoder.copyBufferToBuffer(buffer, offset + at, staging, start, Math.ceil(bytes / 4) * 4);
          }
          return staging;
        });
        const all = await this.#mapped(mapped, used);
        for (const { k, at, start, bytes } of pieces) results[k]!.set(all.subarray(start, start + bytes), at);
        mapped.unmap();
      }
    } finally {
      (staging as GPUBuffer | null)?.destroy();
    }
    return results;
  }

  async #mapped(staging: GPUBuffer, bytes: number): Promise<Uint8Array> {
    let failure: unknown;
    await this.watch('read-back', () =>
      staging.mapAsync(GPUMapMode.READ, 0, bytes).catch((error) => {
        failure = error;
      }),
    );
    if (!failure) {
      try {
        return new Uint8Array(staging.getMappedRange(0, bytes));
      } catch (error) {
        failure = error;
      }
    }
    const kind = (await this.isLost()) ? 'device-lost' : failure instanceof RangeError ? 'out-of-memory' : 'validation';
    throw new CumuloError(kind, `read-back: ${(failure as Error).message}`);
  }

  #compiled(kernel: PlanKernel): Compiled {
    let compiled = this.#kernels.get(kernel.wgsl);
    if (!compiled) {
      compiled = { pipeline: null, judged: null, fault: null };
      this.#kernels.set(kernel.wgsl, compiled);
    }
    return compiled;
  }

  #module({ name, wgsl }: PlanKernel): GPUShaderModule {
    return this.device.createShaderModule({ label: name, code: wgsl });
  }

  async #compileLater(kernel: PlanKernel, compiled: Compiled): Promise<void> {
    const [module, error] = scoped(this.device, () => this.#module(kernel));
    try {
      const pipeline = await this.device.createComputePipelineAsync({
        label: kernel.name,
        layout: 'auto',
        compute: { module, entryPoint: 'main' },
      });
      compiled.pipeline ??= pipeline;
    } catch (failure) {
      const found = await error;
      await this.#refuse(kernel, compiled, module, found instanceof GPUOutOfMemoryError ? found : (failure as Error));
    }
  }

  async #refuse(kernel: PlanKernel, compiled: Compiled, module: GPUShaderModule, failure: GPUError | Error) {
    const { messages } = await module.getCompilationInfo().catch(() => ({ messages: [] as GPUCompilationMessage[] }));
    const faults = messages.filter((message) => message.type === 'error');
    const reasons = faults.map((fault) => `line ${fault.lineNum}: ${fault.message}`);
    const context = `kernel ${kernel.name}`;
    if (reasons.length > 0) {
      compiled.fault = new RefusedText(`${context}: ${reasons[0]}`, reasons);
      return;
    }
    compiled.fault = fromGpuError(failure, context);
    // The next time it may be taken.
    this.#kernels.forget(kernel.wgsl, compiled);
  }
}

/** A plan with its buffers and bind groups: recording it makes nothing more. */
export class BoundPlan {
  readonly plan: Plan;
  #executor: Executor;
  #buffers: Bound[];
  #groups: (GPUBindGroup | null)[];
  #kernels: Compiled[];
  #clear: Compiled | null;
  #own: GPUBuffer[] = [];
  #scratch: Scratch;

  /** `buffers` are the caller's, in the order of placed.external. */
  constructor(
    executor: Executor,
    placed: PlacedPlan,
    buffers: readonly GPUBuffer[],
    pool: ScratchPool,
  ) {
    this.#executor = executor;
    this.plan = placed.plan;
    // First, as they may be refused.
    this.#kernels = this.plan.kernels.map((kernel) => executor.compileNow(kernel));
    this.#clear = this.plan.renewal ? executor.compileNow(clearKernel) : null;
    this.#scratch = pool.of(placed.plan);
    const external = new Map(
      placed.external.map(({ index, offset }, k) => [index, { buffer: buffers[k]!, offset }]),
    );
    const scratch = this.#scratch.buffers;
    this.#buffers = this.plan.buffers.map(
      (_, index) =>
        external.get(index) ?? { buffer: scratch.get(index) ?? this.#make(index), offset: 0 },
    );
    this.#groups = this.plan.steps.map((step) => (step.step === 'dispatch' ? this.#group(step) : null));
  }

  /** Where one of the plan's buffers lies. */
  place(index: number): Bound {
    return this.#buffers[index]!;
  }

  record(target: GPUCommandEncoder | GPUComputePassEncoder): void {
    const recorder = new Recorder(target);
    for (const { fault } of this.#kernels) {
      if (fault) throw fault;
    }
    this.#renew(recorder);
    for (const [k, step] of this.plan.steps.entries()) {
      if (step.step === 'dispatch') {
        this.#dispatch(recorder.pass(), step, this.#groups[k]!);
      } else if (step.step === 'clear') {
        const { buffer, offset } = this.#buffers[step.index]!;
        recorder.encoder().clearBuffer(buffer, offset + step.offset, step.bytes);
      } else {
        const from = this.#buffers[step.from_index]!;
        const to = this.#buffers[step.to_index]!;
        const [start, end] = [from.offset + step.from_offset, to.offset + step.to_offset];
        recorder.encoder().copyBufferToBuffer(from.buffer, start, to.buffer, end, step.bytes);
      }
    }
    recorder.end();
  }

  /** Frees what is this binding's alone. */
  destroy(): void {
    for (const buffer of this.#own) buffer.destroy();
  }

  // A buffer that is neither the caller's nor scratch.
  #make(index: number): GPUBuffer {
    const { name, bytes, contents } = this.plan.buffers[index]!;
    const buffer = this.#executor.buffer(name, bytes, usageOf(this.plan, index));
    if (contents) this.#executor.device.queue.writeBuffer(buffer, 0, new Uint32Array(contents));
    this.#own.push(buffer);
    return buffer;
  }

  #group({ kernel_index, bindings, label }: DispatchStep): GPUBindGroup {
    const pipeline = this.#kernels[kernel_index]!.pipeline!;
    return this.#executor.device.createBindGroup({
      label,
      layout: pipeline.getBindGroupLayout(0),
      entries: bindings.map(({ index, offset, bytes }, binding) => {
        const bound = this.#buffers[index]!;
        return { binding, resource: { buffer: bound.buffer, offset: bound.offset + offset, size: bytes } };
      }),
    });
  }

  #dispatch(pass: GPUComputePassEncoder, step: DispatchStep, group: GPUBindGroup): void {
    pass.setPipeline(this.#kernels[step.kernel_index]!.pipeline!);
    pass.setBindGroup(0, group);
    if (step.indirect) {
      const grid = this.#buffers[step.indirect.index]!;
      pass.dispatchWorkgroupsIndirect(grid.buffer, grid.offset + step.indirect.offset);
    } else {
      pass.dispatchWorkgroups(...step.workgroups);
    }
  }

  #renew(recorder: Recorder): void {
    const { renewal } = this.plan;
    if (!renewal) return;
    const due = this.#scratch.runs >= renewal.runs;
    this.#scratch.runs = due ? 1 : this.#scratch.runs + 1;
    if (!due) return;
    const { buffer } = this.#buffers[renewal.index]!;
    const pipeline = this.#clear!.pipeline!;
    const entries = [{ binding: 0, resource: { buffer } }];
    const layout = pipeline.getBindGroupLayout(0);
    const pass = recorder.pass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, this.#executor.device.createBindGroup({ layout, entries }));
    const most = this.#executor.device.limits.maxComputeWorkgroupsPerDimension;
    pass.dispatchWorkgroups(Math.min(Math.ceil(buffer.size / 4 / clearWorkgroup), most));
  }
}

// Dispatches that follow each other share a pass: WebGPU orders them.
class Recorder {
  #encoder: GPUCommandEncoder | null = null;
  #pass: GPUComputePassEncoder | null = null;

  constructor(target: GPUCommandEncoder | GPUComputePassEncoder) {
    if (typeof target === 'object' && target !== null) {
      if ('beginComputePass' in target) this.#encoder = target;
      else if ('dispatchWorkgroups' in target) this.#pass = target;
    }
    if (this.#encoder || this.#pass) return;
    throw new CumuloError(
      'bad-argument',
      'a run is recorded into a GPUCommandEncoder or a GPUComputePassEncoder',
    );
  }

  pass(): GPUComputePassEncoder {
    this.#pass ??= this.#encoder!.beginComputePass();
    return this.#pass;
  }

  encoder(): GPUCommandEncoder {
    if (!this.#encoder) {
      throw new CumuloError(
        'bad-argument',
        'a compute pass holds dispatches only, and this plan has copies beside them: record it into the encoder',
      );
    }
    this.end();
    return this.#encoder;
  }

  end(): void {
    if (!this.#encoder || !this.#pass) return;
    this.#pass.end();
    this.#pass = null;
  }
}
