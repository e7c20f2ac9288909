import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertRefused, declaredBattery } from "../../battery.js";
import { phasor } from "../../../phasor.js";
import { everyNth, isNight } from "../../../sample.js";
import { dot } from "../../reference/attention.js";
import * as reference from "../../reference/relative.js";
import { numbers } from "../../reference/samples.js";
import { random } from "../../tensors.js";

const { attention, deberta, shaw } = phasor;

/** One float32 rounding, of what a float32 can hold near 1. */
const ROUNDING = 2 ** -24;

/** The buckets of distances 0 .. farthest. @param {number} farthest @param {any} options */
const bucketsTo = (farthest, options) =>
  deberta
    .buckets(1, { keys: farthest + 1, offset: farthest, ...options })
    .data.slice()
    .reverse();

/** As `deepEqual`, which takes long for a million. @param {Int32Array} a @param {Int32Array} b */
const same = (a, b) =>
  Buffer.compare(new Uint8Array(a.buffer), new Uint8Array(b.buffer, 0, b.byteLength)) === 0;

describe("deberta.buckets", () => {
  test("deberta.buckets has the reference values for 256 buckets, 512 positions", () => {
    const got = bucketsTo(600, {});
    for (const [bucket, first] of [
      [128, 128],
      [129, 129],
      [130, 130],
      [131, 131],
      [132, 133],
    ]) {
      assert.equal(got.indexOf(bucket), first, `first distance of ${bucket}`);
    }
    assert.equal(got[511], 255);
    assert.equal(got[600], 255); // 256 is out of reach: distances are clamped
    assert.ok(got.every((bucket, r) => r > 128 || bucket === r));
  });

  for (const [buckets, maxDistance] of [
    [256, 512],
    [10, 21], // (20/5)^(n/4): two steps are exactly a factor of 2, distance 10
    [66, 1025], // 1024/33, 32 steps
    [1024, 2048],
    [256, 258], // the least that 256 buckets allow but one
    [2, 3],
  ].filter(everyNth(2))) {
    test(`deberta.buckets equals integer arithmetic for every distance within 2^18, at night 2^20: ${buckets}, ${maxDistance}`, () => {
      const far = isNight ? 2 ** 20 : 2 ** 18; // N7
      const want = reference.buckets(buckets, maxDistance, far);
      assert.ok(same(bucketsTo(far, { buckets, maxDistance, beyond: "grow" }), want));
      const clamped = want.map((_, r) => want[Math.min(r, maxDistance - 1)]);
      assert.ok(same(bucketsTo(far, { buckets, maxDistance }), clamped));
      const negative = deberta.buckets(1, {
        keys: far + 1,
        offset: 0,
        buckets,
        maxDistance,
      });
      const mirrored = clamped.map((bucket) => 0 - bucket);
      assert.ok(same(negative.data, mirrored));
    });
  }

  test("deberta.buckets with precision torch follows the float32 steps, and differs", () => {
    const [buckets, maxDistance] = [512, 4096];
    const far = 2 ** 16;
    const options = /** @type {const} */ ({ buckets, maxDistance, beyond: "grow" });
    const torch = bucketsTo(far, { ...options, precision: "torch" });
    assert.deepEqual(torch, reference.torchBuckets(buckets, maxDistance, far));
    const exact = bucketsTo(far, options);
    const other = Array.from(torch.keys()).filter((r) => torch[r] !== exact[r]);
    assert.deepEqual(other.slice(0, 2), [1643, 6395]);
    // With DeBERTa's own sizes they agree as far as its texts go.
    const own = bucketsTo(2 ** 15, { beyond: "grow", precision: "torch" });
    assert.deepEqual(own, bucketsTo(2 ** 15, { beyond: "grow" }));
  });

  test("deberta.buckets of queries minus keys; without buckets it is the distance", () => {
    assert.deepEqual(deberta.buckets(2, { keys: 3 }).toArray(), [
      [1, 0, -1],
      [2, 1, 0],
    ]);
    assert.deepEqual(deberta.buckets(1, { keys: 2, offset: 1000 }).toArray(), [[255, 255]]);
    const none = deberta.buckets(1, { keys: 2, offset: 1000, buckets: 0 });
    assert.deepEqual(none.toArray(), [[1000, 999]]);
    assert.equal(none.dtype, "int32");
  });

  test("deberta.buckets accepts any offset within 2^31 without computing the positions before it", () => {
    const offset = 2 ** 31 - 2;
    const grown = deberta.buckets(2, { keys: 2, offset, beyond: "grow" });
    assert.deepEqual(new Set(grown.data).size, 1);
    const back = deberta.buckets(2, { keys: 2, offset: -offset, beyond: "grow" });
    assert.deepEqual(
      back.data,
      grown.data.map((bucket) => -bucket),
    );
    const least = { buckets: 2 ** 20, maxDistance: 2 ** 19 + 2, beyond: "grow" };
    const top = deberta.buckets(1, { offset, .../** @type {any} */ (least) });
    assert.equal(top.data[0], 2 ** 31 - 1); // the formula's 2^42 does not fit
  });
});

describe("deberta.index and deberta.scale", () => {
  test("deberta.index is the bucket counted from 0, with both treatments of large distances", () => {
    const buckets = deberta.buckets(700);
    const index = deberta.index(700);
    buckets.data.forEach((bucket, at) => assert.equal(index.data[at], bucket + 256));
    // What HF adds: from distance 512 on the formula gives 256, one more than the table has.
    const grown = deberta.index(1, { keys: 3, offset: 1, beyond: "grow", maxDistance: 130 });
    assert.deepEqual(grown.toArray(), [[257, 256, 255]]);
    const far = { keys: 1, offset: -512 };
    assert.deepEqual(deberta.index(1, far).toArray(), [[1]]);
    assert.deepEqual(deberta.index(1, { ...far, beyond: "grow" }).toArray(), [[0]]);
    assert.deepEqual(deberta.index(1, { keys: 1, offset: 512, beyond: "grow" }).toArray(), [[511]]);
    // Version 1: the distance itself.
    const plain = deberta.index(5, { buckets: 0, maxDistance: 2 });
    assert.deepEqual(plain.row(0).toArray(), [2, 1, 0, 0, 0]);
    assert.deepEqual(plain.row(4).toArray(), [3, 3, 3, 3, 2]);
  });

  test("deberta.scale divides by the number of terms", () => {
    assert.equal(deberta.scale(64), 1 / Math.sqrt(64 * 3));
    assert.equal(deberta.scale(64, { terms: 0 }), 1 / 8);
  });

  test("deberta.index and shaw.scores of queries and keys give DeBERTa's logits", () => {
    const [T, D] = [6, 6];
    const [x, y] = [7, 8].map((seed) => random([T, D], seed));
    const options = { buckets: 4, maxDistance: 5 };
    const [keyRows, queryRows] = [9, 10].map((seed) => random([8, D], seed));
    const scale = deberta.scale(D);
    const at = deberta.index(T, options);
    const c2p = shaw.scores(x, keyRows, { index: at, scale });
    const bias = shaw.scores(y, queryRows, { index: at, of: "keys", scale, add: c2p });
    const got = attention.scores(x, y, { scale, bias });
    const bucket = deberta.buckets(T, options);
    for (let i = 0; i < T; ++i) {
      for (let j = 0; j < T; ++j) {
        const [query, key] = [x.row(i), y.row(j)].map(numbers);
        // p2c is gathered for the key's own distance to the query and transposed: the same bucket.
        const other = Math.min(Math.max(-bucket.at(j, i) + 4, 0), 7);
        const want =
          (dot(query, key) +
            dot(query, numbers(keyRows.row(Math.min(Math.max(bucket.at(i, j) + 4, 0), 7)))) +
            dot(key, numbers(queryRows.row(other)))) /
          Math.sqrt(D * 3);
        assert.ok(Math.abs(got.at(i, j) - want) <= 4 * 2 * ROUNDING);
      }
    }
  });

  test("deberta's indices are empty for zero tokens", () => {
    for (const index of [deberta.index, deberta.buckets])
      assert.deepEqual(index(2, { keys: 0 }).shape, [2, 0]);
  });

  test("deberta.index names the argument with the wrong shape", () => {
    /** @type {[RegExp, () => unknown][]} */
    const clashes = [
      [/^\S+: maxDistance must be at least 130/, () => deberta.index(2, { maxDistance: 129 })],
      [/^\S+: buckets must be 0 or at least 2/, () => deberta.index(2, { buckets: 1 })],
    ];
    for (const [message, call] of clashes) assertRefused(message, call);
  });
});

declaredBattery("deberta.index", { length: 2 }, { offset: ["whole"], out: ["ints"] });

declaredBattery("deberta.buckets", { length: 2 }, { offset: ["whole"], out: ["ints"] });

declaredBattery("deberta.scale", { dim: 2 });
