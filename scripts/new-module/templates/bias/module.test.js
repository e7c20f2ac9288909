import assert from "node:assert/strict";
import { test } from "node:test";
import { declaredBattery } from "__UP__/battery.js";
import { phasor } from "__UP__/../phasor.js";

const { __EXPORT__ } = phasor;

test("__EXPORT__.bias equals its formula", () => {
  const bias = __EXPORT__.bias(2, 1, { keys: 3 });
  // FILL IN golden values, or a slow reference under tests/unit/reference/: these are those of the template.
  assert.deepEqual(bias.toArray(), [[[-2, -1, 0]], [[-1, -0.5, 0]]]);
});

test("__EXPORT__.bias fills out, hides keys after the query, and is empty where there are no keys", () => {
  const out = new Float32Array(2 * 3 * 4);
  const bias = __EXPORT__.bias(2, 3, { keys: 4, out });
  assert.equal(bias.data, out);
  assert.deepEqual(bias, __EXPORT__.bias(2, 3, { keys: 4 }));
  assert.equal(__EXPORT__.bias(1, 2, { causal: true }).at(0, 0, 1), -Infinity);
  assert.deepEqual(__EXPORT__.bias(2, 3, { keys: 0 }).shape, [2, 3, 0]);
});

// FILL IN the kind (WRONG in tests/unit/battery.js) of each option whose declaration does not tell it.
declaredBattery("__EXPORT__.bias", { heads: 1, length: 2 }, { offset: ["reach"] });
