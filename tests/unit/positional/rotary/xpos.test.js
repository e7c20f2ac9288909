import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery, declaredBattery, WRONG } from "../../battery.js";
import { cases } from "../../../truth/golden.js";
import { phasor, Tensor } from "../../../phasor.js";
import { ulps } from "../../reference/exact.js";
import { floats, noise } from "../../reference/samples.js";
import * as reference from "../../reference/xpos.js";
import { assertTurned, TURN } from "./turned.js";

const { rope, xpos } = phasor;
const BOTH = /** @type {const} */ (["query", "key"]);
const PARTS = /** @type {const} */ (["cos", "sin"]);

describe("xpos.table against torchscale", () => {
  for (const { id, params, inputs, outputs } of cases("xpos", 2)) {
    const { head_dim: dim, rope_theta: base, scale_base: scaleBase, offset } = params;
    const [, L] = inputs.x.shape;
    for (const precision of /** @type {const} */ (["torch", "exact"])) {
      test(`xpos.table, ${precision}, rotates and scales x of ${id}`, () => {
        const table = xpos.table(L, dim, { base, scaleBase, offset, precision });
        for (const [side, want] of /** @type {const} */ ([
          ["query", outputs.out_up],
          ["key", outputs.out_down],
        ])) {
          const got = rope.apply(inputs.x, table[side], { layout: "interleaved" });
          // Both sides are off by TURN; the program's float32 sine, cosine, scale and their product
          // are 2^-24 off each, in two components. An exact angle is also 2^-23 of itself away from
          // the program's, which had two roundings.
          const angle = precision === "exact" ? (offset + L) * 2 ** -23 : 0;
          const bound = 2 * TURN + 2 * 4 * 2 ** -24 + angle;
          // scales here lie between 0.97 and 1.03
          assertTurned(inputs.x, got, want, dim, "interleaved", 1.03 * bound);
        }
      });
    }
  }
});

describe("xpos.table", () => {
  test("xpos.table is the product rounded once", () => {
    for (const [
      positions,
      dim,
      center,
      options,
    ] of /** @type {[number[], number, number, object][]} */ ([
      [[0, 1, 2, 100, 511, 512, 4095, 30000], 24, 0, {}],
      [[-7, 3.25, 8, 1e5 / 3, -20000.5], 16, -3, { base: 500000, gamma: 0.5 }],
      [[2 ** 20, 2 ** 31, -(2 ** 31)], 8, 12, { scaleBase: 2 ** 26 }],
      [[0, 5, 77], 2, 2.5, { scaleBase: 1, gamma: 9 }],
    ])) {
      const got = xpos.table(positions, dim, { center, ...options });
      const want = reference.table(positions, dim, center, options);
      for (const side of BOTH) {
        for (const part of PARTS) {
          assert.deepEqual(got[side][part].shape, [positions.length, dim / 2]);
          for (const [k, value] of floats(got[side][part]).entries()) {
            assert.ok(ulps(value, want[side][part][k]) <= 0.501, `${side}.${part} ${k}`);
          }
        }
      }
    }
  });

  test("xpos.table has scale 1 at the center, where it equals rope.table", () => {
    for (const center of [0, 3, 1000]) {
      for (const precision of /** @type {const} */ (["exact", "torch"])) {
        const got = xpos.table([center], 32, { center, precision });
        const want = rope.table([center], 32, { precision });
        assert.deepEqual(got.query, want);
        assert.deepEqual(got.key, want);
      }
    }
  });

  test("xpos.table accepts the center of torchscale, lucidrains or the caller", () => {
    for (const [length, offset, torchscale, middle] of [
      [5, 0, 3, 2],
      [6, 0, 3, 3],
      [4, 3, 4, 3],
      [1, 0, 1, 0],
    ]) {
      const at = (/** @type {any} */ center) => xpos.table(length, 8, { offset, center });
      assert.deepEqual(xpos.table(length, 8, { offset }), at(torchscale));
      assert.deepEqual(at("torchscale"), at(torchscale));
      assert.deepEqual(at("middle"), at(middle));
      const list = Array.from({ length }, (_, t) => t);
      assert.deepEqual(xpos.table(list, 8, { offset, center: "middle" }), at(middle));
      assert.notDeepEqual(at(torchscale + 0.5), at(torchscale));
    }
  });

  test("xpos.table gives a score the factor zeta^((m - n) / 512), with any center", () => {
    const [m, n, dim] = [700, 90, 16];
    for (const center of [0, 350, -1000]) {
      const { query } = xpos.table([m], dim, { center });
      const { key } = xpos.table([n], dim, { center });
      for (let i = 0; i < dim / 2; ++i) {
        /** x in one pair alone @param {{cos: Tensor, sin: Tensor}} table */
        const turned = (table) => {
          const x = new Float32Array(dim);
          x[i] = 1;
          return floats(rope.apply({ data: x, shape: [1, dim] }, table));
        };
        const [q, k] = [turned(query), turned(key)];
        const score = q.reduce((sum, value, d) => sum + value * k[d], 0);
        const zeta = (2 * i + 0.4 * dim) / (1.4 * dim);
        const scale = zeta ** ((m - n) / 512);
        const want = scale * Math.cos((m - n) * 10000 ** ((-2 * i) / dim));
        // four table entries and two turns, each 2^-24 of the scale
        assert.ok(Math.abs(score - want) <= 6 * 2 ** -24 * scale, `pair ${i}, center ${center}`);
      }
    }
  });

  test("xpos.table accepts positions of any shape, also an empty list", () => {
    const flat = xpos.table([4, 1, 3, 9], 6);
    const nested = xpos.table(
      [
        [4, 1],
        [3, 9],
      ],
      6,
    );
    assert.deepEqual(nested.key.sin.shape, [2, 2, 3]);
    assert.deepEqual(nested.key.sin.data, flat.key.sin.data);
    assert.deepEqual(xpos.table(BigInt64Array.of(4n, 1n, 3n, 9n), 6), flat);
    assert.deepEqual(xpos.table(0, 6).query.cos.shape, [0, 3]);
    assert.deepEqual(xpos.table([], 6).key.cos.shape, [0, 3]);
  });

  test("xpos.table rejects positions whose scale would overflow float32", () => {
    const { query, key } = xpos.table([35000, -35000], 4, { center: 0 });
    for (const { cos } of [query, key]) assert.ok(floats(cos).every((x) => x !== 0 && isFinite(x)));
    for (const call of [
      () => xpos.table([35700], 4, { center: 0 }),
      () => xpos.table([0, 1], 4, { center: 35700 }),
      () => xpos.table(80000, 4),
      () => xpos.table([1], 4, { center: 1e300 }),
    ]) {
      assert.throws(call, /^RangeError: \S+: positions must be within \d+ of the center.*; got /);
    }
    assert.equal(xpos.table(70000, 2).query.cos.shape[0], 70000);
  });

  test("xpos.table names the part of out that is wrong, and writes nothing", () => {
    const one = { cos: new Float32Array(6).fill(7), sin: new Float32Array(6).fill(7) };
    for (const wrong of WRONG.pair) {
      const given = /** @type {any} */ ({ query: one, key: wrong });
      assert.throws(
        () => xpos.table(3, 4, { out: given }),
        /^\w+Error: xpos\.table: out\.key(\.\w+)? must /,
      );
      assert.ok([...one.cos, ...one.sin].every((x) => x === 7));
    }
  });

  test("xpos.table rotated back by its key undoes its query", () => {
    const x = new Tensor(noise(10 * 8), [10, 8]);
    const { query, key } = xpos.table(10, 8);
    const back = rope.apply(rope.apply(x, query), key, { inverse: true });
    for (const [k, value] of floats(back).entries()) {
      // two turns of a pair no longer than sqrt(2), and the rounding of both tables
      assert.ok(Math.abs(value - Number(x.data[k])) <= Math.SQRT2 * (2 * TURN + 4 * 2 ** -24));
    }
  });
});

declaredBattery(
  "xpos.table",
  { T: 2, dim: 4 },
  {
    T: ["length", "length", "positions"],
    dim: ["evenSize"],
    gamma: ["positive"],
    offset: ["reach"],
    out: ["pair", "out", "out.query", "out.key"],
  },
);

battery("xpos.table at positions", {
  call: ({ T, dim, $ }) => xpos.table(T, dim, $),
  good: { T: [1, 2], dim: 4 },
  args: { T: ["positions", "positions"], offset: ["shift", "offset", "positions"] },
});
