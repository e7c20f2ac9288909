/** @import { Phasor } from "phasor" */
/** @import { Task, Value } from "./tasks/index.js" */
import { brief } from "../numbers.js";
import { twice } from "./tasks/both.js";

/**
 * Numbers count as equal up to this part of the larger of the right one and 1: phasor's are float32 with seven
 * digits, and JavaScript's sines and powers have their own rounding.
 */
export const WITHIN = 1e-5;

/** Levels of rows in a result. */
const DEEPEST = 4;

/** @typedef {{ shape: number[], data: number[], odd?: undefined }} Numbers */

/**
 * What a call has returned: its numbers and their shape, or what it is instead.
 * @typedef {Numbers | { odd: string }} Measured
 */

/**
 * @typedef {object} Verdict
 * @property {boolean} right
 * @property {string} words
 * @property {{ where: string, yours: string, right: string }} [cell]  the first number that differs
 * @property {string} [likely]  the mistake that explains all that was returned
 */

/**
 * Judges what the reader's function has returned.
 *
 * @param {Task} task
 * @param {Phasor} phasor
 * @param {readonly unknown[]} returned  for each of the task's inputs; untrusted
 * @returns {Verdict}
 */
export function judge(task, phasor, returned) {
  const { inputs, expected } = task;
  const wanted = inputs.map((given) => measured(expected(phasor, ...given)));
  const found = inputs.map((_, call) => read(returned[call]));
  const wrong = wanted.findIndex((want, call) => !isAlike(found[call], want));
  if (wrong < 0) {
    const count = wanted.reduce((sum, { data }) => sum + data.length, 0);
    const most = Math.max(...wanted.map((want, call) => distance(found[call], want)));
    return {
      right: true,
      words: `Right: ${inputs.length} calls, ${count} numbers. The largest difference from phasor’s is ${brief(most)}.`,
    };
  }
  const likely = likelyOf(task, phasor, found, wanted);
  return { right: false, likely, ...difference(task, wrong, found[wrong], wanted[wrong]) };
}

/**
 * The mistake, or the two of them, that explain every number that was returned.
 *
 * @param {Task} task @param {Phasor} phasor @param {readonly Measured[]} found @param {readonly Numbers[]} wanted
 */
function likelyOf({ inputs, mistakes, pairs = [] }, phasor, found, wanted) {
  const explains = (/** @type {readonly (Numbers | undefined)[]} */ made) =>
    made.every((each, call) => each !== undefined && isAlike(found[call], each));
  const returned = (/** @type {import("./tasks/index.js").Mistake} */ { wrong }) =>
    inputs.map((given) => measured(wrong(phasor, ...given)));
  const all = mistakes.map(returned);
  const one = all.findIndex(explains);
  if (one >= 0) return mistakes[one].says;
  for (const [i, a] of all.entries()) {
    for (const [j, b] of all.slice(0, i).entries()) {
      const made = (/** @type {typeof added} */ join) =>
        wanted.map((want, call) => joined(want, a[call], b[call], join));
      if (explains(made(added)) || explains(made(multiplied)))
        return twice(mistakes[j].says, mistakes[i].says);
    }
  }
  return pairs.find((pair) => explains(returned(pair)))?.says;
}

/** What two mistakes change a number to together, if they do so by terms or by factors. */
const added = (/** @type {number} */ want, /** @type {number} */ a, /** @type {number} */ b) =>
  a + b - want;
const multiplied = (/** @type {number} */ want, /** @type {number} */ a, /** @type {number} */ b) =>
  (a * b) / want;

/**
 * The results of two mistakes in one function: where one of them changes nothing, the other one decides.
 *
 * @param {Numbers} want @param {Numbers} a @param {Numbers} b @param {typeof added} join
 * @returns {Numbers | undefined} undefined if their results have other sizes
 */
function joined(want, a, b, join) {
  const { shape } = want;
  if (String(a.shape) !== String(shape) || String(b.shape) !== String(shape)) return undefined;
  const data = want.data.map((x, i) => {
    if (isNear(a.data[i], x)) return b.data[i];
    return isNear(b.data[i], x) ? a.data[i] : join(x, a.data[i], b.data[i]);
  });
  return { shape, data };
}

/** @param {Task} task @param {number} call @param {Measured} found @param {Numbers} want */
function difference(task, call, found, want) {
  const where = callText(task, call);
  if (found.odd !== undefined) {
    const hint = /^(undefined|None)$/.test(found.odd) ? " Is a return missing?" : "";
    return { words: `${where} must return ${sizeText(want.shape)}; got ${found.odd}.${hint}` };
  }
  if (String(found.shape) !== String(want.shape)) {
    return {
      words: `${where} must return ${sizeText(want.shape)}; got ${sizeText(found.shape)}.`,
    };
  }
  const at = found.data.findIndex((x, i) => !isNear(x, want.data[i]));
  const [yours, right] = apart(found.data[at], want.data[at]);
  const hint = Number.isNaN(found.data[at])
    ? " NaN is the result of a computation with undefined, or of 0 / 0."
    : "";
  return {
    words: `Not yet.${hint}`,
    cell: { where: [where, ...indices(task.axes, want.shape, at)].join(", "), yours, right },
  };
}

/** A call as the reader would write it, long arguments by their names. @param {Task} task @param {number} call */
export function callText({ calls, inputs, parameters }, call) {
  const given = inputs[call].map((argument, i) => {
    const text = JSON.stringify(argument).replaceAll(",", ", ");
    return text.length <= 24 ? text : parameters[i];
  });
  return `${calls}(${given.join(", ")})`;
}

/** @param {readonly number[]} shape */
export function sizeText(shape) {
  const plural = (/** @type {number} */ n, /** @type {string} */ of) =>
    `${n} ${of}${n === 1 ? "" : "s"}`;
  if (shape.length === 0) return "a number";
  if (shape.length === 1) return `an array of ${plural(shape[0], "number")}`;
  if (shape.length === 2) return `${plural(shape[0], "row")} of ${plural(shape[1], "number")}`;
  return `nested arrays of shape [${shape.join(", ")}]`;
}

/** The indices of a number, by the names of the axes. @param {readonly string[]} axes @param {readonly number[]} shape @param {number} at */
function indices(axes, shape, at) {
  let rest = at;
  return shape.map((_, axis) => {
    const size = shape.slice(axis + 1).reduce((product, n) => product * n, 1);
    const index = Math.floor(rest / size);
    rest %= size;
    return `${axes[axis]} ${index}`;
  });
}

/** Two numbers with as many digits as show their difference. @param {number} a @param {number} b */
function apart(a, b) {
  const text = (/** @type {number} */ x, /** @type {number} */ digits) =>
    String(Number(x.toFixed(digits))).replace("-", "\u2212");
  let digits = 5;
  while (digits < 12 && text(a, digits) === text(b, digits)) ++digits;
  return [text(a, digits), text(b, digits)];
}

/**
 * The numbers of a tensor or of nested arrays, and their shape.
 * @param {Value} value
 */
export function measured(value) {
  const numbers = read(typeof value === "object" && "toArray" in value ? value.toArray() : value);
  if (numbers.odd !== undefined) throw new TypeError(`value must hold numbers; got ${numbers.odd}`);
  return numbers;
}

/** @param {unknown} value @returns {Measured} */
function read(value, depth = 0) {
  if (typeof value === "number") return { shape: [], data: [value] };
  if (!Array.isArray(value))
    return { odd: depth > 0 ? `an array with ${kindOf(value)}` : kindOf(value) };
  if (depth === DEEPEST) return { odd: "arrays nested too deeply" };
  const rows = value.map((each) => read(each, depth + 1));
  /** @type {number[]} */
  const data = [];
  for (const row of rows) {
    if (row.odd !== undefined) return { odd: row.odd };
    data.push(...row.data);
  }
  const shapes = rows.map((row) => ("shape" in row ? row.shape : []));
  if (shapes.some((shape) => String(shape) !== String(shapes[0]))) {
    return { odd: "rows of different lengths" };
  }
  return { shape: [value.length, ...(shapes[0] ?? [])], data };
}

/** @param {any} value */
function kindOf(value) {
  return typeof value?.kind === "string" ? value.kind.slice(0, 60) : String(typeof value);
}

/** @param {Measured} found @param {Measured} want */
function isAlike(found, want) {
  return (
    found.odd === undefined &&
    want.odd === undefined &&
    String(found.shape) === String(want.shape) &&
    found.data.every((x, i) => isNear(x, want.data[i]))
  );
}

/** The largest difference of numbers that are alike. @param {Measured} found @param {Measured} want */
function distance(found, want) {
  if (found.odd !== undefined || want.odd !== undefined) return 0;
  const all = found.data.map((x, i) => (x === want.data[i] ? 0 : Math.abs(x - want.data[i])));
  return Math.max(0, ...all);
}

/** @param {number} found @param {number} want */
function isNear(found, want) {
  if (!Number.isFinite(want)) return found === want;
  return Math.abs(found - want) <= WITHIN * Math.max(1, Math.abs(want));
}
