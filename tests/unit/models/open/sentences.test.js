import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { Tokenizer } from "@huggingface/tokenizers";
import { remote, safetensors } from "phasor/files";
import { serveHub } from "../../files/hub.js";
import { cases } from "../../../truth/golden.js";
import { ggufOf } from "./gguf.js";
import { fileError, openModel as open, phasor } from "./entry.js";
import { assertNear } from "../../tensors.js";

const st = "sentence_transformers.models.";
const words = safetensors.write({ "embeddings.word_embeddings.weight": [[1, 2]] });

/** Files by name: texts, objects as JSON, and bytes. @param {Record<string, any>} contents */
const files = (contents) =>
  Object.fromEntries(
    Object.entries(contents).map(([name, content]) => {
      const isBytes = content instanceof Uint8Array;
      const text = typeof content === "string" ? content : JSON.stringify(content);
      return [name, isBytes ? content : new Blob([text])];
    }),
  );

/** A modules.json. @param {...[path: string, type: string]} modules */
const listed = (...modules) =>
  modules.map(([path, type], idx) => ({ idx, name: String(idx), path, type: `${st}${type}` }));

test("sentences: phasor/open loads the code for them on first use", async () => {
  const [opens, makes] = await Promise.all(
    ["phasor/open", "../../../../dist/open-sentences.js"].map((name) =>
      readFile(new URL(import.meta.resolve(name)), "utf8"),
    ),
  );
  assert.match(opens, /import\("\.\/open-sentences\.js"\)/);
  assert.doesNotMatch(opens, /pooling_mode_mean_tokens/);
  assert.match(makes, /pooling_mode_mean_tokens/);
  assert.doesNotMatch(makes, /SAFETENSORS_/, "the reader is that of phasor/open");
});

const bert = listed(["", "Transformer"], ["1_Pooling", "Pooling"], ["2_Normalize", "Normalize"]);
const mean = { word_embedding_dimension: 2, pooling_mode_mean_tokens: true };

/** A folder of a transformer. @param {Record<string, any>} [others] */
const folder = (others) =>
  files({
    "model.safetensors": words,
    "modules.json": bert,
    "1_Pooling/config.json": mean,
    ...others,
  });

describe("a static model against Model2Vec and Sentence Transformers", () => {
  for (const { id, params, inputs, outputs } of cases("sentence_static", 3)) {
    const { texts, dim, prompt } = params;
    const own = { tokenizer: Tokenizer };
    const tokenizer = new Blob([params.tokenizer]);
    const table = safetensors.write(/** @type {any} */ (inputs));
    const model2vec = (/** @type {object} */ config) =>
      open({
        "model.safetensors": table,
        "config.json": new Blob([JSON.stringify(config)]),
        "tokenizer.json": tokenizer,
      });
    /** @param {{data: any, shape: readonly number[]}} got @param {string} name */
    const assertGives = (got, name) => {
      assert.deepEqual(got.shape, outputs[name].shape);
      // float32 sums of at most 40 rows of numbers below 4, divided by their number
      assertNear(got.data, outputs[name].data, 1e-6);
    };

    test(`encode equals Model2Vec's vectors of ${id}`, async () => {
      const plain = await model2vec({});
      assertGives(await plain.encode(texts, own), "model2vec");
      assertGives(await plain.encode(texts, { ...own, batch: 3 }), "model2vec");
      const unit = await model2vec({ normalize: true });
      assertGives(await unit.encode(texts, own), "model2vec_unit");
      assertGives(await unit.encode(texts, { ...own, normalize: false }), "model2vec");
      const short = await model2vec({ max_length: params.max_length });
      assertGives(await short.encode(texts, own), "model2vec_short");
    });

    test(`encode equals Sentence Transformers' vectors of ${id}`, async () => {
      const both = await model2vec({});
      const library = "sentence-transformers";
      const got = await both.encode(texts, { ...own, library });
      assertGives(got, "sentence_transformers");
      assertGives(
        await both.encode(texts, { ...own, library, prompt }),
        "sentence_transformers_prompt",
      );
      const options = { ...own, library, dim, normalize: true };
      assertGives(
        await both.encode(texts, /** @type {any} */ (options)),
        "sentence_transformers_unit",
      );
    });
  }
});

/** A StaticEmbedding in a separate folder. */
const tokenizerJson = {
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: "Whitespace" },
  post_processor: null,
  decoder: null,
  model: { type: "WordLevel", vocab: { the: 0, cat: 1, sat: 2 }, unk_token: "the" },
};
const table = safetensors.write({ "embedding.weight": [[3, 0, 1], [0, 4, 1], [8, 6, 5]] }); // prettier-ignore
const staticFiles = files({
  "0_StaticEmbedding/model.safetensors": table,
  "0_StaticEmbedding/tokenizer.json": tokenizerJson,
  "modules.json": listed(["0_StaticEmbedding", "StaticEmbedding"], ["1_Normalize", "Normalize"]),
  "config_sentence_transformers.json": {
    prompts: { query: "cat ", __proto__: null },
    similarity_fn_name: "dot",
    truncate_dim: 2,
  },
});

describe("a StaticEmbedding", () => {
  test("is in a separate folder, whose modules, prompts and truncation are read", async () => {
    const model = await open(staticFiles);
    const layers = await model.sentences();
    assert.deepEqual(layers?.modules, ["StaticEmbedding", "Normalize"]);
    assert.deepEqual({ ...layers?.prompts }, { query: "cat " });
    assert.deepEqual(
      [layers?.static, layers?.normalize, layers?.similarity, layers?.truncateDim],
      ["sentence-transformers", true, "dot", 2],
    );
    assert.ok(Object.isFrozen(layers));
    const own = { tokenizer: Tokenizer };
    const rounded = (/** @type {any} */ tensor) => tensor.toArray();
    // Cut after the norm, as Sentence Transformers does: of the mean [1.5, 2, 1].
    const unit = [1.5, 2].map((x) => Math.fround(x / Math.hypot(1.5, 2, 1)));
    assert.deepEqual(rounded(await model.encode(["the cat"], own)), [unit]);
    assert.deepEqual(rounded(await model.encode("the cat", own)), unit);
    assert.deepEqual(rounded(await model.encode(["the"], { ...own, promptName: "query" })), [unit]);
    assert.deepEqual(rounded(await model.encode(["the"], { ...own, promptName: "document" })), [
      [Math.fround(3 / Math.hypot(3, 1)), 0],
    ]);
    const early = [3 / 5, 4 / 5].map(Math.fround);
    assert.deepEqual(rounded(await model.encode(["the cat"], { ...own, dim: 2 })), [early]);
    assert.deepEqual(rounded(await model.encode([[2]], { dim: 3, normalize: false })), [[8, 6, 5]]);
    assert.deepEqual((await model.encode([], own)).shape, [0, 2]);
  });

  test("accepts a tokenizer, ids, or both", async () => {
    const model = await open(staticFiles);
    const tokenizer = { encode: (/** @type {string} */ text) => [text.length] };
    const got = await model.encode(["a", [0, 1], Int32Array.of(2)], {
      tokenizer,
      normalize: false,
    });
    assert.deepEqual(got.toArray(), [[0, 4], [1.5, 2], [8, 6]]); // prettier-ignore
    const typed = { encode: () => Int32Array.of(2) };
    const options = { tokenizer: /** @type {any} */ (typed), normalize: false };
    assert.deepEqual((await model.encode("a", options)).toArray(), [8, 6]);
    for (const [wrong, shown] of /** @type {[any, string][]} */ ([
      [Float32Array.of(2), "Float32Array of 1"],
      ["2", '"2"'],
      [undefined, "undefined"],
      [{ ids: [2] }, "an object"],
    ])) {
      const tokenizer = { encode: () => wrong };
      const message = `OpenModel.encode: tokenizer.encode must return a list of ids; got ${shown}`;
      await assert.rejects(model.encode("a", { tokenizer }), { name: "TypeError", message });
    }
  });

  test("makes a tokenizer once for each class", async () => {
    let made = 0;
    class Counting extends Tokenizer {
      /** @param {ConstructorParameters<typeof Tokenizer>} args */
      constructor(...args) {
        super(...args);
        ++made;
      }
    }
    const model = await open(staticFiles);
    for (const text of ["the", "cat", "sat"])
      await model.encode(text, { tokenizer: /** @type {any} */ (Counting) });
    assert.equal(made, 1);
  });

  test("may have a leading axis of one", async () => {
    const rows = { data: Float32Array.of(3, 0, 1, 0, 4, 1, 8, 6, 5), shape: [1, 3, 3] };
    const model = await open({
      ...staticFiles,
      "0_StaticEmbedding/model.safetensors": safetensors.write({ "embedding.weight": rows }),
    });
    assert.deepEqual((await model.encode([[2]], { dim: 3, normalize: false })).toArray(), [[8, 6, 5]]); // prettier-ignore
  });

  test("truncates tokens as tokenizer.json says, on either side", async () => {
    for (const [direction, want] of [
      ["Right", [3, 0]],
      ["Left", [8, 6]],
      ["None", [0, 0]],
      ["Below", [11 / 3, 10 / 3].map(Math.fround)],
    ]) {
      const most = direction === "None" ? 0 : direction === "Below" ? -1 : 1;
      const truncation = { max_length: most, direction };
      const json = { ...tokenizerJson, truncation };
      const model = await open({
        ...staticFiles,
        ...files({ "0_StaticEmbedding/tokenizer.json": json }),
      });
      const options = { tokenizer: Tokenizer, normalize: false };
      assert.deepEqual((await model.encode(["the cat sat"], options)).toArray(), [want]);
    }
  });

  test("names an invalid argument", async () => {
    const model = await open(staticFiles);
    const refused = (
      /** @type {any} */ texts,
      /** @type {any} */ options,
      /** @type {RegExp} */ message,
    ) => assert.rejects(model.encode(texts, options), (error) => message.test(String(error)));
    await refused(4, {}, /^TypeError: \S+: texts must be a string or a list; got 4$/);
    await refused(["a", 4], {}, /^TypeError: \S+: texts must be strings, or lists .*; got 4 at 1$/);
    await refused(
      [[0], [3]],
      {},
      /^RangeError: \S+: the ids of texts\[1\] must be .* from 0 to 2; got 3$/,
    );
    await refused([["0"]], {}, /^TypeError: \S+: the ids of texts\[0\] must be .*; got "0"$/);
    await refused(["a"], {}, /^TypeError: \S+: Tokenizer must be a class .*; got undefined$/);
    await refused(
      ["a"],
      { tokenizer: Tokenizer, dim: 4 },
      /^RangeError: \S+: dim must be .* from 1 to 3; got 4$/,
    );
    await refused(
      [[0]],
      { promptName: "passage" },
      /^RangeError: \S+: promptName must be one of "query", "document"; got/,
    );
    await refused(
      [[0]],
      { prompt: "a", promptName: "b" },
      /^TypeError: OpenModel.encode: prompt must not be given with promptName; got both$/,
    );
    await refused([[0]], { prompt: 4 }, /^TypeError: \S+: prompt must be a string; got 4$/);
    await refused([[0]], { library: "gensim" }, /^RangeError: \S+: library must be one of/);
    await refused([[0]], { batch: 0 }, /^RangeError: \S+: batch must be a whole number/);
    await refused(
      [[0]],
      { normalise: true },
      /^TypeError: OpenModel.encode: options must have only .*; got "normalise"; did you mean "normalize"/,
    );
    await assert.rejects(
      model.pool([[1, 2, 3]]),
      /^RangeError: cannot pool .*: it is a static model; use encode$/,
    );
  });

  test("of a hub reads only the rows of the texts, each once", async () => {
    const V = 5000;
    const rows = { data: Float32Array.from({ length: V * 64 }, (_, k) => k % 97), shape: [V, 64] };
    const big = safetensors.write({ "embedding.weight": rows });
    const hub = await serveHub({
      "o/static": {
        files: {
          "0_StaticEmbedding/model.safetensors": big,
          "modules.json": JSON.stringify(listed(["0_StaticEmbedding", "StaticEmbedding"])),
        },
      },
    });
    try {
      const network = { base: hub.url, origins: [hub.store], cache: /** @type {false} */ (false) };
      const model = await open("o/static", network);
      const before = model.bytesRead;
      const got = await model.encode([[7, 4000], [7]]);
      assert.ok(model.bytesRead - before < big.length / 20, `${model.bytesRead - before} bytes`);
      const local = await open({ ...staticFiles, "0_StaticEmbedding/model.safetensors": big });
      const all = await local.encode([[7, 4000], [7]], { normalize: false, dim: 64 });
      assert.deepEqual(got.data, all.data);
      const read = model.requests;
      assert.deepEqual((await model.encode([[4000, 7], [7]])).data, got.data);
      assert.equal(model.requests, read);
      const file = "0_StaticEmbedding/model.safetensors";
      const { base, ...reading } = network;
      const source = await remote(`${base}/o/static/resolve/main/${file}`, reading);
      const passed = await open({ ...staticFiles, [file]: source });
      assert.equal((await passed.encode([[7, 4000], [7]], { dim: 64 })).shape[1], 64);
      assert.ok(passed.bytesRead < big.length / 10, `${passed.bytesRead} bytes`);
      assert.deepEqual([passed.requests, passed.bytesRead], [source.requests, source.bytesRead]);
    } finally {
      await hub.close();
    }
  });
});

describe("a Model2Vec model", () => {
  const embeddings = { data: Int8Array.of(1, 2, 3, 4, -5, 6), shape: [3, 2] };
  const mapping = BigInt64Array.of(2n, 0n, 2n, 1n);
  const weights = Float32Array.of(1, 0.5, 3, 2);

  test("has rows that tokens share, each times its factor", async () => {
    const model = await open(safetensors.write({ embeddings, mapping, weights }));
    assert.equal((await model.sentences())?.static, "model2vec");
    assert.deepEqual((await model.encode([[0, 2], [1], [], [3]])).toArray(), [
      [-10, 12],
      [0.5, 1],
      [0, 0],
      [6, 8],
    ]);
    await assert.rejects(
      model.encode([[4]]),
      /^RangeError: \S+: the ids of texts\[0\] must be .* to 3; got 4$/,
    );
  });

  test("has three tensors at most", async () => {
    const model = await open(safetensors.write({ embeddings, mapping, weights, other: [1] }));
    assert.equal(await model.sentences(), undefined);
  });

  test("is rejected if a token refers to a row that does not exist", async () => {
    const model = await open(safetensors.write({ embeddings, mapping: BigInt64Array.of(0n, 3n) }));
    const message = /^mapping must hold rows from 0 to 2; got 3$/;
    await assert.rejects(model.encode([[0]]), fileError("OPEN_MAPPING", message));
  });

  test("cuts texts at the tokens' median length times the most tokens, in code points", async () => {
    const first = "\u{10000}"; // of those that are two code units
    for (const [vocab, points] of /** @type {[Record<string, number>, number][]} */ ([
      [{ a: 0, bb: 1, ccccc: 2 }, 2], // the median of three lengths
      [{ a: 0, bbbb: 1, ccccc: 2, dddddd: 3 }, 4], // of four, 4.5, rounded down
      [{ [first]: 0, [first.repeat(2)]: 1, [first.repeat(3)]: 2 }, 2],
    ])) {
      const model = await open({
        "model.safetensors": safetensors.write({ embeddings }),
        ...files({ "tokenizer.json": { model: { vocab } }, "config.json": { max_length: 2 } }),
      });
      /** @type {string[]} */
      const texts = [];
      const tokenizer = { encode: (/** @type {string} */ text) => (texts.push(text), [0, 1, 2]) };
      const letters = Array.from({ length: 2 * points + 1 }, (_, i) => (i % 2 ? "x" : first));
      const whole = letters.slice(0, -1).join("");
      for (const text of ["", "x", whole, letters.join("")]) {
        const got = await model.encode(text, { tokenizer });
        assert.deepEqual(got.toArray(), [2, 3], "of two tokens");
      }
      assert.deepEqual(texts, ["", "x", whole, whole]);
    }
  });

  test("reads at most 2^31 - 1 tokens", async () => {
    const model = (/** @type {number} */ max_length) => {
      const config = files({ "config.json": { max_length } });
      return open({ "model.safetensors": safetensors.write({ embeddings }), ...config });
    };
    assert.equal((await (await model(2 ** 31 - 1)).sentences())?.static, "model2vec");
    const message = /^config\.json: max_length must be .* to 2147483647; got 2147483648$/;
    const refused = (await model(2 ** 31)).sentences();
    await assert.rejects(refused, fileError("OPEN_MODULES", message));
  });

  test("needs tokenizer.json for texts", async () => {
    const model = await open(safetensors.write({ embeddings }));
    const message = /^the model must have tokenizer\.json to encode texts; got none/;
    const encode = () => [0];
    for (const tokenizer of [Tokenizer, { encode }]) {
      await assert.rejects(model.encode("a", { tokenizer }), fileError("OPEN_TOKENIZER", message));
    }
  });

  test("rejects a tokenizer.json without tokens", async () => {
    for (const json of [
      {},
      { model: { vocab: {} } },
      { model: { vocab: [[4]] } },
      { model: { vocab: {} }, added_tokens: 4 },
      [],
    ]) {
      // prettier-ignore
      const model = await open({
        "model.safetensors": safetensors.write({ embeddings }),
        ...files({ "tokenizer.json": json }),
      });
      const tokenizer = { encode: () => [0] };
      await assert.rejects(
        model.encode("a", { tokenizer }),
        fileError("OPEN_TOKENIZER", /^tokenizer\.json must have/),
      );
    }
  });
});

describe("the layers after a transformer", () => {
  const hidden = [[[3, 4], [9, 12]]]; // prettier-ignore
  const unit = [[3 / 5, 4 / 5].map(Math.fround)];

  test("are read, and pool applies them", async () => {
    const model = await open(folder({ "sentence_bert_config.json": { max_seq_length: 256 } }));
    const layers = await model.sentences();
    assert.deepEqual(layers?.pooling, { mode: ["mean"], dim: 2, includePrompt: true });
    assert.deepEqual(
      [layers?.maxLength, layers?.dim, layers?.normalize, layers?.static],
      [256, 2, true, undefined],
    );
    assert.deepEqual((await model.pool(hidden)).toArray(), unit);
    assert.deepEqual((await model.pool(hidden, { mask: [[1, 0]] })).toArray(), unit);
    assert.deepEqual((await model.pool(hidden, { normalize: false })).toArray(), [[6, 8]]);
    assert.deepEqual((await model.pool(hidden, { dim: 1 })).toArray(), [[1]]);
    assert.deepEqual((await model.pool(hidden[0])).toArray(), unit[0]);
    const message =
      /^RangeError: cannot encode .*: its vectors need a transformer; .* model\.pool$/;
    await assert.rejects(model.encode(["a"], { tokenizer: Tokenizer }), message);
  });

  test("have new names in newer files, several modes, and a prompt that is excluded", async () => {
    const modules = [
      { path: ".", type: "sentence_transformers.base.modules.transformer.Transformer" },
      {
        path: "1_Pooling",
        type: "sentence_transformers.sentence_transformer.modules.pooling.Pooling",
      },
    ];
    const pooling = {
      embedding_dimension: 2,
      pooling_mode: ["lasttoken", "cls"],
      include_prompt: false,
    };
    const model = await open(folder({ "modules.json": modules, "1_Pooling/config.json": pooling }));
    const layers = await model.sentences();
    assert.deepEqual(layers?.pooling, { mode: ["last", "cls"], dim: 2, includePrompt: false });
    assert.equal(layers?.normalize, false);
    assert.deepEqual((await model.pool(hidden)).toArray(), [[9, 12, 3, 4]]);
    assert.deepEqual((await model.pool(hidden, { promptLength: 1 })).toArray(), [[9, 12, 9, 12]]);
    assert.deepEqual((await model.pool(hidden, { dim: 3 })).toArray(), [[9, 12, 3]]);
  });

  test("have flags in older files, in the order of Sentence Transformers", async () => {
    const names = ["cls_token", "max_tokens", "mean_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken"]; // prettier-ignore
    const flags = Object.fromEntries(names.reverse().map((name) => [`pooling_mode_${name}`, true]));
    const pooling = { word_embedding_dimension: 2, ...flags };
    const model = await open(folder({ "1_Pooling/config.json": pooling }));
    const modes = ["cls", "max", "mean", "mean-sqrt-len", "weighted", "last"];
    assert.deepEqual((await model.sentences())?.pooling?.mode, modes);
  });

  test("may be linear layers with their activation, LayerNorm, and a sum with their input", async () => {
    const weights = (/** @type {any} */ tensors) => safetensors.write(tensors);
    const model = await open(
      folder({
        "modules.json": listed(
          ["", "Transformer"],
          ["1_Pooling", "Pooling"],
          ["2_Dense", "Dense"],
          ["3_Dense", "Dense"],
          ["4_LayerNorm", "LayerNorm"],
          ["5_Dropout", "Dropout"],
        ),
        "2_Dense/config.json": {
          in_features: 2,
          out_features: 3,
          activation_function: "torch.nn.modules.activation.ReLU",
        },
        "2_Dense/model.safetensors": weights({
          "linear.weight": [[1, 0], [0, -1], [1, 1]], // prettier-ignore
          "linear.bias": [0.5, 0, 0],
        }),
        "3_Dense/config.json": {
          ...{ in_features: 3, out_features: 3, bias: false, use_residual: true },
          activation_function: "torch.nn.modules.linear.Identity",
        },
        "3_Dense/model.safetensors": weights({ "linear.weight": [[1, 0, 0], [0, 0, 0], [0, 0, 2]] }), // prettier-ignore
        "4_LayerNorm/config.json": { dimension: 3 },
        "4_LayerNorm/model.safetensors": weights({
          "norm.weight": [1, 2, 1],
          "norm.bias": [0, 0, 1],
        }),
      }),
    );
    const layers = await model.sentences();
    assert.deepEqual(
      layers?.dense.map(({ activation, residual }) => [activation, residual]),
      [["relu", false], ["identity", true]], // prettier-ignore
    );
    assert.equal(layers?.dim, 3);
    const summed = [[13, 0, 42]]; // of [6, 8]: relu gives 6.5, 0, 14; then x + its layer
    const options = { weight: [1, 2, 1], bias: [0, 0, 1], eps: 1e-5 };
    const want = phasor.normalize.layerNorm(summed, options);
    assert.deepEqual((await model.pool(hidden)).toArray(), want.toArray());
    const cut = await model.pool(hidden, { dim: 2, normalize: true });
    const first = { data: want.data.slice(0, 2), shape: [1, 2] };
    assert.deepEqual(cut.data, phasor.normalize.l2(/** @type {any} */ (first)).data);
  });

  test("are found in a folder on disk, and among Files of a chosen folder", async () => {
    const root = await mkdtemp(join(tmpdir(), "phasor-sentences-"));
    after(() => rm(root, { recursive: true }));
    const all = folder();
    const chosen = [];
    for (const [name, content] of Object.entries(all)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      const bytes = new Uint8Array(await new Blob([/** @type {Blob} */ (content)]).arrayBuffer());
      await writeFile(join(root, name), bytes);
      const file = new File([bytes], name.replace(/.*\//, ""));
      chosen.push(Object.defineProperty(file, "webkitRelativePath", { value: `mine/${name}` }));
    }
    for (const source of [root, join(root, "model.safetensors"), chosen]) {
      const model = await open(source);
      assert.deepEqual((await model.pool(hidden)).toArray(), unit);
    }
  });

  test("of a GGUF file are its pooling_type and linear layers", async () => {
    const facts = { "general.architecture": "bert", "bert.embedding_length": 2 };
    const tensor = (/** @type {number[]} */ numbers, /** @type {number[]} */ shape) => ({
      data: Float32Array.from(numbers),
      shape,
    });
    const table = { "token_embd.weight": tensor([1, 2], [1, 2]) };
    const layers = {
      "dense_2.weight": tensor([1, 0, 0, 1, 1, 1], [3, 2]),
      "dense_2.bias": tensor([0, 0, 1], [3]),
      "dense_3.weight": tensor([1, 10, 100], [1, 3]),
    };
    const opened = async (
      /** @type {number} */ type,
      /** @type {Parameters<typeof ggufOf>[1]} */ tensors,
    ) => open({ "m.gguf": await ggufOf({ ...facts, "bert.pooling_type": type }, tensors) });
    const x = [[[1, 3], [2, 5], [6, 1]]]; // prettier-ignore
    const pooled = [[[3, 3]], [[1, 3]], [[6, 1]]];
    for (const [i, mode] of /** @type {const} */ (["mean", "cls", "last"]).entries()) {
      const model = await opened(i + 1, table);
      const found = await model.sentences();
      assert.deepEqual(
        [found?.pooling?.mode, found?.normalize, found?.dim],
        [[mode], undefined, 2],
      );
      assert.deepEqual((await model.pool(x)).toArray(), pooled[i]);
    }
    const dense = await opened(1, { ...table, ...layers });
    assert.deepEqual((await dense.pool(x)).toArray(), [[3 + 30 + 700]]);
    assert.equal((await dense.sentences())?.dim, 1);
    const other = await opened(1, { ...table, "dense_2.weight": tensor([1, 2, 3], [1, 3]) });
    await assert.rejects(
      other.sentences(),
      fileError("OPEN_MODULES", /^dense_2\.weight must have/),
    );
    const unsaid = await open({ "m.gguf": await ggufOf(facts, table) });
    for (const none of [
      unsaid,
      ...(await Promise.all([0, -1, 2 ** 32 - 1].map((type) => opened(type, table)))),
    ]) {
      assert.equal(await none.sentences(), undefined);
      await assert.rejects(none.pool(x), /it has no pooling_type$/);
    }
    const rank = await opened(4, table);
    const rule =
      /^bert\.pooling_type must be 0 \(none\), .*; got "4 \(rank: a score, no vector\)"$/;
    await assert.rejects(rank.sentences(), fileError("OPEN_MODULES", rule));
  });

  test("are read from files of at most 2^20 bytes, with lengths below 2^31", async () => {
    const most = { max_seq_length: 2 ** 31 - 1 };
    const modules = (/** @type {number} */ bytes) => JSON.stringify(bert).padEnd(bytes);
    const model = await open(folder({ "modules.json": modules(2 ** 20), "sentence_bert_config.json": most })); // prettier-ignore
    assert.equal((await model.sentences())?.maxLength, 2 ** 31 - 1);
    const larger = await open(folder({ "modules.json": modules(2 ** 20 + 1) }));
    await assert.rejects(larger.sentences(), /modules\.json must have at most 1048576 bytes/);
  });

  test("are missing in a model without modules.json", async () => {
    const model = await open(words);
    assert.equal(await model.sentences(), undefined);
    await assert.rejects(
      model.pool(hidden),
      /^RangeError: cannot pool .*: it has no modules\.json$/,
    );
    await assert.rejects(
      model.encode("a"),
      /^RangeError: cannot encode .*: it has no modules\.json/,
    );
  });

  test("reject hidden states of another width, and unknown options", async () => {
    const model = await open(folder());
    await assert.rejects(
      model.pool([[[1, 2, 3]]]),
      /^RangeError: \S+: hidden must have shape \[B, T, 2\] or \[T, 2\]; got \[1, 1, 3\]$/,
    );
    await assert.rejects(
      model.pool(hidden, /** @type {any} */ ({ masks: [] })),
      /^TypeError: OpenModel.pool: options must have only .*; got "masks"/,
    );
    await assert.rejects(
      model.sentences(/** @type {any} */ ({ signal: 4 })),
      /^TypeError: \S+: signal must be/,
    );
  });
});

describe("hostile files", () => {
  /** @param {Record<string, any>} others @param {RegExp} message */
  const refused = async (others, message) => {
    const model = await open(folder(others));
    await assert.rejects(model.sentences(), fileError("OPEN_MODULES", message));
    await assert.rejects(model.pool([[[1, 2]]]), fileError("OPEN_MODULES", message));
  };
  const withModule = (/** @type {string} */ type, path = "3") => [...bert, { path, type }];

  test("are read from files of Python's json with NaN, which is refused by an error where it decides", async () => {
    const layers = { ...mean, word_embedding_dimension: 2 };
    const pooling = JSON.stringify(layers).replace("{", '{"loss": NaN, "most": -Infinity,');
    const model = await open(folder({ "1_Pooling/config.json": pooling }));
    assert.equal((await model.sentences())?.pooling?.dim, 2);
    await refused(
      { "1_Pooling/config.json": pooling.replace(":2", ":NaN") },
      /^1_Pooling\/config\.json: word_embedding_dimension must be a whole number .*; got NaN$/,
    );
  });

  test("are rejected if modules.json is not a list of known modules", async () => {
    await refused({ "modules.json": "{" }, /^modules\.json must be JSON; got /);
    for (const list of [{}, [], 4, null, "a", Array(65).fill(bert[0])]) {
      await refused(
        { "modules.json": JSON.stringify(list) },
        /^modules\.json must be a list of 1 to 64 modules/,
      );
    }
    await refused({ "modules.json": [4] }, /^modules\.json must be an object; got 4$/);
    for (const type of [
      "custom_st.Transformer",
      `${st}CNN`,
      `${st}tokenizer.WordTokenizer`,
      "os.system",
      "__proto__",
    ]) {
      // prettier-ignore
      const message = `must have modules of Sentence Transformers that are known; got "${type}"`;
      await refused({ "modules.json": withModule(type) }, RegExp(message));
    }
    await refused(
      { "modules.json": [{ path: "", type: 4 }] },
      /^modules\.json: type must be a string; got 4$/,
    );
    await refused({ "modules.json": bert.slice(1) }, /^modules\.json must begin with the module/);
    await refused(
      { "modules.json": bert.slice(0, 1) },
      /^modules\.json must have the module "Pooling"/,
    );
    const twice = [...bert, bert[1]];
    await refused(
      { "modules.json": twice },
      /"Pooling" right after "Transformer", and nowhere else/,
    );
    await refused(
      { "modules.json": [...bert, bert[0]] },
      /must name folders with a config\.json|only once/,
    );
  });

  test("are rejected if a path leaves the folder", async () => {
    for (const path of [
      "..",
      "../1_Pooling",
      "a/../../b",
      "/etc",
      "C:\\models",
      "a\\b",
      "https://a/b",
    ]) {
      const modules = withModule(`${st}Normalize`, path);
      await refused(
        { "modules.json": modules },
        /^modules\.json must have paths inside the model's folder/,
      );
    }
    await refused(
      { "modules.json": withModule(`${st}Dense`, "not-there") },
      /must name folders with a config\.json/,
    );
  });

  test("are rejected if a number, a flag or a name is of another kind", async () => {
    const pooling = (/** @type {object} */ config) => ({
      "1_Pooling/config.json": { ...mean, ...config },
    });
    for (const width of [0, -1, 1.5, 1e300, "2", null, [2], {}, true]) {
      await refused(
        pooling({ word_embedding_dimension: width }),
        /word_embedding_dimension must be a whole number from 1/,
      );
    }
    await refused(
      { "1_Pooling/config.json": '{"word_embedding_dimension": 1e999}' },
      /got Infinity$/,
    );
    await refused(
      { "1_Pooling/config.json": '{"__proto__": {"word_embedding_dimension": 2}}' },
      /got undefined$/,
    );
    await refused(
      { "1_Pooling/config.json": "[]" },
      /^1_Pooling\/config\.json must be an object; got an array of 0$/,
    );
    await refused(
      pooling({ pooling_mode_cls_token: "false" }),
      /pooling_mode_cls_token must be true or false/,
    );
    await refused(
      pooling({ pooling_mode: "attention" }),
      /pooling_mode must be one of "cls", .*; got "attention"$/,
    );
    await refused(pooling({ pooling_mode: [] }), /pooling_mode must be a mode or a list of modes/);
    await refused(pooling({ include_prompt: 1 }), /include_prompt must be true or false; got 1$/);
    await refused(
      { "config_sentence_transformers.json": { prompts: { query: 4 } } },
      /prompts: query must be a string/,
    );
    await refused(
      { "config_sentence_transformers.json": { prompts: [] } },
      /prompts must be an object/,
    );
    await refused(
      { "config_sentence_transformers.json": { default_prompt_name: "passage" } },
      /default_prompt_name must be one of prompts; got "passage"$/,
    );
    await refused(
      { "config_sentence_transformers.json": { truncate_dim: -1 } },
      /truncate_dim must be/,
    );
    await refused(
      { "sentence_bert_config.json": { max_seq_length: "512" } },
      /max_seq_length must be/,
    );
    await refused(
      { "sentence_bert_config.json": { max_seq_length: 2 ** 31 } },
      /max_seq_length must be .* to 2147483647; got 2147483648$/,
    );
    await refused(
      { "2_Normalize/config.json": { module_input_name: "token_embeddings" } },
      /module_input_name must be "sentence_embedding"/,
    );
  });

  test("are rejected if a layer contradicts its configuration", async () => {
    const layer = (/** @type {object} */ config, /** @type {any} */ tensors) => ({
      "modules.json": withModule(`${st}Dense`, "3_Dense"),
      "3_Dense/config.json": { in_features: 2, out_features: 3, ...config },
      ...(tensors && { "3_Dense/model.safetensors": safetensors.write(tensors) }),
    });
    await refused(layer({ in_features: 5 }, undefined), /in_features must be 2; got 5$/);
    await refused(
      layer({ activation_function: "os.system" }, undefined),
      /activation_function must be one of Identity, Tanh/,
    );
    await refused(
      layer({ activation_function: "torch.nn.modules.activation.GELU" }, undefined),
      /activation_function must be one of/,
    );
    const read = async (/** @type {any} */ others, /** @type {RegExp} */ message) => {
      const model = await open(folder(others));
      await assert.rejects(model.pool([[[1, 2]]]), fileError("OPEN_MODULES", message));
    };
    await read(layer({}, undefined), /^the model must have 3_Dense\/model\.safetensors/);
    await read(
      layer({}, { "linear.weight": [[1, 2]] }),
      /linear\.weight of shape \[3, 2\]; got \[1, 2\]$/,
    );
    await read(layer({}, { "linear.weight": [[1, 2], [1, 2], [1, 2]] }), /linear\.bias of shape \[3\]; got none$/); // prettier-ignore
  });

  test("are rejected if the table is not that of the module", async () => {
    const modules = listed(["", "StaticEmbedding"], ["1_Dense", "Dense"]);
    const dense = { in_features: 4, out_features: 4 };
    const model = await open(
      files({ "model.safetensors": words, "modules.json": modules, "1_Dense/config.json": dense }),
    );
    await assert.rejects(
      model.encode([[0]]),
      fileError("OPEN_MODULES", /^model\.safetensors must have embedding\.weight/),
    );
    const other = await open(
      files({ "model.safetensors": table, "modules.json": modules, "1_Dense/config.json": dense }),
    );
    await assert.rejects(
      other.encode([[0]]),
      fileError("OPEN_MODULES", /vectors of 3 numbers; got 4$/),
    );
    const elsewhere = await open(
      files({ "model.safetensors": table, "modules.json": listed(["0", "StaticEmbedding"]) }),
    );
    await assert.rejects(
      elsewhere.encode([[0]]),
      fileError("OPEN_MODULES", /got the file "model\.safetensors"$/),
    );
  });
});
