import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, test } from "node:test";
import { open } from "phasor/open";
import { phasor } from "../../phasor.js";
import { compared, installed, python } from "./compared.js";

const file = join(installed("gemma"), "gemma-3-270m-q4_k_m.gguf");
const reference = python("gemma", "reference.py", file);

/** ggml's names of plain numbers, which phasor calls as everywhere. @type {Record<string, string>} */
const PLAIN = { F32: "float32", F16: "float16", BF16: "bfloat16" };
for (const tensor of reference.tensors) tensor.dtype = PLAIN[tensor.dtype] ?? tensor.dtype;

const model = await open(file, { phasor });

const ROWS = 4096; // that are decoded together: the table of words takes 671 MB as float32

/**
 * The digest of a tensor's float32, read as its rows.
 * @param {{name: string, shape: readonly number[]}} tensor
 */
async function digest({ name, shape }) {
  const result = createHash("sha256");
  for (let first = 0; first < shape[0]; first += ROWS) {
    const count = Math.min(ROWS, shape[0] - first);
    const rows = Int32Array.from({ length: count }, (_, row) => first + row);
    const { data } = await model.tensor(name, { rows });
    result.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  return result.digest("hex");
}

describe("Gemma 3 270M in GGUF", () => {
  test("opens with its table of words, rotary positions and a scale", () => {
    assert.equal(model.format, "gguf");
    assert.equal(model.tensorNames.wordEmbeddings, "token_embd.weight");
    assert.deepEqual(
      [model.wordEmbeddings?.shape, model.wordEmbeddings?.dtype],
      [[262144, 640], "Q8_0"],
    );
    assert.equal(model.positionEmbeddings, undefined);
    assert.equal(model.config?.positions.scheme, "rope");
    assert.deepEqual(model.warnings, []);
  });

  test("has the tensors that ggml's reader finds", async () => {
    const list = await model.list();
    assert.equal(list.length, 236);
    assert.deepEqual(
      list.map(({ name, dtype, shape }) => [name, dtype, shape]),
      reference.tensors.map((/** @type {any} */ { name, dtype, shape }) => [name, dtype, shape]),
    );
  });

  for (const dtype of ["float32", "Q5_0", "Q4_K", "Q6_K", "Q8_0"]) {
    test(`decodes every number of ${dtype} to the float32 of ggml's own package`, async () => {
      const tensors = reference.tensors.filter((/** @type {any} */ each) => each.dtype === dtype);
      assert.ok(tensors.length > 0);
      let numbers = 0;
      for (const tensor of tensors) {
        assert.equal(await digest(tensor), tensor.sha256, tensor.name);
        numbers += tensor.shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b);
      }
      const about = { model: "gemma", compared: `tensors in ${dtype}`, with: "ggml's gguf" };
      compared({ ...about, numbers, apart: "0" });
    });
  }

  test("has the tokens, their scores and their kinds", async () => {
    const words = await model.vocabulary();
    assert.deepEqual(words?.tokens, reference.tokens);
    assert.deepEqual(words?.scores, Float32Array.from(reference.scores));
    const [UNKNOWN, CONTROL] = [2, 3];
    const special = [...reference.kinds.keys()].filter((id) =>
      [UNKNOWN, CONTROL].includes(reference.kinds[id]),
    );
    assert.deepEqual(words?.special, special);
    assert.equal(words?.text(Number(words.find(" cat"))), " cat");
    const about = { model: "gemma", compared: "tokens", with: "ggml's gguf" };
    compared({ ...about, numbers: 262144, apart: "0" });
  });
});
