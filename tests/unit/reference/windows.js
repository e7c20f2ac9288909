/**
 * Biases of windows in double precision, slow and plain, from the papers and what their programs do.
 */
import { dot } from "./attention.js";

/**
 * Swin's index of every pair of patches, the class token's rows in front if asked.
 * @param {number} h @param {number} w @param {boolean} [token]
 * @returns {number[][]}
 */
export function index(h, w, token = false) {
  const patches = Array.from({ length: h * w }, (_, at) => ({ y: Math.floor(at / w), x: at % w }));
  const rows = patches.map((q) =>
    patches.map((k) => (q.y - k.y + h - 1) * (2 * w - 1) + (q.x - k.x + w - 1)),
  );
  if (!token) return rows;
  const R = (2 * h - 1) * (2 * w - 1) + 3;
  return [[R - 1, ...patches.map(() => R - 3)], ...rows.map((row) => [R - 2, ...row])];
}

/**
 * Swin v2's coordinate of a distance along an axis.
 * @param {number} distance @param {number} size @param {number} pretrained
 */
export function logCoordinate(distance, size, pretrained) {
  if (size === 1) return 0;
  const a = (8 * distance) / (pretrained - 1);
  return (Math.sign(a) * Math.log2(1 + Math.abs(a))) / Math.log2(8);
}

/**
 * Swin v2's bias of two patches that lie `dy`, `dx` apart.
 * @param {[number, number]} coordinates
 * @param {number[][]} W @param {number[]} b @param {number[]} out  of one head
 */
export function continuous(coordinates, W, b, out) {
  const hidden = W.map((row, m) => Math.max(0, dot(row, coordinates) + b[m]));
  return 16 / (1 + Math.exp(-dot(out, hidden)));
}

/**
 * Where timm sets the old rows of an axis of `size` patches for one of `wanted`.
 * @param {number} size @param {number} wanted
 */
export function places(size, wanted) {
  const n = size - 1;
  let [left, right, q] = [1.01, 1.5, 0];
  while (right - left > 1e-6) {
    q = (left + right) / 2;
    if ((1 - q ** n) / (1 - q) > wanted - 1) right = q;
    else left = q;
  }
  const far = Array.from({ length: n }, (_, i) => {
    let sum = 0;
    for (let power = 0; power <= i; ++power) sum += q ** power;
    return sum;
  });
  return [...far.map((x) => -x).reverse(), 0, ...far];
}

/**
 * Along a line through points, and beyond its ends as there.
 * @param {number[]} at @param {number[]} values @param {number} x
 */
export function between(at, values, x) {
  if (x <= at[0]) return values[0];
  for (let i = 1; i < at.length; ++i) {
    if (x <= at[i]) {
      return values[i - 1] + ((values[i] - values[i - 1]) * (x - at[i - 1])) / (at[i] - at[i - 1]);
    }
  }
  return values[values.length - 1];
}

/**
 * A table of one head, [2h - 1][2w - 1], for another window.
 * @param {number[][]} table @param {[number, number]} from @param {[number, number]} to
 */
export function resize(table, from, to) {
  const [ys, xs] = [0, 1].map((axis) => places(from[axis], to[axis]));
  const steps = (/** @type {number} */ size) =>
    Array.from({ length: 2 * size - 1 }, (_, i) => i - size + 1);
  return steps(to[0]).map((y) =>
    steps(to[1]).map((x) => {
      const column = table.map((row) => between(xs, row, x));
      return between(ys, column, y);
    }),
  );
}
