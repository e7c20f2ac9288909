import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { counts } from "./golden.js";

/** How many cases of each op the tests check: what they ask `cases(op, number)` for. */
function checked() {
  /** @type {Map<string, number>} */
  const found = new Map();
  const tests = new URL("..", import.meta.url);
  const files = readdirSync(tests, { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".test.js"))) {
    if (/\boracle\b/.test(file)) continue; // it looks at them from another side
    const text = readFileSync(new URL(file.replaceAll("\\", "/"), tests), "utf8");
    for (const [, op, number] of text.matchAll(/\bcases\(\s*"(\w+)",\s*(\d+)/g)) {
      found.set(op, (found.get(op) ?? 0) + Number(number));
    }
  }
  return found;
}

test("a test checks each of the 416 golden cases", (t) => {
  const found = checked();
  const sum = (/** @type {Iterable<number>} */ numbers) => [...numbers].reduce((a, b) => a + b, 0);
  assert.equal(sum(counts.values()), 416);
  for (const op of new Set([...counts.keys(), ...found.keys()])) {
    assert.equal(found.get(op) ?? 0, counts.get(op), `cases of ${op}`);
  }
  for (const [op, number] of [...found].sort()) t.diagnostic(`${op}: ${number} checked`);
});
