// Models in several files: all of them, and some of them.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { safetensors } from "phasor/files";
import { serveHub } from "../../files/hub.js";
import { fileError, openModel as open } from "./entry.js";
import { ggufOf } from "./gguf.js";

const about = {
  ...{ "general.architecture": "llama", "llama.embedding_length": 4, "llama.block_count": 1 },
  ...{ "llama.attention.head_count": 2, "llama.context_length": 128 },
};

/** A table of three words. @param {number} first */
const table = (first) => ({
  data: Float32Array.from({ length: 12 }, (_, i) => first + i),
  shape: [3, 4],
});

/** @type {Record<string, any>[]} */
const TENSORS = [{}, { "token_embd.weight": table(0) }, { "output.weight": table(20) }];

/**
 * A part as llama.cpp's gguf-split writes it; the first has the description.
 * @param {number} no @param {Record<string, any>} [tensors] @param {Record<string, number>} [other]
 */
const part = (no, tensors = TENSORS[no], other = {}) =>
  ggufOf(
    {
      ...(no === 0 && about),
      ...{ "split.no": no, "split.count": 3, "split.tensors.count": 2 },
      ...other,
    },
    tensors,
  );

const nameOf = (/** @type {number} */ number) => `m-0000${number}-of-00003.gguf`;
const files = Object.fromEntries(
  await Promise.all([1, 2, 3].map(async (number) => [nameOf(number), await part(number - 1)])),
);

/** Checks that a model is whole. @param {import("phasor/open").OpenModel} model */
async function isWhole(model) {
  assert.deepEqual(model.warnings, []);
  assert.equal(model.config?.type, "llama");
  assert.deepEqual(model.names, ["token_embd.weight", "output.weight"]);
  assert.deepEqual((await model.wordEmbeddings?.rows([2]))?.toArray(), [[8, 9, 10, 11]]);
  assert.deepEqual((await model.lmHead?.rows([0]))?.toArray(), [[20, 21, 22, 23]]);
  assert.deepEqual((await model.embed([1])).toArray(), [[4, 5, 6, 7]]);
  const explorer = await model.explore();
  assert.equal(explorer.table.vocabulary, 3);
  explorer.dispose();
  await assert.rejects(model.tensor("x"), /^RangeError: .* must be one of the file's 2 /);
}

describe("a GGUF model in several files", async () => {
  const folder = await mkdtemp(join(tmpdir(), "phasor-parts-"));
  after(() => rm(folder, { recursive: true }));
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
  await mkdir(join(folder, "alone"));
  for (const number of [1, 2]) {
    await mkdir(join(folder, "alone", String(number)));
    await writeFile(join(folder, "alone", String(number), nameOf(number)), files[nameOf(number)]);
  }
  const hub = await serveHub({
    "o/parts": { files: { ...files, "README.md": "", "Q8/m-00001-of-00003.gguf": files[nameOf(1)] } },
  }); // prettier-ignore
  after(hub.close);

  test("is opened as one from a folder, and by the path of the first", async () => {
    await isWhole(await open(folder));
    await isWhole(await open(join(folder, nameOf(1))));
  });

  test("is opened as one from files in any order", async () => {
    const reversed = Object.fromEntries(Object.entries(files).reverse());
    await isWhole(await open(reversed));
    const list = Object.entries(reversed).map(([name, bytes]) =>
      Object.assign(new Blob([bytes]), { name }),
    );
    await isWhole(await open(/** @type {any} */ (list)));
  });

  test("is opened as one from the hub, and by the address of the first", async () => {
    await isWhole(await open("o/parts", { base: hub.url, origins: [hub.store] }));
    const address = `${hub.url}/o/parts/resolve/main/${nameOf(1)}`;
    const model = await open(address, { origins: [hub.store] });
    await isWhole(model);
    assert.ok(model.requests >= 3, "the requests of all parts are counted");
  });

  test("needs the name of one of several models", async () => {
    const other = Object.entries(files).map(([name, bytes]) => [`other-${name}`, bytes]);
    const both = { ...files, ...Object.fromEntries(other) };
    const message =
      /^file must be passed .*; got "m-00001-of-00003.gguf", "other-m-00001-of-00003.gguf"$/;
    await assert.rejects(open(both), fileError("OPEN_SEVERAL", message)); // prettier-ignore
    await isWhole(await open(both, { file: `other-${nameOf(1)}` }));
  });

  test("is refused without one of its parts, which the error names", async () => {
    for (const number of [2, 3]) {
      const { [nameOf(number)]: _, ...others } = files;
      const message = RegExp(`^source must have all 3 parts .*; got none named "${nameOf(number)}"$`);
      await assert.rejects(open(others), fileError("OPEN_PART", message)); // prettier-ignore
    }
    const alone = /^source must have all 3 parts .* "m-00002-of-00003.gguf", "m-00003-of-00003.gguf"$/;
    const first = files[nameOf(1)];
    const remote = Object.assign(new Blob([first]), { requests: 1, bytesRead: 9 });
    for (const source of [{ [nameOf(1)]: first }, { [nameOf(1)]: remote }, join(folder, "alone", "1")]) {
      await assert.rejects(open(source), fileError("OPEN_PART", alone)); // prettier-ignore
    }
    const hub = { base: "http://127.0.0.1:1", fetch: () => assert.fail() };
    await assert.rejects(open(join(folder, "alone", "1", nameOf(1)), hub), fileError("OPEN_PART", alone));
  }); // prettier-ignore

  test("says of a later part alone which it is, and what to pass", async () => {
    const message =
      /^file must be the first part, "m-00001-of-00003.gguf", with the others beside it; got "m-0000(2|3)-of-00003.gguf", part \1 of 3 of a model of 2 tensors$/;
    const { [nameOf(1)]: _, ...others } = files;
    for (const source of [
      { [nameOf(2)]: files[nameOf(2)] },
      others,
      join(folder, nameOf(3)),
      join(folder, "alone", "2"),
    ]) {
      await assert.rejects(open(source), fileError("OPEN_PART", message));
    }
    const named = /^file must be named NAME-00001-of-00003.gguf .* got "(x.gguf)?", part 1 of 3/;
    for (const source of [files[nameOf(1)], { "x.gguf": files[nameOf(1)] }]) {
      await assert.rejects(open(source), fileError("OPEN_PART", named));
    }
  });

  test("is refused with a doubled part, and with one of another model", async () => {
    const moved = { "token_embd.weight": table(0), "output.weight": table(0) };
    for (const [number, bytes, message] of /** @type {[number, any, RegExp][]} */ ([
      [2, files[nameOf(3)], /^"m-00002.* must be part 2 of 3 .*; got part 3 of 3 of a model of 2 te/],
      [2, files[nameOf(1)], /must be part 2 of 3 .*; got part 1 of 3/],
      [3, await part(2, TENSORS[2], { "split.count": 4 }), /must be part 3 of 3 .*; got part 3 of 4/],
      [3, await part(2, TENSORS[2], { "split.tensors.count": 7 }), /of 2 tensors; got .* of 7 tensors/],
      [3, await ggufOf({}, TENSORS[2]), /must be part 3 of 3 .*; got a file that is no part$/],
      [1, await part(0, {}, { "split.no": 1 }), /must be part 1 of 3 .*; got part 2 of 3/],
      [1, await part(0, {}, { "split.count": 2 }), /must be named NAME-00001-of-00002.gguf/],
      [1, await part(0, {}, { "split.count": 5000 }), /must be named .* of at most 1024 parts/],
      [3, await part(2, {}), /^the parts must have 2 tensors \(split\.tensors\.count\); got 1$/],
      [3, await part(2, moved), /^tensors must be in one part each; got two of "token_embd.weight"$/],
    ])) {
      const source = { ...files, [nameOf(number)]: bytes };
      await assert.rejects(open(source), fileError("OPEN_PART", message));
    } // prettier-ignore
  });

  test("is a single file if it says so", async () => {
    const one = await ggufOf(
      { ...about, "split.no": 0, "split.count": 1, "split.tensors.count": 2 },
      { ...TENSORS[1], ...TENSORS[2] },
    );
    await isWhole(await open(one));
    await isWhole(await open({ "m-00001-of-00001.gguf": one }));
  });
});

describe("a model in shards", () => {
  const names = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"];
  const weight_map = {
    "model.embed_tokens.weight": names[0],
    ...{ "lm_head.weight": names[1], "model.norm.weight": names[1] },
    ...{ "model.layers.0.a.weight": names[1], "model.layers.0.b.weight": names[1] },
  };
  const index = Buffer.from(JSON.stringify({ weight_map }));
  const shard = safetensors.write({ "model.embed_tokens.weight": table(0) });

  test("is refused without one of its files: the error names it and its tensors", async () => {
    const message =
      /^files must have "model-00002-of-00002.safetensors", with the tensors "lm_head.weight", "model.norm.weight", "model.layers.0.a.weight" and 1 more; got no such file$/;
    const folder = await mkdtemp(join(tmpdir(), "phasor-shards-"));
    try {
      const source = { "model.safetensors.index.json": index, [names[0]]: shard };
      for (const [name, bytes] of Object.entries(source)) await writeFile(join(folder, name), bytes);
      for (const each of [source, folder]) {
        await assert.rejects(open(each), fileError("SAFETENSORS_SHARD", message));
      }
      const read = safetensors.sharded(index, (name) => /** @type {any} */ (source)[name]);
      await assert.rejects(
        (await read).tensor("lm_head.weight"),
        fileError("SAFETENSORS_SHARD", message),
      );
      assert.equal((await (await read).tensor("model.embed_tokens.weight")).size, 12);
    } finally {
      await rm(folder, { recursive: true });
    } // prettier-ignore
  });
});

describe("a table that words and output share", () => {
  const config = {
    ...{ model_type: "llama", hidden_size: 4, num_attention_heads: 2, num_hidden_layers: 1 },
    vocab_size: 3,
  };
  const other = { "model.norm.weight": [1, 1, 1, 1] };

  test("is the words' under the only name that safetensors kept", async () => {
    const bytes = safetensors.write({ "lm_head.weight": table(5), ...other });
    const warning = /^the table of words must be in the file.*; got lm_head.weight alone/;
    for (const [given, warned] of /** @type {[any, boolean][]} */ ([
      [{ ...config, tie_word_embeddings: true }, false],
      [{ model_type: "x", text_config: { tie_word_embeddings: true } }, false],
      [JSON.stringify(config), true],
      [undefined, true],
    ])) {
      const model = await open(bytes, given && { config: given });
      assert.deepEqual([model.wordEmbeddings?.name, model.lmHead], ["lm_head.weight", undefined]);
      assert.deepEqual((await model.wordEmbeddings?.rows([1]))?.toArray(), [[9, 10, 11, 12]]);
      assert.equal(warning.test(String(model.warnings)), warned, JSON.stringify(given));
    }
    const model = await open(bytes, { config: { ...config, tie_word_embeddings: false } });
    assert.deepEqual([model.wordEmbeddings, model.lmHead?.name], [undefined, "lm_head.weight"]);
    await assert.rejects(model.embed([0]), /no table of words/);
  });

  test("has the other name that the metadata notes, in one file and in shards", async () => {
    const word = "model.embed_tokens.weight";
    const metadata = { format: "pt", [word]: "lm_head.weight", gone: "nowhere" };
    const tensors = { "lm_head.weight": table(5), ...other };
    const index = {
      metadata: { total_size: 64, ...metadata },
      weight_map: /** @type {any} */ ({}),
    };
    for (const name of Object.keys(tensors)) index.weight_map[name] = "a.safetensors";
    for (const source of [
      safetensors.write(tensors, { metadata }),
      {
        "model.safetensors.index.json": Buffer.from(JSON.stringify(index)),
        "a.safetensors": safetensors.write(tensors),
      },
    ]) {
      const model = await open(/** @type {any} */ (source), { config });
      assert.deepEqual(model.warnings, []);
      assert.deepEqual([...model.names].sort(), ["lm_head.weight", word, "model.norm.weight"].sort());
      assert.deepEqual([model.wordEmbeddings?.name, model.lmHead], [word, undefined]);
      assert.deepEqual((await model.embed([2])).toArray(), [[13, 14, 15, 16]]);
      assert.deepEqual((await model.tensor(word)).shape, [3, 4]);
      assert.deepEqual((await model.info(word)).name, word);
      const words = await model.explore();
      assert.equal(words.table.vocabulary, 3);
      words.dispose();
    } // prettier-ignore
    const both = { [word]: table(0), "lm_head.weight": table(5) };
    const model = await open(safetensors.write(both, { metadata }), { config });
    assert.equal(model.lmHead?.name, "lm_head.weight", "a name that the file has is its own");
    assert.deepEqual((await model.embed([0])).toArray(), [[0, 1, 2, 3]]);
  });

  test("is the only table by its own name, whatever shares it", async () => {
    const bytes = safetensors.write({ first: table(0) }, { metadata: { second: "first" } });
    assert.equal((await open(bytes)).wordEmbeddings?.name, "first");
  });
});

describe("a part of a model alone", () => {
  const shards = {
    "model-00001-of-00002.safetensors": safetensors.write({ "model.embed_tokens.weight": table(0) }),
    "model-00002-of-00002.safetensors": safetensors.write({ "lm_head.weight": table(5) }),
    "x/model-1-of-3.safetensors": safetensors.write({ "model.layers.0.a.weight": table(5) }),
  }; // prettier-ignore

  test("says that its tables may be in other files, and takes none for another", async () => {
    const parts = [{ number: 1, count: 2 }, { number: 2, count: 2 }, { number: 1, count: 3 }]; // prettier-ignore
    for (const [i, [file, bytes]] of Object.entries(shards).entries()) {
      for (const source of [{ [file]: bytes }, { ...shards, "README.md": new Blob([""]) }]) {
        const model = await open(source, { file });
        assert.deepEqual(model.part, parts[i]);
        const got = `got part ${parts[i].number} of ${parts[i].count}, ${file}`;
        assert.match(model.warnings[0], RegExp(`^all files of the model must be open .*; ${got}$`));
        assert.equal(model.warnings.length, 1);
        assert.equal(model.wordEmbeddings?.name, i === 0 ? model.names[0] : undefined);
        assert.equal(model.lmHead?.name, i === 1 ? "lm_head.weight" : undefined);
        if (i === 0) continue;
        const message = RegExp(`no table of words in its part ${parts[i].number} of ${parts[i].count};`);
        await assert.rejects(model.embed([0]), { name: "RangeError", message });
        await assert.rejects(model.explore(), { name: "RangeError", message });
      } // prettier-ignore
    }
  });

  test("is a part by its name, too, where GGUF does not say it", async () => {
    const bytes = await ggufOf(about, TENSORS[1]);
    const { part, lmHead, warnings } = await open({ "m-00001-of-00002.gguf": bytes });
    assert.deepEqual([part, lmHead], [{ number: 1, count: 2 }, undefined]);
    assert.match(warnings[0], /got part 1 of 2/);
  });

  test("is the whole model if it is its only file, or its index is open", async () => {
    const [bytes] = Object.values(shards);
    for (const file of ["model.safetensors", "model-00001-of-00001.safetensors"]) {
      const { part, warnings } = await open({ [file]: bytes });
      assert.deepEqual([part, warnings], [undefined, []]);
    }
    const [one, two] = Object.keys(shards);
    const weight_map = { "model.embed_tokens.weight": one, "lm_head.weight": two };
    const index = Buffer.from(JSON.stringify({ weight_map }));
    const { part, lmHead } = await open({ ...shards, "model.safetensors.index.json": index });
    assert.deepEqual([part, lmHead?.name], [undefined, "lm_head.weight"]);
  });
});
