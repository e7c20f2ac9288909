import assert from "node:assert/strict";
import { test } from "node:test";
import { pool, phasor } from "../../phasor.js";

test("pool reuses the memory of its tensors after reset, and not before", () => {
  const results = pool();
  const [a, b] = [results.tensor([2, 3]), results.tensor([6])];
  assert.notEqual(a.data, b.data);
  assert.deepEqual([a.shape, b.shape], [[2, 3], [6]]); // prettier-ignore
  results.reset();
  const again = [results.tensor([3, 2]), results.tensor([1, 6])];
  assert.deepEqual(new Set(again.map(({ data }) => data)), new Set([a.data, b.data]));
  const more = results.tensor([6]);
  assert.ok(more.data !== a.data && more.data !== b.data);
  assert.notEqual(results.tensor([5]).data.length, 6);
});

test("pool: functions write into its tensors", () => {
  const { sinusoidal } = phasor;
  const results = pool();
  const expected = sinusoidal.table(5, 4);
  for (let step = 0; step < 3; ++step) {
    const found = sinusoidal.table(5, 4, { out: results.tensor([5, 4]) });
    assert.deepEqual(found, expected);
    results.reset();
  }
});

test("pool reuses no transferred memory, and returns none after dispose", () => {
  const results = pool();
  const first = results.tensor([4]).data;
  structuredClone(first.buffer, { transfer: [first.buffer] });
  results.reset();
  const second = results.tensor([4]).data;
  assert.equal(second.length, 4);
  results.reset();
  structuredClone(second.buffer, { transfer: [second.buffer] }); // after it was given back
  assert.equal(results.tensor([4]).data.length, 4);
  results.reset();
  results.dispose();
  const third = results.tensor([4]).data;
  assert.ok(third !== second && third.length === 4);
});

test("pool rejects invalid shapes", () => {
  const results = pool();
  assert.throws(() => results.tensor([-1]), /shape must hold whole numbers >= 0; got -1/);
  assert.throws(() => results.tensor(/** @type {any} */ (3)), /shape must be an array of sizes/);
  assert.throws(() => results.tensor([2 ** 40]), { name: "OutOfMemoryError" });
  assert.equal(results.tensor([]).size, 1);
});

test("`using` disposes of a pool, where the host has Symbol.dispose", (t) => {
  if (!Symbol.dispose) return t.skip("no Symbol.dispose");
  const results = /** @type {any} */ (pool());
  const first = results.tensor([2]);
  results.reset();
  results[Symbol.dispose]();
  assert.notEqual(results.tensor([2]).data, first.data);
});
