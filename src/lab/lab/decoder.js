/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { TensorInput } from "../../runtime/tensor.js" */
/** @import { Position, PositionByLayer } from "./position.js" */
/** @import { Task } from "../tasks/task.js" */
/** @import { EVALUATE, Evaluation } from "./evaluation.js" */
/** @import { Progress, TRAIN } from "./training.js" */
import { areEqual } from "../../runtime/arrays.js";
import * as check from "../../runtime/check.js";
import { wrongShape } from "../../runtime/errors.js";
import { readIds } from "../../runtime/ids.js";
import { asArray } from "../../runtime/input.js";
import { beginLife, disposable } from "../../runtime/lifetime.js";
import * as option from "../../runtime/options.js";
import { Tensor } from "../../runtime/tensor.js";
import { hashOf } from "./bits.js";
import { evaluate, LOGITS, placing } from "./evaluation.js";
import { RUN } from "./network.js";
import { jsonOf, safetensorsOf } from "./safetensors.js";
import { freeing, State } from "./state.js";
import { positionsOf } from "./task.js";
import { copiesOf, optionsOf, restore, weightsOf } from "./weights.js";
import { train } from "./training.js";

export const DECODER = option.optionSet(() => ({
  /** The number V of ids. */
  vocabulary: option.integer(),
  /** The width E, a multiple of 4 and of `heads`. */
  dim: option.integer({ default: 32, step: 4 }),
  /** The number H of heads. */
  heads: option.integer({ default: 2 }),
  /** The number L of layers. */
  layers: option.integer({ default: 1, max: 64 }),
  /** The width of the MLP, as a multiple of `dim`. */
  mlp: option.integer({ default: 4, max: 64 }),
  /** Whether the head's matrix is the table of words. */
  tied: option.boolean(),
  /** Whether in_proj has a bias. */
  bias: option.boolean(),
  /** The standard deviations at the start: of the rows of words, and of learned positions. Default: 0.5 each. */
  std: option.value(/** @type {{words?: number, positions?: number} | undefined} */ (undefined)),
  /** The scheme, with options of it; `{ layers: [...] }`: one for each layer. Default: `{ scheme: "rope" }`. */
  position: option.value(/** @type {Position | PositionByLayer | undefined} */ (undefined)),
  /** The seed of the weights at the start, of the texts and of random positions. */
  seed: option.seed(),
}));

export const FROM = option.optionSet(() => ({
  ...DECODER.declared,
  /** Where a saved training was: `resume` of `model.options()`. Then `train` goes on with it, given the same settings. */
  resume: option.value(/** @type {Resume | undefined} */ (undefined)),
}));

const WEIGHTS = option.optionSet(() => ({
  /** Whether AdamW's two moments are there, too: `adamw.means.NAME` and `adamw.squares.NAME`. */
  optimizer: option.boolean(),
}));

const SAVE = option.optionSet(() => ({
  ...WEIGHTS.declared,
  /** The text of each id, which the file then has, too: those of the task. */
  names: option.value(/** @type {readonly string[] | undefined} */ (undefined)),
}));

/**
 * Where a training is: the steps of its run, those of all runs, the length of the first training, the texts of all runs,
 * and the settings of the run as JSON.
 * @typedef {{step: number, made: number, trained: number, texts: number, settings: string}} Resume
 */

/**
 * A decoder, in WebAssembly memory until `dispose`.
 * @typedef {object} Decoder
 * @property {number} parameters  how many numbers it has
 * @property {Position | PositionByLayer} position  its scheme, as it was given
 * @property {(task: Task, options?: OptionsOf<typeof TRAIN>) => Generator<Progress, void, void>} train  trains it: each
 *   step is made when the loop asks for it. After a `break`, a call with the same arguments goes on; any other, or one
 *   after the last step, begins a new schedule, with AdamW's moments at 0
 * @property {(task: Task, options?: OptionsOf<typeof EVALUATE>) => Evaluation} evaluate  tests it on texts that do not
 *   depend on its seed
 * @property {(ids: TensorInput, options?: OptionsOf<typeof LOGITS>) => Tensor} logits  of texts [T] or [B, T]:
 *   [T, V] or [B, T, V]
 * @property {(ids: TensorInput, options?: OptionsOf<typeof LOGITS>) => Tensor} attention  the weights of all layers,
 *   [L, B, H, T, T]
 * @property {(ids: TensorInput, targets: TensorInput, options?: OptionsOf<typeof LOGITS>) => Gradients} gradients  of the
 *   mean loss of texts [B, T] and targets [B, T], -1: not counted
 * @property {(options?: OptionsOf<typeof WEIGHTS>) => Record<string, Tensor>} weights  copies of all parameters, by name
 * @property {() => string} bits  a hash of all weights, 16 hexadecimal digits: the same run gives the same on every machine
 * @property {() => Required<OptionsOf<typeof FROM>>} options  what `lab.decoder.from` needs beside the weights
 * @property {(options?: OptionsOf<typeof SAVE>) => Uint8Array<ArrayBuffer>} save  a safetensors file of the weights; its
 *   metadata has the options as JSON, `phasor_lab`, and the names, `phasor_names`
 * @property {(position: Position | PositionByLayer) => void} change  another scheme, or none, for the same weights; its
 *   own numbers start as those of a new decoder
 * @property {() => void} dispose  frees the memory; further calls have no effect
 */

/**
 * The mean loss of texts, and its derivative by each parameter.
 * @typedef {{loss: number, gradients: Record<string, Tensor>}} Gradients
 */

/**
 * Reads the options of a decoder.
 * @param {unknown} options
 * @param {typeof DECODER | typeof FROM} [optionSet]
 */
export function readDecoder(options, optionSet = DECODER) {
  const read = /** @type {OptionsOf<typeof FROM>} */ (optionSet.read(options));
  const { vocabulary, dim = 0, heads = 0, layers = 0, mlp = 0, std, position } = read;
  const { tied = false, bias: biased = false, seed = 0, resume } = read;
  const V = check.integer(vocabulary, "vocabulary");
  if (dim % 4 !== 0) throw new RangeError(`dim must be a multiple of 4; got ${dim}`);
  if (dim % heads !== 0) {
    throw new RangeError(`heads must divide dim, ${dim}; got ${heads}`);
  }
  const { words, positions } = check.options(std, { words: 0.5, positions: 0.5 }, "std");
  const size = (/** @type {number} */ x) => x >= 0;
  const rule = "a number from 0 on";
  return {
    shape: { V, E: dim, H: heads, L: layers, F: mlp * dim, tied, biased },
    std: {
      words: check.finite(words, "std.words", rule, size),
      positions: check.finite(positions, "std.positions", rule, size),
    },
    position: position ?? /** @type {Position} */ ({ scheme: "rope" }),
    seed: BigInt(seed),
    resume: resume && readResume(resume),
  };
}

/** @param {unknown} given @returns {Resume} */
function readResume(given) {
  const none = { step: 0, made: 0, trained: 0, texts: 0, settings: "" };
  const { settings, ...read } = check.options(given, none, "resume");
  const whole = (/** @type {keyof typeof read} */ name, least = 0, most = 2 ** 31 - 1) =>
    check.integer(read[name], `resume.${name}`, least, most);
  const [step, made, trained] = [whole("step"), whole("made"), whole("trained")];
  if (typeof settings !== "string" || (step > 0 && settings === "")) {
    const got = check.describe(settings);
    throw new TypeError(`resume.settings must be those of options(); got ${got}`);
  }
  return { step, made, trained, texts: whole("texts", made, 2 ** 53 - 1), settings };
}

/**
 * A decoder in WebAssembly memory.
 * @param {Core} core @param {ReturnType<typeof readDecoder>} start
 * @param {unknown} [tensors]  weights to start with
 * @returns {Decoder}
 */
export function decoder(core, start, tensors) {
  const state = new State(core, start);
  const { V, H, L } = start.shape;
  const { live, dispose } = beginLife("the decoder", freeing(core, state.held));
  if (tensors !== undefined) {
    try {
      const hasMoments = restore(state.network, tensors);
      if (state.run) state.run.hasMoments = hasMoments;
    } catch (error) {
      dispose();
      throw error;
    }
  }

  /**
   * @param {unknown} ids @param {unknown} options @param {boolean} keeps
   */
  const readingOf = (ids, options, keeps) => {
    live();
    const { temperature, positions, ...change } = LOGITS.read(options);
    const { data, shape } = readIds(ids, V);
    if ((shape.length !== 1 && shape.length !== 2) || data.length === 0) {
      throw wrongShape("ids", "[T] or [B, T], not empty", shape);
    }
    const T = shape[shape.length - 1];
    const placed = placing(positions);
    const indices = placed && positionsOf(placed, data, T); // the function may change the position
    const schemes = state.schemesFor(change, T);
    const reading = state.reading(schemes, data.length / T, T, indices, temperature, keeps);
    live(); // a getter among the arguments may have called dispose()
    return { data, shape, reading };
  };

  return disposable("Decoder", {
    get parameters() {
      return state.network.parameters.reduce((sum, { count }) => sum + count, 0);
    },

    get position() {
      return state.position;
    },

    train(task, options = {}) {
      live();
      return train(state, task, options, live);
    },

    evaluate(task, options = {}) {
      live();
      return evaluate(state, task, options);
    },

    logits(ids, options = {}) {
      const { data, shape, reading } = readingOf(ids, options, false);
      return new Tensor(state.network.logits(reading, data), [...shape, V]);
    },

    attention(ids, options = {}) {
      const { data, reading } = readingOf(ids, options, true);
      const { B, places } = reading;
      return new Tensor(state.network.attention(reading, data), [L, B, H, places.T, places.T]);
    },

    gradients(ids, targets, options = {}) {
      const { data, shape, reading } = readingOf(ids, options, true);
      const wanted = readTargets(targets, shape, V);
      live();
      const loss = state.network.gradient(reading, data, wanted);
      return { loss, gradients: copiesOf(state, RUN.gradients) };
    },

    weights(options = {}) {
      live();
      return weightsOf(state, WEIGHTS.read(options).optimizer);
    },

    bits: () => (live(), hashOf(state.network)),

    options: () => (live(), optionsOf(state)),

    save(given = {}) {
      live();
      const { optimizer, names } = SAVE.read(given);
      const seed = String(start.seed);
      /** @type {Record<string, string>} */
      const metadata = { phasor_lab: jsonOf({ ...optionsOf(state), seed }) };
      if (names !== undefined) metadata.phasor_names = JSON.stringify(readNames(names, V));
      return safetensorsOf(weightsOf(state, optimizer), metadata);
    },

    change(position) {
      live();
      state.change(position);
    },

    dispose,
  });
}

/** @param {unknown} targets @param {readonly number[]} shape  of the ids @param {number} V */
function readTargets(targets, shape, V) {
  const { data, shape: own } = asArray(targets, "targets");
  if (!areEqual(own, shape)) throw wrongShape("targets", `that of ids, [${shape.join(", ")}]`, own);
  const all = Int32Array.from(data, (x, t) => check.integer(x, `targets[${t}]`, -1, V - 1));
  if (all.some((target) => target >= 0)) return all;
  throw new RangeError("targets must have one that is counted; got none");
}

/** @param {readonly unknown[]} names @param {number} V */
function readNames(names, V) {
  const isShort = check.isList(names) && names.length <= V;
  if (isShort && names.every((name) => typeof name === "string")) return names;
  const got = check.describe(names);
  throw new TypeError(`names must be a list of at most ${V} texts; got ${got}`);
}
