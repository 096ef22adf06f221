// What the declarations say of results, for programs in TypeScript: compiled, not run.
import { load, type Monoid, type ScanOptions } from '../../web/src/cumulo.js';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expect<_T extends true>(): void {}

const cumulo = await load(null);
const affine: Monoid = { name: 'affine', fields: [], wgsl: '', identity: [] };

const plain = await cumulo.scan(Uint32Array.of(1));
expect<Same<typeof plain.values, Uint32Array>>();
expect<Same<typeof plain.total, number>>();
const exclusive = await cumulo.scan(Float32Array.of(1), { exclusive: true, op: 'max' });
expect<Same<typeof exclusive.total, number>>();
const large = await cumulo.scan(BigInt64Array.of(1n));
expect<Same<typeof large.total, bigint>>();
const wide = await cumulo.scan(Int32Array.of(1), { wide: true });
expect<Same<typeof wide.values, BigInt64Array>>();
expect<Same<typeof wide.total, bigint>>();
const pairs = await cumulo.scan(Float32Array.of(1), { wide: true });
expect<Same<typeof pairs.values, Float64Array>>();
const own = await cumulo.scan(Int32Array.of(1, 2), { monoid: affine });
expect<Same<typeof own.total, Int32Array>>();
const options: ScanOptions = {};
const any = await cumulo.scan(Uint32Array.of(1), options);
expect<Same<typeof any.values, Uint32Array | BigUint64Array>>();
const one = await cumulo.reduce(Uint32Array.of(1), { wide: true });
expect<Same<typeof one.value, bigint>>();
const placed = await cumulo.allocate(Uint32Array.of(1));
expect<Same<typeof placed.offsets, Uint32Array>>();
const placedWide = await cumulo.allocate(Uint32Array.of(1), { wide: true });
expect<Same<typeof placedWide.offsets, BigUint64Array>>();
const items = await cumulo.expand(Uint32Array.of(1));
expect<Same<typeof items.values, Uint32Array>>();
const copies = await cumulo.expand(Uint32Array.of(1), Float32Array.of(1));
expect<Same<typeof copies.values, Float32Array>>();
const runs = await cumulo.runs(BigUint64Array.of(1n));
expect<Same<typeof runs.values, BigUint64Array>>();

// @ts-expect-error: no such operator
await cumulo.scan(Uint32Array.of(1), { op: 'sum' });
// @ts-expect-error: a slip of the fingers
await cumulo.scan(Uint32Array.of(1), { op: 'max', exclusve: true });
// @ts-expect-error: a list is no typed array
await cumulo.scan([1, 2]);
