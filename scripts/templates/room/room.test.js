import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "__UP__/phasor.js";

const { __EXPORT__ } = await load();

test("__EXPORT__.table equals its formula", () => {
  const table = __EXPORT__.table(3, 2);
  // FILL IN: golden values, or a slow reference under tests/reference/ written from the paper.
  assert.deepEqual(table.shape, [3, 2]);
});

test("__EXPORT__.table refuses a width of 0 in words", () => {
  assert.throws(() => __EXPORT__.table(3, 0), /dim must be a whole number from 1 .*; got 0/);
});
