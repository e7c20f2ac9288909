// Grids and M-RoPE: pairs that follow different positions are named with these positions, or the failed step is said.
import assert from "node:assert/strict";
import { test } from "node:test";
import { identify } from "phasor/oracle";
import { phasor, Tensor } from "../../phasor.js";
import { atNight, everyNth, isNight, SEED } from "../../sample.js";
import { makeStreams, STREAMS } from "./streams.js";

const { axialRope, mrope, positionIds, rope } = phasor;

/** @param {any} arrays @param {any} [options] @returns {Promise<any>} */
const asked = (arrays, options) => identify(arrays, { phasor, ...options });

/** What is asked of a table. @param {any} table */
const parts = ({ cos, sin }) => ({ cos, sin });

/** The axes of pairs. @param {any} name */
const axesOf = ({ sections, arrangement }) => [
  ...mrope.axes(2 * sections.reduce((/** @type {number} */ sum, /** @type {number} */ n) => sum + n, 0), { sections, arrangement }).data,
]; // prettier-ignore

/** What is wrong. @param {number} index @returns {Promise<string | undefined>} */
async function mistake(index) {
  const { what, format, arrays, wanted } = makeStreams(SEED, index);
  const answer = await asked(arrays, { precision: format });
  const title = `${index}: ${what}, ${format}: ${answer.sentence}`;
  // Slow pairs of a narrow format do not show a position each: then the answer says so.
  if (wanted.kind === "mrope" && format !== "float32" && answer.kind === "none") {
    return /(does|do) not show|too little .* to show|streams of positions, not three|has no whole position/.test(answer.sentence) ? undefined : title;
  }
  const { base, sections, ...rest } = wanted;
  const axes = sections && axesOf(wanted);
  const all = [answer, ...(answer.alsoEqual ?? [])].map((one) => ({ ...answer, ...one }));
  const isWanted = (/** @type {any} */ one) =>
    (!axes || axesOf(one).every((/** @type {number} */ axis, /** @type {number} */ i) => answer.hidden.includes(i) || axis === axes[i])) &&
    Math.abs(one.base / base - 1) <= (format === "float32" ? 1e-4 : 1e-2) &&
    Object.entries(rest).every(([name, value]) => JSON.stringify(one[name]) === JSON.stringify(value));
  // Of float32 numbers only pairs that turn by less than a few roundings in all rows do not show their axis.
  if (format === "float32" && answer.hidden?.some((/** @type {number} */ i) => answer.frequencies.fitted[i] > 2e-6)) return `${title}; hidden ${answer.hidden}`;
  const known = all.some(isWanted) && answer.residual <= { float32: 2 ** -21, float16: 2 ** -9, bfloat16: 2 ** -6 }[format];
  return known ? undefined : `${title}; wanted ${JSON.stringify({ ...wanted, ids: undefined })}`;
} // prettier-ignore

test(`identify names seeded ports of ${STREAMS.length} conventions with several positions a row`, async () => {
  assert.equal(STREAMS.length, 12);
  const mistakes = [];
  for (let index = 0; index < (isNight ? 240 : STREAMS.length); index += isNight ? 1 : 4) {
    const wrong = await mistake(index);
    if (wrong) mistakes.push(wrong);
  }
  assert.deepEqual(mistakes, []);
});

test("identify says of rows that do not show all axes what it found by the best spectrum", async () => {
  for (const index of [129, 201]) {
    const { arrays, format: precision } = makeStreams(20787, index);
    assert.match((await asked(arrays, { precision })).sentence, /; in all rows pairs follow 2 streams of positions, not three$/); // prettier-ignore
  }
});

test("identify prefers sections that vectors show by their last digits to those of a known model", atNight, async () => {
  const { sections, alsoEqual, hidden, residual } = await asked(makeStreams(20786, 58).arrays); // 11, 11, 10: a known model's
  assert.deepEqual([sections, hidden], [[12, 10, 10], [28, 29, 30, 31]]);
  assert.ok(residual < 2 ** -21 && alsoEqual.some((/** @type {any} */ one) => String(one.sections) === "11,11,10"));
}); // prettier-ignore

test("identify names the presets of grids of two axes", async () => {
  for (const name of ["eva", "rope-vit", "dinov3_vit", "pixtral", "qwen2_vl", "torchtune", "kimi_k25"].filter(everyNth(2))) {
    const preset = axialRope.presets[/** @type {"eva"} */ (name)];
    const table = axialRope.table([12, 10], 64, preset);
    const answer = await asked(rope.toFullWidth(table, { layout: table.layout }));
    assert.deepEqual([answer.kind, answer.grid, answer.layout, answer.residual], ["axialRope", [12, 10], table.layout, 0]);
    assert.ok(answer.presets.includes(name), `${name}: ${answer.sentence}`);
  }
}); // prettier-ignore

const { positions } = positionIds.multimodal([{ text: 7 }, { grid: [1, 4, 6] }, { text: 5 }, { grid: [2, 3, 4] }, { text: 3 }]); // prettier-ignore

test("identify names the presets of M-RoPE, the ids of each axis and the models", async () => {
  /** @type {[preset: "qwen2_vl" | "qwen3_vl" | "ernie4_5_vl", sentence: RegExp, models: string[]][]} */
  const all = [
    ["qwen2_vl", /^M-RoPE, halves, 128 columns, sections 16, 24, 24 of time, height and width, chunked, base 1000000, text with grids 1 x 4 x 6, 2 x 3 x 4, after a grid from its largest position on$/, ["qwen2-vl-7b", "qwen2.5-vl-7b"]],
    ["qwen3_vl", /sections 24, 20, 20 of time, height and width, interleaved, axes of pairs 61, 62, 63 not shown, base 5000000/, ["qwen3-vl-8b"]],
    ["ernie4_5_vl", /sections 20, 22, 22 of time, height and width, alternating, base 500000/, []],
  ]; // prettier-ignore
  for (const [preset, sentence, models] of all) {
    const answer = await asked(rope.toFullWidth(mrope.table(positions, 128, mrope.presets[preset])));
    assert.match(answer.sentence, sentence);
    assert.deepEqual([answer.models, answer.residual], [models, 0]);
    assert.deepEqual(answer.ids, positions.toArray().map((/** @type {any} */ row) => [...row])); // prettier-ignore
  }
}); // prettier-ignore

test("identify shows ids that follow no rule, such as one that is off by one", async () => {
  const wrong = positions.data.slice();
  wrong[positions.shape[1] + 12] += 1; // the height of a patch
  const ids = new Tensor(Float32Array.from(wrong), positions.shape);
  const answer = await asked(parts(mrope.table(ids, 128, mrope.presets.qwen3_vl)));
  assert.match(
    answer.sentence,
    /interleaved, axes of pairs 61, 62, 63 not shown, base 5000000, ids by no rule that is known$/,
  );
  assert.deepEqual([answer.ids[1][12], answer.rule], [wrong[positions.shape[1] + 12], null]);
});

test("identify says which step failed for grids and streams that it does not name", async () => {
  const reasonOf = async (/** @type {any} */ table) => {
    const { kind, sentence } = await asked(parts(table));
    assert.equal(kind, "none");
    return sentence;
  };
  assert.match(await reasonOf(axialRope.table([3, 5], 32)), /grid of 3 x 5: 4 of each show how they turn$/); // prettier-ignore
  assert.match(await reasonOf(axialRope.table([3, 4, 6], 96, { coordinates: "middle", offset: 0.3 })), /^no name fits: .*three axes of 3 x 4 x 6 cells/); // prettier-ignore
  const learned = Float32Array.from({ length: 2 * 16 }, (_, i) => ((i * 7919) % 97) / 97);
  const mixed = axialRope.mixed([6, 8], new Tensor(learned, [2, 1, 16]));
  assert.match(await reasonOf({ cos: mixed.cos, sin: mixed.sin }), /^no name fits: /);
  const table = mrope.table(positions, 128, mrope.presets.qwen2_vl);
  const narrow = { cos: new Tensor(table.cos.data.map((x) => Math.round(x * 128) / 128), table.cos.shape), sin: new Tensor(table.sin.data.map((x) => Math.round(x * 128) / 128), table.sin.shape) }; // prettier-ignore
  const few = await asked(narrow, { precision: "bfloat16" });
  assert.match(few.sentence, /^no name fits: rows 0 to 6 turn evenly; in all rows /);
});

test("identify names no grid and no streams where one number differs", async () => {
  for (const table of [axialRope.table([6, 8], 64), mrope.table(positions, 128, mrope.presets.qwen3_vl)]) {
    const sin = new Tensor(table.sin.data.slice(), table.sin.shape);
    sin.data[20 * table.sin.shape[1] + 3] += 1e-4;
    assert.equal((await asked({ cos: table.cos, sin })).kind, "none");
  }
}); // prettier-ignore

test("identify compares keys of a grid with its queries", async () => {
  const q = new Tensor(Float32Array.from({ length: 48 * 64 }, (_, i) => ((i * 7919) % 997) / 500 - 1), [48, 64]); // prettier-ignore
  const by = (/** @type {any} */ options) => rope.apply(q, axialRope.table([6, 8], 64, options));
  const same = await asked({ q, rotated: by({}), k: q, k_rotated: by({}) });
  assert.match(
    same.sentence,
    /^axial RoPE, halves, 64 columns, a grid of 6 x 8, .*, q and k alike$/,
  );
  const apart = await asked({ q, rotated: by({}), k: q, k_rotated: by({ order: [1, 0] }) });
  assert.match(apart.sentence, /^no one name fits: q and k differ: q: axial .*rows in the first pairs.*; k: axial .*columns in the first pairs/); // prettier-ignore
});
