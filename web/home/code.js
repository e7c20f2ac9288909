/** @import { Settings } from "./settings.js" */
/** @import { About } from "../app/text/tokens.js" */
import { SIZE, STD } from "../app/text/gpt2.js";
import { tableUrl } from "../app/text/words.js";

/** Of a sentence in a comment, in code points. */
const LONGEST_COMMENT = 60;

/**
 * The program that computes the page's sum, for a file after `npm i phasor`.
 *
 * @param {Settings} settings
 * @param {Int32Array} ids
 * @param {About} [model]  that they are of
 * @returns {string}
 */
export function program(settings, ids, model) {
  if (ids.length === 0) return "// Type a sentence with a token that the table has.\n";
  if (model) return modelProgram(settings, ids, model);
  const words = settings.tokenizer === "words";
  const { dim, seed, base, layout, precision } = settings;
  return [
    `import { load } from "phasor";`,
    ...(words ? [`import { safetensors } from "phasor/files";`] : []),
    ``,
    `const { embedding, inputEmbeddings } = await load();`,
    ``,
    `// ${quote(settings.text)}`,
    `const ids = [${ids.join(", ")}];`,
    ...(words
      ? [
          `const response = await fetch(${JSON.stringify(tableUrl)});`,
          `const file = await safetensors.read(await response.blob());`,
          `const weights = await file.tensor("embedding.weight", { scale: "embedding.scale" });`,
          `const table = embedding.from(weights);`,
        ]
      : [
          `const table = embedding.create(${SIZE}, ${dim}, {`,
          `  std: ${STD},`,
          `  seed: ${seed},`,
          `  storage: "on-demand", // only the rows looked up are drawn`,
          `});`,
        ]),
    ``,
    `const options = { base: ${base}, layout: "${layout}", precision: "${precision}" };`,
    `const transformer = {`,
    `  tokens: { scale: "sqrt" },`,
    `  positions: { scheme: "sinusoidal", options },`,
    `};`,
    `const sum = inputEmbeddings(transformer, { words: table }, ids);`,
    `console.log(sum.shape, String(sum));`,
    ``,
  ].join("\n");
}

/**
 * The same with the rows of an opened model.
 *
 * @param {Settings} settings @param {Int32Array} ids @param {About} model
 */
function modelProgram({ text, base, layout, precision }, ids, { hub, file, revision }) {
  const path = hub && file !== "model.safetensors" ? `, file: ${JSON.stringify(file)}` : "";
  const commit = revision ? `, revision: ${JSON.stringify(revision)}` : "";
  return [
    `import { load } from "phasor";`,
    `import { open } from "phasor/open";`,
    ``,
    `const phasor = await load();`,
    `const source = ${JSON.stringify(hub || `./${file}`)};`,
    `const model = await open(source, { phasor${path}${commit} });`,
    ``,
    `// ${quote(text)}`,
    `const ids = [${ids.join(", ")}];`,
    `const rows = await model.wordEmbeddings.rows(ids); // only these are read`,
    ``,
    `const options = { base: ${base}, layout: "${layout}", precision: "${precision}" };`,
    `const transformer = {`,
    `  tokens: { scale: "sqrt" },`,
    `  positions: { scheme: "sinusoidal", options },`,
    `};`,
    `const sum = phasor.inputEmbeddings(transformer, { words: rows }, [...ids.keys()]);`,
    `console.log(sum.shape, String(sum));`,
    ``,
    `// What the model itself makes of them: await model.embed(ids)`,
    ``,
  ].join("\n");
}

/**
 * A text as one line of a comment, whatever it holds: JSON escapes all line ends but two.
 * @param {string} text
 */
function quote(text) {
  const points = Array.from(text);
  const cut = points.slice(0, LONGEST_COMMENT).join("");
  const quoted = JSON.stringify(points.length > LONGEST_COMMENT ? `${cut}…` : text);
  return quoted.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
