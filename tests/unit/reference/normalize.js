/**
 * Normalization of one row from the formulas. Sums are exact: a float32 is a whole multiple of 2^-149
 * and is kept as that number.
 */
const UNIT = 2 ** 149;

/** @param {readonly bigint[]} list */
const sumOf = (list) => list.reduce((total, x) => total + x, 0n);

/** Sum of squares, rounded to double. @param {readonly bigint[]} list */
const squares = (list) => Number(sumOf(list.map((x) => x * x))) / UNIT / UNIT;

/** @param {ArrayLike<number>} row */
const wholes = (row) => Array.from(row, (x) => BigInt(x * UNIT));

/**
 * (x - mean) / sqrt(variance + eps) * weight + bias, the variance divided by D.
 * @param {ArrayLike<number>} row
 * @param {{weight?: ArrayLike<number>, bias?: ArrayLike<number>, eps: number}} options
 */
export function layerNorm(row, { weight, bias, eps }) {
  const D = row.length;
  const x = wholes(row);
  const sum = sumOf(x);
  const deviations = x.map((value) => BigInt(D) * value - sum); // times D
  const by = Math.sqrt(squares(deviations) / D / D / D + eps);
  return deviations.map(
    (y, d) => (Number(y) / UNIT / D / by) * (weight?.[d] ?? 1) + (bias?.[d] ?? 0),
  );
}

/**
 * x / sqrt(mean square + eps) * (weight + plus).
 * @param {ArrayLike<number>} row
 * @param {{weight?: ArrayLike<number>, plus?: number, eps: number}} options
 */
export function rmsNorm(row, { weight, plus = 0, eps }) {
  const by = Math.sqrt(squares(wholes(row)) / row.length + eps);
  return Array.from(row, (x, d) => (x / by) * (weight ? weight[d] + plus : 1));
}

/** x / max(|x|, eps). @param {ArrayLike<number>} row @param {number} eps */
export function l2(row, eps) {
  const length = Math.max(Math.sqrt(squares(wholes(row))), eps);
  return Array.from(row, (x) => x / length);
}
