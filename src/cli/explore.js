/** phasor explore: the tables of a model, the norms of its rows, and the neighbors of some words. */
import {
  between,
  columns,
  count,
  doubts,
  first,
  fixed,
  megabytes,
  sentence,
  sizes,
  some,
} from "./output.js";
import { exploreModel, openModel, TABLE, tokenOf, titleOf } from "./source.js";

/**
 * @import { Command } from "./arguments.js"
 * @import { Explorer, OpenModel } from "../models/open/index.js"
 */

/** Words that most vocabularies contain; otherwise some ids are used. */
const WORDS = [" king", " Paris", " seven", " river"];

const ROLES = /** @type {const} */ ([
  "wordEmbeddings",
  "positionEmbeddings",
  "tokenTypeEmbeddings",
  "lmHead",
]);

/** @type {Command} */
export const explore = {
  name: "explore",
  operands: "MODEL",
  least: 1,
  most: 1,
  does: "the tables, norms, outliers and neighbors of a model",
  options: {
    word: {
      type: "string",
      multiple: true,
      value: "TOKEN",
      text: "a token whose neighbors are listed",
    },
    ...TABLE,
  },
  async run(call) {
    const { operands, options } = call;
    const model = await openModel(operands[0], options);
    const layers = layersOf(model);
    if (!model.wordEmbeddings) {
      const where = model.part ? " in this part of the model" : "";
      const none = `no table of words whose name is known${where}`;
      const lines = [...layerLines(model, layers), none];
      return { data: layers, lines, code: 1 };
    }
    const found = await exploreModel(model, call);
    const { norms, lines } = normsOf(found);
    const near = neighborsOf(found, options.word ?? []);
    const traffic = { requests: model.requests, bytesRead: model.bytesRead };
    const all = [
      ...layerLines(model, layers),
      "",
      ...lines,
      "",
      "nearest by cosine",
      ...near.lines,
    ];
    if (traffic.requests > 0) {
      all.push("", `${count(traffic.requests)} requests, ${megabytes(traffic.bytesRead)}`);
    }
    found.dispose();
    const data = { ...layers, dtype: dtypeOf(found), ...norms, nearest: near.data, ...traffic };
    return { data, lines: all, code: near.code };
  },
};

/** @param {OpenModel} model */
function layersOf(model) {
  const { name, revision } = titleOf(model);
  const { file, names, config, warnings, part } = model;
  const tables = ROLES.flatMap((role) => {
    const table = model[role];
    if (!table) return [];
    const { name, shape, dtype, byteLength } = table;
    return [{ role, name, shape, dtype, byteLength }];
  });
  const { scheme, length } = config?.positions ?? {};
  return {
    name,
    revision,
    file,
    tensors: names.length,
    tables,
    ...(config && { positions: { scheme, length } }),
    ...(part && { part }),
    warnings,
  };
}

/** @param {OpenModel} model @param {ReturnType<typeof layersOf>} layers */
function layerLines(
  { lmHead, part },
  { name, revision, file, tensors, tables, positions, warnings },
) {
  const rows = tables.map(({ role, name, shape, dtype, byteLength }) => [
    role,
    name,
    sizes(shape),
    dtype,
    megabytes(byteLength),
  ]);
  const lines = [
    `${name}${revision ? ` at ${revision.slice(0, 8)}` : ""}`,
    `  ${file}, ${some(tensors, "tensor")}`,
    ...columns(rows),
  ];
  if (!lmHead && part) {
    const { number, count } = part;
    lines.push(`  lmHead not known: this is part ${number} of ${count} of the model`);
  } else if (!lmHead) {
    lines.push("  no lmHead: the output uses the word embeddings, or there is no output");
  }
  if (positions) {
    const { scheme, length } = positions;
    lines.push(`  positions by ${scheme}${length ? `, up to ${count(length)}` : ""}`);
  }
  return [...lines, ...doubts(warnings)];
}

/** @param {Explorer} found */
const dtypeOf = ({ table }) => ("dtype" in table ? table.dtype : "float32");

/** @param {Explorer} found */
export function normsOf(found, { groups = 4, bins = 40 } = {}) {
  const { mean, std, min, max, median, meanCosine, byRank, histogram } = found.norms({
    groups,
    bins,
  });
  const outliers = found.outliers();
  const duplicates = found.duplicates();
  const twins = duplicates.map((ids) =>
    ids
      .slice(0, 4)
      .map((id) => found.text(id))
      .join(" = "),
  );
  const list = (/** @type {string[]} */ texts) => (texts.length > 0 ? `: ${first(texts)}` : "");
  const lines = [
    `rows, in memory as ${dtypeOf(found)}`,
    `  norm: mean ${fixed(mean)}, std ${fixed(std)}, median ${fixed(median)}, from ${between(min, max)}`,
    `  norm by ${byRank.size === 4 ? "quarters" : `${byRank.size} groups`} of the vocabulary: ${byRank.toArray().map(fixed).join("  ")}`,
    `  mean cosine of all pairs: ${fixed(meanCosine)}`,
    `  outliers by norm: ${count(outliers.length)}${list(outliers.map(({ text }) => text))}`,
    `  equal to another row: ${count(duplicates.flat().length)}${list(twins)}`,
  ];
  const norms = {
    norms: { mean, std, median, min, max, byRank: byRank.toArray() },
    histogram: { counts: histogram.counts.toArray(), edges: histogram.edges.toArray() },
    meanCosine,
    outliers,
    duplicates,
  };
  return { norms, lines };
}

/** @param {Explorer} found @param {string[]} asked */
function neighborsOf(found, asked) {
  const known = WORDS.filter((word) => isToken(found, word));
  const V = found.table.vocabulary;
  const ids = [0.02, 0.1, 0.5].map((part) => String(Math.floor(part * V)));
  const words = [...asked, ...(asked.length + known.length > 0 ? known : new Set(ids))];
  return neighbors(found, words, { k: 5 });
}

/** @param {Explorer} found @param {string} word */
function isToken(found, word) {
  try {
    return found.id(word) >= 0;
  } catch {
    return false;
  }
}

/**
 * The neighbors of some tokens; an unknown one becomes a line of the report.
 * @param {Explorer} found @param {readonly string[]} words
 * @param {import("../models/open/explore.js").SearchOptions} search
 */
export function neighbors(found, words, search) {
  let code = 0;
  /** @type {string[]} */
  const lines = [];
  const data = words.map((word) => {
    try {
      const id = tokenOf(found, word);
      const near = found.nearest(id, search);
      const shown = near.map(({ text, score }) => `${JSON.stringify(text)} ${fixed(score)}`);
      lines.push(`  ${JSON.stringify(found.text(id))}: ${shown.join(", ")}`);
      return { id, text: found.text(id), neighbors: near };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      code = 1;
      lines.push(`  ${JSON.stringify(word)}: ${sentence(error)}`);
      return { text: word, error: sentence(error) };
    }
  });
  return { data, lines, code };
}
