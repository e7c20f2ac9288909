import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHTML } from "linkedom";
import { figures } from "phasor/plots";

const { bias } = figures();

/** [H, Tq, Tk] numbers that say where they stand. @param {number} H @param {number} Tq @param {number} Tk */
function numbered(H, Tq, Tk) {
  const data = Float32Array.from({ length: H * Tq * Tk }, (_, i) => i);
  return { data, shape: [H, Tq, Tk] };
}

/** @param {unknown} data @param {object} [options] */
function mounted(data, options = {}) {
  const { document } = parseHTML("<html><body></body></html>");
  return figures({ document }).bias(/** @type {any} */ (data), { ...options, as: "element" });
}

test("bias: the first eight heads, or the requested ones, in order", () => {
  const heads = (/** @type {object} */ options) =>
    mounted(numbered(10, 2, 3), options).table.header.slice(2);
  assert.deepEqual(
    heads({}),
    Array.from({ length: 8 }, (_, i) => `head ${i}`),
  );
  assert.deepEqual(heads({ heads: [9, 0] }), ["head 9", "head 0"]);
  const headLabels = Array.from("abcdefghij");
  assert.deepEqual(heads({ heads: [9, 0], headLabels }), ["j", "a"]);
});

test("bias: one value marks the cell in every head", () => {
  const figure = mounted(numbered(10, 2, 3), { heads: [1, 4] });
  figure.value = /** @type {any} */ ({ row: 1, column: 2 });
  assert.deepEqual(figure.value, { row: 1, column: 2, values: [11, 29] });
  assert.equal(
    figure.querySelector(".phasor-reading")?.textContent,
    "query 1, key 2: head 1 11; head 4 29",
  );
  figure.value = /** @type {any} */ ({ row: 2, column: 0 });
  assert.equal(figure.value, null);
});

test("bias: its table has a row for each pair of query and key", () => {
  const { header, rows, cell } = mounted(numbered(2, 2, 3)).table;
  assert.deepEqual(header, ["query (tokens)", "key (tokens)", "head 0", "head 1"]);
  assert.equal(rows, 6);
  assert.deepEqual(
    [0, 1, 2, 3].map((column) => cell(5, column)),
    [1, 2, 5, 11],
  );
});

test("bias: masks of -Infinity are valid, and described", () => {
  const masked = [
    [
      [0, -Infinity],
      [-1, 0],
    ],
  ];
  const svg = String(bias(masked));
  assert.match(svg, /1 head, each 2 rows, 2 columns, values from −1 to 0, 1 value not finite\./);
  assert.equal(svg.match(/<image/g)?.length, 2, "the head and the legend");
});

test("bias: as many queries as keys are squares in any height", () => {
  for (const [height, side] of [
    [undefined, 138],
    [60, 60],
    [900, 138],
  ]) {
    const svg = String(bias(numbered(8, 4, 4), { width: 1216, height }));
    const heads = [...svg.matchAll(/<image [^>]*width="([\d.]+)" height="([\d.]+)"/g)].slice(0, 8);
    for (const [, wide, tall] of heads) assert.deepEqual([+wide, +tall], [side, side]);
  }
});

test("bias: as PNG the heads are side by side, with a line between", () => {
  const png = Buffer.from(bias(numbered(3, 4, 5), { as: "png", scale: 2 }).slice(22), "base64");
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [2 * (3 * 5 + 2), 2 * 4]);
});

test("bias: an update may change the heads", () => {
  const figure = mounted(numbered(2, 2, 2));
  figure.value = /** @type {any} */ ({ row: 1, column: 1 });
  figure.update(numbered(3, 2, 2));
  assert.deepEqual(figure.value?.values, [3, 7, 11]);
  assert.equal(figure.querySelectorAll(".phasor-raster").length, 3);
});

test("bias: invalid arguments are rejected with the rule that they break", () => {
  assert.throws(() => bias([[1]]), {
    name: "RangeError",
    message: "bias: bias must have the shape [heads, queries, keys]; got [1, 1]",
  });
  assert.throws(() => bias(numbered(2, 1, 1), { heads: [2] }), {
    name: "RangeError",
    message: "bias: heads[0] must be a whole number from 0 to 1; got 2",
  });
  assert.throws(() => bias(numbered(2, 1, 1), { headLabels: ["a"] }), RangeError);
  assert.throws(() => bias(numbered(0, 1, 1), { as: "png" }), RangeError);
  assert.match(String(bias(numbered(0, 0, 0))), /^<svg/);
});
