import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { npy, npz, safetensors } from "phasor/files";
import { project } from "../../../scripts/setup/setup.js";
import { serveHub } from "../files/hub.js";
import { planted } from "../files/planted.js";
import { fileOf, numbersOf, tensorsOf } from "../models/open/mlx.js";
import { phasor as core } from "../../phasor.js";
import { folderOf, llama, rows, scaled, tiny } from "./phasor.js";

const big = planted({ dim: 144, positions: 64 });
const vocab = Object.fromEntries(Array.from({ length: 50_257 }, (_, id) => [`Ġw${id}`, id]));
const tokenizer = { model: { type: "BPE", vocab, merges: [] }, decoder: { type: "ByteLevel" } };
const hub = await serveHub({
  "o/planted": {
    files: {
      "model.safetensors": big,
      "config.json": JSON.stringify(big.config),
      "tokenizer.json": JSON.stringify(tokenizer),
    },
    was: "old/planted",
  },
});
after(hub.close);
const network = ["--base", hub.url, "--origin", hub.store];

const { folder, phasor, json, read } = await folderOf(
  { after },
  {
    "config.json": JSON.stringify(llama),
    "nested.json": JSON.stringify({
      ...{ ...llama, rope_theta: undefined, rope_scaling: undefined },
      rope_parameters: { rope_type: "default", rope_theta: 500000 },
    }),
    "suspect.json": JSON.stringify({ ...llama, use_mla: false }),
    "odd/model.safetensors": tiny["model.safetensors"],
    "odd/vocab.txt": tiny["vocab.txt"],
    "odd/config.json": JSON.stringify({
      ...{ model_type: "llama", hidden_size: 3, vocab_size: 6, num_hidden_layers: 1 },
      ...{ num_attention_heads: 1, head_dim: 4, max_position_embeddings: 64, use_mla: false },
    }),
    "odd/port.npz": await npz.write(core.rope.table(8, 4)),
    "o/planted/model.safetensors": tiny["model.safetensors"],
    "o/planted/vocab.txt": tiny["vocab.txt"],
    "whole/model.safetensors": tiny["model.safetensors"],
    "whole/tokenizer.json": JSON.stringify({
      ...{ added_tokens: [], normalizer: null, post_processor: null, decoder: null },
      pre_tokenizer: { type: "Whitespace" },
      model: { type: "WordLevel", vocab: { the: 0, cat: 1 }, unk_token: "the" },
    }),
  },
);

test("phasor --help lists the commands and the exit codes", async () => {
  const { code, stdout } = await phasor("--help");
  assert.equal(code, 0);
  for (const name of "explore rows nearest norms pca table rope xray config identify check vectors lab models serve".split(
    " ",
  )) {
    assert.match(stdout, new RegExp(`\\n {2}${name} `));
  }
  assert.match(stdout, /Exit codes:\n {2}0 .*\n {2}1 .*\n {2}2 /);
  const alone = await phasor();
  assert.deepEqual([alone.code, alone.stdout], [2, stdout]);
});

test("phasor --version prints the version of the package", async () => {
  const { version } = JSON.parse(await readFile(join(project, "package.json"), "utf8"));
  assert.deepEqual(await phasor("--version"), { code: 0, stdout: `${version}\n`, stderr: "" });
});

test("phasor COMMAND --help, COMMAND -h and help COMMAND list the options", async () => {
  const { code, stdout } = await phasor("nearest", "--help");
  assert.deepEqual((await phasor("nearest", "-h")).stdout, stdout);
  assert.deepEqual((await phasor("help", "nearest")).stdout, stdout);
  assert.equal(code, 0);
  assert.match(stdout, /^phasor nearest MODEL TOKEN\.\.\.\n/);
  for (const name of ["k N", "metric METRIC", "dtype DTYPE", "json", "origin URL..."]) {
    assert.ok(stdout.includes(`\n  --${name} `), name);
  }
});

test("explore of a model on the hub prints layers, norms, duplicates and neighbors", async () => {
  const words = ["--word", " w1234", "--word", "nothing"];
  const { code, stdout } = await phasor(
    "explore",
    "o/planted",
    "--dtype=int8",
    ...words,
    ...network,
  );
  assert.equal(code, 1, "one word is unknown");
  assert.match(stdout, /^o\/planted at [0-9a-f]{8}\n {2}model\.safetensors, 2 tensors\n/);
  assert.match(stdout, /\n {2}wordEmbeddings +wte\.weight +50,257 x 144 +float32 +28\.95 MB\n/);
  assert.match(stdout, /\n {2}positionEmbeddings +wpe\.weight +64 x 144 +float32 +0\.04 MB\n/);
  assert.match(stdout, /\n {2}positions by learnedPositions, up to 64\n/);
  assert.match(stdout, /in memory as int8\n {2}norm: mean 1\.\d{3}, std \d\.\d{3}, median /);
  assert.match(stdout, /\n {2}equal to another row: 2: " w40000 = {2}w40001"\n/);
  const [near] = big.neighbors(1234);
  const [, id, cosine] = /\n {2}" w1234": " w(\d+)" (0\.\d{3}), /.exec(stdout) ?? [];
  assert.equal(Number(id), near.id);
  assert.ok(Math.abs(Number(cosine) - near.cosine) < 0.005, "int8 is off by so much");
  assert.match(stdout, /\n {2}"nothing": token must be a whole token of the vocabulary/);
  assert.match(stdout, /\n\d+ requests, \d+\.\d\d MB\n$/);
});

test("a part of a model alone has no lmHead that is known, and no table of words", async (t) => {
  const bytes = tiny["model.safetensors"];
  const files = {
    "model-00001-of-00002.safetensors": bytes,
    "model-00002-of-00002.safetensors": safetensors.write({ "lm_head.weight": rows }),
  };
  const { phasor, json } = await folderOf(t, files);
  const [one, two] = Object.keys(files);
  const { stdout } = await phasor("explore", one);
  assert.match(stdout, /\n {2}lmHead not known: this is part 1 of 2 of the model\n/);
  assert.doesNotMatch(stdout, /no lmHead|uses the word/);
  assert.match(stdout, /\n {2}warning: all files of the model must be open/);
  assert.deepEqual((await json("explore", one)).data.part, { number: 1, count: 2 });
  const other = await phasor("explore", two);
  assert.match(other.stdout, /\nno table of words whose name is known in this part of the model\n/);
  assert.match((await phasor("rows", two, "0")).stderr, /got part 2 of 2 alone, without one/);
  for (const command of ["norms", "pca", "nearest"]) {
    const { stderr } = await phasor(command, two, ...(command === "nearest" ? ["0"] : []));
    assert.match(stderr, /no table of words in its part 2 of 2; open the whole model/);
  }
});

test("a table of packed numbers prints numbers or a reason, in every command", async (t) => {
  const stem = "model.embed_tokens";
  const scaled = { [`${stem}.weight`]: ["I8", [2, 4], new Uint8Array(8)] };
  const files = {
    "mlx.safetensors": fileOf(await tensorsOf("affine.5", stem)),
    "int8.safetensors": fileOf({
      .../** @type {any} */ (scaled),
      [`${stem}.weight.absmax`]: ["F32", [2], new Uint8Array(8)],
    }),
  };
  const { phasor, json } = await folderOf(t, files);
  const [packed, unknown] = Object.keys(files);
  const { data } = await json("rows", packed, "0,1");
  assert.deepEqual(
    data.rows.map((/** @type {any} */ row) => row.values),
    await numbersOf("affine.5"),
  );
  assert.match((await phasor("explore", packed)).stdout, /2 x 64 +MLX affine 5-bit/);
  for (const command of [["rows", "0"], ["nearest", "0"], ["norms"], ["explore"], ["pca"]]) {
    const [name, ...rest] = command;
    const { code, stderr } = await phasor(name, unknown, ...rest);
    assert.match(stderr, /"model.embed_tokens.weight" must .* with "model.embed_tokens.weight.absmax"/);
    assert.equal(code, 1);
  } // prettier-ignore
});

test("a folder takes precedence over a hub model of the same name", async () => {
  const { code, data } = await json("explore", "o/planted");
  assert.equal(code, 0);
  assert.deepEqual(
    [data.name, data.revision, data.requests, data.tables[0].shape],
    ["planted", undefined, 0, [6, 3]],
  );
});

test("rows prints the rows of ids and of tokens, and names the unknown ones", async () => {
  const { code, data } = await json("rows", "o/planted", "2,3", "king");
  assert.equal(code, 0);
  assert.deepEqual(
    data.rows.map((/** @type {any} */ { id, text, values }) => [id, text, values]),
    [
      [2, "queen", rows[2]],
      [3, "cat", rows[3]],
      [1, "king", rows[1]],
    ],
  );
  const { code: wrong, stdout } = await phasor(
    "rows",
    "o/planted",
    "2,9",
    "kong",
    "--npy=rows.npy",
  );
  assert.equal(wrong, 1);
  assert.match(stdout, /, 1 of 3 found\n {2}2 "queen": norm 4\.123, 4 1 0\n/);
  assert.match(stdout, /\n {2}"9": id must be a whole number from 0 to 5; got 9\n/);
  assert.match(stdout, /\n {2}"kong": TEXT must be a whole token of the vocabulary/);
  assert.deepEqual((await npy.read(await read("rows.npy"))).toArray(), [rows[2]]);
});

test("rows suggests the token with a space, and splits a text with a tokenizer", async () => {
  const { code, stdout } = await phasor("rows", "o/planted", "w7", ...network);
  assert.equal(code, 1);
  assert.match(stdout, /got "w7"; did you mean " w7"\?\n$/);
  const { data } = await json("rows", "whole", "--tokenizer", "cat the", "cat");
  const found = data.rows.map((/** @type {any} */ { id, values }) => [id, values]);
  assert.deepEqual(found, [
    [1, rows[1]],
    [0, rows[0]],
    [1, rows[1]],
  ]);
  const none = await phasor("rows", "o/planted", "--tokenizer", "cat");
  assert.deepEqual(
    [none.code, none.stderr],
    [1, "phasor rows: --tokenizer must find a tokenizer.json; got none\n"],
  );
});

test("nearest lists the neighbors of each token, and continues after an unknown one", async () => {
  const { code, data } = await json("nearest", "o/planted", "king", "kong", "3", "--k", "2");
  assert.equal(code, 1);
  const [king, kong, cat] = data.tokens;
  assert.deepEqual([king.neighbors[0].text, king.neighbors.length], ["queen", 2]);
  assert.ok(Math.abs(king.neighbors[0].score - 4 / Math.sqrt(17)) < 1e-6);
  assert.match(kong.error, /^token must be a whole token/);
  assert.deepEqual([cat.text, cat.neighbors[0].text], ["cat", "dog"]);
  const far = await json("nearest", "o/planted", "king", "--k", "1", "--metric", "dot");
  assert.deepEqual([far.code, far.data.tokens[0].neighbors[0].score], [0, 16]);
});

test("norms prints the statistics of the rows", async () => {
  const { data } = await json("norms", "o/planted", "--bins", "4", "--groups", "2");
  const lengths = rows.map((row) => Math.hypot(...row));
  const mean = (/** @type {number[]} */ list) => list.reduce((a, b) => a + b) / list.length;
  assert.ok(Math.abs(data.norms.mean - mean(lengths)) < 1e-6);
  assert.deepEqual([data.norms.min, data.norms.max], [0, 8]);
  assert.ok(Math.abs(data.norms.byRank[1] - mean(lengths.slice(3))) < 1e-6);
  assert.equal(data.histogram.counts.length, 4);
  assert.deepEqual(data.duplicates, []);
});

test("pca prints the shares of the components and draws the rows as SVG", async () => {
  const { code, data } = await json("pca", "o/planted", "--svg", "map.svg", "--word", "king");
  assert.equal(code, 0);
  const expected = core.pca(rows);
  assert.deepEqual(data.explainedVarianceRatio, Array.from(expected.explainedVarianceRatio.data));
  assert.deepEqual(data.tokens, [{ id: 1, text: "king", at: [...expected.projected.row(1).data] }]);
  const svg = String(await read("map.svg"));
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  assert.match(svg, />king<\/text>/);
  await json("pca", "o/planted", "--svg", "map.svg", "--word", "king", "--word", "king");
  assert.equal(String(await read("map.svg")), svg);
  const missing = await phasor("pca", "o/planted", "--word", "kong");
  assert.equal(missing.code, 1);
  assert.match(missing.stdout, /"kong": token must be/);
});

test("table writes what the package computes", async () => {
  const { code, stdout } = await phasor("table", "sinusoidal", "5", "4", "--npy", "s.npy");
  assert.equal(code, 0);
  const expected = core.sinusoidal.table(5, 4);
  assert.ok(stdout.startsWith(`sinusoidal 5 x 4\n${expected}\nwrote s.npy: `), stdout);
  assert.deepEqual((await npy.read(await read("s.npy"))).toArray(), expected.toArray());
  const rotated = ["--set", "precision=torch", "--npz", "r.npz"];
  assert.equal((await phasor("table", "rope", "5", "4", ...rotated)).code, 0);
  const { cos } = core.rope.table(5, 4, { precision: "torch" });
  assert.deepEqual((await (await npz.read(await read("r.npz"))).tensor("cos")).data, cos.data);
  const { data } = await json("table", "alibi", "2", "3", "--set", "form=symmetric");
  assert.deepEqual(data.table.data, Array.from(core.alibi.bias(2, 3).data));
});

test("table writes every scheme whose table, bias or buckets take only numbers", async () => {
  const { data } = await json("table");
  const names = data.map((/** @type {any} */ { name }) => name);
  assert.deepEqual(
    names,
    "alibi axialRope kerple mrope rope sandwich sincosGrid sinusoidal t5Bias tisa windowBias xpos".split(
      " ",
    ),
  );
  for (const { name, operands } of data) {
    const numbers = operands.map((/** @type {string} */ _, /** @type {number} */ i) =>
      name === "mrope" && i === 1 ? "128" : `${4 * i + 4}`,
    );
    const { code, stdout } = await phasor("table", name, ...numbers, "--npz", `${name}.npz`);
    assert.equal(code, 0, stdout);
  }
  /** @param {string} file @param {Record<string, {data: any}>} arrays */
  const holds = async (file, arrays) => {
    const found = await npz.read(await read(file));
    assert.deepEqual(found.names, Object.keys(arrays));
    for (const [name, { data }] of Object.entries(arrays)) {
      assert.deepEqual((await found.tensor(name)).data, data, `${name} of ${file}`);
    }
  };
  const { query, key } = core.xpos.table(4, 8);
  await holds("xpos.npz", {
    ...{ query_cos: query.cos, query_sin: query.sin, key_cos: key.cos, key_sin: key.sin },
  });
  const { cos, sin } = core.axialRope.table([4, 8], 12);
  await holds("axialRope.npz", { cos, sin });
  await holds("sincosGrid.npz", { table: core.sincosGrid.table([4, 8], 12) });
  await holds("kerple.npz", { table: core.kerple.bias(4, 8) });
  const distances = [0, 1, 2, 3].map((i) => [0, 1, 2, 3].map((j) => j - i));
  await holds("t5Bias.npz", { table: core.t5Bias.bucket(distances) });
  await holds("windowBias.npz", { table: core.windowBias.index([4, 8]) });
  const text = [0, 1, 2, 3];
  const { cos: cosines, sin: sines } = core.mrope.table([text, text, text], 128);
  await holds("mrope.npz", { cos: cosines, sin: sines });
});

test("table takes a scaling and positions as JSON", async () => {
  const scaling = /** @type {const} */ ({ type: "yarn", factor: 4, originalLength: 64 });
  const set = ["--set", `scaling=${JSON.stringify(scaling)}`, "--set", "base=10000"];
  const { data } = await json("table", "rope", "5", "16", ...set);
  const { cos } = core.rope.table(5, 16, { base: 10_000, scaling });
  assert.deepEqual(data.cos.data, Array.from(cos.data));
  const positions = [[0, 1, 1], [0, 1, 2], [0, 1, 1]]; // prettier-ignore
  const picture = ["--set", `positions=${JSON.stringify(positions)}`, "--set", "sections=[2,1,1]"];
  const found = await json("table", "mrope", "3", "8", ...picture);
  const { sin } = core.mrope.table(positions, 8, { sections: [2, 1, 1] });
  assert.deepEqual(found.data.sin.data, Array.from(sin.data));
  const twice = await phasor("table", "rope", "5", "16", "--set", "base=500", "--set", "base=7");
  assert.match(twice.stderr, /--set base must be given once; got it twice/);
  const { code, stderr } = await phasor("table", "rope", "5", "16", "--set", "scaling=linear");
  assert.equal(code, 2);
  assert.match(stderr, /--set scaling must be JSON, such as scaling=\{.*\}; got "linear"\n$/);
});

test("rope --npz writes the tables of a configuration, which check finds right", async () => {
  const wrote = await phasor("rope", "llama-3.1-8b", "--length", "100", "--npz", "reference.npz");
  assert.match(wrote.stdout, /\nwrote reference\.npz: positions 100, cos 100 x 64, sin 100 x 64, inv_freq 64\n$/); // prettier-ignore
  const file = await npz.read(await read("reference.npz"));
  const { frequencies } = core.rope.frequencies(128, scaled);
  assert.deepEqual((await file.tensor("inv_freq")).data, frequencies.data);
  assert.deepEqual((await file.tensor("cos")).data, core.rope.table(100, 128, scaled).cos.data);
  const { code } = await phasor("check", "reference.npz", "--model", "llama-3.1-8b");
  assert.equal(code, 0);
  const long = await phasor("rope", "llama-3.1-8b", "--length", "2000000", "--npz", "long.npz");
  assert.match(long.stderr, /--length must be at most 1,048,576 with --npz/);
});

test("table also sets an option without a default", async () => {
  const { data } = await json("table", "rope", "5", "4", "--set", "base=500000");
  const { cos } = core.rope.table(5, 4, { base: 500_000 });
  assert.deepEqual(data.cos.data, Array.from(cos.data));
});

test("table without arguments lists the schemes with their numbers and options", async () => {
  const { code, stdout } = await phasor("table");
  assert.equal(code, 0);
  assert.match(stdout, /\nsinusoidal LENGTH DIM \(table\): base=10000 layout=interleaved /);
  assert.match(stdout, /\nsincosGrid HEIGHT WIDTH DIM \(table\): /);
  assert.match(stdout, /\nrope LENGTH DIM \(rotation\): base= precision=exact /);
});

test("rope summarizes the frequencies, and those of an engine without the scaling", async () => {
  const { code, data } = await json("rope", "config.json", "--length", "131072");
  assert.equal(code, 0);
  const [{ ignored, ...full }] = data.kinds;
  const own = core.rope.frequencies(128, scaled).frequencies.data;
  const plain = core.rope.frequencies(128, { base: 500000 }).frequencies.data;
  const turn = 2 * Math.PI;
  assert.deepEqual(
    [full.kind, full.layers, full.base, full.layout, full.dim, full.attentionFactor],
    ["full_attention", 32, 500000, "halves", 128, 1],
  );
  assert.deepEqual(full.wavelengths, { first: turn / own[0], last: turn / own[63] });
  assert.equal(full.trainedLength, 8192);
  assert.equal(full.pairsUnderOneTurn, [...plain].filter((f) => f * 8191 < turn).length);
  const turns = [...own].map((f, i) => (Math.abs(f - plain[i]) * 131_071) / turn);
  assert.equal(ignored.turns, Math.max(...turns));
  assert.equal(ignored.pair, turns.indexOf(ignored.turns));
  const { stdout } = await phasor("rope", "config.json");
  assert.match(
    stdout,
    /^llama, 131,072 positions\n {2}full_attention, 32 layers: base 500,000, halves/,
  );
  assert.match(stdout, /off by up to 18\.55 turns at the last position \(pair 32\)/);
});

test("rope counts the pairs that a partial rotation of the whole width leaves still", async () => {
  const scaling = { rope_type: "proportional", rope_theta: 1e6, partial_rotary_factor: 0.25 };
  const config = { model_type: "llama", hidden_size: 512, num_attention_heads: 2, head_dim: 256, num_hidden_layers: 1, vocab_size: 64, max_position_embeddings: 4096, rope_parameters: scaling }; // prettier-ignore
  await writeFile(join(folder, "partial.json"), JSON.stringify(config));
  const { data } = await json("rope", "partial.json");
  const turning = Array.from({ length: 32 }, (_, i) => 1e6 ** (-i / 128) * 4095 >= 2 * Math.PI);
  assert.equal(data.kinds[0].pairsUnderOneTurn, 128 - turning.filter(Boolean).length);
});

test("rope has the factor of the softmax scale for families that multiply by it alone", async () => {
  const factor = 0.1 * Math.log(40) + 1; // mscale_all_dim 1 of DeepSeek V3
  const factors = ["deepseek-v3", "ministral-3-8b"].map(async (name) => {
    const { data } = await json("rope", name);
    return data.kinds[0].softmaxFactor;
  });
  assert.deepEqual(await Promise.all(factors), [factor ** 2, 1]);
});

test("rope accepts names of known models and lists the kinds of layers", async () => {
  const { data } = await json("rope", "gemma-3-1b");
  assert.deepEqual(
    data.kinds.map((/** @type {any} */ { kind, base, ignored }) => [kind, base, ignored]),
    [
      ["sliding_attention", 10000, null],
      ["full_attention", 1000000, null],
    ],
  );
});

test("rope and xray name what programs have left that misread the configuration", async () => {
  const { code, data } = await json("xray", "config.json", "--length", "60000");
  assert.deepEqual([code, data.length, data.trained], [0, 60000, 8192]);
  const shares = (/** @type {any} */ { readers }) =>
    readers.map((/** @type {any} */ { reader, kinds }) => [reader, kinds[0].asked.toFixed(3)]);
  assert.deepEqual(shares(data)[0], ["scaling", "0.539"]);
  const { data: short } = await json("rope", "config.json", "--length", "60000");
  assert.deepEqual(shares(short), shares(data));
  const { stdout } = await phasor("xray", "config.json");
  assert.match(stdout, /^llama, 131,072 tokens\n {2}At 131,072 tokens 29 of 64 pairs meet /);
  assert.match(stdout, /\n {4}pairs #{35}!{29}\n/);
  assert.match(stdout, /\n {4}ignores the scaling +full_attention +0\.769 +0\.502\n/);
  assert.match(stdout, /\n {2}cache +131,072 bytes a token, 17,179,869,184 in all\n/);
  const { stdout: drawn } = await phasor("xray", "llama-3.1-8b", "--svg", "xray.svg");
  assert.match(drawn, /\nwrote xray\.svg\n$/);
  const svg = String(await read("xray.svg"));
  assert.match(
    svg,
    /^<svg [^>]* aria-label="llama-3\.1-8b: At 131,072 tokens 29 of 64 pairs meet /,
  );
  const { stdout: known } = await phasor("xray", "gpt2", "--length", "1025");
  assert.match(known, /the last 1 of 1,025 tokens have no row/);
  // A base that stands in rope_parameters alone is in the file, which a description is not.
  const { data: nested } = await json("xray", "nested.json");
  assert.deepEqual(nested.readers[0].does, "finds no rope_theta and takes 10,000");
});

test("config describes a file and lists the keys that it does not use", async () => {
  const { code, stdout } = await phasor("config", ".");
  assert.equal(code, 0);
  assert.match(stdout, /^llama\n {2}vocabulary +128,256\n/);
  assert.match(
    stdout,
    /\n {2}full_attention +dim 128, layout halves, options base 500,000, scaling type llama3/,
  );
  assert.match(stdout, /\n {2}ignored: architectures, bos_token_id, torch_dtype\n$/);
  const { data } = await json("config", "config.json");
  assert.deepEqual(data.positions.rotary.full_attention.options, scaled);
});

test("config and rope begin with the keys that may change what they say", async () => {
  for (const command of ["config", "rope"]) {
    const { stdout } = await phasor(command, "suspect.json");
    assert.match(stdout, /^llama.*\n {2}warning: config\.use_mla is not read, and may change /);
  }
  const { stdout } = await phasor("config", "suspect.json");
  assert.match(stdout, /\n {2}ignored: architectures, bos_token_id, torch_dtype\n$/);
  const { data } = await json("config", "suspect.json");
  assert.deepEqual(data.suspect, ["use_mla"]);
});

test("each command that reads a model says what is in doubt of it, and lists it in --json", async () => {
  const asked = [
    ["explore", "odd"],
    ["rows", "odd", "1"],
    ["nearest", "odd", "king"],
    ["norms", "odd"],
    ["pca", "odd"],
    ["rope", "odd"],
    ["config", "odd"],
    ["check", "odd/port.npz", "--model", "odd"],
  ];
  for (const args of asked) {
    const { stdout } = await phasor(...args);
    assert.match(stdout, /^ {2}warning: config\.use_mla is not read, and may change /m, args[0]);
    const { warnings } = (await json(...args)).data;
    assert.match(String(warnings), /^config\.use_mla is not read/, args[0]);
  }
});

test("config of a model on the hub reads only its config.json", async () => {
  const before = hub.asked.length;
  const { code, data } = await json(
    "config",
    "o/planted",
    ...network.slice(0, 2),
    "--revision",
    "main",
  );
  assert.deepEqual([code, data.positions.scheme], [0, "learnedPositions"]);
  assert.ok(hub.asked.slice(before).every(({ path }) => !path.endsWith("safetensors")));
});

test("a model that the hub has under another name is said", async () => {
  for (const command of ["config", "explore"]) {
    const { stdout } = await phasor(command, "old/planted", ...network);
    const warning =
      /\n {2}warning: the hub must answer with the model old\/planted; got o\/planted, /;
    assert.match(stdout, warning, command);
  }
});

test("the command exits quietly when the reader closes the pipe", async () => {
  const program = join(project, "dist", "cli.js");
  const args = [program, "table", "rope", "4096", "128", "--json"]; // more than a pipe holds
  const child = spawn(process.execPath, args, { cwd: folder });
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdout.once("data", () => child.stdout.destroy());
  const code = await new Promise((resolve) => child.once("close", resolve));
  assert.deepEqual([code, stderr], [0, ""]);
});

test("xray --badge writes a badge, and prints its line for a model card", async () => {
  const { code, stdout } = await phasor("xray", "config.json", "--badge", "a (1).svg");
  assert.equal(code, 0);
  const words = "positions: 8,192 tokens, llama3 \u00d78 to 131,072";
  assert.ok(stdout.endsWith(`\nwrote a (1).svg\n![${words}](<a (1).svg>)\n`), stdout);
  assert.ok(String(await read("a (1).svg")).includes(`aria-label="${words}"`));
});
