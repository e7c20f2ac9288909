// A thousandth of npm run x -- test:endurance.

import assert from "node:assert/strict";
import { test } from "node:test";
import { updates } from "./figures.js";
import { endure, growth, isFlat, runs } from "./runs.js";

for (const run of runs(1e-3)) {
  test(`endurance: ${run.name}, ${run.count} times, leaks no memory`, async () => {
    const taken = await endure(run);
    assert.ok(isFlat(taken), JSON.stringify(growth(taken)));
  });
}

test("endurance: updates of figures leak neither memory nor elements", async () => {
  const taken = await updates(100);
  assert.ok(isFlat(taken), JSON.stringify(growth(taken)));
});

test("endurance: a leak is found, in each kind of memory", async () => {
  /** @type {unknown[]} */
  const kept = [];
  let bytes = 0;
  /** @type {((i: number) => unknown)[]} */
  const leaks = [
    (i) => kept.push(Array.from({ length: 2000 }, () => i)),
    () => kept.push(new Uint8Array(10_000).fill(1)),
    () => (bytes += 65536),
  ];
  for (const step of leaks) {
    const make = async () => ({ step, wasm: () => bytes });
    assert.ok(!isFlat(await endure({ name: "a leak", count: 300, make })));
    kept.length = 0;
  }
});
