import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { declaredBattery } from "../../battery.js";
import { cases } from "../../../truth/golden.js";
import { phasor } from "../../../phasor.js";
import { ulps } from "../../reference/exact.js";
import { floats, numbers } from "../../reference/samples.js";
import * as reference from "../../reference/sinusoidal.js";

const { sincosGrid, sinusoidal } = phasor;
const { presets } = sincosGrid;

/** @typedef {import("../../../truth/golden.js").Case} Case */

describe("sincosGrid.table against other programs", () => {
  /** How each program's case is asked for. @param {Case["params"]} params */
  function asked({ variant, h, w, base, cls_token: token, ...params }) {
    if (variant === "mae") {
      return { sizes: [h, w], options: { ...presets.vit_mae, base, prefix: Number(token) } };
    }
    if (variant === "simple_vit")
      return { sizes: [h, w], options: { ...presets["simple-vit"], base } };
    const preset = params.interleave_sin_cos ? presets["timm-interleaved"] : presets.timm;
    return { sizes: params.reverse_coord ? [w, h] : [h, w], options: { ...preset, base } };
  }

  for (const { id, params, outputs, source } of cases("sincos2d", 7)) {
    const { sizes, options } = asked(params);
    const dim = params.d_model;

    test(`sincosGrid.table equals ${id}, bit for bit`, () => {
      const got = sincosGrid.table(sizes, dim, options);
      assert.deepEqual(got.shape, outputs.out_exact.shape);
      assert.deepEqual(got.data, outputs.out_exact.data);
    });

    test(`sincosGrid.table with precision torch follows the program of ${id}`, () => {
      // Positions below 7: a frequency off by 2^-23 of itself, a product rounded to 2^-24, and an
      // ULP of each sine. MAE forms its angles in double: half a unit of float32.
      const precision = source.includes("float64") ? "exact" : "torch";
      const data = floats(sincosGrid.table(sizes, dim, { ...options, precision }));
      const tolerance = precision === "exact" ? 2 ** -25 : 7 * 2 ** -22 + 2 ** -23;
      data.forEach((x, k) => {
        assert.ok(Math.abs(x - Number(outputs.out.data[k])) <= tolerance);
      });
    });
  }
});

describe("sincosGrid.table, the conventions", () => {
  /**
   * The row of a cell from its position along each axis, by the definition.
   * @param {number[]} positions @param {number} width  of each axis
   * @param {number} [n]
   */
  const waves = (positions, width, n = width / 2) =>
    positions.map((position) => {
      const row = [...reference.table([position], width, { layout: "halves", n })];
      return { sin: row.slice(0, width / 2), cos: row.slice(width / 2) };
    });

  /** @param {ArrayLike<number>} row @param {number[]} want */
  function assertRow(row, want) {
    assert.equal(row.length, want.length);
    want.forEach((value, d) => assert.ok(ulps(row[d], value) <= 0.501, `column ${d}`));
  }

  test("sincosGrid.table places sines and cosines in four layouts", () => {
    const [y, x] = waves([2, 3], 6);
    const rows = {
      halves: [...y.sin, ...y.cos, ...x.sin, ...x.cos],
      flipped: [...y.cos, ...y.sin, ...x.cos, ...x.sin],
      "sines-first": [...y.sin, ...x.sin, ...y.cos, ...x.cos],
      interleaved: [y, x].flatMap(({ sin, cos }) => sin.flatMap((s, i) => [s, cos[i]])),
    };
    for (const [name, want] of Object.entries(rows)) {
      const layout = /** @type {keyof typeof rows} */ (name);
      assertRow(floats(sincosGrid.table([4, 5], 12, { layout }).row(2 * 5 + 3)), want);
    }
  });

  test("sincosGrid.table places axes in the given order: MAE's columns are [x ; y]", () => {
    const [y, x] = waves([1, 2], 4);
    const mae = sincosGrid.table([3, 4], 8, presets.vit_mae).row(1 * 4 + 2);
    assertRow(floats(mae), [...x.sin, ...x.cos, ...y.sin, ...y.cos]);
    const moco = sincosGrid.table([3, 4], 8, presets["moco-v3"]).row(1 * 4 + 2);
    assertRow(floats(moco), [...y.sin, ...y.cos, ...x.sin, ...x.cos]);
    const both = sincosGrid
      .table([3, 4], 8, { axes: [1, 0], layout: "sines-first" })
      .row(1 * 4 + 2);
    assertRow(floats(both), [...x.sin, ...y.sin, ...x.cos, ...y.cos]);
  });

  test("sincosGrid.table uses D/4 columns for time and 3D/8 for columns and rows, as diffusers' video models do", () => {
    const got = sincosGrid.table([2, 3, 4], 32, {
      ...presets["diffusers-3d"],
      interpolationScale: [2, 3, 3],
    });
    assert.deepEqual(got.shape, [24, 32]);
    const [time] = waves([1 / 2], 8);
    const [y, x] = waves([2 / 3, 3 / 3], 12);
    const want = [time, x, y].flatMap(({ sin, cos }) => [...sin, ...cos]);
    assertRow(floats(got.row(1 * 12 + 2 * 4 + 3)), want);
  });

  test("sincosGrid.table scales positions by diffusers' base size and interpolation scale", () => {
    const options = { ...presets.diffusers, interpolationScale: 2 };
    const got = sincosGrid.table([8, 4], 8, options);
    const [y, x] = waves([(5 * 16) / 8 / 2, (3 * 16) / 4 / 2], 4);
    assertRow(floats(got.row(5 * 4 + 3)), [...x.sin, ...x.cos, ...y.sin, ...y.cos]);
    assert.deepEqual(
      sincosGrid.table([8, 4], 8, { ...presets.vit_mae, baseSize: [8, 4] }),
      sincosGrid.table([8, 4], 8, presets.vit_mae),
    );
    // 16 cells of 16: the positions are the cells' numbers.
    assert.deepEqual(
      sincosGrid.table([16, 16], 8, presets.diffusers),
      sincosGrid.table([16, 16], 8, presets.vit_mae),
    );
  });

  test("sincosGrid.table uses 2 floor(D / 2n) columns for each axis of tensor2tensor, and zeros for the rest", () => {
    const got = sincosGrid.table([3, 2, 4], 16, presets.tensor2tensor);
    const parts = waves([2, 1, 3], 4, 1);
    const want = parts.flatMap(({ sin, cos }) => [...sin, ...cos]);
    assertRow(floats(got.row(2 * 8 + 1 * 4 + 3)), [...want, 0, 0, 0, 0]);
    assert.ok(floats(sincosGrid.table([2, 2], 3, presets.tensor2tensor)).every((x) => x === 0));
  });

  test("sincosGrid.table of one axis is sinusoidal.table", () => {
    for (const layout of /** @type {const} */ (["interleaved", "halves", "flipped"])) {
      assert.deepEqual(sincosGrid.table([9], 12, { layout }), sinusoidal.table(9, 12, { layout }));
    }
    assert.deepEqual(
      sincosGrid.table([9], 12, { offset: 0.5, base: 100, spectrum: "tensor2tensor" }),
      sinusoidal.table(9, 12, {
        offset: 0.5,
        base: 100,
        spectrum: "tensor2tensor",
        layout: "halves",
      }),
    );
  });

  test("sincosGrid.table puts rows of zeros before the grid", () => {
    const plain = sincosGrid.table([2, 3], 8);
    const got = sincosGrid.table([2, 3], 8, { prefix: 2 });
    assert.deepEqual(got.shape, [8, 8]);
    assert.deepEqual([...got.data.slice(0, 16)], Array(16).fill(0));
    assert.deepEqual(got.data.slice(16), plain.data);
  });

  test("sincosGrid.table rows have dot products that depend on the offset in each axis alone", () => {
    const table = sincosGrid.table([8, 9], 64);
    const dot = (/** @type {number} */ a, /** @type {number} */ b) => {
      const other = floats(table.row(b));
      return floats(table.row(a)).reduce((sum, x, d) => sum + x * other[d], 0);
    };
    const want = dot(0, 2 * 9 + 3);
    for (let y = 0; y < 6; ++y) {
      for (let x = 0; x < 6; ++x) {
        // 32 pairs, each off by 1.2e-7 (see sinusoidal.test.js), on both sides
        assert.ok(Math.abs(dot(y * 9 + x, (y + 2) * 9 + x + 3) - want) <= 2 * 32 * 1.2e-7);
      }
    }
    assert.ok(dot(0, 1) < dot(0, 0) - 0.1 && dot(0, 9) < dot(0, 0) - 0.1);
  });

  test("sincosGrid.table rejects widths that are not divisible and invalid orders", () => {
    for (const dim of [2, 6, 10, 13]) {
      assert.throws(
        () => sincosGrid.table([2, 2], dim),
        /^RangeError: \S+: dim must divide .+; got \d+$/,
      );
    }
    for (const axes of [[0], [0, 0], [0, 2], [1, 2], [0, 1, 2], [[0, 1]], [0.5, 1], ["0", "1"]]) {
      const given = /** @type {any} */ (axes);
      assert.throws(
        () => sincosGrid.table([2, 2], 8, { axes: given }),
        /^RangeError: \S+: axes must .+; got /,
      );
    }
    assert.throws(
      () => sincosGrid.table([2, 2, 2], 24, presets.vit_mae),
      /^RangeError: \S+: axes must .+; got /,
    );
  });

  test("sincosGrid.table leaves out unchanged where positions are out of range", () => {
    const out = new Float32Array(32).fill(7);
    assert.throws(() => sincosGrid.table([2, 2], 8, { out, offset: 2 ** 31 }), RangeError);
    assert.throws(
      () => sincosGrid.table([2, 2], 8, { out, interpolationScale: 1e-300 }),
      RangeError,
    );
    for (const interpolationScale of [2 ** 29 + 1, [1, 2 ** 29 + 1]]) {
      assert.throws(
        () => sincosGrid.table([2, 2], 8, { out, interpolationScale }),
        /^RangeError: \S+: interpolationScale must be a number > 0, up to 2\^29, .+; got 536870913$/,
      );
    }
    assert.ok(out.every((x) => x === 7));
    sincosGrid.table([2, 2], 8, { out, interpolationScale: 2 ** 29 });
  });
});

describe("sincosGrid.masked", () => {
  for (const { id, params, inputs, outputs } of cases("sine2d_mask", 2)) {
    const padded = inputs.mask;
    const mask = {
      data: numbers(padded).map((one) => 1 - one),
      shape: padded.shape,
    };
    const [B, H, W] = padded.shape;
    const dim = 2 * params.num_pos_feats;
    const options = { ...presets.detr, normalize: Boolean(params.normalize) };

    /** Ours [B, H, W, D] as DETR's [B, D, H, W]. @param {Float32Array} data */
    function channelsFirst(data) {
      const moved = new Float32Array(data.length);
      for (let b = 0; b < B; ++b) {
        for (let cell = 0; cell < H * W; ++cell) {
          for (let d = 0; d < dim; ++d) {
            moved[(b * dim + d) * H * W + cell] = data[(b * H * W + cell) * dim + d];
          }
        }
      }
      return moved;
    }

    test(`sincosGrid.masked equals ${id}, bit for bit`, () => {
      const got = sincosGrid.masked(mask, dim, /** @type {any} */ (options));
      assert.deepEqual(got.shape, [B, H, W, dim]);
      assert.deepEqual(channelsFirst(floats(got)), outputs.out_f64.data);
    });

    test(`sincosGrid.masked with precision torch follows the program of ${id}`, () => {
      const given = /** @type {any} */ ({ ...options, precision: "torch" });
      // Angles below 8: five roundings of 2^-24 of them on either side, and an ULP of each sine.
      channelsFirst(floats(sincosGrid.masked(mask, dim, given))).forEach((x, k) => {
        const error = Math.abs(x - Number(outputs.out.data[k]));
        assert.ok(error <= 8 * 10 * 2 ** -24 + 2 ** -23, `${error}`);
      });
    });
  }

  const whole = [
    [1, 1, 1],
    [1, 1, 1],
  ];

  test("sincosGrid.masked without padding is sincosGrid.table from 1 on", () => {
    const want = sincosGrid.table([2, 3], 16, { layout: "interleaved", offset: 1 });
    const got = sincosGrid.masked(whole, 16);
    assert.deepEqual(got.shape, [2, 3, 16]);
    assert.deepEqual(got.data, want.data);
    const flipped = sincosGrid.masked(whole, 16, { axes: [1, 0], layout: "halves", base: 100 });
    const options = /** @type {const} */ ({ axes: [1, 0], layout: "halves", base: 100, offset: 1 });
    assert.deepEqual(flipped.data, sincosGrid.table([2, 3], 16, options).data);
  });

  test("sincosGrid.masked counts cells that are not padding, down each column and along each row", () => {
    const mask = [
      [true, true, false],
      [false, true, false],
    ];
    const given = /** @type {any} */ (mask);
    const got = sincosGrid.masked(given, 8);
    const counts = [
      [1, 1],
      [1, 2],
      [0, 2],
      [1, 0],
      [2, 1],
      [0, 1],
    ];
    counts.forEach(([y, x], cell) => {
      const rows = [y, x].map((count) => [...sinusoidal.table([count], 4).data]);
      assert.deepEqual([...got.reshape(6, 8).row(cell).data], rows.flat());
    });
  });

  test("sincosGrid.masked normalizes: the last counted cell is at 2 pi, half a cell less in Deformable DETR", () => {
    const got = sincosGrid.masked(whole, 4, presets.detr);
    const half = sincosGrid.masked(whole, 4, presets.deformable_detr);
    for (const [tensor, less] of /** @type {const} */ ([
      [got, 0],
      [half, 0.5],
    ])) {
      for (const [y, x] of [
        [1, 3],
        [2, 1],
      ]) {
        const row = numbers(tensor.row(y - 1).row(x - 1));
        const turns = [(y - less) / (2 + 1e-6), (x - less) / (3 + 1e-6)];
        turns.forEach((turn, axis) => {
          // an angle up to 2 pi, twice rounded to double on each side: 2e-15
          assert.ok(Math.abs(row[2 * axis] - Math.sin(2 * Math.PI * turn)) <= 2.99e-8 + 2e-15);
          assert.ok(Math.abs(row[2 * axis + 1] - Math.cos(2 * Math.PI * turn)) <= 2.99e-8 + 2e-15);
        });
      }
    }
  });

  test("sincosGrid.masked accepts images that are all padding, and a batch of zero images", () => {
    const none = { data: [0, 0, 0, 0], shape: [2, 2] };
    const row = [0, 1, 0, 1];
    assert.deepEqual(
      [...sincosGrid.masked(none, 4, presets.detr).data],
      [...row, ...row, ...row, ...row],
    );
    assert.deepEqual(sincosGrid.masked({ data: [], shape: [0, 2, 2] }, 4).shape, [0, 2, 2, 4]);
    assert.deepEqual(sincosGrid.masked({ data: [], shape: [3, 0, 2] }, 4).shape, [3, 0, 2, 4]);
  });

  test("sincosGrid.masked treats each image of a batch separately", () => {
    const second = [
      [1, 0, 1],
      [1, 1, 0],
    ];
    const both = sincosGrid.masked([whole, second], 8, presets.detr);
    assert.deepEqual(both.row(0), sincosGrid.masked(whole, 8, presets.detr));
    assert.deepEqual(both.row(1), sincosGrid.masked(second, 8, presets.detr));
  });

  test("sincosGrid.masked rejects widths that are not divisible, and masks without two axes", () => {
    assert.throws(
      () => sincosGrid.masked(whole, 6),
      /^RangeError: \S+: dim must divide .+; got 6$/,
    );
    assert.throws(() => sincosGrid.masked([1, 1], 4), /^RangeError: \S+: mask must .+; got \[2\]$/);
  });
});

declaredBattery(
  "sincosGrid.table",
  { sizes: [2, 3], dim: 8 },
  {
    sizes: ["sizes", "sizes", "sizes[0]"],
    axes: ["order"],
    shares: ["perAxis"],
    offset: ["shift", "offset", "positions"],
    baseSize: ["perAxis"],
    interpolationScale: ["perAxis"],
  },
);

describe("sincosGrid.masked, DETR's eps and scale", () => {
  const mask = [
    [1, 1, 1, 0],
    [1, 1, 0, 0],
  ];
  /** Of the cells, the number up to them that are not padding, and the number in all: along the row. */
  const counts = [
    [1, 2, 3, 3],
    [1, 2, 2, 2],
  ];

  test("sincosGrid.masked places cells at scale * count / (whole count + eps)", () => {
    for (const [scale, eps] of [
      [1, 0.5],
      [100, 1e-3],
    ]) {
      const got = sincosGrid.masked(mask, 4, { axes: [1, 0], normalize: true, scale, eps });
      counts.forEach((row, h) =>
        row.forEach((count, w) => {
          const x = (scale * count) / (row[3] + eps);
          assert.ok(Math.abs(Number(got.at(h, w, 0)) - Math.sin(x)) <= 2 ** -24);
          assert.ok(Math.abs(Number(got.at(h, w, 1)) - Math.cos(x)) <= 2 ** -24);
        }),
      );
    }
  });

  test("sincosGrid.masked has DETR's defaults, 2 pi and 1e-6", () => {
    const { detr } = presets;
    assert.deepEqual(
      sincosGrid.masked(mask, 8, { ...detr, scale: 2 * Math.PI, eps: 1e-6 }),
      sincosGrid.masked(mask, 8, detr),
    );
  });
});

declaredBattery(
  "sincosGrid.masked",
  {
    mask: [
      [1, 1],
      [1, 0],
    ],
    dim: 8,
  },
  { mask: ["mask"], axes: ["order"], offset: ["shift"] },
);
