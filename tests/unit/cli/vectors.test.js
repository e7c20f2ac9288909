import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { safetensors } from "phasor/files";
import { vectors } from "phasor/vectors";
import { folderOf, llama } from "./phasor.js";

const { folder, phasor, json, read } = await folderOf(
  { after },
  {
    "config.json": JSON.stringify(llama),
    "odd.json": '{"model_type": "no\\u0007ne"}',
    "name.json": "gpt2",
  },
);

test("phasor vectors writes the files of vectors() into a folder", async () => {
  const { code, stdout, stderr } = await phasor(
    ...["vectors", "config.json", "--out", "a/kit", "--length", "8", "--tests", "pytest,rust"],
  );
  assert.equal(stderr, "");
  assert.equal(code, 0);
  const options = { length: 8, tests: /** @type {const} */ (["pytest", "rust"]) };
  const { files, leftOut } = await vectors(JSON.stringify(llama), options);
  for (const [name, content] of Object.entries(files)) {
    assert.deepEqual(await read(join("a/kit", name)), Buffer.from(content), name);
    assert.match(stdout, new RegExp(`\\n {2}${name.replace(".", "\\.")}, [\\d,]+ bytes\\n`));
  }
  for (const [name, why] of Object.entries(leftOut)) {
    assert.ok(stdout.includes(`\n  left out of ${name}: ${why}\n`), stdout);
  }
});

test("phasor vectors --json lists the files; --tests none and --seed are passed on", async () => {
  const args = ["vectors", "gpt2", "--out", "made", "--tests", "none", "--seed", "7"];
  const { code, data } = await json(...args);
  assert.equal(code, 0);
  const { files } = await vectors("gpt2", { tests: [], seed: 7 });
  const named = data.files.map((/** @type {{file: string}} */ { file }) => file);
  assert.deepEqual(named, Object.keys(files));
  assert.match(data.leftOut["rotary.safetensors"], /learnedPositions/);
  const written = await safetensors.read(await read("made/embedding.safetensors"));
  assert.equal(written.metadata.get("config"), "gpt2");
});

test("phasor vectors refuses what it cannot do, and writes nothing", async () => {
  const wrong = /** @type {const} */ ([
    [["vectors", "gpt2"], 2, /--out must be a folder to write to; got none/],
    [["vectors", "gpt2", "--out", "x", "--tests", "pytset"], 2, /--tests must be none, or of pytest, vitest, rust, swift, cpp; got "pytset"; did you mean "pytest"\?/], // prettier-ignore
    [["vectors", "gpt2", "--out", "x", "--length", "0"], 2, /--length must be a whole number/],
    [["vectors", "gpt2", "--out", "x", "--length", "5000"], 1, /length must be a whole number from 1 to 4096; got 5000/], // prettier-ignore
    [["vectors", "odd.json", "--out", "x"], 1, /config must be of a family that phasor knows/],
    [["vectors", "name.json", "--out", "x"], 1, /config must be JSON; got /],
    [["xray", "name.json"], 1, /config must be JSON; got /],
    [["vectors", "missing.json", "--out", "x"], 1, /no such file/],
  ]);
  for (const [args, code, says] of wrong) {
    const found = await phasor(...args);
    assert.equal(found.code, code, found.stderr);
    assert.match(found.stderr, says);
    assert.ok(!found.stderr.includes("\u0007"), "names are escaped");
    assert.equal(existsSync(join(folder, "x")), false);
  }
});
