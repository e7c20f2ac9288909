// Attention.

import { arrays, into, multiplyLimits } from "../limits.js";
import * as jax from "../jax.js";
import { uniform } from "../measure.js";
import * as onnx from "../onnx.js";
import * as plain from "../plain.js";

/** @import { Row } from "./index.js" */

/** @type {Row[]} */
export const rows = [attentionRow(), longRow()];

/** @returns {Row} */
function attentionRow() {
  const sizes = { H: 12, T: 512, D: 64 };
  const { H, T, D } = sizes;
  return {
    id: "att",
    title: `attention of ${H} heads, ${T} queries and keys, width ${D}: output and weights`,
    goals: [{ who: "phasor", than: "multiply-add", most: 2.6 }],
    async prepare({ attention }) {
      const random = uniform(23);
      const [q, k, v] = arrays(3, H * T * D).map((data) => data.map(() => 2 * random() - 1));
      const [scaled, columns, expected, loops] = arrays(4, H * T * D);
      const weights = arrays(4, H * T * T);
      for (let at = 0; at < H * T * D; ++at) {
        const [h, t, d] = [Math.floor(at / (T * D)), Math.floor(at / D) % T, at % D];
        scaled[at] = q[at] / Math.sqrt(D);
        columns[(h * D + d) * T + t] = k[at];
      }
      plain.attention(q, k, v, sizes, weights[3], expected);
      const shape = [H, T, D];
      const inputs = { q: { data: q, shape }, k: { data: k, shape }, v: { data: v, shape } };
      const ours = /** @type {const} */ (["float32", "float64"]).map((accumulate, i) => {
        const out = { output: new Float32Array(H * T * D), weights: weights[i + 1] };
        return {
          name: i === 0 ? "phasor" : "phasor, in double",
          run: () => attention.scaledDotProduct(inputs, { accumulate, out }),
          result: () => [out.output, out.weights],
          tolerance: 1e-6, // means of numbers within 1
        };
      });
      return {
        expected: [expected, weights[3]],
        contestants: [
          ...(await multiplyLimits(2 * H * T * T * D)),
          ...ours,
          {
            name: "JavaScript",
            run: () => plain.attention(q, k, v, sizes, weights[0], loops),
            result: () => [loops, weights[0]],
            tolerance: 0,
          },
          await jax.attention(scaled, columns, v, sizes),
          await onnx.attention(scaled, columns, v, sizes),
        ],
      };
    },
  };
}

/**
 * Longer texts, for which nobody keeps the weights: beside the operator that makes none.
 * @returns {Row}
 */
function longRow() {
  const sizes = { H: 8, T: 2048, D: 64 };
  const { H, T, D } = sizes;
  return {
    id: "attL",
    title: `attention of ${H} heads, ${T} queries and keys, width ${D}: the output alone`,
    goals: [{ who: "phasor", than: "multiply-add", most: 2.5 }],
    async prepare({ attention }) {
      const random = uniform(29);
      const [q, k, v] = arrays(3, H * T * D).map((data) => data.map(() => 2 * random() - 1));
      const [expected, ours] = arrays(2, H * T * D);
      const [weights] = arrays(1, T * T);
      for (let at = 0; at < H * T * D; at += T * D) {
        const [qHead, kHead, vHead] = [q, k, v].map((data) => data.subarray(at, at + T * D));
        const out = expected.subarray(at, at + T * D);
        plain.attention(qHead, kHead, vHead, { H: 1, T, D }, weights, out);
      }
      const shape = [H, T, D];
      const inputs = { q: { data: q, shape }, k: { data: k, shape }, v: { data: v, shape } };
      return {
        expected: [expected],
        contestants: [
          ...(await multiplyLimits(2 * H * T * T * D)),
          // means of numbers within 1
          into("phasor", [ours], 1e-6, (output) =>
            attention.scaledDotProduct(inputs, { weights: false, out: { output } }),
          ),
          await onnx.fusedAttention(q, k, v, sizes),
        ],
      };
    },
  };
}
