// A signal aborts at every await of what is done with an open model, wherever its files are: it rejects with the
// reason, or gives the right result, and the same model then gives the same bits.

import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { npy, npz, safetensors } from "phasor/files";
import { open } from "phasor/open";
import { ggufOf } from "../../unit/models/open/gguf.js";
import { phasor } from "../../phasor.js";
import { abortedEverywhere, serving, slow } from "./awaits.js";

/** @param {number} V @param {number} D @param {number} seed */
const numbers = (V, D, seed) => ({
  data: Float32Array.from({ length: V * D }, (_, i) => Math.sin((i + 1) * seed)),
  shape: [V, D],
});

/** @param {number} D @param {number} seed */
const vector = (D, seed) => numbers(1, D, seed).data;

/** @param {unknown} content */
const json = (content) => new TextEncoder().encode(JSON.stringify(content));

const tokenizer = json({
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: "Whitespace" },
  post_processor: null,
  decoder: null,
  model: { type: "WordLevel", vocab: { the: 0, cat: 1, sat: 2 }, unk_token: "the" },
});

/** A tokenizer of words, as the class of the optional peer. */
class Words {
  /** @param {any} file */
  constructor(file) {
    this.vocab = file.model.vocab;
  }
  encode = (/** @type {string} */ text) => ({
    ids: text.split(" ").map((word) => this.vocab[word]),
  });
  decode = () => "";
}

const [V, D] = [6, 4];
const st = "sentence_transformers.models.";
const modules = (/** @type {[path: string, type: string][]} */ ...list) =>
  json(list.map(([path, type], idx) => ({ idx, name: String(idx), path, type: st + type })));

/** A transformer with three tables, LayerNorm, pooling and a linear layer. @type {Record<string, Uint8Array>} */
const bert = {
  "model.safetensors": safetensors.write({
    "embeddings.word_embeddings.weight": numbers(V, D, 1),
    "embeddings.position_embeddings.weight": numbers(5, D, 2),
    "embeddings.token_type_embeddings.weight": numbers(2, D, 3),
    "embeddings.LayerNorm.weight": vector(D, 4),
    "embeddings.LayerNorm.bias": vector(D, 5),
  }),
  "config.json": json({
    ...{ model_type: "bert", vocab_size: V, hidden_size: D, max_position_embeddings: 5 },
    ...{ type_vocab_size: 2, num_hidden_layers: 1, num_attention_heads: 1, layer_norm_eps: 1e-12 },
  }),
  "tokenizer.json": tokenizer,
  "tokenizer_config.json": json({}),
  "modules.json": modules(
    ["", "Transformer"],
    ["1_Pooling", "Pooling"],
    ["2_Dense", "Dense"],
    ["3_Normalize", "Normalize"],
  ),
  "1_Pooling/config.json": json({ word_embedding_dimension: D, pooling_mode_mean_tokens: true }),
  "2_Dense/config.json": json({
    ...{ in_features: D, out_features: 3, activation_function: "torch.nn.modules.activation.Tanh" },
  }),
  "2_Dense/model.safetensors": safetensors.write({
    "linear.weight": numbers(3, D, 6),
    "linear.bias": vector(3, 7),
  }),
};

/** A static model. @type {Record<string, Uint8Array>} */
const words = {
  "model.safetensors": safetensors.write({ embeddings: numbers(3, D, 8) }),
  "config.json": json({ normalize: true }),
  "tokenizer.json": tokenizer,
};

/** Gemma's rows for each layer. @type {Record<string, Uint8Array>} */
const gemma = {
  "model.safetensors": safetensors.write({
    "model.embed_tokens.weight": numbers(V, 8, 1),
    "model.embed_tokens_per_layer.weight": numbers(V - 1, 8, 2),
    "model.per_layer_model_projection.weight": numbers(8, 8, 3),
    "model.per_layer_projection_norm.weight": vector(4, 4),
  }),
  "config.json": json({
    model_type: "gemma4_text",
    ...{ vocab_size: V, hidden_size: 8, num_hidden_layers: 2, num_attention_heads: 4 },
    ...{ hidden_size_per_layer_input: 4, rms_norm_eps: 1e-5, dtype: "float32" },
    rope_parameters: { full_attention: { rope_theta: 1e4 } },
  }),
};

/** A model in two files. @type {Record<string, Uint8Array>} */
const sharded = {
  "model.safetensors.index.json": json({
    weight_map: { "wte.weight": "a.safetensors", "wpe.weight": "b.safetensors" },
  }),
  "a.safetensors": safetensors.write({ "wte.weight": numbers(V, D, 1) }),
  "b.safetensors": safetensors.write({ "wpe.weight": numbers(5, D, 2) }),
  "config.json": json({
    ...{ model_type: "gpt2", vocab_size: V, n_embd: D, n_positions: 5, n_layer: 1, n_head: 1 },
  }),
};

/** Frequencies, factors of them, and a vocabulary. @type {Record<string, Uint8Array>} */
const ggml = {
  "a.gguf": await ggufOf(
    {
      ...{ "general.architecture": "llama", "general.name": "x".repeat(70_000) },
      ...{ "llama.embedding_length": 8, "llama.block_count": 1, "llama.attention.head_count": 2 },
      ...{ "llama.context_length": 64, "llama.rope.dimension_count": 4 },
    },
    {
      "token_embd.weight": numbers(V, 8, 1),
      "rope_freqs.weight": { data: Float32Array.of(1, 2), shape: [2] },
    },
  ),
};

const zipped = {
  "a.npz": await npz.write({ "wte.weight": numbers(V, D, 1), wpe: numbers(5, D, 2) }),
};
const plain = { "a.npy": npy.write(numbers(V, D, 1)) };

const folder = await mkdtemp(join(tmpdir(), "phasor-abort-"));
after(() => rm(folder, { recursive: true }));
for (const [path, bytes] of Object.entries(bert)) {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), bytes);
}

/** @param {Record<string, Uint8Array>} files */
const slowly = (files) =>
  Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, slow(bytes)]));

/** How a model is opened, by where it is. @type {Record<string, (options?: object) => Promise<any>>} */
const places = {
  "in memory": (options) => open(slowly(bert), { phasor, ...options }),
  "in a folder": (options) => open(folder, { phasor, ...options }),
  "at an address": (options) =>
    open("http://localhost/model.safetensors", { phasor, fetch: serving(bert), ...options }),
  "on a hub": (options) =>
    open("o/m", { phasor, base: "http://localhost", fetch: serving(bert), ...options }),
  "in shards on a hub": (options) =>
    open("o/m", { phasor, base: "http://localhost", fetch: serving(sharded), ...options }),
  "as GGUF": (options) => open(slowly(ggml), { phasor, ...options }),
  "as .npz": (options) => open(slowly(zipped), { phasor, ...options }),
  "as .npy": (options) => open(slowly(plain), { phasor, ...options }),
};

describe("faults: a signal aborts at every await while a model opens", () => {
  for (const [place, opened] of Object.entries(places)) {
    abortedEverywhere(`${place}: opened`, async () => async (signal) => {
      const { names, config, warnings } = await opened({ signal });
      return [names, JSON.stringify(config), warnings];
    });
    abortedEverywhere(`${place}: rows, of a model whose opening had a signal`, async () => {
      const model = await opened({ signal: new AbortController().signal });
      return (signal) => model.wordEmbeddings.rows([5, 1], { signal });
    });
    abortedEverywhere(`${place}: a whole table`, async () => {
      const { wordEmbeddings } = await opened();
      return async (signal) => {
        const table = await wordEmbeddings.load({ signal });
        const all = table.weights();
        table.dispose();
        return all;
      };
    });
    abortedEverywhere(`${place}: descriptions`, async () => {
      const model = await opened();
      return async (signal) => JSON.stringify(await model.list({ signal }));
    });
  }
});

/** @param {string} name @param {Record<string, Uint8Array>} files @param {(model: any, signal?: AbortSignal) => Promise<unknown>} use */
function everywhere(name, files, use) {
  abortedEverywhere(name, async () => {
    const model = await open(slowly(files), { phasor });
    return (signal) => use(model, signal);
  });
}

describe("faults: a signal aborts at every await of an open model", () => {
  everywhere("tensor", bert, (model, signal) => model.tensor(model.names[0], { signal }));
  everywhere("info", zipped, async (model, signal) =>
    JSON.stringify(await model.info("wpe", { signal })),
  );
  everywhere(
    "vocabulary",
    bert,
    async (model, signal) => (await model.vocabulary({ signal })).tokens,
  );
  everywhere("tokenizer", bert, async (model, signal) => {
    return (await model.tokenizer(Words, { signal })).encode("the cat");
  });
  everywhere("explore", bert, async (model, signal) => {
    const explorer = await model.explore({ signal });
    const found = explorer.nearest("cat").map((/** @type {any} */ { id }) => id);
    explorer.dispose();
    return found;
  });
  everywhere("embed", bert, (model, signal) => model.embed([1, 2, 5], { signal }));
  everywhere("embed, of shards", sharded, (model, signal) => model.embed([1, 2, 5], { signal }));
  everywhere("sentences", bert, async (model, signal) =>
    JSON.stringify(await model.sentences({ signal })),
  );
  everywhere("pool", bert, (model, signal) => model.pool([[1, 2, 3, 4], [5, 6, 7, 8]], { signal })); // prettier-ignore
  everywhere("encode", words, (model, signal) => {
    return model.encode(["the cat", "sat"], { tokenizer: Words, batch: 1, signal });
  });
  everywhere("perLayer", gemma, (model, signal) => model.perLayer([0, 5, 3], { signal }));
});

test("faults: aborted reads leave no file of a folder open", async (t) => {
  const held = await readdir("/proc/self/fd").catch(() => undefined);
  if (!held) return t.skip("this system does not list open files");
  for (let i = 0; i < 50; ++i) {
    const controller = new AbortController();
    const { signal } = controller;
    const reading = open(folder, { phasor, signal }).then((model) => model.embed([1], { signal }));
    for (let step = 0; step < i; ++step) await null;
    controller.abort();
    await reading.catch(() => {});
  }
  assert.equal((await readdir("/proc/self/fd")).length, held.length);
});
