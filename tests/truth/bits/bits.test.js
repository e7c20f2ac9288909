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
import { isNight, sampled } from "../../sample.js";
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

/** Builds of the lab. @type {[string, () => Promise<Pick<typeof lab, "load">>][]} */
const labs = [
  ["the lab", async () => lab],
  ["the lab without SIMD", async () => import(pathToFileURL(await buildScalarLab()).href)],
];

for (const [name, open] of sampled(labs, 0)) {
  test(`bits: ${name} trains to the recorded weights with every scheme, 20 steps, at night 200`, async () => {
    const found = await trained(await open(), isNight ? 200 : 20);
    const made = Object.entries(expected.lab).filter(([name]) => isNight || name.endsWith(" 20"));
    assert.equal(made.length, isNight ? 24 : 12);
    assert.deepEqual(found, Object.fromEntries(made));
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
