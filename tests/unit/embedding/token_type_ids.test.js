import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { declaredBattery } from "../battery.js";
import { phasor } from "../../phasor.js";

const { tokenTypeIds } = phasor;

/** Ids of [CLS] A [SEP] B [SEP] or [CLS] A [SEP]. @param {number[]} lengths */
function pair(lengths) {
  return lengths.reduce(
    (ids, length, text) => [...ids, ...new Array(length).fill(2000 + text), 102],
    [101],
  );
}

describe("tokenTypeIds.ids", () => {
  test("tokenTypeIds.ids gives [CLS] A [SEP] 0 and B [SEP] 1", () => {
    assert.deepEqual(tokenTypeIds.ids([3, 2]).toArray(), [0, 0, 0, 0, 0, 1, 1, 1]);
    assert.deepEqual(tokenTypeIds.ids([2]).toArray(), [0, 0, 0, 0]);
    assert.deepEqual(tokenTypeIds.ids([0, 0]).toArray(), [0, 0, 1]);
    assert.equal(tokenTypeIds.ids([1, 1]).dtype, "int32");
  });

  test("tokenTypeIds.ids is one segment for RoBERTa, with four special tokens in a pair", () => {
    assert.deepEqual(tokenTypeIds.ids([3, 2], { form: "roberta" }).toArray(), new Array(9).fill(0));
    assert.deepEqual(tokenTypeIds.ids([3], { form: "roberta" }).toArray(), new Array(5).fill(0));
  });

  test("tokenTypeIds.ids pads with 0 up to a length, and rejects a shorter one", () => {
    assert.deepEqual(tokenTypeIds.ids([1, 1], { length: 8 }).toArray(), [0, 0, 0, 1, 1, 0, 0, 0]);
    assert.deepEqual(tokenTypeIds.ids([1, 1], { length: 5 }).toArray(), [0, 0, 0, 1, 1]);
    assert.throws(
      () => tokenTypeIds.ids([1, 1], { length: 4 }),
      /^RangeError: \S+: length must be a whole number from 5 to .+; got 4$/,
    );
  });

  test("tokenTypeIds.ids accepts one text or two", () => {
    assert.throws(
      () => tokenTypeIds.ids([]),
      /^RangeError: \S+: lengths must be 1 or 2 numbers; got shape \[0\]$/,
    );
    assert.throws(
      () => tokenTypeIds.ids([1, 2, 3]),
      /^RangeError: \S+: lengths must be 1 or 2 numbers; got shape \[3\]$/,
    );
  });
});

describe("tokenTypeIds.fromIds", () => {
  test("tokenTypeIds.fromIds derives from the separators what tokenTypeIds.ids derives from the lengths", () => {
    for (const lengths of [[0], [4], [0, 0], [1, 5], [7, 3]]) {
      const ids = pair(lengths);
      assert.deepEqual(tokenTypeIds.fromIds(ids), tokenTypeIds.ids(lengths));
      const padded = [...ids, 0, 0, 0];
      const length = padded.length;
      assert.deepEqual(tokenTypeIds.fromIds(padded), tokenTypeIds.ids(lengths, { length }));
    }
  });

  test("tokenTypeIds.fromIds starts again in every row", () => {
    const rows = [
      [...pair([1, 1]), 0],
      [...pair([2]), 0, 0],
      [0, ...pair([0, 2])],
    ];
    assert.deepEqual(tokenTypeIds.fromIds(rows).toArray(), [
      [0, 0, 0, 1, 1, 0],
      [0, 0, 0, 0, 0, 0],
      [0, 0, 0, 1, 1, 1],
    ]);
    assert.deepEqual(tokenTypeIds.fromIds([rows, rows]).shape, [2, 3, 6]);
    assert.deepEqual(tokenTypeIds.fromIds({ data: [], shape: [2, 0] }).shape, [2, 0]);
  });

  test("tokenTypeIds.fromIds accepts other models' separators and padding", () => {
    const ids = [5, 1, 3, 6, 3, 9];
    const options = { separator: 3, paddingIdx: 9 };
    assert.deepEqual(tokenTypeIds.fromIds(ids, options).toArray(), [0, 0, 0, 1, 1, 0]);
  });

  test("tokenTypeIds.fromIds rejects a third text and leaves out unchanged", () => {
    const out = new Int32Array(5).fill(7);
    assert.throws(
      () => tokenTypeIds.fromIds([101, 102, 102, 5, 0], { out }),
      /^RangeError: \S+: ids must contain at most two texts a row, each ended by 102; got a third at 3$/,
    );
    assert.deepEqual(out, new Int32Array(5).fill(7));
  });
});

declaredBattery(
  "tokenTypeIds.ids",
  { lengths: [1, 1] },
  { lengths: ["lengths", "lengths", "lengths[0]"], out: ["ints"] },
);

declaredBattery(
  "tokenTypeIds.fromIds",
  { ids: [101, 1, 102] },
  { ids: ["tokenIds"], out: ["ints"] },
);
