import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { declaredBattery } from "../battery.js";
import { phasor, Tensor } from "../../phasor.js";
import * as philox from "../reference/philox.js";
import { floats, noise, numbers } from "../reference/samples.js";

const { dropout, embedding } = phasor;

const SEEDS = [0, 1, 42, 2 ** 32, 2n ** 64n - 1n];

describe("dropout.mask", () => {
  test("dropout.mask keeps where Philox's word, over 2^32, is at least p", () => {
    for (const seed of SEEDS) {
      for (const p of [0, 0.1, 0.5, 0.9, 1 - 2 ** -53]) {
        const { data } = dropout.mask(101, { p, seed });
        data.forEach((kept, n) => {
          const counter = BigInt(Math.floor(n / 4)) | (1n << 64n);
          const word = philox.block(counter, BigInt(seed))[n % 4];
          assert.equal(kept, Number(word / 2 ** 32 >= p));
        });
      }
    }
  });

  test("dropout.mask is the same for the same seed, and differs for another", () => {
    const drawn = SEEDS.map((seed) => dropout.mask(64, { p: 0.5, seed }).data.join());
    assert.equal(new Set(drawn).size, SEEDS.length);
    const again = SEEDS.map((seed) => dropout.mask(64, { p: 0.5, seed }).data.join());
    assert.deepEqual(again, drawn);
  });

  test("dropout.mask depends at i only on the seed and i, whatever the shape and size", () => {
    const long = numbers(dropout.mask(200000, { seed: 3 })); // tiles of 65,536
    for (const shape of [[0], [1], [7], [3, 5], [2, 3, 70], [70000]]) {
      const mask = dropout.mask(shape, { seed: 3 });
      assert.deepEqual(mask.shape, shape);
      assert.equal(mask.dtype, "int32");
      assert.deepEqual(numbers(mask), long.slice(0, mask.size));
    }
    assert.deepEqual(dropout.mask([], { seed: 3 }).toArray(), long[0]);
  });

  test("dropout.mask with a larger p keeps a subset", () => {
    const less = dropout.mask(5000, { p: 0.2, seed: 8 });
    dropout.mask(5000, { p: 0.6, seed: 8 }).data.forEach((kept, i) => {
      assert.ok(kept <= Number(less.data[i]));
    });
  });

  const N = 200000;
  for (const seed of SEEDS.slice(0, 3)) {
    for (const p of [0.1, 0.5, 0.9]) {
      // The seeds are fixed, so nothing here fails by chance; six sigma is what a right generator
      // passes for all seeds but one in 500 million.
      test(`dropout.mask drops p = ${p} of its elements, independently of each other, seed ${seed}`, () => {
        const mask = numbers(dropout.mask(N, { p, seed }));
        const sigma = Math.sqrt(p * (1 - p));
        const kept = mask.reduce((sum, m) => sum + m, 0);
        assert.ok(Math.abs(kept - N * (1 - p)) <= 6 * sigma * Math.sqrt(N));
        for (const lag of [1, 2, 3, 4, 64, 768]) {
          let product = 0;
          for (let i = lag; i < N; ++i) product += (mask[i] - 1 + p) * (mask[i - lag] - 1 + p);
          assert.ok(Math.abs(product) <= 6 * sigma ** 2 * Math.sqrt(N), `lag ${lag}`);
        }
        for (const other of [
          numbers(dropout.mask(N, { p, seed: BigInt(seed) + 1n })),
          // a table of the same seed draws from another stream
          numbers(embedding.create(N, 1, { init: "uniform", seed }).weights()).map((w) =>
            Number(w >= p),
          ),
        ]) {
          const product = mask.reduce((sum, m, i) => sum + (m - 1 + p) * (other[i] - 1 + p), 0);
          assert.ok(Math.abs(product) <= 6 * sigma ** 2 * Math.sqrt(N));
        }
      });
    }
  }
});

describe("dropout.apply", () => {
  test("dropout.* with p = 1 drops every element, NaN and infinities too", () => {
    for (const seed of SEEDS) {
      const x = [...Array(100001).fill(-2), NaN, Infinity, -0, 0];
      const zeros = Array(x.length).fill(0);
      assert.deepEqual(dropout.apply(x, { p: 1, seed }).toArray(), zeros);
      assert.deepEqual(dropout.mask(x.length, { p: 1, seed }).toArray(), zeros);
      assert.deepEqual(
        dropout.apply(x, { p: 1, seed, training: false }).toArray(),
        x.map(Math.fround),
      );
    }
    assert.throws(() => dropout.apply([1], { p: 1.5 }), {
      message: "dropout.apply: p must be a number from 0 to 1; got 1.5",
    });
  });

  const x = new Tensor(noise(90000, 4), [3, 30000]); // more than a tile

  test("dropout.apply is x / (1 - p) where its mask is 1, and 0 elsewhere", () => {
    for (const seed of SEEDS) {
      for (const p of [0, 0.1, 0.5, 0.75]) {
        const got = dropout.apply(x, { p, seed });
        const mask = dropout.mask([3, 30000], { p, seed });
        assert.deepEqual(got.shape, x.shape);
        got.data.forEach((y, i) => {
          // both correctly rounded: the double quotient is no tie of float32 here
          assert.equal(y, mask.data[i] ? Math.fround(Number(x.data[i]) / (1 - p)) : 0);
        });
      }
    }
  });

  test("dropout.apply preserves the mean: the sum of x, to six sigma", () => {
    for (const p of [0.1, 0.5]) {
      const squares = numbers(x).reduce((sum, y) => sum + y * y, 0);
      const sum = numbers(x).reduce((total, y) => total + y, 0);
      const got = numbers(dropout.apply(x, { p, seed: 11 })).reduce((total, y) => total + y, 0);
      assert.ok(Math.abs(got - sum) <= 6 * Math.sqrt((squares * p) / (1 - p)));
    }
  });

  test("dropout.apply on the gradient is the gradient: the transpose of its linear map", () => {
    // <apply(x), g> = <x, apply(g)> for the same p and seed; and differences of apply are apply of
    // differences. p = 1/2 doubles, so that nothing is rounded.
    const options = { p: 0.5, seed: 21 };
    const [a, g] = [noise(1000, 1), noise(1000, 2)];
    const [ya, yg] = [a, g].map((v) => floats(dropout.apply(v, options)));
    const dot = (/** @type {Float32Array} */ u, /** @type {Float32Array} */ v) =>
      u.reduce((sum, y, i) => sum + y * v[i], 0);
    // each side sums the same 1000 products in the same order: equal
    assert.equal(dot(ya, g), dot(a, yg));
    const mask = dropout.mask(1000, options).data;
    const step = 2 ** -10;
    for (const i of [0, 1, 500, 999]) {
      const moved = a.slice();
      moved[i] = Math.round(a[i] * 1024) / 1024; // so that a step of 2^-10 is exact
      const from = floats(dropout.apply(moved, options))[i];
      moved[i] += step;
      const slope = (floats(dropout.apply(moved, options))[i] - from) / step;
      assert.equal(slope, mask[i] ? 2 : 0);
      assert.equal(yg[i], Math.fround(slope * g[i]) + 0); // + 0: no -0
    }
  });

  test("dropout.apply without training returns x bit for bit, including NaN payloads", () => {
    const bits = Uint32Array.of(0xffc00001, 0x3f800000, 0x80000000, 1);
    const odd = new Float32Array(bits.buffer);
    const got = dropout.apply(odd, { training: false, p: 0.9, seed: 3 });
    assert.notEqual(got.data, odd);
    assert.deepEqual(new Uint32Array(got.data.buffer), bits);
  });

  test("dropout.apply with p 0 keeps everything", () => {
    assert.deepEqual(dropout.apply(x, { p: 0, seed: 5 }), x);
  });

  test("dropout.apply defaults to p 0.1 and seed 0", () => {
    assert.deepEqual(dropout.apply(x), dropout.apply(x, { p: 0.1, seed: 0n, training: true }));
    assert.deepEqual(dropout.mask(99), dropout.mask(99, { p: 0.1, seed: 0 }));
  });
});

declaredBattery("dropout.apply", { x: [[1, 2]] }, { p: ["chance"] });

declaredBattery(
  "dropout.mask",
  { shape: [2, 3] },
  { shape: ["length"], p: ["chance"], out: ["ints"] },
);
