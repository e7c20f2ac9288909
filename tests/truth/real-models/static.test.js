import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Tokenizer } from "@huggingface/tokenizers";
import { open } from "phasor/open";
import { phasor } from "../../phasor.js";
import { apart, compared, python, texts } from "./compared.js";

const reference = python("static", "reference.py", texts.path);
const model = await open(reference.folder, { phasor });

const [V, ROWS, D] = [276326, 10000, 64];

describe("a static model of int8", () => {
  test("opens with 10,000 rows of int8 for 276,326 tokens, and the row of each token", async () => {
    const list = await model.list();
    assert.deepEqual(
      list.map(({ name, dtype, shape }) => [name, dtype, shape]),
      [
        ["mapping", "int64", [V]],
        ["weights", "float32", [V]],
        ["embeddings", "int8", [ROWS, D]],
      ],
    );
    assert.equal(model.tensorNames.wordEmbeddings, "embeddings");
    assert.equal((await model.vocabulary())?.size, V);
    const { data } = await model.tensor("mapping");
    assert.ok(data.every((row) => Number.isInteger(row) && row >= 0 && row < ROWS));
    assert.equal(new Set(data).size, ROWS);
  });

  test("embeds texts with the same rows as its own encoder", async () => {
    const tokenizer = await model.tokenizer(Tokenizer);
    assert.ok(tokenizer);

    let [worst, numbers] = [0, 0];
    for (const [i, text] of texts.list.entries()) {
      const ids = tokenizer.encode(text);
      if (ids.length === 0) continue; // theirs is 0, ours has no direction
      const sum = new Float64Array(D);
      for (const { data } of await model.embed(ids)) data.forEach((x, d) => (sum[d] += Number(x)));
      const { data } = phasor.normalize.l2([...sum]);
      const difference = apart(data, reference.rows[i]);
      // Theirs adds T products in float32, ours in double, of products that both round: T roundings of
      // what grows to the sum, and T of its parts.
      assert.ok(difference <= (2 * ids.length + 2) * 2 ** -24, `${text}: ${difference}`);
      worst = Math.max(worst, difference);
      numbers += D;
    }
    assert.ok(numbers >= 10 * D);
    const about = { model: "static", compared: "texts", with: "its encoder in Rust" };
    compared({ ...about, numbers, apart: worst.toExponential(1) });
  });
});
