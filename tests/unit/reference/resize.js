/**
 * Resizing by convolution, from the definition (Keys 1981, Cubic convolution interpolation for
 * digital image processing): every entry of the old line counts, by the kernel at its distance.
 * Slow, in double.
 */

/** Keys' kernel. @param {number} s @param {number} a */
export function cubic(s, a) {
  const x = Math.abs(s);
  if (x < 1) return (a + 2) * x ** 3 - (a + 3) * x ** 2 + 1;
  if (x < 2) return a * x ** 3 - 5 * a * x ** 2 + 8 * a * x - 4 * a;
  return 0;
}

/** @param {number} s */
export const triangle = (s) => Math.max(0, 1 - Math.abs(s));

/**
 * The weights of the N old entries for new entry i of M.
 * @param {number} i @param {number} N @param {number} M
 * @param {{method: string, sampling: string, coefficient?: number}} options
 * @returns {number[]}
 */
export function weights(i, N, M, { method, sampling, coefficient = -0.75 }) {
  const kernel = (/** @type {number} */ s) =>
    method.endsWith("cubic") ? cubic(s, coefficient) : triangle(s);
  const at =
    sampling === "corners" ? (M === 1 ? 0 : (i * (N - 1)) / (M - 1)) : ((i + 0.5) * N) / M - 0.5;
  const given = new Array(N).fill(0);
  if (sampling === "antialiased") {
    const wide = Math.max(1, N / M);
    for (let n = 0; n < N; ++n) given[n] = kernel((at - n) / wide);
    const sum = given.reduce((total, weight) => total + weight, 0);
    return given.map((weight) => weight / sum);
  }
  // The line goes on beyond its ends with its last entries, further than any kernel reaches.
  for (let n = -4; n < N + 4; ++n) {
    given[Math.min(Math.max(n, 0), N - 1)] += kernel(at - n);
  }
  return given;
}

/**
 * @param {ArrayLike<number>} grid  [H, W, D]
 * @param {{from: readonly number[], to: readonly number[], D: number}} sizes
 * @param {{method: string, sampling: string, coefficient?: number}} options
 * @returns {{values: number[], sizes: number[]}} [H', W', D], and the sum of the sizes of the terms
 *   of each
 */
export function resize(grid, { from: [H, W], to: [newH, newW], D }, options) {
  const values = [];
  const sizes = [];
  for (let y = 0; y < newH; ++y) {
    const down = weights(y, H, newH, options);
    for (let x = 0; x < newW; ++x) {
      const across = weights(x, W, newW, options);
      for (let d = 0; d < D; ++d) {
        let value = 0;
        let size = 0;
        for (let h = 0; h < H; ++h) {
          for (let w = 0; w < W; ++w) {
            const term = down[h] * across[w] * grid[(h * W + w) * D + d];
            value += term;
            size += Math.abs(term);
          }
        }
        values.push(value);
        sizes.push(size);
      }
    }
  }
  return { values, sizes };
}
