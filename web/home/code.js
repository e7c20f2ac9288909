/** @import { Settings } from "./settings.js" */
/** @import { About, Reading } from "./readings.js" */
import { shortened } from "../app/text/begin.js";
import { fileUrl, spec } from "../app/text/minilm.js";
import { SIZE, STD } from "../app/text/gpt2.js";
import { tableUrl } from "../app/text/words.js";
import { taking } from "./readings.js";

/** Of a sentence in a comment, in code points. */
const LONGEST_COMMENT = 60;

/**
 * The program that computes the page's tensor, for a file after `npm i phasor`.
 *
 * @param {Settings} settings
 * @param {Reading} reading
 * @returns {string}
 */
export function program(settings, reading) {
  const taken = taking(reading.tokens);
  if (taken.length === 0) return "// Type a sentence.\n";
  const ids = taken.map(({ id }) => id ?? reading.size);
  const sentence = `// ${quote(settings.text)}`;
  const lines = {
    minilm: () => minilmProgram(sentence, ids, reading.rows ?? []),
    words: () => wordsProgram(settings, sentence, ids, reading.size),
    gpt2: () => gpt2Program(settings, sentence, ids),
    model: () => modelProgram(sentence, ids, /** @type {About} */ (reading.model)),
  };
  return [...lines[settings.tokenizer](), ``].join("\n");
}

const print = `console.log(input.shape, String(input));`;

/** @param {string} sentence @param {readonly number[]} ids @param {readonly number[]} rows  of the file */
function minilmProgram(sentence, ids, rows) {
  const { segments, norm } = spec.tokens;
  const { scheme, preset } = spec.positions;
  return [
    `import { load } from "phasor";`,
    `import { safetensors } from "phasor/files";`,
    ``,
    `const { inputEmbeddings } = await load();`,
    ``,
    sentence,
    `// In all-MiniLM-L6-v2's vocabulary: ${ids.join(", ")}`,
    `const rows = [${rows.join(", ")}]; // of these tokens in the page's part of the table`,
    `const response = await fetch(${JSON.stringify(fileUrl)});`,
    `const file = await safetensors.read(await response.blob());`,
    `const at = [...rows.keys()]; // positions`,
    `const weights = {`,
    `  words: await file.rows("words.weight", rows, { scale: "words.scale" }),`,
    `  positions: await file.rows("positions.weight", at, { scale: "positions.scale" }),`,
    `  segments: await file.tensor("segments"),`,
    `  norm: { weight: await file.tensor("norm.weight"), bias: await file.tensor("norm.bias") },`,
    `};`,
    `const bert = {`,
    `  tokens: { segments: ${segments}, norm: ${norm} },`,
    `  positions: { scheme: "${scheme}", preset: "${preset}" },`,
    `};`,
    `const input = inputEmbeddings(bert, weights, at);`,
    print,
    ``,
    `// With the whole model, not rounded to int8: import { open } from "phasor/open";`,
    `// const model = await open("sentence-transformers/all-MiniLM-L6-v2");`,
    `// const input = await model.embed([${ids.join(", ")}]);`,
  ];
}

/** @param {Settings} settings */
function transformer({ scaled, base, layout, precision }) {
  return [
    `const options = { base: ${base}, layout: "${layout}", precision: "${precision}" };`,
    `const transformer = {`,
    ...(scaled ? [`  tokens: { scale: "sqrt" },`] : []),
    `  positions: { scheme: "sinusoidal", options },`,
    `};`,
    `const input = inputEmbeddings(transformer, { words: table }, ids);`,
    print,
  ];
}

/** @param {Settings} settings @param {string} sentence @param {readonly number[]} ids @param {number} size  V; the id of words without a row */
function wordsProgram(settings, sentence, ids, size) {
  const table = ids.includes(size)
    ? [
        `const [V, D] = weights.shape;`,
        `const data = new Float32Array((V + 1) * D); // one row more, of zeros, for other words`,
        `data.set(weights.data);`,
        `const table = embedding.from({ data, shape: [V + 1, D] });`,
      ]
    : [`const table = embedding.from(weights);`];
  return [
    `import { load } from "phasor";`,
    `import { safetensors } from "phasor/files";`,
    ``,
    `const { embedding, inputEmbeddings } = await load();`,
    ``,
    sentence,
    `const ids = [${ids.join(", ")}];`,
    `const response = await fetch(${JSON.stringify(tableUrl)});`,
    `const file = await safetensors.read(await response.blob());`,
    `const weights = await file.tensor("embedding.weight", { scale: "embedding.scale" });`,
    ...table,
    ``,
    ...transformer(settings),
  ];
}

/** @param {Settings} settings @param {string} sentence @param {readonly number[]} ids */
function gpt2Program(settings, sentence, ids) {
  return [
    `import { load } from "phasor";`,
    ``,
    `const { embedding, inputEmbeddings } = await load();`,
    ``,
    sentence,
    `const ids = [${ids.join(", ")}];`,
    `const table = embedding.create(${SIZE}, ${settings.dim}, {`,
    `  std: ${STD},`,
    `  seed: ${settings.seed},`,
    `  storage: "on-demand", // only the rows looked up are drawn`,
    `});`,
    ``,
    ...transformer(settings),
  ];
}

/** @param {string} sentence @param {readonly number[]} ids @param {About} model */
function modelProgram(sentence, ids, { hub, file, revision, why }) {
  const options = [
    ...(hub && file !== "model.safetensors" ? [`file: ${JSON.stringify(file)}`] : []),
    ...(revision ? [`revision: ${JSON.stringify(revision)}`] : []),
  ];
  const given = options.length > 0 ? `, { ${options.join(", ")} }` : "";
  return [
    `import { open } from "phasor/open";`,
    ``,
    `const source = ${JSON.stringify(hub || `./${file}`)};`,
    `const model = await open(source${given});`,
    ``,
    sentence,
    `const ids = [${ids.join(", ")}];`,
    why
      ? `const input = await model.wordEmbeddings.rows(ids); // the words alone`
      : `const input = await model.embed(ids); // reads the rows of these tokens alone`,
    print,
  ];
}

/**
 * A text as one line of a comment, whatever its characters: JSON escapes all line ends but two.
 * @param {string} text
 */
function quote(text) {
  const quoted = JSON.stringify(shortened(text, LONGEST_COMMENT));
  return quoted.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
