// Functions that wait: their arguments are those of the call, whatever the caller does with them meanwhile.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { load as loadLab } from "phasor/lab";
import { models } from "phasor/models";
import { npy, npz, remote, safetensors, vocabulary } from "phasor/files";
import { open } from "phasor/open";
import { identify } from "phasor/oracle";
import { vectors } from "phasor/vectors";
import { load as loadWorker } from "phasor/worker";
import { xray } from "phasor/xray";
import { readReference } from "../../../web/reference/read.js";
import { load, phasor } from "../../phasor.js";

const json = (/** @type {unknown} */ value) => new Blob([JSON.stringify(value)]);
const rows = [[1, 2], [3, 4], [5, 6]]; // prettier-ignore
const int8 = { w: { data: Int8Array.of(1, 2, 3, 4, 5, 6), shape: [3, 2], dtype: "int8" } };
const file = () => safetensors.read(safetensors.write(int8));
const index = json({ metadata: null, weight_map: { w: "a.safetensors" } });
const sharded = () => safetensors.sharded(index, () => safetensors.write(int8));
const gpt2 = { model_type: "gpt2", n_embd: 2, n_head: 1, n_layer: 1, n_positions: 8, vocab_size: 3 }; // prettier-ignore
const layers = { hidden_size_per_layer_input: 2, rms_norm_eps: 1e-5, num_attention_heads: 1, num_hidden_layers: 1, rope_parameters: { full_attention: { rope_theta: 1e4 } } }; // prettier-ignore
const gemma = { model_type: "gemma4_text", vocab_size: 3, hidden_size: 2, ...layers };
const llama = () => ({ model_type: "llama", hidden_size: 64, num_attention_heads: 4, num_hidden_layers: 1, vocab_size: 9, max_position_embeddings: 64, rope_theta: 100, rope_scaling: { rope_type: "linear", factor: 2 } }); // prettier-ignore
const st = "sentence_transformers.models.";
const perLayer = {
  "model.embed_tokens_per_layer.weight": rows,
  "model.per_layer_model_projection.weight": [[1, 2], [3, 4]],
  "model.per_layer_projection_norm.weight": [1, 1],
}; // prettier-ignore
const files = {
  "config.json": json(gpt2),
  "vocab.txt": new Blob(["a\nb\nc\n"]),
  "modules.json": json([{ path: "", type: `${st}Transformer` }, { path: "1", type: `${st}Pooling` }]), // prettier-ignore
  "1/config.json": json({ word_embedding_dimension: 2, pooling_mode_mean_tokens: true }),
};
const model = async (more = {}, tensors = /** @type {any} */ ({ "wte.weight": rows })) =>
  open({ "model.safetensors": safetensors.write(tensors), ...more }, { phasor });
const ids = () => Int32Array.of(0, 2);
const scale = () => ({ scale: Float32Array.of(2, 3, 4) });
const pair = () => phasor.rope.toFullWidth(phasor.rope.table(16, 8, { base: 500 }));
const core = new Uint8Array(await readFile(new URL(import.meta.resolve("phasor/core.wasm"))));
const tiny = { layers: 1, heads: 1, dim: 8, length: 8, batch: 2, steps: 2, readings: [] };
const fetch = async () => new Response("text");
/** Some properties of what is awaited. @param {Promise<any>} of @param {string[]} names */
const parts = async (of, ...names) => {
  const found = await of;
  return names.map((name) => found[name]);
};
/** A table, when all has been loaded. @param {Promise<any>} of */
const tableOf = (of) => of.then(({ rope }) => rope.table(2, 4));
const staticModel = () =>
  model({ "config.json": json({ normalize: false }) }, { embeddings: rows });
const layered = () =>
  model({ "config.json": json(gemma) }, { "model.embed_tokens.weight": rows, ...perLayer });
const table = async () => /** @type {any} */ ((await model()).wordEmbeddings);

/**
 * The function, by its name in the reference, and new arguments for it.
 * @type {Record<string, [of: () => any, given: () => any[]]>}
 */
const CALLS = {
  "phasor load": [() => (/** @type {any} */ o) => tableOf(load(o)), () => [{ wasm: core.slice() }]],
  "phasor/worker load": [() => async (/** @type {any} */ o) => {
    const { rope, dispose } = await loadWorker(o);
    return rope.table(2, 4).finally(dispose);
  }, () => [{ wasm: core.buffer.slice(0) }]],
  "npz.write": [() => npz.write, () => [{ w: ids(), v: [[1, 2]] }, { compress: true }]],
  "npy.read": [() => npy.read, () => [new Blob([npy.write(ids())]), { dtype: "float32" }]],
  remote: [() => (/** @type {any[]} */ ...all) => parts(remote(all[0], all[1]), "size"), () => ["https://a.org/a", { fetch, cache: { memory: 0 }, origins: ["https://b.org"] }]],
  "vocabulary.words": [() => (/** @type {any} */ words) => parts(vocabulary.words(words), "tokens"), () => [["a", "b"]]],
  "SafetensorsFile.tensor": [file, () => ["w", scale()]],
  "SafetensorsFile.rows": [file, () => ["w", ids(), scale()]],
  "SafetensorsFile.stored": [file, () => ["w", { rows: ids() }]],
  "ShardedFile.tensor": [sharded, () => ["w", scale()]],
  "ShardedFile.rows": [sharded, () => ["w", ids(), scale()]],
  "ShardedFile.stored": [sharded, () => ["w", { rows: ids() }]],
  open: [() => (/** @type {any[]} */ ...all) => parts(open(all[0], all[1]), "config", "names"), () => [{ "model.safetensors": new Blob([safetensors.write({ "wte.weight": rows })]) }, { phasor, config: { ...gpt2 } }]],
  "OpenModel.tensor": [model, () => ["wte.weight", { rows: ids() }]],
  "OpenModel.explore": [async () => {
    const from = await model(files);
    return (/** @type {any} */ o) => parts(from.explore(o).then(({ table }) => table), "dtype");
  }, () => [{ dtype: "float16" }]],
  "OpenModel.embed": [() => model(files, { "wte.weight": rows, "wpe.weight": [...rows, ...rows] }), () => [[ids()], { past: 1 }]],
  "OpenModel.perLayer": [layered, () => [ids()]],
  "OpenModel.pool": [() => model(files), () => [[[1, 2], [3, 4]], { mask: [1, 0], normalize: true, dim: 1 }]],
  "OpenModel.encode": [staticModel, () => [[[0, 1], [2]], { normalize: true, dim: 1 }]],
  "Explorer.exactly": [async () => (await model(files)).explore(), () => ["a", { k: 1, metric: "dot" }]],
  "ModelTable.rows": [table, () => [ids()]],
  "ModelTable.load": [async () => {
    const of = await table();
    return (/** @type {any} */ o) => parts(of.load(o), "dtype");
  }, () => [{ dtype: "float16" }]],
  identify: [() => identify, () => [pair(), { phasor, positions: Array.from({ length: 16 }, (_, t) => t), precision: "float32" }]],
  "identify: ids": [() => identify, () => [{ positionIds: [[1, 1, 0, 1, 2]], mask: [[0, 0, 1, 1, 1]] }, { phasor }]],
  xray: [() => xray, () => [llama(), { length: 128, phasor }]],
  "xray: a description": [() => xray, () => [structuredClone(models.fromConfig(llama())), { phasor }]],
  vectors: [() => vectors, () => [llama(), { length: 4, seed: 3, tests: [], phasor }]],
  "lab.experiment": [async () => {
    const { lab } = await loadLab();
    return (/** @type {any} */ o) => lab.experiment(o);
  }, () => [{ ...tiny, tasks: ["back"], schemes: [{ scheme: "rope", base: 100 }, { layers: [{ scheme: "rope", base: 50 }] }], seeds: [1, 2], test: [1] }]],
}; // prettier-ignore

/** Those that take names, files, functions and signals alone. Files are kept by what reads them. */
const WITHOUT =
  `gguf.read npy.stored npz.read hub safetensors.read safetensors.sharded vocabulary.tokenizerJson
  vocabulary.wordPiece GgufFile.tensor GgufFile.rows GgufFile.stored GgufFile.stream NpzFile.info NpzFile.tensor
  NpzFile.stored Repository.open Repository.text SafetensorsFile.stream ShardedFile.info ShardedFile.stream
  Slice.arrayBuffer Slice.each OpenModel.info OpenModel.list OpenModel.vocabulary OpenModel.tokenizer
  OpenModel.sentences FigureParts.png schemes mount`.split(/\s+/);

test("every function that returns a promise is called here, or takes nothing that may change", async () => {
  const found = (await readReference()).flatMap(({ entry, entries }) =>
    entries.flatMap((each) => [
      ...[each].map((one) => ({ ...one, name: one.name === "load" ? `${entry} load` : one.name })),
      ...each.members.map((one) => ({ ...one, name: `${each.name}.${one.name}` })),
    ]),
  );
  const asking = found.filter(({ kind, type }) => kind === "function" && /^Promise/.test(type));
  const called = Object.keys(CALLS).filter((name) => !name.includes(":"));
  assert.deepEqual(asking.map(({ name }) => name).sort(), [...called, ...WITHOUT].sort());
});

/** Changes all that an argument has. @param {any} given @returns {void} */
function change(given) {
  if (ArrayBuffer.isView(given)) return void (/** @type {any} */ (given).fill(1));
  if (typeof given !== "object" || given === null || given === phasor || given instanceof Blob) return; // prettier-ignore
  for (const name of Object.keys(given)) {
    change(given[name]);
    if (Object.getOwnPropertyDescriptor(given, name)?.writable) delete given[name];
  }
}

for (const [name, [of, given]] of Object.entries(CALLS)) {
  test(`${name}: arguments that are changed during the wait are those of the call`, async () => {
    const answers = [false, true].map(async (changes) => {
      const owner = await of();
      const values = given();
      const method = typeof owner === "function" ? owner : owner[name.split(".")[1]].bind(owner);
      const answer = method(...values);
      if (changes) values.forEach(change);
      return answer;
    });
    const [expected, answer] = await Promise.all(answers);
    assert.deepEqual(answer, expected);
  });
}
