import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery, declaredBattery } from "../../battery.js";
import { cases } from "../../../truth/golden.js";
import { phasor, Tensor } from "../../../phasor.js";
import { phase, ulps } from "../../reference/exact.js";
import * as exact from "../../reference/exact.js";
import { floats, noise, numbers } from "../../reference/samples.js";
import * as reference from "../../reference/sinusoidal.js";
import * as torch from "../../reference/torch.js";

const { sinusoidal } = phasor;

const LAYOUTS = /** @type {const} */ (["interleaved", "halves", "flipped"]);

const known = cases("sinusoidal", 35);

/**
 * The guide Accuracy, #tables and #far-tables: within 0.501 ULP where |position| <= 2^20, zeros included, and 2.99e-8 up to 2^31.
 * @param {ArrayLike<number>} got @param {ArrayLike<number>} want
 * @param {ArrayLike<number>} positions  of each row
 */
function assertAccurate(got, want, positions) {
  assert.equal(got.length, want.length);
  const width = got.length / positions.length;
  for (let k = 0; k < got.length; ++k) {
    const position = positions[Math.floor(k / width)];
    const near = Math.abs(position) <= 2 ** 20;
    const error = near ? ulps(got[k], want[k]) : Math.abs(got[k] - want[k]);
    if (!(error <= (near ? 0.501 : 2.99e-8))) {
      assert.fail(
        `position ${position}, column ${k % width}: ${got[k]} is ${error} ${near ? "ULP " : ""}from ${want[k]}`,
      );
    }
  }
}

describe("sinusoidal.table against other programs", () => {
  /** What the golden files call by other names. @param {Record<string, any>} params */
  function conventions({ base, freq_den: spectrum, layout, order, odd }) {
    const halves = order === "cos_sin" ? "flipped" : "halves";
    return /** @type {const} */ ({
      base,
      spectrum,
      layout: layout === "interleaved" ? layout : halves,
      odd: odd === "sin_last" ? "sine-last" : "zero-last",
    });
  }

  /**
   * How each program forms its angles: in double; by our float32 recipe `exp` or `pow`; or by
   * other float32 steps.
   * @param {string} source
   */
  function stepsOf(source) {
    if (source.includes("numpy float64")) return "double";
    if (source.includes("transformer-xl")) return "pow";
    return /tensor2tensor|guided-diffusion|diffusers|flux/.test(source) ? "other" : "exp";
  }

  for (const { id, params, inputs, outputs, source } of known) {
    // These factors belong to the positions: all products are exact in double.
    const factor = (params.pos_scale ?? 1) * (params.freq_mult ?? 1);
    const positions = Float64Array.from(numbers(inputs.positions), (p) => p * factor);
    const dim = params.d_model;
    const options = conventions(params);

    test(`sinusoidal.table equals ${id}, bit for bit`, () => {
      const got = sinusoidal.table(positions, dim, options);
      assert.deepEqual(got.shape, outputs.out_exact.shape);
      assert.deepEqual(got.data, outputs.out_exact.data);
      const { spectrum: n, ...rest } = options;
      assertAccurate(floats(got), reference.table(positions, dim, { ...rest, n }), positions);
    });

    const steps = stepsOf(source);
    if (steps === "double") {
      test(`sinusoidal.table is within an ULP of the program of ${id}`, () => {
        const got = floats(sinusoidal.table(positions, dim, options));
        got.forEach((value, k) => assert.ok(ulps(value, Number(outputs.out.data[k])) <= 1));
      });
      continue;
    }
    test(`sinusoidal.table with precision torch follows the program of ${id}`, () => {
      const recipe = steps === "pow" ? "pow" : "exp";
      const data = floats(
        sinusoidal.table(positions, dim, { ...options, precision: "torch", recipe }),
      );
      for (const [i, column] of reference.columns(dim, options).entries()) {
        const exponent = (i / params.freq_den) * Math.log(params.base);
        // Relative errors of an angle: the frequency's last bit may differ (2^-23), and each side
        // rounds its product (2^-24). Other steps: four more roundings of the exponent, each 2^-24
        // of it, and two more products.
        const relative = steps === "other" ? 2 ** -21 + 2 ** -22 * exponent : 2 ** -22;
        for (const [t, position] of positions.entries()) {
          const angle = Math.abs(position) * Math.exp(-exponent);
          const tolerance = angle * relative + 2 ** -23; // and an ULP of each sine
          for (const at of [column.sin, column.cos]) {
            if (at === undefined) continue;
            const [got, want] = [data[t * dim + at], Number(outputs.out.data[t * dim + at])];
            assert.ok(
              Math.abs(got - want) <= tolerance,
              `position ${position}, column ${at}: ${got}, want ${want} +- ${tolerance}`,
            );
          }
        }
      }
    });
  }
});

describe("sinusoidal.table, the values", () => {
  test("sinusoidal.table has the rows of the textbooks, width 4", () => {
    assert.deepEqual(
      sinusoidal.table(4, 4).toArray(),
      [
        [0, 1, 0, 1],
        [0.8414709848, 0.5403023059, 0.00999983333, 0.99995],
        [0.9092974268, -0.4161468365, 0.01999866669, 0.9998000067],
        [0.1411200081, -0.9899924966, 0.0299955002, 0.9995500337],
      ].map((row) => row.map(Math.fround)),
    );
    assert.deepEqual(
      sinusoidal.table(4, 4, { base: 100 }).toArray(),
      [
        [0, 1, 0, 1],
        [0.8414709848, 0.5403023059, 0.0998334166, 0.9950041653],
        [0.9092974268, -0.4161468365, 0.1986693308, 0.9800665778],
        [0.1411200081, -0.9899924966, 0.2955202067, 0.9553364891],
      ].map((row) => row.map(Math.fround)),
    );
  });

  test("sinusoidal.table starts with 0, 1, 0, 1, ... exactly, in every layout", () => {
    const row = (/** @type {typeof LAYOUTS[number]} */ layout) => {
      return sinusoidal.table(1, 6, { layout }).toArray();
    };
    assert.deepEqual(row("interleaved"), [[0, 1, 0, 1, 0, 1]]);
    assert.deepEqual(row("halves"), [[0, 0, 0, 1, 1, 1]]);
    assert.deepEqual(row("flipped"), [[1, 1, 1, 0, 0, 0]]);
  });

  test("sinusoidal.table has the same numbers in each layout's columns, with both kinds of odd widths", () => {
    for (const odd of /** @type {const} */ (["sine-last", "zero-last"])) {
      for (const dim of [1, 2, 3, 7, 8, 33]) {
        const positions = Float64Array.of(0, 1, -3, 2.5, 100);
        for (const layout of LAYOUTS) {
          const data = floats(sinusoidal.table(positions, dim, { layout, odd }));
          assertAccurate(data, reference.table(positions, dim, { layout, odd }), positions);
          if (odd === "zero-last" && dim % 2 === 1) {
            for (let t = 0; t < 5; ++t) assert.equal(data[t * dim + dim - 1], 0);
          }
        }
      }
    }
  });

  test("sinusoidal.table names its spectra: paper is n = D/2, tensor2tensor n = D/2 - 1", () => {
    for (const dim of [2, 3, 4, 9, 64]) {
      const half = Math.floor(dim / 2);
      const same = (/** @type {"paper" | "tensor2tensor"} */ name, /** @type {number} */ n) =>
        assert.deepEqual(
          sinusoidal.table(20, dim, { spectrum: name }),
          sinusoidal.table(20, dim, { spectrum: n }),
        );
      same("paper", dim / 2);
      same("tensor2tensor", Math.max(half - 1, 1));
    }
    const last = sinusoidal.table([1], 64, { spectrum: "tensor2tensor", layout: "halves" });
    assert.equal(last.at(0, 31), Math.fround(Math.sin(1e-4))); // the last frequency is 1 / base
  });

  test("sinusoidal.table stays within its bounds at fractional, negative and distant positions", () => {
    const positions = Float64Array.from({ length: 120 }, (_, k) => {
      const size = 2 ** ((k / 120) * 31);
      return (k % 2 === 0 ? 1 : -1) * (k % 3 === 0 ? Math.round(size) : size);
    });
    for (const conventions of [{}, { base: 500000 }, { base: 1.5, n: 3.75 }, { base: 1 }]) {
      const { n = 16, ...rest } = conventions;
      const data = floats(sinusoidal.table(positions, 32, { ...rest, spectrum: n }));
      assertAccurate(data, reference.table(positions, 32, conventions), positions);
    }
  });

  test("sinusoidal.table stays within its bounds next to the zeros of sine and cosine", () => {
    // Numerators of the fractions that approach pi and pi/2 best: sin or cos is 1e-3 ... 1e-6.
    const near = [3, 11, 22, 333, 344, 355, 710, 51819, 52174, 103993, 104348, 208341, 312689];
    const positions = Float64Array.from([...near, 521030, 573204, 833719, 1042060], (p, k) => {
      return k % 2 === 0 ? p : -p;
    });
    const data = floats(sinusoidal.table(positions, 8));
    assertAccurate(data, reference.table(positions, 8), positions);
    const smallest = Math.min(...data.filter((x) => x !== 0).map(Math.abs));
    assert.ok(smallest < 1e-5, "the test must reach close to a zero");
    for (const position of near) {
      const around = floats(sinusoidal.table(64, 2, { offset: position - 40 }));
      const places = Float64Array.from({ length: 64 }, (_, t) => position - 40 + t);
      assertAccurate(around, reference.table(places, 2), places);
    }
  });

  test("sinusoidal.table accepts positions from -2^31 to 2^31", () => {
    const positions = Float64Array.of(2 ** 31, -(2 ** 31), 2 ** 31 - 0.5);
    const data = floats(sinusoidal.table(positions, 16));
    assertAccurate(data, reference.table(positions, 16), positions);
    for (const far of [2 ** 31 + 1, -(2 ** 31) - 1, Infinity, NaN]) {
      assert.throws(
        () => sinusoidal.table([0, far], 4),
        /^RangeError: \S+: positions must be .+; got /,
      );
    }
  });

  test("sinusoidal.table with precision torch is the sine of PyTorch's float32 angle", () => {
    const positions = Float64Array.of(0, 1, 2, 17, 511, 40000, -77, 2.5, 16777217, 2 ** 31);
    for (const recipe of /** @type {const} */ (["exp", "pow"])) {
      for (const [base, dim] of [
        [10000, 2],
        [10000, 64],
        [500000, 128],
      ]) {
        const options = /** @type {const} */ ({ base, precision: "torch", recipe });
        const got = sinusoidal.table(positions, dim, options);
        const thetas = torch.frequencies(base, dim / 2, dim / 2, recipe);
        for (const [i, theta] of thetas.entries()) {
          for (const [t, position] of positions.entries()) {
            // The frequency may differ by its last bit: then all of its column does.
            const fits = [-1, 0, 1].some((bit) => {
              const other = theta * (1 + bit * 2 ** -23.5); // rounds to theta or a neighbor
              const { sin, cos } = torch.phase(position, Math.fround(other));
              const sine = ulps(Number(got.at(t, 2 * i)), sin);
              return sine <= 0.51 && ulps(Number(got.at(t, 2 * i + 1)), cos) <= 0.51;
            });
            assert.ok(fits, `${recipe} ${base} ${dim}: pair ${i} at ${position}`);
          }
        }
      }
    }
  });

  test("sinusoidal.table in float32 steps is off by about 4e-4 near position 8000", () => {
    const [a, b] = /** @type {const} */ (["exact", "torch"]).map((precision) =>
      floats(sinusoidal.table(192, 128, { offset: 8000, precision, recipe: "pow" })),
    );
    const apart = Math.max(...a.map((x, k) => Math.abs(x - b[k])));
    assert.ok(apart > 2e-4 && apart < 1e-3, `apart by ${apart}`); // half a bit of 8000 is 2.4e-4
  });
});

describe("sinusoidal.table, the laws", () => {
  test("sinusoidal.table rows all have the norm sqrt(D/2)", () => {
    for (const dim of [2, 6, 64, 512]) {
      for (const row of sinusoidal.table(300, dim, { offset: -150 })) {
        const square = numbers(row).reduce((sum, x) => sum + x * x, 0);
        // A pair's s^2 + c^2 is off by 2 (|s| + |c|) 2.99e-8 <= 8.5e-8.
        assert.ok(Math.abs(square - dim / 2) <= (dim / 2) * 8.5e-8, `${square}`);
      }
    }
  });

  test("sinusoidal.table rows have dot products that depend on the distance alone", () => {
    const dim = 512;
    const thetas = exact.frequencies(10000, dim / 2, dim / 2);
    const constants = [
      [0, 256],
      [1, 249.1021],
      [10, 173.78972],
    ];
    for (const [distance, constant] of constants) {
      const sum = thetas.reduce((total, theta) => total + phase(distance, theta).cos, 0);
      assert.ok(Math.abs(sum - constant) <= 5e-6, "half a unit of the constant's last digit");
      for (const start of [0, 1, 77, 5000, -123, 1000000]) {
        const [a, b] = Array.from(sinusoidal.table([start, start + distance], dim), floats);
        const dot = a.reduce((total, x, d) => total + x * b[d], 0);
        // Four factors of a pair, each off by 2.99e-8 times a sine or cosine: <= 1.2e-7.
        assert.ok(Math.abs(dot - sum) <= (dim / 2) * 1.2e-7, `${start}: ${dot}, want ${sum}`);
      }
    }
  });

  test("sinusoidal.table rows are all distinct", () => {
    for (const dim of [4, 64]) {
      const rows = new Set();
      for (const row of sinusoidal.table(8192, dim, { offset: -4096 })) rows.add(row.data.join());
      assert.equal(rows.size, 8192);
    }
  });

  test("sinusoidal.table is symmetric: at -p the sines change sign and the cosines do not", () => {
    const [ahead, back] = [1, -1].map((sign) => {
      const positions = Float64Array.from({ length: 500 }, (_, t) => sign * (t * 1.5 + 1));
      return sinusoidal.table(positions, 20, { layout: "halves" });
    });
    for (let t = 0; t < 500; ++t) {
      for (let d = 0; d < 20; ++d) {
        assert.equal(back.at(t, d), d < 10 ? -Number(ahead.at(t, d)) : ahead.at(t, d));
      }
    }
  });
});

test("sinusoidal.table at arbitrary positions has the row of each position alone, at any scale", () => {
  const positions = [...noise(400)].map((x, t) => Math.round(x * 20000) + (t % 7 === 0 ? 0.5 : 0));
  positions.push(...positions.slice(0, 9), 4096, 0, -4096, 8192, 63, 64, -32, -33);
  for (const scale of [1, 3, 1, 0.5]) {
    const whole = sinusoidal.table(positions, 10, { scale });
    positions.forEach((position, t) => {
      sinusoidal.table(1, 2, { base: 7 }); // of another spectrum: nothing is left of the one before
      const alone = sinusoidal.table([position], 10, { scale });
      assert.deepEqual(
        whole.row(t).data,
        alone.row(0).data,
        `position ${position}, scale ${scale}`,
      );
    });
  }
});

describe("sinusoidal.table, its scale", () => {
  test("sinusoidal.table multiplies by the scale without a second rounding", () => {
    const plain = reference.table([0, 1, 2.5, -77], 10);
    for (const scale of [2, -0.5, 1 / 3, 1e-3, 1e30]) {
      const data = floats(sinusoidal.table([0, 1, 2.5, -77], 10, { scale }));
      data.forEach((value, k) => assert.ok(ulps(value, plain[k] * scale) <= 0.501));
    }
  });

  test("sinusoidal.table has named scales: inverse-sqrt is D^(-1/2), unit makes rows of length 1", () => {
    for (const dim of [2, 5, 64]) {
      assert.deepEqual(
        sinusoidal.table(9, dim, { scale: "inverse-sqrt" }),
        sinusoidal.table(9, dim, { scale: 1 / Math.sqrt(dim) }),
      );
    }
    for (const row of sinusoidal.table(300, 64, { scale: "unit" })) {
      const square = numbers(row).reduce((sum, x) => sum + x * x, 0);
      assert.ok(Math.abs(square - 1) <= 8.5e-8, `${square}`); // as for the norm sqrt(D/2)
    }
  });

  test("sinusoidal.table with precision torch multiplies in float32", () => {
    const options = /** @type {const} */ ({ precision: "torch" });
    const plain = floats(sinusoidal.table(20, 8, options));
    const scaled = floats(sinusoidal.table(20, 8, { ...options, scale: 0.1 }));
    assert.deepEqual(
      scaled,
      plain.map((x) => x * Math.fround(0.1)),
    );
  });

  test("sinusoidal.table rejects a scale of 0 and one that float32 cannot represent", () => {
    for (const scale of [0, -0, 1e39]) {
      assert.throws(
        () => sinusoidal.table(1, 2, { scale }),
        /^RangeError: \S+: scale must .+; got /,
      );
      assert.throws(
        () => sinusoidal.shift(1, 2, { scale }),
        /^RangeError: \S+: scale must .+; got /,
      );
    }
  });

  test("sinusoidal.shift is the same for every scale", () => {
    assert.deepEqual(sinusoidal.shift(3, 8, { scale: "unit" }), sinusoidal.shift(3, 8));
  });
});

describe("sinusoidal.presets", () => {
  const { presets } = sinusoidal;

  test("sinusoidal.presets are options of sinusoidal.table and shift", () => {
    for (const options of Object.values(presets)) {
      assert.deepEqual(sinusoidal.table(3, 8, options).shape, [3, 8]);
      assert.deepEqual(sinusoidal.shift(3, 8, { ...options, base: 100 }).shape, [8, 8]);
    }
  });

  test("sinusoidal.presets give the tables of the programs that they are named after", () => {
    const named = {
      "sinusoidal.vaswani.d64": presets.vaswani,
      "sinusoidal.odd.d7": presets.vaswani,
      "sinusoidal.t2t.c32.start0": presets.tensor2tensor,
      "sinusoidal.fairseq.d64": presets.fairseq,
      "sinusoidal.fairseq.d33": presets.fairseq,
      "sinusoidal.whisper.c384.m10000": presets.whisper,
      "sinusoidal.marian.d9": presets.marian,
      "sinusoidal.transformer_xl.d64": presets["transfo-xl"],
    };
    const found = known.filter(({ id }) => id in named);
    assert.equal(found.length, Object.keys(named).length);
    for (const { id, params, inputs, outputs } of found) {
      const options = named[/** @type {keyof typeof named} */ (id)];
      const got = sinusoidal.table(numbers(inputs.positions), params.d_model, options);
      assert.deepEqual(got.data, outputs.out_exact.data, id);
    }
  });

  test("sinusoidal.presets of Marian differ: its own spectrum is tensor2tensor's, HF's the paper's", () => {
    assert.equal(
      sinusoidal.table([1], 8, presets["marian-dev"]).at(0, 3),
      Math.fround(Math.sin(1e-4)),
    );
    assert.equal(sinusoidal.table([1], 8, presets.marian).at(0, 3), Math.fround(Math.sin(1e-3)));
  });

  test("sinusoidal.presets of x-transformers and MLX scale: row 0 is D^(-1/2) and (2/D)^(1/2)", () => {
    assert.equal(sinusoidal.table(1, 16, presets["x-transformers"]).at(0, 8), 0.25);
    assert.equal(sinusoidal.table(1, 32, presets.mlx).at(0, 16), 0.25);
  });
});

describe("sinusoidal.table, the scale of positions", () => {
  for (const { id, params, inputs, outputs } of known) {
    const positionScale = (params.pos_scale ?? 1) * (params.freq_mult ?? 1);
    if (positionScale === 1) continue;
    test(`sinusoidal.table with positionScale ${positionScale} equals ${id}, bit for bit`, () => {
      const { base, freq_den: spectrum, layout, order } = params;
      const halves = order === "cos_sin" ? "flipped" : "halves";
      const got = sinusoidal.table(numbers(inputs.positions), params.d_model, {
        base,
        spectrum,
        layout: layout === "interleaved" ? layout : halves,
        odd: params.odd === "sin_last" ? "sine-last" : "zero-last",
        positionScale,
      });
      assert.deepEqual(got.data, outputs.out_exact.data);
    });
  }

  test("sinusoidal.table multiplies positions, the offset included, by positionScale", () => {
    assert.deepEqual(
      sinusoidal.table(5, 8, { offset: 3, positionScale: -0.25 }),
      sinusoidal.table([-0.75, -1, -1.25, -1.5, -1.75], 8),
    );
    const torch = /** @type {const} */ ({ precision: "torch" });
    assert.deepEqual(
      sinusoidal.table([7, 1e9], 8, { ...torch, positionScale: 0.1 }),
      sinusoidal.table(
        [7, 1e9].map((p) => Math.fround(p * Math.fround(0.1))),
        8,
        torch,
      ),
    );
    assert.deepEqual(
      sinusoidal.padded([5, 1, 7], 8, { positionScale: 0.5 }).row(2),
      sinusoidal.table([1.5], 8).row(0),
    );
  });

  test("sinusoidal.shift moves by k tokens at the scale of positions", () => {
    const options = { positionScale: 0.5, minTimescale: 2, base: 512 };
    assert.deepEqual(
      sinusoidal.shift(3, 8, options),
      sinusoidal.shift(3, 8, { base: 256 }), // 0.5 * 2 = 1 and 512 / 2
    );
  });

  test("sinusoidal.table has the frequencies of tensor2tensor's min_timescale and max_timescale", () => {
    const [dim, length] = [16, 40];
    const { tensor2tensor } = sinusoidal.presets;
    for (const [min, max] of [
      [0.25, 10000],
      [3, 1000],
      [2, 2],
    ]) {
      const options = { ...tensor2tensor, minTimescale: min, base: max };
      const got = sinusoidal.table(length, dim, options);
      const half = dim / 2;
      for (let t = 0; t < length; ++t) {
        for (let i = 0; i < half; ++i) {
          const angle = t * min * Math.exp((-i * Math.log(max / min)) / (half - 1));
          // Half a unit of float32 below 1 is 2^-25; the double angle is off by 1e-13 at most.
          assert.ok(Math.abs(Number(got.at(t, i)) - Math.sin(angle)) <= 2 ** -24);
          assert.ok(Math.abs(Number(got.at(t, half + i)) - Math.cos(angle)) <= 2 ** -24);
        }
      }
    }
  });

  test("sinusoidal.table throws where scaled positions or timescales are out of range", () => {
    assert.throws(
      () => sinusoidal.table([2 ** 30], 4, { positionScale: 4 }),
      /^RangeError: \S+: positions times positionScale .+; got 4294967296$/,
    );
    assert.throws(
      () => sinusoidal.table(2, 4, { base: 10, minTimescale: 11 }),
      /^RangeError: \S+: minTimescale must be at most base, 10; got 11$/,
    );
    assert.throws(
      () => sinusoidal.table(2, 4, { minTimescale: 1e-307 }),
      /^RangeError: sinusoidal\.table: base \/ minTimescale must be finite; got 10000 \/ 1e-307$/,
    );
  });
});

describe("sinusoidal.padded", () => {
  for (const { id, params, inputs, outputs, source } of cases("sinusoidal_padded", 1)) {
    const { presets } = sinusoidal;
    const { shape } = inputs.tokens;
    const dim = params.d_model;
    const paddingIdx = params.padding_idx;

    test(`sinusoidal.padded has the rows of ${source.split(",")[0]} (${id})`, () => {
      const got = sinusoidal.padded(inputs.tokens, dim, { ...presets.fairseq, paddingIdx });
      assert.deepEqual(got.shape, [...shape, dim]);
      const positions = numbers(outputs.positions);
      const data = floats(got);
      const rows = sinusoidal.table(positions, dim, presets.fairseq);
      for (const [t, position] of positions.entries()) {
        const row = data.subarray(t * dim, (t + 1) * dim);
        if (position === paddingIdx) assert.ok(row.every((x) => Object.is(x, 0)));
        else assert.deepEqual(row, rows.row(t).data);
      }
      // The library's float32 angle: a frequency off by 2^-23 of itself, a product rounded to 2^-24.
      const most = Math.max(...positions);
      data.forEach((x, k) => {
        const error = Math.abs(x - Number(outputs.out.data[k]));
        assert.ok(error <= most * 2 ** -22 + 2 ** -24, `${error}`);
      });
    });

    test("sinusoidal.padded accepts a mask instead of ids", () => {
      const mask = { data: numbers(inputs.tokens).map((token) => token !== paddingIdx), shape };
      const given = /** @type {any} */ (mask);
      assert.deepEqual(
        sinusoidal.padded(given, dim, { kind: "mask" }),
        sinusoidal.padded(inputs.tokens, dim),
      );
    });
  }

  test("sinusoidal.padded numbers each row separately, with padding left, right and within", () => {
    const tokens = [
      [0, 0, 7, 8],
      [7, 8, 9, 0],
      [7, 0, 8, 9],
      [0, 0, 0, 0],
    ];
    const got = sinusoidal.padded(tokens, 6, { paddingIdx: 0 });
    const table = sinusoidal.table(5, 6);
    const want = [
      [0, 0, 1, 2],
      [1, 2, 3, 0],
      [1, 0, 2, 3],
      [0, 0, 0, 0],
    ];
    want.flat().forEach((position, t) => {
      const row = position === 0 ? new Float32Array(6) : table.row(position).data;
      assert.deepEqual(floats(got).subarray(t * 6, t * 6 + 6), row);
    });
  });

  test("sinusoidal.padded with past continues after the tokens of a cache", () => {
    const whole = sinusoidal.padded([[5, 6, 7, 8, 9]], 8);
    const rest = sinusoidal.padded([[8, 9]], 8, { past: 3 });
    assert.deepEqual(floats(rest), floats(whole).slice(3 * 8));
  });

  test("sinusoidal.padded counts the 1s of ids that are not padding, or the padding if there is nothing else", () => {
    const none = sinusoidal.padded([1, 1, 1], 4, { paddingIdx: 0 });
    assert.deepEqual(none, sinusoidal.table([1, 2, 3], 4));
    assert.ok(floats(sinusoidal.padded([1, 1, 1], 4)).every((x) => Object.is(x, 0)));
  });

  test("sinusoidal.padded accepts zero tokens, many axes, wide ids and every form of them", () => {
    assert.deepEqual(sinusoidal.padded([], 4).shape, [0, 4]);
    assert.deepEqual(sinusoidal.padded({ data: [], shape: [3, 0] }, 4).shape, [3, 0, 4]);
    assert.deepEqual(sinusoidal.padded([[[2 ** 31 - 1]]], 4).shape, [1, 1, 1, 4]);
    assert.deepEqual(
      sinusoidal.padded(BigInt64Array.of(3n, 1n), 4),
      sinusoidal.padded(Int32Array.of(3, 1), 4),
    );
  });
});

test("sinusoidal.table rows have the dot products of the golden case", () => {
  const [{ params, inputs, outputs }] = cases("pe_dot_products", 1);
  const dim = params.d_model;
  const rows = Array.from(sinusoidal.table(numbers(inputs.positions), dim), floats);
  outputs.dot_f64.data.forEach((want, k) => {
    const [a, b] = [rows[Math.floor(k / rows.length)], rows[k % rows.length]];
    const dot = a.reduce((total, x, d) => total + x * b[d], 0);
    // Four factors of a pair, each off by 2.99e-8 times a sine or cosine: <= 1.2e-7. The case holds
    // its numbers up to 16 as float32: half a unit is 4.8e-7.
    assert.ok(Math.abs(dot - Number(want)) <= (dim / 2) * 1.2e-7 + 4.8e-7);
  });
});

describe("sinusoidal.shift", () => {
  const dim = 32;

  /** @param {Tensor} matrix @param {Tensor} row */
  function times(matrix, row) {
    const column = floats(row);
    return Array.from(matrix, floats).map((line) =>
      line.reduce((sum, m, d) => sum + m * column[d], 0),
    );
  }

  for (const layout of LAYOUTS) {
    test(`sinusoidal.shift moves every encoding by k positions, layout ${layout}`, () => {
      const positions = [0, 1, 5.5, -17, 1000, -4096, 100000];
      for (const spectrum of /** @type {const} */ (["paper", "tensor2tensor"])) {
        for (const k of [1, -1, 3, 0.5, -2.25, 1000, -4095.75]) {
          const options = { layout, spectrum };
          const matrix = sinusoidal.shift(k, dim, options);
          assert.deepEqual(matrix.shape, [dim, dim]);
          const before = sinusoidal.table(positions, dim, options);
          const after = sinusoidal.table(
            positions.map((position) => position + k),
            dim,
            options,
          );
          for (const [t, row] of [...before].entries()) {
            times(matrix, row).forEach((value, d) => {
              // Two products of two factors, each off by 2.99e-8 times a sine or cosine (8.5e-8 in
              // all), and the value on the other side.
              assert.ok(Math.abs(value - Number(after.at(t, d))) <= 1.2e-7, `k ${k}, column ${d}`);
            });
          }
        }
      }
    });
  }

  test("sinusoidal.shift rotates each pair by its angle and mixes no pairs", () => {
    for (const layout of LAYOUTS) {
      const matrix = sinusoidal.shift(7, dim, { layout });
      const want = new Float32Array(dim * dim);
      const turns = floats(sinusoidal.table([7], dim, { layout }));
      for (const { sin, cos } of reference.columns(dim, { layout })) {
        if (cos === undefined) assert.fail();
        want[sin * dim + sin] = want[cos * dim + cos] = turns[cos];
        want[sin * dim + cos] = turns[sin];
        want[cos * dim + sin] = -turns[sin];
      }
      assert.deepEqual(matrix.data, want);
    }
  });

  test("sinusoidal.shift by 0 is the identity, by -k the transpose", () => {
    const ahead = sinusoidal.shift(2.5, 6);
    const back = sinusoidal.shift(-2.5, 6);
    const identity = sinusoidal.shift(0, 6);
    for (let row = 0; row < 6; ++row) {
      for (let column = 0; column < 6; ++column) {
        // (=== because the sign of a zero says nothing here)
        assert.ok(identity.at(row, column) === (row === column ? 1 : 0));
        assert.ok(back.at(row, column) === ahead.at(column, row));
      }
    }
  });

  test("sinusoidal.shift rejects an odd width: its last sine has no cosine", () => {
    for (const odd of [1, 3, 33]) {
      assert.throws(
        () => sinusoidal.shift(1, odd),
        /^RangeError: \S+: dim must be even.+; got \d+$/,
      );
    }
  });
});

describe("sinusoidal.table, forms of positions", () => {
  const T = 200;
  const dim = 30;

  for (const precision of /** @type {const} */ (["exact", "torch"])) {
    test(`sinusoidal.table is the same for every form of the positions, precision ${precision}`, () => {
      const options = { precision };
      const want = sinusoidal.table(T, dim, options);
      assert.deepEqual(want.shape, [T, dim]);
      assert.equal(want.dtype, "float32");
      const list = Array.from({ length: T }, (_, t) => t);
      const same = (/** @type {Tensor} */ got, shape = [T, dim]) => {
        assert.deepEqual(got.shape, shape);
        assert.deepEqual(got.data, want.data);
      };
      same(sinusoidal.table(list, dim, options));
      same(sinusoidal.table(Float64Array.from(list), dim, options));
      same(sinusoidal.table(Int32Array.from(list), dim, options));
      same(sinusoidal.table(Uint8Array.from(list), dim, options));
      same(sinusoidal.table(Float32Array.from(list), dim, options));
      same(sinusoidal.table(BigInt64Array.from(list.map(BigInt)), dim, options));
      same(sinusoidal.table(list.map(BigInt), dim, options));
      same(sinusoidal.table({ data: list, shape: [T] }, dim, options));
      same(sinusoidal.table({ data: list, dims: [T] }, dim, options));
      same(sinusoidal.table(new Tensor(Int32Array.from(list), [T]), dim, options));
      same(sinusoidal.table({ data: list, shape: [2, 100] }, dim, options), [2, 100, dim]);
      same(sinusoidal.table([list.slice(0, 100), list.slice(100)], dim, options), [2, 100, dim]);
      same(sinusoidal.table({ data: list, shape: [2, 5, 20] }, dim, options), [2, 5, 20, dim]);
      const far = list.map((t) => t - 100000);
      same(sinusoidal.table(far, dim, { ...options, offset: 100000 }));
      assert.deepEqual(
        sinusoidal.table(T, dim, { ...options, offset: -100000 }),
        sinusoidal.table(far, dim, options),
      );
    });

    test(`sinusoidal.table gives a position the same row at any index, precision ${precision}`, () => {
      const long = sinusoidal.table(4200, dim, { precision, offset: -1000 });
      const places = Array.from({ length: 4200 }, (_, t) => (t * 1871) % 4200); // all, shuffled
      const mixed = sinusoidal.table(
        places.map((t) => t - 1000),
        dim,
        { precision },
      );
      for (const [t, place] of places.entries()) {
        assert.deepEqual(mixed.row(t).data, long.row(place).data);
      }
      for (const t of [0, 1, 999, 1000, 1001, 4199]) {
        const [alone] = sinusoidal.table([t - 1000], dim, { precision });
        assert.deepEqual(alone.data, long.row(t).data);
      }
    });
  }

  test("sinusoidal.table is the same at every length and offset, across blocks and tiles", () => {
    for (const [width, lengths] of /** @type {const} */ ([
      [64, [0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 511, 512, 513, 1023, 1024, 1025, 2049]],
      [1000, [31, 32, 33, 64, 65, 66, 127, 128, 129, 131, 262]],
      [40000, [1, 2, 3, 17]],
    ])) {
      const longest = Math.max(...lengths) + 100;
      const all = sinusoidal.table(longest, width, { offset: -50 });
      for (const length of lengths) {
        for (const start of [0, 1, 18, 50, 51, 83]) {
          const part = sinusoidal.table(length, width, { offset: start - 50 });
          const want = all.data.subarray(start * width, (start + length) * width);
          assert.equal(Buffer.compare(bytes(part.data), bytes(want)), 0, `${length} from ${start}`);
        }
      }
    }
  });

  test("sinusoidal.table stays within its bounds at a width beyond a tile", () => {
    const width = 70000;
    const positions = [0, 1, 77, 100000];
    const data = floats(sinusoidal.table(positions, width));
    const thetas = [0, 1, 2, 63, 64, 65, 1000, 20001, 34998, 34999];
    const all = exact.frequencies(10000, width / 2, Math.max(...thetas) + 1);
    for (const i of thetas) {
      for (const [t, position] of positions.entries()) {
        const { sin, cos } = phase(position, all[i]);
        assert.ok(ulps(data[t * width + 2 * i], sin) <= 0.501);
        assert.ok(ulps(data[t * width + 2 * i + 1], cos) <= 0.501);
      }
    }
  });

  test("sinusoidal.table adds the offset to every position, also to fractions", () => {
    assert.deepEqual(
      sinusoidal.table([1, 2.5, -3], 8, { offset: 0.25 }),
      sinusoidal.table([1.25, 2.75, -2.75], 8),
    );
    assert.deepEqual(sinusoidal.table(3, 8, { offset: 0.5 }), sinusoidal.table([0.5, 1.5, 2.5], 8));
  });

  test("sinusoidal.table of zero positions is empty, of a scalar position a row", () => {
    assert.deepEqual(sinusoidal.table(0, 8).shape, [0, 8]);
    assert.deepEqual(sinusoidal.table([], 8).shape, [0, 8]);
    assert.deepEqual(sinusoidal.table({ data: [], shape: [3, 0] }, 8).shape, [3, 0, 8]);
    assert.deepEqual(
      sinusoidal.table({ data: [5], shape: [] }, 4).toArray(),
      sinusoidal.table([5], 4).row(0).toArray(),
    );
  });
});

/** @param {Tensor["data"]} data */
function bytes(data) {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/** Options that take words and numbers, and numbers with a bound. */
declaredBattery(
  "sinusoidal.table",
  { length: 2, dim: 4 },
  { length: ["length", "length", "positions"], offset: ["reach"] },
);

battery("sinusoidal.table at positions", {
  call: ({ T, dim, $ }) => sinusoidal.table(T, dim, $),
  good: { T: [1, 2], dim: 4 },
  args: { T: ["positions", "positions"], offset: ["shift", "offset", "positions"] },
});

declaredBattery("sinusoidal.padded", { tokens: [5, 1, 6, 7], dim: 4 });

declaredBattery("sinusoidal.shift", { k: 2, dim: 4 }, { k: ["required"], dim: ["evenSize"] });
