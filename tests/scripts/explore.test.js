import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { report } from "../../scripts/explore.js";
import { serveHub } from "../files/hub.js";
import { planted } from "../files/planted.js";

const model = planted({ dim: 144, positions: 64 });
const vocab = Object.fromEntries(Array.from({ length: 50_257 }, (_, id) => [`Ġw${id}`, id]));
const tokenizer = { model: { type: "BPE", vocab, merges: [] }, decoder: { type: "ByteLevel" } };
const hub = await serveHub({
  "o/planted": {
    files: {
      "model.safetensors": model,
      "config.json": JSON.stringify(model.config),
      "tokenizer.json": JSON.stringify(tokenizer),
    },
  },
});
after(hub.close);

test("npm run explore prints layers, lengths, outliers and neighbors of a model on the hub", async () => {
  /** @type {string[]} */
  const lines = [];
  const open = { base: hub.url, origins: [hub.store] };
  const print = (/** @type {string} */ line) => lines.push(...line.split("\n"));
  await report("o/planted", { words: [" w1234"], dtype: "int8", open, print });
  const text = lines.join("\n");
  assert.match(text, /^o\/planted at [0-9a-f]{8}\n/);
  assert.match(text, /\n {2}wordEmbeddings +wte\.weight +50,257 x 144 +float32 +28\.95 MB\n/);
  assert.match(text, /\n {2}positionEmbeddings +wpe\.weight +64 x 144 +float32 +0\.04 MB\n/);
  assert.match(text, /\n {2}positions by learnedPositions, up to 64\n/);
  assert.match(text, /in memory as int8\n {2}norm: mean 1\.\d{3}, std \d\.\d{3}, median /);
  assert.match(text, /\n {2}equal to another row: 2: " w40000 = {2}w40001"\n/);
  const [near] = model.neighbors(1234);
  const [, id, cosine] = /\n {2}" w1234": " w(\d+)" (0\.\d{3}), /.exec(text) ?? [];
  assert.equal(Number(id), near.id);
  assert.ok(Math.abs(Number(cosine) - near.cosine) < 0.005, "int8 is off by so much");
  assert.match(lines.at(-1) ?? "", /^\d+ requests, \d+\.\d\d MB$/);
});

test("npm run explore opens a file, and says in a sentence what is wrong", async () => {
  const script = fileURLToPath(new URL("../../scripts/explore.js", import.meta.url));
  const file = fileURLToPath(new URL("../golden/formats/tiny_q8_0.gguf", import.meta.url));
  const run = (/** @type {string[]} */ ...args) =>
    promisify(execFile)(process.execPath, [script, ...args]);
  const { stdout } = await run(file, "--word", "tok3");
  assert.match(stdout, /\n {2}wordEmbeddings +token_embd\.weight +12 x 64 +Q8_0 /);
  assert.match(stdout, /\n {2}"tok3": "tok0" /);
  await assert.rejects(run("./nowhere"), { stderr: /^FileError: source must be a file or folder/ });
  await assert.rejects(run(), { code: 1, stderr: /^npm run explore -- SOURCE / });
});
