// The jobs of the bench as plain JavaScript over typed arrays: what one writes without a library.

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
 * The same, each row by angle addition in double from the one before.
 * @param {number} T @param {Float64Array} theta @param {Float32Array} out [T, 2P]
 */
export function sinusoidalByAddition(T, theta, out) {
  const P = theta.length;
  const stepSin = theta.map(Math.sin);
  const stepCos = theta.map(Math.cos);
  const sin = new Float64Array(P);
  const cos = new Float64Array(P).fill(1);
  for (let t = 0; t < T; ++t) {
    for (let i = 0; i < P; ++i) {
      const s = sin[i];
      const c = cos[i];
      out[2 * (t * P + i)] = s;
      out[2 * (t * P + i) + 1] = c;
      sin[i] = s * stepCos[i] + c * stepSin[i];
      cos[i] = c * stepCos[i] - s * stepSin[i];
    }
  }
}

/**
 * @param {number} T @param {Float64Array} theta
 * @param {Float32Array} cos [T, P] @param {Float32Array} sin [T, P]
 */
export function rotaryTables(T, theta, cos, sin) {
  const P = theta.length;
  for (let t = 0; t < T; ++t) {
    for (let i = 0; i < P; ++i) {
      const angle = t * theta[i];
      cos[t * P + i] = Math.cos(angle);
      sin[t * P + i] = Math.sin(angle);
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
 * Pairs (2i, 2i + 1) of each row of x [N, T, 2P]; out may be x.
 * @param {Float32Array} x @param {Float32Array} cos @param {Float32Array} sin
 * @param {number} T @param {number} P @param {Float32Array} out
 */
export function rotateInterleaved(x, cos, sin, T, P, out) {
  const N = x.length / (T * 2 * P);
  for (let n = 0; n < N; ++n) {
    for (let t = 0; t < T; ++t) {
      const row = (n * T + t) * 2 * P;
      for (let i = 0; i < P; ++i) {
        const a = x[row + 2 * i];
        const b = x[row + 2 * i + 1];
        const c = cos[t * P + i];
        const s = sin[t * P + i];
        out[row + 2 * i] = a * c - b * s;
        out[row + 2 * i + 1] = b * c + a * s;
      }
    }
  }
}

/**
 * scale * table[id] + places, the places repeated.
 * @param {Float32Array} table [V, D] @param {number} D @param {Int32Array} ids
 * @param {number} scale @param {Float32Array} places [T, D] @param {Float32Array} out
 */
export function lookup(table, D, ids, scale, places, out) {
  const T = places.length / D;
  for (let row = 0; row < ids.length; ++row) {
    const from = ids[row] * D;
    const place = (row % T) * D;
    for (let d = 0; d < D; ++d) out[row * D + d] = scale * table[from + d] + places[place + d];
  }
}
