// How far results of sums are from the exact ones: the largest and the typical error (root of
// the mean square) of phasor's sums in float32 blocks and in double on the golden cases, beside those of
// PyTorch's float32, which the cases contain (tests/truth/golden/make), and on random numbers from -1 to 1.

import { optionsOf } from "../../tests/unit/attention/golden.js";
import { cases } from "../../tests/truth/golden.js";
import * as reference from "../../tests/unit/reference/attention.js";
import { compare, principal } from "../../tests/unit/reference/geometry.js";
import { layerNorm, rmsNorm } from "../../tests/unit/reference/normalize.js";
import { noise, numbers } from "../../tests/unit/reference/samples.js";

/** @typedef {import("phasor").Phasor} Phasor */
/** @typedef {{most: number, typical: number}} Errors  absolute, where nothing else is said */

/**
 * @typedef {object} Sum
 * @property {string} what
 * @property {"float32" | "float64"} sums  in what it is added up
 * @property {Errors} [golden]  on the golden cases
 * @property {Errors} [torch]  of PyTorch, on the same
 * @property {Errors} random
 */

const SUMS = /** @type {const} */ (["float32", "float64"]);

/** Collects errors. */
function collect() {
  const found = { most: 0, square: 0, count: 0 };
  return {
    /** @param {ArrayLike<number | bigint>} got @param {ArrayLike<number | bigint>} want */
    see(got, want) {
      for (let i = 0; i < want.length; ++i) {
        const error = Math.abs(Number(got[i]) - Number(want[i]));
        if (!(error >= 0)) continue; // both are -Infinity
        found.most = Math.max(found.most, error);
        found.square += error ** 2;
        ++found.count;
      }
    },
    /** @returns {Errors} */
    errors: () => ({ most: found.most, typical: Math.sqrt(found.square / found.count) }),
  };
}

/** @param {Float32Array} data @param {number} width */
const rowsOf = (data, width) =>
  Array.from({ length: data.length / width }, (_, n) =>
    Array.from(data.subarray(n * width, (n + 1) * width)),
  );

/** @param {Phasor} phasor @returns {Sum[]} */
export function measureSums(phasor) {
  return [
    ...ofAttention(phasor),
    ...ofCosines(phasor),
    ...ofNorms(phasor),
    ...ofComponents(phasor),
  ];
}

/** @param {Phasor} phasor @returns {Sum[]} */
function ofAttention({ attention, rope }) {
  const [T, D] = [128, 64];
  const [q, k, v] = [1, 2, 3].map((seed) => ({ data: noise(T * D, seed), shape: [T, D] }));
  const exact = reference.scores(rowsOf(q.data, D), rowsOf(k.data, D)).map(reference.softmax);
  const mixed = reference.mix(exact, rowsOf(v.data, D));
  return SUMS.flatMap((accumulate) => {
    const ours = { output: collect(), weights: collect() };
    const torch = { output: collect(), weights: collect() };
    for (const { params, inputs, outputs } of cases("attention", 14)) {
      const { q, k, v } = inputs;
      const options = { ...optionsOf(rope, params, inputs), accumulate };
      const { output, weights } = attention.scaledDotProduct({ q, k, v }, options);
      ours.output.see(output.data, outputs.out_f64.data);
      ours.weights.see(weights.data, outputs.weights_f64.data);
      torch.output.see(outputs.out.data, outputs.out_f64.data);
      torch.weights.see(outputs.weights.data, outputs.weights_f64.data);
    }
    const found = attention.scaledDotProduct({ q, k, v }, { accumulate });
    return /** @type {const} */ (["output", "weights"]).map((name) => {
      const random = collect();
      random.see(found[name].data, (name === "output" ? mixed : exact).flat());
      return {
        what: `attention.scaledDotProduct: ${name}`,
        sums: accumulate,
        golden: ours[name].errors(),
        torch: torch[name].errors(),
        random: random.errors(),
      };
    });
  });
}

/** @param {Phasor} phasor @returns {Sum[]} */
function ofCosines({ nearest, similarity }) {
  const [ours, torch, random, scores] = [collect(), collect(), collect(), collect()];
  for (const { inputs, outputs } of cases("cosine_matrix", 4)) {
    if (!outputs.out_f64) continue; // rows of zeros
    ours.see(similarity.matrix(inputs.x).data, outputs.out_f64.data);
    torch.see(outputs.out.data, outputs.out_f64.data);
  }
  const [N, D] = [64, 300];
  const x = { data: noise(N * D, 4), shape: [N, D] };
  const rows = rowsOf(x.data, D);
  random.see(
    similarity.matrix(x).data,
    rows.flatMap((a) => rows.map((b) => compare(a, b, "cosine"))),
  );
  const found = nearest(x, x, { k: 10 });
  scores.see(
    found.scores.data,
    numbers(found.ids).map((id, i) => compare(rows[Math.floor(i / 10)], rows[id], "cosine")),
  );
  return [
    {
      what: "similarity.matrix: cosines",
      sums: "float64",
      random: random.errors(),
      golden: ours.errors(),
      torch: torch.errors(),
    },
    { what: "nearest: cosines", sums: "float64", random: scores.errors() },
  ];
}

/** @param {Phasor} phasor @returns {Sum[]} */
function ofNorms({ normalize }) {
  const D = 300;
  const x = { data: noise(64 * D, 5), shape: [64, D] };
  const [layer, torchLayer, rms, torchRms] = [collect(), collect(), collect(), collect()];
  for (const { params, inputs, outputs } of cases("layer_norm", 2)) {
    const { x, weight, bias } = inputs;
    layer.see(normalize.layerNorm(x, { weight, bias, eps: params.eps }).data, outputs.out_f64.data);
    torchLayer.see(outputs.out.data, outputs.out_f64.data);
  }
  for (const { params, inputs, outputs } of cases("rms_norm", 6)) {
    const { x, weight } = inputs;
    const options = { weight, unitOffset: params.weight_offset === 1, eps: params.eps };
    rms.see(normalize.rmsNorm(x, options).data, outputs.out_f64.data);
    torchRms.see(outputs.out.data, outputs.out_f64.data);
  }
  const ones = Array(D).fill(1);
  const [ofLayer, ofRms] = [collect(), collect()];
  const rows = rowsOf(x.data, D);
  ofLayer.see(
    normalize.layerNorm(x, { eps: 1e-5 }).data,
    rows.flatMap((row) => layerNorm(row, { weight: ones, bias: Array(D).fill(0), eps: 1e-5 })),
  );
  ofRms.see(
    normalize.rmsNorm(x, { eps: 1e-6 }).data,
    rows.flatMap((row) => rmsNorm(row, { weight: ones, eps: 1e-6 })),
  );
  return [
    {
      what: "normalize.layerNorm",
      sums: "float64",
      random: ofLayer.errors(),
      golden: layer.errors(),
      torch: torchLayer.errors(),
    },
    {
      what: "normalize.rmsNorm",
      sums: "float64",
      random: ofRms.errors(),
      golden: rms.errors(),
      torch: torchRms.errors(),
    },
  ];
}

/** @param {Phasor} phasor @returns {Sum[]} */
function ofComponents({ pca }) {
  const [N, D, k] = [400, 192, 2]; // by block Lanczos
  const data = noise(N * D, 6).map((x, at) => x * [8, 5][at % D] || x);
  const { values, vectors } = principal(rowsOf(data, D));
  return SUMS.flatMap((accumulate) => {
    const { components, explainedVariance } = pca({ data, shape: [N, D] }, { accumulate });
    const [variances, directions] = [collect(), collect()];
    for (let c = 0; c < k; ++c) {
      const direction = numbers(components.row(c));
      const along = direction.reduce((sum, x, d) => sum + x * vectors[c][d], 0);
      variances.see([explainedVariance.at(c) / values[c]], [1]);
      directions.see(
        direction,
        vectors[c].map((x) => Math.sign(along) * x),
      );
    }
    return [
      { what: "pca: variances, relative", sums: accumulate, random: variances.errors() },
      { what: "pca: loadings", sums: accumulate, random: directions.errors() },
    ];
  });
}
