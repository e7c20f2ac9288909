import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { project } from "../../../scripts/setup/setup.js";
import { consumer } from "../../hosts/consumer.js";
import { caseOf } from "../../truth/golden.js";
import { filesOf, promised } from "./guide.js";
import { printed } from "./torch.js";

/**
 * @typedef {{data: number[], shape: number[], kind: "int" | "float"}} Part
 * @typedef {object} Expected  what a pair of programs prints
 * @property {Part[]} parts  in their order, from the reference values
 * @property {Part[]} [also]  what the program in JavaScript prints after them
 * @property {number} [within]  by how much its numbers may differ
 */

/** Float32 rounds a number near 1 to 6e-8, and the libraries round a few times. */
const WITHIN = 1e-6;

/**
 * Part of a reference value: one element along each of the first axes, then a range of those left.
 * @param {string} id @param {string} name @param {number[]} [at]
 * @param {[from: number, to: number][]} [ranges]
 * @returns {Part}
 */
function part(id, name, at = [], ranges = []) {
  const { data, shape } = caseOf(id).outputs[name];
  const rest = shape.slice(at.length);
  const start = at.reduce((sum, i, axis) => sum * shape[axis] + i, 0) * size(rest);
  const [first = [0, rest[0] ?? 1], second = [0, rest[1] ?? 1]] = ranges;
  /** @type {number[]} */
  const numbers = [];
  for (let i = first[0]; i < first[1]; ++i) {
    for (let j = second[0]; j < second[1]; ++j) {
      numbers.push(Number(data[start + i * size(rest.slice(1)) + j]));
    }
  }
  const sizes = [first, second].slice(0, rest.length).map(([from, to]) => to - from);
  return { data: numbers, shape: sizes, kind: data instanceof BigInt64Array ? "int" : "float" };
}

/** @param {number[]} shape */
const size = (shape) => shape.reduce((product, length) => product * length, 1);

/** The first six. @type {[number, number][]} */
const six = [[0, 6]];

/** @type {Record<string, Expected>} */
const expected = {
  seed: {
    parts: [
      part("init.embedding.seed42.100x64", "weight", [0], six),
      part("init.second_table.seed42", "weight", [0], six),
    ],
  },
  init: {
    parts: [
      part("init.normal_0.02.seed42.20x8", "weight", [0], six),
      part("init.xavier_uniform.seed42.20x8", "weight", [0], six),
    ],
  },
  pretrained: {
    parts: [part("embedding.forward.v20.d8", "out", [0], [[0, 2], ...six])],
    within: 0,
  },
  padding: {
    parts: [
      part("embedding.padding_idx", "grad_weight", [0]),
      part("embedding.padding_idx", "grad_weight", [2]),
    ],
  },
  "max-norm": {
    parts: [
      part("embedding.max_norm.1.0.p2.0", "weight_after", [7], six),
      part("embedding.max_norm.1.0.p2.0", "weight_after", [0], six),
    ],
  },
  bag: { parts: [part("embedding.bag.mean", "out")] },
  pooling: { parts: [part("sentences.pooling.right.prompt0", "mean")] },
  sinusoidal: { parts: [part("sinusoidal.vaswani.d6", "out", [], [[37, 39]])] },
  far: {
    parts: [part("sinusoidal.large.d128.base10000", "out", [4], six)],
    also: [part("sinusoidal.large.d128.base10000", "out_exact", [4], six)],
  },
  scaled: { parts: [part("embedding.token_sinusoidal", "out", [1, 7], six)] },
  rope: {
    parts: [
      part("rope.apply.half.llama", "q_out", [1, 1, 2], six),
      part("rope.apply.half.llama", "k_out", [1, 0, 2], six),
    ],
  },
  gptj: { parts: [part("rope.apply.interleaved.gptj", "q_out", [0, 0, 0], six)] },
  llama3: { parts: [part("rope.llama3.llama3_1_8b", "inv_freq", [], [[26, 32]])] },
  yarn: {
    parts: [
      part("rope.yarn.qwen2_5", "inv_freq", [], [[20, 26]]),
      part("rope.yarn.qwen2_5", "attention_factor", [0]),
    ],
  },
  bloom: { parts: [part("alibi.bias.bloom.h5", "bias", [1, 0])], within: 0 },
  t5: { parts: [t5Buckets(), part("t5.bias.bi", "bias", [3, 9], six)], within: 0 },
  bert: { parts: [part("embedding.bert", "out", [1, 8], six)] },
  gpt2: { parts: [part("embedding.gpt2", "out", [1, 6], six)], within: 0 },
  normalize: {
    parts: [
      part("embedding.layernorm.d16.eps1e-05", "out", [0], six),
      part("embedding.rmsnorm.llama.d16", "out", [0], six),
      part("embedding.rmsnorm.gemma.d16", "out", [0], six),
    ],
  },
  attention: { parts: [part("attention.causal", "out", [0, 3, 4], six)] },
  bias: { parts: [part("attention.alibi.causal", "out", [0, 7, 4], six)] },
  "key-mask": { parts: [part("attention.padmask", "out", [1, 1, 4], six)] },
  multihead: { parts: [part("attention.mha_module", "out", [1, 2], six)] },
  nearest: {
    parts: [
      part("analysis.cosine.pairs", "out", [], six),
      part("analysis.topk.random.cosine", "indices", [1]),
      part("analysis.topk.random.cosine", "values", [1]),
    ],
  },
};

/** The buckets of keys 0 .. 9 as the query at 0 sees them. @returns {Part} */
function t5Buckets() {
  const { inputs, outputs } = caseOf("t5.bucket.n32.d128.bi");
  const zero = Array.from(inputs.relative_position.data, Number).indexOf(0);
  const data = Array.from(outputs.bucket.data.slice(zero, zero + 10), Number);
  return { data, shape: [10], kind: "int" };
}

/** @param {string} text */
const numbersOf = (text) => (text.match(/-?\d+(\.\d*)?(e[-+]?\d+)?/g) ?? []).map(Number);

const files = await filesOf("from-pytorch");

test("guide from-pytorch: each program in Python has one in JavaScript and values to compare", () => {
  const names = [...files.keys()].map((file) => file.replace(/\.\w+$/, ""));
  const pairs = names.filter((_, i) => i % 2 === 0);
  assert.deepEqual(
    [...files.keys()],
    pairs.flatMap((name) => [`${name}.py`, `${name}.mjs`]),
  );
  assert.deepEqual(pairs, ["tensors", ...Object.keys(expected)]);
});

test("guide from-pytorch: its Python programs have valid syntax", () => {
  const programs = [...files].filter(([file]) => file.endsWith(".py"));
  const check = "import ast, json, sys\nfor code in json.load(sys.stdin): ast.parse(code)";
  const input = JSON.stringify(programs.map(([, code]) => code));
  const { status, stderr } = spawnSync("python3", ["-c", check], { input, encoding: "utf8" });
  assert.equal(status, 0, stderr);
});

test("guide from-pytorch: the values below Python programs are those of the reference files", () => {
  for (const [name, { parts }] of Object.entries(expected)) {
    const lines = parts.map(({ data, shape, kind }) =>
      shape.length === 0 ? String(data[0]) : printed(data, shape, kind),
    );
    assert.equal(promised(String(files.get(`${name}.py`))).join("\n"), lines.join("\n"), name);
  }
});

/** What separates the outputs of programs that one process runs after each other. */
const NEXT = "-- next program";

test("guide from-pytorch: its JavaScript programs print the output that it shows, and PyTorch's values", async (t) => {
  const { folder, put } = await consumer(t);
  await put("tensors.mjs", String(files.get("tensors.mjs")));
  for (const topic of ["embedding", "rope", "t5", "attention", "analysis", "sentences"]) {
    const file = `${topic}.safetensors`;
    await copyFile(join(project, "tests/truth/golden", file), join(folder, file));
  }
  const names = Object.keys(expected);
  for (const name of names) await put(`${name}.mjs`, String(files.get(`${name}.mjs`)));
  // In one process: each would load the core again.
  const all = names.map((name) => `await import("./${name}.mjs");`);
  await put("all.mjs", all.join(`\nconsole.log("${NEXT}");\n`));
  const options = /** @type {const} */ ({ cwd: folder, encoding: "utf8" });
  const { status, stdout, stderr } = spawnSync(process.execPath, ["all.mjs"], options);
  assert.equal(status, 0, stderr);
  const outputs = stdout.trimEnd().split(`\n${NEXT}\n`);
  assert.equal(outputs.length, names.length);
  for (const [i, [name, { parts, also = [], within = WITHIN }]] of Object.entries(
    expected,
  ).entries()) {
    const file = `${name}.mjs`;
    assert.deepEqual(outputs[i].split("\n"), promised(String(files.get(file))), file);
    const theirs = [...parts, ...also].flatMap(({ data }) => data);
    const ours = numbersOf(outputs[i]);
    assert.equal(ours.length, theirs.length, file);
    for (const [k, number] of theirs.entries()) {
      // Printed are the digits that tell float32 apart, but no more than eight decimals.
      const margin = within * Math.max(1, Math.abs(number)) + 5e-9;
      const difference = Math.abs(Math.fround(ours[k]) - number);
      assert.ok(difference <= margin, `${file}: ${ours[k]}, ${number}`);
    }
  }
});
