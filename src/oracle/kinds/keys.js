/** Keys beside queries: whether both have one rotation, by one name and at the same positions. */
import { answerOf } from "../identify/identify.js";
import { residualOf } from "../identify/residual.js";
import { none } from "../words.js";

/**
 * @import { RopeModules } from "../../positional/rotary/rope/index.js"
 * @import { None, Result, Rotation, RotationAnswer, Still } from "../identify/identify.js"
 * @import { Port } from "../identify/residual.js"
 * @import { Found } from "../identify/rotation.js"
 */

/** What a rotation is, and how a sentence calls it. @type {Record<string, string>} */
const PROPERTIES = {
  layout: "the layout",
  output: "the layout of the output",
  table: "the layout of the table",
  isMinusLost: "a lost minus",
  dim: "the rotated width",
  start: "the first column",
  form: "the form of frequencies",
  base: "the base",
  scaling: "the scaling",
  unit: "the unit of angles",
  list: "the list of factors",
  exchanged: "exchanged numbers of the scaling",
  width: "the width in exponents",
  attentionFactor: "the attention factor",
  sign: "the sign of angles",
  swapped: "the order of cosines and sines",
  rounding: "rounded steps",
  headsAfter: "the order of axes",
  positions: "positions",
  batches: "positions by batch",
};

/** Fitted numbers of two measurements may differ by this much. */
const NEAR = 1e-4;

/**
 * One answer for queries and keys that rotate alike; else that they do not, with both measurements.
 * @param {RopeModules} modules @param {Result} q @param {Result} k
 * @returns {RotationAnswer}
 */
export function together(modules, q, k) {
  const kinds = [q.answer.kind, k.answer.kind];
  if (kinds.every((kind) => kind === "still")) {
    const decidedBy = [...q.answer.decidedBy, ...k.answer.decidedBy];
    const sentence = "nothing rotates: rotated is q, and k_rotated is k";
    return { .../** @type {Still} */ (q.answer), sentence, decidedBy, k: k.answer };
  }
  if (kinds.every((kind) => kind === "none")) {
    const [ofQ, ofK] = [q.answer, k.answer].map(({ decidedBy: [reason] }) => reason);
    return { ...none(`q: ${ofQ}; k: ${ofK}`), q: q.answer, k: k.answer };
  }
  if (kinds.some((kind) => kind !== "rope")) return apartOrEqual(q.answer, k.answer);
  const [one, other] = [q.answer, k.answer].map((answer) => /** @type {Rotation} */ (answer));
  const both = shared(modules, q, k, one.headsAfter);
  if (both) return alike(both.q, both.k);
  // Of batches with different positions only the answers are known.
  const isByBatch = one.batches !== undefined && other.batches !== undefined;
  const margin = isByBatch ? NEAR : 0;
  const differing = Object.keys(PROPERTIES).filter(
    (name) => !isNear(/** @type {any} */ (one)[name], /** @type {any} */ (other)[name], margin),
  );
  if (differing.length === 0 && isByBatch) return alike(one, other);
  return apart(one, other, differing.length > 0 ? differing : ["frequencies"]);
}

/** Of grids and M-RoPE, sentence and ids say all. @param {any} q @param {any} k @returns {any} */
function apartOrEqual(q, k) {
  const isSame = q.sentence === k.sentence && String(q.ids) === String(k.ids) && q.kind !== "none";
  return isSame ? alike(q, k) : apart(q, k, []);
}

/** @param {any} a @param {any} b @param {number} margin @returns {boolean} */
function isNear(a, b, margin) {
  if (typeof a === "number" && typeof b === "number") {
    return Math.abs(a - b) <= margin * Math.max(Math.abs(a), Math.abs(b));
  }
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => isNear(a[name], b[name], margin));
}

/**
 * The names that fit queries and keys at the same positions.
 * @param {RopeModules} modules @param {Result} q @param {Result} k @param {boolean} headsAfter
 * @returns {{q: Rotation, k: Rotation} | undefined}
 */
function shared(modules, q, k, headsAfter) {
  for (const [one, other] of [
    [q, k],
    [k, q],
  ]) {
    // prettier-ignore
    const isExact = other.found.some(({ residual }) => residual.exact <= 1);
    const pairs = one.found.flatMap((found) => {
      const own = fitOf(modules, other, found, isExact);
      return own ? [{ found, own }] : [];
    });
    if (pairs.length === 0) continue;
    const [mine, others] = [pairs.map(({ found }) => found), pairs.map(({ own }) => own)];
    return {
      q: answerOf(modules, q.port, one === q ? mine : others, headsAfter),
      k: answerOf(modules, k.port, one === q ? others : mine, headsAfter),
    };
  }
  return undefined;
}

/**
 * A convention that was found in one port, of another: at its own positions, if they are those of the first.
 * @param {RopeModules} modules @param {Result} other @param {Found} found @param {boolean} isExact
 * @returns {Found | undefined}
 */
function fitOf(modules, { port, found: all }, found, isExact) {
  for (const { convention, places } of all) {
    const { positions } = convention;
    if (!isAligned(found.convention.positions, positions)) continue;
    const own = { ...found.convention, positions };
    const residual = residualOf(modules, port, own);
    if ((isExact ? residual.exact : residual.score) <= 1) {
      return { ...found, convention: own, places, residual };
    }
  }
  return undefined;
}

/** Whether positions are the same; of unlike numbers of rows, the last or the first of them. @param {Float64Array} a @param {Float64Array} b */
function isAligned(a, b) {
  const count = Math.min(a.length, b.length);
  const isSame = (/** @type {Float64Array} */ one, /** @type {Float64Array} */ two) =>
    one.every((x, t) => x === two[t]);
  return (
    isSame(a.subarray(a.length - count), b.subarray(b.length - count)) ||
    isSame(a.subarray(0, count), b.subarray(0, count))
  );
}

/** @param {Rotation} q @param {Rotation} k @returns {Rotation} */
function alike(q, k) {
  const worst = k.residual > q.residual ? k : q;
  const largest = Number(k.residual.toPrecision(3));
  return {
    ...q,
    residual: worst.residual,
    at: worst.at,
    sentence: `${q.sentence}, q and k alike`,
    decidedBy: [
      ...q.decidedBy,
      `k_rotated was computed again by the same name: the largest difference is ${largest}`,
    ],
    ...(q.models && { models: q.models.filter((model) => k.models.includes(model)) }),
    k,
  };
}

/** @param {RotationAnswer} q @param {RotationAnswer} k @param {string[]} differing @returns {None} */
function apart(q, k, differing) {
  const what = differing.map((name) => PROPERTIES[name] ?? name).join(", ");
  const by = shift(q, k, differing);
  const reason = `q and k differ${what && ` in ${what}`}${by}: q: ${q.sentence}; k: ${k.sentence}`;
  return { ...none(reason, "no one name fits"), q, k };
}

/** By how much positions differ, where that is all. @param {RotationAnswer} q @param {RotationAnswer} k @param {string[]} differing */
function shift(q, k, differing) {
  if (String(differing) !== "positions" || q.kind !== "rope" || k.kind !== "rope") return "";
  const by = k.offset - q.offset;
  return by === 0 ? "" : `, which are ${Math.abs(by)} ${by > 0 ? "more" : "less"} in k`;
}
