import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { consumer } from "../../hosts/consumer.js";
import { Tensor } from "../../phasor.js";
import { dot, mix, scores, softmax } from "../../unit/reference/attention.js";
import { noise } from "../../unit/reference/samples.js";
import { filesOf, promised } from "./guide.js";

/** @typedef {{q: Tensor, k: Tensor, v: Tensor, out: Tensor}} Layer */

const [H, K, D, E] = [8, 2, 16, 64];

/**
 * In units of the largest number. The sums of a layer have up to 128 products in float32, in blocks of 32; three
 * layers round four such sums each, by a few 2^-24.
 */
const WITHIN = 1e-6;

const files = await filesOf("decoder");

test("guide decoder: its programs print the output that it shows", async (t) => {
  const { folder, put } = await consumer(t);
  for (const [file, code] of files) await put(file, code);
  for (const file of ["generate.mjs", "faster.mjs"]) {
    const options = /** @type {const} */ ({ cwd: folder, encoding: "utf8" });
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], options);
    assert.equal(status, 0, stderr);
    const lines = promised(String(files.get(file)));
    assert.ok(lines.length > 0);
    assert.deepEqual(stdout.trim().split("\n"), lines);
  }
});

test("guide decoder: prompt and steps are attention in double, without a cache and without padding", async (t) => {
  const { folder, put } = await consumer(t);
  const code = String(files.get("decoder.mjs"));
  await put("decoder.mjs", code);
  const { decoder } = await import(pathToFileURL(join(folder, "decoder.mjs")).href);

  const random = (
    /** @type {number} */ rows,
    /** @type {number} */ columns,
    /** @type {number} */ seed,
  ) =>
    new Tensor(
      noise(rows * columns, seed).map((x) => x / 4),
      [rows, columns],
    );
  const layers = [1, 5, 9].map((seed) => ({
    q: random(H * D, E, seed),
    k: random(K * D, E, seed + 1),
    v: random(K * D, E, seed + 2),
    out: random(E, H * D, seed + 3),
  }));
  const [B, prompt, steps] = [2, 5, 20];
  const columns = prompt + steps;
  const padding = [3, 0];
  const mask = padding.map((count) => Array.from({ length: columns }, (_, at) => at >= count));
  const x = new Tensor(noise(B * columns * E, 77), [B, columns, E]);

  const step = decoder(layers, mask);
  /** @type {Tensor[][]} */
  const found = [[], []];
  for (let from = 0; from < columns;) {
    const to = from === 0 ? prompt : from + 1;
    const parts = [...x].flatMap((text) => [...text.slice(from, to).data]);
    const hidden = step(new Tensor(Float32Array.from(parts), [B, to - from, E]));
    found.forEach((rows, b) => rows.push(...hidden.row(b)));
    from = to;
  }
  let [worst, largest] = [0, 0];
  padding.forEach((count, b) => {
    /** @type {number[][]} */
    let rows = x.row(b).slice(count).toArray();
    for (const layer of layers) rows = layerOf(rows, layer);
    rows.forEach((row, at) => {
      row.forEach((want, e) => {
        worst = Math.max(worst, Math.abs(found[b][count + at].at(e) - want));
        largest = Math.max(largest, Math.abs(want));
      });
    });
  });
  t.diagnostic(`largest difference ${worst.toExponential(2)}, largest number ${largest}`);
  assert.ok(worst <= WITHIN * largest, `${worst} of ${largest}`);
});

/**
 * A layer of all tokens of a text at once, in double.
 * @param {number[][]} x  [T, E] @param {Layer} layer
 */
function layerOf(x, { q, k, v, out }) {
  const heads = [q, k, v].map((matrix) => x.map((row) => times(matrix, row)));
  const headOf = (/** @type {number[][]} */ rows, /** @type {number} */ h) =>
    rows.map((row) => row.slice(h * D, (h + 1) * D));
  const outputs = Array.from({ length: H }, (_, h) => {
    const group = Math.floor(h / (H / K));
    const [queries, keys] = [headOf(heads[0], h), headOf(heads[1], group)].map((rows) =>
      rows.map((row, t) => turned(row, t)),
    );
    const logits = scores(queries, keys, { sees: (i, j) => j <= i });
    return mix(logits.map(softmax), headOf(heads[2], group));
  });
  return x.map((row, t) => {
    const change = times(
      out,
      outputs.flatMap((head) => head[t]),
    );
    return row.map((number, e) => number + change[e]);
  });
}

/** @param {Tensor} matrix @param {number[]} row */
const times = (matrix, row) => Array.from(matrix, ({ data }) => dot(row, data));

/** A row, its pairs (i, i + D/2) turned by their angles at a position. @param {number[]} row @param {number} position */
function turned(row, position) {
  return row.map((number, d) => {
    const angle = position * 10000 ** (-(d % (D / 2)) / (D / 2));
    const other = d < D / 2 ? -row[d + D / 2] : row[d - D / 2];
    return number * Math.cos(angle) + other * Math.sin(angle);
  });
}
