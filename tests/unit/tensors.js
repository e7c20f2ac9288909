import assert from "node:assert/strict";
import { Tensor } from "../phasor.js";
import { noise } from "./reference/samples.js";

/**
 * Numbers from -1 to 1, the same each time.
 * @param {readonly number[]} shape @param {number} [seed]
 */
export function random(shape, seed) {
  const size = shape.reduce((product, length) => product * length, 1);
  return new Tensor(noise(size, seed), shape);
}

/** @param {ArrayLike<number | bigint>} got @param {ArrayLike<number | bigint>} want @param {number} most */
export function assertNear(got, want, most) {
  assert.equal(got.length, want.length);
  Array.from(got, Number).forEach((x, k) => {
    assert.ok(Math.abs(x - Number(want[k])) <= most, `${x} for ${want[k]} at ${k}`);
  });
}
