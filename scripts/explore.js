// `npm run explore -- SOURCE` explores the embedding layer of a model, given by its name on the hub, an address, or the
// path of a file or folder. It prints the tables, the norms and similarities of the rows, outliers, the neighbors of
// some words, and the network use.
//
//   npm run explore -- openai-community/gpt2 --word " king" --word " Paris" --dtype int8

import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "./build.js";
import { project } from "./setup.js";

/** @typedef {Awaited<ReturnType<typeof import("phasor/open").open>>} OpenModel */

/** Words that most vocabularies contain; otherwise some ids are used. */
const WORDS = [" king", " Paris", " seven", " river"];

const number = new Intl.NumberFormat("en-US");
const count = (/** @type {number} */ value) => number.format(value);
const fixed = (/** @type {number} */ value) => value.toFixed(3);
const megabytes = (/** @type {number} */ bytes) => `${(bytes / 1e6).toFixed(2)} MB`;

/**
 * @param {string} source
 * @param {object} [options]
 * @param {string[]} [options.words]  words whose neighbors are printed
 * @param {"float32" | "float16" | "bfloat16" | "int8"} [options.dtype]  of the table in memory
 * @param {import("phasor/open").OpenOptions & import("phasor/open").RemoteOptions} [options.open]
 * @param {(line: string) => void} [options.print]
 */
export async function report(source, { words = [], dtype, open = {}, print = console.log } = {}) {
  const { explore, open: opened } = await import("phasor/open");
  const { load } = await import("phasor");
  const phasor = await load();
  const model = await opened(source, { phasor, ...open });
  printLayers(model, print);
  if (!model.wordEmbeddings)
    throw new Error("Cannot explore: the model has no word embeddings whose name is known.");

  const table = await model.wordEmbeddings.load(dtype ? { dtype } : {});
  // Where tokens share rows (Model2Vec), a row has no single token.
  const isShared = model.names.includes("mapping");
  const vocabulary = isShared ? undefined : await model.vocabulary();
  const found = explore(phasor, table, { vocabulary });
  const { min, max, mean, std, median, meanCosine, byRank } = found.norms({ groups: 4 });
  print(`\nrows, in memory as ${table.dtype}`);
  print(
    `  norm: mean ${fixed(mean)}, std ${fixed(std)}, median ${fixed(median)}, from ${fixed(min)} to ${fixed(max)}`,
  );
  print(`  norm by quarters of the vocabulary: ${byRank.toArray().map(fixed).join("  ")}`);
  print(`  mean cosine of all pairs: ${fixed(meanCosine)}`);
  const outliers = found.outliers();
  print(`  outliers by norm: ${count(outliers.length)}${some(outliers.map(({ text }) => text))}`);
  const doubles = found.duplicates();
  print(
    `  equal to another row: ${count(doubles.flat().length)}${some(doubles.map((ids) => ids.slice(0, 4).map(found.text, found).join(" = ")))}`,
  );

  print("\nnearest by cosine");
  const known = [...words, ...WORDS].filter(
    (word, i) => i < words.length || vocabulary?.find(word) !== undefined,
  );
  const ids =
    known.length > 0 ? known : [0.02, 0.1, 0.5].map((part) => Math.floor(part * table.vocabulary));
  for (const word of ids) {
    const name = typeof word === "string" ? word : found.text(word);
    const near = found
      .nearest(word, { k: 5 })
      .map(({ text, score }) => `${JSON.stringify(text)} ${fixed(score)}`);
    print(`  ${JSON.stringify(name)}: ${near.join(", ")}`);
  }
  const { requests, bytesRead } = model;
  if (requests > 0) print(`\n${count(requests)} requests, ${megabytes(bytesRead)}`);
  table.dispose();
}

/** @param {OpenModel} model @param {(line: string) => void} print */
function printLayers(model, print) {
  const { name, revision, file, names, config, warnings } = model;
  print(`${name}${revision ? ` at ${revision.slice(0, 8)}` : ""}`);
  print(`  ${file}, ${count(names.length)} tensors`);
  const rows = /** @type {const} */ ([
    "wordEmbeddings",
    "positionEmbeddings",
    "tokenTypeEmbeddings",
    "lmHead",
  ]).flatMap((role) => {
    const table = model[role];
    const sizes = table?.shape.map(count).join(" x ");
    return table
      ? [[role, table.name, String(sizes), table.dtype, megabytes(table.byteLength)]]
      : [];
  });
  const widths = [0, 1, 2, 3].map((i) => Math.max(0, ...rows.map((row) => row[i].length)));
  for (const row of rows)
    print(`  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ")}`);
  if (!model.lmHead)
    print("  no lmHead: the output uses the word embeddings, or there is no output");
  if (config) {
    const { scheme, length } = config.positions;
    print(`  positions by ${scheme}${length ? `, up to ${count(length)}` : ""}`);
  }
  for (const warning of warnings) print(`  warning: ${warning}`);
}

/** The first of some texts. @param {readonly string[]} texts */
function some(texts) {
  if (texts.length === 0) return "";
  return `: ${texts
    .slice(0, 8)
    .map((text) => JSON.stringify(text))
    .join(", ")}${texts.length > 8 ? ", ..." : ""}`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      word: { type: "string", multiple: true },
      dtype: { type: "string" },
      file: { type: "string" },
      revision: { type: "string" },
      base: { type: "string" },
    },
  });
  const { word: words, dtype, ...open } = values;
  if (positionals.length !== 1) {
    console.error(
      "npm run explore -- SOURCE [--word TEXT]... [--dtype float32 | float16 | bfloat16 | int8] [--file NAME] [--revision REVISION] [--base HUB]",
    );
    process.exitCode = 1;
  } else {
    if (!existsSync(join(project, "dist", "open.js"))) await build();
    try {
      await report(positionals[0], { words, dtype: /** @type {any} */ (dtype), open });
    } catch (error) {
      console.error(String(error));
      process.exitCode = 1;
    }
  }
}
