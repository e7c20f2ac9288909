// The tasks of an opened model, in its worker. Every order names the model, so that a new worker can open it again
// after the previous one was terminated.

/**
 * @import { Tensor } from "phasor"
 * @import { OpenModel } from "./inspect.js"
 * @import { Metric, Plain, Triple } from "./rank.js"
 */
import { load } from "phasor";
import { explore, open as openModel } from "phasor/open";
import { cutterOf } from "./cutter.js";
import { aboutVectors, inputOf, inspect, statisticsOf } from "./inspect.js";
import { inked, labelOf, visible } from "./label.js";
import { analogyIn, answersIn, componentsIn, cosinesIn, neighborsIn, numbersIn } from "./rank.js";
import { SHOWN, vectorFiles } from "./vectors.js";

/** @typedef {"" | "float32" | "float16" | "int8"} Kept  the dtype in memory; "": that of the file */

/**
 * The model to open.
 * @typedef {object} Wish
 * @property {string} [name]  on the hub
 * @property {string} [file]  of weights, where it has several
 * @property {readonly File[]} [files]
 * @property {Kept} kept
 * @property {number} [rows]  of a file of word vectors, at most
 * @property {string} [label] @property {string} [color]  columns of such a file, where the reader chose them
 */

/**
 * The progress of opening a model.
 * @typedef {object} Progress
 * @property {"header" | "vocabulary" | "table" | "done"} stage
 * @property {number} done  bytes of the table
 * @property {number} total
 * @property {number} requests @property {number} bytesRead  over the network so far
 */

/** @typedef {(progress: Progress) => void} Tell */

/** Milliseconds between two reports of progress. */
const PACE = 80;

/** The model, with the names of its tokens. */
const opened = memoized(async ({ name, file, files = [] }, tell) => {
  tell({ stage: "header", done: 0, total: 0, requests: 0, bytesRead: 0 });
  const phasor = await load();
  const model = await openModel(name ?? files, file ? { phasor, file } : { phasor });
  const { wordEmbeddings } = model;
  if (!wordEmbeddings) {
    const where = model.part ? " in this part of the model" : "";
    throw new RangeError(`It has no word embeddings${where}; got ${some(model.names)}`);
  }
  const say = (/** @type {Progress["stage"]} */ stage, done = 0) =>
    tell({ stage, done, total: wordEmbeddings.byteLength, ...network(model) });
  say("vocabulary");
  return { phasor, model, tokens: wordEmbeddings, say, ...(await namesOf(model)) };
});

/** Rows of a file of word vectors, where the page does not say how many. */
const ROWS = 20_000;

/**
 * Word vectors, which are a table without a model.
 * @param {Wish} wish @param {{file: File, metadata: File | undefined}} files @param {Tell} tell
 */
async function loadVectors({ kept, rows = ROWS, label, color }, { file, metadata }, tell) {
  const { readVectors } = await import("./vectors.js");
  const phasor = await load();
  const say = (/** @type {Progress["stage"]} */ stage, done = 0, total = 0) =>
    tell({ stage, done, total, requests: 0, bytesRead: 0 });
  say("header");
  const progress = paced((done, total) => say("table", done, total));
  const limits = { rows, progress, label, color };
  const { data, ...vectors } = await readVectors(file, limits, metadata);
  const shape = [vectors.words.length, vectors.dim];
  const table = phasor.embedding.zeros(shape[0], shape[1], { dtype: kept || "float32" });
  table.write(0, { data, shape });
  say("done");
  const explorer = explore(phasor, table, { vocabulary: undefined });
  const none = { model: undefined, vocabulary: undefined, wrong: "" };
  return { ...none, phasor, file, vectors, table, explorer };
}

/** Calls a function at most as often as the reader can see. @param {(done: number, total: number) => void} tell */
function paced(tell) {
  let last = 0;
  return (/** @type {number} */ done, /** @type {number} */ total) => {
    if (Date.now() - last < PACE) return;
    last = Date.now();
    tell(done, total);
  };
}

/** The model with its table in memory. */
const loaded = memoized(async (wish, tell) => {
  const files = vectorFiles(wish.files ?? []);
  if (files) return loadVectors(wish, files, tell);
  const { phasor, model, tokens, vocabulary, wrong, say } = await opened(wish, tell);
  say("table");
  const progress = paced((done) => say("table", done));
  const { kept } = wish;
  const table = await tokens.load(kept ? { dtype: kept, progress } : { progress });
  const explorer = explore(phasor, table, { vocabulary });
  say("done");
  const none = { vectors: undefined, file: undefined };
  return { ...none, phasor, model, vocabulary, table, explorer, wrong };
});

/** The model with its tokenizer. */
const cutting = memoized(async (wish, tell) => {
  const { model, tokens, vocabulary, wrong, say } = await opened(wish, tell);
  if (!vocabulary) throw new RangeError(wrong || "It has no vocabulary");
  const cutter = await cutterOf(model, vocabulary);
  say("done");
  return { model, tokens, vocabulary, cutter };
});

/**
 * Computed when it is first needed, and again if that failed.
 *
 * @template Made
 * @param {(wish: Wish, tell: Tell) => Promise<Made>} make
 * @returns {(wish: Wish, tell: Tell) => Promise<Made>}
 */
function memoized(make) {
  /** @type {Promise<Made> | undefined} */
  let made;
  return (wish, tell) => {
    made ??= make(wish, tell);
    made.catch(() => (made = undefined));
    return made;
  };
}

/** The model's vocabulary, or why its tokens have no names. @param {OpenModel} model */
async function namesOf(model) {
  // In Model2Vec's smallest models several tokens share a row, so rows have no names.
  if (model.names.includes("mapping")) {
    return {
      vocabulary: undefined,
      wrong: "Several of its tokens share a row, so rows have no names",
    };
  }
  return model.vocabulary().then(
    (vocabulary) => ({ vocabulary, wrong: "" }),
    ({ message }) => ({
      vocabulary: undefined,
      wrong: `Its tokens have no names: ${inked(message)}`,
    }),
  );
}

/** @param {import("phasor/open").OpenModel} model */
function network({ requests, bytesRead }) {
  return { requests, bytesRead };
}

/** @param {readonly string[]} names */
function some(names) {
  const more = names.length > 5 ? `, and ${names.length - 5} more` : "";
  return `${names.slice(0, 5).join(", ")}${more}`;
}

export const tasks = Object.freeze({
  /** @param {{wish: Wish}} args @param {Tell} tell */
  async open({ wish }, tell) {
    const { phasor, model, vocabulary, table, wrong, vectors, file } = await loaded(wish, tell);
    const { vocabulary: size, dim } = table;
    const held = {
      size,
      dim,
      wrong,
      memory: { dtype: table.dtype, byteLength: table.byteLength },
      lengths: phasor.statistics.norms(table).data,
    };
    if (!model) {
      return {
        ...aboutVectors(vectors, file.name),
        ...held,
        labels: vectors.words.map((word) => visible(word, SHOWN)),
        groups: vectors.groups,
        choice: vectors.choice,
        noun: "word",
        requests: 0,
        bytesRead: 0,
        named: true,
      };
    }
    return {
      ...(await inspect(model)),
      ...held,
      labels: Array.from({ length: size }, (_, id) => labelOf(vocabulary, id)),
      groups: undefined,
      choice: undefined,
      noun: "token",
      ...network(model),
      named: vocabulary !== undefined,
    };
  },

  /** @param {{wish: Wish, id: number, k: number, metric: Metric}} args @param {Tell} tell */
  async neighbors({ wish, id, k, metric }, tell) {
    const { phasor, table } = await loaded(wish, tell);
    return neighborsIn(phasor, table, id, k, metric);
  },

  /** @param {{wish: Wish, ids: Triple, k: number, metric: Metric, inputs: boolean}} args @param {Tell} tell */
  async analogy({ wish, ids, k, metric, inputs }, tell) {
    const { phasor, table } = await loaded(wish, tell);
    return analogyIn(phasor, table, ids, k, metric, inputs);
  },

  /** @param {{wish: Wish, triples: readonly Triple[], inputs: boolean}} args @param {Tell} tell */
  async answers({ wish, triples, inputs }, tell) {
    const { phasor, table } = await loaded(wish, tell);
    return answersIn(phasor, table, triples, inputs);
  },

  /** @param {{wish: Wish, ids: readonly number[]}} args @param {Tell} tell @returns {Promise<Plain>} */
  async rows({ wish, ids }, tell) {
    const { data, shape } = (await loaded(wish, tell)).table.lookup(ids);
    return { data: /** @type {Float32Array} */ (data), shape };
  },

  /** @param {{wish: Wish, columns: number}} args @param {Tell} tell */
  async numbers({ wish, columns }, tell) {
    return numbersIn((await loaded(wish, tell)).table, columns);
  },

  /** @param {{wish: Wish}} args @param {Tell} tell */
  async spectrum({ wish }, tell) {
    const { phasor, table } = await loaded(wish, tell);
    return phasor.statistics.singularValues(table).data;
  },

  /** @param {{wish: Wish, ids: readonly number[]}} args @param {Tell} tell */
  async cosines({ wish, ids }, tell) {
    const { phasor, table } = await loaded(wish, tell);
    return cosinesIn(phasor, table, ids);
  },

  /** @param {{wish: Wish, ids?: Int32Array, components: number}} args @param {Tell} tell */
  async components({ wish, ids, components }, tell) {
    const { phasor, table } = await loaded(wish, tell);
    return componentsIn(phasor, table, ids, components);
  },

  /** @param {{wish: Wish}} args @param {Tell} tell */
  async statistics({ wish }, tell) {
    const { explorer } = await loaded(wish, tell);
    return statisticsOf(explorer);
  },

  /** @param {{wish: Wish}} args @param {Tell} tell */
  async repeated({ wish }, tell) {
    return (await loaded(wish, tell)).explorer.duplicates();
  },

  /** @param {{wish: Wish}} args @param {Tell} tell @returns {Promise<Positions | null>} */
  async positions({ wish }, tell) {
    const { phasor, model } = await loaded(wish, tell);
    if (!model?.positionEmbeddings) return null;
    const [length] = model.positionEmbeddings.shape;
    const read = Math.min(length, MOST_POSITIONS);
    const rows = await model.positionEmbeddings.rows(
      Int32Array.from({ length: read }, (_, i) => i),
    );
    const step = Math.ceil(read / SHOWN_POSITIONS);
    const places = Int32Array.from({ length: Math.ceil(read / step) }, (_, i) => i * step);
    const some = phasor.embedding.from(rows);
    const { data, shape } = phasor.similarity.matrix(some.lookup(places));
    some.dispose();
    return { places, length, cosines: { data, shape } };
  },

  /**
   * The ids of a text's tokens, without special tokens; none for a model without a
   * tokenizer.
   * @param {{wish: Wish, text: string}} args @param {Tell} tell
   * @returns {Promise<number[]>}
   */
  async pieces({ wish, text }, tell) {
    const { vocabulary, cutter } = await cutting(wish, tell);
    if (cutter.byWords) return [];
    return cutter
      .cut(text)
      .flatMap(({ id }) => (id === null || vocabulary.special.includes(id) ? [] : id));
  },

  /**
   * Loads the tokenizer; the table is not read.
   * @param {{wish: Wish}} args @param {Tell} tell
   */
  async reader({ wish }, tell) {
    const { model, tokens, cutter } = await cutting(wish, tell);
    const { revision } = model;
    const [size, dim] = tokens.shape;
    return {
      name: inked(model.name),
      file: inked(model.file),
      revision,
      size,
      dim,
      input: inputOf(model),
      byWords: cutter.byWords,
    };
  },

  /**
   * A text's tokens, and the steps of the model's input for those that have a row.
   * @param {{wish: Wish, text: string, longest: number}} args  at most `longest` tokens
   * @param {Tell} tell
   */
  async read({ wish, text, longest }, tell) {
    const { model, tokens, vocabulary, cutter } = await cutting(wish, tell);
    const pieces = cutter.cut(text).map(({ word, id }) => ({
      label: id === null ? inked(word) : labelOf(vocabulary, id),
      id: id !== null && id < tokens.shape[0] ? id : null,
    }));
    const all = pieces.flatMap(({ id }) => id ?? []);
    const ids = all.slice(0, Math.min(longest, model.config?.positions.length ?? longest));
    const { stages, why } = await stepsOf(model, ids);
    return { pieces, over: all.length - ids.length, stages, why, ...network(model) };
  },
});

/** @typedef {{places: Int32Array, length: number, cosines: Plain}} Positions */

/**
 * The steps of the model's input; of a model whose rule is not known the rows alone, and why.
 *
 * @param {OpenModel} model @param {readonly number[]} ids
 * @returns {Promise<{stages: Record<string, Plain>, why: string}>}
 */
async function stepsOf(model, ids) {
  const table = /** @type {NonNullable<OpenModel["wordEmbeddings"]>} */ (model.wordEmbeddings);
  const plain = (/** @type {Tensor} */ { data, shape }) => ({
    data: /** @type {Float32Array} */ (data),
    shape,
  });
  try {
    const steps = await model.embed(ids, { intermediates: true });
    const entries = Object.entries(steps).map(([name, step]) => [name, plain(step)]);
    return { stages: Object.fromEntries(entries), why: "" };
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    if (!(error instanceof RangeError)) throw error;
    const words = plain(await table.rows(ids));
    return { stages: { words, output: words }, why: inked(message) };
  }
}

/** Rows of a table of positions that are read, and those that are compared. */
const MOST_POSITIONS = 1024;
const SHOWN_POSITIONS = 128;
