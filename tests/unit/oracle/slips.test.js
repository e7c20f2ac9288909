// Slips of ports that public threads tell of: each is written from exact angles in double, saved as float32, and said
// in words without a model.
import assert from "node:assert/strict";
import { test } from "node:test";
import { models } from "phasor/models";
import { identify } from "phasor/oracle";
import { phasor, Tensor } from "../../phasor.js";
import { isNight, SEED } from "../../sample.js";
import { pairs } from "../reference/rope.js";
import { Random } from "../../attacks/fuzz/random.js";
import { rounded } from "./conventions.js";

/** @import { Rotary } from "../../../src/models/config.js" */

const { rope } = phasor;
const T = 64;

/** The rotation of a known model. @param {string} name */
function of(name) {
  const { dim, layout, options } = /** @type {Rotary} */ (models.rope(name));
  const { base, scaling } = /** @type {any} */ (options);
  const { frequencies, attentionFactor } = rope.frequencies(dim, options);
  return { dim, layout, base, scaling, theta: Array.from(frequencies.data), attentionFactor };
}

/**
 * A table, [T, dim] in a layout.
 * @param {{dim: number, theta: number[]}} of
 * @param {{layout?: "halves" | "interleaved", factor?: number, place?: (t: number) => number, rows?: number}} [slip]
 */
function table({ dim, theta }, { layout = "halves", factor = 1, place = (t) => t, rows = T } = {}) {
  const cos = new Tensor(new Float32Array(rows * dim), [rows, dim]);
  const sin = new Tensor(new Float32Array(rows * dim), [rows, dim]);
  for (let t = 0; t < rows; ++t) {
    for (const [i, columns] of pairs(dim, layout).entries()) {
      for (const column of columns) {
        cos.data[t * dim + column] = factor * Math.cos(place(t) * theta[i]);
        sin.data[t * dim + column] = factor * Math.sin(place(t) * theta[i]);
      }
    }
  }
  return { cos, sin };
}

/**
 * Two heads of vectors before and after: output numbers u and v of pair (a, b) are a c - b s and b c' + a s', of the
 * columns of a table that `turn` names.
 * @param {{dim: number, theta: number[], layout: "halves" | "interleaved"}} of
 * @param {{write?: "halves" | "interleaved", pairOf?: (column: number) => number, width?: number, start?: number}} [slip]
 */
function vectors({ dim, theta, layout }, { write = layout, pairOf, width = dim, start = 0 } = {}) {
  const random = new Random(1, "slip", dim);
  const q = new Tensor(
    Float32Array.from({ length: 2 * T * width }, () => random.bits() / 2 ** 31 - 1),
    [2, T, width],
  );
  const rotated = new Tensor(q.data.slice(), q.shape);
  for (let row = 0; row < 2 * T; ++row) {
    for (const [i, [a, b]] of pairs(dim, layout).entries()) {
      const [u, v] = pairs(dim, write)[i];
      const at = row * width + start;
      const [x, y] = [q.data[at + a], q.data[at + b]];
      const [c, d] = [u, v].map((column) => (row % T) * theta[pairOf ? pairOf(column) : i]);
      rotated.data[at + u] = x * Math.cos(c) - y * Math.sin(c);
      rotated.data[at + v] = y * Math.cos(d) + x * Math.sin(d);
    }
  }
  return { q, rotated };
}

const llama2 = of("llama-2-7b");
const llama3 = of("llama-3.2-1b");
const oss = of("gpt-oss-20b");
const deepseek = of("deepseek-v3");
const { frequencies: truncated } = rope.frequencies(oss.dim, {
  base: oss.base,
  scaling: { ...oss.scaling, truncate: true },
});
const { frequencies: eight } = rope.frequencies(llama3.dim, {
  base: 500000,
  scaling: { ...llama3.scaling, factor: 8 },
});
const plain = (/** @type {number} */ dim, base = 10000) =>
  Array.from({ length: dim / 2 }, (_, i) => base ** ((-2 * i) / dim));

/** @type {[thread: string, slip: string, arrays: any, says: RegExp][]} */
const SLIPS = [
  ["transformers #25199", "neighbors for halves", table(llama2, { layout: "interleaved" }), /^RoPE, interleaved, 128 columns, base 10000, no scaling$/], // prettier-ignore
  ["transformers PR 29285", "positions in bfloat16", table(llama2, { place: (t) => rounded(t, 8), rows: 600 }), /base 10000, .*positions rounded to bfloat16$/], // prettier-ignore
  ["Megatron-LM #6305", "factor 8 for 32", table({ dim: llama3.dim, theta: [...eight.data] }), /base 500000, llama3 \(factor 8, .* originalLength 8192\)$/], // prettier-ignore
  ["mlx-vlm PR 1710", "scaling ignored", table({ dim: llama3.dim, theta: plain(llama3.dim, 500000) }), /base 500000, no scaling$/], // prettier-ignore
  ["vLLM PR 48351", "attention factor forgotten", table(oss), /yarn \(factor 32, .*truncate false\), without its attention factor 1.34657, as mscale = mscale_all_dim leaves it out$/], // prettier-ignore
  ["mlx-lm PR 1507", "attention factor applied twice", table(oss, { factor: oss.attentionFactor ** 2 }), /yarn .*, attention factor 1.81326, not 1.34657: applied twice$/], // prettier-ignore
  ["gpt-oss", "a truncated correction range", table({ dim: oss.dim, theta: [...truncated.data] }, { factor: oss.attentionFactor }), /yarn \(factor 32, originalLength 4096\), attention factor 1.34657$/], // prettier-ignore
  ["llama.cpp PR 10900", "a NoPE layer rotated", table({ dim: 128, theta: plain(128, 50000) }, { layout: "interleaved" }), /^RoPE, interleaved, 128 columns, base 50000, no scaling$/], // prettier-ignore
  ["unsloth #3699", "padding of 5 not removed", table(llama2, { place: (t) => t + 5 }), /base 10000, no scaling, positions from 5$/], // prettier-ignore
  ["GPT-NeoX", "the whole head rotates", table({ dim: 96, theta: plain(96) }), /96 columns, base 10000/], // prettier-ignore
  ["LLMs-from-scratch PR 747", "tables of halves used on neighbors", vectors({ ...llama2, layout: "interleaved" }, { pairOf: (column) => column % 64 }), /^RoPE, interleaved, 128 columns, by a table of halves, base 10000/], // prettier-ignore
  ["LLMs-from-scratch PR 750", "tables of neighbors used on halves", vectors(llama2, { pairOf: (column) => column >> 1 }), /^RoPE, halves, 128 columns, by a table of interleaved, base 10000/], // prettier-ignore
  ["DeepSeek-V3", "output comes de-interleaved", vectors(deepseek, { write: "halves" }), /^RoPE, interleaved, 64 columns, output in halves, base 10000, yarn/], // prettier-ignore
  ["DeepSeek-V3", "factor 0.1 ln s + 1", table(deepseek, { layout: "interleaved", factor: 0.1 * Math.log(40) + 1 }), /attention factor 1.36889/], // prettier-ignore
  ["partial rotary", "only the last 64 of 192 columns", vectors(deepseek, { width: 192, start: 128 }), /^RoPE, interleaved, 64 columns from column 128/], // prettier-ignore
];

for (const [thread, slip, arrays, says] of SLIPS) {
  test(`identify says of ${slip} (${thread}) what it is`, async () => {
    const answer = /** @type {any} */ (await identify(arrays, { phasor }));
    assert.match(
      answer.sentence,
      says,
      JSON.stringify(answer.alsoEqual?.map((/** @type {any} */ one) => one.sentence)),
    );
    assert.ok(answer.residual < 1e-4, String(answer.residual)); // float32 frequencies, up to position 600
  });
}

test("identify says that vectors which stay as they are do not rotate", async () => {
  const q = vectors(llama2).q;
  const answer = await identify({ q, rotated: q }, { phasor });
  assert.deepEqual([answer.kind, answer.residual], ["still", 0]);
});

test("a pair of q and rotated q does not show permuted weights: the answer is that of the rotation", async () => {
  const answer = /** @type {any} */ (await identify(vectors(llama2), { phasor }));
  assert.equal(answer.sentence, "RoPE, halves, 128 columns, base 10000, no scaling");
});

test("identify names no mix of two conventions as one of them", async () => {
  const named = [];
  // Some 0.15 s each: a mix is tried by everything that has a name.
  for (let index = 0; index < (isNight ? 200 : 4); ++index) {
    const random = new Random(SEED, "mix", index);
    const bases = [10000, 50000, 500000, 1000000];
    const one = table({ dim: 64, theta: plain(64, bases.splice(random.below(4), 1)[0]) });
    const two = table({ dim: 64, theta: plain(64, random.pick(bases)) });
    const kind = index % 4;
    const mixed = (/** @type {"cos" | "sin"} */ name) =>
      new Tensor(
        one[name].data.map((x, at) => {
          const isOther = [at % 32 >= 16, at >= 32 * 64, name === "sin", at % 64 >= 32][kind];
          return isOther ? two[name].data[at] : x;
        }),
        [T, 64],
      );
    const answer = await identify({ cos: mixed("cos"), sin: mixed("sin") }, { phasor });
    if (answer.kind !== "none") named.push(`${index}: ${answer.sentence}`);
  }
  assert.deepEqual(named, []);
});

test("identify measures a base that nobody would choose to 1e-8 of 64 float32 rows", async () => {
  for (const base of [12345.678, 98765.4321, 777777.7]) {
    const answer = /** @type {any} */ (
      await identify(table({ dim: 128, theta: plain(128, base) }), { phasor })
    );
    assert.ok(Math.abs(answer.base / base - 1) < 1e-8, `${answer.base} for ${base}`);
  }
});

test("identify refuses arrays that are not tables", async () => {
  const good = table(llama2);
  const refused = (
    /** @type {any} */ arrays,
    /** @type {any} */ options,
    /** @type {RegExp} */ message,
  ) => assert.rejects(identify(arrays, options), { message });
  await refused(
    { cos: good.cos },
    {},
    /^identify: arrays must have cos and sin, or q and rotated; got cos$/,
  );
  await refused(
    { ...good, q: good.cos, rotated: good.sin },
    {},
    /^identify: arrays must have cos and sin, or q and rotated; got cos, sin, q, rotated$/,
  );
  await refused({ ...good, cosine: good.cos }, {}, /^identify: .*cosine/);
  await refused({ cos: good.cos, sin: [[1, 2]] }, {}, /must have one shape/);
  await refused(
    { cos: [[1, NaN]], sin: [[1, 2]] },
    {},
    /^identify: cos must be finite; got NaN at number 1$/,
  );
  await refused(good, { precision: "float8" }, /^identify: precision must be one of/);
  await refused(good, { positions: [1, 2] }, /^identify: positions must be \[64\]/);
  await refused(5, {}, /^identify: arrays must be an object/);
  const { kind, sentence } = await identify({ cos: [[1, 1]], sin: [[0, 0]] }, { phasor });
  assert.deepEqual(
    [kind, sentence],
    ["none", "no name fits: at least 4 rows show how pairs turn; got 1"],
  );
});
