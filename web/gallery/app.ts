// The device that all sections share; reopened where it is lost.
import { type Cumulo, CumuloError, load } from '../src/cumulo.js';

const planner = new URL('cumulo/planner.wasm', document.baseURI);

export class App {
  cumulo!: Cumulo;
  #sections: (() => void)[] = [];
  #status: HTMLElement;

  constructor(status: HTMLElement) {
    this.#status = status;
  }

  /** `start` runs when a device is there, and again when a new one is. */
  onDevice(start: () => void): void {
    this.#sections.push(start);
  }

  async open(): Promise<void> {
    this.cumulo = await load(undefined, { planner });
    const { backend, name, kind, reason } = this.cumulo;
    this.#say(
      backend === 'cpu'
        ? `${sentence(reason!)} The results below come from the CPU, in WebAssembly.`
        : `Running on ${name}${kind === 'software' ? ' (a software adapter)' : ''}`,
      backend === 'cpu',
    );
    document.documentElement.dataset['backend'] = backend;
    void this.cumulo.lost.then((loss) => this.#reopen(loss));
    for (const start of this.#sections) start();
  }

  async #reopen(loss: CumuloError): Promise<void> {
    this.#say(`${sentence(loss)} Opening it again …`, true);
    await this.open();
    this.#status.append(' (opened again after it was lost)');
  }

  #say(text: string, bad: boolean): void {
    this.#status.textContent = text;
    this.#status.classList.toggle('bad', bad);
  }
}

/** An error's message as a sentence of its own. */
export function sentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const reasons = error instanceof CumuloError ? error.reasons.slice(0, 3) : [];
  const text = [message, ...reasons].join('; ');
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

/** The message of a section whose picture WebGPU should have drawn. */
export function missingMessage({ cumulo }: App): string | null {
  if (cumulo.backend === 'webgpu') return null;
  return `${sentence(cumulo.reason)} The picture below is drawn from the CPU’s results.`;
}
