// Compares what `fromGguf` says of the files that llama.cpp's converter makes with transformers: tests/truth/atlas/converted.py.

import { compareSpelling } from "./spellings.js";

/**
 * @typedef {import("./spellings.js").Spelling & {kept?: string, metadata: Record<string, any>, tensors: Record<string, number[]>}} Converted
 * @typedef {{name: string, result: "agrees" | "differs" | "not in the file" | "refused" | "not compared", why: string[]}} Row
 */

/** What the converter does to a configuration that transformers reads otherwise. @type {[name: RegExp, why: string][]} */
const CHANGED = [
  [/^(glm4v_text|glm_ocr_text|solar_open|qwen4_exp_text), /, "another default of the rotated part"],
  [/^(gpt_neox|minicpm3|phi|stablelm), /, "no base"],
  [/^bitnet, /, "a linear scaling by 1"],
  [/^cohere2, rotary_pct$/, "a part that transformers does not read"],
  [/^glm_moe_dsa, partial/, "a part of the columns that transformers rotates whole"],
  [
    /^gpt_oss, (yarn|llama 4|null type)/,
    "truncated bounds, which the file does not name, and no published model has",
  ],
  [/^nemotron, (yarn|llama3|both)/, "the factor as that of a linear scaling"],
  [/^nemotron, proportional/, "the part of a head without its rest"],
  [/, (longrope|dynamic)/, "no factors of the scaling"],
  [/, yarn mscale_all_dim/, "no mscale_all_dim"],
  [/, both/, "another of the two entries"],
  [/, each kind scaled$/, "the scaling of one kind of layer alone"],
];

/** What it does to caches. @type {[name: RegExp, why: string][]} */
const KEPT_OTHERWISE = [
  [/^(afmoe, global_attn_every|cohere2, sliding_window_pattern|laguna, few)/, "no list of layers"],
  [/^falcon, /, "num_kv_heads, which the code reads beside new_decoder_architecture alone"],
  [/^glm_moe_dsa, partial/, "a part of the columns that transformers rotates whole"],
  [/^hrm_text, few keys/, "num_hidden_layers as the layers of a stack"],
  [/^mistral, /, "no window"],
];

/**
 * Some of what a configuration says is not in its file: then other configurations have the same file.
 * @param {readonly Converted[]} all @param {{fromGguf: any, models: any, phasor: any}} phasor
 * @returns {Row[]}
 */
export function compareConverted(all, { fromGguf, models, phasor }) {
  const rows = all.map((converted) => {
    const { name } = converted;
    const twin = compareSpelling(converted, { models, phasor });
    if (twin.result !== "agrees") return { name, result: "not compared", why: twin.why };
    const fromConfig = () => fromGguf(...fileOf(converted));
    const { result, why } = compareSpelling(converted, { models: { fromConfig }, phasor });
    return { name, result: result === "doubtful" ? "differs" : result, why };
  });
  const files = all.map(({ metadata, tensors }) => JSON.stringify([read(metadata), tensors]));
  const agreeing = new Set(files.filter((_, i) => rows[i].result === "agrees"));
  return rows.map((row, i) => {
    if (row.result === "agrees") return compareKept(all[i], { fromGguf, models });
    if (row.result !== "differs" && row.result !== "refused") return /** @type {Row} */ (row);
    const changed = CHANGED.find(([name]) => name.test(row.name));
    if (!changed && !agreeing.has(files[i])) return /** @type {Row} */ (row);
    const why = changed ? `the converter writes ${changed[1]}` : "others have the same file";
    return { ...row, result: "not in the file", why: [why] };
  });
}

/**
 * A file whose layers rotate as they should.
 * @param {Converted} converted @param {{fromGguf: any, models: any}} phasor
 * @returns {Row}
 */
function compareKept(converted, { fromGguf, models }) {
  const { name, config } = converted;
  const kept = keptOf(fromGguf(...fileOf(converted)));
  const wanted = keptOf(models.fromConfig(config));
  if (!kept || !wanted || kept === wanted) return { name, result: "agrees", why: [] };
  const changed = KEPT_OTHERWISE.find(([pattern]) => pattern.test(name))?.[1];
  return changed
    ? { name, result: "agrees", why: [`but the converter writes ${changed}`] }
    : { name, result: "differs", why: [`layers keep ${kept}, not ${wanted}`] };
}

/**
 * What layers keep of a token, and the tokens that a query sees; undefined if that is not known of each.
 * @param {{cache?: any[]}} described
 */
export function keptOf({ cache = [] }) {
  const isKnown = cache.every(({ numbers, window }) => numbers !== undefined && window !== null);
  if (!isKnown || cache.length === 0) return undefined;
  const layers = cache.flatMap((of) =>
    Array(of.layers).fill(`${of.numbers}/${of.window ?? "all"}`),
  );
  const counts = new Map(
    layers.map((layer) => [layer, layers.filter((one) => one === layer).length]),
  );
  return [...counts]
    .map(([layer, count]) => `${layer} x${count}`)
    .sort()
    .join(", ");
}

/** The metadata that may say how layers rotate. @param {Record<string, any>} metadata */
function read(metadata) {
  const entries = Object.entries(metadata);
  const [, type] = entries.find(([key]) => key.endsWith(".rope.scaling.type")) ?? [];
  const unread = type === "none" ? /\.rope\.scaling\.|context_length/ : /context_length/;
  return entries.filter(([key]) => !unread.test(key));
}

/**
 * The arguments of `fromGguf`.
 * @param {Pick<Converted, "metadata" | "tensors">} converted
 * @returns {[Map<string, unknown>, {tensors: Record<string, Float32Array>}]}
 */
export function fileOf({ metadata, tensors }) {
  const entries = Object.entries(tensors).map(([name, factors]) => [
    name,
    Float32Array.from(factors),
  ]);
  return [new Map(Object.entries(metadata)), { tensors: Object.fromEntries(entries) }];
}

/** Spellings that show most, where a family has no published configuration. */
const SHOWN = ["yarn", "plain", "bare"];

/**
 * The files that `npm test` reads: those of published configurations, and one of each other architecture.
 * @param {readonly Converted[]} all @param {readonly Row[]} rows @param {any} models
 * @returns {Converted[]}
 */
export function sampledFiles(all, rows, models) {
  const agreeing = all
    .map((converted, i) => ({ ...converted, ...rows[i] }))
    .filter(({ result }) => result === "agrees");
  const rank = (/** @type {{name: string}} */ { name }) =>
    name.includes(", ") ? SHOWN.indexOf(name.split(", ")[1]) + 1 || SHOWN.length + 1 : 0;
  const sorted = [...agreeing].sort((a, b) => rank(a) - rank(b));
  /** @type {Map<string, Converted & Row>} */
  const one = new Map();
  for (const each of sorted) {
    const architecture = each.metadata["general.architecture"];
    if (!one.has(architecture)) one.set(architecture, each);
  }
  return [...one.values()].map(({ name, config, kinds, rotary, metadata, tensors, why }) => ({
    name,
    config: { model_type: config.model_type },
    kinds,
    rotary: rounded(rotary),
    kept: why.length === 0 ? keptOf(models.fromConfig(config)) : undefined,
    metadata,
    tensors,
  }));
}

/** Frequencies with eight digits. @param {Converted["rotary"]} rotary */
export function rounded(rotary = {}) {
  return Object.fromEntries(
    Object.entries(rotary).map(([kind, { frequencies, factor }]) => [
      kind,
      { frequencies: frequencies.map((x) => Number(x.toPrecision(8))), factor },
    ]),
  );
}
