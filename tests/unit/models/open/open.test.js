import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Tensor } from "phasor";
import { npy, npz, safetensors } from "phasor/files";
import { serveHub } from "../../files/hub.js";
import { planted } from "../../files/planted.js";
import { caseOf } from "../../../truth/golden.js";
import { fileError, openModel as open, phasor, RemoteError } from "./entry.js";
import { ggufOf } from "./gguf.js";

const gpt2 = planted(); // 50,257 x 768 and 1,024 x 768: 147 MiB, none of it on a disk
const llama = { model_type: "llama", hidden_size: 4, num_attention_heads: 2, num_hidden_layers: 1 };
const words = [
  [1, 2, 3, 4],
  [5, 6, 7, 8],
  [9, 10, 11, 12],
];
const weights = safetensors.write({ "model.embed_tokens.weight": words });

/** A model in two files. */
const sharded = {
  "model.safetensors.index.json": JSON.stringify({
    metadata: { total_size: 96 },
    weight_map: {
      "model.embed_tokens.weight": "model-00001-of-00002.safetensors",
      "lm_head.weight": "model-00002-of-00002.safetensors",
      "model.norm.weight": "model-00003-of-00003.safetensors",
    },
  }),
  "model-00001-of-00002.safetensors": weights,
  "model-00002-of-00002.safetensors": safetensors.write({ "lm_head.weight": words }),
  "model-00003-of-00003.safetensors": new Uint8Array([1, 2, 3]),
};

const hub = await serveHub({
  "openai-community/gpt2": {
    files: {
      "model.safetensors": gpt2,
      "pytorch_model.bin": "a pickle",
      "config.json": JSON.stringify(gpt2.config),
      "tokenizer.json": JSON.stringify({
        model: { type: "BPE", vocab: { the: 0, Ġcat: 1, Ġsat: 2 }, merges: [] },
        decoder: { type: "ByteLevel" },
      }),
    },
    was: "gpt2",
  },
  "o/sharded": { files: { ...sharded, "config.json": JSON.stringify(llama) }, was: "old/sharded" },
  "o/pickled": { files: { "pytorch_model.bin": "a pickle" } },
});
after(hub.close);
const network = { base: hub.url, origins: [hub.store] };

describe("open of a model name on the hub", () => {
  test("reads only the list, the header and config.json", async () => {
    const model = await open("openai-community/gpt2", network);
    assert.equal(model.name, "openai-community/gpt2");
    assert.match(String(model.revision), /^[0-9a-f]{40}$/);
    assert.deepEqual([model.format, model.file], ["safetensors", "model.safetensors"]);
    assert.deepEqual(model.wordEmbeddings?.shape, [50_257, 768]);
    assert.deepEqual(model.positionEmbeddings?.shape, [1024, 768]);
    assert.equal(model.wordEmbeddings?.byteLength, 154_389_504);
    assert.deepEqual([model.lmHead, model.tokenTypeEmbeddings], [undefined, undefined]);
    assert.equal(model.config?.positions.scheme, "learnedPositions");
    assert.deepEqual(model.warnings, []);
    assert.equal(model.requests, 3);
    assert.ok(model.bytesRead < 70_000, `${model.bytesRead} bytes`);
  });

  test("reads the rows of three words with three more requests, in less than 100 KB in total", async () => {
    const model = await open("openai-community/gpt2", network);
    const ids = [7575, 17_607, 13]; // GPT-2's of "Time flies."
    const rows = await model.wordEmbeddings?.rows(ids);
    assert.deepEqual(rows?.shape, [3, 768]);
    for (const [i, id] of ids.entries()) assert.deepEqual(rows.row(i).data, gpt2.row(id));
    assert.ok(model.requests <= 6, `${model.requests} requests`);
    assert.ok(model.bytesRead < 100_000, `${model.bytesRead} bytes`);
    await model.wordEmbeddings?.rows(ids);
    assert.ok(model.requests <= 6, "asked twice, they come from memory");
  });

  test("embeds like the model's own code, from the rows only", async () => {
    const model = await open("openai-community/gpt2", network);
    const x = await model.embed([7575, 13, 7575], { past: 2 });
    assert.ok(x instanceof Tensor, "phasor's own class, not a second one");
    const expected = [7575, 13, 7575].map((id, t) =>
      gpt2.row(id).map((value, d) => value + gpt2.position(t + 2)[d]),
    );
    assert.deepEqual(
      [...x].map(({ data }) => data),
      expected,
    );
  });

  test("reads the vocabulary once, on first use", async () => {
    const model = await open("openai-community/gpt2", network);
    const vocabulary = await model.vocabulary();
    assert.equal(vocabulary?.find(" cat"), 1);
    const { requests } = model;
    assert.equal(await model.vocabulary(), vocabulary);
    assert.equal(model.requests, requests);
  });

  test("shares one read of the vocabulary, which one of the callers may abort", async () => {
    const model = await open("openai-community/gpt2", network);
    const { requests } = model;
    const stop = new AbortController();
    const waiting = [
      model.vocabulary({ signal: stop.signal }),
      model.vocabulary({ signal: new AbortController().signal }),
      model.vocabulary(),
    ];
    stop.abort(new Error("enough"));
    await assert.rejects(waiting[0], { message: "enough" });
    assert.equal((await waiting[1])?.find(" cat"), 1);
    assert.equal(await waiting[2], await waiting[1]);
    assert.equal(model.requests - requests, 1);
  });

  test("reads the vocabulary again after an aborted read", async () => {
    const model = await open("openai-community/gpt2", network);
    const { requests } = model;
    const stop = new AbortController();
    const stopped = [1, 2].map(() => model.vocabulary({ signal: stop.signal }));
    stop.abort(new Error("enough"));
    for (const each of stopped) await assert.rejects(each, { message: "enough" });
    const { signal } = stop;
    await assert.rejects(model.vocabulary({ signal }), { message: "enough" });
    assert.equal((await model.vocabulary())?.find(" cat"), 1);
    assert.equal(model.requests - requests, 2, "the one that was stopped, and one more");
    const wrong = /** @type {any} */ ({ signal: "now" });
    await assert.rejects(model.vocabulary(wrong), {
      name: "TypeError",
      message: /^\S+: signal must be/,
    });
  });

  test("explores the words of the whole table, stored as int8", async () => {
    const model = await open("openai-community/gpt2", network);
    const { requests } = model;
    const words = await model.explore({ dtype: "int8" });
    assert.equal(model.requests - requests, 2, "the vocabulary, and all rows");
    const expected = gpt2.neighbors(1).map(({ id }) => id);
    assert.deepEqual(
      words.nearest(" cat", { k: 7 }).map(({ id }) => id),
      expected,
    );
    assert.deepEqual(
      (await words.exactly(1, { k: 7 })).map(({ id }) => id),
      expected,
    );
    assert.ok(words.table.byteLength < 40e6, "37 MiB and 20 bytes a row");
    words.dispose();
  });

  test("follows the redirect of a former name", async () => {
    assert.equal((await open("gpt2", network)).name, "openai-community/gpt2");
  });

  test("warns that a model has another name or owner", async () => {
    const { name, warnings } = await open("old/sharded", network);
    assert.equal(name, "o/sharded");
    assert.match(
      warnings.join(),
      /^the hub must answer with the model old\/sharded; got o\/sharded, /,
    );
  });

  test("opens only those of several files that contain the model's tables, and others on request", async () => {
    const model = await open("o/sharded", network);
    assert.deepEqual(
      model.names,
      Object.keys(JSON.parse(sharded["model.safetensors.index.json"]).weight_map),
    );
    assert.deepEqual(
      [model.wordEmbeddings?.name, model.lmHead?.name],
      ["model.embed_tokens.weight", "lm_head.weight"],
    );
    assert.deepEqual((await model.wordEmbeddings?.rows([2]))?.toArray(), [words[2]]);
    assert.deepEqual(model.config?.positions.rotary, {
      full_attention: { dim: 2, layout: "halves", options: { base: 10000 } },
    });
    await assert.rejects(model.list(), { name: "FileError", code: "SAFETENSORS_HEADER_LENGTH" });
  });

  test("reports that there are no readable weights", async () => {
    const message = /^source must have weights as .+ hold programs\); got "pytorch_model.bin"$/;
    await assert.rejects(open("o/pickled", network), fileError("OPEN_NO_WEIGHTS", message));
    const config = new File(["{}"], "config.json");
    const tokenizer = new File(["{}"], "tokenizer.json");
    for (const [files, names] of /** @type {const} */ ([
      [config, '"config.json"'],
      [[config], '"config.json"'],
      [[config, tokenizer], '"config.json", "tokenizer.json"'],
    ])) {
      const text = new RegExp(`^source must have weights as [^()]+ or \\.npy; got ${names}$`);
      await assert.rejects(open(files, network), fileError("OPEN_NO_WEIGHTS", text));
    }
  });

  test("reports that there is no such model", async () => {
    await assert.rejects(open("o/none", network), (error) => {
      assert.ok(error instanceof RemoteError);
      assert.deepEqual([error.code, error.status], ["REMOTE_STATUS", 401]);
      return true;
    });
  });

  test("ends when its signal aborts", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await assert.rejects(open("openai-community/gpt2", { ...network, signal }), {
      message: "enough",
    });
    const stop = new AbortController();
    const opening = open("o/sharded", { ...network, signal: stop.signal });
    stop.abort(new Error("enough"));
    await assert.rejects(opening, { message: "enough" });
  });

  test("uses its signal only while opening: later reads have separate signals", async () => {
    const stop = new AbortController();
    const options = { ...network, signal: stop.signal };
    const whole = await open("openai-community/gpt2", options);
    const inParts = await open("o/sharded", options);
    stop.abort(new Error("enough"));
    assert.equal((await whole.vocabulary())?.find(" cat"), 1);
    assert.deepEqual((await whole.wordEmbeddings?.rows([13]))?.row(0).data, gpt2.row(13));
    await assert.rejects(inParts.info("model.norm.weight"), {
      code: "SAFETENSORS_HEADER_LENGTH", // it was opened, and is what it is
    });
  });
});

describe("open of an address", () => {
  const at = (/** @type {string} */ path) => `${hub.url}/${path.replace(":", "/resolve/main/")}`;
  const { origins } = network;

  test("reads one file, and counts its requests", async () => {
    for (const source of [
      at("openai-community/gpt2:model.safetensors"),
      new URL(at("openai-community/gpt2:model.safetensors")),
    ]) {
      const model = await open(source, { origins, config: gpt2.config });
      assert.deepEqual([model.name, model.revision], ["model.safetensors", undefined]);
      assert.deepEqual([model.requests, model.bytesRead], [1, 65_536]);
      const rows = await model.wordEmbeddings?.rows([13]);
      assert.deepEqual(rows?.row(0).data, gpt2.row(13));
      assert.equal(model.config?.type, "gpt2");
    }
  });

  test("finds shards next to their index, and counts all of them", async () => {
    const model = await open(at("o/sharded:model.safetensors.index.json"), { origins });
    assert.deepEqual((await model.wordEmbeddings?.rows([2]))?.toArray(), [words[2]]);
    assert.equal(model.requests, 3, "the index and two of three shards");
  });
});

describe("open of local data", () => {
  test("imports the reader of NumPy's formats for them alone", async () => {
    const [opens, reads] = await Promise.all(
      ["phasor/open", "../../../../dist/open-numpy.js"].map((name) =>
        readFile(new URL(import.meta.resolve(name)), "utf8"),
      ),
    );
    assert.match(opens, /import\("\.\/open-numpy\.js"\)/);
    assert.doesNotMatch(opens, /fortran_order/);
    assert.match(reads, /fortran_order/);
  });

  test("refuses rows of a tensor without axes in every format, and has none of an empty one", async () => {
    const scalar = { data: Float32Array.of(1), shape: [] };
    const empty = { data: new Float32Array(0), shape: [0, 2] };
    const message = /name must be of a tensor with rows; got "scalar", shape \[\]$/;
    for (const source of [
      { "a.npz": await npz.write({ words, scalar, empty }) },
      { "a.safetensors": safetensors.write({ words, scalar, empty }) },
      { "scalar.npy": npy.write(scalar) },
    ]) {
      const model = await open(/** @type {any} */ (source));
      for (const rows of [[0], []])
        await assert.rejects(model.tensor("scalar", { rows }), { name: "RangeError", message });
      if (!model.names.includes("empty")) continue;
      assert.deepEqual((await model.tensor("empty", { rows: [] })).shape, [0, 2]);
      await assert.rejects(model.tensor("empty", { rows: [0] }), RangeError);
    }
  });

  test("accepts one file, bytes or a Blob", async () => {
    for (const source of [weights, weights.buffer, new Blob([weights])]) {
      const model = await open(source);
      assert.deepEqual((await model.wordEmbeddings?.rows([1, 1]))?.toArray(), [words[1], words[1]]);
      assert.deepEqual([model.requests, model.bytesRead], [0, 0]);
    }
  });

  test("accepts several, by name or as Files, including the configuration", async () => {
    const config = JSON.stringify(llama);
    const file = (/** @type {string} */ name, /** @type {any} */ content) =>
      Object.assign(new Blob([content]), { name }); // Node 20 has no global File
    for (const source of [
      { "model.safetensors": weights, "config.json": new Blob([config]) },
      [file("config.json", config), file("model.safetensors", weights)],
    ]) {
      const model = await open(/** @type {any} */ (source));
      assert.equal(model.name, "model.safetensors");
      assert.equal(model.config?.type, "llama");
      assert.deepEqual((await model.embed([2])).toArray(), [words[2]]);
    }
  });

  test("accepts a configuration as text or object", async () => {
    for (const config of [llama, JSON.stringify(llama)]) {
      assert.equal((await open(weights, { config })).config?.headDim, 2);
    }
    await assert.rejects(open(weights, { config: { model_type: "llama" } }), RangeErrorOrTypeError);
  });

  test("reads a configuration as Python's json writes it, with infinities", async () => {
    const config = JSON.stringify(llama).replace("{", '{"time_step_limit": [0.0, Infinity],');
    const model = await open({ "a.safetensors": weights, "config.json": new Blob([config]) });
    assert.equal(model.config?.type, "llama");
    assert.deepEqual((await model.embed([2])).toArray(), [words[2]]);
  });

  test("reads the config.json beside the weights, of at most 2^20 bytes", async () => {
    const other = new Blob([JSON.stringify({ ...llama, model_type: "qwen2" })]);
    const opened = (/** @type {number} */ bytes) => {
      const config = new Blob([JSON.stringify(llama).padEnd(bytes)]);
      const files = { "a/model.safetensors": weights, "config.json": other };
      return open({ ...files, "a/config.json": config }, { file: "a/model.safetensors" });
    };
    assert.equal((await opened(2 ** 20)).config?.type, "llama");
    const message = "a/config.json must have at most 1048576 bytes; got 1048577";
    await assert.rejects(opened(2 ** 20 + 1), { code: "FILE_TOO_LARGE", message });
  });

  test("embeds nothing by positions that its configuration does not describe", async () => {
    const config = { ...llama, model_type: "unheard" };
    const model = await open(weights, { config });
    const message = `cannot embed: ${model.config?.positions.reasons?.join(" ")}`;
    assert.match(message, /"unheard" is not a family/);
    await assert.rejects(model.embed([1]), { name: "RangeError", message });
  });

  test("opens a model with an invalid configuration, and reports the error", async () => {
    const model = await open({ "model.safetensors": weights, "config.json": new Blob(["{]"]) });
    assert.equal(model.config, undefined);
    assert.match(model.warnings[0], /^config must be JSON; got /);
  });

  test("accepts arrays: of an .npz by name, and the only one of an .npy", async () => {
    const archive = await npz.write({ wte: words, other: [1, 2] });
    assert.deepEqual(
      (await (await open({ "a.npz": archive })).wordEmbeddings?.rows([0]))?.toArray(),
      [words[0]],
    );
    const model = await open({ "vectors.npy": npy.write(words) });
    assert.deepEqual(
      [model.wordEmbeddings?.name, model.wordEmbeddings?.shape],
      ["vectors", [3, 4]],
    );
    assert.deepEqual((await model.wordEmbeddings?.rows([2, 0]))?.toArray(), [words[2], words[0]]);
    await assert.rejects(Promise.resolve(model.wordEmbeddings?.rows([3])), RangeError);
  });

  test("limits an array of an .npz to maxBytes", async () => {
    const archive = await npz.write({ wte: words }, { compress: true });
    const size = 128 + 48; // the header of .npy, and the numbers
    const rows = async (/** @type {number | undefined} */ maxBytes) =>
      (await open({ "a.npz": archive }, { maxBytes })).wordEmbeddings?.rows([1]);
    assert.deepEqual((await rows(undefined))?.toArray(), [words[1]]);
    assert.deepEqual((await rows(size))?.toArray(), [words[1]]);
    const message = /^"wte\.npy" must be at most 175 bytes unpacked, or maxBytes more; got 176$/;
    await assert.rejects(rows(size - 1), fileError("NPZ_SIZE", message));
  });

  test("requires the name of a file if there are several", async () => {
    const source = { "a.safetensors": weights, "b.safetensors": weights };
    const message =
      /^file must be passed to choose one of several; got "a.safetensors", "b.safetensors"$/;
    await assert.rejects(open(source), fileError("OPEN_SEVERAL", message));
    assert.equal((await open(source, { file: "b.safetensors" })).file, "b.safetensors");
    await assert.rejects(open(source, { file: "c" }), RangeError);
  });

  test("rejects an invalid source", async () => {
    for (const source of [undefined, null, 5, true, () => {}, [5], [new Blob([])], { a: 5 }]) {
      await assert.rejects(open(/** @type {any} */ (source)), TypeError, String(source));
    }
    for (const source of [{}, []]) {
      await assert.rejects(open(source), fileError("OPEN_NO_WEIGHTS", /got no file$/));
    }
  });

  test("rejects unknown options", async () => {
    await assert.rejects(open(weights, /** @type {any} */ ({ revison: "x" })), TypeError);
    await assert.rejects(open(weights, /** @type {any} */ ({ file: 5 })), TypeError);
    await assert.rejects(open(weights, /** @type {any} */ ({ maxBytes: "5" })), TypeError);
    for (const maxBytes of [-1, 0.5]) await assert.rejects(open(weights, { maxBytes }), RangeError);
  });
});

/** For assert.rejects. @param {any} error */
const RangeErrorOrTypeError = ({ name, message }) =>
  ["RangeError", "TypeError"].includes(name) && /^open: config\./.test(message);

describe("open of an address", () => {
  test("rejects an invalid address", async () => {
    for (const address of ["https://", "http://[", "https:///", "http://example.org/a.npy"]) {
      const rule =
        /^RangeError: \S+: source must be an address that begins with https:\/\/, or http/;
      await assert.rejects(open(address), rule, address);
    }
  });

  test("accepts a name with a literal %", async () => {
    const bytes = npy.write([[1, 2, 3, 4]]);
    const headers = { "Content-Range": `bytes 0-${bytes.length - 1}/${bytes.length}` };
    const fetch = async () => new Response(bytes, { status: 206, headers });
    const model = await open("http://127.0.0.1/%E0%A4%A.npy", { fetch });
    assert.deepEqual(model.wordEmbeddings?.shape, [1, 4]);
  });
});

describe("open of a path", async () => {
  const folder = await mkdtemp(join(tmpdir(), "phasor-open-"));
  after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "model.safetensors"), weights);
  await writeFile(join(folder, "config.json"), JSON.stringify(llama));
  await writeFile(join(folder, "vocab.txt"), "[PAD]\ncat\n##s\n");

  test("accepts a folder, a file in it, and its file: address", async () => {
    const path = join(folder, "model.safetensors");
    for (const source of [folder, path, pathToFileURL(path), String(pathToFileURL(path))]) {
      const model = await open(source);
      assert.deepEqual((await model.wordEmbeddings?.rows([2]))?.toArray(), [words[2]]);
      assert.equal(model.config?.type, "llama");
      assert.equal((await model.vocabulary())?.text(2), "s");
    }
  });

  test("prefers a folder or file to a model of the same name, unless the hub is named", async (t) => {
    const name = "openai-community/gpt2";
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, "model.safetensors"), weights);
    const before = process.cwd();
    process.chdir(folder);
    t.after(() => process.chdir(before));
    const fetch = () => assert.fail("nothing is asked for");
    const local = await open(name, { fetch });
    assert.deepEqual(local.wordEmbeddings?.shape, [3, 4]);
    assert.equal(local.revision, undefined);
    const remote = await open(name, network);
    assert.deepEqual(remote.wordEmbeddings?.shape, [50_257, 768]);
    // A file, too, whatever it holds.
    await writeFile(join(folder, name, "pytorch_model.bin"), "PK");
    process.chdir("openai-community");
    const message = /^source must have weights .*; got "pytorch_model\.bin"$/;
    await assert.rejects(open("gpt2/pytorch_model.bin", { fetch }), { message });
  });

  test("reports why the hub was not reached", async () => {
    const cause = new Error("getaddrinfo ENOTFOUND huggingface.co");
    const fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
    const message = /got "fetch failed: getaddrinfo ENOTFOUND huggingface\.co" after 0 bytes$/;
    await assert.rejects(open("o/nowhere", { fetch }), { code: "REMOTE_NETWORK", message });
  });

  test("warns of a configuration that describes other weights", async () => {
    const bert = { model_type: "bert", hidden_size: 384, vocab_size: 30_522 };
    const sizes = { num_attention_heads: 12, num_hidden_layers: 6, max_position_embeddings: 512 };
    const config = JSON.stringify({ ...bert, ...sizes });
    const rule = "model.embed_tokens.weight must be 30522 x 384 as the configuration says";
    const model = await open({ "model.safetensors": weights, "config.json": new Blob([config]) });
    assert.deepEqual(model.warnings, [
      `${rule}; got 3 x 4: is it the configuration of another model?`,
      "the file must have a table of 512 rows of learned positions as the configuration says; " +
        "got none of a known name: is it the configuration of another model?",
    ]);
    for (const vocab_size of [3, undefined]) {
      const fitting = await open(weights, { config: { ...llama, vocab_size } });
      assert.deepEqual(fitting.warnings, []);
    }
    const other = await open(weights, { config: { ...llama, vocab_size: 5 } });
    assert.match(other.warnings[0], /must be 5 x 4 as the configuration says; got 3 x 4/);
  });

  test("rejects a file: address of another machine", async () => {
    for (const address of ["file:///%zz", "file://[", "file:///a%2Fb", "file:///%00"]) {
      const message = /^source must be a file or folder; got /;
      await assert.rejects(open(address), fileError("FILE_READ", message), address);
    }
  });

  test("names a missing file", async () => {
    const message = /^source must be a file or folder; got .+nowhere: ENOENT/;
    await assert.rejects(open(join(folder, "nowhere")), fileError("FILE_READ", message));
  });
});

describe("open of GGUF", () => {
  for (const name of ["tiny_f32", "tiny_f16", "tiny_q8_0", "tiny_q4_k"]) {
    test(`reads the rows and the vocabulary of ${name}`, async () => {
      const { outputs } = caseOf(`formats.gguf.${name}`);
      const all = /** @type {{data: any, shape: number[]}} */ (
        outputs["expected/token_embd.weight"]
      );
      const model = await open(
        new URL(`../../../truth/golden/formats/${name}.gguf`, import.meta.url),
      );
      const [V, D] = all.shape;
      assert.deepEqual(model.wordEmbeddings?.shape, [V, D]);
      const rows = await model.wordEmbeddings?.rows([V - 1, 0]);
      assert.deepEqual(
        [...(rows ?? [])].map(({ data }) => data),
        [all.data.slice((V - 1) * D), all.data.slice(0, D)],
      );
      assert.equal((await model.vocabulary())?.size, V);
    });
  }
});

describe("open of GGUF: rotary scaling that is stored in a tensor", () => {
  const words = { data: new Float32Array(64), shape: [4, 16] };
  const llama = {
    ...{ "general.architecture": "llama", "llama.embedding_length": 16, "llama.block_count": 2 },
    ...{ "llama.attention.head_count": 1, "llama.context_length": 512 },
    "llama.rope.freq_base": 500000,
  };

  test("Llama 3.1's frequencies equal those of the same model in safetensors", async () => {
    const rope_scaling = {
      ...{ rope_type: "llama3", factor: 8, low_freq_factor: 1, high_freq_factor: 4 },
      original_max_position_embeddings: 256,
    };
    const config = {
      ...{ model_type: "llama", hidden_size: 16, num_hidden_layers: 2, num_attention_heads: 1 },
      ...{ rope_theta: 500000, rope_scaling, max_position_embeddings: 512 },
    };
    const bytes = safetensors.write({ "model.embed_tokens.weight": words });
    const twin = await open({ "model.safetensors": bytes }, { config });
    const of = (/** @type {typeof twin} */ model) =>
      /** @type {any} */ (model.config?.positions.rotary?.full_attention);
    const frequencies = (/** @type {any} */ options) =>
      phasor.rope.frequencies(16, { ...options, length: 9 }).frequencies.data;
    const scaled = frequencies(of(twin).options);
    const plain = frequencies({ base: 500000 });
    // As llama.cpp's converter writes it: by how much each frequency is divided.
    const factors = Float32Array.from(plain, (theta, i) => theta / scaled[i]);
    const file = await ggufOf(llama, {
      "token_embd.weight": words,
      "rope_freqs.weight": { data: factors, shape: [8] },
    });
    const model = await open({ "model.gguf": file });
    assert.deepEqual(model.warnings, []);
    const got = frequencies(of(model).options);
    got.forEach((theta, i) => assert.ok(Math.abs(theta / scaled[i] - 1) < 2e-7, `pair ${i}`));
    assert.ok(factors[7] > 7.9);
    assert.deepEqual([of(model).layout, of(twin).layout], ["interleaved", "halves"]);
  });

  test("factors of another size give no description, and the model opens nevertheless", async () => {
    const file = await ggufOf(llama, {
      "token_embd.weight": words,
      "rope_freqs.weight": { data: new Float32Array(5).fill(1), shape: [5] },
    });
    const model = await open({ "model.gguf": file });
    assert.equal(model.config, undefined);
    assert.match(model.warnings[0], /short_factor must hold 8 numbers; got an array of 5/);
    const matrix = await ggufOf(llama, {
      "token_embd.weight": words,
      "rope_freqs.weight": { data: new Float32Array(8).fill(1), shape: [2, 4] },
    });
    const { warnings } = await open({ "model.gguf": matrix });
    assert.match(warnings[0], /rope_freqs\.weight must have shape \[R \/ 2\]/);
    for (const [size, message] of /** @type {const} */ ([
      [65_536, /short_factor must hold 8 numbers; got an array of 65536/],
      [65_537, /with at most 65536 numbers; got \[65537\]/],
    ])) {
      const data = new Float32Array(size).fill(1);
      const factors = { "rope_freqs.weight": { data, shape: [size] } };
      const long = await ggufOf(llama, { "token_embd.weight": words, ...factors });
      assert.match((await open({ "model.gguf": long })).warnings[0], message);
    }
  });
});

describe("a static model whose tokens share rows, in Model2Vec's format", () => {
  const embeddings = Int8Array.of(1, 2, 3, 4, -5, 6);
  /** @param {Record<string, any>} parts */
  const file = (parts) =>
    safetensors.write({ embeddings: { data: embeddings, shape: [3, 2] }, ...parts });
  const mapping = BigInt64Array.of(2n, 0n, 2n, 1n, 0n);
  const weights = Float32Array.of(1, 0.5, 3, 0.1, 2);

  test("embeds tokens by their rows, each times its weight", async () => {
    const model = await open(file({ mapping, weights }));
    assert.deepEqual((await model.embed([0, 2, 1, 4, 0])).toArray(), [
      [-5, 6],
      [-15, 18],
      [0.5, 1],
      [2, 4],
      [-5, 6],
    ]);
    const tenth = Math.fround(0.1);
    const x = await model.embed([[3], [4]]);
    assert.deepEqual(x.shape, [2, 1, 2]);
    assert.deepEqual([...x.data], [Math.fround(3 * tenth), Math.fround(4 * tenth), 2, 4]);
    await assert.rejects(
      model.embed([5]),
      /^RangeError: \S+: ids must be whole numbers from 0 to 4; got 5/,
    );
  });

  test("embeds with only weights, or only shared rows", async () => {
    const shared = await open(file({ mapping }));
    assert.deepEqual((await shared.embed([3, 0])).toArray(), [
      [3, 4],
      [-5, 6],
    ]);
    const weighted = await open(file({ weights: Float32Array.of(1, 2, 3) }));
    assert.deepEqual((await weighted.embed([2, 1])).toArray(), [
      [-15, 18],
      [6, 8],
    ]);
  });

  test("also has the rows of its table, which are not tokens", async () => {
    const model = await open(file({ mapping, weights }));
    assert.deepEqual(model.wordEmbeddings?.shape, [3, 2]);
    assert.deepEqual((await model.wordEmbeddings?.rows([0, 2]))?.toArray(), [
      [1, 2],
      [-5, 6],
    ]);
    await assert.rejects(Promise.resolve(model.wordEmbeddings?.rows([3])), {
      name: "RangeError",
      message: /^\S+: ids must be whole numbers from 0 to 2; got 3/,
    });
  });

  test("is rejected if a token refers to a row that does not exist", async () => {
    const model = await open(file({ mapping: BigInt64Array.of(0n, 3n, -1n) }));
    assert.deepEqual((await model.embed([0])).toArray(), [[1, 2]]);
    for (const [id, row] of [
      [1, 3],
      [2, -1],
    ]) {
      const message = RegExp(`^mapping must hold rows from 0 to 2; got ${row}$`);
      await assert.rejects(model.embed([id]), fileError("OPEN_MAPPING", message));
    }
  });

  test("is distinguished from a model of layers with a tensor of the same name", async () => {
    const table = { "model.embed_tokens.weight": words, mapping: [1, 0, 2], weights: [2, 2, 2] };
    const model = await open(safetensors.write(table), { config: llama });
    assert.deepEqual((await model.embed([0])).toArray(), [words[0]]);
  });
});

describe("embed of an open model", () => {
  const D = 4;
  const row = (/** @type {number} */ n) => Array.from({ length: D }, (_, d) => n + d / 8);
  const rows = (/** @type {number} */ N, /** @type {number} */ first) =>
    Array.from({ length: N }, (_, n) => row(first + n));
  const config = {
    ...{ model_type: "bert", hidden_size: D, num_attention_heads: 2, num_hidden_layers: 1 },
    ...{ vocab_size: 5, max_position_embeddings: 6, type_vocab_size: 2 },
  };
  const bert = {
    "embeddings.word_embeddings.weight": rows(5, 0),
    "embeddings.position_embeddings.weight": rows(6, 10),
    "embeddings.token_type_embeddings.weight": rows(2, 20),
    "embeddings.LayerNorm.weight": [1, 2, 3, 4],
    "embeddings.LayerNorm.bias": [0, 1, 0, 1],
  };

  test("equals inputEmbeddings with whole tables bit for bit, also from the middle on", async () => {
    const model = await open(safetensors.write(bert), { config });
    const options = { past: 2, segments: [0, 1, 1] };
    const weights = {
      words: bert["embeddings.word_embeddings.weight"],
      positions: bert["embeddings.position_embeddings.weight"],
      segments: bert["embeddings.token_type_embeddings.weight"],
      norm: { weight: [1, 2, 3, 4], bias: [0, 1, 0, 1] },
    };
    assert.ok(model.config);
    const whole = phasor.inputEmbeddings(model.config, weights, [4, 0, 4], options);
    assert.deepEqual((await model.embed([4, 0, 4], options)).data, whole.data);
    const steps = { ...options, intermediates: /** @type {const} */ (true) };
    assert.deepEqual(
      await model.embed([4, 0, 4], steps),
      phasor.inputEmbeddings(model.config, weights, [4, 0, 4], steps),
    );
    await assert.rejects(model.embed([1], { past: 6 }), {
      name: "RangeError",
      message: "OpenModel.embed: ids must have rows from 0 to 5 in the position embeddings; got 6",
    });
  });

  test("is an error if the file and the configuration disagree about the layer", async () => {
    const without = (/** @type {string} */ part) =>
      safetensors.write(
        Object.fromEntries(Object.entries(bert).filter(([name]) => !name.includes(part))),
      );
    const rope = { ...config, model_type: "llama", rope_theta: 1e4 };
    for (const [bytes, given, message] of /** @type {[Uint8Array, any, RegExp][]} */ ([
      [without("word"), config, /no table of words/],
      [without("position"), config, /the model has no position embeddings/],
      [without("token_type"), config, /the model has no token type embeddings/],
      [without("LayerNorm"), config, /no weights of its LayerNorm/],
      [safetensors.write(bert), undefined, /no configuration; pass one to open/],
      [
        safetensors.write(bert),
        rope,
        /position embeddings, of which its configuration says nothing/,
      ],
      [without("position"), rope, /token type embeddings, of which its configuration says/],
    ])) {
      const model = await open(bytes, given && { config: given });
      await assert.rejects(model.embed([1]), { name: "RangeError", message });
    }
  });
});

describe("a table of an open model", () => {
  test("has rows even if the file has a leading axis of one, as ViT's positions", async () => {
    const data = Float32Array.from({ length: 12 }, (_, i) => i);
    const name = "vit.embeddings.position_embeddings";
    const model = await open(safetensors.write({ [name]: { data, shape: [1, 6, 2] } }));
    assert.deepEqual(model.positionEmbeddings?.shape, [6, 2]);
    assert.deepEqual((await model.positionEmbeddings?.rows([[5], [0]]))?.toArray(), [
      [[10, 11]],
      [[0, 1]],
    ]);
    await assert.rejects(Promise.resolve(model.positionEmbeddings?.rows([6])), {
      name: "RangeError",
      message: /^\S+: ids must be whole numbers from 0 to 5; got 6/,
    });
    const table = await model.positionEmbeddings?.load();
    assert.deepEqual(table?.weights().data, data);
    table?.dispose();
  });

  test("is loaded in its dtype, piece by piece, with progress", async () => {
    const file = planted({ vocabulary: 9000, dim: 768, positions: 0 }); // 27 MB
    const source = { size: file.size, slice: slices(file) };
    const model = await open(source);
    /** @type {number[]} */
    const heard = [];
    const table = await model.wordEmbeddings?.load({
      progress: (done, total) => heard.push(done / total),
    });
    assert.deepEqual([table?.vocabulary, table?.dim, table?.dtype], [9000, 768, "float32"]);
    for (const id of [0, 2730, 2731, 8999]) {
      assert.deepEqual(table?.lookup([id]).data, file.row(id), String(id));
    }
    assert.ok(heard.length >= 3 && heard.at(-1) === 1, heard.join());
    assert.deepEqual(heard.toSorted?.((a, b) => a - b) ?? heard, heard);
    table?.dispose();
  });

  test("is released when its reading is aborted, and can be read again", async () => {
    const file = planted({ vocabulary: 9000, dim: 768, positions: 0 });
    const model = await open({ size: file.size, slice: slices(file) });
    const stop = new AbortController();
    const progress = () => stop.abort(new Error("enough"));
    const loading = model.wordEmbeddings?.load({ signal: stop.signal, progress });
    await assert.rejects(Promise.resolve(loading), { message: "enough" });
    const table = await model.wordEmbeddings?.load({ dtype: "int8" });
    assert.equal(table?.dtype, "int8");
    table?.dispose();
  });

  test("is loaded from arrays, from shards and from blocks", async () => {
    const index = sharded["model.safetensors.index.json"];
    const { "model-00001-of-00002.safetensors": one, "model-00002-of-00002.safetensors": two } =
      sharded;
    /** @type {Record<string, any>[]} */
    const sources = [
      { "a.npy": npy.write(words) },
      { "a.npz": await npz.write({ wte: words, other: [1, 2] }) },
      { "model.safetensors": weights },
      {
        "model.safetensors.index.json": new Blob([index]),
        "model-00001-of-00002.safetensors": one,
        "model-00002-of-00002.safetensors": two,
      },
    ];
    for (const source of sources) {
      const model = await open(source);
      const table = await model.wordEmbeddings?.load({ dtype: "float16" });
      assert.deepEqual(table?.weights().toArray(), words, Object.keys(source)[0]);
      table?.dispose();
    }
    const model = await open(
      new URL("../../../truth/golden/formats/tiny_q8_0.gguf", import.meta.url),
    );
    const table = await model.wordEmbeddings?.load();
    const [V = 0] = model.wordEmbeddings?.shape ?? [];
    const rows = await model.wordEmbeddings?.rows(Array.from({ length: V }, (_, id) => id));
    assert.deepEqual(table?.weights().data, rows?.data);
    table?.dispose();
  });

  test("is released when its file fails during the read, with its memory", async () => {
    const file = planted({ vocabulary: 9000, dim: 768, positions: 0 });
    const [LATE, ETAG] = [20e6, '"a"'];
    /** @type {Record<string, (begin: number, end: number) => {bytes: Uint8Array, etag?: string, resets?: boolean}>} */
    const faults = {
      SHORT: (begin) => ({ bytes: file.bytes(begin, LATE) }),
      LONG: (begin, end) => ({ bytes: Buffer.concat([file.bytes(begin, end), Buffer.of(1)]) }),
      NETWORK: (begin) => ({ bytes: file.bytes(begin, LATE), resets: true }),
      CHANGED: (begin, end) => ({ bytes: file.bytes(begin, end), etag: '"b"' }),
    };
    for (const [code, fault] of Object.entries(faults)) {
      let nth = 0;
      /** @type {any} */
      const fetch = async (/** @type {string} */ _, /** @type {any} */ { headers }) => {
        const [begin, last] = headers.Range.match(/\d+/g).map(Number);
        const right = { bytes: file.bytes(begin, last + 1), etag: ETAG, resets: false };
        const { bytes, etag, resets } =
          ++nth === 2 ? { ...right, ...fault(begin, last + 1) } : right;
        const body = new ReadableStream({
          start(controller) {
            for (let at = 0; at < bytes.length; at += 1e6) {
              controller.enqueue(bytes.slice(at, at + 1e6));
            }
          },
          pull: (controller) =>
            resets ? controller.error(new Error("reset")) : controller.close(),
        });
        const range = `bytes ${begin}-${last}/${file.size}`;
        return new Response(body, { status: 206, headers: { "Content-Range": range, ETag: etag } });
      };
      /** @type {any} */
      let made;
      const zeros = (/** @type {any[]} */ ...given) =>
        (made = /** @type {any} */ (phasor.embedding).zeros(...given));
      const watched = { ...phasor, embedding: { ...phasor.embedding, zeros } };
      const model = await open("https://example.org/a.safetensors", { fetch, phasor: watched });
      await assert.rejects(Promise.resolve(model.wordEmbeddings?.load()), (thrown) => {
        assert.ok(thrown instanceof RemoteError, String(thrown));
        assert.equal(thrown.code, `REMOTE_${code}`);
        return true;
      });
      assert.throws(() => made.lookup([0]), { name: "DisposedError" });
      const table = await model.wordEmbeddings?.load();
      assert.deepEqual(table?.lookup([8999]).data, file.row(8999), "asked for again, it comes");
      table?.dispose();
    }
  });

  test("rejects a dtype in which it cannot be stored", async () => {
    const model = await open(weights);
    await assert.rejects(
      Promise.resolve(model.wordEmbeddings?.load(/** @type {any} */ ({ dtype: "float8" }))),
      RangeError,
    );
  });
});

/** @param {ReturnType<typeof planted>} file */
function slices(file) {
  return (/** @type {number} */ begin, /** @type {number} */ end) => ({
    arrayBuffer: async () => /** @type {ArrayBuffer} */ (file.bytes(begin, end).buffer),
  });
}
