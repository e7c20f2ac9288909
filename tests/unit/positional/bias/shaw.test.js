import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertRefused, declaredBattery } from "../../battery.js";
import { phasor } from "../../../phasor.js";
import { dot, softmax } from "../../reference/attention.js";
import * as reference from "../../reference/relative.js";
import { numbers } from "../../reference/samples.js";
import { random } from "../../tensors.js";

const { attention, shaw } = phasor;

/** One float32 rounding, of what a float32 can hold near 1. */
const ROUNDING = 2 ** -24;

describe("shaw.index and shaw.bertIndex", () => {
  test("shaw.index clips the distance from query to key", () => {
    const K = 3;
    const got = shaw.index(4, K, { keys: 9 });
    assert.deepEqual(got.shape, [4, 9]);
    for (let i = 0; i < 4; ++i) {
      for (let j = 0; j < 9; ++j) {
        assert.equal(got.at(i, j), Math.min(Math.max(j - (i + 5), -K), K) + K);
      }
    }
    assert.deepEqual(shaw.index(2, 0).toArray(), [
      [0, 0],
      [0, 0],
    ]);
    assert.deepEqual(shaw.index(1, 2, { keys: 4, offset: 0 }).toArray(), [[2, 3, 4, 4]]);
  });

  test("shaw.bertIndex counts from its largest negative distance", () => {
    assert.deepEqual(shaw.bertIndex(3, 3).toArray(), [
      [2, 1, 0],
      [3, 2, 1],
      [4, 3, 2],
    ]);
    assert.throws(
      () => shaw.bertIndex(4, 3),
      /^RangeError: \S+: maxLength must be above the largest distance/,
    );
    assert.throws(() => shaw.bertIndex(1, 3, { offset: 3 }), /^RangeError: \S+: maxLength must/);
  });

  test("shaw's indices are empty for zero tokens", () => {
    for (const index of [shaw.index, shaw.bertIndex])
      assert.deepEqual(index(2, 9, { keys: 0 }).shape, [2, 0]);
  });
});

describe("shaw.scores and shaw.values", () => {
  const [B, H, Tq, Tk, D, V, K] = [2, 3, 5, 8, 6, 7, 2];
  const q = random([B, H, Tq, D], 1);
  const k = random([B, H, Tk, D], 2);
  const v = random([B, H, Tk, V], 3);
  const aK = random([2 * K + 1, D], 4);
  const aV = random([2 * K + 1, V], 5);
  const index = shaw.index(Tq, K, { keys: Tk });

  test("shaw.scores and shaw.values with attention.scaledDotProduct give Shaw's attention", () => {
    const scale = 1 / Math.sqrt(D);
    const bias = shaw.scores(q, aK, { index, scale });
    const { output, weights } = attention.scaledDotProduct({ q, k, v }, { bias });
    const more = shaw.values(weights, aV, { index });
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

  test("shaw.scores multiplies the queries or the keys, for all heads or each", () => {
    const each = random([H, 2 * K + 1, D], 6);
    for (const table of [aK, each]) {
      for (const of of /** @type {const} */ (["queries", "keys"])) {
        const x = of === "queries" ? q : k;
        const got = shaw.scores(x, table, { index, of, scale: 0.5 });
        const added = shaw.scores(x, table, { index, of, scale: 0.5, add: got });
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

  test("shaw.scores of queries and keys give BERT's relative_key_query", () => {
    const M = 9;
    const E = random([2 * M - 1, D], 11);
    const at = shaw.bertIndex(Tk, M);
    const scale = 1 / Math.sqrt(D);
    const x = random([Tk, D], 12);
    const y = k.row(0).row(0);
    const one = shaw.scores(x, E, { index: at, scale });
    const bias = shaw.scores(y, E, { index: at, of: "keys", scale, add: one });
    const got = attention.scores(x, y, { bias });
    for (let i = 0; i < Tk; ++i) {
      for (let j = 0; j < Tk; ++j) {
        const [query, key, e] = [x.row(i), y.row(j), E.row(i - j + M - 1)].map(numbers);
        const want = (dot(query, key) + dot(query, e) + dot(key, e)) * scale;
        assert.ok(Math.abs(got.at(i, j) - want) <= 4 * 2 * ROUNDING);
      }
    }
  });

  test("shaw.scores and shaw.values name the argument with the wrong shape", () => {
    const [H, Tq, Tk, D] = [2, 4, 7, 6];
    const [q, k] = [random([H, Tq, D], 21), random([H, Tk, D], 22)];
    const index = shaw.index(Tq, 1, { keys: Tk });
    const table = random([3, D], 32);
    /** @type {[RegExp, () => unknown][]} */
    const clashes = [
      [/^\S+: index must have shape \[4, keys\]/, () => shaw.scores(q, table, { index: [[0]] })],
      [
        /^\S+: index must have shape \[queries, 7\]/,
        () => shaw.scores(k, table, { index: [[0]], of: "keys" }),
      ],
      [/^\S+: index must have shape \[Tq, Tk\]/, () => shaw.scores(q, table, { index: [0] })],
      [
        /^\S+: table must have shape \[R, 6\] or \[2, R, 6\]/,
        () => shaw.scores(q, [[1]], { index }),
      ],
      [/^shaw\.scores: table must/, () => shaw.scores(q, random([3, 3, D]), { index })],
      [/^\S+: add must have shape \[2, 4, 7\]/, () => shaw.scores(q, table, { index, add: [[1]] })],
      [/^\S+: index must have shape \[4, 6\], as weights/, () => shaw.values(q, table, { index })],
      [
        /^\S+: offset must be a whole number from -\d+ to \d+; got /,
        () => shaw.index(2, 1, { offset: 2 ** 31 - 1 }),
      ],
    ];
    for (const [message, call] of clashes) assertRefused(message, call);
  });
});

const GRID = /** @type {const} */ ({ offset: ["whole"], out: ["ints"] });
const INDEXED = /** @type {const} */ ({ $: ["options", "options", "index"], index: ["ids"] });
const rows = [[1], [2], [3], [4]];

declaredBattery("shaw.index", { length: 2, maxDistance: 3 }, { maxDistance: ["count"], ...GRID });

declaredBattery("shaw.bertIndex", { length: 2, maxLength: 3 }, { maxLength: ["size"], ...GRID });

declaredBattery(
  "shaw.scores",
  { x: rows, table: rows, $: { index: shaw.index(4, 1) } },
  { table: ["tensor"], ...INDEXED },
);

declaredBattery(
  "shaw.values",
  { weights: [[1, 2]], table: rows, $: { index: [[0, 3]] } },
  { table: ["tensor"], ...INDEXED },
);
