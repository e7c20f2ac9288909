/**
 * Additive biases in double precision, from the papers: slow and plain.
 */

/**
 * ALiBi's slopes (Press et al. 2021, arXiv:2108.12409): 2^(-8 i/m) for the largest power of two m <= H,
 * then every second slope of 2m.
 * @param {number} heads
 */
export function slopes(heads) {
  const m = 2 ** Math.floor(Math.log2(heads));
  return Array.from({ length: heads }, (_, h) =>
    h < m ? 2 ** ((-8 * (h + 1)) / m) : 2 ** ((-4 * (2 * (h - m) + 1)) / m),
  );
}

/**
 * -slope |i - j|, [H, Tq, Tk]; query r stands at r + Tk - Tq.
 * @param {number} heads @param {number} Tq @param {number} Tk
 */
export function alibi(heads, Tq, Tk) {
  return slopes(heads).map((slope) =>
    Array.from({ length: Tq }, (_, r) =>
      Array.from({ length: Tk }, (_, j) => -slope * Math.abs(r + Tk - Tq - j)),
    ),
  );
}

/**
 * T5's bucket of a relative position key - query (Raffel et al. 2019, arXiv:1910.10683).
 * @param {number} relative
 * @param {{num_buckets: number, max_distance: number, bidirectional: boolean}} params
 */
export function t5Bucket(relative, { num_buckets, max_distance, bidirectional }) {
  const buckets = bidirectional ? num_buckets / 2 : num_buckets;
  const side = bidirectional && relative > 0 ? buckets : 0;
  const n = bidirectional ? Math.abs(relative) : Math.max(-relative, 0);
  const exact = buckets / 2;
  if (n < exact) return side + n;
  const far = (Math.log(n / exact) / Math.log(max_distance / exact)) * (buckets - exact);
  return side + Math.min(exact + Math.floor(far), buckets - 1);
}

/**
 * T5's bias [H, Tq, Tk] of a table [buckets, H].
 * @param {ArrayLike<number>} table @param {number} heads @param {number} Tq @param {number} Tk
 * @param {Parameters<typeof t5Bucket>[1]} params
 */
export function t5(table, heads, Tq, Tk, params) {
  return Array.from({ length: heads }, (_, h) =>
    Array.from({ length: Tq }, (_, r) =>
      Array.from({ length: Tk }, (_, j) => {
        return table[t5Bucket(j - (r + Tk - Tq), params) * heads + h];
      }),
    ),
  );
}

/**
 * Chi et al. 2022, KERPLE, arXiv:2205.09921, and the authors' program.
 * @type {Record<string, (a: number, p: number, distance: number) => number>}
 */
export const kerple = Object.freeze({
  log: (a, p, distance) => -p * Math.log1p(a * distance),
  power: (a, p, distance) => -a * distance ** p,
  weight: (a, p, distance) => Math.exp(-a * distance ** p),
});

/**
 * Chi et al. 2022, arXiv:2212.10356: the inner product of two sinusoidal encodings of width D, less
 * its greatest value, compressed by head h = 1 .. H.
 * @param {number} distance @param {number} D @param {number} h @param {number} H @param {number} [base]
 */
export function sandwich(distance, D, h, H, base = 10000) {
  let product = 0;
  for (let k = 1; k <= D / 2; ++k) product += Math.cos(distance * base ** ((-2 * k) / D));
  return (product - D / 2) / ((8 * h) / H);
}

/**
 * Li et al. 2023, FIRE, arXiv:2310.04418, for query i and key j; all heads.
 * @param {{w1: number[], b1: number[], w2: number[][], b2: number[]}} weights
 * @param {number} i @param {number} j @param {number} c @param {number} threshold
 * @returns {number[]}
 */
export function fire({ w1, b1, w2, b2 }, i, j, c, threshold) {
  const whole = Math.log(1 + Math.abs(c * Math.max(i, threshold))) + 1e-6;
  const x = Math.log(1 + Math.abs(c * (i - j))) / whole;
  const hidden = w1.map((w, m) => Math.max(w * x + b1[m], 0));
  return b2.map((b, h) => hidden.reduce((sum, unit, m) => sum + w2[h][m] * unit, b));
}

/**
 * Golovneva et al. 2024, CoPE, arXiv:2405.18719, for query i: its logits, and those of the whole
 * positions.
 * @param {number[]} logits @param {number[]} positions @param {number} i
 * @returns {number[]}
 */
export function cope(logits, positions, i) {
  return logits.map((_, j) => {
    if (j > i) return -Infinity;
    let p = 0;
    for (let l = j; l <= i && l < logits.length; ++l) p += 1 / (1 + Math.exp(-logits[l]));
    p = Math.min(p, positions.length - 1);
    const below = Math.floor(p);
    return (1 - (p - below)) * positions[below] + (p - below) * positions[Math.ceil(p)];
  });
}
