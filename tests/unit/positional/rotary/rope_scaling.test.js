import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery } from "../../battery.js";
import { cases } from "../../../truth/golden.js";
import { phasor, Tensor } from "../../../phasor.js";
import { double, fixed, phase, ulps } from "../../reference/exact.js";
import { rotary } from "../../reference/hf.js";
import { noise, numbers } from "../../reference/samples.js";
import { scaledFrequencies } from "../../reference/scaling.js";

/** @import { Scaling } from "../../../../src/positional/rotary/rope/scaling.js" */
/** @import { Stored } from "../../../truth/golden.js" */

const { rope } = phasor;

const PARTS = /** @type {const} */ (["cos", "sin"]);

/** A scaling of each type, as models have it. @type {Record<string, Scaling>} */
const SCALINGS = {
  linear: { type: "linear", factor: 4 },
  dynamic: { type: "dynamic", factor: 2, maxLength: 2048 },
  ntk: { type: "ntk", alpha: 4 },
  yarn: { type: "yarn", factor: 16, originalLength: 4096 },
  longrope: {
    ...{ type: "longrope", originalLength: 4096, factor: 32 },
    shortFactor: Array.from({ length: 32 }, (_, i) => 1 + i / 32),
    longFactor: Array.from({ length: 32 }, (_, i) => 1 + 2 * i),
  },
  llama3: { type: "llama3", factor: 8, lowFreqFactor: 1, highFreqFactor: 4, originalLength: 8192 },
  proportional: { type: "proportional", partialRotaryFactor: 0.25 },
};

/**
 * @param {number} dim @param {object} [options]
 * @returns {number[]}
 */
const frequencies = (dim, options) => numbers(rope.frequencies(dim, options).frequencies);

/** What a scaling multiplies each frequency by. @param {number} dim @param {Scaling} scaling @param {number} base */
function ratios(dim, scaling, base = 10000) {
  const whole = frequencies(dim, { base });
  return frequencies(dim, { base, scaling, length: 1 }).map((theta, i) => theta / whole[i]);
}

/** Float32's spacing at a number. @param {number} x */
const spacing = (x) => 2 ** (Math.max(Math.floor(Math.log2(Math.abs(x))), -126) - 23);

/** A value printed with a limited number of digits: half a unit of the last one. @param {number} got @param {number} want */
function assertPrinted(got, want) {
  const digits = 1 + Math.floor(Math.log10(Math.abs(want)));
  const unit = 10 ** (digits - String(want).replace(/e.*|\D|^0\.0*/g, "").length);
  assert.ok(Math.abs(got - want) <= unit / 2 + want * 2 ** -24, `${got}, not ${want}`);
}

describe("rope.frequencies and rope.table with scaling against other programs", () => {
  /**
   * A golden case as what it tests.
   * @param {import("../../../truth/golden.js").Case} one
   */
  function read({ params, inputs, outputs }) {
    const dim = params.rotary_dim;
    const options = rotary(params);
    const torch = /** @type {const} */ ({ ...options, precision: "torch" });
    const positions = numbers(inputs.position_ids);
    const thetas = frequencies(dim, torch);
    /** The columns of a table, without the second time they stand there. @param {Stored} table */
    const once = (table) => {
      const width = table.shape[table.shape.length - 1];
      return numbers(table).filter((_, k) => k % width < dim / 2);
    };
    /** The angle at a place of a table. @param {number} k */
    const angle = (k) =>
      Math.abs(positions[Math.floor(k / thetas.length)]) * thetas[k % thetas.length];
    const size = rope.frequencies(dim, options).attentionFactor;
    return { dim, options, torch, positions, thetas, once, angle, size, outputs };
  }

  /**
   * To the last bit; but where a double frequency, which is off by 2^-52 or so of itself, moves the
   * value by a hundredth of an ULP, that may round the other way.
   * @param {ReturnType<typeof read>} one
   */
  function assertExact({ dim, options, positions, once, angle, size, outputs }) {
    const table = rope.table(positions, dim, options);
    for (const part of PARTS) {
      assert.deepEqual(table[part].shape, [positions.length, dim / 2]);
      const got = numbers(table[part]);
      for (const [k, want] of once(outputs[`${part}_exact`]).entries()) {
        if (got[k] === want) continue;
        const off = size * angle(k) * 2 ** -51;
        assert.ok(off >= spacing(want) / 100, `${part} ${k}: ${got[k]}, not ${want}`);
        assert.ok(Math.abs(got[k] - want) <= spacing(want) + off);
      }
    }
  }

  /**
   * An ULP of each sine, 2^-24 below 1, times the factor, and the roundings of that product.
   * @param {ReturnType<typeof read>} one @param {(k: number) => number} off  of the angle
   */
  function assertLike({ dim, torch, positions, once, size, outputs }, off) {
    const table = rope.table(positions, dim, torch);
    for (const part of PARTS) {
      const got = numbers(table[part]);
      for (const [k, want] of once(outputs[part]).entries()) {
        const bound = size * (2 ** -23 + off(k)) + (size > 1 ? 2 ** -23 : 0);
        assert.ok(Math.abs(got[k] - want) <= bound, `${part} ${k}: ${got[k]}, not ${want}`);
      }
    }
  }

  const scaled = (/** @type {{rope_type?: string}} */ { rope_type }) => rope_type !== "default";

  for (const one of cases("rope_tables", 17, scaled)) {
    const given = read(one);
    const { dim, options, thetas, angle, outputs } = given;
    const library = numbers(outputs.inv_freq);

    test(`rope.frequencies of ${one.id} are correctly rounded`, () => {
      const { frequencies, attentionFactor } = rope.frequencies(dim, options);
      assert.deepEqual(frequencies.data, outputs.inv_freq_exact.data);
      const want = Number(outputs.attention_factor_exact.data[0]);
      assert.ok(Math.abs(attentionFactor / want - 1) <= 1e-15); // some roundings of 2^-53
    });

    test(`rope.frequencies with precision torch are within 2 ULP of those of ${one.id}`, () => {
      library.forEach((theta, i) => assert.ok(ulps(thetas[i], theta) <= 2));
    });

    test(`rope.table equals ${one.id}`, () => assertExact(given));

    test(`rope.fromFullWidth reads ${one.id}`, () => {
      const { table, layout } = rope.fromFullWidth({ cos: outputs.cos, sin: outputs.sin });
      assert.equal(layout, "halves");
      for (const part of PARTS) {
        assert.deepEqual(table[part].shape, [given.positions.length, dim / 2]);
        assert.deepEqual(numbers(table[part]), given.once(outputs[part]));
      }
    });

    test(`rope.table with precision torch follows the program of ${one.id}`, () => {
      // With the same frequency the angles have the same bits; 2 ULP off, they are 2^-22 away.
      const same = (/** @type {number} */ i) => thetas[i] === library[i];
      assertLike(given, (k) => (same(k % thetas.length) ? 0 : angle(k) * 2 ** -22));
    });
  }

  for (const one of cases("rope_freqs_cis", 2)) {
    test(`rope.table equals ${one.id}, and with precision torch follows its program`, () => {
      const given = read(one);
      assertExact(given);
      // DeepSeek divides after the power and not before: some roundings of 2^-24 each.
      assertLike(given, (k) => given.angle(k) * 2 ** -22);
    });
  }
});

test("rope.frequencies with precision torch and scaling are within 5 ULP, of the unscaled frequency, of PyTorch's", () => {
  const llama3 = (/** @type {number} */ factor) => ({ ...SCALINGS.llama3, factor });
  // transformers' formulas in PyTorch 2.15 on x86-64, where its float32 power is an ULP off.
  for (const [base, dim, i, scaling, theta] of /** @type {const} */ ([
    [25000, 64, 7, { type: "linear", factor: 7 }, 0.015590233728289604],
    [5000, 128, 30, { type: "yarn", factor: 7, originalLength: 4096 }, 0.013767817057669163],
    [500000, 112, 25, llama3(7), 0.002631261246278882],
    [12345.678, 512, 191, llama3(7), 0.00016575795598328114],
  ])) {
    const unscaled = frequencies(dim, { base })[i];
    const options = { base, precision: "torch", scaling: /** @type {Scaling} */ (scaling) };
    const error = Math.abs(frequencies(dim, options)[i] - theta);
    assert.ok(error <= 5 * spacing(unscaled), `${scaling.type}: ${error / spacing(unscaled)}`);
  }
});

describe("rope.frequencies with scaling, reference values", () => {
  test("rope.frequencies with yarn equal those of Llama-2 times 4 and of gpt-oss", () => {
    const llama = frequencies(128, { scaling: { type: "yarn", factor: 4, originalLength: 4096 } });
    for (const [k, want] of [
      [0, 1],
      [20, 0.0562341325],
      [21, 0.0472920385],
      [33, 0.005412277],
      [45, 0.000429402589],
      [46, 0.000333380358],
      [63, 2.88695496e-5],
    ]) {
      assertPrinted(llama[k], want);
    }
    const scaling = { type: "yarn", factor: 32, originalLength: 4096, truncate: false };
    const oss = frequencies(64, { base: 150000, scaling });
    for (const [k, want] of [
      [8, 0.0508132748],
      [9, 0.0317056962],
      [17, 1.29318701e-4],
      [18, 3.83088124e-5],
      [31, 3.02351143e-7],
    ]) {
      assertPrinted(oss[k], want);
    }
  });

  test("rope.frequencies with yarn keep the pairs up to low and divide those from high on", () => {
    for (const [dim, base, originalLength, low, high] of [
      [128, 10000, 4096, 20, 46],
      [128, 1000000, 32768, 23, 40],
      [64, 10000, 4096, 10, 23],
    ]) {
      const ratio = ratios(dim, { type: "yarn", factor: 4, originalLength }, base);
      assert.equal(ratio.lastIndexOf(1), low);
      assert.equal(ratio.indexOf(0.25), high);
      for (let i = 0; i < dim / 2; ++i) {
        const ramp = Math.min(Math.max((i - low) / (high - low), 0), 1);
        // the two frequencies were rounded to float32
        assert.ok(Math.abs(ratio[i] - (1 - ramp + ramp / 4)) <= 2 ** -23);
      }
    }
  });

  test("rope.frequencies with yarn slow pair 33 by 1.78 over the index and by 3.90 over turns", () => {
    const yarn = /** @type {const} */ ({ type: "yarn", factor: 8, originalLength: 4096 });
    assert.equal((1 / ratios(128, yarn)[33]).toFixed(2), "1.78");
    assert.equal((1 / ratios(128, { ...yarn, ramp: "turns" })[33]).toFixed(2), "3.90");
    const scaling = /** @type {Scaling} */ ({ ...yarn, ramp: "index" });
    assert.deepEqual(frequencies(128, { scaling }), frequencies(128, { scaling: yarn }));
  });

  test("rope.frequencies with yarn over turns keep and divide pairs as the paper's formula says", () => {
    const random = noise(4 * 40, 33);
    for (let k = 0; k < 40; ++k) {
      const [a, b, c, d] = Array.from(random.subarray(4 * k), (x) => (x + 1) / 2);
      const [base, dim] = [1 + 10 ** (7 * a), 2 + 2 * Math.floor(100 * b)];
      const [originalLength, factor] = [Math.ceil(2 ** (5 + 15 * c)), 1 + 40 * d];
      for (const betaFast of [4, 32]) {
        /** @type {Scaling} */
        const scaling = { type: "yarn", factor, originalLength, betaFast, ramp: "turns" };
        const got = rope.frequencies(dim, { base, scaling });
        const exact = scaledFrequencies(scaling, dim, base).map(double);
        const torch = frequencies(dim, { base, scaling, precision: "torch" });
        for (let i = 0; i < dim / 2; ++i) {
          const theta = base ** ((-2 * i) / dim);
          const turns = (originalLength * theta) / (2 * Math.PI);
          const gamma = Math.min(Math.max((turns - 1) / (betaFast - 1), 0), 1);
          const want = gamma * theta + ((1 - gamma) * theta) / factor;
          const place = `${JSON.stringify({ ...scaling, base, dim })}, pair ${i}`;
          assert.ok(Math.abs(exact[i] - want) <= 1e-12 * want, place); // the reference itself
          assert.ok(ulps(Number(got.frequencies.data[i]), exact[i]) <= 0.501, place);
          // ln(1e7) * 2^-24 of a float32 power, and roundings of the whole
          assert.ok(Math.abs(torch[i] - want) <= 1e-5 * want + 2 ** -21 * theta, place);
        }
        const index = rope.frequencies(dim, { base, scaling: { ...scaling, ramp: "index" } });
        assert.equal(got.attentionFactor, index.attentionFactor);
      }
    }
  });

  test("rope.frequencies with dynamic have the reference base", () => {
    const scaling = SCALINGS.dynamic;
    for (const [length, base] of [
      [4096, 30527.7367],
      [8192, 72195.8601],
    ]) {
      const got = frequencies(128, { scaling, length });
      assert.deepEqual(got, frequencies(128, { scaling, length: BigInt(length) }));
      const want = frequencies(128, { base });
      // the base is printed to 2e-9, and the power of it is at most the first
      got.forEach((theta, i) => assert.ok(Math.abs(theta / want[i] - 1) <= 2e-9 + 2 ** -23));
    }
  });

  test("rope.frequencies with llama3 keep, blend and divide the number of pairs in the formula", () => {
    for (const [dim, factor, ...bands] of [
      [128, 8, 29, 6, 29],
      [64, 32, 15, 3, 14],
    ]) {
      const scaling = /** @type {Scaling} */ ({ ...SCALINGS.llama3, factor });
      const ratio = ratios(dim, scaling, 500000);
      const kept = ratio.filter((x) => x === 1).length;
      const divided = ratio.filter((x) => x === 1 / factor).length;
      assert.deepEqual([kept, dim / 2 - kept - divided, divided], bands);
      assert.deepEqual(
        ratio,
        [...ratio].sort((a, b) => b - a),
      );
    }
    const got = frequencies(128, { base: 500000, scaling: SCALINGS.llama3 });
    assertPrinted(got[29], 0.00216657076);
    assertPrinted(got[31], 0.000856751413);
    assertPrinted(got[34], 0.000178507813);
    assertPrinted(got[35], 9.55621235e-5);
  });

  test("rope.frequencies return the attention factor and DeepSeek's factor of the softmax", () => {
    const yarn = (/** @type {object} */ options) => {
      const scaling = { ...SCALINGS.yarn, factor: 40, ...options };
      const { attentionFactor, softmaxFactor } = rope.frequencies(64, { scaling });
      return [attentionFactor, softmaxFactor].map((x) => Number(x.toFixed(6)));
    };
    assert.deepEqual(yarn({}), [1.368888, 1]);
    assert.deepEqual(yarn({ mscale: 1, mscaleAllDim: 1 }), [1, 1.873854]);
    assert.deepEqual(yarn({ mscale: 0.707, mscaleAllDim: 0.707 }), [1, 1.589626]);
    assert.deepEqual(yarn({ mscale: 1, mscaleAllDim: 1, attentionFactor: 2 }), [2, 1.873854]);
    assert.deepEqual(yarn({ mscale: 0, mscaleAllDim: 0 }), [1.368888, 1]); // as not given
    for (const scaling of [undefined, SCALINGS.linear, SCALINGS.ntk, SCALINGS.llama3]) {
      const { attentionFactor, softmaxFactor } = rope.frequencies(64, { scaling });
      assert.deepEqual([attentionFactor, softmaxFactor], [1, 1]);
    }
  });
});

describe("rope.frequencies with scaling, the laws", () => {
  test("rope.frequencies with ntk keep the first frequency and divide the last by alpha", () => {
    for (const [dim, alpha] of [
      [4, 2],
      [64, 8],
      [128, 1000],
    ]) {
      const ratio = ratios(dim, { type: "ntk", alpha });
      assert.equal(ratio[0], 1);
      assert.ok(Math.abs(ratio[dim / 2 - 1] * alpha - 1) <= 2 ** -23); // of two rounded numbers
    }
  });

  test("rope.frequencies with a factor of 1 are the unscaled ones", () => {
    const plain = frequencies(64);
    for (const scaling of /** @type {Scaling[]} */ ([
      { type: "linear", factor: 1 },
      { type: "ntk", alpha: 1 },
      { type: "yarn", factor: 1, originalLength: 4096 },
      { type: "yarn", factor: 1, originalLength: 4096, ramp: "turns" },
      { ...SCALINGS.llama3, factor: 1 },
      { type: "proportional", partialRotaryFactor: 1 },
    ])) {
      const { frequencies, attentionFactor } = rope.frequencies(64, { scaling, length: 99 });
      assert.deepEqual(numbers(frequencies), plain, JSON.stringify(scaling));
      assert.equal(attentionFactor, 1);
    }
  });

  test("rope.frequencies with dynamic change only beyond maxLength, and then equal those of ntk", () => {
    const scaling = SCALINGS.dynamic;
    for (const length of [0, 1, 2048]) {
      assert.deepEqual(frequencies(64, { scaling, length }), frequencies(64));
    }
    const alpha = (2 * 5000) / 2048 - 1;
    const ntk = frequencies(64, { scaling: { type: "ntk", alpha } });
    assert.deepEqual(frequencies(64, { scaling, length: 5000 }), ntk);
  });

  test("rope.frequencies with longrope switch from short to long factors beyond the original length", () => {
    const { longrope: scaling } = SCALINGS;
    const plain = frequencies(64);
    const divided = (/** @type {(i: number) => number} */ by) =>
      plain.map((theta, i) => theta / by(i));
    const near = (/** @type {number[]} */ got, /** @type {number[]} */ want) =>
      got.forEach((theta, i) => assert.ok(ulps(theta, want[i]) <= 1)); // `plain` was rounded
    const short = divided((i) => 1 + i / 32);
    near(frequencies(64, { scaling, length: 4096 }), short);
    near(frequencies(64, { scaling, length: 0 }), short);
    const long = divided((i) => 1 + 2 * i);
    near(frequencies(64, { scaling, length: 4097 }), long);
  });

  test("rope.frequencies with proportional rotate only the first pairs of each half", () => {
    const got = frequencies(64, { scaling: { ...SCALINGS.proportional, factor: 2 } });
    const plain = frequencies(64);
    assert.deepEqual(
      got,
      plain.map((theta, i) => (i < 8 ? theta / 2 : 0)),
    );
    const x = new Tensor(noise(3 * 64), [3, 64]);
    const turned = rope.apply(x, rope.table(3, 64, { scaling: SCALINGS.proportional }));
    for (let d = 0; d < 64; ++d) {
      if (d % 32 >= 8) assert.equal(turned.at(2, d), x.at(2, d));
      else assert.notEqual(turned.at(2, d), x.at(2, d));
    }
  });

  test("rope.frequencies of llama3 with equal factors have two bands and no NaN", () => {
    for (const precision of /** @type {const} */ (["exact", "torch"])) {
      const scaling = { ...SCALINGS.llama3, lowFreqFactor: 1, highFreqFactor: 1 };
      const got = frequencies(64, { scaling, precision });
      const plain = frequencies(64, { precision });
      got.forEach((theta, i) => {
        const kept = (2 * Math.PI) / plain[i] <= 8192;
        assert.ok(ulps(theta, kept ? plain[i] : plain[i] / 8) <= 1);
      });
    }
  });

  test("rope.frequencies with scaling accept the recipe exp", () => {
    const options = /** @type {const} */ ({ scaling: SCALINGS.yarn, precision: "torch" });
    const exp = rope.frequencies(64, { ...options, recipe: "exp" }).frequencies;
    const pow = frequencies(64, options);
    assert.notDeepEqual(numbers(exp), pow);
    exp.data.forEach((theta, i) => assert.ok(ulps(Number(theta), pow[i]) <= 32));
  });

  for (const [type, scaling] of Object.entries(SCALINGS)) {
    test(`rope.apply makes <q_m, k_n> depend only on m - n with ${type} scaling`, () => {
      const dim = 64;
      const [q, k] = [noise(dim, 6), noise(dim, 7)].map((data) => new Tensor(data, [1, dim]));
      const dot = (/** @type {number[]} */ a, /** @type {number[]} */ b) =>
        a.reduce((sum, x, d) => sum + x * b[d], 0);
      const options = { scaling, length: 100000 };
      const { attentionFactor: factor } = rope.frequencies(dim, options);
      const lengths = [q, k].map((x) => Math.sqrt(dot(numbers(x), numbers(x))));
      const score = (/** @type {number} */ m, /** @type {number} */ n) => {
        const a = rope.apply(q, rope.table([m], dim, options));
        const b = rope.apply(k, rope.table([n], dim, options));
        return dot(numbers(a), numbers(b));
      };
      // guide Accuracy, #distance; the factor is in q and in k
      const bound = 1e-6 * lengths[0] * lengths[1] * factor ** 2;
      for (const distance of [0, 1, -13, 2.5, 4096]) {
        const want = score(distance, 0);
        for (const n of [7, -100, 1000.25, 32768, 1000000]) {
          assert.ok(Math.abs(score(n + distance, n) - want) <= bound, `${distance}, ${n}`);
        }
      }
    });
  }
});

describe("rope.frequencies and rope.table with scaling, compared with the formula without rounding", () => {
  const near = [0, 1, -77, 4095, 123456, 2 ** 20 - 1, -(2 ** 20), 1000.25, -777777.5];
  const far = [2 ** 20 + 0.5, 2 ** 20 + 33, 5e6, -3e7 - 0.75, 1e9 + 7, 1.9e9 + 0.5];
  for (let back = 0; back < 40; ++back) far.push(back % 2 === 0 ? 2 ** 31 - back : back - 2 ** 31);

  const yarn = /** @type {const} */ ({ type: "yarn", originalLength: 4096 });
  /** @type {Record<string, Scaling>} */
  const all = {
    ...SCALINGS,
    "yarn without truncation": { ...yarn, factor: 32, truncate: false },
    "yarn over turns": { ...yarn, factor: 8, ramp: "turns" },
    "yarn over turns, of a short text": {
      ...{ type: "yarn", factor: 8, originalLength: 32, betaFast: 4, ramp: "turns" },
    },
    "yarn with mscale": { ...yarn, factor: 40, mscale: 1, mscaleAllDim: 0.5 },
  };
  for (const [name, scaling] of Object.entries(all)) {
    test(`rope.frequencies with ${name} are within 0.501 ULP`, () => {
      for (const base of [100, 10000, 500000, 1e9]) {
        for (const length of [100, 100000]) {
          const want = scaledFrequencies(scaling, 64, base, length).map(double);
          const got = frequencies(64, { scaling, base, length });
          want.forEach((theta, i) => assert.ok(ulps(got[i], theta) <= 0.501, `${base}, pair ${i}`));
        }
      }
    });

    test(`rope.table with ${name} stays within 2.99e-8 up to 2^31, and 3.03e-8 where its frequencies are doubles`, () => {
      for (const [base, length] of [
        [10000, 100],
        [500000, 100000],
      ]) {
        const thetas = scaledFrequencies(scaling, 64, base, length);
        const options = { scaling, base, length };
        const { attentionFactor: factor } = rope.frequencies(64, options);
        const unit = 2 ** Math.ceil(Math.log2(factor)); // values up to it
        for (const [positions, bound] of /** @type {const} */ ([
          [near, 3.03e-8],
          [far, 2.99e-8],
        ])) {
          const table = rope.table(positions, 64, options);
          for (const [t, position] of positions.entries()) {
            for (const [i, theta] of thetas.entries()) {
              const want = phase(position, theta);
              for (const part of PARTS) {
                const error = Math.abs(Number(table[part].at(t, i)) - factor * want[part]);
                assert.ok(error <= bound * unit, `${part} ${position}, pair ${i}: ${error}`);
              }
            }
          }
        }
      }
    });
  }
});

describe("rope.table with scaling", () => {
  test("rope.table uses the largest position + 1 as its length", () => {
    const { dynamic: scaling } = SCALINGS;
    const of = (/** @type {any} */ positions, /** @type {object} */ options = {}) =>
      rope.table(positions, 64, { scaling, ...options });
    const frequency = (/** @type {number} */ length) =>
      rope.frequencies(64, { scaling, length }).frequencies;
    /** The table of one position at the frequencies of a length. @param {number} at @param {number} length */
    const one = (at, length) => rope.table([at], 64, { scaling, length });
    assert.notDeepEqual(frequency(2048), frequency(2049));
    assert.deepEqual(of(5000).cos.row(9).data.slice(), one(9, 5000).cos.data);
    assert.deepEqual(of(10, { offset: 4990 }).cos.row(9).data.slice(), one(4999, 5000).cos.data);
    const places = [
      [3, 4999],
      [-6000, 0],
    ];
    assert.deepEqual(of(places).sin.row(0).row(0).data.slice(), one(3, 5000).sin.data);
    assert.deepEqual(of([-6000]), rope.table([-6000], 64)); // far from the end of the sequence
    assert.deepEqual(of([4999n]), one(4999, 5000));
    assert.deepEqual(of(0).cos.shape, [0, 32]);
    assert.deepEqual(of(5000, { length: 2048 }), rope.table(5000, 64));
  });

  test("rope.table multiplies cosines and sines by the attention factor", () => {
    const scaling = /** @type {Scaling} */ ({ ...SCALINGS.yarn, attentionFactor: 2 });
    const single = /** @type {Scaling} */ ({ ...SCALINGS.yarn, attentionFactor: 1 });
    for (const precision of /** @type {const} */ (["exact", "torch"])) {
      const twice = rope.table([0, 1, 99, 70000, 2.5], 64, { scaling, precision });
      const once = rope.table([0, 1, 99, 70000, 2.5], 64, { scaling: single, precision });
      for (const part of PARTS) {
        assert.deepEqual(
          numbers(twice[part]),
          numbers(once[part]).map((x) => 2 * x),
        );
      }
    }
  });
});

describe("rope.table with given frequencies", () => {
  test("rope.table uses given frequencies as doubles", () => {
    const given = [0.1, 1 / 3, 1e-5, 1e-300];
    const positions = [0, 1, -7, 2.5, 100000, 2 ** 31];
    const { cos, sin } = rope.table(positions, 8, { frequencies: given });
    for (const [t, position] of positions.entries()) {
      for (const [i, theta] of given.entries()) {
        const want = phase(position, fixed(theta));
        assert.ok(Math.abs(Number(cos.at(t, i)) - want.cos) <= 2.99e-8);
        assert.ok(Math.abs(Number(sin.at(t, i)) - want.sin) <= 2.99e-8);
      }
    }
  });

  test("rope.table accepts frequencies of another table", () => {
    for (const options of [{}, { base: 500000, scaling: SCALINGS.llama3 }]) {
      const torch = /** @type {const} */ ({ ...options, precision: "torch" });
      const { frequencies } = rope.frequencies(64, torch);
      const again = rope.table(300, 64, { frequencies, precision: "torch" });
      assert.deepEqual(again, rope.table(300, 64, torch));
    }
  });

  test("rope.table accepts frequencies above 1 and negative ones, if the angles are in range", () => {
    const { cos, sin } = rope.table([3, -0.25], 4, { frequencies: [-100, 7.5] });
    for (const [t, position] of [3, -0.25].entries()) {
      for (const [i, theta] of [-100, 7.5].entries()) {
        assert.ok(ulps(Number(cos.at(t, i)), Math.cos(position * theta)) <= 0.501);
        assert.ok(ulps(Number(sin.at(t, i)), Math.sin(position * theta)) <= 0.501);
      }
    }
    assert.throws(
      () => rope.table([2 ** 25], 4, { frequencies: [1, 100] }),
      /^RangeError: \S+: positions must .+; got 33554432$/,
    );
    for (const [theta, last] of [
      [1.25, 1.5 * 2 ** 30], // beyond it the table was refused: 1.25 counted as 2
      [1.25, 2 ** 31 / 1.25],
      [-100, 2 ** 31 / 100],
      [0.3, 2 ** 31],
    ]) {
      const far = rope.table([last, -last], 4, { frequencies: [theta, 0.001] });
      for (const [t, sign] of [1, -1].entries()) {
        const want = phase(sign * last, fixed(theta));
        assert.ok(Math.abs(Number(far.cos.at(t, 0)) - want.cos) <= 2.99e-8);
        assert.ok(Math.abs(Number(far.sin.at(t, 0)) - want.sin) <= 2.99e-8);
      }
    }
    assert.throws(
      () => rope.table([2 ** 31 / 1.25 + 1], 4, { frequencies: [1.25, 0.001] }),
      /^RangeError: \S+: positions must be within 1717986918.4 at frequencies up to 1.25; got 1717986919/,
    );
    for (const far of [2 ** 31 + 1, -1e300]) {
      assert.throws(
        () => rope.table(1, 4, { frequencies: [1, far] }),
        /^RangeError: \S+: frequencies\[1\] must be a number from -2\^31 to 2\^31; got /,
      );
    }
  });

  test("rope.table throws on a wrong number of frequencies, and on frequencies with base or scaling", () => {
    const frequencies = [1, 0.5];
    for (const [options, message] of /** @type {[object, RegExp][]} */ ([
      [
        { frequencies: [1] },
        /^RangeError: \S+: frequencies must hold 2 numbers, one for each pair; got /,
      ],
      [
        { frequencies: [[1, 0.5]] },
        /^RangeError: \S+: frequencies must hold 2 numbers, .+ shape \[1, 2\]/,
      ],
      [
        { frequencies, base: 10000 },
        /^RangeError: rope.table: base must not be given with frequencies; got both$/,
      ],
      [
        { frequencies, scaling: SCALINGS.ntk },
        /^RangeError: rope\.table: scaling must not be given with .+; got both$/,
      ],
    ])) {
      assert.throws(() => rope.table(2, 4, options), message);
    }
  });
});

describe("scalings by length", () => {
  test("rope.table accepts maxLength instead of the factor of yarn and longrope", () => {
    const { factor: yarnFactor, ...yarn } = /** @type {any} */ (SCALINGS.yarn);
    const { factor: longFactor, ...longrope } = /** @type {any} */ (SCALINGS.longrope);
    for (const [scaling, lengths] of /** @type {[Scaling, Scaling][]} */ ([
      [SCALINGS.yarn, { ...yarn, maxLength: yarnFactor * yarn.originalLength }],
      [
        { ...yarn, factor: 5000 / 4096 },
        { ...yarn, maxLength: 5000 },
      ],
      [SCALINGS.longrope, { ...longrope, maxLength: longFactor * longrope.originalLength }],
    ])) {
      for (const length of [100, 8192]) {
        assert.deepEqual(
          rope.frequencies(64, { scaling: lengths, length }),
          rope.frequencies(64, { scaling, length }),
        );
      }
      assert.deepEqual(rope.table(9, 64, { scaling: lengths }), rope.table(9, 64, { scaling }));
    }
  });

  test("rope.frequencies with maxLength have the attention factor of the paper's formula", () => {
    const scaling = /** @type {const} */ ({ type: "yarn", originalLength: 2048, maxLength: 8192 });
    const { attentionFactor } = rope.frequencies(64, { scaling });
    assert.ok(Math.abs(attentionFactor - (0.1 * Math.log(4) + 1)) <= 2 ** -23);
  });

  test("rope.frequencies throw on a factor with a maxLength, and on one below originalLength", () => {
    const { yarn, longrope } = /** @type {any} */ (SCALINGS);
    for (const scaling of [yarn, longrope]) {
      assert.throws(
        () => rope.frequencies(64, { scaling: { ...scaling, maxLength: 8192 }, length: 1 }),
        /^RangeError: rope.frequencies: scaling\.factor must not be given with scaling\.maxLength; got both$/,
      );
      assert.throws(
        () =>
          rope.frequencies(64, {
            scaling: { ...scaling, factor: undefined, maxLength: 4095 },
            length: 1,
          }),
        /^RangeError: \S+: scaling\.maxLength must be a whole number from 4096 .+; got 4095$/,
      );
    }
  });
});

describe("errors of a scaling", () => {
  const good = { ...SCALINGS };
  // prettier-ignore
  const wrong = /** @type {[any, RegExp, number?][]} */ ([
    [null, /^TypeError: \S+: scaling must be an object with a type; got null$/],
    [[good.linear], /^TypeError: \S+: scaling must be an object with a type; got an array of 1$/],
    [{}, /^TypeError: \S+: scaling\.type must be one of "linear", "dynamic", "ntk", "yarn", "longrope", "llama3", "proportional"; got undefined$/],
    [{ type: "default" }, /^RangeError: \S+: scaling\.type must be one of "linear", .+; got "default"$/],
    [{ type: "linear" }, /^TypeError: \S+: scaling\.factor must be a number >= 1; got undefined$/],
    [{ type: "linear", factor: 0.5 }, /^RangeError: \S+: scaling\.factor must be a number >= 1; got 0\.5$/],
    [{ ...good.linear, alpha: 2 }, /^TypeError: \S+: scaling of type "linear" must have only factor; got "alpha"$/],
    [{ ...good.llama3, base: 2 }, /^TypeError: \S+: scaling of type "llama3" must have only factor, lowFreqFactor, highFreqFactor, originalLength; got "base"$/],
    [{ ...good.ntk, alpha: 0 }, /^RangeError: \S+: scaling\.alpha must be a number >= 1; got 0$/],
    [good.ntk, /^RangeError: \S+: dim must be at least 4 for "ntk", .+; got 2$/, 2],
    [good.dynamic, /^RangeError: \S+: dim must be at least 4 for "dynamic", .+; got 2$/, 2],
    [{ ...good.yarn, originalLength: 4096.5 }, /^RangeError: \S+: scaling\.originalLength must .+; got 4096\.5$/],
    [{ ...good.yarn, betaFast: 0 }, /^RangeError: \S+: scaling\.betaFast must be a number > 0; got 0$/],
    [{ ...good.yarn, betaFast: 1, betaSlow: 2 }, /^RangeError: \S+: scaling\.betaFast must be >= betaSlow, 2; got 1$/],
    [{ ...good.yarn, truncate: 1 }, /^TypeError: \S+: scaling\.truncate must be true or false; got 1$/],
    [{ ...good.yarn, ramp: "length" }, /^RangeError: \S+: scaling\.ramp must be one of "index", "turns"; got "length"$/],
    [{ ...good.yarn, ramp: "turns", truncate: true }, /^RangeError: \S+: scaling\.truncate must not be given with ramp "turns", which rounds no pair; got true$/],
    [{ ...good.yarn, ramp: "turns", truncate: false }, /^RangeError: \S+: scaling\.truncate must not be given with ramp "turns", .+; got false$/],
    [{ ...good.yarn, ramp: "turns", betaFast: 1 }, /^RangeError: \S+: scaling\.betaFast must be > betaSlow, 1, for ramp "turns"; got 1$/],
    [{ ...good.yarn, ramp: "turns", betaSlow: 33 }, /^RangeError: \S+: scaling\.betaFast must be > betaSlow, 33, for ramp "turns"; got 32$/],
    [{ ...good.yarn, attentionFactor: 1e39 }, /^RangeError: \S+: scaling must give .+; got "yarn" beyond that$/],
    [{ ...good.yarn, mscale: 1e308, mscaleAllDim: 1e308 }, /^RangeError: \S+: scaling must give .+; got /],
    [{ ...good.llama3, highFreqFactor: 0.5 }, /^RangeError: \S+: scaling\.highFreqFactor must be >= lowFreqFactor, 1; got 0\.5$/],
    [{ ...good.longrope, shortFactor: [1, 2] }, /^RangeError: \S+: scaling\.shortFactor must hold 32 numbers, one for each pair; got shape \[2\]$/],
    [{ ...good.longrope, longFactor: undefined }, /^TypeError: \S+: scaling\.longFactor must .+; got undefined$/],
    [{ ...good.longrope, longFactor: Array(32).fill(0) }, /^RangeError: \S+: scaling\.longFactor\[0\] must be a number > 0; got 0$/],
    [{ ...good.longrope, factor: undefined }, /^TypeError: \S+: scaling\.factor must be given for longrope, unless .+; got none$/],
    [{ ...good.longrope, originalLength: 1 }, /^RangeError: \S+: scaling\.originalLength must be > 1, .+; got 1$/],
    [{ ...good.proportional, partialRotaryFactor: 1.5 }, /^RangeError: \S+: scaling\.partialRotaryFactor must be a number > 0 and <= 1; got 1\.5$/],
  ]);
  for (const [k, [scaling, message, dim = 64]] of wrong.entries()) {
    test(`rope.frequencies and rope.table throw on a wrong scaling (${k + 1})`, () => {
      assert.throws(() => rope.frequencies(dim, { scaling, length: 1 }), message);
      assert.throws(() => rope.table(2, dim, { scaling }), message);
      assert.deepEqual(frequencies(4), [1, Math.fround(0.01)]); // the next good call
    });
  }

  test("rope.frequencies reject a base that a scaling does not allow or makes infinite", () => {
    assert.throws(
      () => rope.frequencies(64, { base: 1, scaling: good.yarn }),
      /^RangeError: \S+: base must be > 1 for "yarn", .+; got 1$/,
    );
    const scaling = /** @type {Scaling} */ ({ type: "ntk", alpha: 1e300 });
    assert.throws(
      () => rope.frequencies(64, { base: 1e300, scaling }),
      /^RangeError: \S+: scaling must give a finite base .+; got "ntk" beyond that$/,
    );
  });

  test("rope.frequencies require a length for a scaling that uses it", () => {
    for (const scaling of [good.dynamic, good.longrope]) {
      assert.throws(
        () => rope.frequencies(64, { scaling }),
        /^TypeError: \S+: length must be given for the scaling "\w+"; got undefined$/,
      );
    }
  });

  test("rope.frequencies with longrope accept either factor, or both", () => {
    const { longrope } = good;
    const of = (/** @type {object} */ options) =>
      rope.frequencies(64, { length: 1, scaling: { ...longrope, ...options } }).attentionFactor;
    assert.equal(of({ factor: undefined, attentionFactor: 1.5 }), 1.5);
    assert.equal(of({ attentionFactor: 1.5 }), 1.5);
    assert.equal(of({ factor: 1 }), 1);
    assert.equal(of({ originalLength: 1, attentionFactor: 1.5 }), 1.5);
  });
});

battery("rope.frequencies with scaling", {
  call: ({ dim, $ }) => rope.frequencies(dim, { length: 5000, scaling: SCALINGS.dynamic, ...$ }),
  good: { dim: 64 },
  args: { scaling: ["options", "scaling", "scaling.type"], length: ["seed"] },
});

battery("rope.table with frequencies", {
  call: ({ $ }) => rope.table(3, 4, { frequencies: [1, 0.5], ...$ }),
  good: {},
  args: {
    frequencies: ["tensorOption", "frequencies", "frequencies.shape"],
    length: ["seed"],
  },
});

/** Stands for the option as SCALINGS has it. */
const GOOD = Symbol("good");

/** What may be wrong for the options of each type. */
const KINDS = /** @type {const} */ ({
  linear: { factor: "atLeastOne" },
  dynamic: { factor: "atLeastOne", maxLength: "size" },
  ntk: { alpha: "atLeastOne" },
  yarn: {
    ...{ factor: "atLeastOne", originalLength: "size", betaFast: "positive", betaSlow: "positive" },
    ...{ truncate: "truth", mscale: "notNegative", mscaleAllDim: "notNegative" },
    attentionFactor: "positive",
    ramp: "word",
  },
  longrope: {
    ...{ factor: "atLeastOne", originalLength: "size", attentionFactor: "positive" },
    ...{ shortFactor: "tensorOption", longFactor: "tensor" },
  },
  llama3: {
    ...{ factor: "atLeastOne", lowFreqFactor: "positive", highFreqFactor: "positive" },
    originalLength: "size",
  },
  proportional: { factor: "atLeastOne", partialRotaryFactor: "positive" },
});

for (const [type, kinds] of Object.entries(KINDS)) {
  for (const [option, kind] of Object.entries(kinds)) {
    const name = `scaling.${option}`;
    battery(`rope.frequencies with ${type}, ${option}`, {
      call: ({ value }) => {
        const scaling = { ...SCALINGS[type] };
        if (value !== GOOD) Object.assign(scaling, { [option]: value });
        return rope.frequencies(64, { length: 1, scaling });
      },
      good: { value: GOOD },
      args: { value: [kind, name, `${name}.shape`, `${name}[0]`] },
    });
  }
}
