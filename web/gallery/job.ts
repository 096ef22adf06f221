// A section's work: one run at a time, its outcome told in words, to eyes and to screen readers.
import { sentence } from './app.js';
import { h } from './dom.js';

export interface Job {
  run: () => Promise<void>;
  alert: HTMLElement;
  /** For screen readers alone. */
  outcome: HTMLElement;
}

/** `work` gives the sentence that tells its outcome. Of overlapping runs those in between are left out. */
export function jobOf(root: HTMLElement, work: () => Promise<string>): Job {
  const alert = h('p', { class: 'alert', role: 'alert' });
  const outcome = h('p', { class: 'unseen', role: 'status' });
  const once = async () => {
    alert.textContent = '';
    outcome.textContent = ''; // so that the same words again are a change
    root.dataset['state'] = 'running';
    root.setAttribute('aria-busy', 'true');
    try {
      const told = await work();
      root.removeAttribute('aria-busy'); // first: a busy region keeps its changes to itself
      outcome.textContent = told;
      root.dataset['state'] = 'done';
    } catch (error) {
      root.removeAttribute('aria-busy');
      alert.textContent = sentence(error);
      root.dataset['state'] = 'failed';
    }
  };
  let running: Promise<void> | null = null;
  let again = false;
  const run = (): Promise<void> => {
    again = true;
    running ??= (async () => {
      while (again) {
        again = false;
        await once();
      }
      running = null;
    })();
    return running;
  };
  return { run, alert, outcome };
}
