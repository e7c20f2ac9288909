// A minute of mutated files, for each reader in turn. `npm run fuzz -- --minutes 60` does so for an hour.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fuzz } from "./fuzz.js";
import { attackAllOptions } from "./options.js";

const SECONDS = 45; // with those that Python's readers and the start take, about a minute

test("fuzz: every mutated file is refused by the rules or read as it says", async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const { counts, found, python } = await fuzz({ seconds: SECONDS, seed });
  const lines = Object.entries(counts).map(
    ([name, { executions, accepted }]) => `${name}: ${executions} executions, ${accepted} accepted`,
  );
  for (const line of [`seed ${seed}`, ...lines]) t.diagnostic(line);
  t.diagnostic(`compared with Python: ${JSON.stringify(python.compared)}`);
  for (const [reader, why] of Object.entries(python.skipped)) {
    t.diagnostic(`not compared with Python, ${reader}: ${why}`);
  }
  for (const [name, { accepted, refused }] of Object.entries(counts)) {
    assert.ok(accepted > 0 && refused > 0, `${name}: some files are read, some refused`);
  }
  const shown = found.slice(0, 5).map(
    ({ target, index, broken }) =>
      `npm run fuzz -- --replay "${target}" --seed ${seed} --case ${index}\n  ${broken}`, // prettier-ignore
  );
  assert.equal(found.length, 0, shown.join("\n"));
});

test("fuzz: options and arguments of every function give errors by the rules or sound results", async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  t.diagnostic(`seed ${seed}`);
  const { executions, accepted } = await attackAllOptions({ runs: 300, seed });
  t.diagnostic(`${executions} calls, ${accepted} computed`);
  assert.ok(accepted > executions / 10, "many of them are computed");
});
