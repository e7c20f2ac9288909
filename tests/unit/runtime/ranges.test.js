// What an argument must be where nothing is allowed: messages name no range from 0 to -1.
import assert from "node:assert/strict";
import { test } from "node:test";
import { safetensors, vocabulary } from "phasor/files";
import { figures } from "phasor/plots";
import { readOrder } from "../../../src/runtime/axes.js";
import { idsRule, integer, rowsRule, wholeRule } from "../../../src/runtime/check.js";
import { readIds } from "../../../src/runtime/ids.js";
import { phasor, Tensor } from "../../phasor.js";
import { emptyRange } from "../../ranges.js";

test("emptyRange finds ranges that no number is in, and no others", () => {
  const empty = [
    "from 2 to 0 in",
    "from 0 to -1; got",
    "ids, 7 to 6",
    "from 1 to below 1",
    "at most -2",
  ];
  for (const text of empty) assert.ok(emptyRange(`x must be ${text}`), text);
  const others = ["from 0 to 0", "from -2 to -1", "from -3 to 2", "from 1 to below 2", "at most 0"];
  for (const text of others) assert.equal(emptyRange(`x must be ${text}`), undefined, text);
});

const none = new Float32Array(0);

/** @type {Record<string, [call: () => unknown, message: RegExp]>} */
const calls = {
  "an index": [
    () => integer(0, "index", 0, -1),
    /^index must be left out, because no number is allowed here; got 0$/,
  ],
  "an id": [() => readIds([7], 0), /^ids must be empty, because there are no rows; got 7 at 0$/],
  "an axis of a number": [() => readOrder([0], "axes", 0), /^axes must be empty; got \[0\]$/],
  "a row of an empty index": [
    () => phasor.nearest.index(new Tensor(none, [0, 2])).rows([4]),
    /^NearestIndex\.rows: ids must be empty, because there are no rows; got 4 at 0$/,
  ],
  "a header of a file of 8 bytes": [
    () => safetensors.read(new Uint8Array(8)),
    /^file must begin with/,
  ],
  "a header of a file of 9 bytes": [
    () => safetensors.read(new Uint8Array(9)),
    /^file must begin with/,
  ],
  "a token of none": [
    async () => (await vocabulary.words(new Blob([]))).text(0),
    /id must be left out, because no number is allowed here; got 0$/,
  ],
  "a point of none": [
    () => figures().scatter(none, { highlight: [0] }),
    /highlight\[0\] must be left out, because no number is allowed here; got 0$/,
  ],
  "a cell of none": [
    () => figures().heatmap([], { marks: [[0, 0]] }),
    /marks\[0\]\[0\] must be left out, because no number is allowed here; got 0$/,
  ],
};

for (const [what, [call, message]] of Object.entries(calls)) {
  test(`${what}: the rule is no empty range`, async () => {
    await assert.rejects(
      async () => call(),
      (/** @type {Error} */ error) => {
        assert.equal(emptyRange(error.message), undefined, error.message);
        assert.match(error.message, message);
        return true;
      },
    );
  });
}

test("rules name ranges where there are numbers", () => {
  assert.equal(wholeRule(-3, 2), "a whole number from -3 to 2");
  assert.equal(wholeRule(0, 0), "a whole number from 0 to 0");
  assert.equal(idsRule(1), "whole numbers from 0 to 0");
  assert.equal(rowsRule(3), "rows from 0 to 2");
  assert.equal(rowsRule(0), "no rows");
});
