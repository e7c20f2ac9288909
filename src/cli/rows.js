/** phasor rows: the rows of tokens, without reading the rest of the table. */
import { describe, wholeRule } from "../runtime/check.js";
import { whole } from "./arguments.js";
import { doubts, sentence, short } from "./output.js";
import { MODEL, openModel, spaced } from "./source.js";
import { writeArray } from "./write.js";

/**
 * @import { Vocabulary } from "../files/index.js"
 * @import { OpenModel } from "../models/open/index.js"
 * @typedef {{id: number, text: string} | {text: string, error: string}} Wanted
 */

/** @type {import("./arguments.js").Command} */
export const rows = {
  name: "rows",
  operands: "MODEL TEXT|IDS...",
  least: 2,
  does: "the rows of tokens: ids as 464,3290, or a token's exact text",
  options: {
    tokenizer: {
      type: "boolean",
      text: "cut TEXT into tokens, with @huggingface/tokenizers if that is installed",
    },
    columns: {
      type: "string",
      value: "N",
      text: "how many numbers of a row are shown; 6 by default",
    },
    npy: { type: "string", value: "FILE", text: "write the rows as .npy" },
    ...MODEL,
  },
  async run({ operands, options, progress }) {
    const shown = whole(options.columns, "--columns") ?? 6;
    const model = await openModel(operands[0], options);
    const table = model.wordEmbeddings;
    if (!table) {
      const { part } = model;
      const got = part ? `part ${part.number} of ${part.count} alone, without one` : "none";
      throw new RangeError(`${model.name} must have a table of words; got ${got}`);
    }
    const wanted = await tokensOf(model, table.shape[0], operands.slice(1), options.tokenizer);
    const known = wanted.filter((each) => "id" in each);
    const found = await table.rows(
      known.map(({ id }) => id),
      { progress },
    );
    const { warnings } = model;
    const title = `${table.name}, ${table.dtype}, ${known.length} of ${wanted.length} found`;
    const lines = [title, ...doubts(warnings)];
    let at = 0;
    const data = wanted.map((each) => {
      if (!("id" in each)) {
        lines.push(`  ${JSON.stringify(each.text)}: ${each.error}`);
        return each;
      }
      const { data } = found.row(at++);
      const norm = Math.sqrt(data.reduce((sum, x) => sum + x * x, 0));
      const values = [...data.subarray(0, shown)].map(short);
      const more = data.length > shown ? " ..." : "";
      const name = `${each.id} ${JSON.stringify(each.text)}`;
      lines.push(`  ${name}: norm ${short(norm)}, ${values.join(" ")}${more}`);
      return { ...each, norm, values: Array.from(data) };
    });
    if (options.npy !== undefined) lines.push(await writeArray(options.npy, found));
    const code = known.length === wanted.length ? 0 : 1;
    return { data: { name: table.name, dtype: table.dtype, rows: data, warnings }, lines, code };
  },
};

/**
 * @param {OpenModel} model @param {number} V @param {string[]} words @param {boolean} [isText]
 * @returns {Promise<Wanted[]>}
 */
async function tokensOf(model, V, words, isText = false) {
  const vocabulary = model.names.includes("mapping") ? undefined : await model.vocabulary();
  const textOf = (/** @type {number} */ id) =>
    vocabulary?.tokens[id] ? vocabulary.text(id) : String(id);
  if (isText) {
    const ids = await cut(model, words.join(" "));
    return ids.map((id) => ({ id, text: textOf(id) }));
  }
  return words.flatMap((word) => {
    if (!/^[\s,]*\d[\d\s,]*$/.test(word)) return lookUp(word, V, vocabulary);
    const ids = word.split(/[\s,]+/).filter(Boolean);
    return ids.map((id) => {
      if (Number(id) < V) return { id: Number(id), text: textOf(Number(id)) };
      return { text: id, error: `id must be ${wholeRule(0, V - 1)}; got ${id}` };
    });
  });
}

/** @param {string} word @param {number} V @param {Vocabulary | undefined} vocabulary @returns {Wanted} */
function lookUp(word, V, vocabulary) {
  const find = (/** @type {string} */ text) => vocabulary?.find(text);
  const id = find(word);
  if (id !== undefined && id < V) return { id, text: word };
  const rule = vocabulary
    ? "a whole token of the vocabulary (--tokenizer cuts a text into tokens)"
    : "an id where there is no vocabulary";
  const error = `TEXT must be ${rule}; got ${describe(word)}${spaced(word, find)}`;
  return { text: word, error };
}

/** @param {OpenModel} model @param {string} text */
async function cut(model, text) {
  /** @type {any} */
  let library;
  try {
    library = await import("@huggingface/tokenizers");
  } catch (cause) {
    const rule = "--tokenizer must find the package @huggingface/tokenizers (npm install it)";
    throw new RangeError(`${rule}; got ${sentence(cause)}`, { cause });
  }
  const tokenizer = await model.tokenizer(library.Tokenizer);
  if (!tokenizer) throw new RangeError("--tokenizer must find a tokenizer.json; got none");
  return tokenizer.encode(text);
}
