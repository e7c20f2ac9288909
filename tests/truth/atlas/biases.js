// Compares relative biases and sinusoids with those that transformers computes: tests/truth/atlas/biases.py.

/** @import { Tensors } from "./compare.js" */

/**
 * The largest difference, in parts of the largest number. Rows of a learned table are copied; ALiBi's product is rounded
 * once more or less; transformers' angles of sinusoids, up to 40, are float32.
 */
const BOUNDS = {
  t5Bias: 0,
  windowBias: 0,
  deberta: 0,
  alibi: 2e-7,
  sinusoidal: 4e-6,
  sincosGrid: 4e-6,
};

/**
 * @param {Record<string, any>} config
 * @param {Tensors} tensors  bias, weight where the family learns one, and causal where decoders have another
 * @param {{models: any, phasor: any}} phasor
 * @returns {{result: "agrees" | "differs" | "refused", why: string[]}}
 */
export function compareBias(config, { bias, weight, causal }, { models, phasor }) {
  const { positions } = models.fromConfig(config);
  if (positions.reasons) return { result: "refused", why: positions.reasons };
  if (!bias) return { result: "differs", why: [`it is described as ${positions.scheme}`] };
  const scheme = positions.relative ?? positions.scheme;
  const { shape } = bias;
  const from = { config, positions, weight, shape };
  const encoder = difference(scheme, BIASES[scheme](phasor, from).data, bias);
  if (encoder.length > 0 || !causal) return resultOf(encoder);
  return resultOf(
    difference(scheme, BIASES[scheme](phasor, { ...from, causal: true }).data, causal),
  );
}

/** @param {string[]} why @returns {{result: "agrees" | "differs", why: string[]}} */
const resultOf = (why) => ({ result: why.length === 0 ? "agrees" : "differs", why });

/** @param {string} scheme @param {Float32Array | Int32Array} got @param {Tensors[string]} bias */
function difference(scheme, got, bias) {
  const size = bias.data.reduce(
    (/** @type {number} */ most, /** @type {number} */ x) => Math.max(most, Math.abs(x)),
    0,
  );
  const most = Float64Array.from(got).reduce(
    (most, x, i) => Math.max(most, Math.abs(x - bias.data[i])),
    got.length === bias.data.length ? 0 : Infinity,
  );
  const bound = BOUNDS[/** @type {keyof typeof BOUNDS} */ (scheme)] * size;
  return most <= bound ? [] : [`the ${scheme} differs by ${most}`];
}

/**
 * @typedef {{config: Record<string, any>, positions: any, weight: any, shape: readonly number[], causal?: boolean}} From
 * @type {Record<string, (phasor: any, from: From) => {data: Float32Array | Int32Array}>}
 */
const BIASES = {
  t5Bias: ({ t5Bias }, { positions, weight, shape: [, T], causal }) =>
    t5Bias.bias(weight, T, {
      direction: causal ? "causal" : "bidirectional",
      ...(positions.options && { maxDistance: positions.options.maxDistance }),
    }),
  // One row for all queries, which differs from each by a number that a softmax takes away.
  alibi({ alibi }, { config, positions, shape: [H, , T] }) {
    const slopes = alibi.slopes(H, positions.options).data;
    const first = config.model_type === "mpt" ? 1 - T : 0; // BLOOM's count from the first key
    const data = new Float32Array(H * T);
    for (let h = 0; h < H; ++h) {
      for (let t = 0; t < T; ++t) data[h * T + t] = slopes[h] * (first + t);
    }
    return { data };
  },
  windowBias: ({ windowBias }, { positions, weight }) =>
    windowBias.bias(weight, positions.options.window),
  deberta: ({ deberta }, { config, shape: [T] }) =>
    deberta.index(T, {
      buckets: config.position_buckets,
      maxDistance: config.max_relative_positions,
      beyond: "grow",
      precision: "torch",
    }),
  sincosGrid: ({ sincosGrid }, { positions, shape: [, D] }) =>
    sincosGrid.table(positions.options.grid, D, { ...sincosGrid.presets.vit_mae, prefix: 1 }),
  sinusoidal: ({ sinusoidal }, { positions, shape: [T, D] }) =>
    sinusoidal.table(T, D, sinusoidal.presets[positions.preset]),
};
