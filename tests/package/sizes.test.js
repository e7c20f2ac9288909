import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { entriesOf } from "../../scripts/entries.js";
import { project } from "../../scripts/setup.js";
import { budgets, sizeOf, sizes } from "../../scripts/sizes.js";

test("every entry of the package has a budget, and no budget is left over", () => {
  assert.deepEqual(
    Object.keys(budgets),
    entriesOf().map(({ name }) => name),
  );
});

test("no entry grows unnoticed: by gzip it keeps within its budget", async () => {
  for (const [name, { gzip }] of await sizes()) {
    const budget = budgets[name] * 1024;
    assert.ok(gzip <= budget, `${name} takes ${gzip} bytes by gzip; ${budget} is its budget`);
  }
});

test("no budget is so wide that an entry could grow by a tenth and more unnoticed", async () => {
  for (const [name, { gzip }] of await sizes()) {
    const slack = budgets[name] * 1024 - gzip;
    assert.ok(slack <= Math.max(gzip / 10, 1024), `${name}: ${slack} bytes of slack; lower it`);
  }
});

test("sizeOf counts bytes, not letters", () => {
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
