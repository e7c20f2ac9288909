import assert from "node:assert/strict";
import { test } from "node:test";
import { ulps } from "../../reference/exact.js";

/** Rounded once from double, whose error is far smaller: half an ULP. */
export const ONCE = 0.501;

/**
 * Within `ONCE` ULP, or what cancels in a sum of terms below 10 in double.
 * @param {number | bigint} got @param {number} want @param {string} label
 */
export function assertOnce(got, want, label) {
  if (Number(got) === want) return;
  const near = Math.abs(Number(got) - want) <= 1e-14;
  assert.ok(near || ulps(Number(got), want) <= ONCE, `${label}: ${got}, not ${want}`);
}

/**
 * @param {string} name
 * @param {(options: object) => import("../../../phasor.js").Tensor} make  the bias of 2 heads and 3 queries
 */
export function testSpan(name, make) {
  test(`${name} is empty for zero keys, and causal is an option`, () => {
    assert.deepEqual(make({ keys: 0 }).shape, [2, 3, 0]);
    assert.notDeepEqual(make({ causal: true }), make({}));
    assert.deepEqual(make({ causal: false }), make({}));
  });
}
