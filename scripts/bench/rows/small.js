// Calls of a few numbers, where the call itself is most of the work. Everything is in the cache, results go into
// arrays that are there already, and a turn is many calls.

import { emptyCalls } from "../limits.js";
import * as plain from "../plain.js";

/** @import { Phasor } from "phasor" */
/** @import { Contestant } from "../measure.js" */
/** @import { Row } from "./index.js" */

/** How many calls a turn has. */
const CALLS = 256;

/** @type {Row[]} */
export const rows = [
  smallestRow(),
  smallRow("S1", "rope.apply of one position, (1, 8, 1, 128)", 1 / 1.5, (phasor) =>
    rotation(phasor, 8),
  ),
  smallRow("S2", "rope.apply of one position, (1, 32, 1, 128)", 1, (phasor) =>
    rotation(phasor, 32),
  ),
  decodeRow(),
  smallRow("S4", "rope.table of one position, 128 wide", 1 / 1.5, ({ rope }) => {
    const theta = plain.frequencies(64);
    const [cos, sin, cosines, sines] = floats(64, 64, 64, 64);
    const out = { cos, sin };
    return {
      size: 128,
      ours: () => rope.table([5], 128, { out }),
      loop: () => turn(5, theta, cosines, sines),
      results: () => [cos, cosines],
    };
  }),
  smallRow("S4n", "rope.table of one position, 128 wide, new arrays", 1 / 1.5, ({ rope }) => {
    const theta = plain.frequencies(64);
    /** @type {Float32Array[]} */
    let [cos, looped] = floats(64, 64);
    return {
      size: 128,
      ours: () => (cos = rope.table([5], 128).cos.data),
      loop: () => {
        const [cosines, sines] = floats(64, 64);
        turn(5, theta, cosines, sines);
        looped = cosines;
      },
      results: () => [cos, looped],
    };
  }),
  smallRow("S5", "sinusoidal.table 16 x 64", 1, ({ sinusoidal }) => {
    const theta = plain.frequencies(32);
    const [out, looped] = floats(16 * 64, 16 * 64);
    return {
      size: 16 * 64,
      ours: () => sinusoidal.table(16, 64, { out }),
      loop: () => plain.sinusoidal(16, theta, looped),
      results: () => [out, looped],
    };
  }),
  smallRow("S6", "lookup of 8 ids in 1000 x 768", 1 / 2, (phasor) => lookup(phasor, true)),
  smallRow("S6n", "lookup of a list of 8 ids in 1000 x 768, a new array", 1 / 2, (phasor) =>
    lookup(phasor, false),
  ),
  smallRow("S7", "layerNorm of one row of 768", 1 / 2, ({ normalize }) => {
    const x = waves(768);
    const [weight, bias] = [waves(768, 2), waves(768, 3)];
    const [out, looped] = floats(768, 768);
    const row = { data: x, shape: [1, 768] };
    return {
      size: 768,
      ours: () => normalize.layerNorm(row, { weight, bias, out }),
      loop: () => plain.layerNorm(x, weight, bias, 1e-5, looped),
      results: () => [out, looped],
    };
  }),
  smallRow("S8", "alibi.bias of 8 heads, 16 x 16", 1 / 2, ({ alibi }) => {
    const slopes = Float64Array.from({ length: 8 }, (_, h) => 2 ** -(h + 1));
    const [out, looped] = floats(8 * 256, 8 * 256);
    return {
      size: 8 * 256,
      ours: () => alibi.bias(8, 16, { form: "symmetric", out }),
      loop: () => plain.alibi(slopes, 16, looped),
      results: () => [out, looped],
    };
  }),
  smallRow("S10", "similarity.pair of 768 numbers", 1 / 2, ({ similarity }) => {
    const [a, b] = [waves(768), waves(768, 2)];
    let cosine = 0;
    const looped = new Float32Array(1);
    return {
      size: 1,
      ours: () => (cosine = similarity.pair(a, b)),
      loop: () => (looped[0] = plain.cosine(a, b)),
      results: () => [Float32Array.of(cosine), looped],
    };
  }),
  cacheRow(),
];

/**
 * The smallest calls there are: their time is what every call of phasor costs. With a thousand calls, a turn's
 * milliseconds are one call's microseconds; EMPTY empty calls take one where each takes ten nanoseconds.
 * @returns {Row}
 */
function smallestRow() {
  const [calls, EMPTY] = [1000, 100];
  const names = ["phasor, rope.convert", "phasor, lookup", "phasor, normalize.l2"];
  return {
    id: "S0",
    title: `the smallest calls: ${calls} of each, beside ${EMPTY} times as many empty ones`,
    goals: names.map((who) => ({ who, than: "empty calls", most: 1 })),
    async prepare({ embedding, normalize, rope }) {
      const x = Float32Array.of(3, 4);
      const pair = { data: x, shape: [1, 2] };
      const one = { data: Float32Array.of(5), shape: [1, 1] };
      const table = embedding.from([[3, 4]]);
      const ids = Int32Array.of(0);
      const [converted, row, unit] = floats(2, 2, 1);
      /** @type {(() => unknown)[]} */
      const small = [
        () => rope.convert(pair, { from: "halves", to: "interleaved", out: converted }),
        () => table.lookup(ids, { out: row }),
        () => normalize.l2(one, { out: unit }),
      ];
      const results = [converted, row, unit];
      const expected = [x, x, Float32Array.of(1)];
      return {
        expected: [Float32Array.of(0)],
        finish: () => table.dispose(),
        contestants: [
          await emptyCalls(EMPTY * calls),
          ...small.map((call, which) => ({
            name: names[which],
            run() {
              for (let i = 0; i < calls; ++i) call();
            },
            result: () => [farthest(results[which], expected[which])],
            tolerance: 0,
          })),
        ],
      };
    },
  };
}

/** The largest difference, as a result of one number. @param {Float32Array} found @param {Float32Array} expected */
function farthest(found, expected) {
  return Float32Array.of(Math.max(...expected.map((value, i) => Math.abs(value - found[i]))));
}

/**
 * @typedef {object} Small
 * @property {number} size  of the result
 * @property {() => unknown} ours  the call @property {() => void} loop  the same in plain JavaScript
 * @property {() => [Float32Array, Float32Array]} results  of both
 */

/**
 * @param {string} id @param {string} title @param {number} least  part of JavaScript's speed
 * @param {(phasor: Phasor) => Small} make
 * @returns {Row}
 */
function smallRow(id, title, least, make) {
  return {
    id,
    title: `${title}: ${CALLS} calls`,
    goals: [{ who: "phasor", than: "JavaScript", least }],
    async prepare(phasor) {
      const { size, ours, loop, results } = make(phasor);
      loop();
      const run = (/** @type {() => unknown} */ call) => () => {
        for (let i = 0; i < CALLS; ++i) call();
      };
      return {
        expected: [results()[1].slice()],
        contestants: [
          copying(size),
          { name: "phasor", run: run(ours), result: () => [results()[0]], tolerance: 2e-6 },
          { name: "JavaScript", run: run(loop), result: () => [results()[1]], tolerance: 0 },
        ],
      };
    },
  };
}

/** Copying the result, which every call does. @param {number} size @returns {Contestant} */
function copying(size) {
  const [from, to] = floats(size, size);
  return {
    name: "copy",
    limit: true,
    run() {
      for (let i = 0; i < CALLS; ++i) to.set(from);
    },
  };
}

/** @param {Phasor} phasor @param {number} H @returns {Small} */
function rotation({ rope }, H) {
  const x = waves(H * 128);
  const [out, looped] = floats(H * 128, H * 128);
  const table = rope.table([5], 128);
  const rows = { data: x, shape: [1, H, 1, 128] };
  return {
    size: H * 128,
    ours: () => rope.apply(rows, table, { out }),
    loop: () => plain.rotateHeads(x, table.cos.data, table.sin.data, 0, 64, looped),
    results: () => [out, looped],
  };
}

/**
 * The cosines and sines of one position.
 * @param {number} position @param {Float64Array} theta @param {Float32Array} cos @param {Float32Array} sin
 */
function turn(position, theta, cos, sin) {
  for (let i = 0; i < theta.length; ++i) {
    const angle = position * theta[i];
    cos[i] = Math.cos(angle);
    sin[i] = Math.sin(angle);
  }
}

/** @param {Phasor} phasor @param {boolean} isKept  whether results go into one array @returns {Small} */
function lookup({ embedding }, isKept) {
  const table = embedding.create(1000, 768, { seed: 1 });
  const weights = table.weights().data;
  const ids = [5, 900, 3, 77, 501, 2, 5, 640];
  const kept = Int32Array.from(ids);
  const [out, looped] = floats(8 * 768, 8 * 768);
  /** @type {Float32Array[]} */
  let [found, rows] = [out, looped];
  return {
    size: 8 * 768,
    ours: isKept ? () => table.lookup(kept, { out }) : () => (found = table.lookup(ids).data),
    loop: () => {
      if (!isKept) rows = new Float32Array(8 * 768);
      for (let t = 0; t < 8; ++t) {
        rows.set(weights.subarray(ids[t] * 768, (ids[t] + 1) * 768), t * 768);
      }
    },
    results: () => [found, rows],
  };
}

/**
 * What a decoder does of RoPE: 128 steps, each with 32 layers of 32 heads of queries and 8 of keys.
 * @returns {Row}
 */
function decodeRow() {
  const [steps, layers, H, K, D] = [128, 32, 32, 8, 128];
  return {
    id: "S3",
    title: `decoding: ${steps} steps of ${layers} layers, ${H} heads of queries and ${K} of keys, ${D} wide`,
    goals: [
      ...["phasor, rope.cache", "phasor, rope.cache, new arrays", "phasor, rope.apply"].map(
        (who) => ({ who, than: "JavaScript", least: 1 }),
      ),
      { who: "phasor, rope.cache, new arrays", than: "JavaScript, new arrays", least: 1 },
    ],
    async prepare({ rope }) {
      const q = { data: waves(H * D), shape: [1, H, 1, D] };
      const k = { data: waves(K * D, 2), shape: [1, K, 1, D] };
      const [qOurs, kOurs, qTable, kTable, qLoop, kLoop] = floats(
        H * D,
        K * D,
        H * D,
        K * D,
        H * D,
        K * D,
      );
      const cache = rope.cache(D, { base: 500000, capacity: 4096 });
      const { cos, sin } = rope.table(4096, D, { base: 500000 });
      const first = 3000;
      /** @param {(position: number) => void} layer */
      const decode = (layer) => () => {
        for (let step = 0; step < steps; ++step) {
          for (let l = 0; l < layers; ++l) layer(first + step);
        }
      };
      const table = { cos, sin };
      const loop = decode((position) => {
        plain.rotateHeads(q.data, cos.data, sin.data, position * 64, 64, qLoop);
        plain.rotateHeads(k.data, cos.data, sin.data, position * 64, 64, kLoop);
      });
      /** @type {Float32Array[]} */
      let looped = [];
      const fresh = decode((position) => {
        looped = floats(H * D, K * D);
        plain.rotateHeads(q.data, cos.data, sin.data, position * 64, 64, looped[0]);
        plain.rotateHeads(k.data, cos.data, sin.data, position * 64, 64, looped[1]);
      });
      /** @type {ReturnType<typeof cache.apply>} */
      let turned;
      loop();
      const [from, to] = floats((H + K) * D, (H + K) * D);
      return {
        expected: [qLoop.slice(), kLoop.slice()],
        finish: () => cache.dispose(),
        contestants: [
          { name: "copy", limit: true, run: decode(() => to.set(from)) },
          {
            name: "phasor, rope.cache",
            run: decode((position) => cache.apply(q, k, { position, out: { q: qOurs, k: kOurs } })),
            result: () => [qOurs, kOurs],
            tolerance: 1e-6,
          },
          {
            name: "phasor, rope.cache, new arrays",
            run: decode((position) => (turned = cache.apply(q, k, { position }))),
            result: () => [turned.q.data, turned.k.data],
            tolerance: 1e-6,
          },
          {
            name: "phasor, rope.apply",
            run: decode((offset) => {
              rope.apply(q, table, { offset, out: qTable });
              rope.apply(k, table, { offset, out: kTable });
            }),
            result: () => [qTable, kTable],
            tolerance: 1e-6,
          },
          { name: "JavaScript", run: loop, result: () => [qLoop, kLoop], tolerance: 0 },
          { name: "JavaScript, new arrays", run: fresh, result: () => looped, tolerance: 0 },
        ],
      };
    },
  };
}

/**
 * What a layer of a decoder does of attention: 16 steps over a cache, each with one token, 32 heads of queries and
 * 8 of keys: rotation, append, attention over all tokens so far.
 * @returns {Row}
 */
function cacheRow() {
  const [steps, first, capacity, H, K, D] = [16, 1000, 2048, 32, 8, 128];
  return {
    id: "S9",
    title: `a layer of decoding: ${steps} steps after ${first} tokens, ${H} heads of queries and ${K} of keys, ${D} wide`,
    goals: [],
    async prepare({ attention, rope }) {
      const q = { data: waves(H * D), shape: [1, 1, H, D] };
      const k = { data: waves(K * D, 2), shape: [1, 1, K, D] };
      const v = waves(K * D, 3);
      const filled = () => ({
        keys: waves(capacity * K * D, 0.7),
        values: waves(capacity * K * D, 0.3),
      });
      const [ours, looped] = [filled(), filled()];
      const [turnedQ, turnedK, output, loopQ, loopK, loopOutput] = floats(
        H * D,
        K * D,
        H * D,
        H * D,
        K * D,
        H * D,
      );
      const cache = rope.cache(D, { base: 500000, capacity });
      const { cos, sin } = rope.table(capacity, D, { base: 500000 });
      const shape = [1, capacity, K, D];
      const inputs = {
        q: { data: turnedQ, shape: q.shape },
        k: { data: ours.keys, shape },
        v: { data: ours.values, shape },
      };
      const loop = () => {
        for (let position = first; position < first + steps; ++position) {
          plain.rotateHeads(q.data, cos.data, sin.data, position * 64, 64, loopQ);
          plain.rotateHeads(k.data, cos.data, sin.data, position * 64, 64, loopK);
          looped.keys.set(loopK, position * K * D);
          looped.values.set(v, position * K * D);
          attendOne(loopQ, looped.keys, looped.values, { N: position + 1, H, K, D }, loopOutput);
        }
      };
      loop();
      const [from, to] = floats(first * K * D, first * K * D);
      return {
        expected: [loopOutput.slice()],
        finish: () => cache.dispose(),
        contestants: [
          {
            name: "copy", // of the keys and values in use
            limit: true,
            run() {
              for (let i = 0; i < 2 * steps; ++i) to.set(from);
            },
          },
          {
            name: "phasor",
            run() {
              for (let position = first; position < first + steps; ++position) {
                cache.apply(q, k, { position, axis: -3, out: { q: turnedQ, k: turnedK } });
                ours.keys.set(turnedK, position * K * D);
                ours.values.set(v, position * K * D);
                attention.scaledDotProduct(inputs, {
                  axis: -3,
                  keyLength: position + 1,
                  weights: false,
                  out: { output },
                });
              }
            },
            result: () => [output],
            tolerance: 1e-6, // means of numbers within 1
          },
          { name: "JavaScript", run: loop, result: () => [loopOutput], tolerance: 0 },
        ],
      };
    },
  };
}

/**
 * Attention of one query of each head over the first N rows of a cache [capacity, K, D].
 * @param {Float32Array} q @param {Float32Array} k @param {Float32Array} v
 * @param {{N: number, H: number, K: number, D: number}} sizes @param {Float32Array} out  [H, D]
 */
function attendOne(q, k, v, { N, H, K, D }, out) {
  const shares = new Float64Array(N);
  const query = new Float64Array(D);
  const sums = new Float64Array(D);
  for (let h = 0; h < H; ++h) {
    const group = Math.floor(h / (H / K)) * D;
    for (let d = 0; d < D; ++d) query[d] = q[h * D + d] / Math.sqrt(D);
    let top = -Infinity;
    for (let n = 0; n < N; ++n) {
      let [s0, s1, s2, s3] = [0, 0, 0, 0];
      for (let d = 0, at = n * K * D + group; d < D; d += 4, at += 4) {
        s0 += query[d] * k[at];
        s1 += query[d + 1] * k[at + 1];
        s2 += query[d + 2] * k[at + 2];
        s3 += query[d + 3] * k[at + 3];
      }
      shares[n] = s0 + s1 + (s2 + s3);
      if (shares[n] > top) top = shares[n];
    }
    let total = 0;
    sums.fill(0);
    for (let n = 0; n < N; n += 4) {
      // Four rows at a time; those past the end count nothing.
      const part = [0, 1, 2, 3].map((i) => (n + i < N ? Math.exp(shares[n + i] - top) : 0));
      const rows = [0, 1, 2, 3].map((i) => Math.min(n + i, N - 1) * K * D + group);
      const [w0, w1, w2, w3] = part;
      const [r0, r1, r2, r3] = rows;
      total += w0 + w1 + (w2 + w3);
      for (let d = 0; d < D; ++d) {
        sums[d] += w0 * v[r0 + d] + w1 * v[r1 + d] + (w2 * v[r2 + d] + w3 * v[r3 + d]);
      }
    }
    for (let d = 0; d < D; ++d) out[h * D + d] = sums[d] / total;
  }
}

/** @param {...number} lengths */
function floats(...lengths) {
  return lengths.map((length) => new Float32Array(length));
}

/** @param {number} length @param {number} [speed] */
function waves(length, speed = 1) {
  return Float32Array.from({ length }, (_, i) => Math.sin(i * speed));
}
