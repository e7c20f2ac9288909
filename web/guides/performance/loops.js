// What one writes without a library: plain loops over typed arrays. The bench takes them from here.

/** theta_i = base^(-i / P). @param {number} P @param {number} [base] */
export function frequencies(P, base = 10000) {
  return Float64Array.from({ length: P }, (_, i) => base ** (-i / P));
}

/**
 * [s c s c], a sine and a cosine for every value.
 * @param {number} T @param {Float64Array} theta @param {Float32Array} out [T, 2P]
 */
export function sinusoidal(T, theta, out) {
  const P = theta.length;
  for (let t = 0; t < T; ++t) {
    for (let i = 0; i < P; ++i) {
      const angle = t * theta[i];
      out[2 * (t * P + i)] = Math.sin(angle);
      out[2 * (t * P + i) + 1] = Math.cos(angle);
    }
  }
}

/**
 * Pairs (i, i + P) of each row of x [N, T, 2P]; out may be x.
 * @param {Float32Array} x @param {Float32Array} cos @param {Float32Array} sin
 * @param {number} T @param {number} P @param {Float32Array} out
 */
export function rotateHalves(x, cos, sin, T, P, out) {
  const N = x.length / (T * 2 * P);
  for (let n = 0; n < N; ++n) {
    for (let t = 0; t < T; ++t) {
      const row = (n * T + t) * 2 * P;
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
export function scaledLookup(table, D, ids, scale, out) {
  for (let row = 0; row < ids.length; ++row) {
    const from = ids[row] * D;
    for (let d = 0; d < D; ++d) out[row * D + d] = scale * table[from + d];
  }
}

/**
 * The cosine of every two rows.
 * @param {Float32Array} x [N, D] @param {number} D @param {Float32Array} out [N, N]
 */
export function cosines(x, D, out) {
  const N = x.length / D;
  const lengths = Float64Array.from({ length: N }, (_, i) => Math.sqrt(dot(x, i * D, x, i * D, D)));
  for (let i = 0; i < N; ++i) {
    for (let j = 0; j <= i; ++j) {
      const cosine = dot(x, i * D, x, j * D, D) / (lengths[i] * lengths[j]);
      out[i * N + j] = cosine;
      out[j * N + i] = cosine;
    }
  }
}

/** @param {Float32Array} x @param {number} a @param {Float32Array} y @param {number} b @param {number} D */
export function dot(x, a, y, b, D) {
  let sum = 0;
  for (let d = 0; d < D; ++d) sum += x[a + d] * y[b + d];
  return sum;
}
