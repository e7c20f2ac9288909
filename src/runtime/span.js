import { bitsOf } from "./bits.js";
import * as check from "./check.js";
import { REACH } from "./positions.js";

/**
 * The queries and keys of a bias [..., Tq, Tk]: query i is at `first + i`, key j at j.
 * @typedef {{Tq: number, Tk: number, first: number}} Span
 */

/**
 * @param {unknown} length  queries Tq
 * @param {unknown} keys  Tk; undefined for as many as queries
 * @param {unknown} offset  of the first query; undefined where the last query sees the last key
 * @returns {Span} within which no relative position exceeds 2^31
 * @throws {TypeError | RangeError}
 */
export function readSpan(length, keys, offset) {
  const Tq = check.integer(length, "length", 0);
  const Tk = keys === undefined ? Tq : check.integer(keys, "keys", 0);
  if (offset === undefined) return { Tq, Tk, first: Tk - Tq };
  const least = Tk - REACH;
  const most = REACH - Tq;
  const first = check.finite(
    offset,
    "offset",
    `a whole number from ${least} to ${most}`,
    (value) => Number.isInteger(value) && value >= least && value <= most,
  );
  return { Tq, Tk, first: first + 0 }; // no -0
}

/**
 * The relative positions key - query that a span has: `count` of them, from `from` up.
 * @param {Span} span
 */
export function relatives({ Tq, Tk, first }) {
  const count = Tq === 0 || Tk === 0 ? 0 : Tq + Tk - 1;
  return { from: count === 0 ? 0 : 1 - first - Tq, count };
}

/**
 * Four rows at a time: each number of a line is read once for them.
 * @param {Int32Array} lines @param {number} Tq @param {number} Tk @param {Int32Array} out
 */
function spreadFew(lines, Tq, Tk, out) {
  for (let line = 0, at = 0; at < out.length; line += Tq + Tk - 1) {
    let first = line + Tq - 1;
    for (; first >= line + 3; first -= 4, at += 3 * Tk) {
      let c = lines[first - 1];
      let b = lines[first - 2];
      let a = lines[first - 3];
      for (let i = first; i < first + Tk; ++i, ++at) {
        const next = lines[i];
        out[at] = next;
        out[at + Tk] = c;
        out[at + 2 * Tk] = b;
        out[at + 3 * Tk] = a;
        a = b;
        b = c;
        c = next;
      }
    }
    for (; first >= line; --first, at += Tk) out.set(lines.subarray(first, first + Tk), at);
  }
}

/** How many views of a line are made at once; all heads use the same. */
const VIEWS = 1024;

/** Results of at most this many numbers are written one by one: views would take longer. */
const FEW = 4096;

/**
 * Write what depends on key - query alone: each row of a head is a stretch of that head's line.
 * @template {Float32Array | Int32Array} Kind
 * @param {Kind} lines  [H, N], the values at the span's N relative positions in order
 * @param {Span} span
 * @param {Kind} out  [H, Tq, Tk]
 */
export function spread(lines, { Tq, Tk }, out) {
  const N = Tq + Tk - 1;
  if (out.length <= FEW) {
    spreadFew(bitsOf(lines), Tq, Tk, bitsOf(out));
    return;
  }
  // A copy of a row takes little longer than making a view of it: the line of each head comes to the
  // same place, under views that are made once. It also stays in the cache, and each row is written once.
  const step = Math.min(Tq, VIEWS);
  const part = lines.slice(0, step + Tk - 1);
  const views = Array.from({ length: step }, (_, r) =>
    part.subarray(step - 1 - r, step - 1 - r + Tk),
  );
  for (let line = 0, at = 0; line < lines.length; line += N) {
    for (let first = 0; first < Tq; first += step) {
      const from = line + Tq - step - first; // before the line's start where fewer rows are left
      const start = Math.max(from, line);
      part.set(lines.subarray(start, from + part.length), start - from);
      const count = Math.min(step, Tq - first);
      for (let r = 0; r < count; ++r, at += Tk) out.set(views[r], at);
    }
  }
}
