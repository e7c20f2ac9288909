/** Batches that have one convention, each with other positions; or that have several. */
import { isSame, resultOf, stillOf } from "../identify/identify.js";
import { positionWords, sentenceOf } from "../identify/words.js";
import { none } from "../words.js";

/**
 * @import { RopeModules } from "../../positional/rotary/rope/index.js"
 * @import { Result, Rotation, Still, With } from "../identify/identify.js"
 * @import { Port } from "../identify/residual.js"
 */

/** At most this many batches are measured one by one. */
const MOST_BATCHES = 64;

/**
 * The result of batches by themselves, where there is none of all: along the first axis, then of all such as heads.
 * @param {RopeModules} modules @param {Result} own
 * @returns {Result} the same where batches have no answer
 */
export function inBatches(modules, own) {
  const { sizes, with_ } = own.apart ?? { sizes: [] };
  if (own.answer.kind !== "none" || !with_) return own;
  const of = (/** @type {number} */ count) =>
    byBatch(modules, own.port, count, { ...with_, otherwise: own });
  const first = of(sizes[0] ?? 1);
  return first !== own || sizes.length < 2 ? first : of(own.port.batches);
}

/**
 * One answer for batches that have one convention, each with other positions.
 * @param {RopeModules} modules @param {Port} port @param {number} count  of batches
 * @param {With & {otherwise: Result}} with_
 * @returns {Result}
 */
function byBatch(modules, port, count, { otherwise, ...with_ }) {
  if (count < 2 || count > MOST_BATCHES) return otherwise;
  const size = port.arrays[0].length / count;
  /** @type {(Rotation | Still)[]} */
  const found = [];
  for (let b = 0; b < count; ++b) {
    const part = (/** @type {Float32Array} */ array) => array.subarray(b * size, (b + 1) * size);
    const arrays = /** @type {const} */ ([part(port.arrays[0]), part(port.arrays[1])]);
    const own = { ...port, arrays, batches: port.batches / count };
    const isStill = port.kind === "vectors" && isSame(...arrays);
    const answer = isStill ? stillOf("nothing rotates") : resultOf(modules, own, with_).answer;
    if (answer.kind === "none") return otherwise;
    found.push(answer);
  }
  const other = found.findIndex((one) => conventionOf(one) !== conventionOf(found[0]));
  if (other > 0) {
    const [a, b] = [found[0], found[other]].map(({ sentence }) => sentence);
    const alike = found.filter((one) => conventionOf(one) === conventionOf(found[0])).length;
    const reason = `batches differ: 0 is ${a}; ${other} is ${b}; ${alike} of ${count} are as 0`;
    const failure = { step: Infinity, reason };
    return { answer: none(reason, "no one name fits"), port, found: [], failure };
  }
  const all = /** @type {Rotation[]} */ (found);
  const worst = all.reduce((most, one) => (one.residual > most.residual ? one : most));
  const batches = all.map(({ positions }) => positions);
  const places = all
    .map((one, b) => `${b}: ${positionWords(one) || "positions from 0"}`)
    .slice(0, 8)
    .join("; ");
  const answer = {
    ...all[0],
    residual: worst.residual,
    at: worst.at,
    batches,
    sentence: `${sentenceOf({ ...all[0], positions: { rule: "consecutive", offset: 0 } })}, by batch: ${places}`,
  };
  return { answer, port, found: [] };
}

/** What batches must have in common: all but their positions. @param {Rotation | Still} answer */
const conventionOf = (answer) =>
  answer.kind === "still"
    ? ""
    : sentenceOf({ ...answer, positions: { rule: "consecutive", offset: 0 } });
