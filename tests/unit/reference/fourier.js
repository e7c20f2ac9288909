/** Fourier features from the papers, one value at a time. */
import { fixed, phase, PI } from "./exact.js";

const UNITS = Object.freeze({ radians: 1n << 160n, "half-turns": PI, turns: 2n * PI });

/**
 * The sine and cosine of unit * x * w, both doubles as they are.
 * @param {number} x @param {number} w @param {keyof typeof UNITS} unit
 */
export function wave(x, w, unit) {
  return phase(x, (fixed(w) * UNITS[unit]) >> 160n);
}

/**
 * P numbers from one end to the other: at equal steps, or at equal ratios.
 * @param {number} first @param {number} last @param {number} P @param {string} [sampling]
 */
export function spread(first, last, P, sampling = "linear") {
  return Array.from({ length: P }, (_, k) => {
    const gaps = Math.max(P - 1, 1);
    return sampling === "linear"
      ? (first * (gaps - k) + last * k) / gaps
      : first * 2 ** ((Math.log2(last / first) * k) / gaps);
  });
}

/**
 * torch.linspace in float32: the second half is counted from the end.
 * @param {number} first @param {number} last @param {number} P
 */
export function linspace(first, last, P) {
  const { fround } = Math;
  const step = fround((last - first) / (P - 1));
  return Array.from({ length: P }, (_, k) =>
    k < Math.floor(P / 2)
      ? fround(first + fround(step * k))
      : fround(last - fround(step * (P - 1 - k))),
  );
}
