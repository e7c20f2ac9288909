// Names in narrow formats, whose roundings of small numbers tell scalings apart that those of large ones do not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { identify } from "phasor/oracle";
import { phasor, Tensor } from "../../phasor.js";
import { Random } from "../../attacks/fuzz/random.js";
import { rounded } from "./conventions.js";

const { axialRope, rope, sinusoidal } = phasor;
const llama3 = (/** @type {number} */ factor) => /** @type {const} */ ({ type: "llama3", factor, lowFreqFactor: 1, highFreqFactor: 4, originalLength: 8192 }); // prettier-ignore
const KIMI = /** @type {const} */ ({ type: "yarn", factor: 32, originalLength: 4096, mscale: 1, mscaleAllDim: 1, betaFast: 1, betaSlow: 1 }); // prettier-ignore

/** @param {Tensor} tensor @param {number} bits */
const narrow = ({ data, shape }, bits) =>
  new Tensor(
    Float32Array.from(data, (x) => rounded(Number(x), bits)),
    shape,
  );

/** @type {[rows: number, dim: number, bits: 8 | 11, options: object, says: RegExp][]} */
const TABLES = [
  [8, 64, 8, { base: 5e5, scaling: llama3(8) }, /base 500000, llama3 \(factor 8, /],
  [8, 64, 8, { base: 5e5, scaling: llama3(16) }, /base 500000, llama3 \(factor 16, /],
  [8, 128, 8, { base: 5e5, scaling: llama3(16) }, /base 500000, llama3 \(factor 16, /],
  [4, 128, 8, { base: 5e5, scaling: llama3(8) }, /base 500000, llama3 \(factor 8, /],
  [16, 64, 8, { base: 5e4, scaling: KIMI }, /base 50000, yarn \(factor 32, .*betaFast 1, betaSlow 1\)$/],
  [48, 64, 11, { base: 1e4, scaling: { type: "ntk", alpha: 4 } }, /base 10000, ntk \(alpha 4\)$/],
]; // prettier-ignore

for (const [rows, dim, bits, options, says] of TABLES) {
  test(`identify names ${JSON.stringify(options)} in ${rows} rows of ${bits} bits`, async () => {
    const { cos, sin } = rope.table(rows, dim, options);
    const arrays = { cos: narrow(cos, bits), sin: narrow(sin, bits) };
    assert.match((await identify(arrays, { phasor })).sentence, says);
  });
}

/** @type {[rows: number, width: number, dim: number, bits: 8 | 11, layout: "halves" | "interleaved", options: object, says: RegExp][]} */
const VECTORS = [
  [16, 128, 64, 8, "interleaved", { base: 1e4 }, /^RoPE, interleaved, 64 columns, base 10000, no scaling$/],
  [16, 128, 64, 11, "interleaved", { base: 1e4 }, /^RoPE, interleaved, 64 columns, base 10000, no scaling$/],
  [8, 128, 128, 8, "halves", { base: 5e5, scaling: llama3(8) }, /base 500000, llama3 \(factor 8, /],
]; // prettier-ignore

for (const [rows, width, dim, bits, layout, options, says] of VECTORS) {
  test(`identify names ${dim} of ${width} columns, ${layout}, in ${rows} rows of ${bits} bits`, async () => {
    const random = new Random(7, "narrow", width);
    const numbers = Float32Array.from({ length: rows * width }, () => random.bits() / 2 ** 31 - 1);
    const q = narrow(new Tensor(numbers, [1, 1, rows, width]), bits);
    const rotated = narrow(rope.apply(q, rope.table(rows, dim, options), { layout, dim }), bits);
    assert.match((await identify({ q, rotated }, { phasor })).sentence, says);
  });
}

test("identify names whole bases of grids in float16", async () => {
  const { cos, sin } = axialRope.table([1, 16, 24], 128, { ...axialRope.presets["hunyuan-video"], base: 256 }); // prettier-ignore
  const { sentence } = await identify({ cos: narrow(cos, 11), sin: narrow(sin, 11) }, { phasor });
  assert.match(sentence, /base 256$/);
});

test("identify names ALiBi's slopes as BLOOM computes them, by powers of a rounded number", async () => {
  for (const heads of [16, 32, 112]) {
    const m = 2 ** Math.floor(Math.log2(heads));
    const first = (/** @type {number} */ n) => Math.fround(2 ** -(8 / n));
    const slopes = Array.from({ length: heads }, (_, h) =>
      Math.fround(h < m ? first(m) ** (h + 1) : first(2 * m) ** (2 * (h - m) + 1)),
    );
    const numbers = Float32Array.from({ length: heads * 24 }, (_, k) => slopes[Math.floor(k / 24)] * (k % 24)); // prettier-ignore
    const { sentence } = await identify({ bias: new Tensor(numbers, [heads, 1, 24]) }, { phasor });
    assert.match(sentence, /^ALiBi by key, from the first, slopes of the published rule, by powers in float32, /); // prettier-ignore
  }
});

test("identify takes numbers of four digits after the point for no float16, whose small numbers have more", async () => {
  const { cos, sin } = rope.table(16, 64);
  const print = (/** @type {Tensor} */ { data, shape }) => new Tensor(Float32Array.from(data, (x) => Math.round(Number(x) * 1e4) / 1e4), shape); // prettier-ignore
  const arrays = { cos: print(cos), sin: print(sin) };
  const { sentence } = await identify(arrays, { phasor, precision: "float16" });
  assert.match(sentence, /base 10000, no scaling$/);
});

test("identify says so where no name explains small numbers by the roundings of their format", async () => {
  const yarn = /** @type {const} */ ({
    type: "yarn",
    factor: 8,
    originalLength: 8192,
    betaFast: 4,
  });
  const { cos, sin } = rope.table(64, 64, { base: 1e6, scaling: yarn });
  const arrays = { cos: narrow(cos, 8), sin: narrow(sin, 8) };
  const { sentence } = await identify(arrays, { phasor });
  assert.match(sentence, /; roundings of bfloat16 do not explain all small numbers: another name may fit better$/); // prettier-ignore
});

// A published model has the factor 4 with the same original length: four rows fit it, but for its attention factor.
for (const [count, seed] of [[8, 3], [4, 1]]) {
  test(`identify says that ${count} rows in bfloat16 fit several factors of YaRN`, async () => {
    const scaling = /** @type {const} */ ({ type: "yarn", factor: 7, originalLength: 32768 });
    const q = narrow(phasor.embedding.create(count, 128, { seed }).weights(), 8);
    const rotated = narrow(rope.apply(q, rope.table(count, 128, { base: 1e6, scaling })), 8);
    const found = /** @type {any} */ (await identify({ q, rotated }, { phasor }));
    assert.match(found.sentence, /, or one of \d+ others with other factors, which these rows do not tell apart$/); // prettier-ignore
    const factors = [found, ...found.alsoEqual].map((one) => one.scaling.factor);
    assert.ok(factors.includes(7), String(factors));
  });
} // prettier-ignore

// Unless a width is a power of two, the exponents of a base are rounded in float32.
const YARN = /** @type {const} */ ({ type: "yarn", factor: 4, originalLength: 32768 });
for (const scaling of [undefined, llama3(8), YARN]) {
  test(`identify names PyTorch's float32 tables of all widths${scaling ? `, with ${scaling.type}` : ""}`, async () => {
    for (const [dim, base, rows] of [
      ...[
        [20, 1e4, 512],
        [40, 1e4, 512],
        [80, 1e4, 512],
        [112, 1e4, 512],
        [96, 1e4, 1024],
      ],
      ...[
        [80, 1e6, 512],
        [120, 1e7, 1500],
        [128, 5e5, 5],
        [16, 5e5, 16],
        [32, 1e7, 9],
      ],
    ].filter(([, , rows]) => !scaling || rows > 500)) {
      const table = rope.table(rows, dim, {
        base,
        precision: "torch",
        ...(scaling && { scaling }),
      });
      const answer = await identify(table, { phasor });
      assert.ok(answer.kind === "rope", answer.sentence);
      const found = [answer.base, answer.form, answer.scaling?.type];
      assert.deepEqual(found, [base, "base^(-2i/D)", scaling?.type], `${dim}, ${rows}: ${answer.sentence}`); // prettier-ignore
      assert.ok(!answer.alsoEqual.some(({ form }) => form === "base^(-2i/(D-2))"), `${dim}, ${rows}`); // prettier-ignore
    }
  });
}

test("identify says of one pair that it shows no base, and of falling positions that they fall", async () => {
  const { sentence } = await identify(rope.table(16, 2), { phasor });
  assert.match(sentence, /the only pair turns by 1 a row, which shows no base/);
  const down = Array.from({ length: 16 }, (_, t) => 15 - t);
  const falling = await identify(rope.table(down, 64), { phasor });
  assert.equal(falling.sentence, "RoPE, 32 pairs, layout not shown, base 10000, no scaling, positions from 15 down"); // prettier-ignore
  const sinusoids = await identify({ table: sinusoidal.table(down, 64) }, { phasor });
  assert.match(sinusoids.sentence, /positions from 15 down/);
  assert.deepEqual(sinusoids.kind === "sinusoids" && sinusoids.models, []);
});
