// Runs plans on a page's device. Knows plans, not what they are for.
import { CumuloError, fromGpuError } from './errors.js';
import type { DispatchStep, Plan, PlanKernel, PlacedPlan } from './plan.js';

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

export class Executor {
  readonly device: GPUDevice;
  #pipelines = new Map<string, GPUComputePipeline>();

  constructor(device: GPUDevice) {
    this.device = device;
  }

  /** Compiles what is not yet compiled; without waiting, record() compiles when it is called. */
  async prepare(plan: Plan): Promise<void> {
    const kernels = plan.renewal ? [...plan.kernels, clearKernel] : plan.kernels;
    await Promise.all(kernels.map((kernel) => this.compile(kernel)));
  }

  async compile(kernel: PlanKernel): Promise<void> {
    if (this.#pipelines.has(kernel.wgsl)) return;
    const module = this.device.createShaderModule({ label: kernel.name, code: kernel.wgsl });
    try {
      const pipeline = await this.device.createComputePipelineAsync({
        label: kernel.name,
        layout: 'auto',
        compute: { module, entryPoint: 'main' },
      });
      this.#pipelines.set(kernel.wgsl, pipeline);
    } catch (failure) {
      const { messages } = await module.getCompilationInfo();
      const faults = messages.filter((message) => message.type === 'error');
      const reasons = faults.map((fault) => `line ${fault.lineNum}: ${fault.message}`);
      const first = reasons[0] ?? (failure as Error).message;
      throw new CumuloError('validation', `kernel ${kernel.name}: ${first}`, reasons);
    }
  }

  pipeline(kernel: PlanKernel): GPUComputePipeline {
    let pipeline = this.#pipelines.get(kernel.wgsl);
    if (!pipeline) {
      const module = this.device.createShaderModule({ label: kernel.name, code: kernel.wgsl });
      const compute = { module, entryPoint: 'main' };
      pipeline = this.device.createComputePipeline({ label: kernel.name, layout: 'auto', compute });
      this.#pipelines.set(kernel.wgsl, pipeline);
    }
    return pipeline;
  }

  buffer(label: string, bytes: number, usage: number = 0): GPUBuffer {
    const size = Math.max(16, Math.ceil(bytes / 16) * 16);
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    return this.device.createBuffer({ label, size, usage: STORAGE | COPY_SRC | COPY_DST | usage });
  }

  /** Submits what `record` records, and throws what went wrong with it. */
  async submit(context: string, record: (encoder: GPUCommandEncoder) => void): Promise<void> {
    const { device } = this;
    device.pushErrorScope('out-of-memory');
    device.pushErrorScope('validation');
    const encoder = device.createCommandEncoder({ label: context });
    record(encoder);
    device.queue.submit([encoder.finish()]);
    const errors = await Promise.all([device.popErrorScope(), device.popErrorScope()]);
    for (const error of errors) {
      if (error) throw fromGpuError(error, context);
    }
  }

  /** The bytes of several places, read back together. */
  async read(places: readonly { buffer: GPUBuffer; offset: number; bytes: number }[]) {
    const starts: number[] = [];
    let size = 0;
    for (const { bytes } of places) {
      starts.push(size);
      size += Math.ceil(bytes / 8) * 8;
    }
    if (size === 0) return places.map(() => new Uint8Array(0));
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const staging = this.device.createBuffer({ label: 'read-back', size, usage });
    await this.submit('read-back', (encoder) => {
      for (const [k, { buffer, offset, bytes }] of places.entries()) {
        const words = Math.ceil(bytes / 4) * 4;
        if (words > 0) encoder.copyBufferToBuffer(buffer, offset, staging, starts[k]!, words);
      }
    });
    try {
      await staging.mapAsync(GPUMapMode.READ);
    } catch (failure) {
      throw new CumuloError('device-lost', `a read-back failed: ${(failure as Error).message}`);
    }
    const all = new Uint8Array(staging.getMappedRange());
    const parts = places.map(({ bytes }, k) => all.slice(starts[k]!, starts[k]! + bytes));
    staging.destroy();
    return parts;
  }
}

/** A plan with its buffers and bind groups: recording it makes nothing more. */
export class BoundPlan {
  readonly plan: Plan;
  #executor: Executor;
  #buffers: Bound[];
  #groups: (GPUBindGroup | null)[];
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
    this.#scratch = pool.of(placed.plan);
    this.plan = placed.plan;
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
    const pipeline = this.#executor.pipeline(this.plan.kernels[kernel_index]!);
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
    pass.setPipeline(this.#executor.pipeline(this.plan.kernels[step.kernel_index]!));
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
    const pipeline = this.#executor.pipeline(clearKernel);
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
