// Sines and cosines of position * base^(-i / P) to about 50 digits in whole-number arithmetic, and
// their nearest float32: what a table's values are compared with. Shares nothing with the package.

const BITS = 192n;
const ONE = 1n << BITS;

/** @param {bigint} a @param {bigint} b numbers times 2^BITS */
const times = (a, b) => (a * b) >> BITS;

/** artanh(1 / n), or arctan(1 / n) with alternating signs. @param {bigint} n @param {boolean} alternating */
function inverse(n, alternating) {
  let sum = 0n;
  let power = ONE / n;
  for (let k = 1n; power !== 0n; k += 2n) {
    sum += alternating && k % 4n === 3n ? -power / k : power / k;
    power /= n * n;
  }
  return sum;
}

const HALF_PI = 8n * inverse(5n, true) - 2n * inverse(239n, true); // Machin 1706
const LN_10 = 46n * inverse(31n, false) + 34n * inverse(49n, false) + 20n * inverse(161n, false);

/** e^x for x <= 0. @param {bigint} x */
function exp(x) {
  const halvings = 16n;
  const small = x >> halvings;
  let sum = ONE;
  let term = ONE;
  for (let k = 1n; term !== 0n && term !== -1n; ++k) {
    term = times(term, small) / k;
    sum += term;
  }
  for (let k = 0n; k < halvings; ++k) sum = times(sum, sum);
  return sum;
}

/**
 * theta_i = 10000^(-i / P).
 * @param {number} P
 * @returns {bigint[]}
 */
export function exactFrequencies(P) {
  return Array.from({ length: P }, (_, i) => exp((-4n * LN_10 * BigInt(i)) / BigInt(P)));
}

/**
 * The sine or cosine of position * theta, rounded to float32 once.
 * @param {number} position whole @param {bigint} theta @param {"sin" | "cos"} which
 */
export function rounded(position, theta, which) {
  const angle = BigInt(position) * theta;
  const quarters = (2n * angle + HALF_PI) / (2n * HALF_PI);
  const r = angle - quarters * HALF_PI;
  const turn = (quarters + (which === "cos" ? 1n : 0n)) % 4n;
  const value = turn % 2n === 0n ? series(r, r, 1n) : series(ONE, r, 0n);
  return toFloat32(turn < 2n ? value : -value);
}

/** First term, and each further one times -r^2 / ((k + 1) (k + 2)). @param {bigint} first @param {bigint} r @param {bigint} k */
function series(first, r, k) {
  const square = times(r, r);
  let sum = 0n;
  for (let term = first; term !== 0n && term !== -1n; k += 2n) {
    sum += term;
    term = -times(term, square) / ((k + 1n) * (k + 2n));
  }
  return sum;
}

/** @param {bigint} fixed a number times 2^BITS, not below the normal range unless 0 */
function toFloat32(fixed) {
  const magnitude = fixed < 0n ? -fixed : fixed;
  const extra = BigInt(Math.max(0, magnitude.toString(2).length - 24));
  let kept = magnitude >> extra;
  const rest = magnitude - (kept << extra);
  const half = extra > 0n ? 1n << (extra - 1n) : 0n;
  if (rest > half || (rest === half && extra > 0n && (kept & 1n) === 1n)) kept += 1n;
  const value = Number(kept) * 2 ** Number(extra - BITS);
  return fixed < 0n ? -value : value;
}

/**
 * How many of some places of a sinusoidal table [T, 2P], [s c s c], are not the nearest float32.
 * @param {Float32Array} table @param {bigint[]} theta @param {Uint32Array} places
 */
export function misrounded(table, theta, places) {
  const D = 2 * theta.length;
  let wrong = 0;
  for (const at of places) {
    const exact = rounded(Math.floor(at / D), theta[(at % D) >> 1], at % 2 === 0 ? "sin" : "cos");
    if (table[at] !== exact) ++wrong;
  }
  return wrong;
}
