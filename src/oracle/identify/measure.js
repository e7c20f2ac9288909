/**
 * Measures how pairs of numbers turn from row to row: one complex number z = A exp(i (theta t + phi)) for each pair
 * and row. Everything is plain arithmetic in double, so the answer carries its own proof: what is said of a table is
 * computed again and compared with every number of it.
 */

/**
 * The rows of P pairs: `read(i, from, rows, re, im)` writes the complex numbers of pair i, NaN where a row does not show
 * its own; `batchesDiffer` says whether those of batches differ, by clearly more than their format explains.
 * @typedef {object} Turns
 * @property {number} rows @property {number} pairs
 * @property {(pair: number, from: number, rows: number, re: Float64Array, im: Float64Array) => void} read
 * @property {(factor: number) => boolean} [batchesDiffer]
 *
 * What was measured on rows that turn evenly.
 * @typedef {object} Measured
 * @property {number} from  the first of these rows
 * @property {number} rows
 * @property {number} factor  A, the median of all |z|
 * @property {number} spread  how far an |z| is from A at most, relative to it
 * @property {Float64Array} frequencies  theta, radians a row, with their signs
 * @property {Float64Array} phases  phi at row 0 of the table
 * @property {Float64Array} uneven  the largest angle between a z and the line of its pair, in radians
 */

/** The most rows that are measured: the frequency of 4,096 float32 rows is good to 1e-13. All rows are compared later. */
const MOST_ROWS = 4096;

/** The fewest rows that show a frequency. */
export const FEWEST_ROWS = 4;

/** The sine of a step that any format shows. */
const STILL = 0.02;

const TURN = 2 * Math.PI;

/** An angle within half a turn of 0. @param {number} angle */
export const wrap = (angle) => angle - TURN * Math.round(angle / TURN);

/**
 * The angles of the first rows, [rows, pairs].
 * @param {Turns} turns @param {number} rows
 */
export function rowAngles(turns, rows) {
  const { pairs } = turns;
  const angles = new Float64Array(rows * pairs);
  const [re, im] = [new Float64Array(rows), new Float64Array(rows)];
  for (let i = 0; i < pairs; ++i) {
    turns.read(i, 0, rows, re, im);
    for (let t = 0; t < rows; ++t) angles[t * pairs + i] = Math.atan2(im[t], re[t]);
  }
  return angles;
}

/** @param {Float64Array | readonly number[]} numbers */
export function median(numbers) {
  const sorted = Float64Array.from(numbers).sort();
  return sorted[sorted.length >> 1];
}

/**
 * @param {Turns} turns @param {number} limit  how far a step may be from the step before it, in radians
 * @param {number} [widest]  spread that asks for frequencies: beyond it there are none
 * @returns {Measured | undefined} undefined if no rows turn evenly
 */
export function measure(turns, limit, widest = Infinity) {
  const rows = Math.min(turns.rows, MOST_ROWS);
  const all = Array.from({ length: turns.pairs }, (_, pair) => {
    const [re, im] = [new Float64Array(rows), new Float64Array(rows)];
    turns.read(pair, 0, rows, re, im);
    return { re, im };
  });
  const { from, length } = longestRun(all, rows, limit);
  if (length < FEWEST_ROWS) return undefined;
  const run = all.map(({ re, im }) => ({
    re: re.subarray(from, from + length),
    im: im.subarray(from, from + length),
  }));
  const sizes = run.map(({ re, im }) =>
    re.map((x, t) => Math.sqrt(x * x + im[t] * im[t])).filter((size) => !Number.isNaN(size)),
  );
  if (sizes.some((of) => of.length < FEWEST_ROWS)) return undefined;
  const factor = median(sizes.map(median));
  const spread = sizes.reduce(
    (most, of) => of.reduce((far, size) => Math.max(far, Math.abs(size / factor - 1)), most),
    0,
  );
  const lines = spread <= widest ? run.map(({ re, im }) => line(re, im)) : [];
  return {
    from,
    rows: length,
    factor,
    spread,
    frequencies: Float64Array.from(lines, ({ frequency }) => frequency),
    phases: Float64Array.from(lines, ({ frequency, phase }) => wrap(phase - frequency * from)),
    uneven: Float64Array.from(lines, ({ uneven }) => uneven),
  };
}

/**
 * The longest run of rows in which every pair turns by one angle: where positions begin anew or are rounded, a step
 * differs from the step before.
 * @param {{re: Float64Array, im: Float64Array}[]} all @param {number} rows @param {number} limit
 */
function longestRun(all, rows, limit) {
  const isEven = new Uint8Array(rows).fill(1); // of the steps to and from a row
  const turns = new Uint8Array(rows); // where a pair turns in the step to a row
  for (const { re, im } of all) {
    for (let t = 1; t + 1 < rows; ++t) {
      const [x, y] = [re[t] * re[t - 1] + im[t] * im[t - 1], im[t] * re[t - 1] - re[t] * im[t - 1]];
      const [u, v] = [re[t + 1] * re[t] + im[t + 1] * im[t], im[t + 1] * re[t] - re[t + 1] * im[t]];
      const size = Math.sqrt((x * x + y * y) * (u * u + v * v));
      const [dot, cross] = [u * x + v * y, v * x - u * y];
      if (Number.isNaN(size)) continue;
      if (Math.abs(y) > STILL * Math.sqrt(size)) turns[t] = 1;
      if (!(size > 0 && (limit > 1 || dot > 0) && Math.abs(cross) <= limit * size)) isEven[t] = 0;
    }
  }
  let best = { from: 0, length: Math.min(rows, 2), isTurning: false };
  for (let from = 0, t = 1; t < rows; ++t) {
    const isEnd = t === rows - 1;
    if (!isEnd && isEven[t]) continue;
    // Rows that repeat show no frequency.
    const isTurning = turns.subarray(from + 1, t + 1).includes(1);
    const isBetter = isTurning === best.isTurning ? t + 1 - from > best.length : isTurning;
    if (isBetter && t + 1 - from >= FEWEST_ROWS) best = { from, length: t + 1 - from, isTurning };
    from = t;
  }
  return best;
}

/**
 * Frequency and phase of one pair. Products of rows k apart give k theta up to whole turns, for k = 1, 2, 4, ...; each
 * unwraps the next. Then a line through the unwrapped angles, by least squares.
 * @param {Float64Array} re @param {Float64Array} im
 */
function line(re, im) {
  const T = re.length;
  const shown = Array.from(re.keys()).filter((t) => !Number.isNaN(re[t]));
  let frequency = 0;
  for (let k = 1; k < T; k *= 2) {
    let [x, y] = [0, 0];
    for (let t = 0; t + k < T; ++t) {
      const [a, b, c, d] = [re[t], im[t], re[t + k], im[t + k]];
      if (Number.isNaN(a + c)) continue;
      x += c * a + d * b;
      y += d * a - c * b;
    }
    frequency += wrap(Math.atan2(y, x) - frequency * k) / k;
  }
  const start = shown[0];
  const first = Math.atan2(im[start], re[start]) - frequency * start;
  const off = shown.map((t) => wrap(Math.atan2(im[t], re[t]) - first - frequency * t));
  const middle = shown.reduce((sum, t) => sum + t, 0) / shown.length;
  const mean = off.reduce((sum, x) => sum + x, 0) / shown.length;
  let [up, across] = [0, 0];
  for (const [i, t] of shown.entries()) {
    up += (off[i] - mean) * (t - middle);
    across += (t - middle) ** 2;
  }
  const steeper = up / across;
  const uneven = off.reduce(
    (most, angle, i) => Math.max(most, Math.abs(angle - mean - steeper * (shown[i] - middle))),
    0,
  );
  return { frequency: frequency + steeper, phase: first + mean - steeper * middle, uneven };
}
