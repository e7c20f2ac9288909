import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery } from "../battery.js";
import { phasor, Tensor } from "../phasor.js";

const { segment } = phasor;

/** Ids of [CLS] A [SEP] B [SEP] or [CLS] A [SEP]. @param {number[]} lengths */
function pair(lengths) {
  return lengths.reduce(
    (ids, length, text) => [...ids, ...new Array(length).fill(2000 + text), 102],
    [101],
  );
}

describe("segment.ids", () => {
  test("segment.ids gives [CLS] A [SEP] 0 and B [SEP] 1", () => {
    assert.deepEqual(segment.ids([3, 2]).toArray(), [0, 0, 0, 0, 0, 1, 1, 1]);
    assert.deepEqual(segment.ids([2]).toArray(), [0, 0, 0, 0]);
    assert.deepEqual(segment.ids([0, 0]).toArray(), [0, 0, 1]);
    assert.equal(segment.ids([1, 1]).dtype, "int32");
  });

  test("segment.ids is one segment for RoBERTa, with four special tokens in a pair", () => {
    assert.deepEqual(segment.ids([3, 2], { form: "roberta" }).toArray(), new Array(9).fill(0));
    assert.deepEqual(segment.ids([3], { form: "roberta" }).toArray(), new Array(5).fill(0));
  });

  test("segment.ids pads with 0 up to a length, and refuses a shorter one", () => {
    assert.deepEqual(segment.ids([1, 1], { length: 8 }).toArray(), [0, 0, 0, 1, 1, 0, 0, 0]);
    assert.deepEqual(segment.ids([1, 1], { length: 5 }).toArray(), [0, 0, 0, 1, 1]);
    assert.throws(
      () => segment.ids([1, 1], { length: 4 }),
      /^RangeError: length must be a whole number from 5 to .+; got 4$/,
    );
  });

  test("segment.ids takes one text or two", () => {
    assert.throws(() => segment.ids([]), /^RangeError: lengths must be of one .+; got 0$/);
    assert.throws(() => segment.ids([1, 2, 3]), /^RangeError: lengths must be of one .+; got 3$/);
  });

  test("segment.ids fills out and leaves it untouched on refusal", () => {
    const out = new Int32Array(5).fill(7);
    assert.throws(() => segment.ids([1, 1], { out, length: 6 }), RangeError);
    assert.deepEqual(out, new Int32Array(5).fill(7));
    assert.equal(segment.ids([1, 1], { out }).data, out);
    assert.deepEqual([...out], [0, 0, 0, 1, 1]);
  });
});

describe("segment.fromIds", () => {
  test("segment.fromIds tells from the separators what segment.ids tells from the lengths", () => {
    for (const lengths of [[0], [4], [0, 0], [1, 5], [7, 3]]) {
      const ids = pair(lengths);
      assert.deepEqual(segment.fromIds(ids), segment.ids(lengths));
      const padded = [...ids, 0, 0, 0];
      const length = padded.length;
      assert.deepEqual(segment.fromIds(padded), segment.ids(lengths, { length }));
    }
  });

  test("segment.fromIds starts anew in every row", () => {
    const rows = [
      [...pair([1, 1]), 0],
      [...pair([2]), 0, 0],
      [0, ...pair([0, 2])],
    ];
    assert.deepEqual(segment.fromIds(rows).toArray(), [
      [0, 0, 0, 1, 1, 0],
      [0, 0, 0, 0, 0, 0],
      [0, 0, 0, 1, 1, 1],
    ]);
    assert.deepEqual(segment.fromIds([rows, rows]).shape, [2, 3, 6]);
    assert.deepEqual(segment.fromIds({ data: [], shape: [2, 0] }).shape, [2, 0]);
  });

  test("segment.fromIds takes other models' separators and padding", () => {
    const ids = [5, 1, 3, 6, 3, 9];
    const options = { separator: 3, paddingIdx: 9 };
    assert.deepEqual(segment.fromIds(ids, options).toArray(), [0, 0, 0, 1, 1, 0]);
  });

  test("segment.fromIds refuses a third text, in words, with out untouched", () => {
    const out = new Int32Array(5).fill(7);
    assert.throws(
      () => segment.fromIds([101, 102, 102, 5, 0], { out }),
      /^RangeError: ids must hold at most two texts a row, each ended by 102; got a third at 3$/,
    );
    assert.deepEqual(out, new Int32Array(5).fill(7));
  });

  test("segment.fromIds may work in place", () => {
    const ids = Int32Array.from(pair([2, 1]));
    const want = segment.fromIds(ids.slice());
    assert.deepEqual(segment.fromIds(ids, { out: ids }), want);
    assert.ok(want instanceof Tensor);
  });
});

battery("segment.ids", {
  call: ({ lengths, $ }) => segment.ids(lengths, $),
  good: { lengths: [1, 1] },
  args: {
    lengths: ["lengths"],
    $: ["options"],
    form: ["word"],
    length: ["sizeOption"],
    out: ["ints"],
  },
});

battery("segment.fromIds", {
  call: ({ ids, $ }) => segment.fromIds(ids, $),
  good: { ids: [101, 1, 102] },
  args: {
    ids: ["tokenIds", "ids", "ids.shape"],
    $: ["options"],
    separator: ["seed"],
    paddingIdx: ["seed"],
    out: ["ints"],
  },
});
