// Tables of sinusoids of a grid, written from the formulas in double: order of the axes, layout, frequencies, positions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { identify } from "phasor/oracle";
import { phasor, Tensor } from "../../phasor.js";
import { cases } from "../../truth/golden.js";

const { sincosGrid } = phasor;

/** @param {any} table @returns {Promise<any>} */
const asked = (table) => identify({ table }, { phasor });

/**
 * @typedef {object} Wanted
 * @property {[number, number]} [axes] @property {"halves" | "interleaved" | "flipped" | "sines-first"} [layout]
 * @property {number} [base] @property {(k: number, P: number) => number} [exponent] @property {[number, number]} [scales]
 * @property {number} [first] @property {number} [prefix]
 */

/**
 * A table by its formula: P pairs of each axis.
 * @param {number} H @param {number} W @param {number} P @param {Wanted} wanted
 */
function tableOf(H, W, P, { axes = [0, 1], layout = "halves", base = 10000, exponent = (k) => k / P, scales = [1, 1], first = 0, prefix = 0 }) {
  const D = 4 * P;
  const data = new Float64Array((prefix + H * W) * D);
  for (let cell = 0; cell < H * W; ++cell) {
    const place = [Math.floor(cell / W), cell % W].map((i, axis) => scales[axis] * (first + i));
    for (const [half, axis] of axes.entries()) {
      for (let k = 0; k < P; ++k) {
        const angle = place[axis] * base ** -exponent(k, P);
        const at = (prefix + cell) * D;
        const [sine, cosine] = {
          halves: [2 * P * half + k, 2 * P * half + P + k],
          flipped: [2 * P * half + P + k, 2 * P * half + k],
          interleaved: [2 * P * half + 2 * k, 2 * P * half + 2 * k + 1],
          "sines-first": [P * half + k, 2 * P + P * half + k],
        }[layout];
        data[at + sine] = Math.sin(angle);
        data[at + cosine] = Math.cos(angle);
      }
    }
  }
  return new Tensor(Float32Array.from(data), [prefix + H * W, D]);
} // prettier-ignore

/** @type {[what: string, wanted: Wanted, says: RegExp][]} */
const TABLES = [
  ["rows first", {}, /^sinusoids of a grid of 6 x 9, rows before columns, halves, 32 columns, base 10000 by base\^\(-2i\/16\)$/],
  ["columns first, a class token", { axes: [1, 0], prefix: 1 }, /columns before rows, halves, 32 columns, .*, 1 row of zeros first$/],
  ["interleaved, base 100", { layout: "interleaved", base: 100 }, /rows before columns, interleaved, 32 columns, base 100 /],
  ["cosines first", { layout: "flipped" }, /halves, cosines first, 32 columns/],
  ["sines before cosines", { layout: "sines-first", axes: [1, 0] }, /columns before rows, sines before cosines, 32 columns/],
  ["frequencies to 1 / base", { exponent: (k, P) => k / (P - 1) }, /base 10000 by base\^\(-i\/\(16\/2 - 1\)\)$/],
  ["other steps of rows and columns, from 1", { scales: [0.5, 0.25], first: 1 }, /rows times 0.5 from 1, columns times 0.25 from 1$/],
]; // prettier-ignore

for (const [what, wanted, says] of TABLES) {
  test(`a grid of sinusoids: ${what}`, async () => {
    const [H, W, P] = [6, 9, 8];
    const table = tableOf(H, W, P, wanted);
    const found = await asked(table);
    assert.equal(found.kind, "sincosGrid", found.sentence);
    assert.match(found.sentence, says);
    assert.deepEqual([found.grid, found.prefix, found.dim], [[H, W], wanted.prefix ?? 0, 4 * P]);
    assert.ok(found.residual <= 2 ** -24, String(found.residual));
    if (wanted.prefix) return;
    const shaped = await asked(table.reshape(H, W, 4 * P));
    assert.equal(shaped.sentence, found.sentence);
  });
}

test("a grid of sinusoids: presets at several sizes, and the models that have them", async () => {
  for (const preset of /** @type {const} */ (["vit_mae", "moco-v3", "timm", "timm-interleaved", "simple-vit", "diffusers"])) {
    for (const [H, W] of [[4, 4], [14, 14], [5, 12]]) {
      const found = await asked(sincosGrid.table([H, W], 64, sincosGrid.presets[preset]));
      assert.ok(found.presets?.includes(preset), `${preset} ${H} x ${W}: ${found.sentence}`);
    }
  }
  const detr = await asked(sincosGrid.masked(new Tensor(new Float32Array(7 * 10).fill(1), [7, 10]), 64)); // prettier-ignore
  assert.equal(detr.kind, "sincosGrid", detr.sentence);
  const mae = await asked(sincosGrid.table([14, 14], 64, { ...sincosGrid.presets.vit_mae, prefix: 1 })); // prettier-ignore
  assert.ok(mae.families.includes("vit_mae"), String(mae.families));
}); // prettier-ignore

test("a grid of sinusoids: tables that other libraries have made", async () => {
  let count = 0;
  for (const { id, params, outputs } of cases("sincos2d", 7)) {
    const { h, w, base, d_model: D } = params;
    const { data, shape } = outputs.out;
    const found = await asked({ data: Float32Array.from(/** @type {any} */ (data)), shape });
    if (Math.min(h, w) < 4) {
      assert.match(found.sentence, /at least 4 rows and columns|at least 4 rows|no 4 rows/, id);
      continue;
    }
    ++count;
    assert.deepEqual([found.kind, found.base, found.grid, found.dim], ["sincosGrid", base, [h, w], D], id);
  }
  assert.equal(count, 2);
}); // prettier-ignore

test("a grid of which one half has other frequencies has no name", async () => {
  const [one, other] = [{}, { base: 500 }].map((wanted) => tableOf(5, 6, 8, wanted));
  const data = one.data.map((x, k) => (k % 32 < 16 ? x : other.data[k]));
  const found = await asked(new Tensor(data, [30, 32]));
  assert.equal(found.kind, "none");
  assert.match(found.sentence, /rows and columns of a grid of 5 x 6 have other frequencies or layouts$/);
}); // prettier-ignore

test("a grid of sinusoids: a factor by the width of an axis", async () => {
  const { data, shape } = tableOf(5, 6, 8, {});
  const found = await asked(new Tensor(Float32Array.from(data, (x) => Number(x) * Math.sqrt(2 / 16)), shape)); // prettier-ignore
  assert.match(found.sentence, /, times \(2\/16\)\^\(1\/2\)$/);
});
