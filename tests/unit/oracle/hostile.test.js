// Values that are not arrays of numbers: each kind names the argument, and the next call is as ever.
import assert from "node:assert/strict";
import { test } from "node:test";
import { identify } from "phasor/oracle";
import { Random } from "../../attacks/fuzz/random.js";
import { SEED } from "../../sample.js";
import { phasor } from "../../phasor.js";
import { WRONG } from "../battery.js";

/** @param {any} arrays @returns {Promise<any>} */
const asked = (arrays) => identify(arrays, { phasor });

const matrix = [[1, 2], [3, 4], [5, 6], [7, 8]]; // prettier-ignore

/** Good arrays of each kind, and what is said of them. @type {[good: any, sentence: RegExp][]} */
const GOOD = [
  [{ bias: [[0, -1], [-1, 0]] }, /^no name fits/],
  [{ table: matrix }, /^no name fits/],
  [{ positionIds: [[1, 0, 1]], mask: [[0, 1, 1]] }, /^tokens numbered from 0/],
  [{ weights: matrix, reference: matrix, heads: 1 }, /^rows of the reference, in the same order/],
]; // prettier-ignore

for (const [good, sentence] of GOOD) {
  for (const name of Object.keys(good)) {
    test(`hostile: ${name}`, async () => {
      const all = name === "heads" ? WRONG.size : name === "mask" ? WRONG.mask : WRONG.numbers;
      for (const value of all) {
        if (value === undefined && (name === "mask" || name === "reference")) continue; // left out
        await assert.rejects(
          () => asked({ ...good, [name]: value }),
          (/** @type {any} */ error) => {
            assert.ok(error instanceof TypeError || error instanceof RangeError, String(error));
            assert.match(error.message, RegExp(`^identify: ${name}\\b.* must .*; got `), String(error)); // prettier-ignore
            return true;
          },
        );
      }
      assert.match((await asked(good)).sentence, sentence);
    });
  }
}

test("hostile: arrays of any shape and any numbers get an answer or an error that names them", async () => {
  const random = new Random(SEED, "hostile kinds", 0);
  const odd = [NaN, Infinity, -Infinity, -0, 0, 1e38, -1e38, 1e-45, 2 ** 31, -1, 0.5];
  for (let n = 0; n < 1500; ++n) {
    const shape = Array.from({ length: random.below(5) }, () => random.below(6));
    const size = shape.reduce((all, one) => all * one, 1);
    const isOdd = random.happens(0.5);
    const data = Float32Array.from({ length: size }, () =>
      isOdd && random.happens(0.1) ? odd[random.below(odd.length)] : random.below(4),
    );
    const tensor = { data, shape };
    for (const arrays of [
      { bias: tensor },
      { table: tensor },
      { positionIds: tensor },
      { positionIds: tensor, mask: tensor },
      { weights: tensor, reference: tensor, heads: 1 + random.below(4) },
    ]) {
      // prettier-ignore
      let found;
      try {
        found = await asked(arrays);
      } catch (error) {
        const { message } = /** @type {Error} */ (error);
        assert.match(message, /^identify: \w+\b.* must .*; got /, `${shape}: ${message}`);
        continue;
      }
      assert.equal(typeof found.sentence, "string");
      assert.ok(found.kind === "none" ? found.residual === null : found.residual >= 0, found.sentence); // prettier-ignore
      assert.ok(found.decidedBy.length > 0);
    }
  }
});
