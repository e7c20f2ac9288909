// What a page says about an answer.

/** @import { Quantity } from "../read-number.js" */
/** @import { Sorted } from "./sort.js" */
import { brief } from "../numbers.js";
import { isAnswer, nearMiss } from "./near.js";

/**
 * The computed answer of a question with options. `because` gives the reason with the computed numbers: one for all
 * options, or one for each. What it says about a wrong option of an exercise must not give the right one away.
 *
 * @typedef {{ answer: string, because: string | Readonly<Record<string, string>> }} ChoiceJudgement
 */
/**
 * The computed number that a question asks for, and how far from it an answer may be. `near` are numbers that a known
 * mistake leads to, and what to say about them.
 *
 * @typedef {object} NumberJudgement
 * @property {number} answer
 * @property {number} [within]  default 0
 * @property {string} because
 * @property {readonly { value: number, within?: number, because: string }[]} [near]
 */
/**
 * The computed curve of a question that is answered by drawing, as points with increasing x; an answer is right if it
 * differs by at most `within` on average and has the shape of the curve: it rises, falls and bends where the curve does.
 *
 * @typedef {object} CurveJudgement
 * @property {readonly (readonly [x: number, y: number])[]} curve
 * @property {number} within
 * @property {string} because
 */
/**
 * The computed group of each thing that a reader sorts, and why it belongs there.
 *
 * @typedef {object} SortJudgement
 * @property {Readonly<Record<string, string>>} sorted
 * @property {Readonly<Record<string, string>>} because
 */
/** @typedef {ChoiceJudgement | NumberJudgement | CurveJudgement | SortJudgement} Judgement */

/** Points that a reader has drawn. @typedef {{ points: [x: number, y: number][], variable: string }} Drawn */

/**
 * @typedef {object} Verdict
 * @property {boolean} right
 * @property {boolean} done  whether the solution may be shown: the answer is right or the last try is spent
 * @property {string} words
 * @property {boolean} hint  whether the question's hint belongs to it
 * @property {{ value: string, words: string }} [solution]  the right option and its own reason, after a wrong answer
 * @property {readonly { value: string, words: string }[]} others  the further options and their reasons
 */

/**
 * Judges an answer.
 *
 * @param {string | Quantity | Drawn | Sorted} given
 * @param {Judgement} judgement
 * @param {{ unit?: string, isLast: boolean }} question  its unit, and whether this is the last try
 * @returns {Verdict}
 */
export function verdictOf(given, judgement, { unit = "", isLast }) {
  if ("curve" in judgement) return aboutCurve(/** @type {Drawn} */ (given), judgement);
  if ("sorted" in judgement) return aboutSorted(/** @type {Sorted} */ (given), judgement);
  return typeof given === "string"
    ? aboutChoice(given, /** @type {ChoiceJudgement} */ (judgement), isLast)
    : aboutNumber(/** @type {Quantity} */ (given), /** @type {NumberJudgement} */ (judgement), {
        unit,
        isLast,
      });
}

/** @param {string} given @param {ChoiceJudgement} judgement @param {boolean} isLast @returns {Verdict} */
function aboutChoice(given, { answer, because }, isLast) {
  const right = given === answer;
  const done = right || isLast;
  const begin = right ? "Yes." : done ? "No." : "Not yet.";
  if (typeof because === "string") {
    const words = done ? `${begin} ${because}` : begin;
    const solution = done && !right ? { value: answer, words: "" } : undefined;
    return { right, done, words, hint: !done, solution, others: [] };
  }
  const reason = (/** @type {string} */ value) => {
    if (!Object.hasOwn(because, value)) throw new Error(`the page has no words about ${value}`);
    return { value, words: because[value] };
  };
  const others = Object.keys(because).filter((value) => value !== given && value !== answer);
  const { words } = reason(given);
  const solution = reason(answer);
  return {
    right,
    done,
    words: `${begin} ${words}`,
    hint: !done,
    solution: done && !right ? { ...solution, words: beyond(solution.words, words) } : undefined,
    others: done ? others.map(reason) : [],
  };
}

/** A text without the sentences that another one has already said. @param {string} words @param {string} said */
function beyond(words, said) {
  const sentences = words.split(/(?<=[.!?])\s+/);
  return sentences.filter((each) => !said.includes(each.replace(/[.!?]$/, ""))).join(" ");
}

/** @param {Quantity} given @param {NumberJudgement} judgement @param {{ unit: string, isLast: boolean }} question @returns {Verdict} */
function aboutNumber(given, judgement, { unit, isLast }) {
  const right = isAnswer(given, judgement, unit);
  const near = right ? undefined : nearMiss(given, judgement, unit);
  if (right || isLast) {
    const words = [right ? "Yes." : "No.", near ?? "", judgement.because].filter(Boolean).join(" ");
    return { right, done: true, words, hint: false, others: [] };
  }
  return { right, done: false, words: `Not yet. ${near ?? ""}`.trim(), hint: !near, others: [] };
}

/** The least share of the curve's rises and falls, and of its bends, that a drawing must have. */
const SHAPE = 0.25;

/** @param {Drawn} given @param {CurveJudgement} judgement @returns {Verdict} */
function aboutCurve({ points, variable }, { curve, within, because }) {
  const apart = points.map(([x, y]) => {
    const truth = valueAt(curve, x);
    return { x, y, truth, distance: Math.abs(y - truth) };
  });
  const mean = apart.reduce((sum, { distance }) => sum + distance, 0) / apart.length;
  const most = apart.reduce((a, b) => (b.distance > a.distance ? b : a));
  const isNear = mean <= within;
  const right = isNear && hasShape(apart);
  const where = `It differs most at ${variable} = ${brief(most.x)}: you drew ${brief(most.y)}, the computed value is ${brief(most.truth)}.`;
  const but = isNear && !right ? ", but it has a different shape" : "";
  const begin = `${right ? "Yes" : "No"}: your curve is ${brief(mean)} off on average${but}.`;
  return { right, done: true, words: `${begin} ${where} ${because}`, hint: false, others: [] };
}

/**
 * Whether a drawing rises and bends where the computed curve does. Near a curve of small range are also flat and straight
 * lines, which have none of its bends.
 * @param {readonly { x: number, y: number, truth: number }[]} points
 */
function hasShape(points) {
  const [x, drawn, truth] = /** @type {const} */ (["x", "y", "truth"]).map((name) => {
    const mean = points.reduce((sum, point) => sum + point[name], 0) / points.length;
    return points.map((point) => point[name] - mean);
  });
  const bends = (/** @type {number[]} */ line) => {
    const slope = dot(line, x) / dot(x, x);
    return line.map((y, i) => y - slope * x[i]);
  };
  return contains(drawn, truth) && contains(bends(drawn), bends(truth));
}

/** Whether the part of `line` that is proportional to `truth` is large enough. @param {number[]} line @param {number[]} truth */
function contains(line, truth) {
  return dot(line, truth) >= SHAPE * dot(truth, truth) - 1e-9; // rounding: a straight line's bends are not quite 0
}

/** @param {readonly number[]} a @param {readonly number[]} b */
function dot(a, b) {
  return a.reduce((sum, x, i) => sum + x * b[i], 0);
}

/** @param {Sorted} given @param {SortJudgement} judgement @returns {Verdict} */
function aboutSorted(given, { sorted }) {
  const all = Object.keys(sorted);
  const found = all.filter((each) => given[each] === sorted[each]).length;
  const right = found === all.length;
  const words = right ? `Yes: all ${found} are right.` : `${found} of ${all.length} are right.`;
  return { right, done: true, words, hint: false, others: [] };
}

/**
 * A curve between its points.
 * @param {readonly (readonly [number, number])[]} curve @param {number} x
 */
export function valueAt(curve, x) {
  const next = curve.findIndex(([at]) => at >= x);
  if (next <= 0) return curve[next < 0 ? curve.length - 1 : 0][1];
  const [[x0, y0], [x1, y1]] = [curve[next - 1], curve[next]];
  return y0 + ((x - x0) / (x1 - x0)) * (y1 - y0);
}
