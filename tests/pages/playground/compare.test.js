import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { difference } from "../../../web/playground/compare.js";
import { schemes } from "../../../web/playground/schemes/index.js";
import { initial } from "../../../web/playground/settings.js";

const phasor = await load();

/** @param {string} name @param {string} view @param {Record<string, any>} [more] */
function picture(name, view, more) {
  const scheme = schemes[name];
  return scheme.compute(phasor, { ...initial(scheme.settings), ...more }, view);
}

test("a difference is the first minus the second, exactly", () => {
  const one = picture("sinusoidal", "heatmap");
  const other = picture("sinusoidal", "heatmap", { precision: "torch", offset: 1000 });
  const { picture: made, largest, at } = difference(one, other);
  assert.ok(made && largest && at);
  made.data.data.forEach((/** @type {number} */ x, /** @type {number} */ k) => {
    assert.equal(x, one.data.data[k] - other.data.data[k]);
  });
  assert.equal(largest, Math.abs(Number(made.data.at(...at))));
  assert.ok(made.data.data.every((/** @type {number} */ x) => Math.abs(x) <= largest));
});

test("pictures of other schemes compare where their sizes agree", () => {
  const { picture: made } = difference(
    picture("sinusoidal", "heatmap"),
    picture("learnedPositions", "heatmap"),
  );
  assert.deepEqual(made?.data.shape, [64, 64]);
});

test("cells that are masked in both have no difference", () => {
  const bias = picture("alibi", "bias", { form: "causal" });
  const { largest } = difference(bias, bias);
  assert.equal(largest, 0);
});

test("frequencies and hands have a difference in lines", () => {
  for (const view of ["spectrum", "clock"]) {
    const { picture: made } = difference(
      picture("rope", view),
      picture("rope", view, { scaling: "linear" }),
    );
    assert.equal(made?.kind, "waves");
    assert.equal(made.options.labels.length, /** @type {any} */ (made.given).shape[1]);
  }
});

test("pictures of other sizes or kinds have no difference, and a reason", () => {
  const narrow = picture("sinusoidal", "heatmap", { dim: 32 });
  const { why, picture: made } = difference(picture("sinusoidal", "heatmap"), narrow);
  assert.equal(made, undefined);
  assert.equal(why, "Cannot subtract: the sizes are 64 × 64 and 64 × 32.");
  assert.match(difference(picture("rope", "clock"), narrow).why ?? "", /kinds/);
});
