// Calls that wait: what their arguments were when they were called, whatever others do meanwhile.
import assert from "node:assert/strict";
import { test } from "node:test";
import { npy, safetensors } from "phasor/files";
import { openModel as open, phasor } from "./entry.js";

const json = (/** @type {unknown} */ value) => new Blob([JSON.stringify(value)]);
const rows = [[10, 11], [20, 21], [30, 31]]; // prettier-ignore
const words = safetensors.write({ "wte.weight": rows });
const gpt2 = json({ model_type: "gpt2", n_embd: 2, n_head: 1, n_layer: 1, n_positions: 8, vocab_size: 3 }); // prettier-ignore

test("ids and rows that are filled anew during a wait are those of the call", async () => {
  const model = await open({ "model.safetensors": words, "config.json": gpt2 });
  const index = json({ metadata: null, weight_map: { w: "a.safetensors" } });
  const sharded = await safetensors.sharded(index, () => safetensors.write({ w: rows }));
  const [file] = [await safetensors.read(words)];
  const asked = /** @type {[string, (ids: Int32Array) => Promise<any>][]} */ ([
    ["tensor of a model", (ids) => model.tensor("wte.weight", { rows: ids })],
    ["rows of a model's table", (ids) => /** @type {any} */ (model.wordEmbeddings).rows(ids)],
    ["rows of a file", (ids) => file.rows("wte.weight", ids)],
    ["rows of shards", (ids) => sharded.rows("w", ids)],
    ["rows of shards, in a tensor", (ids) => sharded.rows("w", { data: ids, shape: [1] })],
    ["stored rows of shards", async (ids) => phasor.dtypes.decode(await sharded.stored("w", { rows: ids }))],
  ]); // prettier-ignore
  for (const [what, ask] of asked) {
    const ids = Int32Array.of(0);
    const answer = ask(ids);
    ids[0] = 2;
    assert.deepEqual([...(await answer).data], [10, 11], what);
  }
});

test("hidden states that are filled anew during a wait are those of the call", async () => {
  const st = "sentence_transformers.models.";
  const model = await open({
    "model.safetensors": words,
    "modules.json": json([{ path: "", type: `${st}Transformer` }, { path: "1", type: `${st}Pooling` }]), // prettier-ignore
    "1/config.json": json({ word_embedding_dimension: 2, pooling_mode_mean_tokens: true }), // prettier-ignore
  });
  const hidden = { data: Float32Array.of(1, 2, 3, 4), shape: [2, 2] };
  const mask = Int32Array.of(1, 0);
  const answer = model.pool(hidden, { mask });
  hidden.data.fill(9);
  mask.fill(1);
  assert.deepEqual([...(await answer).data], [1, 2]);
});

const vocab = /** @type {Record<string, number>} */ ({ "[UNK]": 0, a: 1, b: 2, "q:": 3 });
const tokenizer = /** @type {any} */ ({
  encode: (/** @type {string} */ text) => text.split(" ").filter(Boolean).map((word) => vocab[word] ?? 0),
}); // prettier-ignore
const tokenizerJson = json({
  ...{ added_tokens: [], truncation: null, pre_tokenizer: null, normalizer: null, decoder: null },
  model: { type: "WordLevel", vocab, unk_token: "[UNK]" },
});

test("Model2Vec reads no settings of Sentence Transformers", async () => {
  const st = "sentence_transformers.models.";
  const model = await open({
    "model.safetensors": safetensors.write({ embeddings: [[100, 100], [1, 0], [0, 1], [7, 7]] }), // prettier-ignore
    "config.json": json({ normalize: true, model_type: "model2vec" }),
    "modules.json": json([{ path: "", type: `${st}StaticEmbedding` }, { path: "1_Normalize", type: `${st}Normalize` }]), // prettier-ignore
    "config_sentence_transformers.json": json({ prompts: { query: "q: " }, default_prompt_name: "query", truncate_dim: 1 }), // prettier-ignore
    "tokenizer.json": tokenizerJson,
  });
  const of = async (/** @type {any} */ more = {}) =>
    (await model.encode(["a"], { tokenizer, ...more })).toArray();
  assert.deepEqual(await of(), [[1, 0]]);
  assert.deepEqual(await of({ library: "model2vec" }), [[1, 0]]);
  assert.deepEqual(await of({ dim: 1 }), [[1]]);
  const asked = /** @type {number[][]} */ (await of({ promptName: "query" }));
  assert.ok(asked[0][1] > 0, "a prompt that is asked for is added");
  assert.equal(/** @type {number[][]} */ (await of({ library: "sentence-transformers" }))[0].length, 1); // prettier-ignore
});

test("sentences of one call do not lose their rows to another", async () => {
  const [D, V] = [2 ** 20, 20];
  const data = new Int8Array(V * D);
  for (let v = 0; v < V; ++v) data.fill(1 + v, v * D, (v + 1) * D);
  const bytes = safetensors.write({ embeddings: { data, shape: [V, D] } });
  /** @type {(() => void) | undefined} */
  let release;
  const held = new Promise((resolve) => (release = () => resolve(undefined)));
  const fetch = async (/** @type {any} */ url, /** @type {any} */ init) => {
    const range = /bytes=(\d+)-(\d+)/.exec(new Headers(init.headers).get("range") ?? "");
    if (new URL(url).pathname.startsWith("/api")) {
      const siblings = ["model.safetensors", "config.json"].map((rfilename) => ({ rfilename }));
      return Response.json({ id: "o/t", sha: "0a".repeat(20), siblings });
    }
    const isTable = new URL(url).pathname.endsWith("model.safetensors");
    const body = isTable ? bytes : new TextEncoder().encode('{"normalize": false}');
    if (!range) return new Response(body);
    const [begin, last] = range.slice(1).map(Number);
    if (isTable && begin > 18 * D && begin < 19 * D) await held; // the row that waits
    const end = Math.min(last + 1, body.length);
    const headers = { "Content-Range": `bytes ${begin}-${end - 1}/${body.length}`, ETag: '"x"' };
    return new Response(body.slice(begin, end), { status: 206, headers });
  };
  const options = /** @type {any} */ ({ fetch, base: "https://huggingface.co", cache: false });
  const model = await open("o/t", options);
  await model.encode([Array.from({ length: 16 }, (_, i) => i)]);
  const slow = model.encode([[0, 18]]); // has row 0, waits for row 18
  await model.encode([[16, 17]]);
  await model.encode([[1]]); // clears the rows that are kept
  release?.();
  assert.equal((await slow).data[0], (1 + 19) / 2);
});

test("an array of NumPy has one name, and options that are read", async () => {
  const model = await open({ "a.npy": npy.write([[1, 2], [3, 4]]) }); // prettier-ignore
  assert.deepEqual([...(await model.tensor("a")).data], [1, 2, 3, 4]);
  const { tensor } = { tensor: (/** @type {any[]} */ ...args) => /** @type {any} */ (model).tensor(...args) }; // prettier-ignore
  await assert.rejects(() => model.info("zzz"), RangeError);
  for (const [args, error] of /** @type {[any[], RegExp][]} */ ([
    [["zzz"], /^RangeError: .*name must be/],
    [["a", { foo: 1 }], /^TypeError: .*options must have only .*foo/],
    [["a", { signal: 1 }], /^TypeError: .*signal must be an AbortSignal; got 1/],
    [["a", { progress: 1 }], /^TypeError: .*progress must be a function; got 1/],
    [["a", null], /^TypeError: .*options must be/],
  ])) {
    await assert.rejects(() => tensor(...args), error);
  }
});
