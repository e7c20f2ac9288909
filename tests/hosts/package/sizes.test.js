import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { entriesOf } from "../../../scripts/package/entries.js";
import { project } from "../../../scripts/setup/setup.js";
import { budgets, sizeOf, sizes } from "../../../scripts/package/sizes.js";

test("every entry of the package has a budget, and every budget an entry", () => {
  assert.deepEqual(
    Object.keys(budgets),
    entriesOf().map(({ name }) => name),
  );
});

test("no entry exceeds its budget, compressed by gzip", async () => {
  for (const [name, { gzip }] of await sizes()) {
    const budget = budgets[name] * 1024;
    assert.ok(gzip <= budget, `${name} takes ${gzip} bytes by gzip; ${budget} is its budget`);
  }
});

test("no budget leaves an entry room to grow by a tenth or more", async () => {
  for (const [name, { gzip }] of await sizes()) {
    const slack = budgets[name] * 1024 - gzip;
    assert.ok(slack <= Math.max(gzip / 10, 1024), `${name}: ${slack} bytes of slack; lower it`);
  }
});

test("sizeOf counts bytes, not characters", () => {
  assert.equal(sizeOf("\u03b8").raw, 2);
});

test("the README names each entry with its budget", async () => {
  const readme = await readFile(join(project, "README.md"), "utf8");
  const rows = [...readme.matchAll(/^\| `(phasor(?:\/[\w.-]+)?)` .*\| ([\d.]+) +\|$/gm)];
  assert.deepEqual(
    Object.fromEntries(rows.map(([, name, budget]) => [name, Number(budget)])),
    budgets,
  );
});
