import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery, declaredBattery } from "../../battery.js";
import { cases } from "../../../truth/golden.js";
import { phasor, Tensor } from "../../../phasor.js";
import * as reference from "../../reference/resize.js";
import { noise, numbers } from "../../reference/samples.js";
import { random } from "../../tensors.js";

const { embedding, learnedPositions, positionIds } = phasor;
const { presets } = learnedPositions;

describe("learnedPositions.lookup", () => {
  for (const { id, params, inputs, outputs } of cases("learned_positions", 1)) {
    test(`learnedPositions.lookup equals ${id}`, () => {
      const { position_weight: weights } = inputs;
      const got = learnedPositions.lookup(weights, outputs.out.shape[0], {
        past: params.position_offset,
      });
      assert.deepEqual(got, new Tensor(/** @type {any} */ (outputs.out.data), outputs.out.shape));
    });
  }

  const weights = random([20, 3], 2);
  const table = embedding.from(weights);

  test("learnedPositions.lookup accepts weights and tables, a length and positions, with the same bits", () => {
    const want = numbers(weights).slice(2 * 3, 7 * 3);
    for (const from of [weights, weights.toArray(), table]) {
      for (const positions of [5, 5n, [0, 1, 2, 3, 4], Int32Array.of(0, 1, 2, 3, 4)]) {
        const got = learnedPositions.lookup(from, /** @type {any} */ (positions), { past: 2 });
        assert.deepEqual(numbers(got), want);
        assert.deepEqual(got.shape, [5, 3]);
      }
      assert.deepEqual(learnedPositions.lookup(from, [[4], [0]]).shape, [2, 1, 3]);
      assert.deepEqual(learnedPositions.lookup(from, 0).shape, [0, 3]);
    }
  });

  test("learnedPositions.lookup counts from the offset: OPT's and RoBERTa's first token has row 2", () => {
    for (const name of /** @type {const} */ (["opt", "roberta", "fairseq"])) {
      const got = learnedPositions.lookup(table, 4, { ...presets[name], rows: 20 });
      assert.deepEqual(got, table.lookup([2, 3, 4, 5]));
      // the rows of positionIds have the offset in them
      const rows = positionIds.fromTokens([7, 7, 7, 7]);
      assert.deepEqual(learnedPositions.lookup(table, rows), got);
    }
    const mask = positionIds.fromMask([0, 1, 1], { convention: "opt" });
    assert.deepEqual(learnedPositions.lookup(table, mask), table.lookup([1, 2, 3]));
  });

  test("learnedPositions.lookup rejects positions beyond the table and names its end: 512 for BERT, 1024 for GPT-2", () => {
    const tables = { bert: 512, gpt2: 1024, roberta: 514, opt: 2050 };
    const walls = { bert: 512, gpt2: 1024, roberta: 512, opt: 2048 };
    for (const name of /** @type {const} */ (["bert", "gpt2", "roberta", "opt"])) {
      const wall = walls[name];
      const whole = embedding.create(tables[name], 1, { storage: "on-demand" });
      assert.deepEqual(learnedPositions.lookup(whole, wall, presets[name]).shape, [wall, 1]);
      const rule = { name: "RangeError", message: new RegExp(`ends at position ${wall} `) };
      assert.throws(() => learnedPositions.lookup(whole, wall + 1, presets[name]), rule);
      assert.throws(() => learnedPositions.lookup(whole, [0, wall], presets[name]), rule);
      assert.throws(
        () => learnedPositions.lookup(whole, 1, { ...presets[name], past: wall }),
        rule,
      );
      // A longer table, padded for speed say, does not move the wall.
      const longer = embedding.create(tables[name] + 64, 1, { storage: "on-demand" });
      assert.throws(() => learnedPositions.lookup(longer, wall + 1, presets[name]), rule);
    }
    assert.throws(() => learnedPositions.lookup(table, [3, 20]), {
      name: "RangeError",
      message:
        "learnedPositions.lookup: positions must be below 20 - past: the table ends at position 20 (20 rows); got 0 + 20",
    });
    assert.throws(() => learnedPositions.lookup(table, 3, { past: 16, offset: 2 }), {
      name: "RangeError",
      message:
        "learnedPositions.lookup: length must be at most 18 - past: the table ends at position 18 (20 rows, 2 of them kept back); got 3",
    });
  });

  test("learnedPositions.lookup can clamp to the last row, as Marian does", () => {
    const got = learnedPositions.lookup(table, 5, { ...presets.marian, past: 17 });
    assert.deepEqual(got, table.lookup([17, 18, 19, 19, 19]));
    assert.deepEqual(
      learnedPositions.lookup(table, [0, 2 ** 31 - 1], { beyond: "clamp", offset: 1, past: 5 }),
      table.lookup([6, 19]),
    );
    assert.deepEqual(
      learnedPositions.lookup(table, [9], { beyond: "clamp", rows: 4 }),
      table.lookup([3]),
    );
    for (const beyond of /** @type {const} */ (["clamp", "throw"])) {
      assert.throws(
        () => learnedPositions.lookup(table, [9], { beyond, rows: 21 }),
        /^RangeError: \S+: rows must be a whole number from 1 to 20; got 21$/,
      );
    }
  });

  test("learnedPositions.lookup rejects an offset that leaves no row", () => {
    assert.throws(
      () => learnedPositions.lookup(table, 1, { offset: 20 }),
      /^RangeError: \S+: offset must .+; got 20$/,
    );
  });

  test("learnedPositions.presets has RoBERTa's rows and offset", () => {
    assert.deepEqual(presets.roberta, { rows: 514, offset: 2, beyond: "throw" });
  });
});

const SAMPLINGS = /** @type {const} */ (["half-pixel", "corners", "antialiased"]);

describe("learnedPositions.interpolateGrid", () => {
  for (const method of /** @type {const} */ (["bilinear", "bicubic"])) {
    for (const sampling of SAMPLINGS) {
      test(`learnedPositions.interpolateGrid is the convolution: ${method}, ${sampling}`, () => {
        for (const [from, to] of [
          [
            [14, 14],
            [24, 24],
          ],
          [
            [14, 14],
            [7, 5],
          ],
          [
            [4, 6],
            [6, 4],
          ],
          [
            [3, 1],
            [1, 5],
          ],
          [
            [1, 1],
            [2, 3],
          ],
          [
            [16, 3],
            [5, 3],
          ],
          [
            [2, 2],
            [2, 2],
          ],
        ]) {
          const D = 3;
          const grid = noise(from[0] * from[1] * D, from[0]);
          for (const coefficient of [-0.75, -0.5, 0]) {
            const options = { method, sampling, coefficient };
            const got = learnedPositions.interpolateGrid(
              { data: grid, shape: [from[0] * from[1], D] },
              to,
              {
                ...options,
                grid: from,
                prefix: 0,
              },
            );
            assert.deepEqual(got.shape, [to[0] * to[1], D]);
            const { values, sizes } = reference.resize(grid, { from, to, D }, options);
            numbers(got).forEach((value, k) => {
              // half an ULP of the value, and doubles on both sides
              const bound = 2 ** -24 * Math.abs(values[k]) + 2 ** -33 * sizes[k];
              assert.ok(Math.abs(value - values[k]) <= bound, `${from} to ${to}, ${k}`);
            });
          }
        }
      });

      test(`learnedPositions.interpolateGrid keeps a constant grid constant: ${method}, ${sampling}`, () => {
        const same = { data: new Float32Array(35).fill(0.1), shape: [35, 1] };
        for (const size of [
          [3, 4],
          [7, 5],
          [20, 9],
        ]) {
          const options = { method, sampling, grid: [7, 5], prefix: 0 };
          const got = learnedPositions.interpolateGrid(same, size, options);
          assert.ok(numbers(got).every((x) => x === Math.fround(0.1)));
        }
      });

      test(`learnedPositions.interpolateGrid commutes with rotations of the grid: ${method}, ${sampling}`, () => {
        const turned = (
          /** @type {number[]} */ x,
          /** @type {number} */ h,
          /** @type {number} */ w,
        ) => Array.from({ length: w * h }, (_, k) => x[(k % h) * w + Math.floor(k / h)]);
        const grid = Array.from(noise(24, 3));
        const options = { method, sampling, prefix: 0 };
        const column = (/** @type {number[]} */ data) => ({ data, shape: [24, 1] });
        const got = learnedPositions.interpolateGrid(column(grid), [9, 3], {
          ...options,
          grid: [4, 6],
        });
        const other = learnedPositions.interpolateGrid(column(turned(grid, 4, 6)), [3, 9], {
          ...options,
          grid: [6, 4],
        });
        // the same terms, summed in another order
        turned(numbers(got), 9, 3).forEach((x, k) => {
          assert.ok(Math.abs(x - Number(other.data[k])) <= 2 ** -23);
        });
      });
    }
  }

  const square = { data: [1, 2, 3, 4], shape: [4, 1] };

  test("learnedPositions.interpolateGrid equals the values in PyTorch's documentation of Upsample, bilinear", () => {
    const of = (/** @type {"half-pixel" | "corners"} */ sampling) =>
      learnedPositions
        .interpolateGrid(square, [4, 4], { method: "bilinear", sampling, prefix: 0 })
        .reshape(4, 4)
        .toArray();
    assert.deepEqual(of("half-pixel"), [
      [1, 1.25, 1.75, 2],
      [1.5, 1.75, 2.25, 2.5],
      [2.5, 2.75, 3.25, 3.5],
      [3, 3.25, 3.75, 4],
    ]);
    const third = [1, 4 / 3, 5 / 3, 2];
    assert.deepEqual(
      of("corners"),
      [0, 2 / 3, 4 / 3, 2].map((down) => third.map((across) => Math.fround(down + across))),
    );
  });

  test("learnedPositions.interpolateGrid equals the values in ONNX's test resize_upsample_scales_cubic, a = -0.75", () => {
    const grid = Array.from({ length: 16 }, (_, k) => k + 1);
    const got = learnedPositions.interpolateGrid({ data: grid, shape: [16, 1] }, [8, 8], {
      prefix: 0,
    });
    const rows = got.reshape(8, 8);
    const row = [
      0.47265625, 0.76953125, 1.24609375, 1.875, 2.28125, 2.91015625, 3.38671875, 3.68359375,
    ];
    assert.deepEqual(rows.row(0).toArray(), row);
    assert.deepEqual(
      rows.row(1).toArray(),
      row.map((x) => x + 1.1875),
    );
  });

  test("learnedPositions.interpolateGrid by a scale equals PyTorch 2.15's scale_factor", () => {
    /** Of sin(1.7 (i + 1)) 3; the first two as DINOv2 does, with an offset of 0.1. @type {any[][]} */
    const recorded = [
      [
        [4, 4],
        [1.525, 1.775],
        [6, 7],
        "bicubic",
        false,
        [
          3.393939, 1.9517763, -0.2494043, -2.4209708, -2.797503, -0.4279806, 1.74756, 3.2195345,
          1.5138114, -0.9649575, -2.663164, -2.3669695, 0.1637509, 2.3496072, 2.680185, 0.7078058,
          -1.9948726, -2.8167552, -1.5012936, 1.0683772, 3.0878154, 1.9725799, 0.0141977,
          -2.5612595, -2.6232481, -0.6745656, 1.6413152, 3.3108449, 0.7303162, -0.9072911,
          -2.9166788, -1.961949, 0.5252684, 2.147386, 3.0955053, -0.1730367, -1.4791443, -2.9632299,
          -1.3744092, 1.3143351, 2.3496384, 2.737635,
        ],
      ],
      [
        [4, 4],
        [0.775, 0.775],
        [3, 3],
        "bicubic",
        true,
        [
          2.1535373, -2.0934178, 0.2616407, 0.8907853, -2.3068769, 1.626289, -0.7873885, -1.543466,
          2.3367575,
        ],
      ],
      [
        [3, 5],
        [1.5, 0.5],
        [4, 2],
        "bilinear",
        false,
        [1.1041856, -0.647552, -0.4364161, 0.6181508, -1.4348163, 1.2997692, 0.7339894, -1.0365682],
      ],
      [
        [5, 3],
        [0.45, 2.9],
        [2, 8],
        "bilinear",
        true,
        [
          1.3944921, 1.3918285, 1.3385573, 1.2852861, 1.0872108, 0.0685785, -0.9500537, -1.7140279,
          -1.6919467, -1.6609582, -1.0411883, -0.4214185, 0.1860448, 0.7237703, 1.2614958,
          1.6647899,
        ],
      ],
      // An axis whose size stays is copied.
      [
        [4, 4],
        [1.1, 1.9],
        [4, 7],
        "bilinear",
        false,
        [
          2.9749944, 1.8918945, -0.0773781, -1.454536, -2.5128627, -1.0959496, 1.1460415, 2.3954613,
          1.0942522, -1.2715824, -2.0157356, -1.8866762, -0.1049777, 2.2275994, 1.1902217,
          0.0107859, -2.1336427, -2.0504148, -0.7676806, 0.913415, 2.7272966, -0.3259098,
          -1.0754977, -2.4383848, -1.5495155, 0.5518369, 1.6932191, 2.5146108,
        ],
      ],
      [
        [4, 4],
        [1.1, 1.9],
        [4, 7],
        "bicubic",
        true,
        [
          3.2933002, 2.1724145, -0.0892683, -1.8240874, -2.8369925, -1.2209959, 1.2775484,
          2.7778659, 1.3574411, -1.4467498, -2.5278699, -2.1300356, -0.0736904, 2.3709109,
          1.5368389, 0.1878974, -2.4263327, -2.5713603, -0.8667025, 1.0928632, 2.8449795,
          -0.1056179, -1.0307261, -2.7721455, -1.9431981, 0.6230175, 1.9739556, 2.5759254,
        ],
      ],
    ];
    for (const [grid, scale, size, method, isAntialiased, expected] of recorded) {
      const data = Float32Array.from(
        { length: grid[0] * grid[1] },
        (_, i) => Math.sin(1.7 * (i + 1)) * 3,
      );
      const sampling = /** @type {"antialiased"} */ (isAntialiased ? "antialiased" : "half-pixel");
      const options = { grid, method, sampling, prefix: 0 };
      const weights = { data, shape: [data.length, 1] };
      const coefficient = -0.75 + 0.25 * Number(isAntialiased);
      const got = learnedPositions.interpolateGrid(weights, size, {
        ...options,
        scale,
        coefficient,
      });
      numbers(got).forEach((x, i) =>
        assert.ok(Math.abs(x - expected[i]) < 1e-6, `${scale} ${i}: ${x}`),
      );
      const other = learnedPositions.interpolateGrid(weights, size, options);
      assert.ok(
        numbers(other).some((x, i) => Math.abs(x - expected[i]) > 0.1),
        "not by the sizes",
      );
    }
  });

  test("learnedPositions.interpolateGrid equals the values in ONNX's test resize_downsample_scales_linear", () => {
    const square = [1, 2, 3, 4, 5, 6, 7, 8].map((x) => [x]);
    const options = {
      grid: [2, 4],
      scale: [0.6, 0.6],
      prefix: 0,
      method: /** @type {const} */ ("bilinear"),
    };
    const got = numbers(learnedPositions.interpolateGrid(square, [1, 2], options));
    [2.6666665, 4.3333331].forEach((x, i) => assert.ok(Math.abs(got[i] - x) < 1e-6));
  });

  test("learnedPositions.interpolateGrid rejects a scale that is not one of the two sizes", () => {
    const square = [[1], [2], [3], [4]];
    for (const [scale, size, message] of /** @type {any[][]} */ ([
      [[1.5, 0], [3, 3], /scale must .*; got /],
      [0.4, [1, 1], /size must be grid \* scale rounded down, \[0, 0\]; got \[1, 1\]/],
      [[1.5, 1.5], [3, 4], /size must be grid \* scale rounded down, \[3, 3\]; got \[3, 4\]/],
    ])) {
      const call = () => learnedPositions.interpolateGrid(square, size, { scale, prefix: 0 });
      assert.throws(call, { message });
    }
    const both = learnedPositions.interpolateGrid(square, [3, 3], { scale: 1.5, prefix: 0 });
    const pair = learnedPositions.interpolateGrid(square, [3, 3], { scale: [1.5, 1.5], prefix: 0 });
    assert.deepEqual(both, pair);
    const corners = { scale: [1.5, 1.5], prefix: 0, sampling: /** @type {const} */ ("corners") };
    const message = /scale must not come with the sampling "corners"; got 1\.5, 1\.5$/;
    assert.throws(() => learnedPositions.interpolateGrid(square, [3, 3], corners), { message });
  });

  test("learnedPositions.interpolateGrid with bicubic a = -0.5 reproduces parabolas inside; a = -0.75 does not (Keys 1981)", () => {
    const parabola = Array.from({ length: 8 }, (_, k) => k * k);
    const line = { data: parabola, shape: [8, 1] };
    const options = /** @type {const} */ ({ grid: [8, 1], prefix: 0, sampling: "corners" });
    const at = Array.from({ length: 29 }, (_, i) => i / 4);
    const error = (/** @type {number} */ coefficient) => {
      const got = learnedPositions.interpolateGrid(line, [29, 1], { ...options, coefficient });
      const inside = at.flatMap((x, i) =>
        x >= 1 && x <= 6 ? [Math.abs(Number(got.data[i]) - x * x)] : [],
      );
      return Math.max(...inside);
    };
    assert.equal(error(-0.5), 0); // quarters and squares below 64: exact
    assert.ok(error(-0.75) > 0.05);
  });

  test("learnedPositions.interpolateGrid keeps the prefix and accepts a checkpoint's [1, N, D]", () => {
    const weights = random([1, 2 + 9, 4], 5);
    const got = learnedPositions.interpolateGrid(weights, [2, 5], { prefix: 2 });
    assert.deepEqual(got.shape, [1, 12, 4]);
    assert.deepEqual(numbers(got).slice(0, 8), numbers(weights).slice(0, 8));
    const rest = { data: numbers(weights).slice(8), shape: [9, 4] };
    const alone = learnedPositions.interpolateGrid(rest, [2, 5], { prefix: 0 });
    assert.deepEqual(numbers(got).slice(8), numbers(alone));
  });

  test("learnedPositions.interpolateGrid has a preset for HF's ViT, MAE, timm and the Flax ViT", () => {
    const weights = random([1 + 14 * 14, 2], 6);
    for (const name of /** @type {const} */ (["vit", "vit_mae", "timm", "flax-vit"])) {
      const preset = presets[name];
      const got = numbers(learnedPositions.interpolateGrid(weights, [9, 16], preset)).slice(2);
      const sizes = { from: [14, 14], to: [9, 16], D: 2 };
      const grid = numbers(weights).slice(2);
      const { values } = reference.resize(grid, sizes, preset);
      got.forEach((x, k) => assert.ok(Math.abs(x - values[k]) <= 2 ** -23));
    }
    // Only where it shrinks, and by another kernel, does timm differ from HF.
    const up = (/** @type {object} */ preset) =>
      learnedPositions.interpolateGrid(weights, [20, 20], preset);
    assert.deepEqual(up(presets.vit), up(presets.vit_mae));
    assert.notDeepEqual(up(presets.vit), up(presets.timm));
    assert.deepEqual(learnedPositions.interpolateGrid(weights, [14, 14], presets.timm), weights);
  });

  test("learnedPositions.interpolateGrid confines non-finite values to the kernel's support", () => {
    const grid = new Array(64).fill(1);
    grid[0] = Infinity;
    grid[63] = NaN;
    const got = learnedPositions.interpolateGrid({ data: grid, shape: [64, 1] }, [16, 16], {
      prefix: 0,
    });
    const far = got.reshape(16, 16).at(8, 8);
    assert.equal(far, 1);
    const bits = new Uint32Array(got.data.buffer);
    assert.ok(numbers(got).some(Number.isNaN));
    numbers(got).forEach((x, k) => {
      if (Number.isNaN(x)) assert.equal(bits[k], 0x7fc00000);
    });
  });

  test("learnedPositions.interpolateGrid rejects grids whose size is not the number of patches", () => {
    for (const [options, message] of /** @type {const} */ ([
      [{}, /^RangeError: \S+: grid must be given for 5 patches, not a square; got none$/],
      [{ grid: [2, 3] }, /^RangeError: \S+: grid must have 5 patches; got 2 x 3$/],
      [{ prefix: 6 }, /^RangeError: \S+: prefix must .+; got 6$/],
    ])) {
      assert.throws(
        () => learnedPositions.interpolateGrid(random([6, 2]), [2, 2], options),
        message,
      );
    }
    for (const shape of [[6], [2, 3, 1], [0, 2], [2, 0]]) {
      assert.throws(
        () => learnedPositions.interpolateGrid(random(shape), [2, 2]),
        /^RangeError: \S+: weights must have shape \[N, D\]; got /,
      );
    }
  });
});

describe("learnedPositions.interpolate", () => {
  test("learnedPositions.interpolate equals learnedPositions.interpolateGrid of one column", () => {
    const weights = random([2 + 11, 3], 8);
    for (const [method, same] of /** @type {const} */ ([
      ["linear", "bilinear"],
      ["cubic", "bicubic"],
    ])) {
      for (const sampling of SAMPLINGS) {
        for (const length of [1, 6, 11, 30]) {
          const options = { sampling, prefix: 2 };
          assert.deepEqual(
            learnedPositions.interpolate(weights, 2 + length, { ...options, method }),
            learnedPositions.interpolateGrid(weights, [length, 1], {
              ...options,
              method: same,
              grid: [11, 1],
            }),
          );
        }
      }
    }
  });

  test("learnedPositions.interpolate keeps every old row that coincides with a new one", () => {
    const weights = random([9, 4], 9);
    for (const method of /** @type {const} */ (["linear", "cubic"])) {
      const got = learnedPositions.interpolate(weights, 33, { method, sampling: "corners" });
      for (let t = 0; t < 9; ++t)
        assert.deepEqual(got.row(4 * t).toArray(), weights.row(t).toArray());
      assert.deepEqual(learnedPositions.interpolate(weights, 9, { method }), weights);
    }
  });

  test("learnedPositions.interpolate keeps a prefix and needs at least one row after it", () => {
    const weights = random([4, 2], 10);
    const got = learnedPositions.interpolate(weights, 6, { prefix: 2 });
    assert.deepEqual(numbers(got).slice(0, 4), numbers(weights).slice(0, 4));
    assert.throws(
      () => learnedPositions.interpolate(weights, 6, { prefix: 4 }),
      /^RangeError: \S+: prefix must .+; got 4$/,
    );
    assert.throws(
      () => learnedPositions.interpolate(weights, 2, { prefix: 2 }),
      /^RangeError: \S+: length must .+; got 2$/,
    );
  });
});

const weights = [
  [1, 2],
  [3, 4],
  [5, 6],
  [7, 8],
];

declaredBattery(
  "learnedPositions.lookup",
  { table: weights, length: 2 },
  {
    table: ["tensor", "table", "table.shape"],
    length: ["length", "length", "positions"],
    past: ["seed", "past", "length"],
  },
);

battery("learnedPositions.lookup at positions", {
  call: ({ table, ids, $ }) => learnedPositions.lookup(table, ids, $),
  good: { table: weights, ids: [2, 0] },
  args: { ids: ["tokenIds", "positions", "length"], past: ["seed", "past", "positions"] },
});

const RESIZED = /** @type {const} */ ({
  weights: ["tensor", "weights", "weights.shape"],
  coefficient: ["number"],
});

declaredBattery(
  "learnedPositions.interpolate",
  { weights, length: 6 },
  { ...RESIZED, length: ["size"] },
);

declaredBattery(
  "learnedPositions.interpolateGrid",
  { weights, size: [3, 3], $: { prefix: 0 } },
  {
    ...RESIZED,
    size: ["sides", "size", "size[0]", "size[1]"],
    grid: ["sides", "grid", "grid[0]", "grid[1]"],
    scale: ["perAxis", "scale", "scale[1]"],
  },
);
