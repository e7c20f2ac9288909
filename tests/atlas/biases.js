// Compares relative biases and sinusoids with those that transformers computes: tests/atlas/biases.py.

/** @import { Tensors } from "./compare.js" */

/**
 * The largest difference, in parts of the largest number. Rows of a learned table are copied; ALiBi's product is rounded
 * once more or less; transformers' angles of sinusoids, up to 40, are float32.
 */
const BOUNDS = { t5Bias: 0, windowBias: 0, alibi: 2e-7, sinusoidal: 4e-6 };

/**
 * @param {Record<string, any>} config @param {Tensors} tensors  bias, and weight where the family learns one
 * @param {{models: any, phasor: any}} phasor
 * @returns {{result: "agrees" | "differs", why: string[]}}
 */
export function compareBias(config, { bias, weight }, { models, phasor }) {
  const { positions } = models.fromConfig(config);
  const scheme = positions.relative ?? positions.scheme;
  const { shape } = bias;
  const fromLast = config.model_type === "mpt"; // BLOOM's count from the first key
  const got = BIASES[scheme](phasor, { positions, weight, shape, fromLast }).data;
  const size = bias.data.reduce(
    (/** @type {number} */ most, /** @type {number} */ x) => Math.max(most, Math.abs(x)),
    0,
  );
  const most = got.reduce(
    (/** @type {number} */ most, /** @type {number} */ x, /** @type {number} */ i) =>
      Math.max(most, Math.abs(x - bias.data[i])),
    got.length === bias.data.length ? 0 : Infinity,
  );
  return most <= BOUNDS[/** @type {keyof typeof BOUNDS} */ (scheme)] * size
    ? { result: "agrees", why: [] }
    : { result: "differs", why: [`the ${scheme} differs by ${most}`] };
}

/** @type {Record<string, (phasor: any, of: {positions: any, weight: any, shape: readonly number[], fromLast: boolean}) => {data: Float32Array}>} */
const BIASES = {
  t5Bias: ({ t5Bias }, { positions, weight, shape: [, T] }) =>
    t5Bias.bias(weight, T, {
      direction: "bidirectional",
      ...(positions.options && { maxDistance: positions.options.maxDistance }),
    }),
  // One row for all queries, which differs from each by a number that a softmax takes away.
  alibi({ alibi }, { positions, shape: [H, , T], fromLast }) {
    const slopes = alibi.slopes(H, positions.options).data;
    const first = fromLast ? 1 - T : 0;
    const data = new Float32Array(H * T);
    for (let h = 0; h < H; ++h) {
      for (let t = 0; t < T; ++t) data[h * T + t] = slopes[h] * (first + t);
    }
    return { data };
  },
  windowBias: ({ windowBias }, { positions, weight }) =>
    windowBias.bias(weight, positions.options.window),
  sinusoidal: ({ sinusoidal }, { positions, shape: [T, D] }) =>
    sinusoidal.table(T, D, sinusoidal.presets[positions.preset]),
};
