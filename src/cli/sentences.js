/** phasor sentences: how a model makes sentence vectors, and whether those of a host were made so. */
import { judge } from "./pooled.js";
import { columns, count, first, short, sizes } from "./output.js";
import { MODEL, openModel } from "./source.js";
import { readHost } from "./host.js";

/**
 * @import { SentenceLayers } from "../models/open/index.js"
 * @import { Host } from "./host.js"
 * @import { Found, Tried } from "./pooled.js"
 */

/** @type {import("./arguments.js").Command} */
export const sentences = {
  name: "sentences",
  operands: "MODEL [VECTORS]",
  least: 1,
  most: 2,
  does: "what pooling, layers and prompts the model wants, and whether VECTORS have them",
  notes: [
    "VECTORS is a file .npz or .safetensors with the arrays",
    "  vectors        [B, W] or [W], the sentence vectors of your program",
    "  tokens         [B, T, D] or [T, D], their tokens as the last layer leaves them",
    "  mask           [B, T] or [T], 1 for tokens and 0 for padding; all 1 by default",
    "  prompt_length  one number or [B]: how many tokens of each text are the prompt, with the",
    "                 special tokens before it; 0 by default",
    "A combination fits if each vector differs from it by at most 1e-4 of the vector's largest",
    "number; 2e-3 for float16, 2e-2 for bfloat16.",
  ],
  options: MODEL,
  async run({ operands: [name, path], options }) {
    const model = await openModel(name, options);
    const layers = await model.sentences();
    if (layers === undefined) {
      const rule = "must say how it makes sentence vectors, in modules.json or as pooling_type";
      throw new RangeError(`${model.name} ${rule}; got neither`);
    }
    const wants = wantsOf(layers);
    const heading = [model.name, ...columns(wantLines(layers))];
    if (path === undefined) {
      return { data: { model: model.name, wants, vectors: null }, lines: heading };
    }
    if (layers.pooling === undefined) {
      throw new RangeError(`VECTORS must be of a model that pools; got the static ${model.name}`);
    }
    const { load } = await import("../index.js");
    const host = await readHost(path, layers.pooling.dim);
    const found = await judge(await load(), model, layers, host);
    const lines = [...heading, "", ...verdictLines(path, host, layers, found)];
    const { dtype, precision, tolerance, vectors, tokens } = host;
    const about = { dtype, precision, tolerance, shape: vectors.shape, tokens: tokens.shape };
    const data = { model: model.name, wants, vectors: { ...about, ...found } };
    return { data, lines, code: found.verdict === "own" ? 0 : 1 };
  },
};

/** The layers for --json: what is not said is null. @param {SentenceLayers} layers */
const wantsOf = (layers) =>
  Object.fromEntries(Object.entries(layers).map(([key, value]) => [key, value ?? null]));

/** @param {SentenceLayers} layers @returns {string[][]} */
function wantLines(layers) {
  const { modules, pooling, dense, normalize, dim, truncateDim, prompts, defaultPrompt } = layers;
  const { similarity, maxLength } = layers;
  const list = Object.entries(prompts).map(([name, text]) => `${name} ${first([text])}`);
  const isUnit = normalize === undefined ? "not said by the file" : normalize ? "yes" : "no";
  return [
    ["modules", modules.join(", ") || "none"],
    ["pooling", pooling ? pooling.mode.join(", ") : `none: static, as ${layers.static} does`],
    ["dense", dense.map(layerWords).join("; ") || "none"],
    ["normalized", isUnit],
    ["columns", dim === undefined ? "of the table" : count(dim)],
    ["kept columns", truncateDim === undefined ? "all" : `the first ${count(truncateDim)}`],
    ["prompts", list.join(", ") || "none"],
    ["default prompt", defaultPrompt ?? "none"],
    ["prompt's tokens", pooling ? (pooling.includePrompt ? "pooled" : "left out") : "in the mean"],
    ["similarity", similarity ?? "not said"],
    ["most tokens", maxLength === undefined ? "not said" : count(maxLength)],
  ];
}

/** @param {SentenceLayers["dense"][number]} layer */
function layerWords({ inputs, outputs, bias, activation, residual }) {
  const parts = [activation, ...(bias ? ["bias"] : []), ...(residual ? ["residual"] : [])];
  return `${sizes([inputs, outputs])}, ${parts.join(", ")}`;
}

/** @param {Tried} tried */
const placeOf = ({ largest, at }) =>
  `largest difference ${short(largest)} (text ${at.text}, column ${at.column})`;

/** @param {Tried} tried */
const words = ({ slips, normalized }) => {
  const made = slips.join(", and ") || "as the model wants";
  return normalized === undefined ? made : `${made}, ${normalized ? "" : "not "}normalized`;
};

/** @param {string} path @param {Host} host @param {SentenceLayers} layers @param {Found} found */
function verdictLines(path, host, { defaultPrompt, prompts }, { verdict, fitting, nearest }) {
  const { vectors, tokens, precision, tolerance, promptLengths } = host;
  const prompt = defaultPrompt === undefined ? "" : (prompts[defaultPrompt] ?? "");
  const isForgotten = prompt !== "" && promptLengths?.includes(0);
  const lines = [
    `${path}: vectors ${sizes(vectors.shape)} of tokens ${sizes(tokens.shape)}, ${precision}`,
    ...fitting.map((tried) => `  fits: ${words(tried)}; ${placeOf(tried)}`),
  ];
  if (isForgotten) {
    lines.push(`  prompt_length is 0: was ${first([prompt])} forgotten? The states do not show it`);
  }
  if (verdict === "own") return [...lines, "fits: as the model wants"];
  if (verdict === "slip") return [...lines, `likely slip: ${words(fitting[0])}`];
  if (verdict === "undecided") {
    const why = "texts of different lengths with padding and a prompt decide";
    return [...lines, `undecided: several combinations fit these vectors; ${why}`];
  }
  const near = nearest
    ? `nearest: ${words(nearest)}; ${placeOf(nearest)}`
    : `no combination gives ${count(vectors.shape[1])} columns`;
  const rule = `no combination fits within ${short(tolerance)} of a vector's largest number`;
  return [...lines, rule, `  ${near}`];
}
