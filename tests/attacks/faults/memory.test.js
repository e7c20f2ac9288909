// Memory ends at every place where it is asked for: the error says so, the next call gives the same bits,
// and nothing is lost.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { calls } from "../../calls.js";
import { fingerprint } from "../../truth/fingerprint.js";
import { sampled } from "../../sample.js";
import { collected, limitedMemory, withoutArray } from "./limited-memory.js";

/** @import { Core } from "./limited-memory.js" */

/** What every call gives. @type {Record<string, string>} */
const expected = {};
const whole = await limitedMemory();
for (const [name, call] of Object.entries(calls)) {
  expected[name] = fingerprint(await call(whole.phasor));
}

/** 1, 2, ..., count. @param {number} count */
const upTo = (count) => Array.from({ length: count }, (_, i) => i + 1);

/** @param {Core} core @param {string} name @param {string} after */
async function isSame(core, name, after) {
  assert.equal(fingerprint(await calls[name](core.phasor)), expected[name], `${name} ${after}`);
}

describe("faults: each allocation of a fresh core fails once", () => {
  for (const [name, call] of Object.entries(calls)) {
    test(name, async () => {
      const counting = await limitedMemory();
      counting.failAt(0);
      await call(counting.phasor);
      const allocations = counting.asked();
      let spared = 0;
      const doesWithout = name === "nearest.index"; // of its rows in int8, where memory is short
      for (const nth of sampled(upTo(allocations), doesWithout ? 1 : 1 / 4)) {
        const core = await limitedMemory();
        core.failAt(nth);
        try {
          assert.equal(fingerprint(await call(core.phasor)), expected[name]);
          ++spared;
        } catch (/** @type {any} */ error) {
          assert.equal(error.name, "OutOfMemoryError", String(error));
          assert.match(error.message, /must fit in memory/);
        }
        core.failAt(0);
        await isSame(core, name, `after allocation ${nth} of ${allocations} failed`);
      }
      assert.equal(spared, doesWithout ? 1 : 0);
    });
  }
});

describe("faults: each typed array of a call fails to be allocated once", () => {
  for (const [name, call] of Object.entries(calls)) {
    test(name, async () => {
      const counting = await limitedMemory();
      const { count, error } = await withoutArray(0, () => call(counting.phasor));
      assert.ifError(error);
      for (const nth of sampled(upTo(count), 1 / 8)) {
        const core = await limitedMemory(); // what a call before this one has kept would not be asked for
        const { error } = await withoutArray(nth, () => call(core.phasor));
        // Where an argument is converted, it is the engine's own error.
        assert.ok(error instanceof RangeError || error?.name === "OutOfMemoryError", String(error));
        assert.match(error.message, /must fit in memory|^Array buffer allocation failed$/);
        await isSame(core, name, `after array ${nth} of ${count} failed`);
      }
    });
  }
});

test("faults: 3 rounds of failing calls leak no memory of the core", async () => {
  const core = await limitedMemory();
  const round = async () => {
    for (const call of Object.values(calls)) {
      for (let nth = 1; nth < 9; ++nth) {
        await withoutArray(nth * 3, () => call(core.phasor));
        core.failAt(nth);
        await Promise.resolve(core.phasor)
          .then(call)
          .catch(() => undefined);
        core.failAt(0);
      }
    }
    await collected();
    for (const call of Object.values(calls)) await call(core.phasor);
    await collected();
    return [core.live(), core.pages()];
  };
  await round(); // in the first, a large block is made before all those that a later one finds in use
  const before = await round();
  for (let i = 0; i < 3; ++i) assert.deepEqual(await round(), before);
});

test("faults: with 4 GiB in use, a call gives the same bits or OutOfMemoryError, and changes nothing else", async () => {
  const core = await limitedMemory();
  for (const name of Object.keys(calls)) await isSame(core, name, "before");
  await collected();
  const live = core.live();
  /** @type {number[]} */
  const taken = [];
  for (let bytes = 2 ** 30; bytes >= 64; bytes /= 2) {
    for (let at = core.take(bytes); at !== 0; at = core.take(bytes)) taken.push(at);
  }
  assert.ok(core.pages() > 65_000, `${core.pages()} of 65,536 pages`);
  let refused = 0;
  for (const [name, call] of Object.entries(calls)) {
    try {
      assert.equal(fingerprint(await call(core.phasor)), expected[name], name);
    } catch (/** @type {any} */ error) {
      if (error.name !== "OutOfMemoryError") throw error;
      ++refused;
    }
  }
  assert.ok(refused > 5, `${refused} calls found no memory`);
  taken.forEach(core.give);
  for (const name of Object.keys(calls)) await isSame(core, name, "afterwards");
  await collected();
  assert.equal(core.live(), live);
  const again = core.take(3 * 2 ** 30);
  assert.notEqual(again, 0, "3 GiB are free in one piece");
  core.give(again);
});
