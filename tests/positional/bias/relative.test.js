import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery } from "../../battery.js";
import { phasor, Tensor } from "../../phasor.js";
import { dot, softmax } from "../../reference/attention.js";
import * as reference from "../../reference/relative.js";
import { noise, numbers } from "../../reference/samples.js";

const { attention, relative, sinusoidal } = phasor;

/** One float32 rounding, of what a float32 can hold near 1. */
const ROUNDING = 2 ** -24;

/**
 * @param {number[]} shape @param {number} [seed]
 * @returns {Tensor}
 */
function random(shape, seed) {
  const count = shape.reduce((a, b) => a * b, 1);
  return new Tensor(noise(count, seed), shape);
}

/** The buckets of distances 0 .. farthest. @param {number} farthest @param {any} options */
const bucketsTo = (farthest, options) =>
  relative
    .debertaBuckets(1, { keys: farthest + 1, offset: farthest, ...options })
    .data.slice()
    .reverse();

/** As `deepEqual`, which takes long for a million. @param {Int32Array} a @param {Int32Array} b */
const same = (a, b) =>
  Buffer.compare(new Uint8Array(a.buffer), new Uint8Array(b.buffer, 0, b.byteLength)) === 0;

describe("relative.debertaBuckets", () => {
  test("relative.debertaBuckets gives the reference values for 256 buckets, 512 positions", () => {
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
  ]) {
    test(`relative.debertaBuckets decides every distance within 2^20 as whole numbers do: ${buckets}, ${maxDistance}`, () => {
      const far = 2 ** 20; // guide Accuracy, #buckets
      const want = reference.buckets(buckets, maxDistance, far);
      assert.ok(same(bucketsTo(far, { buckets, maxDistance, beyond: "grow" }), want));
      const clamped = want.map((_, r) => want[Math.min(r, maxDistance - 1)]);
      assert.ok(same(bucketsTo(far, { buckets, maxDistance }), clamped));
      const negative = relative.debertaBuckets(1, {
        keys: far + 1,
        offset: 0,
        buckets,
        maxDistance,
      });
      const mirrored = clamped.map((bucket) => 0 - bucket);
      assert.ok(same(negative.data, mirrored));
    });
  }

  test("relative.debertaBuckets with precision torch follows the float32 steps, and differs", () => {
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

  test("relative.debertaBuckets counts queries minus keys, and no buckets leave the distance", () => {
    assert.deepEqual(relative.debertaBuckets(2, { keys: 3 }).toArray(), [
      [1, 0, -1],
      [2, 1, 0],
    ]);
    assert.deepEqual(relative.debertaBuckets(1, { keys: 2, offset: 1000 }).toArray(), [[255, 255]]);
    const none = relative.debertaBuckets(1, { keys: 2, offset: 1000, buckets: 0 });
    assert.deepEqual(none.toArray(), [[1000, 999]]);
    assert.equal(none.dtype, "int32");
  });

  test("relative.debertaBuckets takes any offset within 2^31 without making what lies between", () => {
    const offset = 2 ** 31 - 2;
    const grown = relative.debertaBuckets(2, { keys: 2, offset, beyond: "grow" });
    assert.deepEqual(new Set(grown.data).size, 1);
    const back = relative.debertaBuckets(2, { keys: 2, offset: -offset, beyond: "grow" });
    assert.deepEqual(
      back.data,
      grown.data.map((bucket) => -bucket),
    );
    const least = { buckets: 2 ** 20, maxDistance: 2 ** 19 + 2, beyond: "grow" };
    const top = relative.debertaBuckets(1, { offset, .../** @type {any} */ (least) });
    assert.equal(top.data[0], 2 ** 31 - 1); // the formula's 2^42 does not fit
  });
});

describe("relative.shaw, relative.bert and relative.deberta", () => {
  test("relative.shaw clips the distance from query to key", () => {
    const K = 3;
    const got = relative.shaw(4, K, { keys: 9 });
    assert.deepEqual(got.shape, [4, 9]);
    for (let i = 0; i < 4; ++i) {
      for (let j = 0; j < 9; ++j) {
        assert.equal(got.at(i, j), Math.min(Math.max(j - (i + 5), -K), K) + K);
      }
    }
    assert.deepEqual(relative.shaw(2, 0).toArray(), [
      [0, 0],
      [0, 0],
    ]);
    assert.deepEqual(relative.shaw(1, 2, { keys: 4, offset: 0 }).toArray(), [[2, 3, 4, 4]]);
  });

  test("relative.bert counts from its largest negative distance", () => {
    assert.deepEqual(relative.bert(3, 3).toArray(), [
      [2, 1, 0],
      [3, 2, 1],
      [4, 3, 2],
    ]);
    assert.throws(() => relative.bert(4, 3), /^RangeError: maxLength must be above every distance/);
    assert.throws(() => relative.bert(1, 3, { offset: 3 }), /^RangeError: maxLength must/);
  });

  test("relative.deberta is the bucket counted from 0, in either way of large distances", () => {
    const buckets = relative.debertaBuckets(700);
    const index = relative.deberta(700);
    buckets.data.forEach((bucket, at) => assert.equal(index.data[at], bucket + 256));
    // What HF adds: from distance 512 on the formula gives 256, one more than the table has.
    const grown = relative.deberta(1, { keys: 3, offset: 1, beyond: "grow", maxDistance: 130 });
    assert.deepEqual(grown.toArray(), [[257, 256, 255]]);
    const far = { keys: 1, offset: -512 };
    assert.deepEqual(relative.deberta(1, far).toArray(), [[1]]);
    assert.deepEqual(relative.deberta(1, { ...far, beyond: "grow" }).toArray(), [[0]]);
    assert.deepEqual(relative.deberta(1, { keys: 1, offset: 512, beyond: "grow" }).toArray(), [
      [511],
    ]);
    // Version 1: the distance itself.
    const plain = relative.deberta(5, { buckets: 0, maxDistance: 2 });
    assert.deepEqual(plain.row(0).toArray(), [2, 1, 0, 0, 0]);
    assert.deepEqual(plain.row(4).toArray(), [3, 3, 3, 3, 2]);
  });

  test("relative.debertaScale divides by the number of terms", () => {
    assert.equal(relative.debertaScale(64), 1 / Math.sqrt(64 * 3));
    assert.equal(relative.debertaScale(64, { terms: 0 }), 1 / 8);
  });

  test("relative's indices fill out, and of nothing are nothing", () => {
    const out = new Int32Array(6);
    for (const index of [
      (/** @type {any} */ $) => relative.shaw(2, 1, $),
      (/** @type {any} */ $) => relative.bert(2, 9, $),
      (/** @type {any} */ $) => relative.deberta(2, $),
      (/** @type {any} */ $) => relative.debertaBuckets(2, $),
    ]) {
      assert.equal(index({ keys: 3, out }).data, out);
      assert.deepEqual(out, index({ keys: 3 }).data);
      assert.deepEqual(index({ keys: 0 }).shape, [2, 0]);
    }
  });
});

describe("relative.scores and relative.values", () => {
  const [B, H, Tq, Tk, D, V, K] = [2, 3, 5, 8, 6, 7, 2];
  const q = random([B, H, Tq, D], 1);
  const k = random([B, H, Tk, D], 2);
  const v = random([B, H, Tk, V], 3);
  const aK = random([2 * K + 1, D], 4);
  const aV = random([2 * K + 1, V], 5);
  const index = relative.shaw(Tq, K, { keys: Tk });

  test("relative.scores and relative.values make attention.scaledDotProduct Shaw's", () => {
    const scale = 1 / Math.sqrt(D);
    const bias = relative.scores(q, aK, { index, scale });
    const { output, weights } = attention.scaledDotProduct({ q, k, v }, { bias });
    const more = relative.values(weights, aV, { index });
    assert.deepEqual(more.shape, output.shape);
    for (let b = 0; b < B; ++b) {
      for (let h = 0; h < H; ++h) {
        const [queries, keys, values] = [q, k, v].map((x) => x.row(b).row(h).toArray());
        const shares = reference.shawScores(queries, keys, aK.toArray(), K).map(softmax);
        const want = reference.shawOutput(shares, values, aV.toArray(), K);
        const [left, right] = [output, more].map((x) => x.row(b).row(h).toArray());
        want.forEach((row, i) =>
          row.forEach((x, d) => {
            // Logits below 4 are rounded three times, twice as much for a weight; sums below 2.
            assert.ok(Math.abs(left[i][d] + right[i][d] - x) <= 2 * (2 * 12 + 4) * ROUNDING);
          }),
        );
      }
    }
  });

  test("relative.scores multiplies the queries or the keys, for all heads or each", () => {
    const each = random([H, 2 * K + 1, D], 6);
    for (const table of [aK, each]) {
      for (const of of /** @type {const} */ (["queries", "keys"])) {
        const x = of === "queries" ? q : k;
        const got = relative.scores(x, table, { index, of, scale: 0.5 });
        const added = relative.scores(x, table, { index, of, scale: 0.5, add: got });
        assert.deepEqual(got.shape, [B, H, Tq, Tk]);
        got.data.forEach((score, at) => {
          const [j, i] = [at % Tk, Math.floor(at / Tk) % Tq];
          const n = Math.floor(at / (Tq * Tk));
          const [b, h] = [Math.floor(n / H), n % H];
          const rows = table.rank === 3 ? table.row(h) : table;
          const row = x
            .row(b)
            .row(h)
            .row(of === "queries" ? i : j);
          const want = 0.5 * dot(numbers(row), numbers(rows.row(index.at(i, j))));
          assert.ok(Math.abs(score - want) <= 2 * ROUNDING); // of a number below 2
          assert.ok(Math.abs(added.data[at] - (want + score)) <= 4 * ROUNDING);
        });
      }
    }
  });

  test("relative.scores of queries and keys make DeBERTa's logits", () => {
    const T = 6;
    const [x, y] = [7, 8].map((seed) => random([T, D], seed));
    const options = { buckets: 4, maxDistance: 5 };
    const [keyRows, queryRows] = [9, 10].map((seed) => random([8, D], seed));
    const scale = relative.debertaScale(D);
    const at = relative.deberta(T, options);
    const c2p = relative.scores(x, keyRows, { index: at, scale });
    const bias = relative.scores(y, queryRows, { index: at, of: "keys", scale, add: c2p });
    const got = attention.scores(x, y, { scale, bias });
    const bucket = relative.debertaBuckets(T, options);
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

  test("relative.scores of queries and keys make BERT's relative_key_query", () => {
    const M = 9;
    const E = random([2 * M - 1, D], 11);
    const at = relative.bert(Tk, M);
    const scale = 1 / Math.sqrt(D);
    const x = random([Tk, D], 12);
    const y = k.row(0).row(0);
    const one = relative.scores(x, E, { index: at, scale });
    const bias = relative.scores(y, E, { index: at, of: "keys", scale, add: one });
    const got = attention.scores(x, y, { bias });
    for (let i = 0; i < Tk; ++i) {
      for (let j = 0; j < Tk; ++j) {
        const [query, key, e] = [x.row(i), y.row(j), E.row(i - j + M - 1)].map(numbers);
        const want = (dot(query, key) + dot(query, e) + dot(key, e)) * scale;
        assert.ok(Math.abs(got.at(i, j) - want) <= 4 * 2 * ROUNDING);
      }
    }
  });

  test("relative.scores and relative.values leave no seam between tiles", () => {
    const T = 700;
    const x = random([2, T, 4], 13);
    const table = random([2, 9, 4], 14);
    const at = relative.shaw(T, 4);
    const weights = attention.softmax(random([2, T, T], 15));
    const scores = relative.scores(x, table, { index: at });
    const values = relative.values(weights, table, { index: at });
    const ofKeys = relative.scores(x, table, { index: at, of: "keys" });
    for (const i of [0, 92, 93, 94, 300, 699]) {
      const row = { index: at.slice(i, i + 1) };
      const head = { x: x.row(1), table: table.row(1) };
      const alone = relative.scores(head.x.slice(i, i + 1), head.table, row);
      assert.deepEqual(scores.row(1).row(i), alone.row(0));
      assert.deepEqual(
        ofKeys.row(1).row(i),
        relative.scores(head.x, head.table, { ...row, of: "keys" }).row(0),
      );
      const mixed = relative.values(weights.row(1).slice(i, i + 1), head.table, row);
      assert.deepEqual(values.row(1).row(i), mixed.row(0));
    }
  });

  test("relative.scores and relative.values fill out, also where it is an input", () => {
    const x = random([4, 4], 16);
    const table = random([4, 4], 17);
    const at = relative.shaw(4, 1);
    const want = relative.scores(x, table, { index: at, add: x });
    const mixed = relative.values(x, table, { index: at });
    for (const name of ["x", "table", "add"]) {
      const given = { x, table, add: x, [name]: new Tensor(x.data.slice(), [4, 4]) };
      if (name === "table") given.table = new Tensor(table.data.slice(), [4, 4]);
      const out = given[/** @type {"x"} */ (name)];
      const got = relative.scores(given.x, given.table, { index: at, add: given.add, out });
      assert.equal(got.data, out.data);
      assert.deepEqual(got, want);
    }
    const out = new Tensor(x.data.slice(), [4, 4]);
    assert.deepEqual(relative.values(out, table, { index: at, out }), mixed);
    assert.equal(relative.values(x, table, { index: at, out }).data, out.data);
  });

  test("relative.scores and relative.values write NaN as 0x7fc00000", () => {
    const bad = new Float32Array(Uint32Array.of(0xffc00001, 0x7fa00000).buffer);
    const at = [[0, 0]];
    const one = relative.scores([bad], [[1, 1]], { index: at });
    const two = relative.values([bad], [[1]], { index: at });
    const three = relative.transformerXL({ q: [bad], r: [[1, 1]] });
    for (const { data } of [one, two, three]) {
      assert.equal(new Uint32Array(data.buffer)[0].toString(16), "7fc00000");
    }
  });
});

describe("relative.transformerXL and relative.shift", () => {
  const [H, Tq, Tk, D, E] = [2, 4, 7, 6, 8];
  const q = random([H, Tq, D], 21);
  const k = random([H, Tk, D], 22);
  const [u, v] = [23, 24].map((seed) => random([H, D], seed));
  const W = random([H * D, E], 25);
  const positions = Array.from({ length: Tk }, (_, c) => Tk - 1 - c);
  const sines = sinusoidal.table(positions, E, { layout: "halves" });

  test("relative.transformerXL makes attention.scores those of the paper, memory and all", () => {
    const bias = relative.transformerXL({ q, k, r: sines }, { u, v, projection: W });
    const got = attention.scores(q, k, { bias, mask: "causal" });
    for (let h = 0; h < H; ++h) {
      const r = (/** @type {number} */ distance) => {
        const row = numbers(sinusoidal.table([distance], E, { layout: "halves" }));
        return Array.from({ length: D }, (_, d) => dot(numbers(W.row(h * D + d)), row));
      };
      const [x, y] = [q, k].map((heads) => heads.row(h).toArray());
      const want = reference.transformerXL(x, y, r, ...pair(h));
      want.forEach((row, i) =>
        row.forEach((logit, j) => {
          const at = got.at(h, i, j);
          if (logit === -Infinity) assert.equal(at, -Infinity);
          // W r, up to 4, is rounded, and summed with numbers up to 2; then two sums below 8
          else assert.ok(Math.abs(at - logit) <= (2 * 4 * D * 0.5 + 3 * 8) * ROUNDING);
        }),
      );
    }
  });

  /** @param {number} h @returns {[number[], number[]]} */
  const pair = (h) => [numbers(u.row(h)), numbers(v.row(h))];

  test("relative.transformerXL is relative.shift of the products with all distances", () => {
    const r = random([H, Tk, D], 26);
    const every = Array.from({ length: Tq }, () => Array.from({ length: Tk }, (_, c) => c));
    const products = relative.scores(q, r, { index: every, scale: 0.25 });
    const shifted = relative.shift(products);
    const got = relative.transformerXL({ q, r }, { scale: 0.25 });
    assert.deepEqual(got, shifted);
    const wrapped = relative.shift(products, { upper: "wrapped" });
    const causal = /** @type {const} */ ({ mask: "causal" });
    assert.deepEqual(
      attention.scores(q, k, { bias: wrapped, ...causal }),
      attention.scores(q, k, { bias: shifted, ...causal }),
    );
  });

  test("relative.transformerXL gives keys after the query the first term alone", () => {
    const r = random([Tk, D], 27);
    const got = relative.transformerXL({ q, k, r }, { u: u.row(0), scale: 1 });
    for (let j = Tk - Tq + 1; j < Tk; ++j) {
      const want = dot(numbers(u.row(0)), numbers(k.row(1).row(j)));
      assert.ok(Math.abs(got.at(1, 0, j) - want) <= 4 * ROUNDING);
    }
    const none = relative.transformerXL({ q, r });
    assert.equal(none.at(0, 0, Tk - 1), 0);
  });

  test("relative.transformerXL takes vectors for all heads, and no axes of heads and batch", () => {
    const r = random([Tk, D], 28);
    const whole = relative.transformerXL({ q, k, r }, { u, v });
    const one = relative.transformerXL(
      { q: q.row(1), k: k.row(1), r },
      { u: u.row(1), v: v.row(1) },
    );
    assert.deepEqual(one, whole.row(1));
    const batch = relative.transformerXL(
      { q: q.reshape(1, H, Tq, D), k: k.reshape(1, H, Tk, D), r },
      { u, v },
    );
    assert.deepEqual(batch, whole.reshape(1, H, Tq, Tk));
    const long = random([300, D], 29);
    const all = relative.transformerXL({ q: long, k: long, r: long }, { u: u.row(0) });
    for (const i of [0, 210, 212, 214, 299]) {
      const alone = relative.transformerXL(
        { q: long.slice(i, i + 1), k: long.slice(0, i + 1), r: long.slice(299 - i) },
        { u: u.row(0) },
      );
      assert.deepEqual(all.row(i).slice(0, i + 1), alone.row(0));
    }
  });

  test("relative.shift pads and reads on, and says what it leaves above the diagonal", () => {
    const x = random([2, 3, Tq, Tk], 31);
    const wrapped = relative.shift(x, { upper: "wrapped" });
    const zero = relative.shift(x);
    for (let b = 0; b < 6; ++b) {
      const rows = Array.from({ length: Tq }, (_, i) =>
        numbers({ data: x.data.subarray((b * Tq + i) * Tk, (b * Tq + i + 1) * Tk) }),
      );
      const padded = rows.flatMap((row) => [0, ...row]).slice(Tq);
      padded.forEach((want, at) => {
        assert.equal(wrapped.data[b * Tq * Tk + at], want);
        const [i, j] = [Math.floor(at / Tk), at % Tk];
        const shown = j <= i + Tk - Tq;
        assert.equal(zero.data[b * Tq * Tk + at], shown ? want : 0);
        if (shown) assert.equal(want, rows[i][j + Tq - 1 - i]);
      });
    }
    const copy = new Tensor(x.data.slice(), x.shape);
    assert.equal(relative.shift(copy, { out: copy }).data, copy.data);
    assert.deepEqual(copy.data, zero.data);
    assert.deepEqual(relative.shift({ data: [], shape: [0, 3] }).shape, [0, 3]);
  });

  test("relative names the argument whose shape does not agree", () => {
    const index = relative.shaw(Tq, 1, { keys: Tk });
    const table = random([3, D], 32);
    /** @type {[RegExp, () => unknown][]} */
    const clashes = [
      [/^index must have shape \[4, keys\]/, () => relative.scores(q, table, { index: [[0]] })],
      [
        /^index must have shape \[queries, 7\]/,
        () => relative.scores(k, table, { index: [[0]], of: "keys" }),
      ],
      [/^index must have shape \[Tq, Tk\]/, () => relative.scores(q, table, { index: [0] })],
      [
        /^table must have shape \[R, 6\] or \[2, R, 6\]/,
        () => relative.scores(q, [[1]], { index }),
      ],
      [/^table must/, () => relative.scores(q, random([3, 3, D]), { index })],
      [/^add must have shape \[2, 4, 7\]/, () => relative.scores(q, table, { index, add: [[1]] })],
      [/^index must have shape \[4, 6\], as weights/, () => relative.values(q, table, { index })],
      [
        /^k must have shape/,
        () => relative.transformerXL({ q, k: q, r: sines.slice(0, 7) }, { u, projection: W }),
      ],
      [/^k must be a tensor/, () => relative.transformerXL({ q, r: random([Tk, D]) }, { u })],
      [/^r must have a row for each of 4/, () => relative.transformerXL({ q, r: random([3, D]) })],
      [/^r must have shape \[R, 6\]/, () => relative.transformerXL({ q, r: sines })],
      [
        /^r must have shape \[Tk, E\]/,
        () => relative.transformerXL({ q, r: [1] }, { projection: W }),
      ],
      [
        /^projection must have shape \[12, 3\]/,
        () => relative.transformerXL({ q, r: random([7, 3]) }, { projection: W }),
      ],
      [
        /^u must have shape \[2, 6\] or \[6\]/,
        () => relative.transformerXL({ q, k, r: random([Tk, D]) }, { u: [1] }),
      ],
      [/^x must have shape \[..., Tq, R\]/, () => relative.shift([1, 2])],
      [
        /^maxDistance must be above half of the buckets/,
        () => relative.deberta(2, { maxDistance: 129 }),
      ],
      [/^buckets must be 0 or at least 2/, () => relative.deberta(2, { buckets: 1 })],
      [
        /^offset must be a whole number from -\d+ to \d+; got /,
        () => relative.shaw(2, 1, { offset: 2 ** 31 - 1 }),
      ],
    ];
    for (const [message, call] of clashes) {
      assert.throws(call, (error) => {
        assert.ok(error instanceof RangeError || error instanceof TypeError);
        assert.match(error.message, message);
        assert.match(error.message, /^.+ must .+; got .+$/s);
        return true;
      });
    }
  });
});

const GRID = /** @type {const} */ ({ keys: ["count"], offset: ["whole"], out: ["ints"] });
const BUCKETS = /** @type {const} */ ({
  buckets: ["count"],
  maxDistance: ["count"],
  beyond: ["word"],
  precision: ["word"],
});
const rows = [[1], [2], [3], [4]];

battery("relative.shaw", {
  call: ({ T, most, $ }) => relative.shaw(T, most, $),
  good: { T: 2, most: 3 },
  args: { T: ["length", "length"], most: ["count", "maxDistance"], $: ["options"], ...GRID },
});

battery("relative.bert", {
  call: ({ T, most, $ }) => relative.bert(T, most, $),
  good: { T: 2, most: 3 },
  args: { T: ["length", "length"], most: ["size", "maxLength"], $: ["options"], ...GRID },
});

battery("relative.deberta", {
  call: ({ T, $ }) => relative.deberta(T, $),
  good: { T: 2 },
  args: { T: ["length", "length"], $: ["options"], ...GRID, ...BUCKETS },
});

battery("relative.debertaBuckets", {
  call: ({ T, $ }) => relative.debertaBuckets(T, $),
  good: { T: 2 },
  args: { T: ["length", "length"], $: ["options"], ...GRID, ...BUCKETS },
});

battery("relative.debertaScale", {
  call: ({ dim, $ }) => relative.debertaScale(dim, $),
  good: { dim: 2 },
  args: { dim: ["size"], $: ["options"], terms: ["count"] },
});

battery("relative.scores", {
  call: ({ x, table, $ }) => relative.scores(x, table, $),
  good: { x: rows, table: rows, $: { index: relative.shaw(4, 1) } },
  args: {
    x: ["tensor"],
    table: ["tensor"],
    $: ["options", "options", "index"],
    index: ["ids"],
    of: ["word"],
    scale: ["number"],
    add: ["tensorOption"],
    out: ["floats"],
  },
});

battery("relative.values", {
  call: ({ weights, table, $ }) => relative.values(weights, table, $),
  good: { weights: [[1, 2]], table: rows, $: { index: [[0, 3]] } },
  args: {
    weights: ["tensor"],
    table: ["tensor"],
    $: ["options", "options", "index"],
    index: ["ids"],
    out: ["floats"],
  },
});

battery("relative.transformerXL", {
  call: ({ q, k, r, $ }) => relative.transformerXL({ q, k, r }, $),
  good: { q: rows, k: rows, r: rows, $: { u: [1] } },
  args: {
    q: ["tensor"],
    k: ["tensor"],
    r: ["tensor"],
    $: ["options"],
    u: ["tensorOption"],
    v: ["tensorOption"],
    projection: ["tensorOption"],
    scale: ["number"],
    out: ["floats"],
  },
});

battery("relative.transformerXL of inputs", {
  call: ({ inputs }) => relative.transformerXL(inputs),
  good: { inputs: { q: rows, r: rows } },
  args: { inputs: ["options", "inputs", "q"] },
});

battery("relative.shift", {
  call: ({ x, $ }) => relative.shift(x, $),
  good: { x: rows },
  args: { x: ["tensor"], $: ["options"], upper: ["word"], out: ["floats"] },
});
