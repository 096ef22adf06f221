// Pictures of boxes: as the native program draws them, by the same shader and straight from storage
// buffers, or by the 2-D canvas from arrays. Units are pixels of the picture.
import boxes from '../../src/picture/boxes.wgsl';
import { h, svg } from './dom.js';

/** constant + perItem * item + perCopy * copy + perValue * the item's value in an array. */
export interface Formula {
  constant: number;
  perItem?: number;
  perCopy?: number;
  perValue?: number;
  array?: number;
}

export type Colour = readonly [number, number, number];

export interface Layer {
  items: number;
  copies?: number;
  /** The array that says how many copies an item has. */
  copyCount?: number;
  /** Only items whose value in this array is not 0, or with keepZeros is 0. */
  keep?: number;
  keepZeros?: boolean;
  x0: Formula;
  x1: Formula;
  y0: Formula;
  y1: Formula;
  radius?: number;
  colour: Colour;
  oddColour?: Colour;
}

export interface Label {
  x: number;
  baseline: number;
  size: number;
  colour: string;
  text: string;
  bold?: boolean;
  centred?: boolean;
  mono?: boolean;
  /** Pixels it may take. */
  room?: number;
  /** Belongs to a box, not beside the picture. */
  onBox?: boolean;
}

export interface Scene {
  width: number;
  height: number;
  layers: Layer[];
  labels: Label[];
}

export type ArrayKind = 'u32' | 'i32' | 'f32';
const kinds: readonly ArrayKind[] = ['u32', 'i32', 'f32'];
const paper = { r: 247 / 255, g: 245 / 255, b: 237 / 255, a: 1 };
const absent = 0xffffffff;
const layerBytes = 144;
const headBytes = 48;

// struct Scene of boxes.wgsl, in pixels of a canvas that is `scale` times the picture's size.
function packed(scene: Scene, types: readonly ArrayKind[], scale: number): ArrayBuffer {
  const bytes = new ArrayBuffer(headBytes + scene.layers.length * layerBytes);
  const floats = new Float32Array(bytes);
  const words = new Uint32Array(bytes);
  floats.set([scene.width * scale, scene.height * scale], 0);
  words.set(types.map((type) => kinds.indexOf(type)), 8);
  let last = 0;
  for (const [k, layer] of scene.layers.entries()) {
    const at = (headBytes + k * layerBytes) / 4;
    const { x0, x1, y0, y1, copies = 1 } = layer;
    for (const [f, formula] of [x0, x1, y0, y1].entries()) {
      const { constant, perItem = 0, perCopy = 0, perValue = 0, array = absent } = formula;
      floats.set([constant, perItem, perCopy, perValue].map((x) => x * scale), at + 4 * f);
      words[at + 24 + f] = array;
    }
    floats.set([...layer.colour, 1, ...(layer.oddColour ?? layer.colour), 1], at + 16);
    last += layer.items * copies;
    words.set(
      [last, copies, layer.copyCount ?? absent, layer.keep ?? absent, layer.keepZeros ? 1 : 0],
      at + 28,
    );
    floats[at + 33] = (layer.radius ?? 0) * scale;
  }
  return bytes;
}

/** In the place of `old`: a canvas keeps its first kind of context, and what a lost device has left on it. */
export function freshCanvas(old: HTMLCanvasElement, width: number, height: number): HTMLCanvasElement {
  const scale = devicePixelRatio;
  const made = h('canvas', { role: 'img', 'aria-label': old.getAttribute('aria-label'), width: width * scale, height: height * scale });
  old.replaceWith(made);
  return made;
}

/** Makes something once for each device. */
export function oncePerDevice<T>(make: (device: GPUDevice) => T): (device: GPUDevice) => T {
  const made = new WeakMap<GPUDevice, { value: T }>();
  return (device) => {
    let held = made.get(device);
    if (!held) made.set(device, (held = { value: make(device) }));
    return held.value;
  };
}

const pipelineOf = oncePerDevice((device) => {
  const module = device.createShaderModule({ label: 'boxes', code: boxes });
  const over: GPUBlendComponent = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' };
  const format = navigator.gpu.getPreferredCanvasFormat();
  return device.createRenderPipeline({
    label: 'boxes',
    layout: 'auto',
    vertex: { module, entryPoint: 'place' },
    fragment: { module, entryPoint: 'shade', targets: [{ format, blend: { color: over, alpha: over } }] },
    primitive: { topology: 'triangle-strip' },
  });
});

export class GpuPainter {
  #device: GPUDevice;
  #context: GPUCanvasContext;
  #scene: GPUBuffer | null = null;

  constructor(device: GPUDevice, canvas: HTMLCanvasElement) {
    this.#device = device;
    this.#context = canvas.getContext('webgpu')!;
    this.#context.configure({ device, format: navigator.gpu.getPreferredCanvasFormat(), alphaMode: 'opaque' });
  }

  /** Into the encoder, after what fills the arrays: nothing is read back between. */
  record(
    encoder: GPUCommandEncoder,
    scene: Scene,
    arrays: readonly { buffer: GPUBuffer; type: ArrayKind }[],
    scale: number,
  ): void {
    const bytes = packed(scene, arrays.map(({ type }) => type), scale);
    this.#scene?.destroy();
    this.#scene = this.#device.createBuffer({
      label: 'scene',
      size: bytes.byteLength,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
    });
    this.#device.queue.writeBuffer(this.#scene, 0, bytes);
    const bound = [this.#scene, ...[0, 1, 2, 3].map((k) => (arrays[k] ?? arrays[0]!).buffer)];
    const pipeline = pipelineOf(this.#device);
    const group = this.#device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: bound.map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
    const view = this.#context.getCurrentTexture().createView();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view, clearValue: paper, loadOp: 'clear', storeOp: 'store' }],
    });
    const instances = scene.layers.reduce((sum, { items, copies = 1 }) => sum + items * copies, 0);
    if (instances > 0) {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.draw(4, instances);
    }
    pass.end();
  }

  /** After the encoder is submitted: frees what was recorded for. */
  destroy(): void {
    this.#scene?.destroy();
    this.#scene = null;
  }
}

export function paintOnCpu(
  canvas: HTMLCanvasElement,
  scene: Scene,
  arrays: readonly ArrayLike<number>[],
  scale: number,
): void {
  const context = canvas.getContext('2d')!;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.fillStyle = 'rgb(247 245 237)';
  context.fillRect(0, 0, scene.width, scene.height);
  const value = (array: number | undefined, item: number) => (array === undefined ? 0 : arrays[array]![item]!);
  for (const layer of scene.layers) {
    for (let item = 0; item < layer.items; ++item) {
      if (layer.keep !== undefined && (value(layer.keep, item) !== 0) === (layer.keepZeros ?? false)) continue;
      const colour = item % 2 === 1 ? (layer.oddColour ?? layer.colour) : layer.colour;
      context.fillStyle = `rgb(${colour.map((part) => Math.round(part * 255)).join(' ')})`;
      const copies = Math.min(layer.copies ?? 1, layer.copyCount === undefined ? Infinity : value(layer.copyCount, item));
      for (let copy = 0; copy < copies; ++copy) {
        const [x0, x1, y0, y1] = [layer.x0, layer.x1, layer.y0, layer.y1].map(
          ({ constant, perItem = 0, perCopy = 0, perValue = 0, array }) =>
            constant + perItem * item + perCopy * copy + perValue * value(array, item),
        ) as [number, number, number, number];
        const box = [Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0)] as const;
        if (!layer.radius) {
          context.fillRect(...box);
          continue;
        }
        context.beginPath();
        context.roundRect(...box, layer.radius);
        context.fill();
      }
    }
  }
}

/** The words over a picture. They are said again beside it, so they are not read out. */
export function labelsOver(overlay: SVGSVGElement, scene: Scene): void {
  overlay.setAttribute('viewBox', `0 0 ${scene.width} ${scene.height}`);
  overlay.replaceChildren(
    ...scene.labels.map(({ x, baseline, size, colour, text, bold, centred, mono, onBox }) =>
      svg(
        'text',
        {
          x,
          y: baseline,
          'font-size': size,
          fill: colour,
          'font-weight': bold ? 'bold' : null,
          'text-anchor': centred ? 'middle' : null,
          class: `${mono ? 'mono' : ''} ${onBox ? '' : 'wide'}`,
        },
        text,
      ),
    ),
  );
  for (const [k, { room }] of scene.labels.entries()) {
    const element = overlay.children[k] as SVGTextElement;
    if (room === undefined || !element.isConnected) continue;
    const length = element.getComputedTextLength();
    if (length > room) element.setAttribute('font-size', String((scene.labels[k]!.size * room) / length));
  }
}
