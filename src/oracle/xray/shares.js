/** What of a dot product is left between two ways to rotate. */

/** @import { Rotary } from "../../models/index.js" */
/** @import { Phasor } from "../../index.js" */

/**
 * How heads are rotated at some positions: of each column the other one of its pair, and the cosines and sines.
 * @typedef {{partner: number[], cos: (t: number, column: number) => number, sin: (t: number, column: number) => number, positions: readonly number[]}} Turned
 */

/**
 * @param {Phasor} phasor
 * @param {Rotary | undefined} rotary  undefined: nothing rotates
 * @param {readonly number[]} positions
 * @param {{width: number, length: number}} of  the width of a head, and the length of the text
 * @returns {Turned}
 */
export function rotated({ rope }, rotary, positions, { width, length }) {
  const partner = Array.from({ length: width }, (_, column) => column);
  if (!rotary) return { partner, cos: () => 1, sin: () => 0, positions };
  const { dim, layout, start = 0, options } = rotary;
  const P = dim / 2;
  const table = rope.table([...positions], dim, { ...options, length });
  const { attentionFactor } = rope.frequencies(dim, { ...options, length });
  /** The pair of each column and the sign of its sine. @type {Map<number, [pair: number, sign: number]>} */
  const pairs = new Map();
  for (let i = 0; i < P; ++i) {
    const [a, b] = layout === "halves" ? [i, i + P] : [2 * i, 2 * i + 1];
    partner[start + a] = start + b;
    partner[start + b] = start + a;
    pairs.set(start + a, [i, 1]).set(start + b, [i, -1]);
  }
  const at = (
    /** @type {"cos" | "sin"} */ part,
    /** @type {number} */ t,
    /** @type {number} */ i,
  ) => Number(table[part].data[t * P + i]) / attentionFactor;
  return {
    partner,
    positions,
    cos(t, column) {
      const [pair] = pairs.get(column) ?? [];
      return pair === undefined ? 1 : at("cos", t, pair);
    },
    sin(t, column) {
      const [pair, sign] = pairs.get(column) ?? [0, 0];
      return sign && sign * at("sin", t, pair);
    },
  };
}

/**
 * The mean of R x . R' x over all x of length 1, at each position: the trace of their product by the width.
 * @param {Turned} right @param {Turned} other
 */
export function shareOf(right, other) {
  return right.positions.map((_, t) => {
    let sum = 0;
    for (const [column, partner] of right.partner.entries()) {
      sum += right.cos(t, column) * other.cos(t, column);
      if (partner === other.partner[column]) sum += right.sin(t, column) * other.sin(t, column);
    }
    return sum / right.partner.length;
  });
}
