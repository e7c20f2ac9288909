// Grids of three axes, such as those of films: which pairs each axis turns, and by which spectrum, from tables and vectors.
import assert from "node:assert/strict";
import { test } from "node:test";
import { identify } from "phasor/oracle";
import { phasor, Tensor } from "../../phasor.js";
import { Random } from "../../attacks/fuzz/random.js";
import { everyNth } from "../../sample.js";
import { pairs } from "../reference/rope.js";
import { rounded } from "./conventions.js";

const { axialRope, mrope, rope } = phasor;

/** @param {any} arrays @param {any} [options] @returns {Promise<any>} */
const asked = (arrays, options) => identify(arrays, { phasor, ...options });

/** Frame, row and column of each cell. @param {number[]} grid */
const cellsOf = ([F, H, W]) =>
  Array.from({ length: F * H * W }, (_, k) => [Math.floor(k / (H * W)), Math.floor(k / W) % H, k % W]); // prettier-ignore

/**
 * A table of angles in double, and two heads of vectors that it rotates.
 * @param {number[][]} angles  of each row and pair @param {number} [bits]
 */
function portsOf(angles, bits = 24) {
  const [T, P] = [angles.length, angles[0].length];
  const of = (/** @type {(x: number) => number} */ f) => new Tensor(Float32Array.from(angles.flat(), (x) => rounded(f(x), bits)), [T, P]); // prettier-ignore
  const random = new Random(3, "volumes", P);
  const near = (/** @type {number} */ x) => rounded(x, bits);
  const shape = [2, T, 2 * P];
  const q = new Tensor(Float32Array.from({ length: 4 * T * P }, () => near(random.bits() / 2 ** 31 - 1)), shape); // prettier-ignore
  const rotated = new Tensor(q.data.slice(), shape);
  for (let row = 0; row < 2 * T; ++row) {
    for (const [i, [a, b]] of pairs(2 * P, "halves").entries()) {
      const [x, at] = [angles[row % T][i], row * 2 * P];
      const [c, s] = [Math.cos(x), Math.sin(x)];
      rotated.data[at + a] = near(q.data[at + a] * c - q.data[at + b] * s);
      rotated.data[at + b] = near(q.data[at + b] * c + q.data[at + a] * s);
    }
  }
  return [
    { cos: of(Math.cos), sin: of(Math.sin) },
    { q, rotated },
  ];
}

/** One spectrum for each axis: in blocks of sections, or in turn. @param {number[]} grid @param {number[]} sections @param {number} base @param {boolean} [isInTurn] */
function axial(grid, sections, base, isInTurn = false) {
  const of = sections.flatMap((n, axis) => Array.from({ length: n }, (_, k) => [axis, base ** (-k / n)])); // prettier-ignore
  const all = isInTurn ? of.map((_, i) => of[(i % 3) * sections[0] + Math.floor(i / 3)]) : of;
  return cellsOf(grid).map((cell) => all.map(([axis, theta]) => cell[axis] * theta));
}

/** One spectrum over all pairs. @param {number[]} grid @param {any} options @param {number} [first] @param {number} [step]  of frames */
function multimodal(grid, { sections, arrangement, base }, first = 0, step = 1) {
  const axes = [...mrope.axes(128, { sections, arrangement }).data];
  return cellsOf(grid).map(([f, y, x]) => axes.map((axis, i) => (first + [step * f, y, x][axis]) * base ** (-i / 64))); // prettier-ignore
}

const { qwen2_vl: qwen2, qwen3_vl: qwen3, ernie4_5_vl: ernie } = mrope.presets;

/** @type {[what: string, angles: number[][], says: RegExp][]} */
const CASES = [
  ["Wan", axial([4, 5, 6], [22, 21, 21], 10000), /^axial RoPE, .*, a grid of 4 x 5 x 6, pairs of frames 22, rows 21, columns 21, base 10000$/],
  ["Wan of two frames", axial([2, 3, 4], [22, 21, 21], 10000), /a grid of 2 x 3 x 4, pairs of frames 22, rows 21, columns 21, base 10000$/],
  ["HunyuanVideo", axial([3, 4, 4], [8, 28, 28], 256), /a grid of 3 x 4 x 4, pairs of frames 8, rows 28, columns 28, base 256$/],
  ["axes in turn", axial([4, 3, 5], [16, 16, 16], 10000, true), /a grid of 4 x 3 x 5, frames, rows, columns in turn, base 10000$/],
  ["a film of Qwen2-VL", multimodal([4, 4, 6], qwen2), /^M-RoPE, .*sections 16, 24, 24 of time, height and width, chunked, base 1000000, text with grids 4 x 4 x 6/],
  ["a film of Qwen3-VL", multimodal([4, 6, 8], qwen3), /sections 24, 20, 20 of time, height and width, interleaved, axes of pairs .*63 not shown, base 5000000/],
  ["a film after text, at two positions a frame", multimodal([3, 4, 5], qwen3, 9, 2), /sections 24, 20, 20 of time, height and width, interleaved, .*base 5000000, ids by no rule/],
  ["a film of ERNIE", multimodal([3, 4, 5], ernie, 4), /sections 20, 22, 22 of time, height and width, alternating, .*base 500000/],
  ["a picture of Qwen2-VL", multimodal([1, 6, 8], qwen2, 7), /sections 16, 24, 24 of time, height and width, chunked, base 1000000/],
]; // prettier-ignore

test("identify names grids of three axes, as tables and as vectors", async () => {
  const isTaken = everyNth(3);
  for (const [what, angles, says] of CASES) {
    for (const arrays of portsOf(angles)) {
      if (!isTaken()) continue;
      const answer = await asked(arrays);
      assert.match(answer.sentence, says, `${what}, ${Object.keys(arrays)}`);
      assert.ok(answer.residual < 1e-6, `${what}: ${answer.residual}`);
    }
  }
});

test("identify names the presets of three axes", async () => {
  const isTaken = everyNth(2);
  for (const [name, preset] of Object.entries(axialRope.presets)) {
    const { sections } = /** @type {{sections?: number[]}} */ (preset);
    if (sections?.length !== 3 || !isTaken()) continue;
    const dim = 2 * sections.reduce((sum, n) => sum + n, 0);
    const table = axialRope.table(name.startsWith("flux") ? [1, 6, 8] : [3, 4, 6], dim, preset);
    const answer = await asked(rope.toFullWidth(table, { layout: table.layout }));
    assert.ok(answer.presets?.includes(name), `${name}: ${answer.sentence}`);
    assert.ok(answer.residual <= 2 ** -23 && answer.layout === table.layout, name);
  }
});

test("identify names rows and columns of a film exchanged as they are, and no film where one number differs", async () => {
  const right = multimodal([3, 4, 6], qwen2);
  const [turned] = portsOf(right.map((row, k) => row.map((x, i) => (i < 16 ? x : right[k][i < 40 ? i + 24 : i - 24] * 1e6 ** (((i < 40 ? 1 : -1) * 24) / 64))))); // prettier-ignore
  const answer = await asked(turned);
  assert.equal(answer.kind, "mrope");
  assert.deepEqual([answer.ids[1].slice(0, 7), answer.ids[2].slice(0, 7)], [[0, 1, 2, 3, 4, 5, 0], [0, 0, 0, 0, 0, 0, 1]]); // prettier-ignore
  const [wrong] = portsOf(right);
  /** @type {Tensor} */ (wrong.sin).data[40 * 64 + 30] += 1e-4;
  assert.equal((await asked(wrong)).kind, "none");
});

test("identify names films in bfloat16 by the same sections, or says that rows do not show them", async () => {
  for (const angles of [axial([4, 5, 6], [22, 21, 21], 10000), multimodal([4, 4, 6], qwen2)]) {
    const [table] = portsOf(angles, 8);
    const answer = await asked(table, { precision: "bfloat16" });
    const isNamed = /frames 22, rows 21, columns 21, base 10000$|sections 16, 24, 24 .*base 1000000/;
    assert.match(answer.sentence, RegExp(`${isNamed.source}|^no name fits`), answer.sentence);
  }
}); // prettier-ignore
