import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { declaredBattery } from "../../battery.js";
import { cases } from "../../../truth/golden.js";
import { phasor, Tensor } from "../../../phasor.js";
import { everyNth } from "../../../sample.js";
import { noise, numbers } from "../../reference/samples.js";

const { t5Bias } = phasor;

/** What the golden files call by other names. @param {Record<string, any>} params */
const conventions = ({ num_buckets, max_distance, bidirectional }) =>
  /** @type {const} */ ({
    buckets: num_buckets,
    maxDistance: max_distance,
    direction: bidirectional ? "bidirectional" : "causal",
  });

/**
 * Whether a distance n is in logarithmic bucket m + j or above, in whole numbers:
 * ln(n/m) / ln(M/m) K >= j, that is n^K >= M^j m^(K-j).
 * @param {number} n @param {number} j @param {number} m @param {number} M @param {number} K
 */
const reaches = (n, j, m, M, K) =>
  BigInt(n) ** BigInt(K) >= BigInt(M) ** BigInt(j) * BigInt(m) ** BigInt(K - j);

describe("t5Bias against Hugging Face", () => {
  for (const { id, params, inputs, outputs } of cases("t5_bucket", 12)) {
    test(`t5Bias.bucket equals ${id}, exact and torch`, () => {
      const options = conventions(params);
      const { relative_position: relative } = inputs;
      const exact = t5Bias.bucket(relative, options);
      assert.deepEqual([...exact.shape], relative.shape);
      assert.equal(exact.dtype, "int32");
      assert.deepEqual(numbers(exact), numbers(outputs.bucket_exact));
      const torch = t5Bias.bucket(relative, { ...options, precision: "torch" });
      assert.deepEqual(numbers(torch), numbers(outputs.bucket));
    });
  }

  for (const { id, params, inputs, outputs } of cases("t5_bias", 3)) {
    test(`t5Bias.bias equals ${id}, bit for bit`, () => {
      const { q_len: length, k_len: keys, q_offset: offset } = params;
      const { maxDistance, direction } = conventions(params);
      const given = { keys, offset, maxDistance, direction };
      const got = t5Bias.bias(inputs.table, length, given);
      assert.deepEqual([...got.shape], outputs.bias.shape);
      assert.deepEqual(got.data, outputs.bias.data);
      const torch = t5Bias.bias(inputs.table, length, { ...given, precision: "torch" });
      assert.deepEqual(torch, got);
    });
  }

  test("t5Bias.bucket differs between exact and torch where ln rounds down on a boundary", () => {
    const options = /** @type {const} */ ({ buckets: 48, maxDistance: 81, direction: "causal" });
    const distances = Array.from({ length: 1000 }, (_, n) => -n);
    const exact = numbers(t5Bias.bucket(distances, options));
    const torch = numbers(t5Bias.bucket(distances, { ...options, precision: "torch" }));
    assert.deepEqual(
      distances.filter((_, n) => exact[n] !== torch[n]),
      [-36, -54],
    );
  });
});

describe("t5Bias.bucket", () => {
  test("t5Bias.bucket begins its buckets at the reference distances", () => {
    const distances = Array.from({ length: 2000 }, (_, n) => -n);
    for (const precision of /** @type {const} */ (["exact", "torch"])) {
      for (const [preset, exactOnes, firsts] of /** @type {const} */ ([
        [t5Bias.presets.encoder, 8, [8, 12, 16, 23, 32, 46, 64, 91]],
        [
          t5Bias.presets.decoder,
          16,
          [16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113],
        ],
      ])) {
        const got = numbers(t5Bias.bucket(distances, { ...preset, precision }));
        const begins = got.flatMap((bucket, n) => (bucket !== got[n - 1] ? [n] : []));
        const small = Array.from({ length: exactOnes }, (_, n) => n);
        assert.deepEqual(begins, [...small, ...firsts]);
        begins.forEach((n, bucket) => assert.equal(got[n], bucket));
      }
    }
  });

  test("t5Bias.bucket gives the reference values", () => {
    const relative = [-3, -1, 0, 1, 3, 8, 16, 128, 1000];
    assert.deepEqual(numbers(t5Bias.bucket(relative)), [3, 1, 0, 17, 19, 24, 26, 31, 31]);
  });

  test("t5Bias.bucket puts distances 16, 32 and 64, whose logarithms are integers, into the upper bucket", () => {
    for (const precision of /** @type {const} */ (["exact", "torch"])) {
      const got = t5Bias.bucket([-15, -16, -31, -32, -63, -64], { precision });
      assert.deepEqual(numbers(got), [9, 10, 11, 12, 13, 14]);
    }
  });

  test("t5Bias.bucket equals exact integer arithmetic at every distance up to 2^20", () => {
    const distances = Int32Array.from({ length: 2 ** 20 + 1 }, (_, n) => -n);
    for (const [buckets, maxDistance] of [
      [32, 128],
      [32, 100],
      [7, 128],
      [48, 81],
      [64, 2 ** 20],
      [256, 999983],
      [1024, 2 ** 31 - 1],
      [2, 5],
      [40, 21],
    ].filter(everyNth(2))) {
      const m = Math.floor(buckets / 2);
      const K = buckets - m;
      const options = /** @type {const} */ ({ buckets, maxDistance, direction: "causal" });
      const got = numbers(t5Bias.bucket(distances, options));
      // The definition is monotone in n, so the places where the bucket changes decide it all.
      got.forEach((bucket, n) => {
        if (n < m) return assert.equal(bucket, n);
        if (bucket === got[n - 1] && n > m && n < 2 ** 20) return;
        const j = bucket - m;
        assert.ok(j === 0 || reaches(n, j, m, maxDistance, K), `${n} is in bucket ${bucket}`);
        assert.ok(n === m || bucket > got[n - 1] || n === 2 ** 20);
        const below = got[n - 1] - m;
        if (n > m && bucket !== got[n - 1]) {
          assert.ok(!reaches(n - 1, below + 1, m, maxDistance, K), `${n - 1} is not above`);
        }
        if (n === 2 ** 20) assert.ok(j === K - 1 || !reaches(n, j + 1, m, maxDistance, K));
      });
    }
  });

  test("t5Bias.bucket is the same on both sides, offset by half, and 0 for later keys where causal", () => {
    const relative = Array.from({ length: 400 }, (_, n) => n + 1);
    for (const buckets of [32, 33, 6]) {
      const ahead = numbers(t5Bias.bucket(relative, { buckets }));
      const behind = numbers(
        t5Bias.bucket(
          relative.map((r) => -r),
          { buckets },
        ),
      );
      const half = Math.floor(buckets / 2);
      assert.deepEqual(
        ahead,
        behind.map((bucket) => bucket + half),
      );
    }
    const causal = t5Bias.bucket(relative, { direction: "causal" });
    assert.ok(numbers(causal).every((bucket) => bucket === 0));
  });

  test("t5Bias.bucket accepts a number, BigInts, any shape, up to 2^31", () => {
    assert.equal(t5Bias.bucket(3).toArray(), 19);
    assert.deepEqual(t5Bias.bucket([[-1n, 1n]]).toArray(), [[1, 17]]);
    assert.deepEqual(numbers(t5Bias.bucket([2 ** 31, -(2 ** 31)])), [31, 15]);
    assert.deepEqual(t5Bias.bucket([]).shape, [0]);
    for (const relative of [[1.5], 1.5, 2 ** 31 + 1, [2n ** 40n]]) {
      assert.throws(
        () => t5Bias.bucket(/** @type {any} */ (relative)),
        /^RangeError: \S+: relativePositions must .+; got /,
      );
    }
  });

  test("t5Bias.bucket rejects sizes without a logarithmic part", () => {
    for (const options of /** @type {any[]} */ ([
      { buckets: 3 },
      { buckets: 1, direction: "causal" },
      { buckets: 1025 },
    ])) {
      assert.throws(() => t5Bias.bucket([1], options), /^RangeError: \S+: buckets must .+; got /);
    }
    for (const options of /** @type {any[]} */ ([
      { maxDistance: 8 },
      { maxDistance: 16, direction: "causal" },
    ])) {
      assert.throws(
        () => t5Bias.bucket([1], options),
        /^RangeError: \S+: maxDistance must .+; got /,
      );
    }
    t5Bias.bucket([1], { maxDistance: 9 });
  });
});

describe("t5Bias.buckets and t5Bias.bias", () => {
  test("t5Bias.buckets is t5Bias.bucket of key - query", () => {
    for (const [length, keys, offset] of [
      [5, 5, undefined],
      [3, 200, undefined],
      [200, 3, 7],
      [1, 4, -20],
    ]) {
      for (const preset of Object.values(t5Bias.presets)) {
        const got = t5Bias.buckets(Number(length), { ...preset, keys, offset });
        const first = offset ?? Number(keys) - Number(length);
        for (let i = 0; i < Number(length); ++i) {
          const relative = Array.from({ length: Number(keys) }, (_, j) => j - (first + i));
          assert.deepEqual(numbers(got.row(i)), numbers(t5Bias.bucket(relative, preset)));
        }
      }
    }
  });

  test("t5Bias.bias looks up every bucket in the table", () => {
    const table = new Tensor(noise(32 * 3), [32, 3]);
    const options = /** @type {const} */ ({ keys: 300, direction: "causal" });
    const buckets = t5Bias.buckets(20, options);
    const got = t5Bias.bias(table, 20, options);
    for (let h = 0; h < 3; ++h) {
      const want = numbers(buckets).map((bucket) => table.at(bucket, h));
      assert.deepEqual(numbers(got.row(h)), want);
    }
  });

  test("t5Bias.bias with positions takes the bucket of their differences, as LayoutLM v2 does", () => {
    const table = new Tensor(noise(64 * 3, 8), [64, 3]);
    for (const [at, options] of /** @type {const} */ ([
      [[10, 500, 500, 0, 999, 130, -7], { maxDistance: 256 }],
      [[3, 1, 2], { maxDistance: 256, precision: "torch" }],
      [[3, 1, 2], { direction: "causal" }],
      [[5], {}],
      [[], {}],
    ])) {
      const T = at.length;
      const got = t5Bias.bias(table, T, { ...options, positions: at });
      assert.deepEqual(got.shape, [3, T, T]);
      const bucket = (/** @type {number} */ r) =>
        t5Bias.bucket(r, { ...options, buckets: 64 }).data[0];
      at.forEach((from, i) =>
        at.forEach((to, j) => {
          for (let h = 0; h < 3; ++h) assert.equal(got.at(h, i, j), table.at(bucket(to - from), h));
        }),
      );
      const order = Int32Array.from({ length: T }, (_, t) => t);
      const shifted = order.map((t) => t + 100);
      const plain = t5Bias.bias(table, T, options);
      for (const positions of [order, shifted]) {
        assert.deepEqual(t5Bias.bias(table, T, { ...options, positions }), plain);
      }
    }
    const own = new Tensor(noise(64 * 3, 9), [64, 3]);
    const want = t5Bias.bias(own, 4, { positions: [4, 0, 2, 2] });
    const out = own.data.subarray(0, 48);
    assert.deepEqual(t5Bias.bias(own, 4, { positions: [4, 0, 2, 2], out }).data, want.data);
    for (const [message, length, more] of /** @type {[RegExp, number, any][]} */ ([
      [
        /^RangeError: t5Bias.bias: positions must have shape \[3\]; got \[2\]$/,
        3,
        { positions: [1, 2] },
      ],
      [
        /^RangeError: t5Bias.bias: positions must be integers .+; got 0.5 at 1$/,
        2,
        { positions: [1, 0.5] },
      ],
      [
        /^TypeError: t5Bias.bias: keys must be left out with positions; got 3$/,
        2,
        { positions: [1, 2], keys: 3 },
      ],
      [
        /^TypeError: t5Bias.bias: offset must be left out with positions; got 0$/,
        2,
        { positions: [1, 2], offset: 0 },
      ],
    ])) {
      assert.throws(() => t5Bias.bias(table, length, more), message);
    }
  });

  test("t5Bias.buckets and t5Bias.bias are empty for zero tokens", () => {
    const given = { data: noise(32), shape: [32, 1] };
    assert.deepEqual(t5Bias.buckets(0, { keys: 3 }).shape, [0, 3]);
    assert.deepEqual(t5Bias.bias(given, 3, { keys: 0 }).shape, [1, 3, 0]);
  });
});

declaredBattery("t5Bias.bucket", { r: [-3, 0, 5] }, { r: ["positions", "relativePositions"] });

declaredBattery("t5Bias.buckets", { length: 3 }, { offset: ["reach"] });

declaredBattery("t5Bias.bias", { table: [[1], [2], [3], [4]], length: 3 }, { offset: ["reach"] });
