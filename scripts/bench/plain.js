// The jobs of the bench as plain JavaScript over typed arrays: what one writes without a library.

import { dot } from "../../web/guides/performance/loops.js";

export {
  cosines,
  frequencies,
  rotateHalves,
  sinusoidal,
} from "../../web/guides/performance/loops.js";

/**
 * The same at any positions.
 * @param {Float64Array} positions [T] @param {Float64Array} theta @param {Float32Array} out [T, 2P]
 */
export function sinusoidalAt(positions, theta, out) {
  const P = theta.length;
  for (const [t, position] of positions.entries()) {
    for (let i = 0; i < P; ++i) {
      const angle = position * theta[i];
      out[2 * (t * P + i)] = Math.sin(angle);
      out[2 * (t * P + i) + 1] = Math.cos(angle);
    }
  }
}

/**
 * A sine and a cosine for every value, each row by angle addition in double from the one before.
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

/**
 * -slope |i - j| for every head.
 * @param {Float64Array} slopes [H] @param {number} T @param {Float32Array} out [H, T, T]
 */
export function alibi(slopes, T, out) {
  for (let h = 0, at = 0; h < slopes.length; ++h) {
    for (let i = 0; i < T; ++i) {
      for (let j = 0; j < T; ++j, ++at) out[at] = -slopes[h] * Math.abs(i - j);
    }
  }
}

/**
 * The same by copies: a row is a stretch of the head's values at all distances.
 * @param {Float64Array} slopes [H] @param {number} T @param {Float32Array} out [H, T, T]
 */
export function alibiByRows(slopes, T, out) {
  const line = new Float32Array(2 * T - 1);
  for (let h = 0, at = 0; h < slopes.length; ++h) {
    for (let k = 0; k < line.length; ++k) line[k] = -slopes[h] * Math.abs(k - (T - 1));
    for (let i = 0; i < T; ++i, at += T) out.set(line.subarray(T - 1 - i, 2 * T - 1 - i), at);
  }
}

/**
 * Rows with mean 0 and variance 1, times a weight, plus a bias.
 * @param {Float32Array} x [T, D] @param {Float32Array} weight [D] @param {Float32Array} bias [D]
 * @param {number} eps @param {Float32Array} out [T, D]
 */
export function layerNorm(x, weight, bias, eps, out) {
  const D = weight.length;
  for (let row = 0; row < x.length; row += D) {
    let mean = 0;
    for (let d = 0; d < D; ++d) mean += x[row + d];
    mean /= D;
    let variance = 0;
    for (let d = 0; d < D; ++d) variance += (x[row + d] - mean) ** 2;
    const scale = 1 / Math.sqrt(variance / D + eps);
    for (let d = 0; d < D; ++d) out[row + d] = (x[row + d] - mean) * scale * weight[d] + bias[d];
  }
}

/**
 * Rows of mean square 1, times a weight.
 * @param {Float32Array} x [T, D] @param {Float32Array} weight [D]
 * @param {number} eps @param {Float32Array} out [T, D]
 */
export function rmsNorm(x, weight, eps, out) {
  const D = weight.length;
  for (let row = 0; row < x.length; row += D) {
    let squares = 0;
    for (let d = 0; d < D; ++d) squares += x[row + d] ** 2;
    const scale = 1 / Math.sqrt(squares / D + eps);
    for (let d = 0; d < D; ++d) out[row + d] = x[row + d] * scale * weight[d];
  }
}

/**
 * Sums of the rows of bags of N, in double.
 * @param {Float32Array} table [V, D] @param {number} D @param {Int32Array} ids [B, N]
 * @param {number} N @param {Float32Array} out [B, D]
 */
export function bagSums(table, D, ids, N, out) {
  const sums = new Float64Array(D);
  for (let at = 0, to = 0; at < ids.length; at += N, to += D) {
    sums.fill(0);
    for (let n = 0; n < N; ++n) {
      const row = ids[at + n] * D;
      for (let d = 0; d < D; ++d) sums[d] += table[row + d];
    }
    out.set(sums, to);
  }
}

/**
 * The gradient of a lookup: the sum of the gradients of each id that occurs, ids ascending.
 * @param {Int32Array} ids @param {Float32Array} gradients [T, D] @param {number} D
 */
export function sparseGradient(ids, gradients, D) {
  const rows = Int32Array.from(new Set(ids)).sort();
  const slots = new Map(Array.from(rows, (row, r) => [row, r]));
  const sums = new Float64Array(rows.length * D);
  for (let t = 0; t < ids.length; ++t) {
    const to = Number(slots.get(ids[t])) * D;
    for (let d = 0; d < D; ++d) sums[to + d] += gradients[t * D + d];
  }
  return { rows, values: Float32Array.from(sums) };
}

/**
 * The same for all V rows, in float32.
 * @param {Int32Array} ids @param {Float32Array} gradients [T, D] @param {number} D
 * @param {Float32Array} out [V, D]
 */
export function denseGradient(ids, gradients, D, out) {
  out.fill(0);
  for (let t = 0; t < ids.length; ++t) {
    const to = ids[t] * D;
    for (let d = 0; d < D; ++d) out[to + d] += gradients[t * D + d];
  }
}

/** Rows of a table. @param {Float32Array} table [V, D] @param {number} D @param {Int32Array} rows */
export function pick(table, D, rows) {
  const out = new Float32Array(rows.length * D);
  for (const [r, row] of rows.entries()) out.set(table.subarray(row * D, (row + 1) * D), r * D);
  return out;
}

/**
 * The rows of a table most like a query by cosine, by sorting all of them.
 * @param {Float32Array} table [V, D] @param {Float32Array} query [D] @param {number} k
 */
export function nearest(table, query, k) {
  const D = query.length;
  const V = table.length / D;
  const length = Math.sqrt(dot(query, 0, query, 0, D));
  const scores = new Float64Array(V);
  for (let v = 0; v < V; ++v) {
    const own = Math.sqrt(dot(table, v * D, table, v * D, D));
    scores[v] = dot(table, v * D, query, 0, D) / (own * length);
  }
  const order = Uint32Array.from({ length: V }, (_, v) => v).sort((a, b) => scores[b] - scores[a]);
  const ids = order.slice(0, k);
  return { ids, scores: Float32Array.from(ids, (id) => scores[id]) };
}

/**
 * The same with four sums for each product, which processors add up at a time.
 * @param {Float32Array} x [N, D], D a multiple of 4 @param {number} D @param {Float32Array} out [N, N]
 */
export function cosinesByFourSums(x, D, out) {
  const N = x.length / D;
  const dot4 = (/** @type {number} */ a, /** @type {number} */ b) => {
    let [s0, s1, s2, s3] = [0, 0, 0, 0];
    for (let d = 0; d < D; d += 4) {
      s0 += x[a + d] * x[b + d];
      s1 += x[a + d + 1] * x[b + d + 1];
      s2 += x[a + d + 2] * x[b + d + 2];
      s3 += x[a + d + 3] * x[b + d + 3];
    }
    return s0 + s1 + (s2 + s3);
  };
  const lengths = Float64Array.from({ length: N }, (_, i) => Math.sqrt(dot4(i * D, i * D)));
  for (let i = 0; i < N; ++i) {
    for (let j = 0; j <= i; ++j) {
      const cosine = dot4(i * D, j * D) / (lengths[i] * lengths[j]);
      out[i * N + j] = cosine;
      out[j * N + i] = cosine;
    }
  }
}

/**
 * Attention: the mean of the values, weighted by softmax(q k^T / sqrt(D)).
 * @param {Float32Array} q [H, T, D] @param {Float32Array} k @param {Float32Array} v
 * @param {{H: number, T: number, D: number}} sizes
 * @param {Float32Array} weights [H, T, T] @param {Float32Array} out [H, T, D]
 */
export function attention(q, k, v, { H, T, D }, weights, out) {
  const scale = 1 / Math.sqrt(D);
  const mean = new Float64Array(D);
  for (let row = 0; row < H * T; ++row) {
    const first = row - (row % T); // of the head
    let top = -Infinity;
    for (let n = 0; n < T; ++n) {
      const logit = scale * dot(q, row * D, k, (first + n) * D, D);
      weights[row * T + n] = logit;
      top = Math.max(top, logit);
    }
    let sum = 0;
    for (let n = row * T; n < (row + 1) * T; ++n) {
      weights[n] = Math.exp(weights[n] - top);
      sum += weights[n];
    }
    mean.fill(0);
    for (let n = 0; n < T; ++n) {
      const share = (weights[row * T + n] /= sum);
      const at = (first + n) * D;
      for (let d = 0; d < D; ++d) mean[d] += share * v[at + d];
    }
    out.set(mean, row * D);
  }
}

/**
 * The two largest variances, by power iteration on the centered rows, one after the other.
 * @param {Float32Array} x [N, D] @param {number} D @param {number} turns
 */
export function variances(x, D, turns) {
  const N = x.length / D;
  const mean = new Float64Array(D);
  for (let at = 0; at < x.length; ++at) mean[at % D] += x[at] / N;
  /** @type {Float64Array[]} */
  const found = [];
  const variance = new Float32Array(2);
  for (let c = 0; c < 2; ++c) {
    let v = Float64Array.from({ length: D }, (_, d) => 1 / (1 + d + c));
    for (let turn = 0; turn < turns; ++turn) {
      const next = new Float64Array(D);
      for (let row = 0; row < x.length; row += D) {
        let along = 0;
        for (let d = 0; d < D; ++d) along += (x[row + d] - mean[d]) * v[d];
        for (let d = 0; d < D; ++d) next[d] += along * (x[row + d] - mean[d]);
      }
      for (const other of found) {
        let along = 0;
        for (let d = 0; d < D; ++d) along += next[d] * other[d];
        for (let d = 0; d < D; ++d) next[d] -= along * other[d];
      }
      let length = 0;
      for (let d = 0; d < D; ++d) length += next[d] ** 2;
      length = Math.sqrt(length);
      variance[c] = length / (N - 1);
      v = next.map((value) => value / length);
    }
    found.push(v);
  }
  return variance;
}

/** float16 by its bits. @param {Uint16Array} bits @param {Float32Array} out */
export function widenFloat16(bits, out) {
  const words = new Uint32Array(out.buffer, out.byteOffset, out.length);
  for (let i = 0; i < bits.length; ++i) {
    const sign = (bits[i] & 0x8000) << 16;
    const magnitude = bits[i] & 0x7fff;
    if (magnitude < 0x0400) out[i] = (sign === 0 ? 1 : -1) * magnitude * 2 ** -24;
    else words[i] = sign | ((magnitude << 13) + ((magnitude < 0x7c00 ? 112 : 224) << 23));
  }
}

/** ggml's Q4_0: blocks of a float16 scale and 32 codes. @param {Uint8Array} bytes @param {Float32Array} out */
export function decodeQ4(bytes, out) {
  const scale = new Float32Array(1);
  for (let block = 0, at = 0; at < out.length; block += 18, at += 32) {
    widenFloat16(Uint16Array.of(bytes[block] | (bytes[block + 1] << 8)), scale);
    const d = scale[0];
    for (let i = 0; i < 16; ++i) {
      out[at + i] = d * ((bytes[block + 2 + i] & 15) - 8);
      out[at + 16 + i] = d * ((bytes[block + 2 + i] >> 4) - 8);
    }
  }
}
