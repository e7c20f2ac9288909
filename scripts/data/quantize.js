/** @typedef {Float32Array | Int8Array} Numbers */

/**
 * The whole numbers q in -127..127 and the one scale that fit a row best: of many roundings
 * q = round(x * levels / max|x|), the one whose least-squares scale s = (x.q) / (q.q) leaves the
 * least |x - s q|^2 = |x|^2 - (x.q)^2 / (q.q). That is also the least angle between x and q.
 *
 * @param {Float32Array} x
 */
export function quantize(x) {
  const peak = x.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  let best = { weight: new Int8Array(x.length), scale: 0, fit: 0 };
  for (let levels = 127; levels >= 96; levels -= 0.25) {
    const weight = Int8Array.from(x, (value) => Math.round((value * levels) / peak));
    const [xq, qq] = [dot(x, weight), dot(weight, weight)];
    const fit = (xq * xq) / qq;
    if (fit > best.fit) best = { weight, scale: xq / qq, fit };
  }
  return best;
}

/** @param {Numbers} a @param {Numbers} b */
export function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** 1 - cosine of a row and its rounding. @param {Float32Array} x @param {Int8Array} q */
export function cosineError(x, q) {
  return 1 - dot(x, q) / Math.sqrt(dot(x, x) * dot(q, q));
}

/** @param {Float64Array} values */
export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** @param {number} count */
export const grouped = (count) => count.toLocaleString("en-US");
