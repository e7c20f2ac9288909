/**
 * Static models: the vector of a text is the mean of its tokens' rows. The two libraries that have them differ in the
 * tokens that they take.
 */
import * as arrays from "../../runtime/arrays.js";
import * as check from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { Tensor } from "../../runtime/tensor.js";
import { listsOf, readWords, vocabularyOf } from "./embed.js";
import { once } from "../../files/once.js";
import { contentsOf, readTokenizer } from "./tokenizer.js";

/**
 * @import {Beside} from "./beside.js"
 * @import {OpenModel, Parts} from "./model.js"
 * @import {Library} from "./modules.js"
 * @import {Ids} from "./sentences.js"
 * @import {ModelTable} from "./table.js"
 * @import {TokenizerClass} from "./tokenizer.js"
 *
 * @typedef {{library: Library | undefined, first: string, maxTokens: number | null}} Rules
 * @typedef {{encode: (text: string) => readonly number[]}} Encoding
 * @typedef {{ids: Int32Array, offsets: Int32Array}} Lists  lists of ids one after the other, and where each begins
 *
 * @typedef {object} Facts  of tokenizer.json
 * @property {number} medianLength  of a token, in code points
 * @property {number | undefined} unknown  the id of the unknown token
 * @property {{most: number, fromLeft: boolean} | undefined} truncation
 */

/** A local table of at most this many numbers is read whole and stays in WASM memory: 256 MiB. */
const MOST_RESIDENT = 2 ** 26;

/** About how many numbers of single rows are kept: 64 MiB. */
const MOST_KEPT = 2 ** 24;

/**
 * Reads rows of tokens, each times its factor. Those of the last texts need not be read again.
 * @param {OpenModel} model
 */
function keptRows(model) {
  /** Rows that have been read. @type {Map<number, Float32Array>} */
  const kept = new Map();
  /** @param {ModelTable} table @param {number[]} ids @param {AbortSignal} [signal] */
  return async (table, ids, signal) => {
    const [, D] = table.shape;
    if (kept.size * D > MOST_KEPT) kept.clear();
    const rows = arrays.float32s(ids.length * D, "the rows");
    /** @type {number[]} */
    const places = []; // of rows that must be read; another call may clear the kept ones meanwhile
    ids.forEach((id, n) => {
      const row = kept.get(id);
      if (row) rows.set(row, n * D);
      else places.push(n);
    });
    if (places.length > 0) {
      const missing = places.map((n) => ids[n]);
      const { data } = await readWords(model, table, missing, { signal });
      places.forEach((place, n) => {
        const row = /** @type {Float32Array} */ (data).slice(n * D, (n + 1) * D);
        kept.set(ids[place], row);
        rows.set(row, place * D);
      });
    }
    return new Tensor(rows, [ids.length, D]);
  };
}

/**
 * @param {Parts} parts @param {(name: string) => Beside | undefined} beside @param {OpenModel} model
 */
export function staticVectors(parts, beside, model) {
  const { phasor, place } = parts;
  const facts = once(async (signal) => {
    const file = beside("tokenizer.json");
    return file && factsOf(await contentsOf(file, signal), file.path);
  });
  const resident = once((signal) => residentTable(parts, model, signal));
  const rowsOf = keptRows(model);
  /** @type {WeakMap<object, Encoding>} */
  const tokenizers = new WeakMap();

  /** The tokenizer of a class, made once. @param {TokenizerClass} Tokenizer @param {AbortSignal} [signal] */
  const made = async (Tokenizer, signal) => {
    const known = typeof Tokenizer === "function" ? tokenizers.get(Tokenizer) : undefined;
    const found = known ?? (await readTokenizer(beside, Tokenizer, { signal }));
    if (found) tokenizers.set(Tokenizer, found);
    return found;
  };

  /**
   * The mean of the rows of each list of ids.
   * @param {ModelTable} table @param {number} V  tokens @param {Lists} lists @param {AbortSignal} [signal]
   */
  const meansOf = async (table, V, { ids, offsets }, signal) => {
    const D = table.shape[1];
    if (ids.length === 0)
      return new Tensor(new Float32Array(offsets.length * D), [offsets.length, D]);
    if (!place.isRemote && V * D <= MOST_RESIDENT && table.shape[0] * D <= MOST_RESIDENT) {
      return phasor.embeddingBag.create(await resident(signal)).pool(ids, { offsets });
    }
    const { distinct, places } = compact(ids);
    const rows = phasor.embedding.from(await rowsOf(table, distinct, signal));
    try {
      return phasor.embeddingBag.create(rows).pool(places, { offsets });
    } finally {
      rows.dispose();
    }
  };

  /**
   * @param {Rules} rules @param {readonly unknown[]} texts @param {unknown} tokenizer @param {AbortSignal} [signal]
   */
  return async (rules, texts, tokenizer, signal) => {
    const table = tableOf(model, rules.first);
    const V = await vocabularyOf(model, table, { signal });
    const hasText = texts.some((text) => typeof text === "string");
    const encode = hasText && (await encoding(rules, tokenizer, signal));

    return {
      dim: table.shape[1],
      /**
       * The mean of the rows of each text.
       * @param {readonly (string | Ids)[]} some @param {string} prompt
       * @param {number} from  the number of the first, for messages @param {AbortSignal} [stop]
       * @returns {Promise<Tensor>} [N, D]
       */
      async means(some, prompt, from, stop) {
        const lists = some.map((text) =>
          typeof text === "string" && encode ? encode(prompt + text) : text,
        );
        const joined = joinedIds(/** @type {Ids[]} */ (lists), V, from);
        return meansOf(table, V, joined, stop);
      },
    };
  };

  /**
   * How a text becomes ids, by the rules of the library.
   * @param {Rules} rules @param {unknown} tokenizer @param {AbortSignal} [signal]
   * @returns {Promise<(text: string) => readonly number[]>}
   */
  async function encoding({ library, maxTokens }, tokenizer, signal) {
    const given = /** @type {any} */ (tokenizer);
    /** @type {Encoding | undefined} */
    const found = typeof given?.encode === "function" ? given : await made(given, signal);
    const known = await facts(signal);
    if (!found || (!known && library === "model2vec")) {
      const rule = "the model must have tokenizer.json to encode texts";
      throw new FileError("OPEN_TOKENIZER", `${rule}; got none (pass the ids of their tokens)`);
    }
    const ids = (/** @type {string} */ text) => {
      const list = found.encode(text);
      if (Array.isArray(list) || arrays.kindOf(list) === "Int32Array") return list;
      const rule = "tokenizer.encode must return a list of ids";
      throw new TypeError(`${rule}; got ${check.describe(list)}`);
    };
    if (!known || library !== "model2vec") return (text) => truncated(ids(text), known?.truncation);
    if (maxTokens === null) return (text) => withoutUnknown(ids(text), known);
    const mostPoints = maxTokens * known.medianLength;
    return (text) => withoutUnknown(ids(firstPoints(text, mostPoints)).slice(0, maxTokens), known);
  }
}

/** The table of a static model. @param {OpenModel} model @param {string} folder  of the module @returns {ModelTable} */
function tableOf({ wordEmbeddings, file }, folder) {
  const isThere = file.slice(0, file.lastIndexOf("/") + 1) === folder;
  if (isThere && wordEmbeddings && /^(embedding\.weight|embeddings)$/.test(wordEmbeddings.name)) {
    return wordEmbeddings;
  }
  const rule = `${folder}model.safetensors must have embedding.weight or embeddings`;
  const got = isThere ? check.describe(wordEmbeddings?.name) : `the file ${check.describe(file)}`;
  throw new FileError("OPEN_MODULES", `${rule}; got ${got}`);
}

/**
 * The rows of all tokens in memory, each times its factor. They are freed with the model.
 * @param {Parts} parts @param {OpenModel} model @param {AbortSignal} signal
 */
async function residentTable({ phasor }, model, signal) {
  const names = listsOf(model);
  const { name } = /** @type {ModelTable} */ (model.wordEmbeddings);
  const read = (/** @type {string | undefined} */ each) =>
    each === undefined ? undefined : model.tensor(each, { signal });
  const rows = await model.tensor(name, { signal });
  const [mapping, factors] = await Promise.all([read(names.mapping), read(names.weights)]);
  const [R, D] = rows.shape.slice(-2);
  if (!mapping && !factors) return phasor.embedding.from(rows.reshape(R, D));
  const V = Math.min(...[mapping ?? rows, factors ?? mapping ?? rows].map(({ shape }) => shape[0]));
  const data = arrays.float32s(V * D, "the table");
  for (let id = 0; id < V; ++id) {
    const row = mapping ? Number(mapping.data[id]) : id;
    const factor = factors ? Number(factors.data[id]) : 1;
    if (!(Number.isInteger(row) && row >= 0 && row < R)) {
      const message = `mapping must hold ${check.rowsRule(R)}; got ${row}`;
      throw new FileError("OPEN_MAPPING", message);
    }
    for (let d = 0; d < D; ++d) data[id * D + d] = Number(rows.data[row * D + d]) * factor;
  }
  return phasor.embedding.from(new Tensor(data, [V, D]));
}

/**
 * Lists of ids one after the other, and where each begins.
 * @param {readonly Ids[]} lists @param {number} V  the number of tokens
 * @param {number} from  the number of the first list, for messages
 * @returns {Lists}
 */
function joinedIds(lists, V, from) {
  const ids = arrays.int32s(
    lists.reduce((sum, { length }) => sum + length, 0),
    "the ids",
  );
  const offsets = new Int32Array(lists.length);
  let at = 0;
  lists.forEach((list, n) => {
    offsets[n] = at;
    for (const id of list) {
      if (!(Number.isInteger(id) && id >= 0 && id < V)) {
        const message = `the ids of texts[${from + n}] must be ${check.idsRule(V)}; got ${check.describe(id)}`;
        throw typeof id === "number" ? new RangeError(message) : new TypeError(message);
      }
      ids[at++] = id;
    }
  });
  return { ids, offsets };
}

/** The distinct ids, and the place of each id among them. @param {Int32Array} ids */
function compact(ids) {
  /** @type {Map<number, number>} */
  const placeOf = new Map();
  const places = ids.map((id) => {
    const place = placeOf.get(id) ?? placeOf.size;
    placeOf.set(id, place);
    return place;
  });
  return { distinct: [...placeOf.keys()], places };
}

/** @param {string} text @param {number} most */
function firstPoints(text, most) {
  if (text.length <= most) return text;
  let at = 0;
  for (let n = 0; n < most && at < text.length; ++n) {
    at += /** @type {number} */ (text.codePointAt(at)) > 0xffff ? 2 : 1;
  }
  return text.slice(0, at);
}

/** @param {readonly number[]} ids @param {Facts} facts */
function withoutUnknown(ids, { unknown }) {
  return unknown === undefined ? ids : ids.filter((id) => id !== unknown);
}

/** @param {readonly number[]} ids @param {Facts["truncation"]} rule */
function truncated(ids, rule) {
  if (!rule || ids.length <= rule.most) return ids;
  return rule.fromLeft ? ids.slice(ids.length - rule.most) : ids.slice(0, rule.most);
}

/**
 * What the libraries take from tokenizer.json besides the tokenizer.
 * @param {any} json @param {string} path
 * @returns {Facts}
 */
function factsOf(json, path) {
  const model = json?.model;
  const vocab = model?.vocab;
  const added = json?.added_tokens ?? [];
  if (typeof vocab !== "object" || vocab === null || !Array.isArray(added)) {
    throw refused(path, "must have model.vocab and a list of added_tokens");
  }
  /** @type {Map<string, unknown>} */
  const ids = new Map();
  const add = (/** @type {unknown} */ token, /** @type {unknown} */ id) => {
    if (typeof token !== "string") throw refused(path, "must have strings as tokens");
    ids.set(token, id);
  };
  // One by one: lists of what JSON takes many times the size of the text for would take as much again.
  if (Array.isArray(vocab)) vocab.forEach((entry, id) => add(entry?.[0], id));
  else for (const token of Object.keys(vocab)) add(token, vocab[token]);
  for (const token of added) add(token?.content, token?.id);
  const lengths = Int32Array.from(ids.keys(), pointsOf).sort();
  if (lengths.length === 0) throw refused(path, "must have tokens");
  const half = lengths.length >> 1;
  const median = lengths.length % 2 ? lengths[half] : (lengths[half - 1] + lengths[half]) / 2;
  const unknown = Array.isArray(vocab) ? model.unk_id : ids.get(model.unk_token);
  const { max_length: most, direction } = json.truncation ?? {};
  return {
    medianLength: Math.floor(median),
    unknown: Number.isInteger(unknown) ? unknown : undefined,
    truncation:
      Number.isInteger(most) && most >= 0 ? { most, fromLeft: direction === "Left" } : undefined,
  };
}

/** The code points of a token, whose list would take 20 times its memory. @param {string} token */
function pointsOf(token) {
  let points = 0;
  for (let at = 0; at < token.length; points += 1)
    at += Number(token.codePointAt(at)) > 0xffff ? 2 : 1;
  return points;
}

/** @param {string} path @param {string} rule */
function refused(path, rule) {
  return new FileError("OPEN_TOKENIZER", `${path} ${rule}; got others`);
}
