/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Places, Position, Scheme, Tables } from "./position.js" */
/** @import { Placed, Shape } from "./parameters.js" */
import { count, float32s, int32s } from "../../runtime/arrays.js";
import { DisposedError } from "../../runtime/errors.js";
import { allocate, put, take, withAddresses } from "../../runtime/memory.js";
import { guard } from "../../runtime/wasm.js";
import { padded, parametersOf } from "./parameters.js";
import { KIND } from "./schemes.js";
import { draw, STREAM } from "./random.js";

/** Weights, gradients, and AdamW's two moments, one after the other. */
const RUNS = 4;
export const RUN = Object.freeze({ weights: 0, gradients: 1, means: 2, squares: 3 });

/** The numbers of phasor::lab::Scheme. */
const SCHEME_WORDS = 8;

/**
 * The settings of one step of AdamW, as C++ takes them.
 * @typedef {{rate: number, biasRate: number, beta1: number, beta2: number, epsilon: number, decay: number, clip: number,
 *   step: number}} Update
 */

/**
 * What one call reads.
 * @typedef {object} Reading
 * @property {Network} network  that it is for
 * @property {number} B
 * @property {Places} places
 * @property {readonly Scheme[]} schemes  those of the network, or others without numbers
 * @property {Tables[]} tables  of each scheme
 * @property {Float32Array | undefined} added
 * @property {number} temperature
 * @property {boolean} keeps  what the gradient and `attention` need
 */

/**
 * The weights of a decoder in WebAssembly memory, and the kernels over them.
 */
export class Network {
  /** @type {readonly Placed[]} */
  parameters;
  /**
   * @param {Core} core @param {{at: number}} held  the address of the network that is in use; 0 for none
   * @param {Shape} shape @param {{words: number, positions: number}} std
   * @param {readonly Scheme[]} schemes  one for all layers, or one for each
   * @param {boolean} isByLayer
   */
  constructor(core, held, shape, std, schemes, isByLayer) {
    this.core = core;
    this.held = held;
    this.shape = shape;
    this.schemes = schemes;
    this.isByLayer = isByLayer;
    const { all, at, total, numbers } = parametersOf(shape, std, schemes, isByLayer);
    this.parameters = all;
    this.starts = at;
    this.total = total;
    const { V, E, H, L, F, tied, biased } = shape;
    this.sizes = {
      V,
      E,
      H,
      L,
      F,
      R: schemes.reduce((sum, { rows }) => sum + rows, 0),
      tied: Number(tied),
      biased: Number(biased),
      numbers,
      extra: Math.max(0, ...schemes.map(({ kind, size }) => (kind >= KIND.shaw ? size : 0))),
      B: 0,
      T: 0,
    };
    const bytes = RUNS * total * 4;
    /** The address of all runs. */
    this.at = guard(core, () => allocate(core, `a decoder of ${total} parameters`, bytes));
    core.raw.HEAPU8.fill(0, this.at, this.at + bytes);
  }

  /** The address of a run's first number. @param {number} run */
  place(run) {
    return this.at + run * this.total * 4;
  }

  /** The numbers of a parameter in a run, as they are in memory now. @param {Placed} parameter @param {number} [run] */
  view({ at, count }, run = RUN.weights) {
    const from = this.place(run) / 4 + at;
    return this.core.raw.HEAPF32.subarray(from, from + count);
  }

  /** Throws if a function of the caller has called `dispose` or `change` meanwhile. @param {Reading} reading */
  checkUse({ network }) {
    if (this.held.at === 0) throw new DisposedError("the decoder");
    if (network === this && this.at !== 0) return;
    throw new RangeError("position must stay as it is within a call; got a change of it");
  }

  free() {
    if (!this.core.dead) this.core.raw._free(this.at);
    this.at = 0;
  }

  /** Draws what a parameter starts with. @param {Placed} parameter @param {number} index  its stream @param {bigint} seed */
  start(parameter, index, seed) {
    const { start, scale = 1, shift = 0, count } = parameter;
    const drawn = (/** @type {number} */ std) =>
      draw(this.core, seed, STREAM.weights, index, 0, count, std);
    const numbers =
      start === "uniform"
        ? drawn(0).map((u) => (2 * u - 1) * scale + shift)
        : start === "normal" && scale > 0 && drawn(scale);
    const to = this.view(parameter); // drawing may have moved the heap
    if (parameter.values) to.set(parameter.values);
    else if (numbers) to.set(numbers);
    else to.fill(start === "ones" ? 1 : 0);
  }

  /** Sets gradients and moments to 0. */
  forget() {
    this.core.raw.HEAPU8.fill(0, this.place(RUN.gradients), this.place(RUNS));
  }

  /**
   * Runs a pass over texts.
   * @template Result
   * @param {Reading} reading @param {Int32Array} ids  [B, T] @param {Int32Array | undefined} targets
   * @param {(call: any, logits: number, sums: number[]) => Result} use  gets the call, and the addresses of the logits
   *   and of the gradient of each scheme's line
   * @returns {Result}
   */
  pass(reading, ids, targets, use) {
    const { core } = this;
    const { B, places, schemes, tables, added, temperature, keeps } = reading;
    this.checkUse(reading);
    const { T, texts, indices, distances } = places;
    const sizes = { ...this.sizes, B, T };
    const call = {
      sizes,
      distances,
      texts,
      schemesCount: schemes.length,
      layer: 0,
      indices: 0,
      schemes: 0,
      layers: 0,
      weights: this.place(RUN.weights),
      added: 0,
      ids: 0,
      targets: 0,
      workspace: 0,
      gradients: this.place(RUN.gradients),
      temperature,
      learned: schemes.some(({ rows }) => rows > 0),
      trains: keeps,
    };
    const bytes = core.raw.lab_workspace(call) * 4;
    const layers = int32s(this.shape.L, "layers");
    layers.forEach((_, l) => (layers[l] = this.isByLayer ? l : 0));
    const words = int32s(SCHEME_WORDS * schemes.length, "schemes");
    schemes.forEach(({ own }, s) => own?.line(this.numbersOf(s), tables[s].line, distances));
    this.checkUse(reading);
    /** @type {(Float32Array | Int32Array | undefined)[]} */
    const inputs = [ids, targets, layers, words, indices, added];
    const own = tables.flatMap(({ tables, index, line }) => [tables, index, line]);
    const arrays = [...inputs, ...own];
    const memory = [bytes, ...arrays.map((array) => array?.byteLength ?? 0)];
    return withAddresses(core, [...memory, ...tables.map(({ sums = 0 }) => sums * 4)], (at) => {
      const [workspace, ...places] = at;
      const address = arrays.map((array, i) => (array ? places[i] : 0));
      schemes.forEach(({ kind, pairs, size }, s) => {
        const [table, index, line] = address.slice(inputs.length + 3 * s);
        const sums = tables[s].sums ? places[arrays.length + s] : 0;
        words.set([kind, pairs, size, this.starts[s], table, index, line, sums], SCHEME_WORDS * s);
      });
      arrays.forEach((array, i) => array && put(core, array, places[i]));
      call.workspace = workspace;
      [call.ids, call.targets, call.layers, call.schemes, call.indices, call.added] = address;
      return use(call, core.raw.lab_forward(call), places.slice(arrays.length));
    });
  }

  /** The mean loss of texts; the gradient is then in its run. @param {Reading} reading @param {Int32Array} ids @param {Int32Array} targets */
  gradient(reading, ids, targets) {
    return this.pass(reading, ids, targets, (call, _, sums) => {
      const { raw } = this.core;
      const loss = raw.lab_backward(call);
      const { distances: N } = reading.places;
      reading.schemes.forEach(({ own }, s) => {
        if (!own) return;
        const from = sums[s] / 4;
        // A copy: what the caller's derivative does may move the heap.
        const line = raw.HEAPF32.slice(from, from + this.shape.H * N);
        const gradient = own.gradient(this.numbersOf(s), line, N);
        this.checkUse(reading);
        const to = this.numbersOf(s, RUN.gradients);
        gradient.forEach((sum, i) => (to[i] += sum));
      });
      return loss;
    });
  }

  /** The numbers of a scheme, as they are in memory now. @param {number} scheme @param {number} [run] */
  numbersOf(scheme, run = RUN.weights) {
    const size = this.schemes[scheme].parameters.reduce((sum, { shape }) => sum + count(shape), 0);
    const from = this.place(run) / 4 + this.starts[scheme];
    return this.core.raw.HEAPF32.subarray(from, from + size);
  }

  /** A step of AdamW. @param {Update} update @returns {number} the norm of the gradient before clipping */
  update({ biasRate, ...update }) {
    const sizes = { ...this.sizes, B: 0, T: 0 };
    const step = { sizes, with: { ...update, biasRate }, weights: this.place(RUN.weights) };
    return guard(this.core, () => this.core.raw.lab_update(step));
  }

  /** The logits [B, T, V]. @param {Reading} reading @param {Int32Array} ids */
  logits(reading, ids) {
    const { V } = this.shape;
    const row = padded(V);
    const out = float32s(ids.length * V, "logits");
    this.pass(reading, ids, undefined, (_, logits) => {
      const heap = this.core.raw.HEAPF32;
      for (let t = 0; t < ids.length; ++t) {
        const from = logits / 4 + t * row;
        out.set(heap.subarray(from, from + V), t * V);
      }
    });
    return out;
  }

  /** Attention weights [L, B, H, T, T]. @param {Reading} reading @param {Int32Array} ids */
  attention(reading, ids) {
    const { L, H } = this.shape;
    const { B, places } = reading;
    const { T } = places;
    const row = padded(T);
    const rows = B * H * T;
    const out = float32s(L * rows * T, "attention weights");
    this.pass(reading, ids, undefined, (call) => {
      const { raw } = this.core;
      for (let l = 0; l < L; ++l) {
        const first = raw.lab_attention({ ...call, layer: l }) / 4;
        for (let r = 0; r < rows; ++r) {
          const from = first + r * row;
          out.set(raw.HEAPF32.subarray(from, from + T), (l * rows + r) * T);
        }
      }
    });
    return out;
  }

  /** The loss of each token in nats, and whether it was right. @param {Reading} reading @param {Int32Array} ids @param {Int32Array} targets */
  score(reading, ids, targets) {
    const count = ids.length;
    const { V } = this.shape;
    const losses = float32s(count, "losses");
    const hits = int32s(count, "hits");
    const { core } = this;
    this.pass(reading, ids, targets, (call, logits) => {
      withAddresses(core, [count * 4, count * 4], ([lossesAt, hitsAt]) => {
        core.raw.lab_score(count, V, padded(V), call.targets, logits, lossesAt, hitsAt);
        take(core, lossesAt, count, losses);
        take(core, hitsAt, count, hits);
      });
    });
    return { losses, hits };
  }
}
