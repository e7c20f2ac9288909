/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { Scaling } from "../../positional/rotary/rope/scaling.js" */
/** @import { Reading } from "./readings.js" */
/** @import { Task } from "../tasks/task.js" */
/** @import { Texts } from "./task.js" */
/** @import { Run, State } from "./state.js" */
import * as check from "../../runtime/check.js";
import { inFunction } from "../../runtime/named.js";
import * as option from "../../runtime/options.js";
import { DivergedError } from "./errors.js";
import { source, STREAM } from "./random.js";
import { jsonOf } from "./safetensors.js";
import { checkTexts, fill, positionsOf, readTask, textsOf } from "./task.js";

export const TRAIN = option.optionSet(() => ({
  /** The number T of tokens of a text. */
  length: option.integer({ default: 32 }),
  /** The number B of texts of a step. */
  batch: option.integer({ default: 16 }),
  /** The number of steps. */
  steps: option.integer({ default: 200 }),
  /** The peak of the learning rate. */
  learningRate: option.number({ default: 6e-3, min: 0 }),
  /** The steps in which the rate rises, at most a quarter of all and one. */
  warmup: option.integer({ default: 50 }),
  /** The share of the peak at the end of half a cosine; 1: the rate stays. */
  floor: option.number({ default: 0.1, min: 0, max: 1 }),
  /** AdamW's decay rates of the means and of the squares. Default: [0.9, 0.99]. */
  betas: option.value(/** @type {readonly [number, number] | undefined} */ (undefined)),
  /** AdamW's epsilon, which float32 must not take for 0. */
  eps: option.number({ default: 1e-8, min: 1e-45 }),
  /** The decay of the matrices of layers and of the head. */
  weightDecay: option.number({ default: 0.01, min: 0 }),
  /** The largest norm of all gradients; 0: any. */
  clip: option.number({ default: 1, min: 0 }),
  /** The rate of the numbers of a bias, as a multiple. */
  biasRate: option.number({ default: 30, min: 0 }),
  /** The positions of tokens: `consecutive`; `{ random: range }`, a sorted sample of 0 .. range - 1 in each step; or a function of the ids of a text. Default: the task's, else `consecutive`. */
  positions: option.value(
    /** @type {"consecutive" | {random: number} | ((ids: Int32Array) => ArrayLike<number>) | undefined} */ (
      undefined
    ),
  ),
  /** A scaling of RoPE's frequencies for these steps, as that of `evaluate`. */
  scaling: option.value(/** @type {Scaling | Reading | undefined} */ (undefined)),
  /** The steps between two reports. */
  every: option.integer({ default: 10 }),
  /** Stops the run before its next step, with the signal's reason; the model can be used. */
  signal: option.value(/** @type {AbortSignal | undefined} */ (undefined)),
}));

/**
 * One report of a training.
 * @typedef {object} Progress
 * @property {number} step  from 0
 * @property {number} loss  the mean of the step, before its update, in nats
 * @property {number} rate  the learning rate of the step
 * @property {number} norm  of the gradient, before clipping
 */

/**
 * Trains a decoder; each step is made when it is asked for.
 * @param {State} state @param {unknown} given  a task @param {OptionsOf<typeof TRAIN>} options
 * @param {() => void} live  throws after `dispose`
 * @returns {Generator<Progress, void, void>}
 */
export function train(state, given, options, live) {
  const { length: T, batch: B, every, signal, betas, positions, ...settings } = TRAIN.read(options);
  check.abortSignal(signal);
  const task = readTask(given, state.shape.V);
  const [beta1, beta2] = readBetas(betas);
  const placed = readPositions(positions, task, T);
  const schemes = state.schemesFor({ scaling: settings.scaling }, T);
  const own = typeof positions === "function" ? positions : undefined;
  const said = jsonOf([T, B, beta1, beta2, own ? "own" : positions, settings]);
  const functions = [task, own];
  const step = stepOf(state.run, functions, said, settings.steps);
  if (step === 0) state.network.forget();
  state.run = { functions, settings: said, step };
  state.trained ||= T;
  return named(state.run);

  /** The steps, whose errors name the function. @param {Run} run @returns {Generator<Progress, void, void>} */
  function* named(run) {
    try {
      yield* steps(run);
    } catch (error) {
      throw inFunction("Decoder.train", error);
    }
  }

  /** @param {Run} run @returns {Generator<Progress, void, void>} */
  function* steps(run) {
    const { steps, learningRate, warmup, floor, biasRate, eps, weightDecay, clip } = settings;
    const texts = textsOf(B * T);
    const shared = placed ? undefined : state.reading(schemes, B, T, undefined, 1, true);
    while (run.step < steps) {
      signal?.throwIfAborted();
      live();
      if (run !== state.run) {
        throw new RangeError("a training must be the last that was begun; got one before it");
      }
      const { core, network, seed } = state;
      const { step } = run;
      fill(task, { core, seed, stream: STREAM.training, first: state.texts }, T, texts);
      if (texts.targets.every((target) => target < 0)) {
        throw new RangeError(
          `task.fill must write a target; got none in the texts of step ${step}`,
        );
      }
      const reading = shared ?? state.reading(schemes, B, T, placed?.(state, texts), 1, true);
      const rate = core.raw.lab_rate(learningRate, step, steps, warmup, floor);
      const loss = network.gradient(reading, texts.ids, texts.targets);
      if (!Number.isFinite(loss)) throw new DivergedError(step, rate);
      const norm = network.update({
        rate,
        biasRate: rate * biasRate,
        beta1,
        beta2,
        epsilon: eps,
        decay: weightDecay,
        clip,
        step: step + 1,
      });
      if (!Number.isFinite(norm)) throw new DivergedError(step, rate);
      run.step += 1;
      state.made += 1;
      state.texts += B;
      if (run.step % every === 0 || run.step === steps) yield { step, loss, rate, norm };
    }
  }
}

/**
 * The step that a call begins with: that of the run before if it is the same and has not ended, else 0.
 * @param {Run | undefined} run @param {unknown[]} functions @param {string} settings @param {number} steps
 */
function stepOf(run, functions, settings, steps) {
  if (!run?.step || run.settings !== settings) return 0;
  if (run.functions) {
    const isSame = run.functions.every((value, i) => value === functions[i]);
    return isSame && run.step < steps ? run.step : 0;
  }
  if (run.step < steps && run.hasMoments) return run.step;
  const ended = `resume.step must be below steps, ${steps}, for a run to go on, or 0 for a new one`;
  const bare = `tensors must have AdamW's moments for a run to go on at step ${run.step}`;
  throw new RangeError(run.step < steps ? `${bare}; got none` : `${ended}; got ${run.step}`);
}

/** @param {unknown} betas @returns {[number, number]} */
function readBetas(betas = [0.9, 0.99]) {
  const share = (/** @type {unknown} */ value, /** @type {number} */ i) =>
    check.finite(value, `betas[${i}]`, "a number from 0 to below 1", (x) => x >= 0 && x < 1);
  if (!check.isList(betas) || betas.length !== 2) {
    throw new TypeError(`betas must be a list of two numbers; got ${check.describe(betas)}`);
  }
  return [share(betas[0], 0), share(betas[1], 1)];
}

/** Those that the task has written. @param {Texts} texts */
function writtenPositions({ positions }) {
  checkTexts("fill", "positions", positions, 0, 2 ** 31);
  return positions;
}

/**
 * The positions of the tokens of a step, if not 0, 1, 2, ...
 * @param {unknown} given @param {Task} task @param {number} T
 * @returns {((state: State, texts: Texts) => Int32Array) | undefined}
 */
function readPositions(given, task, T) {
  if (given === undefined) return task.positions && ((_, texts) => writtenPositions(texts));
  if (given === "consecutive") return undefined;
  if (typeof given === "function") return (_, { ids }) => positionsOf(given, ids, T);
  const { random } = check.options(given, { random: undefined }, "positions");
  const range = check.integer(random, "positions.random", T);
  return ({ core, seed, made }) => {
    const { below } = source(core, seed, STREAM.positions, made);
    return sample(below, range, T);
  };
}

/**
 * T of the numbers 0 .. range - 1, without one twice, in order.
 * @param {(count: number) => number} below @param {number} range @param {number} T
 */
function sample(below, range, T) {
  const all = Int32Array.from({ length: range }, (_, i) => i);
  for (let i = 0; i < T; ++i) {
    const j = i + below(range - i);
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all.slice(0, T).sort();
}
