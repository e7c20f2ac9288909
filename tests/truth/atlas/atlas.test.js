// Families as transformers' own code runs them: a recorded sample of `npm run x -- test:atlas`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compare } from "./compare.js";
import { phasor } from "../../phasor.js";
import { safetensors } from "phasor/files";
import { models } from "phasor/models";
import { open } from "phasor/open";

const sample = new URL("./", import.meta.url);
const families = JSON.parse(readFileSync(new URL("sample.json", sample), "utf8"));
const file = await safetensors.read(readFileSync(new URL("sample.safetensors", sample)));

/** Families of the sample that rotate. */
const ROTATING = new Set(Object.keys(families).filter((name) => rotates(families[name])));

/** @param {{runs: Record<string, {layers: object}>}} facts */
function rotates({ runs }) {
  return Object.values(runs).some(({ layers }) => Object.keys(layers).length > 0);
}

for (const [family, facts] of Object.entries(families)) {
  test(`models: ${family} agrees with a run of transformers`, async () => {
    const prefix = `${family}/`;
    const names = file.names.filter((name) => name.startsWith(prefix));
    const entries = names.map(async (name) => [name.slice(prefix.length), await file.tensor(name)]);
    const tensors = Object.fromEntries(await Promise.all(entries));
    const row = await compare(facts, tensors, { models, open, phasor, safetensors });
    const [rotates, enters] = [ROTATING.has(family), "near.input" in tensors];
    assert.ok(rotates || enters, "the sample has nothing of the family");
    assert.equal(row.rotation, rotates ? "agrees" : "not compared", row.why.join("; "));
    assert.equal(row.input, enters ? "agrees" : "not compared", row.why.join("; "));
  });
}

test("models: the sample contains rotations and inputs", () => {
  assert.ok(ROTATING.size >= 15, String(ROTATING.size));
  assert.ok(file.names.filter((name) => name.endsWith("/near.input")).length >= 14);
});
