/** @import { explore, open } from "phasor/open" */
import { count } from "../numbers.js";
import { inked } from "./label.js";

/** @typedef {Awaited<ReturnType<typeof open>>} OpenModel */

/**
 * A tensor of the embedding layer.
 * @typedef {object} Layer
 * @property {string} what
 * @property {string} name
 * @property {readonly number[]} shape
 * @property {string} dtype
 * @property {number} byteLength
 */

/** Names of the tensors of an embedding layer. */
const WHAT = Object.freeze({
  wordEmbeddings: "words",
  positionEmbeddings: "positions",
  tokenTypeEmbeddings: "segments",
  normWeight: "norm, weight",
  normBias: "norm, bias",
  bias: "position bias",
  lmHead: "output head",
});

/** Descriptions of the position schemes. @type {Record<string, string>} */
const SCHEMES = {
  learnedPositions: "a learned table",
  sinusoidal: "fixed sines and cosines, added to the words",
  rope: "rotations within attention (RoPE), no table",
  alibi: "a slope on distance within attention (ALiBi), no table",
  t5Bias: "a learned bias by distance within attention, no table",
};

/**
 * Sentences about the embedding layer of an open model.
 * @param {OpenModel} model
 */
export async function inspect(model) {
  const { tensorNames, config, lmHead, part } = model;
  /** @type {Layer[]} */
  const layers = [];
  for (const [role, what] of Object.entries(WHAT)) {
    const name = tensorNames[/** @type {keyof typeof WHAT} */ (role)];
    if (name === undefined) continue;
    const { shape, dtype, byteLength } = await model.info(name);
    layers.push({ what, name: inked(name), shape, dtype, byteLength });
  }
  return {
    name: inked(model.name),
    revision: model.revision,
    format: String(model.format),
    file: inked(model.file),
    layers,
    tensors: model.names.length,
    facts: [
      `Positions: ${positions(model)}.`,
      lmHead
        ? "Output head: a separate table."
        : part
          ? `Output head: not in this file, which is part ${part.number} of ${part.count} of the model.`
          : "Output head: none in this file. A language model then uses the word embeddings (tied weights).",
      ...scaled(config),
    ],
    warnings: model.warnings.map(inked),
  };
}

/**
 * The same about a file of word vectors.
 * @param {Omit<import("./vectors.js").Vectors, "data">} vectors @param {string} name  of the file
 */
export function aboutVectors({ format, words, dim, isCut }, name) {
  const shape = [words.length, dim];
  const first = isCut
    ? [`These are the first ${count(words.length)} rows; the file has more.`]
    : [];
  return {
    name: inked(name),
    revision: undefined,
    format,
    file: inked(name),
    layers: [{ what: "words", name: "\u2013", shape, dtype: "text", byteLength: 4 * words.length * dim }], // prettier-ignore
    tensors: 1,
    facts: ["Positions: none; such a file has vectors of words, not of sentences.", ...first],
    warnings: /** @type {string[]} */ ([]),
  };
}

/** How the model computes its input from its rows. @param {OpenModel} model */
export function inputOf(model) {
  const { config } = model;
  const asItIs = config && (config.tokens?.scale ?? 1) === 1;
  return [
    ...(asItIs ? ["It uses its rows unchanged."] : []),
    ...scaled(config),
    `Positions: ${positions(model)}.`,
  ];
}

/** @param {OpenModel} model */
function positions({ config, positionEmbeddings }) {
  const scheme = config?.positions;
  const known = scheme && (SCHEMES[scheme.scheme] ?? scheme.scheme);
  const length = scheme?.length ? `, for ${count(scheme.length)} of them` : "";
  if (known) return `${known}${length}`;
  return positionEmbeddings ? SCHEMES.learnedPositions : "unknown without config.json";
}

/** @param {OpenModel["config"]} config */
function scaled(config) {
  const { scale = 1, norm } = config?.tokens ?? {};
  return [
    ...(scale === "sqrt" ? ["The model multiplies each row by the square root of its width."] : []),
    ...(norm ? ["The sum is normalized (LayerNorm) before the first layer."] : []),
  ];
}

/** Equal parts of the list of words. */
const GROUPS = 16;

/** Of tokens far from the others in length. */
const LISTED = 24;

/**
 * The lengths of the rows of a table, and their similarity.
 * @param {ReturnType<typeof explore>} explorer
 */
export function statisticsOf(explorer) {
  const { mean, std, min, max, median, histogram, byRank, meanCosine } = explorer.norms({
    groups: GROUPS,
  });
  const outliers = explorer.outliers().map(({ id, norm }) => ({ id, norm }));
  const { counts, edges } = histogram;
  return {
    mean,
    std,
    min,
    max,
    median,
    meanCosine,
    counts: counts.data,
    edges: edges.data,
    byRank: byRank.data,
    outliers: { count: outliers.length, first: outliers.slice(0, LISTED) },
  };
}
