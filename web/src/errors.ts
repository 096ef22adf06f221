// The library's errors, of the same kinds as in C++.

export type ErrorKind =
  | 'bad-argument' // the request contradicts itself or its data
  | 'unsupported' // a valid request that this device or backend cannot do
  | 'no-device' // no adapter
  | 'out-of-memory'
  | 'device-lost' // the device vanished while working
  | 'validation' // WebGPU refused a call: a fault of ours
  | 'stalled'; // the device stopped making progress

/** One failure: its kind, a sentence, and where several things were tried a reason for each. */
export class CumuloError extends Error {
  readonly kind: ErrorKind;
  readonly reasons: readonly string[];

  constructor(kind: ErrorKind, message: string, reasons: readonly string[] = []) {
    super(message);
    this.name = 'CumuloError';
    this.kind = kind;
    this.reasons = reasons;
  }
}

/** What WebGPU's own error means here; `context` says what was being done. */
export function fromGpuError(error: GPUError, context: string): CumuloError {
  const kind = error instanceof GPUOutOfMemoryError ? 'out-of-memory' : 'validation';
  return new CumuloError(kind, `${context}: ${error.message}`);
}
