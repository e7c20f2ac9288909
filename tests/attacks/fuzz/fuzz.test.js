// The same mutated files and calls in every run of a change; the night draws others. `npm run x -- fuzz` makes others each
// time; `npm run x -- fuzz --minutes 60` does so for an hour. The readers, and Python's readers beside them, take 10 to 80 s.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SEED, isNight } from "../../sample.js";
import { fuzz } from "./fuzz.js";
import { attackAllOptions } from "./options.js";

const CASES = isNight ? 20_000 : 1_000; // of each reader

test("fuzz: every mutated file is rejected with a documented error or read correctly", async (t) => {
  const { counts, found, python } = await fuzz({ cases: CASES, seed: SEED });
  const lines = Object.entries(counts).map(
    ([name, { executions, accepted }]) => `${name}: ${executions} executions, ${accepted} accepted`,
  );
  for (const line of lines) t.diagnostic(line);
  t.diagnostic(`compared with Python: ${JSON.stringify(python.compared)}`);
  for (const [reader, why] of Object.entries(python.skipped)) {
    t.diagnostic(`not compared with Python, ${reader}: ${why}`);
  }
  for (const [name, { executions, accepted, refused }] of Object.entries(counts)) {
    if (found.length === 0) assert.equal(executions, CASES, name);
    assert.ok(accepted > 0 && refused > 0, `${name}: some files are read, some refused`);
  }
  const shown = found.slice(0, 5).map(
    ({ target, index, broken }) =>
      `npm run x -- fuzz --replay "${target}" --seed ${SEED} --case ${index}\n  ${broken}`, // prettier-ignore
  );
  assert.equal(found.length, 0, shown.join("\n"));
});

test("fuzz: options and arguments of every function give documented errors or valid results", async (t) => {
  const { executions, accepted } = await attackAllOptions({ runs: 300, seed: SEED });
  t.diagnostic(`${executions} calls, ${accepted} computed`);
  assert.ok(accepted > executions / 10, "many of them are computed");
});
