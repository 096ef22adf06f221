// Plans as the planner writes them (schema cumulo-plan/1), and what it is asked with.

/** What a device offers: see include/cumulo/traits.hpp. */
export interface Traits {
  max_buffer_size: number;
  max_storage_binding_size: number;
  min_storage_offset_alignment: number;
  max_storage_buffers_per_stage: number;
  max_workgroups_per_dimension: number;
  max_workgroup_memory: number;
  max_invocations_per_workgroup: number;
  max_workgroup_size_x: number;
  subgroups: boolean;
  subgroup_min_size: number;
  subgroup_max_size: number;
  subgroup_width: number;
  timestamps: boolean;
  shader_f16: boolean;
  shader_int64: boolean;
  shader_int64_atomics: boolean;
  forward_progress: boolean;
  ordered_workgroups: boolean;
  stores_components: boolean;
  dialect: 'tint' | 'naga';
}

/** What a browser says of a device; the limits by the names of the traits. */
export interface DeviceSays {
  limits: Partial<Traits>;
  features: string[];
  vendor: string;
  is_software: boolean;
  user_agent: string;
  subgroup_min_size: number;
  subgroup_max_size: number;
  subgroup_width: number;
}

export interface PlanBuffer {
  name: string;
  bytes: number;
  role: 'input' | 'output' | 'count' | 'scratch' | 'parameters';
  contents?: number[];
}

export interface PlanKernel {
  name: string;
  wgsl: string;
  workgroup_size: number;
}

export interface DispatchStep {
  step: 'dispatch';
  label: string;
  kernel_index: number;
  workgroups: [number, number, number];
  indirect: { index: number; offset: number } | null;
  bindings: { index: number; offset: number; bytes: number }[];
}

export interface ClearStep {
  step: 'clear';
  index: number;
  offset: number;
  bytes: number;
}

export interface CopyStep {
  step: 'copy';
  from_index: number;
  from_offset: number;
  to_index: number;
  to_offset: number;
  bytes: number;
}

export type PlanStep = DispatchStep | ClearStep | CopyStep;

/** What an algorithm does for one run, from its own structure. */
export interface Counts {
  steps: number;
  additions: number;
  barriers: number;
  subgroup_calls: number;
}

/** One step of a traced scan: pairs of from and to. */
export interface TraceStep {
  label: string;
  additions: [number, number][];
  moves: [number, number][];
  barriers: number;
}

export interface Plan {
  primitive: string;
  algorithm: string;
  n: number;
  notes: string[];
  buffers: PlanBuffer[];
  kernels: PlanKernel[];
  steps: PlanStep[];
  counts?: Counts;
  /** A word of flags that kernels set: 1 stalled, 2 more elements than there was room for. */
  status?: { index: number; offset: number };
  /** Scratch that is to be cleared before every so many runs. */
  renewal?: { index: number; runs: number };
  /** What a buffer holds of a traced scan: its array before the first step and after each. */
  trace?: { index: number; steps: TraceStep[] };
  scratch_bytes: number;
}

/** One of the caller's buffers. */
export interface Slot {
  name: string;
  element_bytes: number;
  elements: number;
  written: boolean;
}

export interface Slots {
  slots: Slot[];
  /** Of the total that a scan makes beside its output; 0 where there is none. */
  total_bytes: number;
  /** The algorithm that cannot stall; empty where none can. */
  fallback: string;
}

/** A plan for places, and which of its buffers they are, bound from where. */
export interface PlacedPlan {
  plan: Plan;
  external: { index: number; offset: number }[];
}

export type PrimitiveName = 'scan' | 'reduce' | 'select' | 'allocate' | 'expand' | 'arguments';

/** A primitive's description: the fields of its C++ header, by the same names. */
export type Description = Record<string, unknown>;
