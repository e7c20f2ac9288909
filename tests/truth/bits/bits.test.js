// What npm run x -- test:bits does in every engine, in this one.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import * as phasor from "phasor";
import * as scalar from "phasor/scalar";
import { differing, recorded } from "../../../scripts/test/bits.js";
import { calls } from "../../calls.js";
import { results } from "./results.js";

const expected = JSON.parse(await readFile(recorded, "utf8"));

for (const [build, entry] of Object.entries({ phasor, "phasor/scalar": scalar })) {
  test(`bits: ${build} gives the recorded bits, also for NaN, infinities and denormals`, async () => {
    const found = await results(/** @type {any} */ (entry));
    assert.deepEqual(differing(found, expected), []);
    assert.equal(found.hash, expected.hash);
    assert.equal(found.count, expected.count);
  });
}

test("bits: there are a thousand results, from every function", () => {
  assert.ok(expected.count >= 1000, `${expected.count}`);
  assert.deepEqual(Object.keys(expected.functions), Object.keys(calls).sort());
});

test("bits: the report names a function whose bits differ", () => {
  const [name] = Object.keys(expected.functions);
  const other = { ...expected, functions: { ...expected.functions, [name]: "0" } };
  assert.deepEqual(differing(other, expected), [name]);
});
