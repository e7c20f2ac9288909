// The rows of hashed n-grams as the models' code computes them: a record of `npm run x -- test:atlas` (ngrams.py).
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "phasor/ngrams";
import { random } from "../../unit/reference/samples.js";

const { ngramIds } = await load();
const cases = JSON.parse(readFileSync(new URL("ngrams.json", import.meta.url), "utf8"));
const { texts, ids: compressed } = cases.pop();

const EOS = 7;

/** Ids and a mask, as `drawn` of ngrams.py. @param {{seed: number, shape: number[], below: number, often: number}} of */
function drawn({ seed, shape, below, often }) {
  const next = random(seed);
  const ids = Array.from({ length: shape[0] * shape[1] }, () => {
    const number = next();
    return number >>> 24 < often ? EOS : (number >>> 1) % below;
  });
  const mask = { data: ids.map(() => next() >>> 28 < 12), shape };
  return { ids: { data: ids, shape }, mask };
}

test("ngramIds.deepseekMap compresses texts as the tokenizer library's normalizers do", () => {
  assert.deepEqual(ngramIds.deepseekMap(texts).toArray(), compressed);
  assert.ok(Math.max(...compressed) < texts.length / 1.3, "many have ids of others");
});

for (const { model, options, digest, last, masked, ...draw } of cases) {
  test(`ngramIds.${model} gives the rows of the model's code: case ${draw.seed}`, () => {
    const { ids, mask } = drawn(draw);
    const { ids: known, ...own } = options;
    const { vocabulary } = options;
    const map = Array.from({ length: known ?? 0 }, (_, id) => (id * 7 + 3) % vocabulary);
    const given = { ...own, ...(known && { map }), ...(masked && { mask }) };
    const rows = /** @type {any} */ (ngramIds)[model](ids, given);
    assert.deepEqual([...rows.data.slice(-last.length)], last);
    assert.equal(createHash("sha256").update(rows.data).digest("hex"), digest);
  });
}

test("a record has thousands of sequences of each of four models", () => {
  const count = (/** @type {string} */ model) =>
    cases
      .filter((/** @type {any} */ each) => each.model === model)
      .reduce((/** @type {number} */ sum, /** @type {any} */ { shape }) => sum + shape[0], 0);
  assert.deepEqual(["qwen4", "blt", "longcat", "deepseek"].map(count), [1400, 600, 900, 700]);
});
