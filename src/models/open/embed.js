/**
 * The embedding layer of an open model, computed from the rows alone that a text needs.
 */
import * as arrays from "../../runtime/arrays.js";
import * as check from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { readIds } from "../../runtime/ids.js";
import { copied } from "../../runtime/input.js";
import { Tensor } from "../../runtime/tensor.js";
import { positionRows, segmentRows } from "../input_embeddings/rows.js";
import { inPart } from "./parts.js";

/**
 * @import {InputSpec, Stages} from "../input_embeddings/input_embeddings.js"
 * @import {Phasor} from "../../index.js"
 * @import {Table} from "../../runtime/table.js"
 * @import {TensorInput} from "../../runtime/tensor.js"
 * @import {OpenModel} from "./model.js"
 * @import {ModelTable} from "./table.js"
 */

/**
 * @typedef {object} EmbedOptions
 * @property {TensorInput} [segments]  BERT: the token type of each token, [T] or [..., T]. Default: all 0
 * @property {number} [past]  the number of tokens already in the cache. Default: 0
 * @property {TensorInput} [mask]  OPT: the attention mask [past + T] or [..., past + T]. Default: all 1
 * @property {number} [paddingIdx]  RoBERTa: the id of padding, which has no position. Default: that of the configuration,
 *   or 1
 * @property {boolean} [intermediates]  whether every step is returned by its name, as by `inputEmbeddings`. Default: false
 * @property {AbortSignal} [signal]  aborts the read
 */

const OPTIONS = Object.freeze({
  segments: undefined,
  past: 0,
  mask: undefined,
  paddingIdx: undefined,
  intermediates: false,
  signal: undefined,
});

/**
 * @param {OpenModel} model @param {Phasor} phasor @param {TensorInput} ids
 * @param {EmbedOptions} [options]
 * @returns {Promise<Tensor | Stages>}
 */
export async function embed(model, phasor, ids, options) {
  const { signal, ...given } = check.options(options, OPTIONS);
  const own = copied(ids);
  for (const name of /** @type {const} */ (["mask", "segments"])) given[name] = copied(given[name]);
  const { wordEmbeddings } = model;
  const { tokens = {}, positions } = specOf(model);
  if (!wordEmbeddings) throw cannot(`the model has no table of words${inPart(model.part)}`);
  const reading = { signal };
  const vocabulary = await vocabularyOf(model, wordEmbeddings, reading);
  const read = readIds(own, vocabulary);
  const past = check.integer(given.past, "past", 0);
  const rows = positionRows(phasor.positionIds, positions, read, { ...given, past });
  const places = positions.scheme === "learnedPositions" ? rows : undefined;
  const types = tokens.segments ? segmentRows(given.segments, read, tokens.segments) : undefined;

  const distinct = unique(read.data);
  const [words, ...others] = await Promise.all([
    readWords(model, wordEmbeddings, distinct, reading),
    tokens.unused?.includes("positions")
      ? undefined
      : readPart("position embeddings", model.positionEmbeddings, places?.data, reading),
    readPart("token type embeddings", model.tokenTypeEmbeddings, types?.data, reading),
    readLayer(
      model,
      "LayerNorm",
      typeof tokens.norm === "number" && tokens.normKind !== "rms",
      ["normWeight", "normBias"],
      {
        ...reading,
        unused: tokens.unused,
      },
    ),
    readLayer(
      model,
      "projection",
      Boolean(tokens.projection),
      ["projectionWeight", "projectionBias"],
      reading,
    ),
  ]);
  const [positionTable, segmentTable, norm, projection] = others;
  const weights = {
    words: tableOf(vocabulary, distinct, words),
    ...(positionTable && { positions: positionTable }),
    ...(segmentTable && { segments: segmentTable }),
    ...(norm && { norm }),
    ...(projection && { projection }),
  };
  const spec = { tokens, positions: { ...positions, rows: undefined } }; // the file's tables have their own sizes
  return phasor.inputEmbeddings(spec, weights, read, given);
}

/**
 * The rows of words times their scale.
 * @param {OpenModel} model @param {Phasor} phasor @param {{data: Int32Array, shape: readonly number[]}} ids
 * @param {{signal?: AbortSignal}} reading
 */
export async function scaledWords(model, phasor, ids, reading) {
  const table = /** @type {ModelTable} */ (model.wordEmbeddings);
  const vocabulary = await vocabularyOf(model, table, reading);
  const distinct = unique(ids.data);
  const rows = await readWords(model, table, distinct, reading);
  const { scale = 1, scaleDtype = "float32" } = model.config?.tokens ?? {};
  const spec = { tokens: { scale, scaleDtype }, positions: { scheme: "none" } };
  return phasor.inputEmbeddings(spec, { words: tableOf(vocabulary, distinct, rows) }, ids);
}

/** The description of the model; without a configuration, that of a table of words alone. @param {OpenModel} model @returns {InputSpec} */
function specOf({ config, positionEmbeddings, tokenTypeEmbeddings, tensorNames }) {
  if (config?.positions.reasons) throw cannot(config.positions.reasons.join(" "));
  if (config?.tokens.unknown) throw cannot(`the model has ${config.tokens.unknown}`);
  if (config) return config;
  if (positionEmbeddings || tokenTypeEmbeddings || tensorNames.normWeight) {
    throw cannot("the model has no configuration; pass one to open(source, { config })");
  }
  return { positions: { scheme: "none" } };
}

/** @param {string} reason */
function cannot(reason) {
  return new RangeError(`cannot embed: ${reason}`);
}

/** @param {Int32Array} ids */
const unique = (ids) => [...new Set(ids)];

/**
 * The rows of a table that the tokens need. A table that the description does not use is an error, too: the
 * model does something that is not known here.
 * @param {string} name @param {ModelTable | undefined} table @param {Int32Array | undefined} rows
 * @param {{signal?: AbortSignal}} reading
 * @returns {Promise<Table | undefined>}
 */
async function readPart(name, table, rows, reading) {
  if (rows && !table) throw cannot(`the model has no ${name}`);
  if (table && !rows)
    throw cannot(`the model has ${name}, of which its configuration says nothing`);
  if (!table || !rows) return undefined;
  const distinct = unique(rows);
  const N = table.shape[0];
  const beyond = distinct.find((row) => row >= N);
  if (beyond !== undefined) {
    throw new RangeError(`ids must have ${check.rowsRule(N)} in the ${name}; got ${beyond}`);
  }
  return tableOf(N, distinct, await table.rows(distinct, reading));
}

/**
 * The weight and the bias of the LayerNorm or of the linear layer.
 * @param {OpenModel} model @param {string} what @param {boolean} wanted
 * @param {readonly ("normWeight" | "normBias" | "projectionWeight" | "projectionBias")[]} roles
 * @param {{signal?: AbortSignal, unused?: readonly string[]}} reading
 * @returns {Promise<any>}
 */
async function readLayer(model, what, wanted, roles, { unused = [], ...reading }) {
  const [weightName, biasName] = roles.map((role) => model.tensorNames[role]);
  if (wanted && !weightName) throw cannot(`the model has no weights of its ${what}`);
  if (weightName && !wanted && what === "LayerNorm" && unused.includes("norm")) return undefined;
  if (weightName && !wanted) {
    throw cannot(`the model has a ${what}, of which its configuration says nothing`);
  }
  if (!weightName) return undefined;
  const read = (/** @type {string | undefined} */ name) => name && model.tensor(name, reading);
  const [weight, bias] = await Promise.all([read(weightName), read(biasName)]);
  return { weight: weight || undefined, bias: bias || undefined };
}

/**
 * A table of N rows of which some have been read.
 * @param {number} N @param {readonly number[]} ids  of the rows @param {Tensor} rows
 * @returns {Table}
 */
function tableOf(N, ids, { data, shape: [, D] }) {
  const rowOf = new Map(ids.map((id, row) => [id, row]));
  return {
    vocabulary: N,
    dim: D,
    lookup(wanted) {
      const found = arrays.float32s(wanted.length * D, "rows");
      wanted.forEach((id, i) => {
        const row = /** @type {number} */ (rowOf.get(id));
        found.set(/** @type {Float32Array} */ (data).subarray(row * D, (row + 1) * D), i * D);
      });
      return new Tensor(found, [wanted.length, D]);
    },
  };
}

/**
 * The lists of a static model (Model2Vec): `mapping` is the row of each token, since several may share one,
 * and `weights` the factor of each token.
 * @param {OpenModel} model
 */
export function listsOf({ names, tensorNames }) {
  const named = (/** @type {string} */ name) =>
    tensorNames.wordEmbeddings === "embeddings" && names.includes(name) ? name : undefined;
  return { mapping: named("mapping"), weights: named("weights") };
}

/**
 * How many tokens the model has.
 * @param {OpenModel} model @param {ModelTable} table @param {{signal?: AbortSignal}} reading
 */
export async function vocabularyOf(model, table, reading) {
  const { mapping, weights } = listsOf(model);
  const lists = [mapping, weights].filter((name) => name !== undefined);
  const known = await Promise.all(lists.map((name) => model.info(name, reading)));
  return Math.min(...(mapping ? [] : [table.shape[0]]), ...known.map(({ shape }) => shape[0]));
}

/**
 * The rows of tokens, each times its factor.
 * @param {OpenModel} model @param {ModelTable} table @param {readonly number[]} ids
 * @param {{signal?: AbortSignal}} reading
 */
export async function readWords(model, table, ids, reading) {
  const { mapping, weights } = listsOf(model);
  const [rows, factors] = await Promise.all(
    [mapping, weights].map((name) => name && model.tensor(name, { ...reading, rows: ids })),
  );
  const N = table.shape[0];
  const bad = rows && rows.data.find((row) => !(row >= 0 && row < N));
  if (bad !== undefined) {
    const message = `mapping must hold ${check.rowsRule(N)}; got ${bad}`;
    throw new FileError("OPEN_MAPPING", message);
  }
  const words = await table.rows(rows || ids, reading);
  if (factors) {
    const { data, shape } = words;
    for (let i = 0; i < data.length; ++i) data[i] *= factors.data[Math.floor(i / shape[1])];
  }
  return words;
}
