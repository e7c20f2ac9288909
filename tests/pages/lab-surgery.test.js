// What the lab's page does to a trained decoder without a step, against the decoder in double precision.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor/lab";
import { load as loadPhasor } from "phasor";
import { bfloat16, operated, otherLayout } from "../../web/app/lab-surgery.js";
import { decoder as reference } from "../unit/reference/decoder.js";

const { lab } = await load();
const task = lab.tasks.back({ symbols: 8, distance: 2 });
const sizes = { vocabulary: 8, dim: 24, heads: 3, layers: 2, seed: 4 };
const ids = [[1, 5, 2, 7, 0, 3, 3, 6, 4, 1, 2]];

/** @param {import("phasor/lab").Position} position */
function trained(position) {
  const model = lab.decoder({ ...sizes, position });
  Array.from(model.train(task, { length: 8, batch: 4, steps: 20 }));
  return model;
}

/** @param {ReturnType<typeof trained>} model */
const weightsOf = (model) => /** @type {import("../../web/app/lab-pairs.js").Weights} */ (model.weights()); // prettier-ignore

for (const scheme of /** @type {const} */ (["rope", "xpos"])) {
  test(`${scheme}: with the rows of the other layout, pairs are (2i, 2i + 1) of the trained rows`, () => {
    const model = trained({ scheme });
    const weights = weightsOf(model);
    const twin = lab.decoder.from(otherLayout(weights, sizes.heads), model.options());
    const position = { scheme, layout: "interleaved" };
    const exact = reference(weights, ids, { heads: sizes.heads, position });
    twin
      .logits(ids)
      .data.forEach((x, i) => assert.ok(Math.abs(x - exact.logits.flat(2)[i]) <= 2e-5, `${i}`));
    assert.notDeepEqual(twin.logits(ids).data, model.logits(ids).data);
    assert.deepEqual(weights, model.weights(), "what was given is left alone");
  });
}

test("bfloat16 rounds whole numbers as the package does", async () => {
  const { dtypes } = await loadPhasor();
  const all = Int32Array.from({ length: 5000 }, (_, n) => n);
  const rounded = dtypes.decode(dtypes.encode(all, "bfloat16")).data;
  assert.deepEqual([...all].map(bfloat16), [...rounded]);
});

test("operations: positions are moved or rounded, a base is larger, the rest stays as trained", () => {
  const three = Int32Array.from([3, 1, 2]);
  const at = (/** @type {"one" | "five" | "bfloat16"} */ name) => [
    .../** @type {any} */ (operated(name, { scheme: "none" })).positions(three),
  ];
  assert.deepEqual([at("one"), at("five"), at("bfloat16")], [[1, 2, 3], [5, 6, 7], [0, 1, 2]]); // prettier-ignore
  assert.deepEqual(operated("base", { scheme: "rope", keep: 1, base: 100 }), {
    position: { scheme: "rope", keep: 1, base: 5000 },
  });
  const model = trained({ scheme: "rope" });
  const losses = /** @type {const} */ ([
    "linear",
    "ntk",
    "yarn",
    "base",
    "layout",
    "one",
    "five",
  ]).map((name) => {
    const options = { length: 32, tokens: 640, ...operated(name, model.position) };
    return model.evaluate(task, options).loss;
  });
  const plain = model.evaluate(task, { length: 32, tokens: 640 }).loss;
  const [linear, ntk, yarn, base, layout, one, five] = losses.map((loss) => Math.abs(loss - plain));
  for (const x of [linear, ntk, yarn, base]) assert.ok(x > 1e-3, `${x}`);
  assert.equal(layout, 0, "other weights make it");
  for (const x of [one, five]) assert.ok(x < 1e-5, `RoPE has differences alone: ${x}`);
});
