// What npm run x -- test:bits does in every engine, in this one.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import * as phasor from "phasor";
import * as lab from "phasor/lab";
import * as scalar from "phasor/scalar";
import { differing, recorded } from "../../../scripts/test/bits.js";
import { buildScalarLab } from "../../../scripts/test/builds.js";
import { calls } from "../../calls.js";
import { isNight } from "../../sample.js";
import { trained } from "./lab.js";
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

test("bits: the lab trains to the recorded weights with every scheme, 200 steps", async () => {
  assert.deepEqual(await trained(lab), expected.lab);
});

test("bits: the lab without SIMD trains to the same weights, 20 steps, at night 200", async () => {
  const made = await import(pathToFileURL(await buildScalarLab()).href);
  const found = await trained(made, isNight ? 200 : 20);
  assert.equal(Object.keys(found).length, isNight ? 24 : 12);
  for (const [name, hash] of Object.entries(found)) assert.equal(hash, expected.lab[name], name);
});

test("bits: there are a thousand results, from every function", () => {
  assert.ok(expected.count >= 1000, `${expected.count}`);
  assert.deepEqual(Object.keys(expected.functions), Object.keys(calls).sort());
});

test("bits: the report names a function whose bits differ", () => {
  const [name] = Object.keys(expected.functions);
  const other = { ...expected, functions: { ...expected.functions, [name]: "0" } };
  assert.deepEqual(differing(other, expected), [name]);
});
