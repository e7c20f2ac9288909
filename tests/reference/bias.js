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
