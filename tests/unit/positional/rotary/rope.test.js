import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cases } from "../../../truth/golden.js";
import { phasor, Tensor } from "../../../phasor.js";
import { dot } from "../../reference/attention.js";
import { double, frequencies as exactFrequencies, ulps } from "../../reference/exact.js";
import { rotary } from "../../reference/hf.js";
import * as reference from "../../reference/rope.js";
import { noise, numbers } from "../../reference/samples.js";
import * as torch from "../../reference/torch.js";
import { random } from "../../tensors.js";
import { assertTurned, TURN } from "./turned.js";

/** @import { Stored } from "../../../truth/golden.js" */

const { axialRope, rope } = phasor;

const LAYOUTS = /** @type {const} */ (["interleaved", "halves"]);

/** @param {{rope_type?: string}} params */
const unscaled = ({ rope_type }) => rope_type === "default";

/** @param {ArrayLike<number>} row @param {number} a @param {number} b */
const lengthOfPair = (row, a, b) => Math.hypot(row[a], row[b]);

/** @param {ArrayLike<number>} x */
const norm = (x) => Math.sqrt(dot(x, x));

describe("rope.frequencies and rope.table against Hugging Face", () => {
  for (const { id, params, inputs, outputs } of cases("rope_tables", 8, unscaled)) {
    const { rotary_dim: dim, rope_theta: base } = params;
    const P = dim / 2;
    const positions = Float64Array.from(numbers(inputs.position_ids));

    test(`rope.frequencies of ${id} are correctly rounded`, () => {
      const { frequencies, attentionFactor } = rope.frequencies(dim, { base });
      assert.deepEqual(frequencies.shape, [P]);
      assert.deepEqual(frequencies.data, outputs.inv_freq_exact.data);
      const exact = exactFrequencies(base, P, P).map((theta) => Math.fround(double(theta)));
      assert.deepEqual(numbers(frequencies), exact);
      assert.equal(attentionFactor, outputs.attention_factor_exact.data[0]);
    });

    test(`rope.frequencies with precision torch are within an ULP of those of ${id}`, () => {
      const { frequencies } = rope.frequencies(dim, { base, precision: "torch" });
      numbers(frequencies).forEach((theta, i) => {
        assert.ok(ulps(theta, Number(outputs.inv_freq.data[i])) <= 1);
      });
    });

    // The files have every column twice over.
    const half = (/** @type {Stored} */ { data }) =>
      Float32Array.from(positions.length ? data : [], Number).filter((_, k) => k % dim < P);

    test(`rope.table equals ${id}, bit for bit`, () => {
      const table = rope.table(positions, dim, { base });
      const exact = reference.table(positions, dim, base);
      for (const part of /** @type {const} */ (["cos", "sin"])) {
        assert.deepEqual(table[part].shape, [positions.length, P]);
        assert.deepEqual(table[part].data, half(outputs[`${part}_exact`]));
        for (const [k, value] of table[part].data.entries()) {
          // guide Accuracy, #tables and #far-tables
          const near = Math.abs(positions[Math.floor(k / P)]) <= 2 ** 20;
          const want = exact[part][k];
          if (near) assert.ok(ulps(Number(value), want) <= 0.501);
          assert.ok(Math.abs(Number(value) - want) <= 2.99e-8);
        }
      }
    });

    test(`rope.table with precision torch follows the program of ${id}`, () => {
      const options = /** @type {const} */ ({ base, precision: "torch" });
      const { data: thetas } = rope.frequencies(dim, options).frequencies;
      const table = rope.table(positions, dim, options);
      for (const part of /** @type {const} */ (["cos", "sin"])) {
        for (const [k, want] of half(outputs[part]).entries()) {
          // With the same frequency the angles have the same bits: an ULP of each sine is left.
          // With a neighbor's, the angle is 2^-23 of itself away.
          const [position, i] = [positions[Math.floor(k / P)], k % P];
          const same = thetas[i] === outputs.inv_freq.data[i];
          const tolerance =
            2 ** -23 + (same ? 0 : Math.abs(position) * Number(thetas[i]) * 2 ** -22);
          assert.ok(Math.abs(Number(table[part].data[k]) - want) <= tolerance);
        }
      }
    });
  }
});

describe("rope.apply against other programs", () => {
  /** What the golden files call by other names. @param {Record<string, any>} params */
  const conventions = ({ layout, tensor_layout, inverse = false }) =>
    /** @type {const} */ ({
      layout: layout === "half" ? "halves" : "interleaved",
      axis: tensor_layout === "BLHD" ? -3 : -2,
      inverse,
    });

  /** Positions [1, L] are the same for every batch. @param {Stored} ids */
  const positionsOf = ({ data, shape }) =>
    shape[0] === 1 ? { data, shape: shape.slice(1) } : { data, shape };

  /**
   * @param {Record<string, any>} params @param {Stored} ids @param {Stored} x
   * @param {boolean} inverse @param {Stored} library @param {Stored} [exact]
   */
  function compare(params, ids, x, inverse, library, exact) {
    const { rotary_dim: dim } = params;
    const given = rotary(params);
    const options = { ...conventions(params), inverse };
    const positions = positionsOf(ids);
    const { attentionFactor: size } = rope.frequencies(dim, given); // of a turned pair
    if (exact) {
      const turned = rope.apply(x, rope.table(positions, dim, given), { ...options, dim });
      // The stored value was itself rounded: half an ULP, 2^-24 of the length.
      assertTurned(x, turned, exact, dim, options.layout, size * (TURN + 2 ** -24));
    }
    const turned = rope.apply(x, rope.table(positions, dim, { ...given, precision: "torch" }), {
      ...options,
      dim,
    });
    // Both sides are off by TURN, and the program's own sines are an ULP off, 2^-24 of each
    // of two components.
    const bound = size * (2 * TURN + 2 * 2 ** -24);
    assertTurned(x, turned, library, dim, options.layout, bound);
  }

  for (const { id, params, inputs, outputs } of cases("rope_apply", 14)) {
    for (const name of ["q", "k"]) {
      test(`rope.apply rotates ${name} of ${id}`, () => {
        const { [`${name}_out`]: library, [`${name}_out_f64`]: exact } = outputs;
        const { inverse } = params;
        compare(params, inputs.position_ids, inputs[name], inverse, library, exact);
      });
    }
  }

  for (const { id, params, inputs, outputs } of cases("rope_backward", 2)) {
    test(`rope.apply with inverse is the gradient of ${id}`, () => {
      const { position_ids: ids, x, grad_out } = inputs;
      compare(params, ids, grad_out, true, outputs.grad_in, outputs.grad_in_f64);
      compare(params, ids, x, false, outputs.out);
    });
  }

  test("rope.apply equals the reference values: width 8, position 3, x = 1 .. 8", () => {
    const x = [[1, 2, 3, 4, 5, 6, 7, 8]];
    const want = {
      halves: [-1.695593, 0.137552, 2.788682, 3.975982, -4.808842, 6.323059, 7.086837, 8.011964],
      interleaved: [
        -1.272233, -1.838865, 1.683929, 4.707907, 4.817777, 6.147278, 6.975969, 8.020964,
      ],
    };
    for (const layout of LAYOUTS) {
      const [got] = rope.apply(x, rope.table([3], 8), { layout });
      for (const [i, [a, b]] of reference.pairs(8, layout).entries()) {
        for (const d of [a, b]) {
          // half a unit of the last digit printed, and TURN
          const tolerance = 5e-7 + TURN * lengthOfPair(x[0], a, b);
          assert.ok(Math.abs(Number(got.data[d]) - want[layout][d]) <= tolerance, `pair ${i}`);
        }
      }
    }
  });
});

describe("rope.frequencies", () => {
  test("rope.frequencies are base^(-2i/R), correctly rounded", () => {
    for (const [dim, base] of [
      [2, 10000],
      [4, 10000],
      [96, 500000],
      [256, 1e6],
      [64, 1],
      [64, 1.0000001],
      [30, 1e30],
    ]) {
      const { frequencies } = rope.frequencies(dim, { base });
      const exact = exactFrequencies(base, dim / 2, dim / 2).map(double);
      assert.deepEqual(numbers(frequencies), exact.map(Math.fround), `${dim}, ${base}`);
    }
    assert.deepEqual(rope.frequencies(4).frequencies.data, Float32Array.of(1, 0.01));
  });

  test("rope.frequencies with precision torch follow both recipes of PyTorch within an ULP", () => {
    for (const recipe of /** @type {const} */ (["exp", "pow"])) {
      for (const [dim, base] of [
        [64, 10000],
        [128, 500000],
        [128, 1e6],
      ]) {
        const options = /** @type {const} */ ({ base, precision: "torch", recipe });
        const { data } = rope.frequencies(dim, options).frequencies;
        const want = torch.frequencies(base, dim / 2, dim / 2, recipe);
        want.forEach((theta, i) => assert.ok(ulps(Number(data[i]), theta) <= 1));
      }
    }
  });

  test("rope.frequencies with precision torch are within 2 ULP of PyTorch's own", () => {
    // PyTorch 2.15 on x86-64, whose float32 power is an ULP off here.
    for (const [base, dim, i, theta] of [
      [250000, 112, 20, 0.011807669885456562],
      [50000, 48, 14, 0.0018152407137677073],
      [25000, 128, 14, 0.10913163423538208],
      [1e9, 88, 12, 0.0035111913457512856],
      [2, 1024, 103, 0.8698437809944153],
    ]) {
      const options = /** @type {const} */ ({ base, precision: "torch" });
      const got = Number(rope.frequencies(dim, options).frequencies.data[i]);
      assert.ok(ulps(got, theta) <= 2, `base ${base}, dim ${dim}, pair ${i}`);
      const { cos, sin } = rope.table([1, 1000, 131071], dim, options);
      for (const [t, position] of [1, 1000, 131071].entries()) {
        const want = torch.phase(position, theta);
        // an ULP of the value, and what 2 ULP of the frequency and two roundings do to the angle
        const bound = 2 ** -24 + position * theta * (2 ** -22 + 2 ** -23);
        assert.ok(Math.abs(Number(cos.at(t, i)) - want.cos) <= bound);
        assert.ok(Math.abs(Number(sin.at(t, i)) - want.sin) <= bound);
      }
    }
  });

  test("rope.frequencies default to pow, the recipe of Hugging Face", () => {
    const of = (/** @type {object} */ options) =>
      rope.frequencies(128, { precision: "torch", ...options }).frequencies.data;
    assert.deepEqual(of({}), of({ recipe: "pow" }));
    assert.notDeepEqual(of({}), of({ recipe: "exp" }));
  });
});

describe("rope.table", () => {
  test("rope.table has the sines and cosines of sinusoidal.table", () => {
    for (const precision of /** @type {const} */ (["exact", "torch"])) {
      const options = /** @type {const} */ ({ precision, recipe: "exp", base: 500000 });
      const { cos, sin } = rope.table(300, 24, { ...options, offset: -100 });
      const waves = phasor.sinusoidal.table(300, 24, { ...options, offset: -100 });
      for (let k = 0; k < 300 * 12; ++k) {
        assert.equal(sin.data[k], waves.data[2 * k]);
        assert.equal(cos.data[k], waves.data[2 * k + 1]);
      }
    }
  });

  test("rope.table is the same for every form of the positions", () => {
    const list = Array.from({ length: 60 }, (_, t) => t);
    const want = rope.table(60, 10);
    const same = (/** @type {{cos: Tensor, sin: Tensor}} */ got, shape = [60, 5]) => {
      for (const part of /** @type {const} */ (["cos", "sin"])) {
        assert.deepEqual(got[part].shape, shape);
        assert.deepEqual(got[part].data, want[part].data);
      }
    };
    same(rope.table(BigInt64Array.from(list.map(BigInt)), 10));
    same(rope.table({ data: list, shape: [3, 20] }, 10), [3, 20, 5]);
    same(rope.table([list.slice(0, 30), list.slice(30)], 10), [2, 30, 5]);
    same(
      rope.table(
        list.map((t) => t + 1000),
        10,
        { offset: -1000 },
      ),
    );
  });

  test("rope.table writes into the table of an earlier call", () => {
    const got = rope.table(5, 6);
    assert.deepEqual(rope.table(5, 6, { out: got, offset: 1 }), rope.table(5, 6, { offset: 1 }));
    assert.deepEqual(got, rope.table(5, 6, { offset: 1 }));
  });

  test("rope.table of zero positions is empty", () => {
    assert.deepEqual(rope.table(0, 8).cos.shape, [0, 4]);
    assert.deepEqual(rope.table([], 8).sin.shape, [0, 4]);
  });
});

describe("rope.apply, the laws", () => {
  const T = 40;
  const dim = 64;
  const positions = Float64Array.from({ length: T }, (_, t) => (t - 7) * 2 ** (t / 2.1));

  test("rope.apply keeps its bound at the ends of float32", () => {
    const { cos, sin } = rope.table([0.7, 3, 1e5], 2);
    for (let power = -149; power < 128; ++power) {
      const x = [[1, 1], [0.75, -1.5], [-1.25, 0.5]].map((row) => row.map((u) => Math.fround(u * 2 ** power))); // prettier-ignore
      const turned = rope.apply(x, { cos, sin });
      for (const [t, [u, v]] of x.entries()) {
        const [c, s] = [cos.data[t], sin.data[t]];
        const most = TURN * Math.hypot(u, v) + 2 ** -149;
        for (const [at, exact] of [c * u - s * v, s * u + c * v].entries()) {
          const off = Math.abs(turned.at(t, at) - exact);
          assert.ok(off <= most || Math.abs(exact) >= 2 ** 128 - 2 ** 103, `2^${power}: ${off}`);
        }
      }
    }
  });

  for (const layout of LAYOUTS) {
    test(`rope.apply is within 1.7e-7 of a pair's length from the formula in double, layout ${layout}`, () => {
      const x = random([T, dim], 3);
      const exact = reference.table(positions, dim);
      for (const inverse of [false, true]) {
        const turned = rope.apply(x, rope.table(positions, dim), { layout, inverse });
        for (const [t, row] of [...x].entries()) {
          const from = numbers(row);
          const cos = exact.cos.subarray((t * dim) / 2, ((t + 1) * dim) / 2);
          const sin = exact.sin.subarray((t * dim) / 2, ((t + 1) * dim) / 2);
          const want = reference.rotate(from, cos, inverse ? sin.map((s) => -s) : sin, layout);
          for (const [a, b] of reference.pairs(dim, layout)) {
            const bound = TURN * lengthOfPair(from, a, b);
            for (const d of [a, b]) {
              const error = Math.abs(Number(turned.at(t, d)) - want[d]);
              assert.ok(error <= bound, `position ${positions[t]}, column ${d}: ${error / bound}`);
            }
          }
        }
      }
    });

    test(`rope.apply preserves the length of every row, layout ${layout}`, () => {
      const x = random([T, dim], 4);
      const turned = rope.apply(x, rope.table(positions, dim), { layout });
      for (const [t, row] of [...x].entries()) {
        const [before, after] = [row, turned.row(t)].map(({ data }) =>
          norm(Array.from(data, Number)),
        );
        assert.ok(Math.abs(after - before) <= Math.SQRT2 * TURN * before);
      }
    });

    test(`rope.apply with inverse undoes rope.apply, layout ${layout}`, () => {
      const x = random([T, dim], 5);
      const table = rope.table(positions, dim);
      const back = rope.apply(rope.apply(x, table, { layout }), table, { layout, inverse: true });
      for (const [t, row] of [...x].entries()) {
        const from = numbers(row);
        for (const [a, b] of reference.pairs(dim, layout)) {
          // the first turn's error, turned back, and the second's
          const bound = (Math.SQRT2 + 1) * TURN * lengthOfPair(from, a, b);
          for (const d of [a, b]) assert.ok(Math.abs(Number(back.at(t, d)) - from[d]) <= bound);
        }
      }
    });

    test(`rope.apply makes <q_m, k_n> depend only on m - n, layout ${layout}`, () => {
      const [q, k] = [random([1, dim], 6), random([1, dim], 7)];
      const scale = norm(numbers(q)) * norm(numbers(k));
      const score = (/** @type {number} */ m, /** @type {number} */ n) => {
        const [a, b] = [
          rope.apply(q, rope.table([m], dim), { layout }),
          rope.apply(k, rope.table([n], dim), { layout }),
        ];
        return dot(numbers(a), numbers(b));
      };
      for (const distance of [0, 1, -1, 13, -500, 2.5, 4096]) {
        const want = score(distance, 0);
        for (const n of [1, 7, -100, 1000.25, 32768, 1000000, -1048000]) {
          const got = score(n + distance, n);
          assert.ok(Math.abs(got - want) <= 1e-6 * scale, `m - n = ${distance}, n = ${n}`); // guide Accuracy, #distance
        }
      }
    });
  }

  test("rope.apply in the two layouts differs only by a permutation of the columns", () => {
    // halves[i] = interleaved[2i], halves[i + R/2] = interleaved[2i + 1]
    const permute = (/** @type {Tensor} */ x) => {
      const out = new Float32Array(x.size);
      for (let t = 0; t < T; ++t) {
        for (let i = 0; i < dim / 2; ++i) {
          out[t * dim + i] = Number(x.at(t, 2 * i));
          out[t * dim + i + dim / 2] = Number(x.at(t, 2 * i + 1));
        }
      }
      return new Tensor(out, x.shape);
    };
    const x = random([T, dim], 8);
    const table = rope.table(positions, dim);
    for (const inverse of [false, true]) {
      const mixed = rope.apply(x, table, { layout: "interleaved", inverse });
      const halves = rope.apply(permute(x), table, { layout: "halves", inverse });
      assert.deepEqual(halves.data, permute(mixed).data);
    }
  });

  test("rope.apply at position 0 changes nothing", () => {
    const x = random([3, dim], 9);
    for (const layout of LAYOUTS) {
      assert.deepEqual(rope.apply(x, rope.table([0, 0, 0], dim), { layout }).data, x.data);
    }
  });
});

describe("rope.apply, forms of arguments", () => {
  test("rope.apply defaults to layout halves and axis -2", () => {
    const x = random([2, 3, 5, 8]);
    const table = rope.table(5, 8);
    assert.deepEqual(
      rope.apply(x, table),
      rope.apply(x, table, { layout: "halves", axis: -2, inverse: false }),
    );
    assert.notDeepEqual(rope.apply(x, table), rope.apply(x, table, { layout: "interleaved" }));
  });

  for (const layout of LAYOUTS) {
    test(`rope.apply with dim and start keeps the rest of a row, layout ${layout}`, () => {
      for (const [dim, rotated, start] of [
        [9, 4, 0],
        [64, 16, 0],
        [64, 16, 48],
        [96, 24, 5],
        [7, 6, 1],
        [16, 2, 0],
      ]) {
        const x = random([6, dim], 10);
        const table = rope.table(6, rotated);
        const got = rope.apply(x, table, { layout, dim: rotated, start });
        const part = new Float32Array(6 * rotated);
        for (let t = 0; t < 6; ++t) {
          const row = /** @type {Float32Array} */ (x.row(t).data);
          part.set(row.subarray(start, start + rotated), t * rotated);
        }
        const turned = rope.apply({ data: part, shape: [6, rotated] }, table, { layout });
        for (let t = 0; t < 6; ++t) {
          for (let d = 0; d < dim; ++d) {
            const isOf = d >= start && d < start + rotated;
            assert.equal(got.at(t, d), isOf ? turned.at(t, d - start) : x.at(t, d));
          }
        }
        const far = { layout, dim: rotated, start: dim - rotated + 1 };
        const message = `rope.apply: start must be a whole number from 0 to ${dim - rotated}; got ${far.start}`;
        assert.throws(() => rope.apply(x, table, far), { name: "RangeError", message });
      }
    });

    test(`rope.apply along axis -3 equals rope.apply along -2 of the transpose, layout ${layout}`, () => {
      const [B, T, H, dim] = [2, 7, 3, 10];
      const x = random([B, T, H, dim], 11); // [B, T, H, D]
      const swapped = new Float32Array(x.size); // [B, H, T, D]
      const place = (/** @type {number[]} */ [b, t, h, d]) => ((b * H + h) * T + t) * dim + d;
      each(x.shape, (at) => (swapped[place(at)] = Number(x.at(...at))));
      for (const positions of [
        T,
        [
          [5, 1, 2, 3, 4, 0, 9],
          [1, 1, 2, 3, 5, 8, 13],
        ],
      ]) {
        const table = rope.table(positions, 6);
        const along3 = rope.apply(x, table, { layout, axis: -3, dim: 6 });
        const flat = { data: swapped, shape: [B, H, T, dim] };
        const along2 = rope.apply(flat, table, { layout, dim: 6 });
        each(x.shape, (at) => assert.equal(along3.at(...at), along2.data[place(at)]));
      }
    });

    test(`rope.apply with positions per batch equals one batch at a time, layout ${layout}`, () => {
      const positions = [
        [0, 1, 2, 3],
        [100, -5, 2.5, 7],
        [9, 9, 9, 9],
      ];
      for (const shape of [
        [3, 4, 12],
        [3, 2, 4, 12],
        [3, 2, 5, 4, 12],
      ]) {
        const x = random(shape, 12);
        const all = rope.apply(x, rope.table(positions, 12), { layout });
        for (const [b, places] of positions.entries()) {
          const alone = rope.apply(x.row(b), rope.table(places, 12), { layout });
          assert.deepEqual(all.row(b).data.slice(), alone.data);
          for (const [t, position] of places.entries()) {
            const last = x.row(b).reshape(-1, 4, 12).row(0).row(t).reshape(1, 12);
            const one = rope.apply(last, rope.table([position], 12), { layout });
            assert.deepEqual(all.row(b).reshape(-1, 4, 12).row(0).row(t).data.slice(), one.data);
          }
        }
      }
    });
  }

  test("rope.apply accepts a table of one batch, [1, T, R/2], for every batch", () => {
    const x = random([3, 2, 4, 6], 13);
    const shared = rope.apply(x, rope.table([[3, 1, 4, 1]], 6));
    assert.deepEqual(shared, rope.apply(x, rope.table([3, 1, 4, 1], 6)));
  });

  test("rope.apply of zero rows is empty", () => {
    const none = { data: [], shape: [0, 3, 2] };
    assert.deepEqual(rope.apply(none, rope.table(3, 2)).shape, [0, 3, 2]);
    const noTables = new Tensor(new Float32Array(0), [0, 3, 1]);
    assert.deepEqual(rope.apply(none, { cos: noTables, sin: noTables }).shape, [0, 3, 2]);
    assert.deepEqual(rope.apply({ data: [], shape: [0, 2] }, rope.table(0, 2)).shape, [0, 2]);
  });

  test("rope.apply confines NaN and infinities to their pairs, and writes NaN as 0x7fc00000", () => {
    const odd = new Float32Array(Uint32Array.of(0xffc00001, 0x7fa00000).buffer);
    for (const x of [odd[0], odd[1], NaN, Infinity, -Infinity]) {
      const rows = Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8);
      rows[2] = x;
      const table = rope.table([0], 8);
      const got = rope.apply({ data: rows, shape: [1, 8] }, table, { layout: "interleaved" });
      assert.equal(numbers(got).filter(Number.isNaN).length, Number.isNaN(x) ? 2 : 1);
      for (const d of [0, 1, 4, 5, 6, 7]) assert.equal(got.at(0, d), rows[d]);
      const bits = new Uint32Array(got.data.buffer);
      got.data.forEach((y, d) => {
        if (Number.isNaN(y)) assert.equal(bits[d].toString(16), "7fc00000");
      });
    }
  });
});

describe("rope.apply of many short runs", () => {
  for (const [B, N, T, H, D] of [
    [1, 32, 1, 1, 128],
    [3, 5, 2, 1, 8],
    [2, 700, 3, 1, 64], // more than a tile holds
    [2, 3, 4, 5, 6],
    [1, 2, 1500, 1, 64], // a run of more than one tile
  ]) {
    test(`[${B}, ${N}, ${T}, ${H}, ${D}]: each run is rotated as if alone`, () => {
      const axis = H > 1 ? -3 : -2;
      const shape = H > 1 ? [B, N, T, H, D] : [B, N, T, D];
      const x = random(shape, 5);
      for (const batches of [1, B]) {
        const positions = { data: Float64Array.from({ length: batches * T }, (_, i) => 3 * i), shape: batches === 1 ? [T] : [B, T] }; // prettier-ignore
        const table = rope.table(positions, D);
        const all = rope.apply(x, table, { axis });
        const size = T * H * D;
        for (let b = 0; b < B; ++b) {
          const of = (/** @type {Tensor} */ part) => (batches === 1 ? part : part.row(b));
          const own = { cos: of(table.cos), sin: of(table.sin) };
          for (const n of [0, 1, N - 1]) {
            const at = (b * N + n) * size;
            const run = new Tensor(x.data.slice(at, at + size), shape.slice(2));
            const alone = rope.apply(run, own, { axis });
            assert.ok(same(alone.data, all.data.slice(at, at + size)), `${batches} ${b} ${n}`);
          }
        }
      }
    });
  }
});

/** @param {Tensor["data"]} a @param {Tensor["data"]} b */
function same(a, b) {
  const bytes = (/** @type {Tensor["data"]} */ { buffer, byteOffset, byteLength }) =>
    new Uint8Array(buffer, byteOffset, byteLength);
  return Buffer.compare(bytes(a), bytes(b)) === 0;
}

/** @param {readonly number[]} shape @param {(at: number[]) => void} visit */
function each(shape, visit) {
  const count = shape.reduce((a, b) => a * b, 1);
  for (let k = 0; k < count; ++k) {
    let rest = k;
    visit(
      [...shape]
        .reverse()
        .map((size) => {
          const at = rest % size;
          rest = Math.floor(rest / size);
          return at;
        })
        .reverse(),
    );
  }
}

describe("rope.apply with a whole table", () => {
  const [B, T, R, N] = [3, 5, 12, 40];
  const whole = rope.table(N, R, { base: 500000 });
  const q = new Tensor(noise(B * 6 * T * 16, 91), [B, 6, T, 16]);
  const k = new Tensor(noise(B * 2 * T * 16, 92), [B, 2, T, 16]);
  const lists = [
    [3, 39, 0, 3, 17],
    [0, 1, 2, 3, 4],
    [39, 38, 37, 36, 35],
  ];
  const options = LAYOUTS.flatMap((layout) =>
    [false, true].map((inverse) => ({ layout, inverse })),
  );
  const table = (/** @type {any} */ positions) => rope.table(positions, R, { base: 500000 });
  /** Turns the first R components. @type {typeof rope.apply} */
  const apply = (x, rows, given) => rope.apply(x, rows, { dim: R, ...given });

  test("offset and positions select the same bits as a table of those positions", () => {
    for (const given of options) {
      for (const offset of [0, 7, N - T]) {
        const own = rope.table(T, R, { base: 500000, offset });
        assert.deepEqual(apply(q, whole, { ...given, offset }), apply(q, own, given));
      }
      for (const positions of [lists[0], lists, Int32Array.from(lists[2])]) {
        assert.deepEqual(
          apply(q, whole, { ...given, positions }),
          apply(q, table(positions), given),
        );
      }
    }
  });

  test("queries and keys in one call have the bits of two calls, with different numbers of heads", () => {
    for (const given of options) {
      for (const rows of [{ offset: 9 }, { positions: lists[0] }, { positions: lists }]) {
        const both = apply({ q, k }, whole, { ...given, ...rows });
        assert.deepEqual(both, {
          q: apply(q, whole, { ...given, ...rows }),
          k: apply(k, whole, { ...given, ...rows }),
        });
      }
    }
    const own = table(T);
    assert.deepEqual(apply({ q, k }, own).k, apply(k, own));
  });

  test("positions along axis -3, and one position for each text", () => {
    const turn = (/** @type {Tensor} */ x) => x.transpose(1, 2);
    const axis = -3;
    const got = apply({ q: turn(q), k: turn(k) }, whole, { positions: lists, axis });
    const want = apply({ q, k }, whole, { positions: lists });
    assert.deepEqual({ q: turn(got.q), k: turn(got.k) }, want);
    const one = new Tensor(noise(B * 4 * 16, 93), [B, 4, 1, 16]);
    const each = apply(one, whole, { positions: [[2], [30], [7]] });
    [2, 30, 7].forEach((offset, b) => {
      assert.deepEqual(each.row(b), apply(one.row(b), whole, { offset }));
    });
  });

  test("a table for each text gives each text its rows", () => {
    const starts = [0, 100, 200];
    const each = table(starts.map((start) => Array.from({ length: N }, (_, t) => start + t)));
    for (const [rows, first] of /** @type {const} */ ([
      [{ offset: 4 }, [4, 4, 4]],
      [{ positions: lists }, lists.map(([at]) => at)],
      [{ positions: lists[0] }, [3, 3, 3]],
    ])) {
      const got = apply(q, each, rows);
      starts.forEach((start, b) => {
        const want = apply(q.row(b), table([0, 1, 2, 3, 4].map(() => start + first[b])));
        assert.deepEqual(got.at(b, 0, 0, 1), want.at(0, 0, 1));
        assert.deepEqual(got.at(b, 5, 0, 7), want.at(5, 0, 7));
      });
    }
  });

  test("long runs are the same across tile boundaries", () => {
    const long = new Tensor(noise(9000 * R, 94), [9000, R]);
    const rows = rope.table(9100, R, { base: 500000 });
    const want = apply(long, rope.table(9000, R, { base: 500000, offset: 37 }));
    assert.deepEqual(apply(long, rows, { offset: 37 }), want);
    const positions = Int32Array.from({ length: 9000 }, (_, t) => t + 37);
    assert.deepEqual(apply(long, rows, { positions }), want);
  });

  test("out receives both, in place too, with any overlap of memory", () => {
    const want = apply({ q, k }, whole, { offset: 3 });
    const slab = new Float32Array(q.size + k.size + 2 * whole.cos.size);
    const parts = () => {
      slab.set(q.data, 0);
      slab.set(k.data, q.size);
      slab.set(whole.cos.data, q.size + k.size);
      slab.set(whole.sin.data, q.size + k.size + whole.cos.size);
      const part = (/** @type {number} */ from, /** @type {readonly number[]} */ shape) => ({
        data: slab.subarray(from, from + shape.reduce((a, b) => a * b, 1)),
        shape: [...shape],
      });
      return {
        q: part(0, q.shape),
        k: part(q.size, k.shape),
        cos: part(q.size + k.size, whole.cos.shape),
        sin: part(q.size + k.size + whole.cos.size, whole.cos.shape),
      };
    };
    for (const [qAt, kAt] of [
      [0, q.size],
      [k.size, 0],
      [slab.length - q.size, 0],
      [40, slab.length - k.size],
    ]) {
      const given = parts();
      const out = {
        q: slab.subarray(qAt, qAt + q.size),
        k: slab.subarray(kAt, kAt + k.size),
      };
      const { cos, sin } = given;
      const got = apply({ q: given.q, k: given.k }, { cos, sin }, { offset: 3, out });
      assert.equal(got.q.data, out.q);
      assert.equal(got.k.data, out.k);
      assert.deepEqual(got, want, `${qAt}, ${kAt}`);
    }
  });

  test("row indices out of range are rejected by name, and nothing is written", () => {
    const out = { q: new Float32Array(q.size), k: new Float32Array(k.size) };
    /** @type {[RegExp, any][]} */
    const wrong = [
      [/^RangeError: \S+: offset must be a whole number from 0 to 35; got 36/, { offset: 36 }],
      [
        /^RangeError: rope.apply: offset must not be given with positions; got both/,
        { offset: 1, positions: lists },
      ],
      [
        /^RangeError: \S+: positions must be whole numbers from 0 to 39; got 40/,
        { positions: [0, 1, 2, 3, 40] },
      ],
      [
        /^RangeError: \S+: positions must have shape \[5\] or \[3, 5\], as q .+; got \[4\]/,
        { positions: [0, 1, 2, 3] },
      ],
      [
        /^RangeError: \S+: positions must have shape .+; got \[2, 5\]/,
        { positions: lists.slice(1) },
      ],
      [/^RangeError: \S+: positions must have shape .+; got \[\]/, { positions: 5 }],
      [/^RangeError: \S+: table\.cos must have shape/, {}],
    ];
    for (const [message, given] of wrong) {
      assert.throws(() => apply({ q, k }, whole, { ...given, out }), message);
    }
    const narrow = new Tensor(noise(B * 2 * T * 8, 95), [B, 2, T, 8]);
    const into = { q: out.q, k: new Float32Array(narrow.size) };
    assert.throws(
      () => apply({ q, k: narrow }, whole, { offset: 0, out: into }),
      /^RangeError: \S+: table\.cos must/,
    );
    assert.throws(
      () => apply({ q, k: q }, whole, { offset: 0, out: { q: out.q, k: out.q } }),
      /^RangeError: \S+: out\.k must share no memory with out\.q; got the same/,
    );
    assert.throws(
      () => apply(/** @type {any} */ ({ q }), whole, { offset: 0 }),
      /^TypeError: \S+: k must be a tensor/,
    );
    assert.ok([...out.q, ...out.k].every((x) => x === 0));
  });
});

describe("a table that does not fit", () => {
  /** @param {...number} shape */
  const zeros = (...shape) => ({ data: new Float32Array(shape.reduce((a, b) => a * b)), shape });
  const x = zeros(2, 8, 16, 32); // [B, H, T, D]
  const swapped = zeros(2, 16, 8, 32); // [B, T, H, D]
  const pair = { q: x, k: zeros(2, 8, 1, 32) };
  /** What is passed, the words of the error in their order, and a call that it leads to. @type {Record<string, [() => unknown, string[], () => unknown]>} */
  const slips = {
    "the axis is forgotten": [
      () => rope.apply(swapped, rope.table(16, 32)),
      [
        "[8, 16]",
        "x [2, 16, 8, 32]",
        "T = 8 at axis -2",
        "D = 32",
        "[16, 16]",
        "axis: -3 reads T = 16",
      ],
      () => rope.apply(swapped, rope.table(16, 32), { axis: -3 }),
    ],
    "the axis is not that": [
      () => rope.apply(x, rope.table(16, 32), { axis: -3 }),
      ["T = 8 at axis -3", "got [16, 16]", "axis: -2 reads T = 16"],
      () => rope.apply(x, rope.table(16, 32), { axis: -2 }),
    ],
    "the axis of positions is forgotten": [
      () => rope.apply(swapped, rope.table(64, 32), { positions: Array(16).fill(3) }),
      ["positions must have shape [8]", "T = 8 at axis -2", "got [16]", "axis: -3 reads T = 16"],
      () => rope.apply(swapped, rope.table(64, 32), { positions: Array(16).fill(3), axis: -3 }),
    ],
    "the table is half as wide as the head": [
      () => rope.apply(x, rope.table(16, 16)),
      [
        "[16, 16]",
        "D = 32 at axis -1",
        "got [16, 8]",
        "dim: 16 turns the first 16",
        "rope.table(16, 32) fits",
      ],
      () => rope.apply(x, rope.table(16, 16), { dim: 16 }),
    ],
    "the table is a quarter as wide, for a cache of positions": [
      () => rope.apply(x, rope.table(64, 8), { offset: 3 }),
      ["[64, 16]", "D = 32 at axis -1", "got [64, 4]", "dim: 8 turns the first 8"],
      () => rope.apply(x, rope.table(64, 8), { offset: 3, dim: 8 }),
    ],
    "dim is not the width of the table": [
      () => rope.apply(x, rope.table(16, 32), { dim: 16 }),
      ["[16, 8]", "got [16, 16]", "rope.table(16, 16) fits"],
      () => rope.apply(x, rope.table(16, 16), { dim: 16 }),
    ],
    "the table is twice as wide": [
      () => rope.apply(x, rope.table(16, 64)),
      ["[16, 16]", "D = 32 at axis -1", "got [16, 32]", "rope.fromFullWidth", "rope.table(16, 32)"],
      () => rope.apply(x, rope.table(16, 32)),
    ],
    "dim is more than the head has": [
      () => rope.apply(x, rope.table(16, 64), { dim: 64 }),
      ["[16, 16]", "D = 32 at axis -1", "got [16, 32]", "dim: 64 is more than D"],
      () => rope.apply(x, rope.table(16, 32), { dim: 32 }),
    ],
    "an odd head": [
      () => rope.apply(zeros(16, 5), rope.table(16, 4)),
      ["[16, 5 / 2]", "D = 5 at axis -1", "got [16, 2]", "dim: 4 turns the first 4"],
      () => rope.apply(zeros(16, 5), rope.table(16, 4), { dim: 4 }),
    ],
    "the table is longer than x, or offset is forgotten": [
      () => rope.apply(x, rope.table(64, 32)),
      ["[16, 16]", "T = 16 at axis -2", "got [64, 16]", "offset is", "positions are"],
      () => rope.apply(x, rope.table(64, 32), { offset: 48 }),
    ],
    "the table is shorter than x": [
      () => rope.apply(x, rope.table(4, 32), { offset: 0 }),
      ["[16, 16]", "T = 16 at axis -2", "got [4, 16]", "rope.table(16, 32) fits"],
      () => rope.apply(x, rope.table(16, 32)),
    ],
    "the keys are others than the queries": [
      () => rope.apply(pair, rope.table(16, 32)),
      ["[1, 16]", "k [2, 8, 1, 32]", "T = 1 at axis -2", "got [16, 16]", "offset is"],
      () => rope.apply(pair, rope.table(16, 32), { offset: 0 }),
    ],
    "a table without rows": [
      () => rope.apply(x, { cos: [1], sin: [1] }),
      ["[16, 16]", "got [1]"],
      () => rope.apply(x, rope.table(16, 32)),
    ],
  };
  for (const [slip, [call, words, right]] of Object.entries(slips)) {
    test(`${slip}: the message says what was read of x and what to give`, () => {
      assert.throws(call, (/** @type {Error} */ { name, message }) => {
        assert.equal(name, "RangeError");
        let at = message.startsWith("rope.apply: ") ? 0 : -1;
        for (const word of words) {
          const next = message.indexOf(word, at);
          assert.ok(at >= 0 && next >= 0, `${word} in ${message}`);
          at = next;
        }
        assert.doesNotMatch(message, /undefined|NaN|\.5|\(\d+, \d*[13579]\) fits/);
        return true;
      });
      right();
    });
  }

  test("the layout is that of the table where it has one and the call does not name one", () => {
    const table = axialRope.table([1, 2], 4, { layout: "interleaved" });
    const plain = { cos: table.cos, sin: table.sin };
    const x = new Tensor(Float32Array.of(1, 2, 3, 4, 1, 2, 3, 4), [2, 4]);
    const { attention } = phasor;
    for (const layout of LAYOUTS) {
      const own = { ...plain, layout };
      assert.deepEqual(rope.apply(x, own), rope.apply(x, plain, { layout }));
      assert.deepEqual(rope.toFullWidth(own), rope.toFullWidth(plain, { layout }));
      const scores = attention.scores(x, x, { rope: own });
      assert.deepEqual(scores, attention.scores(x, x, { rope: plain, layout }));
    }
    const halves = rope.apply(x, plain, { layout: "halves" });
    assert.deepEqual(rope.apply(x, table, { layout: "halves" }), halves);
    assert.notDeepEqual(rope.apply(x, table), halves);
    const named = attention.scores(x, x, { rope: table, layout: "halves" });
    assert.deepEqual(named, attention.scores(halves, halves));
    const odd = /** @type {any} */ ({ ...plain, layout: "thirds" });
    assert.throws(
      () => rope.apply(x, odd),
      /^RangeError: rope.apply: table.layout must be one of .*; got "thirds"$/,
    );
  });

  test("what other functions call a position is suggested as this one calls it", () => {
    const one = zeros(16, 32);
    const table = rope.table(64, 32);
    const given = /** @type {any} */ ({ position: 3 });
    assert.throws(() => rope.apply(one, table, given), /got "position"; did you mean "offset"\?$/);
    assert.throws(() => rope.table(3, 4, given), /got "position"; did you mean "offset"\?$/);
  });
});

describe("rope.cache", () => {
  /** @param {...number} shape */
  const rows = (...shape) => {
    const size = shape.reduce((product, n) => product * n, 1);
    return new Tensor(
      Float32Array.from({ length: size }, (_, i) => Math.sin(i * i + size)),
      shape,
    );
  };
  const llama3 = /** @type {const} */ ({
    type: "llama3",
    factor: 8,
    lowFreqFactor: 1,
    highFreqFactor: 4,
    originalLength: 8192,
  });

  for (const layout of /** @type {const} */ (["halves", "interleaved"])) {
    test(`the steps of a decoder have the bits of rope.table and rope.apply, layout ${layout}`, () => {
      const options = /** @type {const} */ ({ base: 500000, scaling: llama3 });
      const cache = rope.cache(16, { ...options, layout, capacity: 5 });
      for (const [position, T] of [
        [0, 9],
        [9, 1],
        [10, 1],
        [300, 70],
        [0, 2],
        [4097, 1],
      ]) {
        // prettier-ignore
        const [q, k] = [rows(2, 4, T, 20), rows(2, 2, T, 20)];
        const table = rope.table(T, 16, { ...options, offset: position });
        const found = cache.apply(q, k, { position, dim: 16 });
        assert.deepEqual(found.q, rope.apply(q, table, { layout, dim: 16 }));
        assert.deepEqual(found.k, rope.apply(k, table, { layout, dim: 16 }));
        assert.ok(cache.length() >= position + T);
      }
      cache.dispose();
    });
  }

  test("positions that memory cannot hold are refused before they are computed", () => {
    const cache = rope.cache(8);
    const before = cache.length();
    for (const position of [2 ** 27 - 1, 2 ** 29, 2 ** 31 - 2]) {
      assert.throws(() => cache.apply(rows(1, 8), rows(1, 8), { position }), {
        name: "OutOfMemoryError",
      });
    }
    assert.equal(cache.length(), before);
    const { q } = cache.apply(rows(1, 8), rows(1, 8), { position: 5000 }); // more than are computed at a time
    assert.deepEqual(q, rope.apply(rows(1, 8), rope.table([5000], 8)));
    cache.dispose();
  });

  test("grows by doubling, and existing rows keep their bits", () => {
    const cache = rope.cache(64, { capacity: 1 });
    const one = new Tensor(new Float32Array(64).fill(1), [1, 64]);
    const lengths = [];
    for (let position = 0; position < 200; ++position) {
      const { q } = cache.apply(one, one, { position });
      assert.deepEqual(q, rope.apply(one, rope.table([position], 64)), `${position}`);
      lengths.push(cache.length());
    }
    assert.deepEqual([...new Set(lengths)], [1, 2, 4, 8, 16, 32, 64, 128, 256]);
    const all = rope.table(200, 64);
    const { q } = cache.apply(rows(200, 64), rows(200, 64), { position: 0 });
    assert.deepEqual(q, rope.apply(rows(200, 64), all));
  });

  test("accepts a position for each batch, and positions along axis -3", () => {
    const cache = rope.cache(8);
    const [q, k] = [rows(3, 2, 4, 8), rows(3, 2, 1, 8)];
    const positions = [7, 0, 1000];
    const found = cache.apply(q, k, { position: positions, axis: -3 });
    positions.forEach((position, b) => {
      const table = rope.table(2, 8, { offset: position });
      assert.deepEqual(found.q.row(b), rope.apply(q.row(b), table, { axis: -3 }));
      assert.deepEqual(found.k.row(b), rope.apply(k.row(b), table, { axis: -3 }));
    });
    assert.deepEqual(cache.apply(q, k, { position: Int32Array.from(positions), axis: -3 }), found);
  });

  test("accepts the position of every token, as rope.apply does", () => {
    const cache = rope.cache(8, { capacity: 1 });
    const [q, k] = [rows(3, 2, 4, 8), rows(3, 1, 4, 8)];
    for (const positions of [
      [3, 0, 90, 7],
      [[0, 0, 0, 1], [5, 4, 3, 2], [200, 1, 199, 0]], // prettier-ignore
    ]) {
      const table = rope.table(201, 8);
      for (const layout of LAYOUTS) {
        const found = cache.apply(q, k, { positions, layout });
        assert.deepEqual(found, rope.apply({ q, k }, table, { positions, layout }));
      }
    }
    const [a, b] = [rows(3, 5, 2, 8), rows(3, 5, 1, 8)]; // [B, T, H, D]
    const positions = Int32Array.of(9, 300, 2, 2, 1);
    const expected = rope.apply({ q: a, k: b }, rope.table(301, 8), { positions, axis: -3 });
    assert.deepEqual(cache.apply(a, b, { positions, axis: -3 }), expected);
  });

  test("does not take a step without a position for the first", () => {
    const cache = rope.cache(8);
    for (const none of [undefined, {}, { axis: -2 }, { position: undefined }]) {
      assert.throws(() => cache.apply(rows(1, 8), rows(1, 8), none), {
        name: "TypeError",
        message:
          "RotaryCache.apply: position must be that of the first token, 0 where a text begins, or positions those of all; got undefined",
      });
    }
  });

  test("turns the first components of wider heads only where dim says so", () => {
    const cache = rope.cache(8);
    const [q, k] = [rows(3, 16), rows(3, 16)];
    assert.throws(
      () => cache.apply(q, k, { position: 0 }),
      /^RangeError: RotaryCache.apply: q must have shape .+ or be wider with dim: 8; got \[3, 16\]$/,
    );
    const found = cache.apply(q, k, { position: 0, dim: 8 });
    assert.deepEqual(found, rope.apply({ q, k }, rope.table(3, 8), { dim: 8 }));
    const narrow = { position: 0, dim: 4 };
    assert.throws(() => cache.apply(q, k, narrow), /q must have shape .+ with dim: 8/);
  });

  test("takes what models.rope says, and rotates as rope.apply does, bit for bit", () => {
    for (const start of [0, 3, 8]) {
      for (const inverse of [false, true]) {
        for (const layout of /** @type {const} */ (["halves", "interleaved"])) {
          const [q, k] = [rows(2, 5, 16), rows(2, 5, 16)];
          const turn = { dim: 8, layout, start, inverse };
          const found = rope.cache(8).apply(q, k, { position: 2, ...turn });
          assert.deepEqual(found, rope.apply({ q, k }, rope.table(9, 8), { offset: 2, ...turn }));
        }
      }
    }
    assert.throws(
      () => rope.cache(8).apply(rows(2, 16), rows(2, 12), { position: 0, dim: 8, start: 5 }),
      /^RangeError: RotaryCache.apply: start must be a whole number from 0 to 4; got 5$/,
    );
  });

  test("writes into out, in place too, with any overlap of memory", () => {
    const cache = rope.cache(8);
    const memory = new Float32Array(64);
    const expected = cache.apply(rows(4, 8), rows(4, 8).slice(0, 4), { position: 3 });
    for (const [qAt, kAt] of [
      [0, 32],
      [32, 0],
    ]) {
      // prettier-ignore
      const [q, k] = [qAt, kAt].map((at) => new Tensor(memory.subarray(at, at + 32), [4, 8]));
      for (const [into, from] of [
        [
          [q, k],
          [q, k],
        ],
        [
          [k, q],
          [q, k],
        ],
      ]) {
        // prettier-ignore
        from.forEach((each) => each.data.set(rows(4, 8).data));
        const out = { q: into[0], k: into[1].data };
        const found = cache.apply(from[0], from[1], { position: 3, out });
        assert.equal(found.q.data, into[0].data);
        assert.deepEqual(found, expected);
      }
      assert.throws(() => cache.apply(q, k, { position: 0, out: { q, k: q } }), {
        name: "RangeError",
        message: "RotaryCache.apply: out.k must share no memory with out.q; got the same",
      });
    }
  });

  test("rejects wrong arguments by name, and the next call works", () => {
    const cache = rope.cache(8);
    const x = rows(2, 3, 8);
    const refused = (/** @type {any[]} */ given, /** @type {RegExp} */ message) =>
      assert.throws(() => /** @type {any} */ (cache.apply)(...given), message);
    refused([x, x, { position: -1 }], /position must be a whole number from 0 /);
    refused([x, x, { position: 0.5 }], /position must be a whole number from 0 /);
    refused([x, x, { position: [0, 1, 2] }], /position must be one number, or \[2\]/);
    const first = { position: 0 };
    refused(
      [x, rows(2, 3, 6), first],
      /k must have shape \[\.\.\., 8\], as rope.cache .+; got \[2, 3, 6\]$/,
    );
    refused([x, rows(8), first], /k must have shape \[\.\.\., T, D\]/);
    refused([x, x, { ...first, out: [] }], /out\.q must be/);
    refused(
      [x, x, { position: 0, positions: [0, 1, 2] }],
      /position must not be given with positions/,
    );
    refused([x, x, { positions: 1 }], /positions must have shape \[3\] or \[2, 3\], as q .+ \[\]/);
    refused([x, x, { positions: [0, 1] }], /positions must have shape \[3\] or .+; got \[2\]/);
    refused([x, x, { positions: [0, -1, 2] }], /positions must be whole numbers from 0 /);
    refused([x, x, { position: 0, layout: "half" }], /layout must be one of /);
    refused(
      [x, x, { offset: 1 }],
      /RotaryCache\.apply: options must have only .*; got "offset"; did you mean "position"/,
    );
    refused([x, x, { position: 2 ** 31 - 2 }], /cannot allocate|memory/i);
    assert.deepEqual(cache.apply(x, x, first).q, rope.apply(x, rope.table(3, 8)));
    assert.throws(
      () => rope.cache(8, { scaling: { type: "dynamic", factor: 2, maxLength: 64 } }),
      /length must be given for the scaling "dynamic"/,
    );
    cache.dispose();
    assert.throws(() => cache.apply(x, x, first), { name: "DisposedError" });
    cache.dispose();
  });

  test("is empty for zero rows", () => {
    const cache = rope.cache(8);
    const found = cache.apply(rows(0, 3, 8), rows(0, 3, 8), { position: 5 });
    assert.deepEqual(found.q.shape, [0, 3, 8]);
    assert.deepEqual(cache.apply(rows(3, 0, 8), rows(3, 0, 8), { position: 5 }).k.shape, [3, 0, 8]);
  });
});
