import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery, declaredBattery } from "../../battery.js";
import { cases } from "../../../truth/golden.js";
import { phasor } from "../../../phasor.js";
import { ulps } from "../../reference/exact.js";
import { linspace, spread, wave } from "../../reference/fourier.js";
import { floats, numbers } from "../../reference/samples.js";

const { embedding, fourierFeatures } = phasor;
const { presets } = fourierFeatures;
const { fround } = Math;

/** Coordinates of many sizes, both signs. */
const COORDINATES = [0, 0.1, -0.3, 0.5, 1, -1, 0.7071067811865476, 3.25, -17.125, 100.1];

describe("fourierFeatures.timesteps", () => {
  test("fourierFeatures.timesteps has the constants of DDPM and FLUX", () => {
    const rounded = (/** @type {import("phasor").Tensor} */ tensor) =>
      numbers(tensor).map((x) => Number(x.toFixed(6)));
    assert.deepEqual(
      rounded(fourierFeatures.timesteps(500, 6, presets.ddpm)),
      [-0.467772, -0.958924, 0.049979, -0.883849, 0.283662, 0.99875],
    );
    assert.deepEqual(
      rounded(fourierFeatures.timesteps(0.5, 6, presets.flux)),
      [-0.883849, -0.346653, 0.473781, -0.467772, -0.937993, 0.880643],
    );
  });

  const op = "sinusoidal"; // these cases are counted where sinusoidal.table is tested
  const known = cases(op, 35).filter(({ id }) => id.startsWith("sinusoidal.diffusion."));
  test("fourierFeatures.timesteps equals nine tables of diffusion models", () => {
    assert.equal(known.length, 9);
  });
  for (const { id, params, inputs, outputs } of known) {
    test(`fourierFeatures.timesteps equals ${id}, bit for bit`, () => {
      const h = Math.floor(params.d_model / 2);
      const options = {
        base: params.base,
        layout: /** @type {"halves" | "flipped"} */ (
          params.order === "cos_sin" ? "flipped" : "halves"
        ),
        downscaleFreqShift: h - params.freq_den,
        timeFactor: params.pos_scale ?? 1,
      };
      const t = numbers(inputs.positions);
      const got = fourierFeatures.timesteps(t, params.d_model, options);
      assert.deepEqual(got.shape, outputs.out_exact.shape);
      assert.deepEqual(got.data, outputs.out_exact.data);
      const named = id.includes(".flux.")
        ? presets.flux
        : id.includes(".ddpm.")
          ? presets.ddpm
          : id.includes(".guided.")
            ? presets.guided_diffusion
            : options;
      assert.deepEqual(fourierFeatures.timesteps(t, params.d_model, named), got);

      // In float32 steps: the program's own order of them differs. The frequency may err by 2^-21
      // and 2^-22 of its exponent, the time and its product by 2^-23 in all.
      const torch = floats(
        fourierFeatures.timesteps(t, params.d_model, { ...options, precision: "torch" }),
      );
      const slope = Math.log(params.base) / params.freq_den;
      torch.forEach((x, k) => {
        const column = k % params.d_model;
        const i = column % h;
        const angle = Math.abs(t[Math.floor(k / params.d_model)]) * options.timeFactor;
        const relative = 2 ** -21 + 2 ** -22 * i * slope;
        const tolerance = angle * Math.exp(-i * slope) * relative + 2 ** -23; // and an ULP of each
        assert.ok(Math.abs(x - Number(outputs.out.data[k])) <= tolerance, `column ${column}`);
      });
    });
  }

  test("fourierFeatures.timesteps accepts one time or many, of any shape", () => {
    assert.deepEqual(fourierFeatures.timesteps(3, 8).shape, [8]);
    assert.deepEqual(fourierFeatures.timesteps([[3], [4]], 8).shape, [2, 1, 8]);
    assert.deepEqual(fourierFeatures.timesteps([], 8).shape, [0, 8]);
    assert.deepEqual(fourierFeatures.timesteps([3], 8).row(0), fourierFeatures.timesteps(3, 8));
    assert.deepEqual(
      fourierFeatures.timesteps(BigInt64Array.of(3n), 8),
      fourierFeatures.timesteps([3], 8),
    );
  });

  test("fourierFeatures.timesteps multiplies by the factor in float32 with precision torch", () => {
    const single = /** @type {const} */ ({ precision: "torch" });
    const got = fourierFeatures.timesteps(0.07, 8, { ...single, timeFactor: 7.3 });
    const time = fround(fround(0.07) * fround(7.3));
    assert.notEqual(time, fround(0.07 * 7.3));
    assert.deepEqual(got, fourierFeatures.timesteps(time, 8, single));
  });

  test("fourierFeatures.timesteps has valid rows of widths 1 to 3: a zero, a pair, a pair and a zero", () => {
    assert.deepEqual(fourierFeatures.timesteps(1, 1).toArray(), [0]);
    const pair = [Math.sin(1), Math.cos(1)].map(fround);
    assert.deepEqual(fourierFeatures.timesteps(1, 2).toArray(), pair);
    assert.deepEqual(fourierFeatures.timesteps(1, 3).toArray(), [...pair, 0]);
  });

  test("fourierFeatures.timesteps rejects times beyond 2^31, the factor included", () => {
    fourierFeatures.timesteps(2 ** 21, 4, { timeFactor: 1024 });
    for (const precision of /** @type {const} */ (["exact", "torch"])) {
      assert.throws(
        () => fourierFeatures.timesteps(2 ** 21, 4, { timeFactor: 1025, precision }),
        /^RangeError: \S+: t must .+; got /,
      );
    }
  });
});

describe("fourierFeatures.gaussian", () => {
  const weights = [0.5, -1.25, 7, 30.1, -123.456, 1e-3];

  test("fourierFeatures.gaussian is within 0.501 ULP of sin and cos of 2 pi w x", () => {
    const data = floats(fourierFeatures.gaussian(COORDINATES, weights));
    const P = weights.length;
    for (const [n, x] of COORDINATES.entries()) {
      for (const [k, w] of weights.entries()) {
        const { sin, cos } = wave(x, w, "turns");
        assert.ok(ulps(data[n * 2 * P + k], sin) <= 0.501, `sin ${x} ${w}`);
        assert.ok(ulps(data[n * 2 * P + P + k], cos) <= 0.501, `cos ${x} ${w}`);
      }
    }
  });

  test("fourierFeatures.gaussian is exact where the angle is a quarter of a turn", () => {
    assert.deepEqual(fourierFeatures.gaussian([0, 1, 2, 3, 4, 1e6, 1e6 + 1], [0.25]).toArray(), [
      [0, 1],
      [1, 0],
      [0, -1],
      [-1, 0],
      [0, 1],
      [0, 1],
      [1, 0],
    ]);
  });

  test("fourierFeatures.gaussian with log takes the logarithm first", () => {
    const x = [1e-4, 0.02, 1, 1.5, 50];
    const data = floats(fourierFeatures.gaussian(x, weights, { log: true }));
    const P = weights.length;
    for (const [n, value] of x.entries()) {
      for (const [k, w] of weights.entries()) {
        const { sin, cos } = wave(Math.log(value), w, "turns");
        // Both logarithms are within 1.3 ULP of double: 3 * 2^-53 of an angle below 9000.
        const tolerance = 2.99e-8 + 9000 * 3 * 2 ** -53;
        assert.ok(Math.abs(data[n * 2 * P + k] - sin) <= tolerance);
        assert.ok(Math.abs(data[n * 2 * P + P + k] - cos) <= tolerance);
      }
    }
    for (const precision of /** @type {const} */ (["exact", "torch"])) {
      for (const wrong of [0, -1, precision === "torch" ? 1e-46 : -1e-300]) {
        assert.throws(
          () => fourierFeatures.gaussian([1, wrong], weights, { log: true, precision }),
          /^RangeError: \S+: x must .+; got /,
        );
      }
    }
  });

  test("fourierFeatures.gaussian with precision torch is the sine of the angle ((x w) 2) pi in float32", () => {
    for (const log of [false, true]) {
      const x = COORDINATES.filter((value) => !log || value > 0);
      const data = floats(fourierFeatures.gaussian(x, weights, { log, precision: "torch" }));
      for (const [n, value] of x.entries()) {
        const at = fround(log ? Math.log(fround(value)) : value);
        for (const [k, w] of weights.entries()) {
          const angle = fround(fround(fround(at * fround(w)) * 2) * fround(Math.PI));
          assert.ok(ulps(data[n * 12 + k], Math.sin(angle)) <= 0.51);
          assert.ok(ulps(data[n * 12 + 6 + k], Math.cos(angle)) <= 0.51);
        }
      }
    }
  });

  test("fourierFeatures.gaussian with flip has the cosines first", () => {
    const halves = fourierFeatures.gaussian(COORDINATES, weights);
    const flipped = fourierFeatures.gaussian(COORDINATES, weights, { layout: "flipped" });
    for (let n = 0; n < COORDINATES.length; ++n) {
      const [a, b] = [halves, flipped].map((tensor) => tensor.row(n).toArray());
      assert.deepEqual([...a.slice(6), ...a.slice(0, 6)], b);
    }
  });

  test("fourierFeatures.gaussian draws its frequencies like an embedding's weights, with deviation scale", () => {
    for (const options of /** @type {const} */ ([
      { seed: 7, scale: 16 },
      { seed: 42, scale: 1, generator: "torch" },
    ])) {
      const { scale: std, ...rest } = options;
      const drawn = numbers(embedding.create(32, 1, { std, ...rest }).weights());
      assert.deepEqual(
        fourierFeatures.gaussian(COORDINATES, 64, options),
        fourierFeatures.gaussian(COORDINATES, drawn),
      );
    }
    const { scale } = presets.ncsnpp;
    assert.deepEqual(
      fourierFeatures.gaussian([0.5], 8, presets.ncsnpp),
      fourierFeatures.gaussian([0.5], 8, { scale, log: true }),
    );
  });

  test("fourierFeatures.gaussian accepts shapes with any number of axes", () => {
    assert.deepEqual(fourierFeatures.gaussian(0.5, [1]).shape, [2]);
    assert.deepEqual(fourierFeatures.gaussian([[0.5], [1]], [1, 2]).shape, [2, 1, 4]);
    assert.deepEqual(fourierFeatures.gaussian([], [1]).shape, [0, 2]);
    assert.throws(
      () => fourierFeatures.gaussian([1], [[1]]),
      /^RangeError: \S+: weights must .+; got /,
    );
    assert.throws(
      () => fourierFeatures.gaussian([1], []),
      /^RangeError: \S+: weights must .+; got /,
    );
  });

  test("fourierFeatures.gaussian rejects angles beyond 2^31", () => {
    fourierFeatures.gaussian([2 ** 28], [1]);
    for (const precision of /** @type {const} */ (["exact", "torch"])) {
      assert.throws(
        () => fourierFeatures.gaussian([2 ** 29], [1], { precision }),
        /^RangeError: \S+: x times its frequency must .+; got /,
      );
      assert.throws(
        () => fourierFeatures.gaussian([1e38], [1e38], { precision }),
        /^RangeError: \S+: x times its frequency must .+; got /,
      );
    }
  });
});

describe("fourierFeatures.nerf", () => {
  const x = [COORDINATES.slice(0, 3), COORDINATES.slice(3, 6), COORDINATES.slice(6, 9)];

  for (const spacing of /** @type {const} */ (["log", "linear"])) {
    test(`fourierFeatures.nerf is within 0.501 ULP, spacing ${spacing}, columns in NeRF's order`, () => {
      for (const levels of [1, 2, 5, 10, 20]) {
        const got = fourierFeatures.nerf(x, { levels, spacing });
        assert.deepEqual(got.shape, [3, 3 * (1 + 2 * levels)]);
        const last = 2 ** (levels - 1);
        const frequencies = spread(1, last, levels, spacing);
        for (const [n, point] of x.entries()) {
          const row = got.row(n).toArray();
          assert.deepEqual(row.slice(0, 3), point.map(fround));
          for (const [k, frequency] of frequencies.entries()) {
            for (const [c, value] of point.entries()) {
              const { sin, cos } = wave(value, frequency, "radians");
              assert.ok(ulps(row[3 + 6 * k + c], sin) <= 0.501, `sin ${frequency} ${value}`);
              assert.ok(ulps(row[3 + 6 * k + 3 + c], cos) <= 0.501, `cos ${frequency} ${value}`);
            }
          }
        }
      }
    });
  }

  test("fourierFeatures.nerf is accurate next to the zeros of sine and cosine, and at large angles", () => {
    const places = [Math.PI, Math.PI / 2, 355, 103993, 1e6 * Math.PI, 0.1 * 2 ** 20, 2 ** 29];
    const got = fourierFeatures.nerf(
      { data: places, shape: [7, 1] },
      { levels: 2, includeInput: false },
    );
    for (const [n, place] of places.entries()) {
      const row = got.row(n).toArray();
      [1, 2].forEach((frequency, k) => {
        const { sin, cos } = wave(place, frequency, "radians");
        assert.ok(ulps(row[2 * k], sin) <= 0.501 && ulps(row[2 * k + 1], cos) <= 0.501);
      });
    }
  });

  test("fourierFeatures.nerf can leave out the input", () => {
    const all = fourierFeatures.nerf(x, { levels: 4 });
    const waves = fourierFeatures.nerf(x, { levels: 4, includeInput: false });
    assert.deepEqual(waves.shape, [3, 24]);
    for (let n = 0; n < 3; ++n) {
      assert.deepEqual(waves.row(n).toArray(), all.row(n).toArray().slice(3));
    }
  });

  test("fourierFeatures.nerf with precision torch is the sine of the float32 angle", () => {
    for (const spacing of /** @type {const} */ (["log", "linear"])) {
      const frequencies = spacing === "log" ? [1, 2, 4, 8, 16] : linspace(1, 16, 5); // whole numbers both
      const got = fourierFeatures.nerf(x, {
        levels: 5,
        spacing,
        precision: "torch",
        includeInput: false,
      });
      for (const [n, point] of x.entries()) {
        for (const [k, frequency] of frequencies.entries()) {
          for (const [c, value] of point.entries()) {
            const angle = fround(fround(value) * frequency);
            assert.ok(ulps(Number(got.at(n, 6 * k + c)), Math.sin(angle)) <= 0.51);
            assert.ok(ulps(Number(got.at(n, 6 * k + 3 + c)), Math.cos(angle)) <= 0.51);
          }
        }
      }
    }
  });

  test("fourierFeatures.nerf has NeRF's widths: 63 for locations, 27 for directions", () => {
    assert.deepEqual(fourierFeatures.nerf(x, presets["nerf-position"]).shape, [3, 63]);
    assert.deepEqual(fourierFeatures.nerf(x, presets["nerf-direction"]).shape, [3, 27]);
    assert.deepEqual(fourierFeatures.nerf([0.5, 1]).shape, [42]);
    assert.deepEqual(fourierFeatures.nerf({ data: [], shape: [0, 3] }).shape, [0, 63]);
    for (const none of [[], { data: [], shape: [3, 0] }, { data: [1], shape: [] }]) {
      assert.throws(
        () => fourierFeatures.nerf(none),
        /^RangeError: \S+: x must have shape .+; got /,
      );
    }
  });

  test("fourierFeatures.nerf rejects angles beyond 2^31", () => {
    fourierFeatures.nerf([1], { levels: 31 });
    assert.throws(
      () => fourierFeatures.nerf([1], { levels: 33 }),
      /^RangeError: \S+: x times its frequency must .+; got /,
    );
  });
});

describe("fourierFeatures.bands", () => {
  const sizes = [3, 4];

  /**
   * [grid, sines, cosines] of every cell, by the definition.
   * @param {number} P @param {number[]} resolution @param {string} [spacing]
   */
  function expected(P, resolution, spacing) {
    const [ys, xs] = sizes.map((size) => spread(-1, 1, size));
    return ys.flatMap((y) =>
      xs.map((x) => {
        const waves = [y, x].map((value, axis) =>
          spread(1, resolution[axis] / 2, P, spacing).map((f) => wave(value, f, "half-turns")),
        );
        return { grid: [y, x], waves };
      }),
    );
  }

  for (const spacing of /** @type {const} */ (["linear", "log"])) {
    test(`fourierFeatures.bands is [grid, sin, cos] of pi f x, spacing ${spacing}`, () => {
      const resolution = [224, 50];
      const got = fourierFeatures.bands(sizes, 5, { resolution, spacing });
      assert.deepEqual(got.shape, [12, 22]);
      for (const [n, { grid, waves }] of expected(5, resolution, spacing).entries()) {
        const row = got.row(n).toArray();
        assert.deepEqual(row.slice(0, 2), grid.map(fround));
        const flat = waves.flat();
        // A band at equal ratios is right to 2^-47 of itself, and so is its angle, below 352.
        const more = spacing === "log" ? 2 * 352 * 2 ** -47 : 0;
        flat.forEach(({ sin, cos }, k) => {
          assert.ok(Math.abs(row[2 + k] - sin) <= 2.99e-8 + more);
          assert.ok(Math.abs(row[12 + k] - cos) <= 2.99e-8 + more);
        });
      }
    });
  }

  test("fourierFeatures.bands in the order of bands keeps the coordinates of a band together", () => {
    const options = { resolution: 20 };
    const apart = fourierFeatures.bands(sizes, 5, options);
    const together = fourierFeatures.bands(sizes, 5, { ...options, order: "bands" });
    for (let n = 0; n < 12; ++n) {
      const [a, b] = [apart, together].map((tensor) => tensor.row(n).toArray());
      assert.deepEqual(a.slice(0, 2), b.slice(0, 2));
      for (let k = 0; k < 5; ++k) {
        for (let c = 0; c < 2; ++c) {
          assert.equal(b[2 + 2 * k + c], a[2 + 5 * c + k]);
          assert.equal(b[12 + 2 * k + c], a[12 + 5 * c + k]);
        }
      }
    }
  });

  test("fourierFeatures.bands defaults to the Nyquist frequency of each size", () => {
    assert.deepEqual(
      fourierFeatures.bands(sizes, 4, presets.perceiver),
      fourierFeatures.bands(sizes, 4, { resolution: sizes }),
    );
    assert.deepEqual(
      fourierFeatures.bands(sizes, 4, presets.timm),
      fourierFeatures.bands(sizes, 4, { resolution: [224, 224], order: "bands" }),
    );
  });

  test("fourierFeatures.bands has exact zeros and ones at the edges: integer multiples of pi", () => {
    const [first] = fourierFeatures.bands([9], 3, { resolution: 6, includeInput: false }).toArray();
    assert.deepEqual(first, [0, 0, 0, -1, 1, -1]);
  });

  test("fourierFeatures.bands with precision torch is the sine of the angle x (f pi) in float32", () => {
    for (const spacing of /** @type {const} */ (["linear", "log"])) {
      const options = /** @type {const} */ ({ resolution: 30, precision: "torch", spacing });
      const got = fourierFeatures.bands([7], 6, options);
      const bands =
        spacing === "linear"
          ? linspace(1, 15, 6)
          : linspace(0, fround(Math.log2(15)), 6).map((x) => fround(2 ** x));
      linspace(-1, 1, 7).forEach((x, n) => {
        assert.equal(got.at(n, 0), x);
        bands.forEach((band, k) => {
          const angle = fround(x * fround(band * fround(Math.PI)));
          assert.ok(ulps(Number(got.at(n, 1 + k)), Math.sin(angle)) <= 0.51);
          assert.ok(ulps(Number(got.at(n, 7 + k)), Math.cos(angle)) <= 0.51);
        });
      });
    }
  });

  test("fourierFeatures.bands accepts any number of axes, and axes of one cell", () => {
    assert.deepEqual(fourierFeatures.bands([2, 3, 4], 5).shape, [24, 33]);
    assert.deepEqual(fourierFeatures.bands([1], 1, { includeInput: false }).toArray(), [[0, -1]]);
    assert.throws(() => fourierFeatures.bands([], 1), /^RangeError: \S+: sizes must .+; got /);
    assert.throws(
      () => fourierFeatures.bands([2, 2], 1, { resolution: [2] }),
      /^RangeError: \S+: resolution must/,
    );
  });

  test("fourierFeatures.bands rejects a duplicate position on an axis", () => {
    const rows = fourierFeatures.bands([16, 16], 8).toArray().map(String);
    assert.equal(new Set(rows).size, 256);
  });
});

declaredBattery("fourierFeatures.timesteps", { t: [1, 2], dim: 8 }, { t: ["numbers"] });

declaredBattery(
  "fourierFeatures.gaussian",
  { x: [1, 2], weights: [1, 2] },
  { x: ["numbers"], weights: ["numbers", "weights", "dim"] },
);

battery("fourierFeatures.gaussian of a width", {
  call: ({ x, dim, $ }) => fourierFeatures.gaussian(x, dim, $),
  good: { x: [1, 2], dim: 4 },
  args: {
    dim: ["evenWidth", "dim", "weights", "weights.shape"],
    seed: ["seed"],
    generator: ["word"],
  },
});

declaredBattery("fourierFeatures.nerf", { x: [[0.5, 1]] }, { x: ["numbers"] });

declaredBattery(
  "fourierFeatures.bands",
  { sizes: [2, 3], count: 2 },
  { sizes: ["sizes", "sizes", "sizes[0]"], count: ["size"], resolution: ["perAxis"] },
);
