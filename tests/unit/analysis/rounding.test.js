import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { declaredBattery } from "../battery.js";
import { phasor } from "../../phasor.js";
import * as exact from "../reference/exact.js";
import { floats, numbers } from "../reference/samples.js";
import * as torch from "../reference/torch.js";

const { rounding, rope, sinusoidal } = phasor;
const { fround } = Math;

const PIPELINES = /** @type {const} */ ([
  "exact",
  "float32-angle",
  "float32",
  "bfloat16-table",
  "float16-table",
  "bfloat16",
  "float16",
  "ggml",
]);

/** @typedef {typeof PIPELINES[number]} Pipeline */

/** The report of one pipeline. @param {Pipeline} pipeline @param {any} [options] */
function report(
  positions = /** @type {any} */ (0),
  dim = 0,
  pipeline = PIPELINES[0],
  options = {},
) {
  const found = rounding.report(positions, dim, { ...options, pipelines: [pipeline] })[pipeline];
  assert.ok(found);
  return found;
}

/** A number in a format with `bits` bits, including the leading one. @param {number} x @param {number} bits @param {number} least  exponent */
function rounded(x, bits, least) {
  if (x === 0 || !Number.isFinite(x)) return x;
  const unit = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(x))), least) - bits + 1);
  const below = Math.floor(x / unit);
  const rest = x / unit - below;
  const up = rest > 0.5 || (rest === 0.5 && below % 2 !== 0);
  return (below + Number(up)) * unit;
}

const bfloat16 = (/** @type {number} */ x) => rounded(x, 8, -126);
const float16 = (/** @type {number} */ x) => {
  const value = rounded(x, 11, -14);
  return Math.abs(value) >= 65536 ? value * Infinity : value;
};

/**
 * Each pipeline's sine and cosine, step by step.
 * @type {Record<Pipeline, (p: number, theta: bigint, f: number, i: number, base: number, n: number) => {sin: number, cos: number}>}
 */
const STEPS = {
  exact: (p, theta) => each(exact.phase(p, theta), fround),
  "float32-angle": (p, theta) => of(fround(exact.double((exact.fixed(p) * theta) >> 160n))),
  float32: (p, _, f) => of(fround(fround(p) * f)),
  "bfloat16-table": (p, _, f) => each(of(fround(fround(p) * f)), bfloat16),
  "float16-table": (p, _, f) => each(of(fround(fround(p) * f)), float16),
  bfloat16: (p, _, f) => each(of(bfloat16(bfloat16(p) * bfloat16(f))), bfloat16),
  float16: (p, _, f) => each(of(float16(float16(p) * float16(f))), float16),
  ggml(p, _theta, _f, i, base, n) {
    const ratio = fround(fround(base) ** fround(-1 / n));
    let angle = fround(p);
    for (let k = 0; k < i; ++k) angle = fround(angle * ratio);
    return of(angle);
  },
};

/** The float32 sine and cosine of an angle. @param {number} angle */
function of(angle) {
  return { sin: fround(Math.sin(angle)), cos: fround(Math.cos(angle)) };
}

/** @param {{sin: number, cos: number}} value @param {(x: number) => number} format */
function each({ sin, cos }, format) {
  return { sin: format(sin), cos: format(cos) };
}

describe("rounding.report", () => {
  const positions = [0, 1, 2, 100.5, 257, -258, 4095, 15962, 32767, 70001, 1048575, 2 ** 31];
  const P = 16;

  for (const pipeline of PIPELINES) {
    test(`rounding.report is the error of the steps of ${pipeline}, compared with 140 bits`, () => {
      const base = 10000;
      const thetas = exact.frequencies(base, P, P);
      const singles = torch.frequencies(base, P, P, "pow");
      const { error } = report(positions, 2 * P, pipeline, { base });
      assert.deepEqual(error.shape, [positions.length, P]);
      for (const [t, p] of positions.entries()) {
        for (const [i, theta] of thetas.entries()) {
          const want = exact.phase(p, theta);
          // The last bit of a float32 frequency may differ from this engine's pow.
          const fits = [0, -1, 1].some((bit) => {
            const single = fround(singles[i] * (1 + bit * 2 ** -23.5));
            const got = STEPS[pipeline](p, theta, single, i, base, P);
            const far = Math.max(Math.abs(got.sin - want.sin), Math.abs(got.cos - want.cos));
            const held = Number(error.at(t, i));
            if (Number.isNaN(far)) return Number.isNaN(held);
            return Math.abs(held - far) <= far * 2 ** -24 + 1e-15; // rounded once to float32
          });
          assert.ok(fits, `${pipeline} at ${p}, pair ${i}: ${error.at(t, i)}`);
        }
      }
    });
  }

  test("rounding.report has the reference errors at head width 128", () => {
    const at = [4095, 32767, 131071, 1048575];
    const wanted = /** @type {const} */ ([
      [1e4, "float32", [1.4e-4, 1.7e-3, 4.2e-3, 2.5e-2]],
      [5e5, "float32", [2.0e-4, 8.6e-4, 3.7e-3, 3.3e-2]],
      [1e6, "float32", [2.7e-4, 1.3e-3, 4.8e-3, 6.8e-2]],
      [1e4, "ggml", [5.0e-4, 2.3e-3, 1.2e-2, 9.2e-2]],
      [5e5, "ggml", [2.9e-4, 1.5e-3, 3.7e-3, 4.4e-2]],
      [1e6, "ggml", [2.7e-4, 2.7e-3, 9.5e-3, 6.4e-2]],
      [1e4, "float32-angle", [1.2e-4, 8e-4, 2.6e-3, 2.3e-2]],
      [5e5, "float32-angle", [8e-5, 9e-4, 2.1e-3, 1.9e-2]],
      [1e6, "float32-angle", [7e-5, 8e-4, 2.0e-3, 2.6e-2]],
    ]);
    for (const [base, pipeline, largest] of wanted) {
      at.forEach((position, k) => {
        const { max } = report([position], 128, pipeline, { base });
        const digits = pipeline === "float32-angle" && largest[k] < 1e-3 ? 1 : 2;
        assert.equal(
          Number(max.toPrecision(largest[k] === 1.2e-4 ? 2 : digits)),
          largest[k],
          `${base} ${pipeline} ${position}`,
        );
      });
    }
  });

  test("rounding.report shows how bfloat16 rounds positions: 257 to 256, 15962 to 15936", () => {
    for (const [position, kept] of [
      [257, 256],
      [259, 260],
      [1023, 1024],
      [15962, 15936],
    ]) {
      const { error } = report([position], 2, "bfloat16");
      const far = [Math.sin, Math.cos].map((wave) => {
        return Math.abs(bfloat16(fround(wave(kept))) - wave(position));
      });
      assert.ok(Math.abs(Number(error.at(0, 0)) - Math.max(...far)) <= 1e-7);
      assert.ok(Math.max(...far) > 0.05);
    }
    for (let position = 0; position <= 256; ++position) {
      assert.ok(report([position], 2, "bfloat16").max <= 2 ** -9 + 1e-7); // half a unit below 1
    }
  });

  test("rounding.report distinguishes the pipelines: exact, float32, tables, 16-bit angles", () => {
    const reports = rounding.report(8192, 128);
    assert.deepEqual(Object.keys(reports), [...PIPELINES]);
    const max = (/** @type {Pipeline} */ name) => reports[name]?.max ?? NaN;
    assert.ok(max("exact") <= 2.99e-8);
    assert.ok(max("float32-angle") > 1e-4 && max("float32-angle") < 3e-4); // half a bit of 8191: 2.4e-4
    assert.ok(max("float32") > max("float32-angle") && max("float32") < 1e-3);
    assert.ok(max("float16-table") > 2 ** -12 && max("float16-table") < 2 ** -12 + 1e-3);
    assert.ok(max("bfloat16-table") > 2 ** -9 && max("bfloat16-table") < 2 ** -9 + 1e-3);
    assert.ok(max("float16") > 1.9 && max("bfloat16") > 1.9);
  });

  test("rounding.report is the error of sinusoidal.table and rope.table in float32 steps", () => {
    const places = Float64Array.from({ length: 70 }, (_, t) => t * 997 + 31);
    const tables = /** @type {const} */ ([
      ["sinusoidal", (/** @type {any} */ options) => sinusoidal.table(places, 64, options).data],
      [
        "rope",
        (/** @type {any} */ options) => {
          const { cos, sin } = rope.table(places, 64, options);
          return Array.from({ length: 70 * 64 }, (_, k) => (k % 2 === 0 ? sin : cos).data[k >> 1]);
        },
      ],
    ]);
    for (const [scheme, table] of tables) {
      const got = Array.from(table({ precision: "torch" }), Number);
      const want = Array.from(table({ precision: "exact" }), Number);
      const { error } = report(places, 64, "float32", { scheme });
      error.data.forEach((held, k) => {
        const far = Math.max(...[0, 1].map((d) => Math.abs(got[2 * k + d] - want[2 * k + d])));
        assert.ok(Math.abs(Number(held) - far) <= 3e-8); // the exact table's own rounding
      });
    }
  });

  test("rounding.report summarizes: the largest error, its position, and the root mean square", () => {
    for (const pipeline of PIPELINES) {
      const { error, max, position, pair, rms } = report(3000, 32, pipeline, { offset: 500 });
      const data = numbers(error);
      const at = data.indexOf(Math.max(...data));
      assert.equal(fround(max), data[at]);
      assert.equal(position, 500 + Math.floor(at / 16));
      assert.equal(pair, at % 16);
      const square = data.reduce((sum, x) => sum + x * x, 0) / data.length;
      assert.ok(Math.abs(rms / Math.sqrt(square) - 1) <= 2 ** -23); // each error once rounded
    }
  });

  test("rounding.report gives NaN for values outside float16's range, and the first position", () => {
    const { error, max, position, pair, rms } = report([1, 65519, 65520, 70000], 4, "float16");
    assert.deepEqual(
      Array.from(error, (row) => floats(row).some(Number.isNaN)),
      [false, false, true, true],
    );
    assert.ok(Number.isNaN(max) && Number.isNaN(rms));
    assert.deepEqual([position, pair], [65520, 0]);
  });

  test("rounding.report takes given frequencies as exact, as those of any scaled rope", () => {
    const frequencies = Float64Array.of(1, 0.3, 0.01, -1e-5, 0);
    const places = [0, 5, 1000, 123456];
    const { error } = report(places, 10, "float32", { frequencies });
    for (const [t, p] of places.entries()) {
      for (const [i, theta] of frequencies.entries()) {
        const want = exact.phase(p, exact.fixed(theta));
        const got = torch.phase(p, fround(theta));
        const far = Math.max(
          Math.abs(fround(got.sin) - want.sin),
          Math.abs(fround(got.cos) - want.cos),
        );
        assert.ok(Math.abs(Number(error.at(t, i)) - far) <= 6e-8);
      }
    }
    const { frequencies: plain } = rope.frequencies(64);
    assert.ok(report(5000, 64, "exact", { frequencies: plain }).max <= 2.99e-8);
    const names = Object.keys(rounding.report(4, 64, { frequencies: plain }));
    assert.deepEqual(names, PIPELINES.slice(0, 7));
  });

  test("rounding.report follows base, spectrum and offset", () => {
    const { error } = report(300, 8, "float32", { spectrum: 3, base: 50, offset: 1e5 });
    const data = floats(sinusoidal.table(300, 8, { spectrum: 3, base: 50, offset: 1e5 }));
    const thetas = torch.frequencies(50, 3, 4, "pow");
    for (let t = 0; t < 300; ++t) {
      for (let i = 0; i < 4; ++i) {
        const fits = [0, -1, 1].some((bit) => {
          const { sin, cos } = torch.phase(1e5 + t, fround(thetas[i] * (1 + bit * 2 ** -23.5)));
          const far = Math.max(
            Math.abs(sin - data[t * 8 + 2 * i]),
            Math.abs(cos - data[t * 8 + 2 * i + 1]),
          );
          return Math.abs(far - Number(error.at(t, i))) <= 1e-7;
        });
        assert.ok(fits, `${t} ${i}`);
      }
    }
  });

  test("rounding.report accepts positions of any shape, and rejects an empty list", () => {
    assert.deepEqual(report([[1, 2, 3]], 4, "float32").error.shape, [1, 3, 2]);
    for (const none of [0, []]) {
      assert.throws(
        () => rounding.report(none, 4),
        /^RangeError: \S+: positions must .+; got none$/,
      );
    }
    assert.throws(
      () => report([1], 4, "float32", { base: 0.5 }),
      /: base must be a number from 1 on; got 0.5$/,
    );
  });

  test("rounding.report throws on options that do not fit together", () => {
    const frequencies = [1, 0.1];
    for (const [name, options] of /** @type {const} */ ([
      ["pipelines", { pipelines: [, "float32"] }], // eslint-disable-line no-sparse-arrays
      ["frequencies", { frequencies: [1] }],
      ["frequencies", { frequencies: [1, 1.5] }],
      ["frequencies", { frequencies: [[1, 0.5]] }],
    ])) {
      assert.throws(
        () => rounding.report(2, 4, /** @type {any} */ (options)),
        new RegExp(`^(Type|Range)Error: [\\w.]+: ${name} must .+; got `),
      );
    }
    for (const [name, options] of Object.entries({
      base: { base: 10000 },
      spectrum: { spectrum: "paper" },
    })) {
      assert.throws(
        () => rounding.report(2, 4, /** @type {any} */ ({ frequencies, ...options })),
        { name: "RangeError", message: `rounding.report: ${name} must not be given with frequencies; got both` },
      ); // prettier-ignore
    }
    assert.throws(
      () => rounding.report(2, 4, { frequencies, pipelines: ["ggml"] }),
      /^RangeError: rounding.report: frequencies must not be given with the pipeline "ggml"; got both$/,
    );
  });
});

declaredBattery(
  "rounding.report",
  { T: 2, dim: 4 },
  {
    T: ["length", "length", "positions"],
    dim: ["evenSize"],
    pipelines: ["words"],
    offset: ["reach"],
  },
);
