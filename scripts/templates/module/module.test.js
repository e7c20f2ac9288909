import assert from "node:assert/strict";
import { test } from "node:test";
import { battery } from "__UP__/battery.js";
import { load } from "__UP__/phasor.js";

const { __EXPORT__ } = await load();

test("__EXPORT__.table equals its formula", () => {
  const table = __EXPORT__.table(3, 2);
  // FILL IN golden values, or a slow reference under tests/reference/: these are those of the template.
  assert.deepEqual(Array.from(table.data), [0, 0, 1, 1, 2, 2]);
});

battery("__EXPORT__.table", {
  call: ({ T, dim, $ }) => __EXPORT__.table(T, dim, $),
  good: { T: 2, dim: 4 },
  args: { T: ["length", "length"], dim: ["size"], $: ["options"], out: ["floats"] },
});
