/** Reads text and grids from the positions of M-RoPE. */

/**
 * @import { MultimodalSegment } from "../../positional/ids/position_ids/position_ids.js"
 *
 * @typedef {(token: number) => number[]} TripleOf  the temporal, vertical and horizontal position
 */

/**
 * The segments that tokens show, and the rules by which positions go on after their grids.
 * @param {TripleOf} tripleOf @param {number} count  of tokens
 * @returns {{segments: MultimodalSegment[], rules: ("all" | "spatial")[]} | string} why there are none
 */
export function segmentsOf(tripleOf, count) {
  /** @type {MultimodalSegment[]} */
  const segments = [];
  let rules = /** @type {("all" | "spatial")[]} */ (["all", "spatial"]);
  let text = 0;
  const endText = () => {
    if (text > 0) segments.push({ text });
    text = 0;
  };
  for (let k = 0, at = 0; k < count;) {
    const triple = tripleOf(k);
    if (triple.some((x) => x !== at)) return `token ${k} is at ${triple.join(", ")}, not at ${at}`;
    const found = gridAt(tripleOf, count, k, at);
    if (!found) {
      ++text;
      ++k;
      ++at;
      continue;
    }
    endText();
    const { grid, last } = found;
    segments.push({ grid, ...(found.step !== 1 && { step: found.step }) });
    k += grid[0] * grid[1] * grid[2];
    const side = Math.max(grid[1], grid[2]);
    const next = { all: at + Math.max(last + 1, side), spatial: at + side };
    if (k === count) break;
    const [then] = tripleOf(k);
    rules = rules.filter((rule) => next[rule] === then);
    if (rules.length === 0) {
      return `token ${k}, after a grid of ${grid.join(" x ")}, is at ${then}, not at ${next.all} or ${next.spatial}`;
    }
    at = then;
  }
  endText();
  return { segments, rules };
}

/**
 * The grid that begins at token k: more than one token, the first of which is like one of text.
 * @param {TripleOf} tripleOf @param {number} count @param {number} k @param {number} at  its position
 */
function gridAt(tripleOf, count, k, at) {
  const is = (/** @type {number} */ token, /** @type {number[]} */ wanted) =>
    token < count && tripleOf(token).every((x, axis) => x === wanted[axis]);
  const isRow = (/** @type {number} */ from, /** @type {number} */ t, /** @type {number} */ y, /** @type {number} */ w) => {
    for (let x = 0; x < w; ++x) if (!is(from + x, [t, at + y, at + x])) return false;
    return true;
  }; // prettier-ignore
  let w = 1;
  while (is(k + w, [at, at, at + w])) ++w;
  let h = 1;
  while (isRow(k + h * w, at, h, w)) ++h;
  const isFrame = (/** @type {number} */ from, /** @type {number} */ t) => {
    for (let y = 0; y < h; ++y) if (!isRow(from + y * w, t, y, w)) return false;
    return true;
  };
  const times = [0];
  for (let from = k + h * w; from + h * w <= count; from += h * w) {
    const t = tripleOf(from)[0];
    if (t < at + times[times.length - 1] || !isFrame(from, t)) break;
    times.push(t - at);
  }
  const step = stepOf(times);
  if (step === undefined || times.length * h * w < 2) return undefined;
  return { grid: [times.length, h, w], step, last: times[times.length - 1] };
}

/** The simplest step whose multiples, rounded down, are these times. @param {readonly number[]} times */
function stepOf(times) {
  let [least, below] = [0, Infinity];
  for (let f = 1; f < times.length; ++f) {
    least = Math.max(least, times[f] / f);
    below = Math.min(below, (times[f] + 1) / f);
  }
  if (times.length === 1) return 1;
  const fits = (/** @type {number} */ step) => step > 0 && times.every((time, f) => Math.floor(step * f) === time); // prettier-ignore
  if (fits(1)) return 1;
  for (let parts = 1; parts <= 4096; ++parts) {
    const step = Math.ceil(least * parts) / parts;
    if (step < below && fits(step)) return step;
  }
  return fits(least) ? least : undefined;
}
