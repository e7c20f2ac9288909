// The best that one writes without a library: plain loops over typed arrays. The bench takes them from here.

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
 * The same by angle addition in double: each row from the one before, without a sine or a cosine.
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
 * The cosine of every two rows, by tiles of three rows and three rows.
 * @param {Float32Array} x [N, D], N at least 3 @param {number} D @param {Float32Array} out [N, N]
 */
export function cosines(x, D, out) {
  const N = x.length / D;
  const lengths = lengthsOf(x, D);
  const products = new Float64Array(9);
  for (let i = 0; i < N; i += 3) {
    const top = Math.min(i, N - 3); // the last rows again where N is no multiple of 3
    for (let j = 0; j <= i; j += 3) {
      const left = Math.min(j, N - 3);
      multiplyRows(x, top * D, x, left * D, D, products);
      for (let at = 0; at < 9; ++at) {
        const row = top + Math.floor(at / 3);
        const column = left + (at % 3);
        const cosine = products[at] / (lengths[row] * lengths[column]);
        out[row * N + column] = cosine;
        out[column * N + row] = cosine;
      }
    }
  }
}

/** The lengths of the rows of x [N, D]. @param {Float32Array} x @param {number} D */
export function lengthsOf(x, D) {
  return Float64Array.from({ length: x.length / D }, (_, i) => {
    let square = 0;
    for (let at = i * D; at < (i + 1) * D; ++at) square += x[at] * x[at];
    return Math.sqrt(square);
  });
}

/**
 * The dot products of three rows of x and three rows of y: nine sums for six numbers that are read, as many as
 * sixteen registers hold.
 * @param {Float32Array} x @param {number} a  where its rows begin
 * @param {Float32Array} y @param {number} b @param {number} D  numbers of a row
 * @param {Float64Array} out [3, 3]
 */
export function multiplyRows(x, a, y, b, D, out) {
  let [s00, s01, s02, s10, s11, s12, s20, s21, s22] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let d = 0; d < D; ++d) {
    const x0 = x[a + d];
    const x1 = x[a + D + d];
    const x2 = x[a + 2 * D + d];
    const y0 = y[b + d];
    const y1 = y[b + D + d];
    const y2 = y[b + 2 * D + d];
    s00 += x0 * y0;
    s01 += x0 * y1;
    s02 += x0 * y2;
    s10 += x1 * y0;
    s11 += x1 * y1;
    s12 += x1 * y2;
    s20 += x2 * y0;
    s21 += x2 * y1;
    s22 += x2 * y2;
  }
  out[0] = s00;
  out[1] = s01;
  out[2] = s02;
  out[3] = s10;
  out[4] = s11;
  out[5] = s12;
  out[6] = s20;
  out[7] = s21;
  out[8] = s22;
}
