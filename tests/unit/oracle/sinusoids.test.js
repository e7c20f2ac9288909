// Tables of sinusoids, written from the formulas in double: which columns, frequencies, factor and positions they have.
import assert from "node:assert/strict";
import { test } from "node:test";
import { identify } from "phasor/oracle";
import { phasor, Tensor } from "../../phasor.js";
import { everyNth, isNight } from "../../sample.js";
import { cases } from "../../truth/golden.js";
import { noise } from "../reference/samples.js";

const { sinusoidal } = phasor;

/** @param {any} table @returns {Promise<any>} */
const asked = (table) => identify({ table }, { phasor });

/** @param {Float32Array | Float64Array} numbers @param {string} format */
const rounded = (numbers, format) =>
  format === "float32"
    ? Float32Array.from(numbers)
    : new Tensor(new Float64Array(numbers), [numbers.length])
        .as(/** @type {"float16"} */ (format))
        .as("float32").data;

/**
 * @typedef {object} Wanted
 * @property {"interleaved" | "halves" | "flipped" | "cosine first"} [layout]
 * @property {number} [base] @property {(i: number, D: number) => number} [exponent] @property {number} [scale]
 * @property {number} [positionScale] @property {number} [first] @property {1 | -1} [step]
 * @property {"sine-last" | "zero-last"} [odd]
 */

/**
 * A table by its formula.
 * @param {number} T @param {number} D @param {Wanted} wanted
 */
function tableOf(T, D, { layout = "interleaved", base = 10000, exponent = (i) => (2 * i) / D, scale = 1, positionScale = 1, first = 0, step = 1, odd = "sine-last" }) {
  const sines = odd === "sine-last" ? Math.ceil(D / 2) : Math.floor(D / 2);
  const table = new Float64Array(T * D);
  for (let t = 0; t < T; ++t) {
    for (let i = 0; i < sines; ++i) {
      const angle = (first + step * t) * positionScale * base ** -exponent(i, D);
      const places = {
        interleaved: [2 * i, 2 * i + 1],
        "cosine first": [2 * i + 1, 2 * i],
        halves: [i, sines + i],
        flipped: [Math.floor(D / 2) + i, i],
      }[layout];
      table[t * D + places[0]] = scale * Math.sin(angle);
      if (i < Math.floor(D / 2)) table[t * D + places[1]] = scale * Math.cos(angle);
    }
  }
  return table;
} // prettier-ignore

/** @param {Float64Array} table @param {number} T @param {string} [format] */
const tensor = (table, T, format = "float32") => ({
  data: rounded(table, format),
  shape: [T, table.length / T],
});

/** Asserts that one of the names has these fields, the first or an alias. @param {any} found @param {any} wanted */
function has(found, wanted) {
  assert.equal(found.kind, "sinusoids", found.sentence);
  const fits = (/** @type {any} */ one) =>
    Object.entries(wanted).every(([name, value]) =>
      typeof value === "number" ? Math.abs(one[name] / value - 1) < 1e-4 : one[name] === value,
    );
  const all = [found, ...found.alsoEqual];
  assert.ok(all.some(fits), `${JSON.stringify(wanted)}: ${JSON.stringify(all.slice(0, 3))}`);
}

/** @type {[spectrum: string, exponent: (i: number, D: number) => number, form: string][]} */
const SPECTRA = [
  ["paper", (i, D) => (2 * i) / D, "base^(-2i/D)"],
  ["tensor2tensor", (i, D) => i / (Math.floor(D / 2) - 1), "base^(-i/(D/2 - 1))"],
  ["from 1", (i, D) => (2 * (i + 1)) / D, "base^(-2(i+1)/D)"],
];

const [isTaken, isTakenOfPresets, isTakenOfOthers] = [17, 3, 3].map(everyNth);

for (const layout of /** @type {const} */ (["interleaved", "halves", "flipped", "cosine first"])) {
  for (const [name, exponent, form] of SPECTRA) {
    test(`sinusoids: ${layout}, ${name}, in three formats`, async () => {
      for (const [T, D] of [
        [5, 8],
        [64, 64],
        [300, 128],
        [40, 512],
      ]) {
        // prettier-ignore
        for (const base of isNight ? [10000, 500000] : [10000]) {
          for (const first of isNight ? [0, 1, 37] : [0, 37]) {
            const table = tableOf(T, D, { layout, base, exponent, first });
            for (const format of ["float32", "float16", "bfloat16"]) {
              if (!isTaken()) continue;
              const found = await asked(tensor(table, T, format));
              const what = `${T} x ${D}, base ${base}, from ${first}, ${format}`;
              if (T === 5 && format !== "float32" && found.kind === "none") continue; // too few digits
              assert.equal(found.kind, "sinusoids", `${what}: ${found.sentence}`);
              const isFirst = layout === "cosine first";
              assert.equal(found.layout, isFirst ? "interleaved" : layout, what);
              assert.equal(found.isCosineFirst, isFirst, what);
              assert.deepEqual([found.positions.first, found.positions.step], [first, 1], what);
              assert.ok(found.residual <= (format === "float32" ? 6e-8 : 2 ** -8), what);
              if (format === "float32" && T >= 64) has(found, { form, base });
              if (name === "paper" && format === "float32") assert.equal(found.form, form, what);
            }
          }
        }
      }
    });
  }
}

/** The tables that programs make, by their own formulas. @type {Record<string, Wanted>} */
const PRESETS = {
  vaswani: { layout: "interleaved" },
  tensor2tensor: { layout: "halves", exponent: SPECTRA[1][1] },
  fairseq: { layout: "halves", exponent: SPECTRA[1][1], first: 2 },
  whisper: { layout: "halves", exponent: SPECTRA[1][1] },
  "marian-dev": { layout: "halves", exponent: SPECTRA[1][1] },
  marian: { layout: "halves" },
  "transfo-xl": { layout: "halves", step: -1 },
  gpt_neox: { layout: "halves" },
  "x-transformers": { layout: "halves" },
  mlx: { layout: "halves", exponent: SPECTRA[1][1] },
};

test("sinusoids: the presets of the package are all tried", () => {
  assert.deepEqual(Object.keys(PRESETS).sort(), Object.keys(sinusoidal.presets).sort());
});

for (const [preset, wanted] of Object.entries(PRESETS)) {
  test(`sinusoids: the preset ${preset} is found at several sizes`, async () => {
    for (const [T, D] of [
      [8, 16],
      [50, 64],
      [100, 384],
      [30, 15],
      [30, 257],
    ]) {
      if (!isTakenOfPresets()) continue;
      if (D % 2 === 1 && /whisper|marian-dev|mlx|x-transf/.test(preset)) continue;
      const scale = { mlx: Math.sqrt(2 / D), "x-transformers": 1 / Math.sqrt(D) }[preset] ?? 1;
      const first = wanted.step === -1 ? T - 1 : wanted.first;
      const odd = /tensor|fairseq/.test(preset) ? "zero-last" : "sine-last";
      const found = await asked(tensor(tableOf(T, D, { ...wanted, scale, first, odd }), T));
      const what = `${T} x ${D}: ${found.sentence}`;
      assert.equal(found.kind, "sinusoids", what);
      assert.ok(found.presets.includes(preset), `${what}: ${found.presets}`);
      has(found, { base: 10000 });
      assert.ok(found.residual <= 6e-8 * Math.max(scale, 1), what);
      for (const other of found.presets) {
        // The formula of another preset gives the same numbers only if it is the same formula.
        const options = /** @type {any} */ (sinusoidal.presets)[other];
        assert.equal(options.layout, wanted.layout, what);
        assert.equal(options.spectrum === "paper", wanted.exponent === undefined, what);
      }
    }
  });
}

test("sinusoids: scales, factors of positions and first frequencies", async () => {
  for (const scale of [1 / Math.sqrt(64), Math.sqrt(2 / 64), 0.25, 3, 0.0123]) {
    const found = await asked(tensor(tableOf(100, 64, { scale }), 100));
    const own = found.scale === "unit" ? Math.sqrt(2 / 64) : found.scale === "inverse-sqrt" ? 1 / 8 : found.scale; // prettier-ignore
    assert.ok(Math.abs(own / scale - 1) < 1e-6, found.sentence);
  }
  for (const positionScale of [2 * Math.PI, 1000, 0.5, 0.125]) {
    for (const exponent of [SPECTRA[0][1], SPECTRA[1][1]]) {
      const made = tensor(tableOf(100, 64, { positionScale, exponent, layout: "halves" }), 100);
      has(await asked(made), { positionScale, base: 10000 });
    }
  }
  const timing = sinusoidal.table(80, 32, { ...sinusoidal.presets.tensor2tensor, minTimescale: 0.5, base: 2000 }); // prettier-ignore
  has(await asked(timing), { minTimescale: 0.5, base: 2000 });
});

test("sinusoids: positions that fall, begin before 0 or between whole numbers", async () => {
  for (const [first, step] of /** @type {[number, 1 | -1][]} */ ([
    [63, -1],
    [-5, 1],
    [1000, 1],
    [0.5, 1],
  ])) {
    // prettier-ignore
    const found = await asked(tensor(tableOf(64, 32, { first, step, layout: "halves" }), 64));
    assert.ok(Math.abs(found.positions.first - first) < 1e-4, found.sentence);
    assert.equal(found.positions.step, step, found.sentence);
  }
});

test("sinusoids: PyTorch's float32 steps, both recipes", async () => {
  for (const recipe of /** @type {const} */ (["exp", "pow"])) {
    const options = { layout: "halves", precision: "torch", recipe };
    const made = sinusoidal.table(1000, 128, /** @type {any} */ (options));
    has(await asked(made), { steps: `torch ${recipe}`, base: 10000 });
  }
  // Another library's steps: no form gives them exactly, which is said.
  const T = 1000;
  const table = new Float64Array(T * 64);
  for (let t = 0; t < T; ++t) {
    for (let i = 0; i < 32; ++i) {
      const theta = Math.fround(Math.fround(10000 ** (-i / 32)) * (1 + (i % 2) * 2 ** -23));
      const angle = Math.fround(t * theta);
      table[t * 64 + 2 * i] = Math.sin(angle);
      table[t * 64 + 2 * i + 1] = Math.cos(angle);
    }
  }
  const found = await asked(tensor(table, T));
  assert.deepEqual([found.kind, found.base, found.steps], ["sinusoids", 10000, null]);
  assert.match(found.decidedBy.join(), /float32 steps, as of another library/);
});

test("sinusoids: tables that PyTorch and other libraries have made", async () => {
  let count = 0;
  for (const { id, params, inputs, outputs } of cases("sinusoidal", 35)) {
    const positions = Array.from(inputs.positions.data, Number);
    const step = positions[1] - positions[0];
    const isEven = positions.every((p, t) => t === 0 || p === positions[t - 1] + step);
    const { base, layout, order, d_model: D, freq_den: n } = params;
    if (!isEven || Math.abs(step) !== 1 || positions.length < 4 || D < 2) continue;
    for (const name of ["out", "out_exact"]) {
      ++count;
      if (!isTakenOfOthers()) continue;
      const { data, shape } = outputs[name];
      const found = await asked({ data: Float32Array.from(/** @type {any} */ (data)), shape });
      const what = `${id} ${name}: ${found.sentence}`;
      assert.equal(found.kind, "sinusoids", what);
      assert.equal(found.layout, order === "cos_sin" ? "flipped" : D === 2 ? "halves" : layout, what);
      const factor = (params.freq_mult ?? 1) * (params.pos_scale ?? 1);
      if (D > 3) {
        const measured = found.frequencies.fitted;
        const own = Array.from(measured, (_, i) => factor * base ** (-i / n));
        measured.forEach((/** @type {number} */ x, /** @type {number} */ i) => {
          if (found.hidden && i >= found.hidden[0]) return;
          assert.ok(Math.abs(x / own[i] - 1) < 1e-4, `${what}: pair ${i}, ${x}, ${own[i]}`);
        });
      }
      if (factor === 1) assert.equal(found.positions.first, positions[0], what);
    }
  }
  assert.equal(count, 36);
}); // prettier-ignore

test("sinusoids: rows of zeros for padding, which take a position or none", async () => {
  const D = 16;
  const options = sinusoidal.presets.fairseq;
  // fairseq's weights: row paddingIdx is of zeros, and the others are their positions.
  const weights = sinusoidal.table(40, D, options);
  weights.data.fill(0, D, 2 * D);
  const stored = await asked(weights);
  assert.deepEqual(stored.positions, { first: 0, step: 1, zeros: [1], doZerosCount: true });
  assert.ok(stored.presets.includes("fairseq"));
  // Tokens: padding takes no position.
  const tokens = [5, 6, 7, 1, 1, 8, 9, 5, 4, 3];
  const padded = await asked(sinusoidal.padded(tokens, D, options));
  assert.deepEqual(padded.positions, { first: 2, step: 1, zeros: [3, 4], doZerosCount: false });
  const left = await asked(sinusoidal.padded([1, 1, 8, 9, 5, 4, 3], D, options));
  assert.deepEqual(left.positions, { first: 2, step: 1, zeros: [0, 1], doZerosCount: null });
});

test("sinusoids: one pair shows no base, and slow pairs are named", async () => {
  const found = await asked(tensor(tableOf(20, 2, {}), 20));
  assert.match(found.sentence, /one pair, which shows no base/);
  const slow = await asked(tensor(tableOf(4, 64, { base: 1e9 }), 4, "bfloat16"));
  assert.ok(slow.kind === "none" || slow.hidden !== null, slow.sentence);
});

test("sinusoids: of 100 random tables, at night 2,000, none is named, nor a table with another number", async () => {
  for (let seed = 0; seed < (isNight ? 2000 : 100); ++seed) {
    const [T, D] = [4 + (seed % 13), 2 + (seed % 9)];
    const found = await asked({ data: noise(T * D, seed), shape: [T, D] });
    assert.equal(found.kind, "none", `seed ${seed}: ${found.sentence}`);
    assert.ok(found.decidedBy[0].length > 10);
  }
  const table = tableOf(64, 32, {});
  for (const at of [0, 5, 700, 2047]) {
    const changed = table.slice();
    changed[at] += 1e-3;
    assert.equal((await asked(tensor(changed, 64))).kind, "none", `number ${at}`);
  }
});

test("sinusoids: what is wrong is refused by name", async () => {
  for (const [table, message] of /** @type {[any, RegExp][]} */ ([
    [
      [1, 2, 3],
      /^identify: table must be \[T, D\] or \[H, W, D\] with D of at least 2; got shape \[3\]$/,
    ],
    [[[1], [2]], /table must be \[T, D\] or \[H, W, D\] with D of at least 2/],
    [[], /table must be/],
    [{ data: [], shape: [0, 4] }, /table must have rows; got shape \[0, 4\]/],
    [
      [
        [NaN, 1],
        [0, 1],
      ],
      /table must be finite; got NaN at number 0/,
    ],
    [[[0, Infinity]], /table must be finite; got Infinity at number 1/],
    [[[1, 2], [3]], /table must not be ragged/],
    [{ data: new Float32Array(8), shape: [2, 1, 2, 2] }, /table must be \[T, D\]/],
    ["table", /table must be a tensor/],
  ])) {
    // prettier-ignore
    await assert.rejects(() => asked(table), { message });
  }
  assert.equal((await asked(new Tensor(new Float32Array(64), [8, 8]))).kind, "none");
  assert.equal((await asked(tensor(tableOf(3, 8, {}), 3))).kind, "none");
});

test("identify names no sinusoids whose cosines have other frequencies than their sines", async () => {
  const [T, D] = [64, 64];
  /** @type {((c: number) => number)[]} */
  const exponents = [
    (c) => (c % 2 ? (c - 1) / (D - 2) : c / D), // i / (D / 2 - 1) in cosines alone
    (c) => c / D, // of each column by itself
    (c) => (2 * c) / D,
    (c) => (c % 2 ? (c + 1) / D : c / D), // cosines a pair ahead
  ];
  for (const exponent of exponents) {
    const data = Float32Array.from({ length: T * D }, (_, k) => {
      const angle = Math.floor(k / D) * 10000 ** -exponent(k % D);
      return k % 2 ? Math.cos(angle) : Math.sin(angle);
    });
    const { kind, sentence } = await identify({ table: { data, shape: [T, D] } }, { phasor });
    assert.equal(kind, "none", sentence);
  }
});
