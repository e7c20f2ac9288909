// Slips beyond those of public threads: each gets its name, or none with the step that failed, and never a wrong one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { models } from "phasor/models";
import { identify } from "phasor/oracle";
import { phasor, Tensor } from "../../phasor.js";
import { Random } from "../../attacks/fuzz/random.js";
import { atNight, everyNth, isNight, sampled } from "../../sample.js";
import { pairs } from "../reference/rope.js";
import { rounded } from "./conventions.js";

const { mrope, positionIds, rope } = phasor;

/** @param {number} dim @param {number} [base] @param {number} [D]  of the exponents */
const plain = (dim, base = 10000, D = dim) =>
  Array.from({ length: dim / 2 }, (_, i) => base ** ((-2 * i) / D));

/**
 * What belongs to one slip.
 * @typedef {object} Slip
 * @property {number[]} [theta]
 * @property {(t: number) => number} [place]
 * @property {(h: number, t: number, i: number) => number} [angle]
 * @property {(x: number, y: number, c: number, s: number, h: number) => [number, number]} [turn]
 * @property {number} [width] @property {number} [start] @property {number} [factor] @property {number[]} [shape]
 * @property {"halves" | "interleaved"} [layout]
 * @property {"halves" | "interleaved"} [write]
 */

const [H, T] = [4, 64];

/**
 * Four heads of vectors before and after, from angles in double.
 * @param {Slip} [slip]
 */
function vectors(slip = {}) {
  const { theta = plain(64), place = (t) => t, layout = "halves", write = layout, start = 0, factor = 1 } = slip; // prettier-ignore
  const { angle = (_, t, i) => place(t) * theta[i], turn = (x, y, c, s) => [x * c - y * s, y * c + x * s] } = slip; // prettier-ignore
  const dim = 2 * theta.length;
  const { width = dim, shape = [H, T, width] } = slip;
  const random = new Random(1, "further", width);
  const q = new Tensor(
    Float32Array.from({ length: H * T * width }, () => random.bits() / 2 ** 31 - 1),
    shape,
  );
  const rotated = new Tensor(q.data.slice(), shape);
  for (let row = 0; row < H * T; ++row) {
    const [h, t, at] = [Math.floor(row / T), row % T, row * width + start];
    for (const [i, [a, b]] of pairs(dim, layout).entries()) {
      const [u, v] = pairs(dim, write)[i];
      const x = angle(h, t, i);
      const [one, two] = turn(q.data[at + a], q.data[at + b], Math.cos(x), Math.sin(x), h);
      rotated.data[at + u] = factor * one;
      rotated.data[at + v] = factor * two;
    }
  }
  return { q, rotated };
}

/** @param {readonly number[]} theta @param {(x: number) => number} [narrow]  of the product */
function table(theta, narrow = (x) => x) {
  const [cos, sin] = [Math.cos, Math.sin].map(
    (of) =>
      new Tensor(
        Float32Array.from({ length: T * theta.length }, (_, k) =>
          of(narrow(Math.floor(k / theta.length) * theta[k % theta.length])),
        ),
        [T, theta.length],
      ),
  );
  return { cos, sin };
}

/** To float16, with fewer digits below 2^-14. @param {number} x */
const float16 = (x) => (x < 2 ** -14 ? Math.round(x * 2 ** 24) / 2 ** 24 : rounded(x, 11));

/** By a table that alone is rounded. @param {number} bits @returns {Slip["turn"]} */
const narrowTable = (bits) => (x, y, c, s) => {
  const [a, b] = [rounded(c, bits), rounded(s, bits)];
  return [x * a - y * b, y * a + x * b];
};

const yarn = { type: "yarn", factor: 40, originalLength: 4096 };
const deepseek = rope.frequencies(64, { scaling: /** @type {any} */ (yarn) });
const ofYarn = Array.from(deepseek.frequencies.data);

/** LLaMA 3's scaling with its two factors exchanged, by the order of tests of two implementations, and by a clamped ramp. */
const [exchanged, other] = [false, true].map((isKeptFirst) =>
  plain(64, 500000).map((x) => {
    const length = (2 * Math.PI) / x;
    return length > 8192 / 4 && !(isKeptFirst && length < 8192) ? x / 32 : x;
  }),
);

const clamped = plain(128, 500000).map((x) => {
  const kept = Math.min(1, Math.max(0, ((8192 * x) / (2 * Math.PI) - 4) / (1 - 4)));
  return x * (kept + (1 - kept) / 8);
});

/**
 * YaRN with its betas exchanged: the ramp of fast pairs ends before it begins.
 * @param {number} dim @param {number} base @param {number} factor @param {number} length @param {(x: number) => number} [down] @param {(x: number) => number} [up]
 */
function risenOf(dim, base, factor, length, down = Math.floor, up = Math.ceil) {
  const at = (/** @type {number} */ beta) => (dim * Math.log(length / (2 * Math.PI * beta))) / (2 * Math.log(base)); // prettier-ignore
  const [low, high] = [Math.max(down(at(1)), 0), Math.min(up(at(32)), dim - 1)];
  return plain(dim, base).map((x, i) => {
    const ramp = Math.min(1, Math.max(0, (i - low) / (high - low)));
    return x * (1 - ramp) + (x / factor) * ramp;
  });
}

/** LLaMA 3's scaling by a rule of the ramp. @param {(kept: number) => number} ramp @param {number} [turn] */
const llama3Of = (ramp, turn = 2 * Math.PI) =>
  plain(128, 500000).map((x) => {
    const kept = ((8192 * x) / turn - 1) / (4 - 1);
    const share = kept <= 0 ? 0 : kept >= 1 ? 1 : ramp(kept);
    return x * (share + (1 - share) / 8);
  });

const [ofLlama, withoutTurns, inverted] = [llama3Of(Number), llama3Of(Number, 1), llama3Of((kept) => 1 - kept)]; // prettier-ignore

function narrowCosines() {
  const { cos, sin } = table(plain(64));
  return { cos: new Tensor(cos.data.map((x) => rounded(x, 8)), cos.shape), sin };
} // prettier-ignore

/** @param {number} factor */
const yarnFactor = (factor) => 0.1 * Math.log(factor) + 1;

/** Tables of YaRN in a format, with its attention factor to a power. @param {number} factor @param {number} length @param {number} power @param {number} [bits] */
function yarnOf(factor, length, power, bits = 24) {
  const scaling = /** @type {any} */ ({ type: "yarn", factor, originalLength: length });
  const { frequencies } = rope.frequencies(128, { base: 1e6, scaling });
  const { cos, sin } = table([...frequencies.data]);
  const size = yarnFactor(factor) ** power;
  for (const { data } of [cos, sin]) data.forEach((x, k) => (data[k] = rounded(size * x, bits)));
  return { cos, sin };
}

/** A ramp that rises in one step, which no exchange makes. */
const risen = plain(64).map((x, i) => x * (i < 8 ? 1 / 40 : 1));

const swapHalf = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ c, /** @type {number} */ s, /** @type {number} */ h) =>
  /** @type {[number, number]} */ (h % 2 ? [x * s - y * c, y * s + x * c] : [x * c - y * s, y * c + x * s]); // prettier-ignore

const halfStill = { angle: (/** @type {number} */ h, /** @type {number} */ t, /** @type {number} */ i) => h % 2 ? 0 : t * plain(64)[i] }; // prettier-ignore

/** What follows a cache of 17 rows. @param {(t: number) => number} rule */
const after17 = (rule) => vectors({ place: (t) => (t < 17 ? t : rule(t)) });

const named = /^RoPE, halves, 64 columns, base 10000, no scaling/.source;

/** @type {[slip: string, arrays: any, says: RegExp][]} */
const SLIPS = [
  ["the base of another kind of layer", table(plain(128, 10000)), /base 10000, no scaling$/],
  ["frequencies in float16, below its smallest normal number", vectors({ theta: plain(64, 500000).map(float16) }), /base 500000, no scaling, frequencies in float16$/],
  ["frequencies in float16, as a table", table(plain(128, 500000).map(float16)), /base 500000, no scaling, frequencies in float16$/],
  ["cosines and sines in bfloat16, vectors in float32", vectors({ turn: narrowTable(8) }), RegExp(`${named}, tables in bfloat16$`)],
  ["cosines and sines in float16, vectors in float32", vectors({ turn: narrowTable(11) }), RegExp(`${named}, tables in float16$`)],
  ["products in bfloat16", table(plain(64), (x) => rounded(x, 8)), /base 10000, no scaling, products in bfloat16$/],
  ["products in float16", table(plain(64), (x) => rounded(x, 11)), /base 10000, no scaling, products in float16$/],
  ["cosines and sines exchanged in half of the heads", vectors({ turn: swapHalf }), /batches differ: 0 is .*base 10000, no scaling; 1 is .*swapped; 2 of 4 are as 0$/],
  ["the same in one batch", vectors({ turn: swapHalf, shape: [1, H, T, 64] }), /batches differ: .*; 1 is .*swapped; 2 of 4 are as 0$/],
  ["half of the heads not rotated", vectors(halfStill), /batches differ: .*; 1 is nothing rotates; 2 of 4 are as 0$/],
  ["the same in two batches", vectors({ ...halfStill, shape: [2, 2, T, 64] }), /batches differ: .*; 1 is nothing rotates; 2 of 4 are as 0$/],
  ["positions one too far after a cache", after17((t) => t + 1), RegExp(`${named}, positions from 0, at row 17 at 18$`)],
  ["positions one back after a cache", after17((t) => t - 1), RegExp(`${named}, positions from 0, at row 17 at 16$`)],
  ["positions that stop after a cache", after17(() => 17), RegExp(`${named}, positions up to 17$`)],
  ["positions of 0 after a cache", after17(() => 0), RegExp(`${named}, positions from 0, from row 17 on at 0 without a step$`)],
  ["positions from 0 after a cache", after17((t) => t - 17), RegExp(`${named}, positions from 0 again at row 17$`)],
  ["steps of two after a cache", after17((t) => 2 * t - 17), RegExp(`${named}, positions from 0, from row 18 on at 19 in steps of 2$`)],
  ["the other direction after a cache", after17((t) => -t), RegExp(`${named}, positions from 0, from row 17 on at -17 in steps of -1$`)],
  ["right padding at 1", vectors({ place: (t) => (t < 50 ? t : 1) }), RegExp(`${named}, positions from 0, from row 50 on at 1 without a step$`)],
  ["a position for two rows", vectors({ place: (t) => t >> 1 }), RegExp(`${named}, positions, each in 2 rows$`)],
  ["the first number of a pair overwritten", vectors({ turn: (x, y, c, s) => [x * c - y * s, y * c + (x * c - y * s) * s] }), RegExp(`${named}, the second number of a pair is made from the first one's new value$`)],
  ["a minus too many", vectors({ turn: (x, y, c, s) => [x * c - y * s, y * c - x * s] }), RegExp(`${named}, a minus too many: both numbers of a pair are differences$`)],
  ["the factor of YaRN twice", vectors({ theta: ofYarn, factor: deepseek.attentionFactor ** 2 }), /yarn \(factor 40, originalLength 4096\), attention factor 1.87385, not 1.36889: applied twice$/],
  ["NTK by D - 2", vectors({ theta: plain(64, 10000 * 8 ** (64 / 62)) }), /base 10000, ntk \(alpha 8\)$/],
  ["NTK by D", vectors({ theta: plain(64, 80000) }), /base 80000, no scaling$/],
  ["LLaMA 3's factors exchanged", vectors({ theta: exchanged }), /base 500000, llama3 \(factor 32, lowFreqFactor 4, highFreqFactor 1, originalLength 8192\), its two factors exchanged: pairs to keep are tested last$/],
  ["LLaMA 3's factors exchanged, as a table", table(exchanged), /llama3 \(factor 32, lowFreqFactor 4, highFreqFactor 1, originalLength 8192\), its two factors exchanged/],
  ["LLaMA 3's factors exchanged in a clamped ramp", table(clamped), /base 500000, llama3 \(factor 8, lowFreqFactor 4, highFreqFactor 1, originalLength 8192\), its two factors exchanged: fast pairs are divided and slow ones kept$/],
  ["YaRN's betas exchanged", vectors({ theta: risenOf(64, 10000, 40, 4096), factor: yarnFactor(40) }), /base 10000, yarn \(factor 40, originalLength 4096, betaFast 1, betaSlow 32\), its two betas exchanged: fast pairs are divided and slow ones kept, attention factor 1.36889$/],
  ["YaRN's betas exchanged, without whole pairs", table(risenOf(64, 150000, 32, 4096, Number, Number)), /base 150000, yarn \(factor 32, originalLength 4096, betaFast 1, betaSlow 32, truncate false\), its two betas exchanged: .*, without its attention factor 1.34657, as mscale = mscale_all_dim leaves it out$/],
  ["YaRN's betas exchanged, of a longer model", table(risenOf(128, 1e6, 4, 32768)), /base 1000000, yarn \(factor 4, originalLength 32768, betaFast 1, betaSlow 32\), its two betas exchanged/],
  ["YaRN's factor forgotten, of numbers that few choose", yarnOf(7, 10240, 0), /yarn \(factor 7, originalLength 10240\), without its attention factor 1.19459, as mscale = mscale_all_dim leaves it out$/],
  ["YaRN's factor twice, of numbers that few choose", yarnOf(11, 40960, 2), /yarn \(factor 11, originalLength 40960\), attention factor 1.53708, not 1.23979: applied twice$/],
  ["YaRN in bfloat16, whose small numbers decide on its factor", yarnOf(7, 32768, 1, 8), /yarn \(factor 7, originalLength 32768\), attention factor 1.19459$/],
  ["degrees that are taken for radians", table(plain(64).map((x) => (x * 180) / Math.PI)), /^no name fits: pair \d+ turns against/],
  ["radians that are taken for degrees", table(plain(64).map((x) => (x * Math.PI) / 180)), /base 10000, angles taken for degrees/],
  ["exponents without their 2", table(plain(64, 100)), /base 100, no scaling$/],
  ["exponents of an integer division", table(plain(64).map(() => 1)), /one frequency of all pairs, 1, no scaling$/],
  ["the decimal logarithm in an exponential", table(plain(64, Math.exp(4))), /base 54.5982, no scaling$/],
  ["a linear factor that is multiplied", table(plain(64).map((x) => 4 * x)), /^no name fits: pair \d+ turns against/],
  ["wavelengths of LLaMA 3 without 2 pi", table(withoutTurns), /base 500000, llama3 \(factor 8, lowFreqFactor 1, highFreqFactor 4, originalLength 5147[12]\)$/],
  ["LLaMA 3's ramp inverted", table(inverted), /^no name fits: no formula gives the angles/],
  ["LLaMA 3's scaling twice", table(ofLlama.map((x, i) => (x * x) / plain(128, 500000)[i])), /^no name fits: no formula gives the angles/],
  ["YaRN's frequencies divided by its factor again", table(ofYarn.map((x) => x / 40)), /^no name fits: no formula gives the angles/],
  ["one frequency a tenth too large", table(plain(64).map((x, i) => (i === 5 ? 1.1 * x : x))), /^no name fits: /],
  ["the last pair left out", table(plain(64).map((x, i) => (i === 31 ? 0 : x))), /base 10000, proportional \(partialRotaryFactor 0.96875\)$/],
  ["the halves of frequencies exchanged", table([...plain(64).slice(16), ...plain(64).slice(0, 16)]), /^no name fits: /],
  ["cosines in bfloat16, sines in float32", narrowCosines(), /^no name fits: /],
  ["the rotation thrice", vectors({ place: (t) => 3 * t }), /base 10000, angles tripled, no scaling$/],
  ["the rotation thrice, as a table", table(plain(128, 500000).map((x) => 3 * x)), /base 500000, angles tripled, no scaling$/],
  ["a ramp that rises", table(risen), /^no name fits: /],
  ["partial rotary on the last columns", vectors({ theta: plain(32), width: 64, start: 32 }), /^RoPE, halves, 32 columns from column 32, base 10000/],
  ["32 of 80 columns, exponents of 80", vectors({ theta: plain(32, 10000, 80), width: 80 }), /^RoPE, halves, 32 columns, base 10000 with D = 80 in exponents/],
  ["24 of 96 columns, exponents of 96", vectors({ theta: plain(24, 10000, 96), width: 96 }), /^RoPE, halves, 24 columns, base 10000 with D = 96 in exponents/],
  ["exponents of all heads", table(plain(128, 10000, 4096)), /128 pairs|base 10000 with D = 4096 in exponents/],
  ["the rotation twice", vectors({ place: (t) => 2 * t }), /base 10000, angles doubled/],
  ["halves in, interleaved out", vectors({ write: "interleaved" }), /^RoPE, halves, 64 columns, output in interleaved, base 10000/],
  ["the sine's term lost", vectors({ turn: (x, y, c) => [x * c, y * c] }), /^no name fits: /],
  ["pairs reflected", vectors({ turn: (x, y, c, s) => [x * c + y * s, x * s - y * c] }), /^no name fits: /],
  ["positions of int8", vectors({ place: (t) => ((4 * t) << 24) >> 26 }), /positions from 0, at row 32 at -32$/],
]; // prettier-ignore

for (const [slip, arrays, says] of sampled(SLIPS, 1 / 3)) {
  test(`identify says of ${slip} what it is, or that no name fits`, async () => {
    const answer = /** @type {any} */ (await identify(arrays, { phasor }));
    const also = answer.alsoEqual?.map((/** @type {any} */ one) => one.sentence);
    assert.match(answer.sentence, says, JSON.stringify(also));
    const most = answer.precision === "bfloat16" ? 2 ** -7 : 1e-5;
    assert.ok(answer.kind === "none" ? answer.residual === null : answer.residual < most);
  });
}

test(
  "identify lists the other order of tests where LLaMA 3's factors are exchanged",
  atNight,
  async () => {
    for (const theta of [exchanged, other]) {
      const answer = /** @type {any} */ (await identify(vectors({ theta }), { phasor }));
      const all = [answer, ...answer.alsoEqual].map(({ scaling, exchanged: by }) => `${scaling.originalLength} ${by}`); // prettier-ignore
      const wanted = theta === exchanged ? "8192 kept last" : "8192 kept first";
      assert.ok(all.includes(wanted), String(all));
    }
  },
);

test("identify says which list of LongRoPE's factors a table has", async () => {
  const { dim, options } = /** @type {any} */ (models.rope("phi-3.5-mini"));
  for (const [length, list] of [[4096, "short"], [4097, "long"]]) {
    const { cos, sin } = rope.table(T, dim, { ...options, length });
    const answer = /** @type {any} */ (await identify({ cos, sin }, { phasor }));
    assert.match(answer.sentence, RegExp(`, its ${list} factors, attention factor 1.19024$`));
    assert.deepEqual([answer.list, answer.models], [list, ["phi-3.5-mini"]]);
  }
}); // prettier-ignore

test("identify lists a head's own width where a part of it rotates by exponents of the whole", async () => {
  const answer = /** @type {any} */ (await identify(vectors({ theta: plain(48, 10000, 64), width: 64 }), { phasor })); // prettier-ignore
  const all = [answer, ...answer.alsoEqual].map(({ base, width }) => `${base} ${width}`);
  assert.ok(all.includes("1000 undefined") && all.includes("10000 64"), String(all));
});

test("identify tells keys that do not rotate, or rotate otherwise, from queries", async () => {
  const q = vectors();
  /** @type {[Slip | undefined, RegExp][]} */
  const keys = [
    [undefined, /; k: nothing rotates: k_rotated is k$/],
    [{ place: (t) => t + 1 }, /differ in positions, which are 1 more in k/],
    [{ layout: "interleaved" }, /differ in the layout/],
    [{ place: (t) => -t }, /differ in the sign of angles/],
    [{ factor: 1.2 }, /differ in the attention factor/],
    [{ turn: narrowTable(8) }, /differ in rounded steps/],
  ];
  for (const [slip, says] of keys.filter(everyNth(2))) {
    const k = slip ? vectors(slip) : { q: q.q, rotated: q.q };
    const { sentence } = await identify({ ...q, k: k.q, k_rotated: k.rotated }, { phasor });
    assert.match(sentence, says);
  }
});

test("identify tells M-RoPE's sections in another order, and a film's time by frames, from the right ones", async () => {
  const film = (/** @type {number} */ step) =>
    positionIds.multimodal([{ text: 5 }, { grid: [3, 3, 4], step }, { text: 6 }]).positions;
  const qwen = mrope.presets.qwen2_vl;
  /** @type {[any, any, RegExp][]} */
  const all = [
    [film(2), qwen, /sections 16, 24, 24 .* 3 x 3 x 4 at steps of 2,/],
    [film(1), qwen, /sections 16, 24, 24 .* 3 x 3 x 4, /],
    [film(2), { ...qwen, sections: [24, 24, 16] }, /sections 24, 24, 16 /],
  ];
  for (const [ids, options, says] of isNight ? all : all.slice(1)) {
    const { cos, sin } = mrope.table(ids, 128, options);
    assert.match((await identify({ cos, sin }, { phasor })).sentence, says);
  }
});

test("identify names no vectors of a narrow table where one number differs", async () => {
  const [q, rotated] = Object.values(vectors({ turn: narrowTable(8) })).map(
    ({ data }) => new Tensor(data.slice(0, 24 * 64), [24, 64]),
  );
  rotated.data[20 * 64 + 3] += 1e-3;
  assert.equal((await identify({ q, rotated }, { phasor })).kind, "none");
});
