/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { Scaling } from "../../positional/rotary/rope/scaling.js" */
/** @import { Position, PositionByLayer } from "./position.js" */
/** @import { Reading } from "./readings.js" */
/** @import { State } from "./state.js" */
/** @import { Task } from "../tasks/task.js" */
import * as check from "../../runtime/check.js";
import * as option from "../../runtime/options.js";
import { Tensor } from "../../runtime/tensor.js";
import { STREAM } from "./random.js";
import { fill, positionsOf, readTask, textsOf } from "./task.js";

export const READ = () => ({
  /** A scaling of RoPE's frequencies; or the name of one, whose factor is T / the length of the first training: `linear` (position interpolation), `ntk`, or `yarn`, with betas 4 and 1 and the ramp over turns. */
  scaling: option.value(/** @type {Scaling | Reading | undefined} */ (undefined)),
  /** Multiplies the scores q . k. */
  temperature: option.number({ default: 1, above: 0 }),
  /** Another scheme for the same weights, which has no numbers that are trained. */
  position: option.value(/** @type {Position | PositionByLayer | undefined} */ (undefined)),
  /** The positions of tokens: `consecutive`, or a function of the ids of a text. Default: the task's, else `consecutive`. */
  positions: option.value(
    /** @type {"consecutive" | ((ids: Int32Array) => ArrayLike<number>) | undefined} */ (undefined),
  ),
});

export const LOGITS = option.optionSet(READ);

export const EVALUATE = option.optionSet(() => ({
  /** The number T of tokens of a text. Default: the length of the first training. */
  length: option.integer(),
  /** The number of tokens of all texts, at least one text. */
  tokens: option.integer({ default: 16384 }),
  ...READ(),
}));

/** Tokens that one pass reads, at least one text. */
const PASS = 2048;

/** A window of held text is this many times as long as the texts of training. */
const LONGEST = 8;

/**
 * What a decoder answers.
 * @typedef {object} Evaluation
 * @property {number} loss  the mean over the targets, in nats
 * @property {number} accuracy  the share of targets that the largest logit is at; of equal ones the first counts
 * @property {Tensor} byPosition  [2, T], the mean loss and the accuracy at each place; NaN where no target was
 * @property {Tensor | null} byDistance  [2, T], the same by the distance to the token that answers; null without one
 * @property {number} tokens  the number of targets
 */

/**
 * The function that gives the positions of the tokens of a text, if not 0, 1, 2, ...
 * @param {unknown} given @param {Task["positions"]} [byDefault]
 */
export function placing(given, byDefault) {
  if (given === undefined) return byDefault;
  if (given === "consecutive") return undefined;
  if (typeof given === "function") return given;
  const got = check.describe(given);
  throw new TypeError(`positions must be "consecutive" or a function; got ${got}`);
}

/** Sums of losses and hits, by an index. */
class Means {
  /** @param {number} count */
  constructor(count) {
    this.losses = new Float64Array(count);
    this.hits = new Float64Array(count);
    this.counts = new Float64Array(count);
  }

  /** @param {number} at @param {number} loss @param {number} hit */
  add(at, loss, hit) {
    this.losses[at] += loss;
    this.hits[at] += hit;
    this.counts[at] += 1;
  }

  /** [2, count]: the mean loss and the share of hits. */
  tensor() {
    const { losses, hits, counts } = this;
    const all = new Float32Array(2 * counts.length);
    all.set(losses.map((sum, i) => sum / counts[i]));
    all.set(
      hits.map((sum, i) => sum / counts[i]),
      counts.length,
    );
    return new Tensor(all, [2, counts.length]);
  }
}

/**
 * Tests a decoder on texts of a separate stream, which does not depend on its seed.
 * @param {State} state @param {unknown} given  a task @param {OptionsOf<typeof EVALUATE>} options
 * @returns {Evaluation}
 */
export function evaluate(state, given, options) {
  const { length, tokens, temperature, positions, ...change } = EVALUATE.read(options);
  const task = readTask(given, state.shape.V);
  const placed = placing(positions, task.positions);
  const T = length ?? state.trained;
  if (T === 0) throw new RangeError("length must be given before a training; got undefined");
  const { network } = state; // a task may change it
  const schemes = state.schemesFor(change, T);
  const texts = drawn(state, task, T, tokens);
  const byPosition = new Means(T);
  const byDistance = new Means(T);
  const all = new Means(1);
  const step = Math.max(1, Math.floor(PASS / T)) * T;
  for (let from = 0; from < texts.ids.length; from += step) {
    const part = (/** @type {Int32Array} */ whole) => whole.slice(from, from + step);
    const [ids, targets, distances] = [part(texts.ids), part(texts.targets), part(texts.distances)];
    const indices = placed && positionsOf(placed, ids, T);
    const reading = state.reading(schemes, ids.length / T, T, indices, temperature);
    const { losses, hits } = network.score(reading, ids, targets);
    targets.forEach((target, t) => {
      if (target < 0) return;
      all.add(0, losses[t], hits[t]);
      byPosition.add(t % T, losses[t], hits[t]);
      if (distances[t] >= 0) byDistance.add(distances[t], losses[t], hits[t]);
    });
  }
  const [tokensSeen] = all.counts;
  return {
    loss: all.losses[0] / tokensSeen,
    accuracy: all.hits[0] / tokensSeen,
    byPosition: byPosition.tensor(),
    byDistance: task.hasDistances ? byDistance.tensor() : null,
    tokens: tokensSeen,
  };
}

/**
 * The texts of an evaluation.
 * @param {State} state @param {Task} task @param {number} T @param {number} tokens
 */
function drawn({ core, trained }, task, T, tokens) {
  const draws = { core, seed: 0n, stream: STREAM.evaluation, first: 0 };
  // Pieces of the same windows at every length: each length then reads the same characters.
  const window = task.held ? Math.max(T, LONGEST * (trained || T)) : T;
  const texts = textsOf(Math.max(1, Math.floor(tokens / window)) * window);
  fill(task, draws, window, texts, task.held ? "held" : "fill");
  const kept = window - (window % T);
  const cut = (/** @type {Int32Array} */ whole) =>
    kept === window ? whole : whole.filter((_, i) => i % window < kept);
  return { ids: cut(texts.ids), targets: cut(texts.targets), distances: cut(texts.distances) };
}
