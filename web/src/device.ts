// What a device offers, as the planner wants to know it.
import { CumuloError } from './errors.js';
import type { Executor } from './executor.js';
import type { PlanKernel, Traits } from './plan.js';
import type { Planner } from './planner.js';

const limitNames = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeWorkgroupsPerDimension',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
] as const;

const featureNames: GPUFeatureName[] = ['subgroups', 'timestamp-query', 'shader-f16'];

/** What to ask for in a page's own requestDevice: all of it is optional. */
export function requirements(adapter: GPUAdapter): {
  requiredFeatures: GPUFeatureName[];
  requiredLimits: Record<string, number>;
} {
  if (!adapter) throw new CumuloError('no-device', 'there is no adapter: this browser found no GPU for WebGPU');
  return {
    requiredFeatures: featureNames.filter((feature) => adapter.features.has(feature)),
    requiredLimits: Object.fromEntries(limitNames.map((limit) => [limit, adapter.limits[limit]])),
  };
}

// A browser whose process for graphics has just started, or started again, may have none at first.
const retryAfter = 250; // ms
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function adapterOf(gpu: GPU): Promise<GPUAdapter | null> {
  try {
    return await gpu.requestAdapter({ powerPreference: 'high-performance' });
  } catch {
    return null;
  }
}

/** A device of the page's own making; no-device says why there is none. */
export async function openDevice(): Promise<GPUDevice> {
  const gpu = globalThis.navigator?.gpu;
  if (!gpu) throw new CumuloError('no-device', 'this browser has no WebGPU');
  const adapter = (await adapterOf(gpu)) ?? (await later(retryAfter), await adapterOf(gpu));
  if (!adapter) {
    throw new CumuloError('no-device', 'this browser has WebGPU, but no graphics adapter for it');
  }
  try {
    return await adapter.requestDevice({ label: 'cumulo', ...requirements(adapter) });
  } catch (failure) {
    throw new CumuloError('no-device', `the adapter refused to open: ${(failure as Error).message}`);
  }
}

/** "NVIDIA turing": as much as the browser tells. */
export function nameOf(info: GPUAdapterInfo | undefined): string {
  if (!info) return 'a GPU';
  const words = [info.description || info.device, info.vendor, info.architecture];
  return words.find((word) => word !== '') ? words.filter((word) => word !== '').join(', ') : 'a GPU';
}

export function isSoftware(info: GPUAdapterInfo | undefined): boolean {
  return info?.isFallbackAdapter === true || info?.architecture === 'swiftshader';
}

export async function traitsOf(executor: Executor, planner: Planner): Promise<Traits> {
  const { limits, features, adapterInfo: info } = executor.device;
  return planner.traits({
    limits: {
      max_buffer_size: limits.maxBufferSize,
      max_storage_binding_size: limits.maxStorageBufferBindingSize,
      min_storage_offset_alignment: limits.minStorageBufferOffsetAlignment,
      max_storage_buffers_per_stage: limits.maxStorageBuffersPerShaderStage,
      max_workgroups_per_dimension: limits.maxComputeWorkgroupsPerDimension,
      max_workgroup_memory: limits.maxComputeWorkgroupStorageSize,
      max_invocations_per_workgroup: limits.maxComputeInvocationsPerWorkgroup,
      max_workgroup_size_x: limits.maxComputeWorkgroupSizeX,
    },
    features: [...features],
    vendor: info?.vendor ?? '',
    is_software: isSoftware(info),
    user_agent: globalThis.navigator?.userAgent ?? '',
    subgroup_min_size: info?.subgroupMinSize ?? 0,
    subgroup_max_size: info?.subgroupMaxSize ?? 0,
    subgroup_width: features.has('subgroups' as GPUFeatureName) ? await probeSubgroupWidth(executor) : 0,
  });
}

const probe: PlanKernel = {
  name: 'subgroup width',
  workgroup_size: 128,
  wgsl: `enable subgroups;
@group(0) @binding(0) var<storage, read_write> width: array<u32>;
@compute @workgroup_size(128)
fn main(@builtin(subgroup_size) size: u32, @builtin(local_invocation_index) i: u32) {
  if (i == 0u) { width[0] = size; }
}
`,
};

/** 0, not known, where the browser does not compile it. */
async function probeSubgroupWidth(executor: Executor): Promise<number> {
  try {
    await executor.compile(probe);
  } catch (error) {
    if (error instanceof CumuloError && error.kind === 'validation') return 0;
    throw error;
  }
  const pipeline = executor.pipeline(probe);
  const buffer = executor.buffer('subgroup width', 4);
  const entries = [{ binding: 0, resource: { buffer } }];
  const group = executor.device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  await executor.submit('probing the subgroup width', (encoder) => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(1);
    pass.end();
  });
  const [bytes] = await executor.read([{ buffer, offset: 0, bytes: 4 }]);
  buffer.destroy();
  return new Uint32Array(bytes!.buffer)[0]!;
}
