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

/** A kernel whose text the device does not compile: the page's fault where it has written some of it. */
export class RefusedText extends CumuloError {
  constructor(message: string, reasons: readonly string[]) {
    super('validation', message, reasons);
  }
}

/** What WebGPU's own error means here; `context` says what was being done. */
export function fromGpuError(error: { message: string }, context: string): CumuloError {
  const kind = error instanceof GPUOutOfMemoryError ? 'out-of-memory' : 'validation';
  return new CumuloError(kind, `${context}: ${error.message}`);
}

/** Whether a device that is about to be lost may have caused it. */
export function isOfDevice(error: unknown): boolean {
  return !(error instanceof CumuloError) || ['out-of-memory', 'device-lost', 'validation'].includes(error.kind);
}
