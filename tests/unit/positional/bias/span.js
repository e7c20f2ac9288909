import assert from "node:assert/strict";
import { test } from "node:test";
import { floats } from "../../reference/samples.js";

/**
 * @param {string} name
 * @param {(options: object) => import("../../../phasor.js").Tensor} make  the bias of 2 heads and 3 queries
 */
export function testSpan(name, make) {
  test(`${name} writes into out and returns it, and is empty for zero keys`, () => {
    const out = new Float32Array(2 * 3 * 4);
    const got = make({ keys: 4, out });
    assert.equal(floats(got), out);
    assert.deepEqual(got, make({ keys: 4 }));
    assert.deepEqual(make({ keys: 0 }).shape, [2, 3, 0]);
    assert.notDeepEqual(make({ causal: true }), make({}));
    assert.deepEqual(make({ causal: false }), make({}));
  });
}
