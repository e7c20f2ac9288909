import assert from "node:assert/strict";
import { test } from "node:test";
import { declaredBattery } from "__UP__/battery.js";
import { phasor } from "__UP__/../phasor.js";

const { __EXPORT__ } = phasor;

test("__EXPORT__.table equals its formula", () => {
  const table = __EXPORT__.table(3, 2);
  // FILL IN golden values, or a slow reference under tests/unit/reference/: these are those of the template.
  assert.deepEqual(Array.from(table.data), [0, 0, 1, 1, 2, 2]);
});

declaredBattery("__EXPORT__.table", { length: 2, dim: 4 });
