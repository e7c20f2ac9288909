/** Formats of a port's numbers, what their roundings explain, and the order of heads: for `check` and `identify`. */

/** Half a unit in the last place of numbers up to 1, doubled for a second rounding. */
export const EPSILON = Object.freeze({ float32: 2 ** -23, float16: 2 ** -11, bfloat16: 2 ** -8 });

/** What float32 steps make of an angle: two units of its frequency, and the product. */
export const PER_ANGLE = 2 ** -22;

/**
 * A frequency, larger by as much as float32 steps may move an angle more than that: the exponent of the base is rounded,
 * too, unless the width is a power of two, and moves the frequency by half a unit in the last place of its logarithm. A
 * power of two bounds that.
 * @param {number} theta  at least 0; at most 1 in all formulas
 */
export function widened(theta) {
  let halvings = 0;
  for (let x = theta; x > 0 && x < 1; x *= 2) ++halvings;
  return theta * (1 + (halvings * Math.LN2) / 4);
}

/** Roundings of a rotation in the format of its vectors: two products, a sum, and those of cosine and sine. */
export const STEPS = 4;

/**
 * Rounds to a significand of `bits` bits, ties to even. Ranges of exponents are not limited.
 * @param {number} x @param {number} bits
 */
export function rounded(x, bits) {
  // Veltkamp's splitting: adding and subtracting a multiple leaves the upper bits.
  const multiple = (2 ** (53 - bits) + 1) * x;
  return multiple - (multiple - x);
}

/** The nearest number of a format. @param {number} x @param {"float16" | "bfloat16" | "float32"} format */
export function narrowed(x, format) {
  if (format !== "float16") return rounded(x, format === "bfloat16" ? 8 : 24);
  return Math.abs(x) < 2 ** -14 ? Math.round(x * 2 ** 24) / 2 ** 24 : rounded(x, 11);
}

/**
 * The narrowest format that holds all numbers exactly: those of a bfloat16 model are often saved as float32.
 * @param {readonly (Float32Array | Float64Array)[]} arrays
 * @returns {"float32" | "float16" | "bfloat16"}
 */
export function precisionOf(arrays) {
  const fits = (/** @type {number} */ bits, least = 0) =>
    arrays.every((array) => array.every((x) => Math.abs(x) < least || rounded(x, bits) === x));
  if (fits(8)) return "bfloat16";
  return fits(11, 2 ** -14) ? "float16" : "float32"; // below 2^-14 float16 has fewer digits
}

/**
 * The numbers of the first batch, if all have the same.
 * @param {Float32Array} data @param {number} batches
 */
export function firstOf(data, batches) {
  const size = data.length / batches;
  return data.every((x, k) => Object.is(x, data[k % size])) ? data.subarray(0, size) : undefined;
}

/**
 * Moves heads before positions.
 * @template {Float32Array | Float64Array} Numbers
 * @param {Numbers} array @param {number} T @param {number} H @param {number} D
 */
export function headsFirst(array, T, H, D) {
  const moved = /** @type {Numbers} */ (array.slice());
  for (let row = 0; row < array.length / D; ++row) {
    const [h, t, b] = [row % H, Math.floor(row / H) % T, Math.floor(row / (H * T))];
    moved.set(array.subarray(row * D, (row + 1) * D), ((b * H + h) * T + t) * D);
  }
  return moved;
}
