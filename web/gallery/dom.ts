// Elements made by one call.

type Child = Node | string | null | undefined;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | null | undefined>;

function fill<T extends Element>(element: T, attributes: Attributes, children: readonly Child[]): T {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined));
  return element;
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

export function field(label: string, control: HTMLElement, className = ''): HTMLLabelElement {
  return h('label', { class: `field ${className}` }, label, control);
}

export function choice(id: string, options: readonly (readonly [string, string])[], onChange: () => void) {
  return h(
    'select',
    { id, change: onChange },
    ...options.map(([value, text]) => h('option', { value }, text)),
  );
}

export function facts(entries: readonly (readonly [string, Child])[]): Child[] {
  return entries.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]);
}

export const grouped = (n: number | bigint): string => n.toLocaleString('en');

export function milliseconds(ms: number): string {
  if (ms === 0) return 'below the clock’s resolution';
  if (ms < 0.1) return `${(ms * 1000).toPrecision(3)} µs`;
  return `${ms < 100 ? ms.toPrecision(3) : ms.toFixed(0)} ms`;
}
