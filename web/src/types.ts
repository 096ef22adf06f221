/// <reference lib="esnext.float16" preserve="true" />
// What the calls take and give, and what descriptions say.
import type { Timing } from './timing.js';

export type Values =
  | Uint32Array
  | Int32Array
  | Float32Array
  | BigUint64Array
  | BigInt64Array
  | Float64Array
  | Float16Array;

export type Operator = 'add' | 'mul' | 'min' | 'max' | 'and' | 'or' | 'xor' | 'add-saturated';

/** An operator of the page's own: see docs/operators.md. Elements are structs of 4-byte fields. */
export interface Monoid {
  name: string;
  fields: { name: string; type: 'u32' | 'i32' | 'f32' }[];
  /** The body of fn combine(older: Element, newer: Element) -> Element. */
  wgsl: string;
  /** The element that changes nothing: a number for each field. */
  identity: ArrayLike<number>;
  commutative?: boolean;
}

export interface RunOptions {
  /** Measures so many runs more and gives their median as `time`. */
  timed?: number;
}

export type ScanAlgorithm =
  | 'auto'
  | 'single-pass'
  | 'reduce-then-scan'
  | 'hillis-steele'
  | 'blelloch'
  | 'subgroup'
  | 'serial'
  | 'blocked';

export type TracedAlgorithm = 'hillis-steele' | 'blelloch' | 'subgroup' | 'single-pass';

export interface ScanOptions extends RunOptions {
  op?: Operator;
  monoid?: Monoid;
  exclusive?: boolean;
  reverse?: boolean;
  /** Enters every result once; of a monoid, a number for each field. */
  init?: number | bigint | ArrayLike<number>;
  /** n + 1 results: the initial value before all others. */
  includeInitial?: boolean;
  /** Sums of u32 in u64, of i32 in i64, of f16 in f32, of f32 in pairs of f32 (given as f64). */
  wide?: boolean;
  algorithm?: ScanAlgorithm;
}

export interface ReduceOptions extends RunOptions {
  op?: Operator;
  monoid?: Monoid;
  wide?: boolean;
}

/** What every call says of its run. */
export interface Report {
  algorithm: string;
  backend: 'webgpu' | 'cpu';
  time?: Timing;
}

/** Flags, one for each element (any but 0 is set), or a predicate such as 'x > 3'. */
export type Keep = Uint8Array | Uint32Array | readonly boolean[] | string;

export interface SelectOptions extends RunOptions {
  algorithm?: 'auto' | 'single-pass' | 'mask-then-scatter';
}

export interface AllocateOptions extends RunOptions {
  capacity?: number | bigint;
  /** Offsets of 64 bits. */
  wide?: boolean;
  algorithm?: ScanAlgorithm;
}

export interface ExpandOptions extends RunOptions {
  /** Outputs at most; as many as there are where it is not given. */
  capacity?: number | bigint;
  algorithm?: ScanAlgorithm;
}

/** What prepare(), record() and plan() are told of a scan: the fields of its C++ header. */
export interface ScanDescription extends Omit<ScanOptions, keyof RunOptions> {
  n: number | bigint;
  type?: ElementType;
}

export type ElementType = 'u32' | 'i32' | 'f32' | 'u64' | 'i64' | 'f16';

export interface ReduceDescription {
  n: number | bigint;
  type?: ElementType;
  op?: Operator;
  monoid?: Monoid;
  wide?: boolean;
}

export interface SelectDescription {
  n: number | bigint;
  arrays?: readonly { elementBytes?: number; isKept?: boolean }[];
  flags?: 'u8' | 'u32' | 'bits';
  where?: string;
  second?: string;
  columns?: readonly { name: string; type: ElementType }[];
  heads?: boolean;
  rest?: 'dropped' | 'follows' | 'three-way';
  indices?: boolean;
  lengths?: boolean;
  capacity?: number | bigint;
  algorithm?: 'auto' | 'single-pass' | 'mask-then-scatter';
}

/** An indirect call that is to work on what was made. */
export interface IndirectForm {
  call: 'dispatch' | 'vertices' | 'instances' | 'indices' | 'indexed-instances';
  per?: number;
  ofItems?: boolean;
}

export interface AllocateDescription {
  n: number | bigint;
  wide?: boolean;
  capacity?: number | bigint;
  capacityOnDevice?: boolean;
  arguments?: readonly IndirectForm[];
  algorithm?: ScanAlgorithm;
}

export interface ExpandDescription {
  n: number | bigint;
  capacity: number | bigint;
  elementBytes?: number;
  fromOffsets?: boolean;
  arguments?: readonly IndirectForm[];
  algorithm?: ScanAlgorithm;
}

export interface ArgumentsDescription {
  forms: readonly IndirectForm[];
  capacity?: number | bigint;
}

/** Of each primitive. */
export interface Descriptions {
  scan: ScanDescription;
  reduce: ReduceDescription;
  select: SelectDescription;
  allocate: AllocateDescription;
  expand: ExpandDescription;
  arguments: ArgumentsDescription;
}

export type Like<T extends Values> = T extends Uint32Array
  ? Uint32Array
  : T extends Int32Array
    ? Int32Array
    : T extends Float32Array
      ? Float32Array
      : T extends BigUint64Array
        ? BigUint64Array
        : T extends BigInt64Array
          ? BigInt64Array
          : T extends Float64Array
            ? Float64Array
            : Float16Array;

/** What the sums of `wide` are; there are none of 64 bits. */
export type WideLike<T extends Values> = T extends Uint32Array
  ? BigUint64Array
  : T extends Int32Array
    ? BigInt64Array
    : T extends Float32Array
      ? Float64Array
      : T extends Float16Array
        ? Float32Array
        : never;

/** Options with no other fields than there are. */
export type Known<O, Options> = O & Record<Exclude<keyof O, keyof Options>, never>;

type Field<O, Name extends string> = Name extends keyof O ? O[Name] : undefined;

/** The array of results that options ask for. */
export type Made<T extends Values, O> =
  Field<O, 'wide'> extends true
    ? WideLike<T>
    : Field<O, 'wide'> extends false | undefined
      ? Like<T>
      : Like<T> | WideLike<T>;

/** One result: of a monoid, an array of its fields. */
export type MadeOne<T extends Values, O> =
  | (Field<O, 'monoid'> extends Monoid ? never : Made<T, O>[number])
  | (Field<O, 'monoid'> extends undefined ? never : Like<T>);
