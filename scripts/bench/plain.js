// The jobs of the bench as plain JavaScript over typed arrays: the best that one writes without a library, with sums in
// double. Several sums at a time, since a processor waits for each; what stays the same in a loop is outside of it.

import { lengthsOf, multiplyRows } from "../../web/guides/performance/loops.js";

export {
  cosines,
  frequencies,
  rotateHalves,
  sinusoidal,
  sinusoidalByAddition,
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
 * Tables of cosines and sines, each row by angle addition from the one before.
 * @param {number} T @param {Float64Array} theta
 * @param {Float32Array} cos [T, P] @param {Float32Array} sin [T, P]
 */
export function rotaryTablesByAddition(T, theta, cos, sin) {
  const P = theta.length;
  const [stepCos, stepSin] = [theta.map(Math.cos), theta.map(Math.sin)];
  const [c, s] = [new Float64Array(P).fill(1), new Float64Array(P)];
  for (let t = 0, at = 0; t < T; ++t) {
    for (let i = 0; i < P; ++i, ++at) {
      const x = c[i];
      const y = s[i];
      cos[at] = x;
      sin[at] = y;
      c[i] = x * stepCos[i] - y * stepSin[i];
      s[i] = y * stepCos[i] + x * stepSin[i];
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
 * @param {Float32Array} x [T, D], D a multiple of 4 @param {Float32Array} weight [D] @param {Float32Array} bias [D]
 * @param {number} eps @param {Float32Array} out [T, D]
 */
export function layerNorm(x, weight, bias, eps, out) {
  const D = weight.length;
  for (let row = 0; row < x.length; row += D) {
    let [s0, s1, s2, s3] = [0, 0, 0, 0];
    for (let at = row; at < row + D; at += 4) {
      s0 += x[at];
      s1 += x[at + 1];
      s2 += x[at + 2];
      s3 += x[at + 3];
    }
    const mean = (s0 + s1 + (s2 + s3)) / D;
    const scale = 1 / Math.sqrt(squaresOf(x, row, D, mean) / D + eps);
    for (let d = 0; d < D; ++d) out[row + d] = (x[row + d] - mean) * scale * weight[d] + bias[d];
  }
}

/**
 * Rows of mean square 1, times a weight.
 * @param {Float32Array} x [T, D], D a multiple of 4 @param {Float32Array} weight [D]
 * @param {number} eps @param {Float32Array} out [T, D]
 */
export function rmsNorm(x, weight, eps, out) {
  const D = weight.length;
  for (let row = 0; row < x.length; row += D) {
    const scale = 1 / Math.sqrt(squaresOf(x, row, D, 0) / D + eps);
    for (let d = 0; d < D; ++d) out[row + d] = x[row + d] * scale * weight[d];
  }
}

/** The sum of (x - mean)^2 over D numbers. @param {Float32Array} x @param {number} from @param {number} D @param {number} mean */
function squaresOf(x, from, D, mean) {
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  for (let at = from; at < from + D; at += 4) {
    const a = x[at] - mean;
    const b = x[at + 1] - mean;
    const c = x[at + 2] - mean;
    const d = x[at + 3] - mean;
    s0 += a * a;
    s1 += b * b;
    s2 += c * c;
    s3 += d * d;
  }
  return s0 + s1 + (s2 + s3);
}

/**
 * Sums of the rows of bags of N, four rows at a time.
 * @param {Float32Array} table [V, D] @param {number} D @param {Int32Array} ids [B, N]
 * @param {number} N  a multiple of 4 @param {Float32Array} out [B, D]
 */
export function bagSums(table, D, ids, N, out) {
  const sums = new Float64Array(D);
  for (let at = 0, to = 0; at < ids.length; at += N, to += D) {
    sums.fill(0);
    for (let n = at; n < at + N; n += 4) {
      const [r0, r1, r2, r3] = [ids[n] * D, ids[n + 1] * D, ids[n + 2] * D, ids[n + 3] * D];
      for (let d = 0; d < D; ++d) {
        sums[d] += table[r0 + d] + table[r1 + d] + (table[r2 + d] + table[r3 + d]);
      }
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

/** The cosine of two lists of D numbers, a multiple of 4. @param {Float32Array} a @param {Float32Array} b */
export function cosine(a, b) {
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  for (let d = 0; d < a.length; d += 4) {
    s0 += a[d] * b[d];
    s1 += a[d + 1] * b[d + 1];
    s2 += a[d + 2] * b[d + 2];
    s3 += a[d + 3] * b[d + 3];
  }
  const squares = squaresOf(a, 0, a.length, 0) * squaresOf(b, 0, b.length, 0);
  return (s0 + s1 + (s2 + s3)) / Math.sqrt(squares);
}

/**
 * The cosines of one row and all rows of a table, whose lengths are not known.
 * @param {Float32Array} query [D], D a multiple of 4 @param {Float32Array} table [V, D], V at least 8 @param {Float32Array} out [V]
 */
export function cosinesOfOne(query, table, out) {
  const D = query.length;
  const products = new Float64Array(out.length);
  multiplyOne(table, query, D, products);
  const square = squaresOf(query, 0, D, 0);
  for (let v = 0; v < out.length; ++v) {
    out[v] = products[v] / Math.sqrt(square * squaresOf(table, v * D, D, 0));
  }
}

/**
 * Means of the tokens that a mask keeps.
 * @param {Float32Array} x [B, T, D] @param {readonly number[]} mask [B, T] @param {number} D @param {Float32Array} out [B, D]
 */
export function meanPooling(x, mask, D, out) {
  const T = mask.length / (out.length / D);
  const sums = new Float64Array(D);
  for (let first = 0, to = 0; first < mask.length; first += T, to += D) {
    let count = 0;
    sums.fill(0);
    for (let row = first; row < first + T; ++row) {
      if (mask[row] === 0) continue;
      ++count;
      for (let d = 0, at = row * D; d < D; ++d, ++at) sums[d] += x[at];
    }
    for (let d = 0; d < D; ++d) out[to + d] = sums[d] / count;
  }
}

/**
 * A search of the rows of a table that are most like a query by cosine. The lengths of the rows are kept.
 * @param {Float32Array} table [V, D], V at least 8 @param {number} D
 */
export function nearestIndex(table, D) {
  const V = table.length / D;
  const lengths = lengthsOf(table, D);
  const rows = new Float64Array(V);
  /** @param {Float32Array} query [D] @param {number} k @param {Float64Array} products [V], of the query */
  const best = (query, k, products) => {
    const length = Math.sqrt(squaresOf(query, 0, D, 0));
    const ids = new Uint32Array(k);
    const scores = new Float64Array(k).fill(-Infinity);
    for (let v = 0; v < V; ++v) {
      const score = products[v] / (lengths[v] * length);
      if (score <= scores[k - 1]) continue;
      let place = k - 1;
      for (; place > 0 && scores[place - 1] < score; --place) {
        scores[place] = scores[place - 1];
        ids[place] = ids[place - 1];
      }
      scores[place] = score;
      ids[place] = v;
    }
    return { ids, scores: Float32Array.from(scores) };
  };
  return {
    /** @param {Float32Array} query [D] @param {number} k */
    search(query, k) {
      multiplyOne(table, query, D, rows);
      return best(query, k, rows);
    },
    /** @param {Float32Array} queries [Q, D], Q at least 3 @param {number} k */
    searchAll(queries, k) {
      const Q = queries.length / D;
      const all = Array.from({ length: Q }, () => new Float64Array(V));
      const products = new Float64Array(9);
      for (let v = 0; v < V; v += 3) {
        const row = Math.min(v, V - 3);
        for (let q = 0; q < Q; q += 3) {
          const first = Math.min(q, Q - 3);
          multiplyRows(queries, first * D, table, row * D, D, products);
          for (let at = 0; at < 9; ++at)
            all[first + Math.floor(at / 3)][row + (at % 3)] = products[at];
        }
      }
      return all.map((row, q) => best(queries.subarray(q * D, (q + 1) * D), k, row));
    },
  };
}

/**
 * The dot products of one row and all rows of a table, eight rows at a time.
 * @param {Float32Array} table [V, D], V at least 8 @param {Float32Array} query [D] @param {number} D
 * @param {Float64Array} out [V]
 */
function multiplyOne(table, query, D, out) {
  const numbers = Float64Array.from(query); // widened once
  const V = out.length;
  for (let v = 0; v < V; v += 8) {
    const row = Math.min(v, V - 8);
    let [s0, s1, s2, s3, s4, s5, s6, s7] = [0, 0, 0, 0, 0, 0, 0, 0];
    for (let d = 0, at = row * D; d < D; ++d, ++at) {
      const x = numbers[d];
      s0 += x * table[at];
      s1 += x * table[at + D];
      s2 += x * table[at + 2 * D];
      s3 += x * table[at + 3 * D];
      s4 += x * table[at + 4 * D];
      s5 += x * table[at + 5 * D];
      s6 += x * table[at + 6 * D];
      s7 += x * table[at + 7 * D];
    }
    out[row] = s0;
    out[row + 1] = s1;
    out[row + 2] = s2;
    out[row + 3] = s3;
    out[row + 4] = s4;
    out[row + 5] = s5;
    out[row + 6] = s6;
    out[row + 7] = s7;
  }
}

/**
 * Attention: the mean of the values, weighted by softmax(q k^T / sqrt(D)), by tiles of three rows and three columns.
 * @param {Float32Array} q [H, T, D], T and D at least 3 @param {Float32Array} k @param {Float32Array} v
 * @param {{H: number, T: number, D: number}} sizes
 * @param {Float32Array} weights [H, T, T] @param {Float32Array} out [H, T, D]
 */
export function attention(q, k, v, { H, T, D }, weights, out) {
  const scale = 1 / Math.sqrt(D);
  const products = new Float64Array(9);
  const columns = new Float32Array(D * T); // the values of a head, each of their columns in a piece
  for (let h = 0; h < H; ++h) {
    const head = h * T * D;
    const square = h * T * T;
    for (let n = 0; n < T; ++n) {
      for (let d = 0; d < D; ++d) columns[d * T + n] = v[head + n * D + d];
    }
    for (let t = 0; t < T; t += 3) {
      const top = Math.min(t, T - 3);
      for (let n = 0; n < T; n += 3) {
        const left = Math.min(n, T - 3);
        multiplyRows(q, head + top * D, k, head + left * D, D, products);
        for (let at = 0; at < 9; ++at) {
          weights[square + (top + Math.floor(at / 3)) * T + left + (at % 3)] = scale * products[at];
        }
      }
      for (let row = top; row < top + 3; ++row) softmax(weights, square + row * T, T);
    }
    for (let t = 0; t < T; t += 3) {
      const top = Math.min(t, T - 3);
      for (let d = 0; d < D; d += 3) {
        const left = Math.min(d, D - 3);
        multiplyRows(weights, square + top * T, columns, left * T, T, products);
        for (let at = 0; at < 9; ++at) {
          out[head + (top + Math.floor(at / 3)) * D + left + (at % 3)] = products[at];
        }
      }
    }
  }
}

/** Softmax of N numbers in place. @param {Float32Array} x @param {number} from @param {number} N */
function softmax(x, from, N) {
  let top = -Infinity;
  for (let at = from; at < from + N; ++at) if (x[at] > top) top = x[at];
  let sum = 0;
  for (let at = from; at < from + N; ++at) sum += x[at] = Math.exp(x[at] - top);
  for (let at = from; at < from + N; ++at) x[at] /= sum;
}

/**
 * The two largest variances: a subspace of two directions is multiplied by the covariance until the variances in it
 * have settled.
 * @param {Float32Array} x [N, D] @param {number} D
 */
export function variances(x, D) {
  const N = x.length / D;
  const mean = new Float64Array(D);
  for (let row = 0; row < x.length; row += D) for (let d = 0; d < D; ++d) mean[d] += x[row + d];
  for (let d = 0; d < D; ++d) mean[d] /= N;
  let [u, v] = [1, 2].map((c) =>
    Float64Array.from({ length: D }, (_, d) => Math.sin(c * d * d + c)),
  );
  for (let before = [0, 0]; ;) {
    const length = Math.sqrt(dot(u, u));
    u = u.map((value) => value / length);
    const along = dot(u, v);
    v = v.map((value, d) => value - along * u[d]);
    const rest = Math.sqrt(dot(v, v));
    v = v.map((value) => value / rest);
    const [nextU, nextV] = multiplyByCovariance(x, D, mean, u, v);
    // The eigenvalues of the covariance within the subspace.
    const [a, b, c] = [dot(u, nextU), dot(u, nextV), dot(v, nextV)];
    const spread = Math.sqrt(((a - c) / 2) ** 2 + b * b);
    const found = [(a + c) / 2 + spread, (a + c) / 2 - spread];
    if (found.every((value, i) => Math.abs(value - before[i]) < 1e-6 * value)) {
      return Float32Array.from(found, (value) => value / (N - 1));
    }
    [u, v, before] = [nextU, nextV, found];
  }
}

/**
 * (x - mean)^T (x - mean) times two directions.
 * @param {Float32Array} x [N, D] @param {number} D @param {Float64Array} mean [D]
 * @param {Float64Array} u [D] @param {Float64Array} v [D]
 */
function multiplyByCovariance(x, D, mean, u, v) {
  const [nextU, nextV] = [new Float64Array(D), new Float64Array(D)];
  const [meanU, meanV] = [dot(mean, u), dot(mean, v)];
  let [sumU, sumV] = [0, 0];
  for (let row = 0; row < x.length; row += D) {
    let [alongU, alongV] = [-meanU, -meanV];
    for (let d = 0; d < D; ++d) {
      const value = x[row + d];
      alongU += value * u[d];
      alongV += value * v[d];
    }
    for (let d = 0; d < D; ++d) {
      const value = x[row + d];
      nextU[d] += alongU * value;
      nextV[d] += alongV * value;
    }
    sumU += alongU;
    sumV += alongV;
  }
  for (let d = 0; d < D; ++d) {
    nextU[d] -= sumU * mean[d];
    nextV[d] -= sumV * mean[d];
  }
  return [nextU, nextV];
}

/** @param {Float64Array} a @param {Float64Array} b */
function dot(a, b) {
  let sum = 0;
  for (let d = 0; d < a.length; ++d) sum += a[d] * b[d];
  return sum;
}

/**
 * One position of H heads by halves: a cosine and a sine are read once for all heads.
 * @param {Float32Array} x [H, 2P] @param {Float32Array} cos @param {Float32Array} sin
 * @param {number} from  where the position's P cosines begin @param {number} P @param {Float32Array} out
 */
export function rotateHeads(x, cos, sin, from, P, out) {
  for (let i = 0; i < P; ++i) {
    const c = cos[from + i];
    const s = sin[from + i];
    for (let at = i; at < x.length; at += 2 * P) {
      const a = x[at];
      const b = x[at + P];
      out[at] = a * c - b * s;
      out[at + P] = b * c + a * s;
    }
  }
}

/** The bits of every float16 as those of a float32, made once. */
const WIDENED = Uint32Array.from({ length: 65536 }, (_, bits) => {
  const sign = (bits & 0x8000) << 16;
  const magnitude = bits & 0x7fff;
  if (magnitude >= 0x0400)
    return sign | ((magnitude << 13) + ((magnitude < 0x7c00 ? 112 : 224) << 23));
  return new Uint32Array(Float32Array.of((sign === 0 ? 1 : -1) * magnitude * 2 ** -24).buffer)[0];
});

/** The same numbers. */
const VALUES = new Float32Array(WIDENED.buffer);

/** float16 by its bits. @param {Uint16Array} bits @param {Float32Array} out */
export function widenFloat16(bits, out) {
  const words = new Uint32Array(out.buffer, out.byteOffset, out.length);
  for (let i = 0; i < bits.length; ++i) words[i] = WIDENED[bits[i]];
}

/** ggml's Q4_0: blocks of a float16 scale and 32 codes. @param {Uint8Array} bytes @param {Float32Array} out */
export function decodeQ4(bytes, out) {
  for (let block = 0, at = 0; at < out.length; block += 18, at += 32) {
    const scale = VALUES[bytes[block] | (bytes[block + 1] << 8)];
    for (let i = 0; i < 16; ++i) {
      const pair = bytes[block + 2 + i];
      out[at + i] = scale * ((pair & 15) - 8);
      out[at + 16 + i] = scale * ((pair >> 4) - 8);
    }
  }
}
