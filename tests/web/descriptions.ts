// What the declarations say of descriptions, for programs in TypeScript: compiled, not run.
import { type Bound, load, type Place, type Prepared } from '../../web/src/cumulo.js';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expect<_T extends true>(): void {}

const cumulo = await load(null);
declare const encoder: GPUCommandEncoder;
declare const places: Record<string, Place>;

const prepared = await cumulo.prepare('scan', { n: 1000, exclusive: true, type: 'f16' });
expect<Same<typeof prepared, Prepared>>();
expect<Same<(typeof prepared.slots.slots)[number]['elementBytes'], number>>();
const bound = cumulo.record(encoder, 'select', { n: 10n, flags: 'bits', arrays: [{ elementBytes: 16 }] }, places);
expect<Same<typeof bound, Bound>>();
bound.recover();
cumulo.record(encoder, 'arguments', { forms: [{ call: 'dispatch', per: 64 }] }, places);
await cumulo.prepare('allocate', { n: 10, capacityOnDevice: true }, { counted: true });
cumulo.plan('expand', { n: 10, capacity: 100, fromOffsets: true });
cumulo.destroy();

// There are no sums of 64 bits in more.
const sums = await cumulo.scan(BigUint64Array.of(1n), { wide: true });
expect<Same<typeof sums.values, never>>();
const sum = await cumulo.reduce(Float64Array.of(1), { wide: true });
expect<Same<typeof sum.value, never>>();

// @ts-expect-error: a slip of the fingers
await cumulo.prepare('scan', { n: 3, exclusve: true });
// @ts-expect-error: of another primitive
cumulo.record(encoder, 'reduce', { n: 3, exclusive: true }, places);
// @ts-expect-error: no such type
cumulo.plan('scan', { n: 3, type: 'f64' });
// @ts-expect-error: the planner's name
await cumulo.prepare('select', { n: 3, flags: 'u8', arrays: [{ element_bytes: 4 }] });
// @ts-expect-error: without its most outputs
await cumulo.prepare('expand', { n: 3 });
