/**
 * The rows that every layer of Gemma 3n and 4 gets besides its input: of a further table, and of a projection of the
 * words.
 */
import * as arrays from "../../runtime/arrays.js";
import { readSignal } from "../../files/reading.js";
import { readIds } from "../../runtime/ids.js";
import { copied } from "../../runtime/input.js";
import { Tensor } from "../../runtime/tensor.js";
import { scaledWords } from "./embed.js";

/**
 * @import {Phasor} from "../../index.js"
 * @import {TensorInput} from "../../runtime/tensor.js"
 * @import {OpenModel} from "./model.js"
 */

/** Names of the tensors: transformers' and llama.cpp's. */
const TABLE = /(^|\.)(embed_tokens_per_layer|per_layer_token_embd)\.weight$/;
const PROJECTION = /(^|\.)(per_layer_model_projection|per_layer_model_proj)\.weight$/;
const NORM = /(^|\.)(per_layer_projection_norm|per_layer_proj_norm)\.weight$/;

/**
 * @param {OpenModel} model @param {Phasor} phasor @param {TensorInput} ids
 * @param {{signal?: AbortSignal}} [options]
 * @returns {Promise<Tensor>}
 */
export async function perLayer(model, phasor, ids, options) {
  const { signal } = readSignal(options);
  const own = copied(ids);
  const { config, wordEmbeddings } = model;
  const of = config?.tokens.perLayer;
  if (!config || !wordEmbeddings || !of) throw cannot("its configuration names none");
  const [L, E] = [config.layers, of.width];
  const [D] = wordEmbeddings.shape.slice(-1);
  const [table, projection, norm] = await Promise.all(
    [TABLE, PROJECTION, NORM].map((pattern) => found(model, pattern, signal)),
  );
  // The table may have rows for more layers than the model.
  if (table.shape.length !== 2 || table.shape[1] < L * E || table.shape[1] % E !== 0) {
    throw cannot(`its table must have shape [V, ${L * E}]; got [${table.shape.join(", ")}]`);
  }
  const [V, W] = table.shape;
  const read = readIds(own, wordEmbeddings.shape[0]);
  const rowOf = read.data.map((id) => (id < V ? id : 0)); // as transformers does with the ids of pictures
  const distinct = [...new Set(rowOf)];
  const reading = { signal };
  const [words, rows, weight, gain] = await Promise.all([
    scaledWords(model, phasor, read, reading),
    model.tensor(table.name, { ...reading, rows: distinct }),
    model.tensor(projection.name, reading),
    model.tensor(norm.name, reading),
  ]);
  if (weight.shape.join() !== [L * E, D].join() || gain.shape.join() !== String(E)) {
    const got = `[${weight.shape.join(", ")}] and [${gain.shape.join(", ")}]`;
    throw cannot(`its weights must have shapes [${L * E}, ${D}] and [${E}]; got ${got}`);
  }
  const { data: projected } = phasor.pooling.dense(words, weight);
  const shape = [...read.shape, L, E];
  const scaled = Float32Array.from(/** @type {Float32Array} */ (projected), (x) => x * D ** -0.5);
  const normed = phasor.normalize.rmsNorm(new Tensor(scaled, shape), {
    weight: gain,
    eps: of.norm,
  });
  const places = new Map(distinct.map((id, place) => [id, place]));
  const scale = Math.fround(Math.sqrt(E));
  const result = arrays.float32s(normed.data.length, "the rows");
  for (let i = 0; i < result.length; ++i) {
    const place = Number(places.get(rowOf[Math.floor(i / (L * E))]));
    const row = Math.fround(Number(rows.data[place * W + (i % (L * E))]) * scale);
    result[i] = Math.fround(Number(normed.data[i]) + row) * Math.SQRT1_2;
  }
  return new Tensor(result, shape);
}

/** @param {OpenModel} model @param {RegExp} pattern @param {AbortSignal | undefined} signal */
function found(model, pattern, signal) {
  const name = model.names.find((each) => pattern.test(each));
  if (name === undefined) throw cannot(`it has no tensor ${pattern.source}`);
  return model.info(name, { signal });
}

/** @param {string} reason */
function cannot(reason) {
  return new RangeError(`the model has no rows for each layer: ${reason}`);
}
