import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { declaredBattery } from "../../battery.js";
import { cases } from "../../../truth/golden.js";
import { phasor, Tensor } from "../../../phasor.js";
import { dot } from "../../reference/attention.js";
import * as reference from "../../reference/axial.js";
import { floats, noise, numbers } from "../../reference/samples.js";
import { assertTurned, TURN } from "./turned.js";

/** @import { AxialTable } from "../../../../src/positional/rotary/axial_rope/axial_rope.js" */

const { axialRope, rope } = phasor;

const PARTS = /** @type {const} */ (["cos", "sin"]);

/** A table's error (guide Accuracy, #far-tables), and what the reference errs in double: 2^-50 of angles up to some 100. */
const NEAR = 2.99e-8 + 1e-13;

/** @param {{cos: Tensor, sin: Tensor}} table @param {number[]} angles @param {number} [bound] */
function assertAngles(table, angles, bound = NEAR) {
  for (const part of PARTS) {
    const data = floats(table[part]);
    assert.equal(data.length, angles.length);
    for (const [k, angle] of angles.entries()) {
      assert.ok(Math.abs(data[k] - Math[part](angle)) <= bound, `${part} ${k} of ${angle}`);
    }
  }
}

describe("axialRope.table against Hugging Face", () => {
  for (const { id, params, inputs, outputs } of cases("rope_2d", 1)) {
    const { head_dim: dim, rope_theta: base, h, w } = params;
    for (const precision of /** @type {const} */ (["exact", "torch"])) {
      test(`axialRope.table, ${precision}, rotates q and k of ${id}`, () => {
        const options = { ...axialRope.presets.qwen2_vl, base, precision };
        const table = axialRope.table([h, w], dim, options);
        const rows = numbers(inputs.rows);
        const cols = numbers(inputs.cols);
        const tokens = rows.map((row, t) => [row, cols[t]]);
        assert.deepEqual(axialRope.at(tokens, dim, options), table);
        for (const name of ["q", "k"]) {
          const x = inputs[name];
          const want = outputs[`${name}_out`];
          const got = rope.apply(x, table, { layout: table.layout, axis: -3 });
          // Both sides are off by TURN; the program's sines are an ULP off in two components. Its
          // angles, up to 5, had two roundings, which exact ones lack.
          const bound = 2 * TURN + 2 * 2 ** -24 + 5 * 2 ** -23;
          assertTurned(x, got, want, dim, "halves", bound);
        }
      });
    }
  }
});

describe("axialRope.presets against their sources", () => {
  const unmixed = Object.entries(axialRope.presets).filter(([name]) => name !== "rope-vit-mixed");
  assert.deepEqual(unmixed.map(([name]) => name).sort(), Object.keys(reference.angles).sort());

  for (const [name, preset] of unmixed) {
    const { sections } = /** @type {{sections?: readonly number[]}} */ (preset);
    const dim = 2 * (sections?.reduce((sum, pairs) => sum + pairs, 0) ?? 32);
    for (const grid of sections
      ? [[1, 3, 5, 2].slice(0, sections.length), [4, 2, 3, 1].slice(0, sections.length)]
      : [
          [3, 5],
          [16, 16],
          [20, 7],
        ]) {
      test(`axialRope.table of ${name}, ${grid.join(" x ")}, has the angles of its source`, () => {
        const table = axialRope.table(grid, dim, preset);
        const cells = grid.reduce((a, b) => a * b);
        assert.deepEqual(table.cos.shape, [cells, dim / 2]);
        assert.equal(table.layout, preset.layout);
        const angles = reference.angles[name](grid, dim);
        assertAngles(table, angles);
        // float32 steps: each angle is 2^-22 of itself away (frequency and product), and more by
        // what a coordinate's own rounding adds
        const most = angles.reduce((most, angle) => Math.max(most, Math.abs(angle)), 0);
        const torch = axialRope.table(grid, dim, { ...preset, precision: "torch" });
        assertAngles(torch, angles, 2 ** -24 + most * 3 * 2 ** -24);
      });
    }
  }

  test("axialRope.table with bases has the columns of each axis' base", () => {
    const all = axialRope.table([3, 4], 16, { bases: [100, 7] });
    const [rows, columns] = [100, 7].map((base) => axialRope.table([3, 4], 16, { base }));
    for (const part of PARTS) {
      for (let t = 0; t < 12; ++t) {
        const own = floats(all[part].row(t));
        assert.deepEqual(own.subarray(0, 4), floats(rows[part].row(t)).subarray(0, 4));
        assert.deepEqual(own.subarray(4), floats(columns[part].row(t)).subarray(4));
      }
    }
    assert.throws(
      () => axialRope.table([3, 4], 16, { bases: [100] }),
      /^RangeError: \S+: bases must be 2 numbers, one for each axis; got 1/,
    );
    assert.throws(
      () => axialRope.table([3, 4], 16, { bases: [100, 0.5] }),
      /^RangeError: \S+: bases must be a number >= 1; got 0.5/,
    );
    assert.throws(
      () => axialRope.table([3, 4], 16, { bases: [100, 7], base: 100 }),
      /^RangeError: \S+: base must be left out beside bases; got 100$/,
    );
  });

  test("axialRope.table, interleaved, distributes the columns of the chunked table", () => {
    const chunked = axialRope.table([3, 4], 24, { order: [1, 0] });
    const dealt = axialRope.table([3, 4], 24, { order: [1, 0], arrangement: "interleaved" });
    for (const part of PARTS) {
      for (let t = 0; t < 12; ++t) {
        const [from, to] = [chunked, dealt].map((table) => floats(table[part].row(t)));
        for (let k = 0; k < 6; ++k) {
          assert.equal(to[2 * k], from[k]);
          assert.equal(to[2 * k + 1], from[6 + k]);
        }
      }
    }
    assert.throws(
      () => axialRope.table([3, 4], 24, { arrangement: "interleaved", sections: [8, 4] }),
      /^RangeError: \S+: sections must be 2 equal numbers; got \[8, 4\]/,
    );
  });

  test("axialRope.presets place the published numbers in their columns", () => {
    // DINOv3, D = 8: patch centers of 2 rows are -1/2 and 1/2, periods 1 and 10
    const dino = axialRope.table([2, 1], 8, axialRope.presets.dinov3_vit);
    assertAngles(dino, [-Math.PI, -Math.PI / 10, 0, 0, Math.PI, Math.PI / 10, 0, 0]);
    // Pixtral, D = 8: even frequencies turn with h, odd ones with w
    const pixtral = axialRope.table([2, 2], 8, axialRope.presets.pixtral);
    assertAngles({ cos: pixtral.cos.row(3), sin: pixtral.sin.row(3) }, [1, 0.01, 0.1, 0.001]);
    // torchtune counts from 1, x first
    const torchtune = axialRope.table([1, 2], 4, { ...axialRope.presets.torchtune, suffix: 1 });
    assertAngles(torchtune, [1, 1, 2, 1, 0, 0]);
    // EVA: 32 cells stand where 16 did, half a cell apart
    const eva = axialRope.table([1, 32], 4, axialRope.presets.eva);
    assertAngles({ cos: eva.cos.row(31), sin: eva.sin.row(31) }, [0, 15.5]);
  });
});

describe("axialRope.table", () => {
  test("axialRope.table of a grid with one row or column equals rope.table in that axis' columns", () => {
    const line = rope.table(9, 16, { base: 500 });
    for (const [grid, axis] of /** @type {[number[], number][]} */ ([
      [[1, 9], 1],
      [[9, 1], 0],
      [[1, 9, 1], 1],
    ])) {
      const A = grid.length;
      const got = axialRope.table(grid, 16 * A, { base: 500 });
      for (const part of PARTS) {
        for (let t = 0; t < 9; ++t) {
          const row = floats(got[part].row(t));
          for (let a = 0; a < A; ++a) {
            const own = row.subarray(8 * a, 8 * (a + 1));
            const want =
              a === axis ? line[part].row(t).data : new Float32Array(8).fill(+(part === "cos"));
            assert.deepEqual(own, want);
          }
        }
      }
    }
    const alone = axialRope.table([9], 16, { base: 500, precision: "torch" });
    assert.deepEqual(alone.cos, rope.table(9, 16, { base: 500, precision: "torch" }).cos);
  });

  test("axialRope.table equals axialRope.at of its cells, row by row, in exact and torch", () => {
    for (const precision of /** @type {const} */ (["exact", "torch"])) {
      const options = {
        precision,
        sections: [2, 3, 4],
        order: [2, 0, 1],
        offset: 0.25,
        scale: -1.5,
      };
      const cells = [];
      for (let t = 0; t < 3; ++t)
        for (let y = 0; y < 4; ++y) for (let x = 0; x < 5; ++x) cells.push([t, y, x]);
      assert.deepEqual(axialRope.table([3, 4, 5], 18, options), axialRope.at(cells, 18, options));
    }
  });

  test("axialRope.table supports every coordinate rule of GridOptions", () => {
    /** x of a 2 x 4 grid's last row @param {object} options */
    const xs = (options) => {
      const { sin } = axialRope.table([2, 4], 4, { scale: 0.25, ...options });
      return Array.from({ length: 4 }, (_, x) => 4 * Math.asin(sin.at(4 + x, 1)));
    };
    for (const [options, want] of /** @type {[object, number[]][]} */ ([
      [{}, [0, 1, 2, 3]],
      [{ offset: -1 }, [-1, 0, 1, 2]],
      [{ scale: 0.5 }, [0, 2, 4, 6]],
      [{ pretrained: 2 }, [0, 0.5, 1, 1.5]],
      [{ pretrained: [7, 6] }, [0, 1.5, 3, 4.5]],
      [{ coordinates: "centers" }, [-0.75, -0.25, 0.25, 0.75]],
      [{ coordinates: "centers-max" }, [-0.75, -0.25, 0.25, 0.75]],
      [{ coordinates: "centers-min" }, [-0.5, 0.5, 1.5, 2.5]],
      [{ coordinates: "ends" }, [-1, -1 / 3, 1 / 3, 1]],
    ])) {
      for (const [k, x] of xs(options).entries()) assert.ok(Math.abs(x - want[k]) < 2e-6, `${x}`);
    }
    const one = axialRope.table([1, 1], 4, { coordinates: "ends" }); // linspace(-1, 1, 1) is -1
    assertAngles(one, [-1, -1]);
  });

  test("axialRope.table does not rotate the rows of prefix and suffix", () => {
    const x = new Tensor(noise(11 * 8), [11, 8]);
    const plain = axialRope.table([2, 3], 8);
    const got = axialRope.table([2, 3], 8, { prefix: 3, suffix: 2 });
    assert.deepEqual(got.cos.shape, [11, 4]);
    const turned = rope.apply(x, got);
    for (const part of PARTS) {
      assert.deepEqual(got[part].slice(3, 9).data, plain[part].data);
    }
    for (const t of [0, 1, 2, 9, 10]) assert.deepEqual(turned.row(t).data, x.row(t).data);
    for (const t of [4, 5, 8]) assert.notDeepEqual(turned.row(t).data, x.row(t).data);
  });

  test("axialRope.table makes scores depend only on the difference of two cells", () => {
    const [h, w, dim] = [7, 9, 64];
    for (const name of /** @type {const} */ ([
      "eva",
      "rope-vit",
      "dinov3_vit",
      "pixtral",
      "qwen2_vl",
    ])) {
      const { layout, ...table } = axialRope.table([h, w], dim, axialRope.presets[name]);
      /** The same row in every cell. @param {number} seed */
      const everywhere = (seed) => {
        const row = noise(dim, seed);
        const data = Float32Array.from({ length: h * w * dim }, (_, k) => row[k % dim]);
        return { row, turned: rope.apply({ data, shape: [h * w, dim] }, table, { layout }) };
      };
      const q = everywhere(1);
      const k = everywhere(2);
      const size = Math.sqrt(dot(q.row, q.row) * dot(k.row, k.row));
      const score = (/** @type {number[]} */ [a, b], /** @type {number[]} */ [c, d]) =>
        dot(floats(q.turned.row(a * w + b)), floats(k.turned.row(c * w + d)));
      for (const [down, right] of [
        [0, 0],
        [2, -3],
        [-1, 4],
        [3, 1],
      ]) {
        const want = score([3, 4], [3 + down, 4 + right]);
        for (const [y, x] of [
          [1, 3],
          [2, 4],
          [3, 3],
        ]) {
          const got = score([y, x], [y + down, x + right]);
          assert.ok(Math.abs(got - want) <= 1e-6 * size, name); // guide Accuracy, #distance
        }
      }
      for (const { row, turned } of [q, k]) {
        for (let t = 0; t < h * w; ++t) {
          const cell = floats(turned.row(t));
          const [before, after] = [row, cell].map((x) => Math.sqrt(dot(x, x)));
          assert.ok(Math.abs(after - before) <= Math.SQRT2 * TURN * before);
        }
      }
    }
  });

  test("axialRope.table of an empty grid is empty", () => {
    assert.deepEqual(axialRope.table([0, 5], 8).cos.shape, [0, 4]);
    assert.deepEqual(
      axialRope.table([2 ** 31 - 1, 0], 8, { coordinates: "centers" }).cos.shape,
      [0, 4],
    );
    assert.deepEqual(axialRope.mixed([0, 5], [[[1]], [[2]]]).cos.shape, [1, 0, 1]);
    assert.deepEqual(axialRope.table([3, 0], 8, { prefix: 1 }).cos.toArray(), [[1, 1, 1, 1]]);
    assert.deepEqual(axialRope.at({ data: [], shape: [0, 2] }, 8).sin.shape, [0, 4]);
  });

  test("axialRope.table passes its layout on", () => {
    const got = axialRope.table([2, 3], 8, { layout: "interleaved" });
    assert.equal(got.layout, "interleaved");
    assert.deepEqual({ ...got, layout: "halves" }, axialRope.table([2, 3], 8));
  });

  test("axialRope.table rejects mismatched lists, and writes nothing", () => {
    const out = { cos: new Float32Array(24).fill(7), sin: new Float32Array(24).fill(7) };
    for (const [options, subject] of /** @type {[object, string][]} */ ([
      [{ sections: [1, 2] }, "sections"],
      [{ sections: [4] }, "sections"],
      [{ sections: [1, 3], spectrum: "alternating" }, "sections"],
      [{ order: [0, 0] }, "order"],
      [{ order: [0] }, "order"],
      [{ order: [1, 2] }, "order"],
      [{ pretrained: [16] }, "pretrained"],
      [{ pretrained: 16, coordinates: "centers" }, "pretrained"],
      [{ scale: 2e9 }, "positions"],
      [{ spectrum: "linear", scale: 1e9 }, "positions"],
    ])) {
      assert.throws(
        () => axialRope.table([2, 3], 8, { ...options, out }),
        new RegExp(`^RangeError: [\\w.]+: ${subject} must .+; got `),
      );
      assert.ok([...out.cos, ...out.sin].every((x) => x === 7));
    }
    for (const grid of [
      [2 ** 31 - 1, 2],
      [65536, 65536],
    ]) {
      assert.throws(
        () => axialRope.table(grid, 8),
        /^RangeError: \S+: the number of cells of grid must .+; got /,
      );
    }
    assert.throws(
      () => axialRope.table([2, 3, 4], 8),
      /^RangeError: \S+: dim must be a multiple of 6/,
    );
  });
});

describe("axialRope.at", () => {
  test("axialRope.at accepts batches and fractions", () => {
    const tokens = [
      [
        [0, 1],
        [2.5, -3],
      ],
      [
        [7, 0],
        [1e6, 0.125],
      ],
    ];
    const got = axialRope.at(tokens, 12, { base: 50 });
    assert.deepEqual(got.cos.shape, [2, 2, 6]);
    const flat = tokens.flat();
    for (const [axis, first] of [
      [0, 0],
      [1, 3],
    ]) {
      const line = rope.table(
        flat.map((token) => token[axis]),
        6,
        { base: 50 },
      );
      for (const part of PARTS) {
        for (let t = 0; t < 4; ++t) {
          const own = floats(got[part]).slice(t * 6 + first, t * 6 + first + 3);
          assert.deepEqual(own, line[part].row(t).data);
        }
      }
    }
  });

  test("axialRope.at does not rotate FLUX's text tokens, at (0, 0, 0)", () => {
    const got = axialRope.at(
      [
        [0, 0, 0],
        [0, 3, 4],
      ],
      128,
      axialRope.presets.flux,
    );
    const grid = axialRope.table([1, 4, 5], 128, { ...axialRope.presets.flux, prefix: 1 });
    for (const part of PARTS) {
      assert.deepEqual(got[part].row(0).data, grid[part].row(0).data);
      assert.deepEqual(got[part].row(1).data, grid[part].row(20).data);
    }
  });

  test("axialRope.at rejects positions of another shape", () => {
    for (const positions of [
      [1, 2],
      [[[[1, 2]]]],
      { data: [], shape: [3, 0] },
      [
        [1, 2],
        [3, NaN],
      ],
    ]) {
      assert.throws(() => axialRope.at(positions, 8), /^RangeError: \S+: positions must .+; got /);
    }
  });
});

describe("axialRope.mixed", () => {
  const [H, P] = [3, 5];
  const frequencies = new Tensor(noise(2 * H * P, 9), [2, H, P]);
  /** @param {number} b @param {number} h */
  const part = (b, h) => floats(frequencies).subarray((b * H + h) * P, (b * H + h + 1) * P);

  test("axialRope.mixed has the angles of rope-vit, with a table for each head", () => {
    const [h, w] = [4, 6];
    const got = axialRope.mixed([h, w], frequencies, axialRope.presets["rope-vit-mixed"]);
    assert.deepEqual(got.cos.shape, [H, h * w, P]);
    assert.equal(got.layout, "interleaved");
    const angles = Array.from({ length: H }, (_, head) =>
      reference.mixed([h, w], part(0, head), part(1, head)),
    ).flat();
    assertAngles(got, angles);
    const torch = axialRope.mixed([h, w], frequencies, {
      ...axialRope.presets["rope-vit-mixed"],
      precision: "torch",
    });
    // three roundings of angles up to 8
    assertAngles(torch, angles, 2 ** -24 + 8 * 3 * 2 ** -24);
  });

  test("axialRope.mixed with frequencies on one axis each equals axialRope.table", () => {
    const theta = floats(rope.frequencies(8, { base: 100 }).frequencies);
    const none = new Float32Array(4);
    const data = [...theta, ...none, ...none, ...theta];
    for (const precision of /** @type {const} */ (["exact", "torch"])) {
      const got = axialRope.mixed([3, 4], { data, shape: [2, 1, 8] }, { precision });
      const want = axialRope.table([3, 4], 16, { base: 100, precision });
      for (const name of PARTS) {
        for (const [k, value] of floats(got[name]).entries()) {
          // frequencies rounded to float32: 2^-24 of angles up to 3, and a rounding
          assert.ok(Math.abs(value - floats(want[name])[k]) <= 4 * 2 ** -24);
        }
      }
    }
  });

  test("axialRope.mixed rotates the heads of one sequence, and keeps the prefix", () => {
    const x = new Tensor(noise(H * 8 * 2 * P), [H, 8, 2 * P]);
    const table = axialRope.mixed([2, 3], frequencies, { prefix: 1, suffix: 1 });
    const plain = axialRope.mixed([2, 3], frequencies);
    const turned = rope.apply(x, table);
    for (let h = 0; h < H; ++h) {
      for (const name of PARTS) {
        assert.deepEqual(table[name].row(h).slice(1, 7).data, plain[name].row(h).data);
      }
      for (const t of [0, 7]) {
        assert.deepEqual(turned.row(h).row(t).data, x.row(h).row(t).data);
      }
    }
  });

  test("axialRope.mixed rejects frequencies of another shape or out of range, and writes nothing", () => {
    const out = { cos: new Float32Array(12).fill(7), sin: new Float32Array(12).fill(7) };
    for (const wrong of [
      [[1], [2]],
      [[[1, 2]]],
      [[[1]], [[1]], [[1]]],
      { data: [], shape: [2, 1, 0] },
      [[[1, 2]], [[1e10, 3]]],
      [[[1, 2]], [[NaN, 3]]],
      [[[1, 2]], [[Infinity, 3]]],
    ]) {
      assert.throws(
        () => axialRope.mixed([2, 3], wrong, { out }),
        /^RangeError: \S+: frequencies must .+; got /,
      );
      assert.ok([...out.cos, ...out.sin].every((x) => x === 7));
    }
  });
});

const GRID = /** @type {const} */ ({
  pretrained: ["sectionsOrPositive"],
  order: ["sections", "order", "order[0]"],
  out: ["pair", "out", "out.cos", "out.sin"],
});
const COLUMNS = /** @type {const} */ ({
  ...GRID,
  dim: ["evenSize"],
  scale: ["reach", "scale", "positions"],
  bases: ["sectionsOrPositive"],
  sections: ["sections", "sections", "sections[0]"],
});

declaredBattery(
  "axialRope.table",
  { grid: [1, 2], dim: 4 },
  { ...COLUMNS, grid: ["grid", "grid", "grid[0]"], offset: ["reach", "offset", "positions"] },
);

declaredBattery(
  "axialRope.at",
  {
    positions: [
      [1, 2],
      [3, 4],
    ],
    dim: 4,
  },
  { ...COLUMNS, offset: ["shift", "offset", "positions"] },
);

declaredBattery(
  "axialRope.mixed",
  { grid: [1, 2], frequencies: [[[1, 2]], [[3, 4]]] },
  {
    ...{ ...GRID, grid: ["grid", "grid", "grid[0]"], frequencies: ["tensor"] },
    offset: ["reach", "offset", "frequencies"],
    scale: ["reach", "scale", "frequencies"],
  },
);
