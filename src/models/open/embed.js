/**
 * The embedding layer of an open model, computed of those rows alone that a text needs.
 */
import * as check from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { readIds } from "../../runtime/ids.js";

/**
 * @import {Phasor} from "../../index.js"
 * @import {Tensor, TensorInput} from "../../runtime/tensor.js"
 * @import {Positions} from "../config.js"
 * @import {OpenModel} from "./model.js"
 * @import {ModelTable} from "./table.js"
 */

/**
 * @typedef {object} EmbedOptions
 * @property {TensorInput} [segments]  BERT: the segment of each token, [T] or [..., T]; default 0
 * @property {number} [past]  GPT-2 and OPT: tokens already in the cache; default 0
 * @property {number} [paddingIdx]  RoBERTa: the token that has no position; default 1
 * @property {AbortSignal} [signal]  ends the reading with its reason
 */

const OPTIONS = Object.freeze({ segments: undefined, past: 0, paddingIdx: 1, signal: undefined });

/** Schemes that add nothing to the words: they act in attention. */
const IN_ATTENTION = new Set(["rope", "alibi", "t5Bias"]);

/**
 * @param {OpenModel} model @param {Phasor} phasor @param {TensorInput} ids
 * @param {EmbedOptions} [options]
 * @returns {Promise<Tensor>}
 */
export async function embed(model, phasor, ids, options) {
  const given = check.options(options, OPTIONS, "embed");
  const { wordEmbeddings, positionEmbeddings, tokenTypeEmbeddings, tensorNames, config } = model;
  if (!wordEmbeddings) throw unknown("a table of words", "none");
  const isBare = !positionEmbeddings && !tokenTypeEmbeddings && !tensorNames.normWeight;
  if (!config && !isBare) throw unknown("a configuration, open(source, { config })", "none");

  const { mapping, weights } = listsOf(model);
  const lists = [mapping, weights].filter((name) => name !== undefined);
  const known = await Promise.all(lists.map((name) => model.info(name)));
  const sizes = known.map(({ shape }) => shape[0]);
  const wanted = readIds(ids, Math.min(...(mapping ? [] : [wordEmbeddings.shape[0]]), ...sizes));
  const reading = { signal: given.signal };
  const distinct = [...new Set(wanted.data)];
  const rowOf = new Map(distinct.map((id, row) => [id, row]));
  const rows = {
    data: wanted.data.map((id) => /** @type {number} */ (rowOf.get(id))),
    shape: wanted.shape,
  };
  const places = config && placesOf(config.positions, phasor, wanted, given);
  if (places && !positionEmbeddings) throw unknown("a table of positions", "none");
  const [words, ...addends] = await Promise.all([
    readWords(model, wordEmbeddings, distinct, reading),
    tokenTypeEmbeddings &&
      tokenTypeEmbeddings.rows(segmentsOf(given.segments, wanted.shape), reading),
    places && positionEmbeddings?.rows(places, reading),
  ]);

  const table = phasor.embedding.from(words);
  const { scale = 1, scaleDtype, norm } = config?.tokens ?? {};
  const x = table.lookup(rows, { scale, scaleDtype });
  table.dispose();
  for (const addend of addends) if (addend) add(x.data, addend.data);
  if (!norm) return x;
  const [weight, bias] = await Promise.all(
    [tensorNames.normWeight, tensorNames.normBias].map(
      (name) => name && model.tensor(name, reading),
    ),
  );
  if (!weight) throw unknown("the weights of its LayerNorm", "none");
  return phasor.normalize.layerNorm(x, { weight, bias: bias || undefined, eps: norm });
}

/**
 * What a static model says of each of its tokens, as Model2Vec calls it: `mapping` is which row it has,
 * since several may share one, and `weights` what that is multiplied by.
 * @param {OpenModel} model
 */
export function listsOf({ names, tensorNames }) {
  const named = (/** @type {string} */ name) =>
    tensorNames.wordEmbeddings === "embeddings" && names.includes(name) ? name : undefined;
  return { mapping: named("mapping"), weights: named("weights") };
}

/**
 * The rows of tokens.
 * @param {OpenModel} model @param {ModelTable} tokens @param {readonly number[]} ids
 * @param {{signal?: AbortSignal}} reading
 */
async function readWords(model, tokens, ids, reading) {
  const { mapping, weights } = listsOf(model);
  const [rows, factors] = await Promise.all(
    [mapping, weights].map((name) => name && model.tensor(name, { ...reading, rows: ids })),
  );
  const last = tokens.shape[0] - 1;
  const bad = rows && rows.data.find((row) => !(row >= 0 && row <= last));
  if (bad !== undefined) {
    const message = `mapping must hold rows from 0 to ${last}; got ${bad}`;
    throw new FileError("OPEN_MAPPING", message);
  }
  const words = await tokens.rows(rows || ids, reading);
  if (factors) {
    const { data, shape } = words;
    for (let i = 0; i < data.length; ++i) data[i] *= factors.data[Math.floor(i / shape[1])];
  }
  return words;
}

/** @param {string} what @param {string} got */
function unknown(what, got) {
  return new RangeError(`embed must be asked of a model with ${what}; got ${got}`);
}

/**
 * The rows of the table of positions; undefined for a model that adds none.
 * @param {Positions} rule @param {Phasor} phasor
 * @param {{data: Int32Array, shape: number[]}} ids @param {typeof OPTIONS} options
 */
function placesOf({ scheme, preset }, { positionIds }, ids, { past, paddingIdx }) {
  if (IN_ATTENTION.has(scheme)) return undefined;
  if (scheme !== "learnedPositions" || preset === "vit") {
    throw unknown("learned positions, or positions in attention", `"${preset ?? scheme}"`);
  }
  if (preset === "roberta") return positionIds.fromTokens(ids, { paddingIdx });
  const T = ids.shape[ids.shape.length - 1];
  if (T === undefined) throw new RangeError("ids must have shape [..., T]; got []");
  const first = check.integer(past, "past", 0) + (preset === "opt" ? 2 : 0);
  return Int32Array.from({ length: T }, (_, t) => first + t);
}

/** @param {unknown} given @param {readonly number[]} shape  of the ids */
function segmentsOf(given, shape) {
  const T = shape[shape.length - 1] ?? 1;
  const { data, shape: own } = readIds(given ?? new Int32Array(T), 2 ** 31, "segments");
  if (own.length === 0 || shape.slice(-own.length).join() !== own.join()) {
    throw new RangeError(
      `segments must have the last axes of [${shape.join(", ")}]; got [${own.join(", ")}]`,
    );
  }
  return { data, shape: own };
}

/**
 * Add to the last axes, in float32: a double's sum of two of them rounds to the same.
 * @param {Float32Array} x  changed @param {Float32Array} addend
 */
function add(x, addend) {
  for (let i = 0, j = 0; i < x.length; ++i, j = j + 1 === addend.length ? 0 : j + 1) {
    x[i] += addend[j];
  }
}
