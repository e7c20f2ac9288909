// What one writes without a library: plain loops over typed arrays, as in the bench.

/** Sines and cosines of all angles, [s c s c]. @param {number} T @param {number} D @param {Float32Array} out [T, D] */
export function sinusoidal(T, D, out) {
  const theta = Float64Array.from({ length: D / 2 }, (_, i) => 10000 ** ((-2 * i) / D));
  for (let t = 0, at = 0; t < T; ++t) {
    for (let i = 0; i < D / 2; ++i, at += 2) {
      const angle = t * theta[i];
      out[at] = Math.sin(angle);
      out[at + 1] = Math.cos(angle);
    }
  }
}

/**
 * Rotates the pairs (i, i + P) of each row of x [H, T, 2P].
 * @param {Float32Array} x @param {Float32Array} cos [T, P] @param {Float32Array} sin [T, P]
 * @param {{H: number, T: number, P: number}} sizes @param {Float32Array} out
 */
export function rotate(x, cos, sin, { H, T, P }, out) {
  for (let h = 0; h < H; ++h) {
    for (let t = 0; t < T; ++t) {
      const row = (h * T + t) * 2 * P;
      for (let i = 0; i < P; ++i) {
        const a = x[row + i];
        const b = x[row + P + i];
        const c = cos[t * P + i];
        const s = sin[t * P + i];
        out[row + i] = a * c - b * s;
        out[row + P + i] = b * c + a * s;
      }
    }
  }
}

/**
 * scale * table[id] for each id.
 * @param {Float32Array} table [V, D] @param {number} D @param {Int32Array} ids @param {number} scale
 * @param {Float32Array} out
 */
export function lookup(table, D, ids, scale, out) {
  for (let row = 0; row < ids.length; ++row) {
    const from = ids[row] * D;
    for (let d = 0; d < D; ++d) out[row * D + d] = scale * table[from + d];
  }
}

/** The cosine of every two rows. @param {Float32Array} x [N, D] @param {number} D @param {Float32Array} out [N, N] */
export function cosines(x, D, out) {
  const N = x.length / D;
  const lengths = Float64Array.from({ length: N }, (_, i) => Math.sqrt(dot(x, i * D, i * D, D)));
  for (let i = 0; i < N; ++i) {
    for (let j = 0; j <= i; ++j) {
      const cosine = dot(x, i * D, j * D, D) / (lengths[i] * lengths[j]);
      out[i * N + j] = cosine;
      out[j * N + i] = cosine;
    }
  }
}

/** @param {Float32Array} x @param {number} a @param {number} b @param {number} D */
function dot(x, a, b, D) {
  let sum = 0;
  for (let d = 0; d < D; ++d) sum += x[a + d] * x[b + d];
  return sum;
}
