// The device that all sections share; reopened where it is lost.
import { type Cumulo, CumuloError, load } from '../src/cumulo.js';
import { h } from './dom.js';

const planner = new URL('cumulo/planner.wasm', document.baseURI);
const mostLosses = 3; // in a minute: one more device would be lost as well
const minute = 60_000; // ms

export class App {
  #cumulo: Cumulo | null = null;
  #why = '';
  #losses: number[] = [];
  #sections: (() => void)[] = [];
  #controls: HTMLFieldSetElement[] = [];
  #status: HTMLElement;

  constructor(status: HTMLElement) {
    this.#status = status;
    // A page that the browser had set aside may have lost what its canvases showed.
    window.addEventListener('pageshow', ({ persisted }) => {
      if (persisted && this.#cumulo) this.#start();
    });
  }

  get cumulo(): Cumulo {
    if (!this.#cumulo) throw new CumuloError('no-device', 'the page’s library is not loaded');
    return this.#cumulo;
  }

  /** Where the CPU does the work: why. */
  get why(): string | null {
    return this.cumulo.backend === 'cpu' ? this.#why : null;
  }

  /** `start` runs when a device is there, and again when a new one is. */
  onDevice(start: () => void): void {
    this.#sections.push(start);
  }

  /** Around controls: they do nothing before the library is there. */
  controls(className: string, ...children: (Node | string)[]): HTMLFieldSetElement {
    const fieldset = h('fieldset', { class: className, disabled: true }, ...children);
    this.#controls.push(fieldset);
    return fieldset;
  }

  async open(): Promise<void> {
    try {
      await this.#open(undefined, '');
    } catch (error) {
      this.#fail(error);
    }
  }

  async #open(device: null | undefined, why: string): Promise<void> {
    const cumulo = await load(device, { planner });
    const { backend, name, kind, reason } = cumulo;
    this.#cumulo = cumulo;
    this.#why = why || (reason ? sentence(reason) : '');
    this.#say(
      backend === 'cpu'
        ? `${this.#why} The results below come from the CPU, in WebAssembly.`
        : `Running on ${name}${kind === 'software' ? ' (a software adapter)' : ''}`,
      backend === 'cpu',
    );
    document.documentElement.dataset['backend'] = backend;
    void cumulo.lost.then((loss) => this.#reopen(loss));
    for (const fieldset of this.#controls) fieldset.disabled = false;
    this.#start();
  }

  async #reopen(loss: CumuloError): Promise<void> {
    const now = performance.now();
    this.#losses = [...this.#losses.filter((time) => now - time < minute), now];
    let why = `${sentence(loss)} It was lost ${mostLosses} times within a minute, so it is not opened again.`;
    if (this.#losses.length < mostLosses) {
      this.#say(`${sentence(loss)} Opening it again …`, true);
      try {
        await this.#open(undefined, '');
        this.#status.append(' (opened again after it was lost)');
        return;
      } catch (error) {
        why = `${sentence(loss)} Opening it again failed: ${sentence(error)}`;
      }
    }
    try {
      await this.#open(null, why);
    } catch (error) {
      this.#fail(error);
    }
  }

  #start(): void {
    for (const start of this.#sections) start();
  }

  #fail(error: unknown): void {
    for (const fieldset of this.#controls) fieldset.disabled = true;
    this.#say(`The page’s library could not be loaded, so nothing below works; load the page again. ${sentence(error)}`, true);
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
  const text = [message, ...reasons].join('; ').replace(/\.$/, '') || 'an error without a message';
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

/** The message of a section whose picture WebGPU should have drawn. */
export function missingMessage({ why }: App): string | null {
  return why === null ? null : `${why} The picture below is drawn from the CPU’s results.`;
}
