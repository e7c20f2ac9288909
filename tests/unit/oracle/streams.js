/** Seeded tables and vectors whose pairs follow different positions, written from the formulas in double. */
import { Random } from "../../attacks/fuzz/random.js";
import { pairs } from "../reference/rope.js";
import { rounded } from "./conventions.js";

/** @typedef {"float32" | "float16" | "bfloat16"} Format */

const BITS = { float32: 24, float16: 11, bfloat16: 8 };

/**
 * Axial grids: the coordinate of cell i of n, which pairs rows have, and what is said of it.
 * @type {Record<string, {at?: (i: number, n: number) => number, isY?: (i: number, P: number) => boolean, isOne?: boolean, prefix?: number, merge?: number, says?: any}>}
 */
const AXIAL = {
  "axial, rows first": { says: { order: [0, 1] } },
  "axial, columns first": { isY: (i, P) => i >= P / 2, says: { order: [1, 0] } },
  "axial in turn": { isY: (i) => i % 2 === 1, says: { order: [1, 0], arrangement: "interleaved" } },
  "axial of one spectrum": { isOne: true, says: { spectrum: "alternating" } },
  "axial, cells from 1": { at: (i) => i + 1, says: { offset: 1 } },
  "axial, centers": { at: (i, n) => 2 * Math.PI * ((2 * i + 1) / n - 1), says: { coordinates: "centers" } },
  "axial, scaled cells": { at: (i, n) => (i * 14) / n, says: { pretrained: 14 } },
  "axial after class tokens": { prefix: 3, says: { prefix: 3 } },
  "axial in blocks": { merge: 2, says: { merge: 2 } },
}; // prettier-ignore

/** Which axis pair i of P has. @type {Record<string, (i: number, P: number) => number>} */
const MROPE = {
  chunked: (i, P) => (i < P / 4 ? 0 : i < (5 * P) / 8 ? 1 : 2),
  interleaved: (i, P) => (i < (15 * P) / 16 ? i % 3 : 0),
  alternating: (i, P) => (i < (3 * P) / 4 ? 1 + (i % 2) : 0),
};

export const STREAMS = [...Object.keys(AXIAL), ...Object.keys(MROPE)];

/** Rows of three ids: text, a picture, text, a film, text. @param {Random} random */
function idsOf(random) {
  /** @type {number[][]} */
  const rows = [];
  let next = 0;
  for (const grid of [undefined, [1, random.between(2, 5), random.between(2, 6)], undefined, [3, 2, 4], undefined]) {
    if (!grid) {
      for (let n = random.between(5, 9); n > 0; --n, ++next) rows.push([next, next, next]);
      continue;
    }
    const [F, H, W] = grid;
    for (let k = 0; k < F * H * W; ++k) {
      rows.push([next + Math.floor(k / (H * W)), next + (Math.floor(k / W) % H), next + (k % W)]);
    }
    next += Math.max(F, H, W);
  }
  return rows;
} // prettier-ignore

/** @param {number} seed @param {number} index */
export function makeStreams(seed, index) {
  const random = new Random(seed, "streams", index);
  const what = STREAMS[index % STREAMS.length];
  const isAxial = what in AXIAL;
  const format = random.pick(/** @type {Format[]} */ (["float32", "float32", "float16", "bfloat16"])); // prettier-ignore
  const P = random.pick([16, 32, 64]);
  const base = random.pick(isAxial ? [100, 10000] : [10000, 1000000, 5000000]);
  const layout = random.pick(/** @type {const} */ (["halves", "interleaved"]));
  const sign = random.happens(0.2) ? -1 : 1;
  const { angles, says } = isAxial ? axial(what, P, base, random) : mrope(what, P, base, random);
  const T = angles.length;
  const narrow = (/** @type {number} */ x) => rounded(x, BITS[format]);
  const shape = [T, 2 * P];
  const [one, two] = [new Float32Array(T * 2 * P), new Float32Array(T * 2 * P)];
  const places = pairs(2 * P, layout);
  const isOfVectors = random.happens(0.4);
  for (let t = 0; t < T; ++t) {
    for (const [i, [a, b]] of places.entries()) {
      const [c, s] = [Math.cos(sign * angles[t][i]), Math.sin(sign * angles[t][i])];
      const at = t * 2 * P;
      const [x, y] = isOfVectors ? [narrow(1 + random.bits() / 2 ** 32), narrow(random.bits() / 2 ** 32 - 2)] : [1, 0]; // prettier-ignore
      [one[at + a], one[at + b]] = isOfVectors ? [x, y] : [narrow(c), narrow(c)];
      [two[at + a], two[at + b]] = isOfVectors ? [narrow(x * c - y * s), narrow(y * c + x * s)] : [narrow(s), narrow(s)]; // prettier-ignore
    }
  }
  const arrays = isOfVectors
    ? { q: { data: one, shape }, rotated: { data: two, shape } }
    : { cos: { data: one, shape }, sin: { data: two, shape } };
  return { what, format, arrays, wanted: { layout, sign, base, ...says } };
}

/** @param {string} what @param {number} P @param {number} base @param {Random} random */
function axial(what, P, base, random) {
  const [H, W] = [2 * random.between(3, 6), 2 * random.between(3, 6)];
  const { at = (i) => i, isY = (i) => i < P / 2, isOne, prefix = 0, merge = 1, says } = AXIAL[what];
  /** @type {number[][]} */
  const angles = Array.from({ length: prefix }, () => Array(P).fill(0));
  for (let k = 0; k < H * W; ++k) {
    const [block, own] = [Math.floor(k / merge ** 2), k % merge ** 2];
    const y = Math.floor(block / (W / merge)) * merge + Math.floor(own / merge);
    const x = (block % (W / merge)) * merge + (own % merge);
    const counts = { y: 0, x: 0 };
    angles.push(
      Array.from({ length: P }, (_, i) => {
        const isOfY = isY(i, P);
        const j = isOfY ? counts.y++ : counts.x++;
        const exponent = isOne ? (2 * j + Number(!isOfY)) / P : j / (P / 2);
        return (isOfY ? at(y, H) : at(x, W)) * base ** -exponent;
      }),
    );
  }
  return { angles, says: { kind: "axialRope", grid: [H, W], ...says } };
}

/** @param {string} arrangement @param {number} P @param {number} base @param {Random} random */
function mrope(arrangement, P, base, random) {
  const ids = idsOf(random);
  const axes = Array.from({ length: P }, (_, i) => MROPE[arrangement](i, P));
  const sections = [0, 1, 2].map((axis) => axes.filter((one) => one === axis).length);
  const angles = ids.map((row) => axes.map((axis, i) => row[axis] * base ** (-i / P)));
  return { angles, says: { kind: "mrope", arrangement, sections, ids: [0, 1, 2].map((axis) => ids.map((row) => row[axis])) } }; // prettier-ignore
}
